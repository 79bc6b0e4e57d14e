//! Permutation of dimensions.

use crate::attr::operator_attributes;

/// Result dimension `d` is operand dimension `perm[d]` (ONNX `Transpose`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transpose {
    /// A permutation of the dimensions.
    pub perm: Vec<i64>,
}

operator_attributes!(Transpose, "transpose", perm);

super::pending!(Transpose);
