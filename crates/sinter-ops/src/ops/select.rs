//! Elementwise choice.

use crate::attr::operator_attributes;

/// `condition ? a : b`, elementwise, with numpy broadcasting (ONNX `Where`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Select {}

operator_attributes!(Select, "select");

super::pending!(Select);
