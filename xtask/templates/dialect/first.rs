//! `@snake@.first`: write what it computes, and where that is specified.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::support::{
    Code, floats, from_floats, pointwise, require_arity, require_float, types_of,
};
use sinter_ops::{Loops, OpError, Operator, Traits};

/// `y = x`, elementwise: write the formula.
#[derive(Clone, Debug)]
pub struct First {}

sinter_ops::custom_operator!(First, "@snake@.first");

impl Operator for First {
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
        Ok(operands.to_vec())
    }

    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let values: Vec<f64> = floats(&operands[0]).into_iter().collect();
        Ok(vec![from_floats(ty, &values)])
    }

    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let mut code = Code::new(&[ty.element]);
        let x = code.widen(0);
        let y = code.cast(ty.element, x);
        let body = code.returning(&[y]);
        Ok(Loops::one(pointwise(
            &[&ty.shape],
            &ty.shape,
            body,
            ty.element,
        )))
    }

    fn flops(&self, operands: &[TensorType]) -> u64 {
        operands.first().map_or(0, |t| t.elements() as u64)
    }
}
