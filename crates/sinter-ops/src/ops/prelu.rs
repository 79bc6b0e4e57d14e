//! Leaky ReLU with a slope operand.

use crate::attr::operator_attributes;

/// `x < 0 ? slope * x : x`; the slope is broadcast to `x` (ONNX `PRelu`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prelu {}

operator_attributes!(Prelu, "prelu");

super::pending!(Prelu);
