//! Element type conversion.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::attr::{named, operator_attributes};
use crate::operator::{Fold, Loops, OpError, Operator, Traits};
use crate::support::{Code, Data, pointwise, require_arity, types_of};

/// Converts every element (ONNX `Cast`): float to integer truncates, anything to `i1` is `!= 0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cast {
    /// Element type of the result.
    pub to: ElementType,
}

operator_attributes!(Cast, "cast", to);

impl Operator for Cast {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            elementwise: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 1..=1)?;
        Ok(vec![TensorType::new(self.to, operands[0].shape.clone())])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let float = self.to.is_float();
        let data = match Data::of(&operands[0]) {
            Data::Int(v) if float => Data::Float(v.into_iter().map(|x| x as f64).collect()),
            Data::Float(v) if self.to == ElementType::Bool => {
                Data::Int(v.into_iter().map(|x| i64::from(x != 0.0)).collect())
            }
            Data::Float(v) if !float => Data::Int(v.into_iter().map(|x| x as i64).collect()),
            same => same,
        };
        Ok(vec![data.tensor(ty)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let mut code = Code::new(&[operands[0].element]);
        let result = code.cast(self.to, 0);
        let body = code.returning(&[result]);
        Ok(Loops::one(pointwise(
            &[&ty.shape],
            &ty.shape,
            body,
            self.to,
        )))
    }
    fn fold(&self, operands: &[TensorType]) -> Option<Fold> {
        (operands.first()?.element == self.to).then_some(Fold::Operand(0))
    }
    fn flops(&self, _: &[TensorType]) -> u64 {
        0
    }
}
