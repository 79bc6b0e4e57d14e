//! Tensor elements as doubles or 64-bit integers, for reference evaluation.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

/// All elements of a tensor: integers and booleans exactly, floats as doubles.
pub enum Data {
    /// Elements of a floating-point tensor.
    Float(Vec<f64>),
    /// Elements of an integer or boolean tensor.
    Int(Vec<i64>),
}

impl Data {
    /// The elements of a tensor.
    pub fn of(tensor: &Tensor) -> Self {
        if tensor.ty().element.is_float() {
            Self::Float(floats(tensor))
        } else {
            Self::Int(ints(tensor))
        }
    }

    /// A tensor of these elements, each rounded once to the element type.
    pub fn tensor(&self, ty: TensorType) -> Tensor {
        match self {
            Self::Float(values) => from_floats(ty, values),
            Self::Int(values) => Tensor::from_i64s(ty, values),
        }
    }
}

/// All elements as doubles.
pub fn floats(tensor: &Tensor) -> Vec<f64> {
    if tensor.ty().element == ElementType::F32 {
        let chunks = tensor.bytes().chunks_exact(4);
        return chunks
            .map(|c| f64::from(f32::from_le_bytes([c[0], c[1], c[2], c[3]])))
            .collect();
    }
    tensor.to_f64s()
}

/// All elements as 64-bit integers.
pub fn ints(tensor: &Tensor) -> Vec<i64> {
    tensor.to_i64s()
}

/// A tensor from doubles, each rounded once to the element type.
pub fn from_floats(ty: TensorType, values: &[f64]) -> Tensor {
    if ty.element == ElementType::F32 {
        let mut bytes = Vec::with_capacity(values.len() * 4);
        for &v in values {
            bytes.extend_from_slice(&(v as f32).to_le_bytes());
        }
        return Tensor::from_bytes(ty, bytes.into());
    }
    Tensor::from_f64s(ty, values)
}

/// The larger of two numbers, NaN where either is.
pub fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        a.max(b)
    }
}

/// The smaller of two numbers, NaN where either is.
pub fn minimum(a: f64, b: f64) -> f64 {
    -maximum(-a, -b)
}
