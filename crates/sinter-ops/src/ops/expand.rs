//! Broadcast to a shape.

use crate::attr::operator_attributes;

/// Broadcasts to a shape by numpy rules (ONNX `Expand`, with the shape of the result).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expand {
    /// Shape of the result.
    pub shape: Vec<i64>,
}

operator_attributes!(Expand, "expand", shape);

super::pending!(Expand);
