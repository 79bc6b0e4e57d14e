//! Concatenation along an axis.

use crate::attr::operator_attributes;

/// Joins operands along an axis (ONNX `Concat`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Concat {
    /// Axis, not negative.
    pub axis: i64,
}

operator_attributes!(Concat, "concat", axis);

super::pending!(Concat);
