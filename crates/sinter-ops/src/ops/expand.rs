//! Broadcast to a shape.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Fold, Loops, OpError, Operator, Traits};
use crate::support::{
    broadcast, broadcast_index, broadcast_offsets, checked_elements, copy, identity, rearranged,
    require, require_arity, types_of,
};

/// Broadcasts to a shape by numpy rules (ONNX `Expand`, with the shape of the result).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expand {
    /// Shape of the result.
    pub shape: Vec<i64>,
}

operator_attributes!(Expand, "expand", shape);

impl Operator for Expand {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            index_map: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 1..=1)?;
        let x = &operands[0];
        checked_elements(&self.shape)?;
        let shape = broadcast(&[&x.shape, &self.shape])?;
        require(shape == self.shape, || {
            format!("{x} does not broadcast to {:?}", self.shape)
        })?;
        Ok(vec![TensorType::new(x.element, shape)])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let mut offsets = broadcast_offsets(&operands[0].ty().shape, &ty.shape).into_iter();
        Ok(vec![rearranged(&operands[0], ty, &[], |_| offsets.next())])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let from = broadcast_index(&operands[0].shape, &ty.shape);
        let to = identity(ty.rank());
        Ok(Loops::one(copy(&ty.shape, &ty, (0, from), None, (1, to))))
    }
    fn fold(&self, operands: &[TensorType]) -> Option<Fold> {
        (operands.first()?.shape == self.shape).then_some(Fold::Operand(0))
    }
    fn flops(&self, _: &[TensorType]) -> u64 {
        0
    }
}
