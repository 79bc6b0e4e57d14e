//! Limits to a range.

use crate::attr::operator_attributes;
use sinter_loops::scalar::FloatBits;

/// `min(max(x, min), max)` elementwise (ONNX `Clip` with constant limits).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clamp {
    /// Lower limit.
    pub min: Option<FloatBits>,
    /// Upper limit.
    pub max: Option<FloatBits>,
}

operator_attributes!(Clamp, "clamp", min, max);

super::pending!(Clamp);
