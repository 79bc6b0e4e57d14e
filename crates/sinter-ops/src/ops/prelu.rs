//! Leaky ReLU with a slope operand.

use sinter_loops::scalar::{BinaryFn, CompareFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Code, broadcast, broadcast_offsets, floats, from_floats, one_dtype, pointwise, require,
    require_arity, require_float, types_of,
};

/// `x < 0 ? slope * x : x`; the slope is broadcast to `x` (ONNX `PRelu`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prelu {}

operator_attributes!(Prelu, "prelu");

impl Operator for Prelu {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            elementwise: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 2..=2)?;
        let (x, slope) = (&operands[0], &operands[1]);
        one_dtype(&[x, slope])?;
        require_float(x)?;
        let shape = broadcast(&[&x.shape, &slope.shape])?;
        require(shape == x.shape, || {
            format!("slope {slope} does not broadcast to {x}")
        })?;
        Ok(vec![x.clone()])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let slopes = floats(&operands[1]);
        let places = broadcast_offsets(&operands[1].ty().shape, &ty.shape);
        let mut values = floats(&operands[0]);
        for (x, place) in values.iter_mut().zip(places) {
            if *x < 0.0 {
                *x *= slopes[place];
            }
        }
        Ok(vec![from_floats(ty, &values)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let mut code = Code::new(&[ty.element, ty.element]);
        let zero = code.like(0, 0.0);
        let negative = code.compare(CompareFn::Lt, 0, zero);
        let scaled = code.binary(BinaryFn::Mul, 0, 1);
        let result = code.select(negative, scaled, 0);
        let body = code.returning(&[result]);
        let shapes: [&[i64]; 2] = [&operands[0].shape, &operands[1].shape];
        Ok(Loops::one(pointwise(&shapes, &ty.shape, body, ty.element)))
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        self.infer(operands).map_or(0, |t| t[0].elements() as u64)
    }
}
