//! Strided part.

use crate::attr::operator_attributes;

/// Every `step`-th element from `start`, `size` of them, per dimension (ONNX `Slice`, normalised).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slice {
    /// First element per dimension.
    pub starts: Vec<i64>,
    /// Number of elements per dimension.
    pub sizes: Vec<i64>,
    /// Distance between elements per dimension; negative runs backwards.
    pub steps: Vec<i64>,
}

operator_attributes!(Slice, "slice", starts, sizes, steps);

super::pending!(Slice);
