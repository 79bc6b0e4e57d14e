//! Layer normalisation.

use crate::attr::operator_attributes;
use sinter_loops::scalar::FloatBits;

/// Normalises over `axis` and the dimensions after it, then scales and shifts: operands `x, scale`
/// and an optional `bias` (ONNX `LayerNormalization`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LayerNorm {
    /// First normalised dimension, not negative.
    pub axis: i64,
    /// Added to the variance.
    pub epsilon: FloatBits,
}

operator_attributes!(LayerNorm, "layer_norm", axis, epsilon);

super::pending!(LayerNorm);
