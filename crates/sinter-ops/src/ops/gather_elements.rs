//! Selection of elements by index.

use crate::attr::operator_attributes;

/// `result[i] = data[i with i[axis] = indices[i]]` (ONNX `GatherElements`); negative indices count from the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GatherElements {
    /// Axis, not negative.
    pub axis: i64,
}

operator_attributes!(GatherElements, "gather_elements", axis);

super::pending!(GatherElements);
