//! Permutation of dimensions.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Fold, Loops, OpError, Operator, Traits};
use crate::support::{copy, identity, iter, place, rearranged, require, require_arity, types_of};

/// Result dimension `d` is operand dimension `perm[d]` (ONNX `Transpose`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transpose {
    /// A permutation of the dimensions.
    pub perm: Vec<i64>,
}

operator_attributes!(Transpose, "transpose", perm);

impl Transpose {
    /// For each operand dimension, the result dimension it becomes.
    fn inverse(&self) -> Vec<usize> {
        let mut inverse = vec![0; self.perm.len()];
        for (d, &p) in self.perm.iter().enumerate() {
            inverse[p as usize] = d;
        }
        inverse
    }
}

impl Operator for Transpose {
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
        let mut sorted = self.perm.clone();
        sorted.sort_unstable();
        require(sorted.iter().copied().eq(0..x.rank() as i64), || {
            format!(
                "{:?} is not a permutation of the dimensions of {x}",
                self.perm
            )
        })?;
        let shape: Vec<i64> = self.perm.iter().map(|&p| x.shape[p as usize]).collect();
        Ok(vec![TensorType::new(x.element, shape)])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let strides = operands[0].ty().strides();
        let strides: Vec<i64> = self.perm.iter().map(|&p| strides[p as usize]).collect();
        let at = |index: &[i64]| Some(place(&strides, index.iter().copied()));
        Ok(vec![rearranged(&operands[0], ty, &[], at)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let from = self.inverse().into_iter().map(iter).collect();
        let to = identity(ty.rank());
        Ok(Loops::one(copy(&ty.shape, &ty, (0, from), None, (1, to))))
    }
    fn fold(&self, _: &[TensorType]) -> Option<Fold> {
        self.perm
            .iter()
            .copied()
            .eq(0..self.perm.len() as i64)
            .then_some(Fold::Operand(0))
    }
    fn flops(&self, _: &[TensorType]) -> u64 {
        0
    }
}
