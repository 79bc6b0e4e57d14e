//! `dsp.squareplus`: a smooth rectifier.

use sinter_loops::scalar::{BinaryFn, Body, FloatBits, UnaryFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::operator::Fold;
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::support::{
    Code, floats, from_floats, pointwise, require, require_arity, require_float, types_of,
};
use sinter_ops::{Loops, OpError, Operator, Traits};

/// `(x + sqrt(x * x + roundness)) / 2` (Barron, "Squareplus: A Softplus-Like Algebraic Rectifier", 2021).
#[derive(Clone, Debug)]
pub struct Squareplus {
    /// How far the knee is rounded; with 0 it is a ReLU.
    pub roundness: FloatBits,
}

sinter_ops::custom_operator!(Squareplus, "dsp.squareplus", roundness);

impl Operator for Squareplus {
    sinter_ops::named!();

    fn traits(&self) -> Traits {
        Traits {
            elementwise: true,
            ..Traits::default()
        }
    }

    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 1..=1)?;
        require_float(&operands[0])?;
        let roundness = self.roundness.get();
        require(roundness >= 0.0, || {
            format!("needs a roundness of at least 0, not {roundness}")
        })?;
        Ok(operands.to_vec())
    }

    fn fold(&self, _: &[TensorType]) -> Option<Fold> {
        let relu = Unary {
            kind: UnaryKind::Relu,
        };
        (self.roundness.get() == 0.0).then(|| Fold::Op(Box::new(relu.into()), vec![0]))
    }

    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let smooth = |x: f64| (x + (x * x + self.roundness.get()).sqrt()) / 2.0;
        let values: Vec<f64> = floats(&operands[0]).into_iter().map(smooth).collect();
        Ok(vec![from_floats(ty, &values)])
    }

    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let body = self.body(ty.element);
        Ok(Loops::one(pointwise(
            &[&ty.shape],
            &ty.shape,
            body,
            ty.element,
        )))
    }

    fn flops(&self, operands: &[TensorType]) -> u64 {
        operands.first().map_or(0, |t| 5 * t.elements() as u64)
    }
}

impl Squareplus {
    /// The scalar function on one element, which is register 0.
    fn body(&self, element: ElementType) -> Body {
        let mut code = Code::new(&[element]);
        let x = code.widen(0);
        let square = code.binary(BinaryFn::Mul, x, x);
        let inside = code.with(BinaryFn::Add, square, self.roundness.get());
        let root = code.unary(UnaryFn::Sqrt, inside);
        let sum = code.binary(BinaryFn::Add, x, root);
        let half = code.with(BinaryFn::Mul, sum, 0.5);
        let y = code.cast(element, half);
        code.returning(&[y])
    }
}
