//! Convolution.

use crate::attr::operator_attributes;

/// Convolution of `x[n, ci, ..]` with `w[co, ci / groups, ..]` and an optional `bias[co]`, one to three spatial dimensions (ONNX `Conv`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Conv {
    /// One per spatial dimension.
    pub strides: Vec<i64>,
    /// Padding before each spatial dimension, then padding after each.
    pub pads: Vec<i64>,
    /// One per spatial dimension.
    pub dilations: Vec<i64>,
    /// Number of channel groups.
    pub groups: i64,
}

operator_attributes!(Conv, "conv", strides, pads, dilations, groups);

super::pending!(Conv);
