//! Running reductions.

use crate::attr::{operator_attributes, string_enum};

string_enum! {
    /// What is accumulated.
    ScanKind {
        /// Running sum.
        Sum = "sum",
        /// Running product.
        Prod = "prod",
    }
}

/// Running reduction along an axis (ONNX `CumSum`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scan {
    /// What is accumulated.
    pub kind: ScanKind,
    /// Axis, not negative.
    pub axis: i64,
    /// Leave the element itself out.
    pub exclusive: bool,
    /// From the end of the axis.
    pub reverse: bool,
}

operator_attributes!(Scan, "scan", kind, axis, exclusive, reverse);

super::pending!(Scan);
