//! Padding.

use crate::attr::{operator_attributes, string_enum};
use sinter_loops::scalar::FloatBits;

string_enum! {
    /// What the padding holds.
    PadMode {
        /// One value.
        Constant = "constant",
        /// The operand mirrored at its first and last element.
        Reflect = "reflect",
        /// The nearest element.
        Edge = "edge",
        /// The operand repeated.
        Wrap = "wrap",
    }
}

/// Extends each dimension (ONNX `Pad`). Constant padding may be negative, which crops.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pad {
    /// Elements added before, per dimension.
    pub low: Vec<i64>,
    /// Elements added after, per dimension.
    pub high: Vec<i64>,
    /// The value of constant padding.
    pub value: FloatBits,
    /// What the padding holds.
    pub mode: PadMode,
}

operator_attributes!(Pad, "pad", low, high, value, mode);

super::pending!(Pad);
