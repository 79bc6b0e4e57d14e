//! Batch normalisation.

use sinter_loops::scalar::{BinaryFn, FloatBits, UnaryFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Code, Point, floats, from_floats, identity, iter, one_dtype, require, require_arity,
    require_float, types_of,
};

/// `(x - mean) / sqrt(variance + epsilon) * scale + bias` per channel (dimension 1), with the operands `x, scale, bias, mean,
/// variance` (ONNX `BatchNormalization` in inference).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchNorm {
    /// Added to the variance.
    pub epsilon: FloatBits,
}

operator_attributes!(BatchNorm, "batch_norm", epsilon);

impl Operator for BatchNorm {
    named!();
    fn traits(&self) -> Traits {
        // Not elementwise: which elements share a scale depends on where the channels are.
        Traits::default()
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 5..=5)?;
        one_dtype(&operands.iter().collect::<Vec<_>>())?;
        let x = &operands[0];
        require_float(x)?;
        require(x.rank() >= 2, || {
            format!("operand {x} has no channel dimension")
        })?;
        for (name, operand) in ["scale", "bias", "mean", "variance"]
            .iter()
            .zip(&operands[1..])
        {
            require(operand.shape == [x.shape[1]], || {
                format!(
                    "{name} {operand} is not one value per channel ({})",
                    x.shape[1]
                )
            })?;
        }
        Ok(vec![x.clone()])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let [scale, bias, mean, variance] = [1, 2, 3, 4].map(|i: usize| floats(&operands[i]));
        let plane = ty.shape[2..].iter().product::<i64>().max(1) as usize;
        let mut values = floats(&operands[0]);
        for (i, values) in values.chunks_exact_mut(plane).enumerate() {
            let c = i % scale.len();
            let deviation = (variance[c] + self.epsilon.get()).sqrt();
            values
                .iter_mut()
                .for_each(|x| *x = (*x - mean[c]) / deviation * scale[c] + bias[c]);
        }
        Ok(vec![from_floats(ty, &values)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let mut nest = Point::parallel(&ty.shape).read(0, identity(ty.rank()));
        for operand in 1..5 {
            nest = nest.read(operand, vec![iter(1)]);
        }
        let mut code = Code::new(&[ty.element; 5]);
        let [x, scale, bias, mean, variance] = [0, 1, 2, 3, 4].map(|i| code.widen(i));
        let variance = code.with(BinaryFn::Add, variance, self.epsilon.get());
        let deviation = code.unary(UnaryFn::Sqrt, variance);
        let factor = code.binary(BinaryFn::Div, scale, deviation);
        let centred = code.binary(BinaryFn::Sub, x, mean);
        let product = code.binary(BinaryFn::Mul, centred, factor);
        let result = code.binary(BinaryFn::Add, product, bias);
        let result = code.cast(ty.element, result);
        let nest = nest
            .body(code.returning(&[result]))
            .pass(ty.element)
            .write(5, identity(ty.rank()));
        Ok(Loops::one(nest.done()))
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        operands.first().map_or(0, |t| 6 * t.elements() as u64)
    }
}
