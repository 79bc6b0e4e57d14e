//! Concatenation along an axis.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Fold, Loops, OpError, Operator, Traits};
use crate::support::{
    axis_index, copy, identity, iter, one_dtype, require, require_arity, types_of, with_offset,
};

/// Joins operands along an axis (ONNX `Concat`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Concat {
    /// Axis, not negative.
    pub axis: i64,
}

operator_attributes!(Concat, "concat", axis);

impl Operator for Concat {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            index_map: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 1..=usize::MAX)?;
        let element = one_dtype(&operands.iter().collect::<Vec<_>>())?;
        let first = &operands[0];
        let axis = axis_index(self.axis, first.rank())?;
        let mut shape = first.shape.clone();
        for other in &operands[1..] {
            let fits = other.rank() == first.rank()
                && (0..first.rank()).all(|d| d == axis || other.shape[d] == first.shape[d]);
            require(fits, || {
                format!("{first} and {other} differ outside axis {axis}")
            })?;
            shape[axis] += other.shape[axis];
        }
        Ok(vec![TensorType::new(element, shape)])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let outer: i64 = ty.shape[..self.axis as usize].iter().product();
        let mut bytes = Vec::with_capacity(ty.bytes() as usize);
        for i in 0..outer as usize {
            for part in operands {
                let run = part.bytes().len() / outer as usize;
                bytes.extend_from_slice(&part.bytes()[i * run..(i + 1) * run]);
            }
        }
        Ok(vec![Tensor::from_bytes(ty, bytes.into())])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let axis = self.axis as usize;
        let mut offset = 0;
        let mut stages = Vec::new();
        for (i, part) in operands.iter().enumerate() {
            let mut to = identity(ty.rank());
            to[axis] = with_offset(iter(axis), offset);
            offset += part.shape[axis];
            let from = identity(ty.rank());
            stages.push(copy(
                &part.shape,
                &ty,
                (i, from),
                None,
                (operands.len(), to),
            ));
        }
        Ok(Loops {
            temporaries: Vec::new(),
            stages,
        })
    }
    fn fold(&self, operands: &[TensorType]) -> Option<Fold> {
        if operands.len() == 1 {
            return Some(Fold::Operand(0));
        }
        let empty = |i: &usize| operands[*i].elements() == 0;
        let mut kept: Vec<usize> = (0..operands.len()).filter(|i| !empty(i)).collect();
        if kept.len() == operands.len() {
            return None;
        }
        kept.extend(kept.is_empty().then_some(0));
        Some(Fold::Op(Box::new(self.clone().into()), kept))
    }
    fn flops(&self, _: &[TensorType]) -> u64 {
        0
    }
}
