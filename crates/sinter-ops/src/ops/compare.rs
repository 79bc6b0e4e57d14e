//! Elementwise comparison.

use crate::attr::operator_attributes;
use sinter_loops::scalar::CompareFn;

/// Compares two operands elementwise, with numpy broadcasting.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Compare {
    /// Relation.
    pub kind: CompareFn,
}

operator_attributes!(Compare, "compare", kind);

super::pending!(Compare);
