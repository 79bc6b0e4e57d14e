//! Element types and ranked tensor types.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type of one tensor element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElementType {
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// Signed 64-bit integer.
    I64,
    /// Signed 32-bit integer.
    I32,
    /// Signed 8-bit integer.
    I8,
    /// Unsigned 8-bit integer.
    U8,
    /// Boolean: `i1` in MLIR, one byte (0 or 1) in memory.
    Bool,
}

impl ElementType {
    /// Bytes of one element in memory.
    pub fn bytes(self) -> usize {
        match self {
            Self::F64 | Self::I64 => 8,
            Self::F32 | Self::I32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::I8 | Self::U8 | Self::Bool => 1,
        }
    }

    /// Whether the type is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64 | Self::F16 | Self::Bf16)
    }

    /// Whether the type is a floating-point type of 16 bits, whose values CPUs hold as `f32`, rounded after every
    /// operation.
    pub fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16)
    }

    /// The MLIR spelling: `f32`, `i64`, `ui8`, `i1`, ...
    pub fn mlir(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::I64 => "i64",
            Self::I32 => "i32",
            Self::I8 => "i8",
            Self::U8 => "ui8",
            Self::Bool => "i1",
        }
    }

    /// The inverse of [`ElementType::mlir`].
    pub fn from_mlir(text: &str) -> Option<Self> {
        [
            Self::F32,
            Self::F64,
            Self::F16,
            Self::Bf16,
            Self::I64,
            Self::I32,
            Self::I8,
            Self::U8,
            Self::Bool,
        ]
        .into_iter()
        .find(|t| t.mlir() == text)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.mlir())
    }
}

/// A ranked tensor type of known extents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TensorType {
    /// Element type.
    pub element: ElementType,
    /// Extents, outermost first; empty for a scalar.
    pub shape: Vec<i64>,
}

impl TensorType {
    /// A tensor type of the given element type and extents.
    pub fn new(element: ElementType, shape: impl Into<Vec<i64>>) -> Self {
        Self {
            element,
            shape: shape.into(),
        }
    }

    /// A 32-bit float tensor type.
    pub fn f32(shape: impl Into<Vec<i64>>) -> Self {
        Self::new(ElementType::F32, shape)
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    pub fn elements(&self) -> i64 {
        self.shape.iter().product()
    }

    /// Bytes of the dense tensor.
    pub fn bytes(&self) -> i64 {
        self.elements() * self.element.bytes() as i64
    }

    /// Row-major strides in elements.
    pub fn strides(&self) -> Vec<i64> {
        strides(&self.shape)
    }
}

/// Row-major distances between neighbours along each dimension of a shape, in elements.
pub fn strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for d in (0..shape.len().saturating_sub(1)).rev() {
        strides[d] = strides[d + 1] * shape[d + 1];
    }
    strides
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for extent in &self.shape {
            write!(f, "{extent}x")?;
        }
        write!(f, "{}>", self.element)
    }
}
