//! Index of an extreme element.

use sinter_loops::affine::Affine;
use sinter_loops::nest::CombineFn;
use sinter_loops::scalar::CompareFn;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::attr::{named, operator_attributes, string_enum};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Code, Data, Point, Reduced, axis_index, broadcast_offsets, combine, count, require,
    require_arity, types_of,
};

string_enum! {
    /// Which extreme.
    ArgReduceKind {
        /// Largest.
        Max = "max",
        /// Smallest.
        Min = "min",
    }
}

/// Index of the largest or smallest element along an axis, as `i64` (ONNX `ArgMax`, `ArgMin`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArgReduce {
    /// Which extreme.
    pub kind: ArgReduceKind,
    /// Axis, not negative.
    pub axis: i64,
    /// Whether the axis stays with extent 1.
    pub keep_dims: bool,
    /// Which of equal elements: the last instead of the first.
    pub select_last: bool,
}

operator_attributes!(ArgReduce, "arg_reduce", kind, axis, keep_dims, select_last);

impl ArgReduce {
    fn kept_shape(&self, x: &TensorType) -> Vec<i64> {
        let mut shape = x.shape.clone();
        shape[self.axis as usize] = 1;
        shape
    }

    /// The position of the extreme among values given in order.
    fn position<V: PartialOrd + Copy>(&self, values: impl Iterator<Item = V>) -> i64 {
        let mut best: Option<(i64, V)> = None;
        for (i, value) in values.enumerate() {
            let better = best.is_none_or(|(_, b)| match self.kind {
                ArgReduceKind::Max => value > b || (self.select_last && value == b),
                ArgReduceKind::Min => value < b || (self.select_last && value == b),
            });
            if better {
                best = Some((i as i64, value));
            }
        }
        best.map_or(0, |(i, _)| i)
    }
}

impl Operator for ArgReduce {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            reduction: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 1..=1)?;
        let x = &operands[0];
        require(x.element != ElementType::Bool, || {
            format!("needs an operand of numbers, not {x}")
        })?;
        let axis = axis_index(self.axis, x.rank())?;
        require(x.shape[axis] > 0, || {
            format!("axis {axis} of {x} has no elements")
        })?;
        let mut shape = self.kept_shape(x);
        if !self.keep_dims {
            shape.remove(axis);
        }
        Ok(vec![TensorType::new(ElementType::I64, shape)])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let x = operands[0].ty();
        let kept = self.kept_shape(x);
        let mut rows = vec![Vec::new(); count(&kept)];
        for (place, row) in broadcast_offsets(&kept, &x.shape).into_iter().enumerate() {
            rows[row].push(place);
        }
        let data = Data::of(&operands[0]);
        let positions: Vec<i64> = rows
            .iter()
            .map(|row| match &data {
                Data::Float(v) => self.position(row.iter().map(|&p| v[p])),
                Data::Int(v) => self.position(row.iter().map(|&p| v[p])),
            })
            .collect();
        Ok(vec![Tensor::from_i64s(ty, &positions)])
    }
    /// Two stages: the extreme, then the first (or last) index that has it.
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        self.infer(operands)?;
        let x = &operands[0];
        let axis = self.axis as usize;
        let domain = Reduced::new(&x.shape, |d| d == axis);
        let along = domain.result.len();
        let row: Vec<i64> = domain.iters[..along].iter().map(|i| i.extent).collect();
        let function = match self.kind {
            ArgReduceKind::Max => CombineFn::Max,
            ArgReduceKind::Min => CombineFn::Min,
        };
        let extreme = Point::over(domain.iters.clone())
            .read(0, domain.operand.clone())
            .body(Code::pass(&[x.element]))
            .combine(combine(function, x.element))
            .pass(x.element)
            .write(1, domain.result.clone());

        let mut body = Code::new(&[x.element, x.element]);
        let equal = body.compare(CompareFn::Eq, 0, 1);
        let position = body.index(along);
        let (nowhere, choose) = match self.select_last {
            true => (-1.0, CombineFn::Max),
            false => (x.shape[axis] as f64, CombineFn::Min),
        };
        let nowhere = body.constant(ElementType::I64, nowhere);
        let candidate = body.select(equal, position, nowhere);
        let mut to = domain.result.clone();
        if self.keep_dims {
            to.insert(axis, Affine::Const(0));
        }
        let index = Point::over(domain.iters)
            .read(0, domain.operand)
            .read(1, domain.result)
            .body(body.returning(&[candidate]))
            .combine(combine(choose, ElementType::I64))
            .pass(ElementType::I64)
            .write(2, to);
        Ok(Loops {
            temporaries: vec![TensorType::new(x.element, row)],
            stages: vec![extreme.done(), index.done()],
        })
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        operands.first().map_or(0, |t| t.elements() as u64)
    }
}
