//! Selection of slices by index.

use sinter_loops::affine::Affine;
use sinter_loops::nest::{CombineFn, Iter, Nest};
use sinter_loops::scalar::{BinaryFn, CompareFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Code, Point, axis_index, combine, err, identity, ints, iter, place, rearranged, require,
    require_arity, types_of,
};

/// `data` with the axis replaced by the shape of `indices` (ONNX `Gather`); negative indices count from the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gather {
    /// Axis of `data`, not negative.
    pub axis: i64,
}

operator_attributes!(Gather, "gather", axis);

/// An index from the start, from one that counts from the end when it is negative.
pub(crate) fn checked_index(index: i64, extent: i64) -> Result<i64, OpError> {
    let from_start = if index < 0 { index + extent } else { index };
    match (0..extent).contains(&from_start) {
        true => Ok(from_start),
        false => err(format!("index {index} is outside the extent {extent}")),
    }
}

pub(crate) fn require_indices(indices: &TensorType) -> Result<(), OpError> {
    require(
        matches!(indices.element, ElementType::I64 | ElementType::I32),
        || format!("indices {indices} are not i64 or i32"),
    )
}

/// The nest that reads operand 0 at every point of the last iterator, and keeps the one where that
/// iterator is the index read from operand 1.
pub(crate) fn select_by_index(
    iters: Vec<Iter>,
    operands: &[TensorType],
    axis: usize,
    data: Vec<Affine>,
    indices: Vec<Affine>,
) -> Nest {
    let element = operands[0].element;
    let along = iters.len() - 1;
    let mut body = Code::new(&[element, operands[1].element]);
    let index = body.cast(ElementType::I64, 1);
    let zero = body.constant(ElementType::I64, 0.0);
    let negative = body.compare(CompareFn::Lt, index, zero);
    let from_end = body.with(BinaryFn::Add, index, operands[0].shape[axis] as f64);
    let index = body.select(negative, from_end, index);
    let position = body.index(along);
    let asked = body.compare(CompareFn::Eq, position, index);
    let nothing = body.constant(element, 0.0);
    let value = body.select(asked, 0, nothing);
    let function = if element == ElementType::Bool {
        CombineFn::Max
    } else {
        CombineFn::Add
    };
    Point::over(iters)
        .read(0, data)
        .read(1, indices)
        .body(body.returning(&[value]))
        .combine(combine(function, element))
        .pass(element)
        .write(2, identity(along))
        .done()
}

impl Operator for Gather {
    named!();
    fn traits(&self) -> Traits {
        Traits::default()
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 2..=2)?;
        let (data, indices) = (&operands[0], &operands[1]);
        let axis = axis_index(self.axis, data.rank())?;
        require_indices(indices)?;
        let mut shape = data.shape.clone();
        shape.splice(axis..=axis, indices.shape.iter().copied());
        Ok(vec![TensorType::new(data.element, shape)])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let (data, axis) = (operands[0].ty(), self.axis as usize);
        let chosen: Vec<i64> = ints(&operands[1])
            .into_iter()
            .map(|i| checked_index(i, data.shape[axis]))
            .collect::<Result<_, _>>()?;
        let (strides, index_strides) = (data.strides(), operands[1].ty().strides());
        let indexed = axis..axis + index_strides.len();
        let at = |index: &[i64]| {
            let choice = chosen[place(&index_strides, index[indexed.clone()].iter().copied())];
            let before = index[..axis].iter().copied();
            let after = index[indexed.end..].iter().copied();
            Some(place(&strides, before.chain([choice]).chain(after)))
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
        let indexed = operands[1].rank();
        let mut data: Vec<Affine> = (0..axis).map(iter).collect();
        data.push(iter(along));
        data.extend((axis + indexed..along).map(iter));
        let indices = (axis..axis + indexed).map(iter).collect();
        Ok(Loops::one(select_by_index(
            iters, operands, axis, data, indices,
        )))
    }
    fn flops(&self, _: &[TensorType]) -> u64 {
        0
    }
}
