//! Elementwise choice.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Code, Data, broadcast, broadcast_offsets, err, ints, one_dtype, pointwise, require,
    require_arity, types_of,
};

/// `condition ? a : b`, elementwise, with numpy broadcasting (ONNX `Where`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Select {}

operator_attributes!(Select, "select");

impl Operator for Select {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            elementwise: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 3..=3)?;
        require(operands[0].element == ElementType::Bool, || {
            format!("condition {} is not of i1", operands[0])
        })?;
        let element = one_dtype(&[&operands[1], &operands[2]])?;
        let shapes: Vec<&[i64]> = operands.iter().map(|t| t.shape.as_slice()).collect();
        Ok(vec![TensorType::new(element, broadcast(&shapes)?)])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let condition = ints(&operands[0]);
        let places: Vec<_> = operands
            .iter()
            .map(|t| broadcast_offsets(&t.ty().shape, &ty.shape))
            .collect();
        let holds = |i: usize| condition[places[0][i]] != 0;
        let all = 0..places[0].len();
        let data = match (Data::of(&operands[1]), Data::of(&operands[2])) {
            (Data::Float(a), Data::Float(b)) => Data::Float(
                all.map(|i| {
                    if holds(i) {
                        a[places[1][i]]
                    } else {
                        b[places[2][i]]
                    }
                })
                .collect(),
            ),
            (Data::Int(a), Data::Int(b)) => Data::Int(
                all.map(|i| {
                    if holds(i) {
                        a[places[1][i]]
                    } else {
                        b[places[2][i]]
                    }
                })
                .collect(),
            ),
            _ => return err("operands mix floats and integers"),
        };
        Ok(vec![data.tensor(ty)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let mut code = Code::new(&[ElementType::Bool, ty.element, ty.element]);
        let result = code.select(0, 1, 2);
        let shapes: Vec<&[i64]> = operands.iter().map(|t| t.shape.as_slice()).collect();
        Ok(Loops::one(pointwise(
            &shapes,
            &ty.shape,
            code.returning(&[result]),
            ty.element,
        )))
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        self.infer(operands).map_or(0, |t| t[0].elements() as u64)
    }
}
