//! Another shape for the same row-major elements.

use crate::attr::operator_attributes;

/// The same elements in row-major order under another shape (ONNX `Reshape`, `Flatten`, `Squeeze`, `Unsqueeze`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reshape {
    /// Shape of the result.
    pub shape: Vec<i64>,
}

operator_attributes!(Reshape, "reshape", shape);

super::pending!(Reshape);
