//! Pooling over windows.

use crate::attr::{operator_attributes, string_enum};

string_enum! {
    /// What is computed over a window.
    PoolKind {
        /// Largest element.
        Max = "max",
        /// Arithmetic mean.
        Avg = "avg",
    }
}

/// Pooling over the spatial dimensions of `x[n, c, ..]` (ONNX `MaxPool`, `AveragePool`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pool {
    /// What is computed.
    pub kind: PoolKind,
    /// Window extents.
    pub kernel: Vec<i64>,
    /// One per spatial dimension.
    pub strides: Vec<i64>,
    /// Padding before each spatial dimension, then padding after each.
    pub pads: Vec<i64>,
    /// One per spatial dimension.
    pub dilations: Vec<i64>,
    /// Round the output extent up instead of down.
    pub ceil_mode: bool,
    /// Average: padding counts as elements of value 0.
    pub count_include_pad: bool,
}

operator_attributes!(
    Pool,
    "pool",
    kind,
    kernel,
    strides,
    pads,
    dilations,
    ceil_mode,
    count_include_pad
);

super::pending!(Pool);
