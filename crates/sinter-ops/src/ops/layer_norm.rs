//! Layer normalisation.

use sinter_loops::nest::CombineFn;
use sinter_loops::scalar::{BinaryFn, FloatBits, UnaryFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Code, Point, Reduced, axis_index, broadcast, broadcast_index, broadcast_offsets, combine,
    floats, from_floats, identity, one_dtype, require, require_arity, require_float, types_of,
    wide,
};

/// Normalises over `axis` and the dimensions after it, then scales and shifts: operands `x, scale`
/// and an optional `bias` (ONNX `LayerNormalization`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LayerNorm {
    /// First normalised dimension, not negative.
    pub axis: i64,
    /// Added to the variance.
    pub epsilon: FloatBits,
}

operator_attributes!(LayerNorm, "layer_norm", axis, epsilon);

impl Operator for LayerNorm {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            reduction: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 2..=3)?;
        one_dtype(&operands.iter().collect::<Vec<_>>())?;
        let x = &operands[0];
        require_float(x)?;
        axis_index(self.axis, x.rank())?;
        for (name, operand) in ["scale", "bias"].iter().zip(&operands[1..]) {
            let fits = broadcast(&[&x.shape, &operand.shape])? == x.shape;
            require(fits, || {
                format!("{name} {operand} does not broadcast to {x}")
            })?;
        }
        Ok(vec![x.clone()])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let row = ty.shape[self.axis as usize..]
            .iter()
            .product::<i64>()
            .max(1) as usize;
        let mut values = floats(&operands[0]);
        for values in values.chunks_exact_mut(row) {
            let mean = values.iter().sum::<f64>() / row as f64;
            let squares = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
            let deviation = (squares / row as f64 + self.epsilon.get()).sqrt();
            values.iter_mut().for_each(|x| *x = (*x - mean) / deviation);
        }
        let places = |i: usize| broadcast_offsets(&operands[i].ty().shape, &ty.shape);
        let scale = floats(&operands[1]);
        values
            .iter_mut()
            .zip(places(1))
            .for_each(|(x, p)| *x *= scale[p]);
        if let Some(bias) = operands.get(2).map(floats) {
            values
                .iter_mut()
                .zip(places(2))
                .for_each(|(x, p)| *x += bias[p]);
        }
        Ok(vec![from_floats(ty, &values)])
    }
    /// Three stages: mean, reciprocal of the deviation, result.
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let (element, acc) = (ty.element, wide(ty.element));
        let axis = self.axis as usize;
        let points = ty.shape[axis..].iter().product::<i64>() as f64;
        let domain = Reduced::new(&ty.shape, |d| d >= axis);
        let (mean_slot, factor_slot) = (operands.len(), operands.len() + 1);

        let mut body = Code::new(&[element]);
        let value = body.widen(0);
        let mut finish = Code::new(&[acc]);
        let average = finish.with(BinaryFn::Div, 0, points);
        let mean = Point::over(domain.iters.clone())
            .read(0, domain.operand.clone())
            .body(body.returning(&[value]))
            .combine(combine(CombineFn::Add, acc))
            .finish(finish.returning(&[average]))
            .write(mean_slot, domain.result.clone());

        let mut body = Code::new(&[element, acc]);
        let value = body.widen(0);
        let centred = body.binary(BinaryFn::Sub, value, 1);
        let square = body.binary(BinaryFn::Mul, centred, centred);
        let mut finish = Code::new(&[acc]);
        let variance = finish.with(BinaryFn::Div, 0, points);
        let variance = finish.with(BinaryFn::Add, variance, self.epsilon.get());
        let deviation = finish.unary(UnaryFn::Sqrt, variance);
        let one = finish.like(deviation, 1.0);
        let factor = finish.binary(BinaryFn::Div, one, deviation);
        let factor = Point::over(domain.iters)
            .read(0, domain.operand)
            .read(mean_slot, domain.result.clone())
            .body(body.returning(&[square]))
            .combine(combine(CombineFn::Add, acc))
            .finish(finish.returning(&[factor]))
            .write(factor_slot, domain.result);

        let mut arguments = vec![element, acc, acc];
        arguments.extend(operands[1..].iter().map(|t| t.element));
        let mut body = Code::new(&arguments);
        let value = body.widen(0);
        let centred = body.binary(BinaryFn::Sub, value, 1);
        let mut value = body.binary(BinaryFn::Mul, centred, 2);
        let mut normalised = Point::parallel(&ty.shape)
            .read(0, identity(ty.rank()))
            .read(mean_slot, identity(axis))
            .read(factor_slot, identity(axis));
        for (i, function) in [(1, BinaryFn::Mul), (2, BinaryFn::Add)] {
            if let Some(operand) = operands.get(i) {
                normalised = normalised.read(i, broadcast_index(&operand.shape, &ty.shape));
                let operand = body.widen(2 + i);
                value = body.binary(function, value, operand);
            }
        }
        let value = body.cast(element, value);
        let normalised = normalised
            .body(body.returning(&[value]))
            .pass(element)
            .write(operands.len() + 2, identity(ty.rank()));

        let row = TensorType::new(acc, &ty.shape[..axis]);
        Ok(Loops {
            temporaries: vec![row.clone(), row],
            stages: vec![mean.done(), factor.done(), normalised.done()],
        })
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        operands.first().map_or(0, |t| 7 * t.elements() as u64)
    }
}
