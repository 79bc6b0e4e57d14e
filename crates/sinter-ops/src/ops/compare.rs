//! Elementwise comparison.

use sinter_loops::scalar::CompareFn;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Code, Data, broadcast, broadcast_offsets, err, one_dtype, pointwise, require, require_arity,
    types_of,
};

/// Compares two operands elementwise, with numpy broadcasting.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Compare {
    /// Relation.
    pub kind: CompareFn,
}

operator_attributes!(Compare, "compare", kind);

impl Compare {
    fn holds<T: PartialOrd>(&self, a: T, b: T) -> bool {
        match self.kind {
            CompareFn::Eq => a == b,
            CompareFn::Ne => a != b,
            CompareFn::Lt => a < b,
            CompareFn::Le => a <= b,
            CompareFn::Gt => a > b,
            CompareFn::Ge => a >= b,
        }
    }
}

impl Operator for Compare {
    named!();
    fn traits(&self) -> Traits {
        let commutative = matches!(self.kind, CompareFn::Eq | CompareFn::Ne);
        Traits {
            elementwise: true,
            commutative,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 2..=2)?;
        let element = one_dtype(&[&operands[0], &operands[1]])?;
        let ordered = !matches!(self.kind, CompareFn::Eq | CompareFn::Ne);
        require(!ordered || element != ElementType::Bool, || {
            "does not order i1 values".into()
        })?;
        let shape = broadcast(&[&operands[0].shape, &operands[1].shape])?;
        Ok(vec![TensorType::new(ElementType::Bool, shape)])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let left = broadcast_offsets(&operands[0].ty().shape, &ty.shape);
        let right = broadcast_offsets(&operands[1].ty().shape, &ty.shape);
        let places = left.into_iter().zip(right);
        let values: Vec<i64> = match (Data::of(&operands[0]), Data::of(&operands[1])) {
            (Data::Float(a), Data::Float(b)) => places
                .map(|(i, j)| i64::from(self.holds(a[i], b[j])))
                .collect(),
            (Data::Int(a), Data::Int(b)) => places
                .map(|(i, j)| i64::from(self.holds(a[i], b[j])))
                .collect(),
            _ => return err("operands mix floats and integers"),
        };
        Ok(vec![Tensor::from_i64s(ty, &values)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let element = operands[0].element;
        let mut code = Code::new(&[element, element]);
        let result = code.compare(self.kind, 0, 1);
        let shapes: [&[i64]; 2] = [&operands[0].shape, &operands[1].shape];
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
