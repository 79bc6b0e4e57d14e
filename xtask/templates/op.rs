//! @words@: write what it computes, and where that is specified.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Code, floats, from_floats, pointwise, require_arity, require_float, types_of,
};

/// `y = x`, elementwise: write the formula.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct @camel@ {}

operator_attributes!(@camel@, "@snake@");

impl Operator for @camel@ {
    named!();

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::agreement;

    fn x() -> Tensor {
        Tensor::from_f32([4], &[-1.0, 0.0, 0.5, 2.0])
    }

    #[test]
    fn @snake@_evaluates_as_specified() {
        let y = @camel@ {}.eval(&[x()]).expect("fits");
        let specified: Vec<f32> = vec![];
        assert_eq!(
            y[0].to_f32s(),
            specified,
            "write what the specification gives for {:?}",
            x().to_f32s()
        );
    }

    #[test]
    fn @snake@_evaluation_agrees_with_loops() {
        agreement(@camel@ {}, &[x()], 1e-6).expect("agrees");
    }
}
