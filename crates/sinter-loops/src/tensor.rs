//! Dense host tensors, row-major, little-endian, possibly borrowed from a mapped file.

use bytes::Bytes;
use half::{bf16, f16};

use crate::types::{ElementType, TensorType};

/// A dense tensor in host memory. Cloning shares the bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    ty: TensorType,
    data: Bytes,
}

impl Tensor {
    /// A tensor over raw little-endian bytes.
    ///
    /// # Panics
    /// When the number of bytes is not the one of the type.
    pub fn from_bytes(ty: TensorType, data: Bytes) -> Self {
        assert_eq!(
            data.len() as i64,
            ty.bytes(),
            "{ty} needs {} bytes",
            ty.bytes()
        );
        Self { ty, data }
    }

    /// A 32-bit float tensor.
    pub fn from_f32(shape: impl Into<Vec<i64>>, values: &[f32]) -> Self {
        let bytes = Bytes::copy_from_slice(bytemuck::cast_slice(values));
        Self::from_bytes(TensorType::f32(shape), bytes)
    }

    /// A 64-bit integer tensor.
    pub fn from_i64(shape: impl Into<Vec<i64>>, values: &[i64]) -> Self {
        let bytes = Bytes::copy_from_slice(bytemuck::cast_slice(values));
        Self::from_bytes(TensorType::new(ElementType::I64, shape), bytes)
    }

    /// A tensor of any element type from one double per element, rounded to the element type
    /// (to nearest even for floats, truncated and wrapped for integers, `!= 0` for booleans).
    ///
    /// # Panics
    /// When the number of values is not the number of elements.
    pub fn from_f64s(ty: TensorType, values: &[f64]) -> Self {
        assert_eq!(values.len() as i64, ty.elements());
        let mut out = Vec::with_capacity(ty.bytes() as usize);
        for &v in values {
            match ty.element {
                ElementType::F32 => out.extend_from_slice(&(v as f32).to_le_bytes()),
                ElementType::F64 => out.extend_from_slice(&v.to_le_bytes()),
                ElementType::F16 => out.extend_from_slice(&f16::from_f64(v).to_le_bytes()),
                ElementType::Bf16 => out.extend_from_slice(&bf16::from_f64(v).to_le_bytes()),
                ElementType::I64 => out.extend_from_slice(&(v as i64).to_le_bytes()),
                ElementType::I32 => out.extend_from_slice(&(v as i64 as i32).to_le_bytes()),
                ElementType::I8 => out.push(v as i64 as i8 as u8),
                ElementType::U8 => out.push(v as i64 as u8),
                ElementType::Bool => out.push(u8::from(v != 0.0)),
            }
        }
        Self::from_bytes(ty, out.into())
    }

    /// A tensor of integers or booleans from 64-bit integers (wrapped to the element type).
    ///
    /// # Panics
    /// When the number of values is not the number of elements.
    pub fn from_i64s(ty: TensorType, values: &[i64]) -> Self {
        if ty.element == ElementType::I64 {
            return Self::from_i64(ty.shape, values);
        }
        let doubles: Vec<f64> = values.iter().map(|&v| v as f64).collect();
        Self::from_f64s(ty, &doubles)
    }

    /// The type.
    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    /// The raw little-endian bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.data
    }

    /// The same bytes under another shape of as many elements.
    ///
    /// # Panics
    /// When the number of elements differs.
    pub fn reshaped(&self, shape: impl Into<Vec<i64>>) -> Self {
        Self::from_bytes(TensorType::new(self.ty.element, shape), self.data.clone())
    }

    /// Element `index` (row-major) as a double; exact for all but large 64-bit integers.
    pub fn get_f64(&self, index: usize) -> f64 {
        let n = self.ty.element.bytes();
        let raw = &self.data[index * n..(index + 1) * n];
        match self.ty.element {
            ElementType::F32 => f64::from(f32::from_le_bytes(raw.try_into().unwrap_or_default())),
            ElementType::F64 => f64::from_le_bytes(raw.try_into().unwrap_or_default()),
            ElementType::F16 => f16::from_le_bytes(raw.try_into().unwrap_or_default()).to_f64(),
            ElementType::Bf16 => bf16::from_le_bytes(raw.try_into().unwrap_or_default()).to_f64(),
            ElementType::I64 => i64::from_le_bytes(raw.try_into().unwrap_or_default()) as f64,
            ElementType::I32 => f64::from(i32::from_le_bytes(raw.try_into().unwrap_or_default())),
            ElementType::I8 => f64::from(raw[0] as i8),
            ElementType::U8 | ElementType::Bool => f64::from(raw[0]),
        }
    }

    /// Element `index` (row-major) as a 64-bit integer; floats are truncated.
    pub fn get_i64(&self, index: usize) -> i64 {
        if self.ty.element == ElementType::I64 {
            let raw = &self.data[index * 8..index * 8 + 8];
            return i64::from_le_bytes(raw.try_into().unwrap_or_default());
        }
        self.get_f64(index) as i64
    }

    /// All elements as doubles.
    pub fn to_f64s(&self) -> Vec<f64> {
        if self.ty.element == ElementType::F32 {
            let value = |raw: &[u8; 4]| f64::from(f32::from_le_bytes(*raw));
            return self.data.as_chunks().0.iter().map(value).collect();
        }
        (0..self.ty.elements() as usize)
            .map(|i| self.get_f64(i))
            .collect()
    }

    /// All elements as 64-bit integers.
    pub fn to_i64s(&self) -> Vec<i64> {
        (0..self.ty.elements() as usize)
            .map(|i| self.get_i64(i))
            .collect()
    }

    /// All elements as 32-bit floats.
    pub fn to_f32s(&self) -> Vec<f32> {
        (0..self.ty.elements() as usize)
            .map(|i| self.get_f64(i) as f32)
            .collect()
    }

    /// The single value when every element is bitwise the same (and there is at least one).
    pub fn splat(&self) -> Option<f64> {
        let n = self.ty.element.bytes();
        let first = self.data.get(..n)?;
        self.data
            .chunks_exact(n)
            .all(|c| c == first)
            .then(|| self.get_f64(0))
    }
}
