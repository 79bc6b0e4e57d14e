//! Softmax and its logarithm.

use crate::attr::operator_attributes;

/// `exp(x - max) / sum(exp(x - max))` along an axis (ONNX `Softmax`, version 13).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Softmax {
    /// Axis, not negative.
    pub axis: i64,
}

operator_attributes!(Softmax, "softmax", axis);

/// `x - max - log(sum(exp(x - max)))` along an axis (ONNX `LogSoftmax`, version 13).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogSoftmax {
    /// Axis, not negative.
    pub axis: i64,
}

operator_attributes!(LogSoftmax, "log_softmax", axis);

super::pending!(Softmax);
super::pending!(LogSoftmax);
