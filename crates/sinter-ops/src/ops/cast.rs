//! Element type conversion.

use crate::attr::operator_attributes;
use sinter_loops::types::ElementType;

/// Converts every element (ONNX `Cast`): float to integer truncates, anything to `i1` is `!= 0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cast {
    /// Element type of the result.
    pub to: ElementType,
}

operator_attributes!(Cast, "cast", to);

super::pending!(Cast);
