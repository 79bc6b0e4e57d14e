//! Batched matrix product.

use crate::attr::operator_attributes;

/// Matrix product with numpy rules: batch dimensions broadcast, one-dimensional operands are promoted (ONNX `MatMul`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Matmul {}

operator_attributes!(Matmul, "matmul");

super::pending!(Matmul);
