//! Strided part.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Fold, Loops, OpError, Operator, Traits};
use crate::support::{
    copy, identity, iter, place, rearranged, require, require_arity, same_rank, scaled, types_of,
    with_offset,
};

/// Every `step`-th element from `start`, `size` of them, per dimension (ONNX `Slice`, normalised).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slice {
    /// First element per dimension.
    pub starts: Vec<i64>,
    /// Number of elements per dimension.
    pub sizes: Vec<i64>,
    /// Distance between elements per dimension; negative runs backwards.
    pub steps: Vec<i64>,
}

operator_attributes!(Slice, "slice", starts, sizes, steps);

impl Operator for Slice {
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
        same_rank("starts", &self.starts, x.rank())?;
        same_rank("sizes", &self.sizes, x.rank())?;
        same_rank("steps", &self.steps, x.rank())?;
        for d in 0..x.rank() {
            let (start, size, step) = (self.starts[d], self.sizes[d], self.steps[d]);
            require(size >= 0, || {
                format!("size {size} of dimension {d} is negative")
            })?;
            require(step != 0, || format!("step of dimension {d} is zero"))?;
            let inside = |i: i64| (0..x.shape[d]).contains(&i);
            let last = start.saturating_add((size - 1).saturating_mul(step));
            require(size == 0 || (inside(start) && inside(last)), || {
                format!("elements {start} to {last} of dimension {d} are not all inside {x}")
            })?;
        }
        Ok(vec![TensorType::new(x.element, self.sizes.clone())])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let strides = operands[0].ty().strides();
        let at = |index: &[i64]| {
            let from = (0..index.len()).map(|d| self.starts[d] + index[d] * self.steps[d]);
            Some(place(&strides, from))
        };
        Ok(vec![rearranged(&operands[0], ty, &[], at)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let from = (0..ty.rank())
            .map(|d| with_offset(scaled(iter(d), self.steps[d]), self.starts[d]))
            .collect();
        let to = identity(ty.rank());
        Ok(Loops::one(copy(&ty.shape, &ty, (0, from), None, (1, to))))
    }
    fn fold(&self, operands: &[TensorType]) -> Option<Fold> {
        let whole = self.starts.iter().all(|&s| s == 0)
            && self.steps.iter().all(|&s| s == 1)
            && self.sizes == operands.first()?.shape;
        whole.then_some(Fold::Operand(0))
    }
    fn flops(&self, _: &[TensorType]) -> u64 {
        0
    }
}
