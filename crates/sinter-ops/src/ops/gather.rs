//! Selection of slices by index.

use crate::attr::operator_attributes;

/// `data` with the axis replaced by the shape of `indices` (ONNX `Gather`); negative indices count from the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gather {
    /// Axis of `data`, not negative.
    pub axis: i64,
}

operator_attributes!(Gather, "gather", axis);

super::pending!(Gather);
