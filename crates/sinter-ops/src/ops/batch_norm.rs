//! Batch normalisation.

use crate::attr::operator_attributes;
use sinter_loops::scalar::FloatBits;

/// `(x - mean) / sqrt(variance + epsilon) * scale + bias` per channel (dimension 1), with the operands `x, scale, bias, mean,
/// variance` (ONNX `BatchNormalization` in inference).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchNorm {
    /// Added to the variance.
    pub epsilon: FloatBits,
}

operator_attributes!(BatchNorm, "batch_norm", epsilon);

super::pending!(BatchNorm);
