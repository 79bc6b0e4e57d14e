//! Index of an extreme element.

use crate::attr::{operator_attributes, string_enum};

string_enum! {
    /// Which extreme.
    ArgReduceKind {
        /// Largest.
        Max = "max",
        /// Smallest.
        Min = "min",
    }
}

/// Index of the largest or smallest element along an axis, as `i64` (ONNX `ArgMax`, `ArgMin`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArgReduce {
    /// Which extreme.
    pub kind: ArgReduceKind,
    /// Axis, not negative.
    pub axis: i64,
    /// Whether the axis stays with extent 1.
    pub keep_dims: bool,
    /// Which of equal elements: the last instead of the first.
    pub select_last: bool,
}

operator_attributes!(ArgReduce, "arg_reduce", kind, axis, keep_dims, select_last);

super::pending!(ArgReduce);
