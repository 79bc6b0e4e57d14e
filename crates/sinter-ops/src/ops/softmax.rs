//! Softmax and its logarithm.

use sinter_loops::nest::CombineFn;
use sinter_loops::scalar::{BinaryFn, UnaryFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Code, Point, Reduced, axis_index, combine, floats, from_floats, identity, require_arity,
    require_float, types_of, wide,
};

/// `exp(x - max) / sum(exp(x - max))` along an axis (ONNX `Softmax`, version 13).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Softmax {
    /// Axis, not negative.
    pub axis: i64,
}

operator_attributes!(Softmax, "softmax", axis);

/// `x - max - log(sum(exp(x - max)))` along an axis (ONNX `LogSoftmax`, version 13).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogSoftmax {
    /// Axis, not negative.
    pub axis: i64,
}

operator_attributes!(LogSoftmax, "log_softmax", axis);

impl Operator for Softmax {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            reduction: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        infer(self.axis, operands)
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        eval(self.axis, operands, false)
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        loops(self.axis, operands, false)
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        operands.first().map_or(0, |t| 5 * t.elements() as u64)
    }
}

impl Operator for LogSoftmax {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            reduction: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        infer(self.axis, operands)
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        eval(self.axis, operands, true)
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        loops(self.axis, operands, true)
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        operands.first().map_or(0, |t| 5 * t.elements() as u64)
    }
}

fn infer(axis: i64, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
    require_arity(operands.len(), 1..=1)?;
    require_float(&operands[0])?;
    axis_index(axis, operands[0].rank())?;
    Ok(operands.to_vec())
}

fn eval(axis: i64, operands: &[Tensor], log: bool) -> Result<Vec<Tensor>, OpError> {
    let ty = infer(axis, &types_of(operands))?.remove(0);
    let mut values = floats(&operands[0]);
    let axis = axis as usize;
    let extent = ty.shape[axis] as usize;
    let inner = ty.shape[axis + 1..].iter().product::<i64>() as usize;
    let outer = ty.shape[..axis].iter().product::<i64>() as usize;
    for start in (0..outer).flat_map(|o| (0..inner).map(move |i| o * extent * inner + i)) {
        let places = (0..extent).map(|k| start + k * inner);
        let largest = places
            .clone()
            .map(|p| values[p])
            .fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = places.clone().map(|p| (values[p] - largest).exp()).sum();
        for p in places {
            let shifted = values[p] - largest;
            values[p] = if log {
                shifted - total.ln()
            } else {
                shifted.exp() / total
            };
        }
    }
    Ok(vec![from_floats(ty, &values)])
}

/// Three stages: the maximum, the sum of exponentials (or its logarithm), the result.
fn loops(axis: i64, operands: &[TensorType], log: bool) -> Result<Loops, OpError> {
    let ty = infer(axis, operands)?.remove(0);
    let (element, acc) = (ty.element, wide(ty.element));
    let axis = axis as usize;
    let domain = Reduced::new(&ty.shape, |d| d == axis);
    let row: Vec<i64> = domain.iters[..domain.result.len()]
        .iter()
        .map(|i| i.extent)
        .collect();

    let mut body = Code::new(&[element]);
    let value = body.widen(0);
    let largest = Point::over(domain.iters.clone())
        .read(0, domain.operand.clone())
        .body(body.returning(&[value]))
        .combine(combine(CombineFn::Max, acc))
        .pass(acc)
        .write(1, domain.result.clone());

    let mut body = Code::new(&[element, acc]);
    let value = body.widen(0);
    let shifted = body.binary(BinaryFn::Sub, value, 1);
    let exp = body.unary(UnaryFn::Exp, shifted);
    let mut finish = Code::new(&[acc]);
    let total = if log {
        finish.unary(UnaryFn::Log, 0)
    } else {
        0
    };
    let total = Point::over(domain.iters)
        .read(0, domain.operand)
        .read(1, domain.result.clone())
        .body(body.returning(&[exp]))
        .combine(combine(CombineFn::Add, acc))
        .finish(finish.returning(&[total]))
        .write(2, domain.result);

    let mut along_row = identity(ty.rank());
    along_row.remove(axis);
    let mut body = Code::new(&[element, acc, acc]);
    let value = body.widen(0);
    let shifted = body.binary(BinaryFn::Sub, value, 1);
    let result = if log {
        body.binary(BinaryFn::Sub, shifted, 2)
    } else {
        let exp = body.unary(UnaryFn::Exp, shifted);
        body.binary(BinaryFn::Div, exp, 2)
    };
    let result = body.cast(element, result);
    let normalised = Point::parallel(&ty.shape)
        .read(0, identity(ty.rank()))
        .read(1, along_row.clone())
        .read(2, along_row)
        .body(body.returning(&[result]))
        .pass(element)
        .write(3, identity(ty.rank()));

    let row = TensorType::new(acc, row);
    Ok(Loops {
        temporaries: vec![row.clone(), row],
        stages: vec![largest.done(), total.done(), normalised.done()],
    })
}
