//! Transposed convolution.

use crate::attr::operator_attributes;

/// Transposed convolution of `x[n, ci, ..]` with `w[ci, co / groups, ..]` and an optional `bias[co]` (ONNX `ConvTranspose`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConvTranspose {
    /// One per spatial dimension.
    pub strides: Vec<i64>,
    /// Padding before each spatial dimension, then padding after each.
    pub pads: Vec<i64>,
    /// Extra extent after each spatial dimension.
    pub output_pads: Vec<i64>,
    /// One per spatial dimension.
    pub dilations: Vec<i64>,
    /// Number of channel groups.
    pub groups: i64,
}

operator_attributes!(
    ConvTranspose,
    "conv_transpose",
    strides,
    pads,
    output_pads,
    dilations,
    groups
);

super::pending!(ConvTranspose);
