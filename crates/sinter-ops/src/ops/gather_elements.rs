//! Selection of elements by index.

use sinter_loops::nest::Iter;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::ops::gather::{checked_index, require_indices, select_by_index};
use crate::support::{
    axis_index, identity, ints, iter, place, rearranged, require, require_arity, types_of,
};

/// `result[i] = data[i with i[axis] = indices[i]]` (ONNX `GatherElements`); negative indices count from the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GatherElements {
    /// Axis, not negative.
    pub axis: i64,
}

operator_attributes!(GatherElements, "gather_elements", axis);

impl Operator for GatherElements {
    named!();
    fn traits(&self) -> Traits {
        Traits::default()
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 2..=2)?;
        let (data, indices) = (&operands[0], &operands[1]);
        let axis = axis_index(self.axis, data.rank())?;
        require_indices(indices)?;
        let fits = indices.rank() == data.rank()
            && (0..data.rank()).all(|d| d == axis || indices.shape[d] <= data.shape[d]);
        require(fits, || format!("indices {indices} reach outside {data}"))?;
        Ok(vec![TensorType::new(data.element, indices.shape.clone())])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let (data, axis) = (operands[0].ty(), self.axis as usize);
        let mut chosen = ints(&operands[1])
            .into_iter()
            .map(|i| checked_index(i, data.shape[axis]))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter();
        let strides = data.strides();
        let at = |index: &[i64]| {
            let choice = chosen.next()?;
            let from = index
                .iter()
                .enumerate()
                .map(|(d, &i)| if d == axis { choice } else { i });
            Some(place(&strides, from))
        };
        Ok(vec![rearranged(&operands[0], ty, &[], at)])
    }
    /// As a reduction over the axis that takes the one element whose index is asked for. An index that
    /// is out of range gives 0.
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let axis = self.axis as usize;
        let mut iters: Vec<_> = ty.shape.iter().map(|&e| Iter::parallel(e)).collect();
        let along = iters.len();
        iters.push(Iter::reduction(operands[0].shape[axis]));
        let mut data = identity(along);
        data[axis] = iter(along);
        let indices = identity(along);
        Ok(Loops::one(select_by_index(
            iters, operands, axis, data, indices,
        )))
    }
    fn flops(&self, _: &[TensorType]) -> u64 {
        0
    }
}
