//! Limits to a range.

use sinter_loops::scalar::{BinaryFn, FloatBits};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::attr::{named, operator_attributes};
use crate::operator::{Fold, Loops, OpError, Operator, Traits};
use crate::support::{Code, Data, maximum, minimum, pointwise, require, require_arity, types_of};

/// `min(max(x, min), max)` elementwise (ONNX `Clip` with constant limits).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clamp {
    /// Lower limit.
    pub min: Option<FloatBits>,
    /// Upper limit.
    pub max: Option<FloatBits>,
}

operator_attributes!(Clamp, "clamp", min, max);

impl Operator for Clamp {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            elementwise: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 1..=1)?;
        let x = &operands[0];
        require(x.element != ElementType::Bool, || {
            format!("needs an operand of numbers, not {x}")
        })?;
        Ok(operands.to_vec())
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let (min, max) = (self.min.map(FloatBits::get), self.max.map(FloatBits::get));
        let data = match Data::of(&operands[0]) {
            Data::Float(v) => {
                let (min, max) = (
                    min.unwrap_or(f64::NEG_INFINITY),
                    max.unwrap_or(f64::INFINITY),
                );
                Data::Float(
                    v.into_iter()
                        .map(|x| minimum(maximum(x, min), max))
                        .collect(),
                )
            }
            Data::Int(v) => {
                let min = min.map_or(i64::MIN, |m| m as i64);
                let max = max.map_or(i64::MAX, |m| m as i64);
                Data::Int(v.into_iter().map(|x| x.max(min).min(max)).collect())
            }
        };
        Ok(vec![data.tensor(ty)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let mut code = Code::new(&[ty.element]);
        let mut x = 0;
        if let Some(min) = self.min {
            x = code.with(BinaryFn::Max, x, min.get());
        }
        if let Some(max) = self.max {
            x = code.with(BinaryFn::Min, x, max.get());
        }
        let body = code.returning(&[x]);
        Ok(Loops::one(pointwise(
            &[&ty.shape],
            &ty.shape,
            body,
            ty.element,
        )))
    }
    fn fold(&self, _: &[TensorType]) -> Option<Fold> {
        (self.min.is_none() && self.max.is_none()).then_some(Fold::Operand(0))
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        self.infer(operands).map_or(0, |t| t[0].elements() as u64)
    }
}
