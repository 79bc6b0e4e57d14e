//! Reductions over axes.

use crate::attr::{operator_attributes, string_enum};

string_enum! {
    /// What a reduction computes.
    ReduceKind {
        /// Sum.
        Sum = "sum",
        /// Arithmetic mean.
        Mean = "mean",
        /// Largest.
        Max = "max",
        /// Smallest.
        Min = "min",
        /// Product.
        Prod = "prod",
        /// Sum of absolute values.
        L1 = "l1",
        /// Square root of the sum of squares.
        L2 = "l2",
        /// Sum of squares.
        SumSquare = "sum_square",
        /// Logarithm of the sum of exponentials.
        LogSumExp = "log_sum_exp",
    }
}

/// Reduction over axes (ONNX `Reduce*`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reduce {
    /// What is computed.
    pub kind: ReduceKind,
    /// Axes reduced: ascending, not negative.
    pub axes: Vec<i64>,
    /// Whether reduced axes stay with extent 1.
    pub keep_dims: bool,
}

operator_attributes!(Reduce, "reduce", kind, axes, keep_dims);

super::pending!(Reduce);
