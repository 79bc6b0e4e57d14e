//! Elementwise functions of one operand.

use sinter_loops::scalar::FloatBits;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::Attr;
use crate::operator::{Loops, OpError, Operator, Traits};

/// Which function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum UnaryKind {
    Relu,
    LeakyRelu { alpha: FloatBits },
}

/// An elementwise function of one operand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unary {
    /// Function.
    pub kind: UnaryKind,
}

impl Unary {
    /// See [`Op::from_parts`](crate::ops::Op::from_parts): `None` when the name is another operator's.
    pub(crate) fn parse(_: &str, _: &[(String, Attr)]) -> Option<Result<Self, OpError>> {
        None
    }
}

impl Operator for Unary {
    fn mnemonic(&self) -> &'static str {
        "relu"
    }
    fn attributes(&self) -> Vec<(&'static str, Attr)> {
        Vec::new()
    }
    fn traits(&self) -> Traits {
        Traits { elementwise: true, ..Traits::default() }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        Ok(operands.to_vec())
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        Ok(operands.to_vec())
    }
    fn loops(&self, _: &[TensorType]) -> Result<Loops, OpError> {
        Ok(Loops::default())
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        operands[0].elements() as u64
    }
}
