//! Running reductions.

use sinter_loops::nest::{CombineFn, Iter, Nest};
use sinter_loops::scalar::CompareFn;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::attr::{named, operator_attributes, string_enum};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Code, Data, Point, affine, axis_index, combine, identity, iter, require, require_arity,
    types_of, wide,
};

string_enum! {
    /// What is accumulated.
    ScanKind {
        /// Running sum.
        Sum = "sum",
        /// Running product.
        Prod = "prod",
    }
}

/// Running reduction along an axis (ONNX `CumSum`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scan {
    /// What is accumulated.
    pub kind: ScanKind,
    /// Axis, not negative.
    pub axis: i64,
    /// Leave the element itself out.
    pub exclusive: bool,
    /// From the end of the axis.
    pub reverse: bool,
}

operator_attributes!(Scan, "scan", kind, axis, exclusive, reverse);

impl Scan {
    /// Runs along every line of the axis of row-major values.
    fn run<V: Copy>(&self, values: &mut [V], shape: &[i64], start: V, combine: impl Fn(V, V) -> V) {
        let axis = self.axis as usize;
        let extent = shape[axis] as usize;
        let inner = shape[axis + 1..].iter().product::<i64>() as usize;
        let outer = shape[..axis].iter().product::<i64>() as usize;
        for first in (0..outer).flat_map(|o| (0..inner).map(move |i| o * extent * inner + i)) {
            let mut total = start;
            for step in 0..extent {
                let k = if self.reverse {
                    extent - 1 - step
                } else {
                    step
                };
                let value = &mut values[first + k * inner];
                let next = combine(total, *value);
                *value = if self.exclusive { total } else { next };
                total = next;
            }
        }
    }
}

/// Most bytes of the lines whose sums on the way are kept: tiles of a scratchpad hold a few times so much.
const MOST_BYTES: i64 = 32768;
/// Lines that lie beside each other in a tile, where the axis is not the last.
const BESIDE: i64 = 8;
/// Windows that one stage adds up, and the most that a last one does.
const RADIX: i64 = 8;
const LAST_RADIX: i64 = 16;

impl Scan {
    fn combiner(&self) -> (CombineFn, f64) {
        match self.kind {
            ScanKind::Sum => (CombineFn::Add, 0.0),
            ScanKind::Prod => (CombineFn::Mul, 1.0),
        }
    }

    /// A stage for every size of window: each adds up `windows` of them, that lie `step` elements apart.
    fn windows(&self, ty: &TensorType) -> Loops {
        let (element, acc) = (ty.element, wide(ty.element));
        let (axis, rank) = (self.axis as usize, ty.rank());
        let (function, neutral) = self.combiner();
        let back = if self.reverse { 1 } else { -1 };
        let mut stages = Vec::new();
        let (mut step, mut left) = (1, ty.shape[axis].max(1));
        loop {
            let windows = if left <= LAST_RADIX { left } else { RADIX };
            let (first, last) = (step == 1, windows == left);
            let mut iters: Vec<_> = ty.shape.iter().map(|&e| Iter::parallel(e)).collect();
            iters.push(Iter::reduction(windows));
            let shift = if first && self.exclusive { back } else { 0 };
            let mut from = identity(rank);
            from[axis] = affine(&[(axis, 1), (rank, back * step)], shift, &iters);
            let mut body = Code::new(&[if first { element } else { acc }]);
            let value = body.widen(0);
            let mut finish = Code::new(&[acc]);
            let result = if last { finish.cast(element, 0) } else { 0 };
            let operand = stages.len();
            let nest = Point::over(iters)
                .read_padded(operand, from, Some(neutral))
                .body(body.returning(&[value]))
                .combine(combine(function, acc))
                .finish(finish.returning(&[result]))
                .write(operand + 1, identity(rank));
            stages.push(nest.done());
            if last {
                break;
            }
            step *= windows;
            left = (left + windows - 1) / windows;
        }
        let partial = TensorType::new(acc, ty.shape.clone());
        Loops {
            temporaries: vec![partial; stages.len() - 1],
            stages,
        }
    }

    /// Quadratic in the extent of the axis, but independent for every element.
    fn masked(&self, ty: &TensorType) -> Nest {
        let (element, acc) = (ty.element, wide(ty.element));
        let (axis, rank) = (self.axis as usize, ty.rank());
        let mut iters: Vec<_> = ty.shape.iter().map(|&e| Iter::parallel(e)).collect();
        iters.push(Iter::reduction(ty.shape[axis]));
        let mut from = identity(rank);
        from[axis] = iter(rank);
        let (function, neutral) = self.combiner();
        let relation = match (self.exclusive, self.reverse) {
            (false, false) => CompareFn::Le,
            (true, false) => CompareFn::Lt,
            (false, true) => CompareFn::Ge,
            (true, true) => CompareFn::Gt,
        };
        let mut body = Code::new(&[element]);
        let value = body.widen(0);
        let (source, target) = (body.index(rank), body.index(axis));
        let counts = body.compare(relation, source, target);
        let neutral = body.like(value, neutral);
        let value = body.select(counts, value, neutral);
        let mut finish = Code::new(&[acc]);
        let result = finish.cast(element, 0);
        Point::over(iters)
            .read(0, from)
            .body(body.returning(&[value]))
            .combine(combine(function, acc))
            .finish(finish.returning(&[result]))
            .write(1, identity(rank))
            .done()
    }
}

impl Operator for Scan {
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
        axis_index(self.axis, x.rank())?;
        Ok(operands.to_vec())
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let mut data = Data::of(&operands[0]);
        match (&mut data, self.kind) {
            (Data::Float(v), ScanKind::Sum) => self.run(v, &ty.shape, 0.0, |a, b| a + b),
            (Data::Float(v), ScanKind::Prod) => self.run(v, &ty.shape, 1.0, |a, b| a * b),
            (Data::Int(v), ScanKind::Sum) => self.run(v, &ty.shape, 0, i64::wrapping_add),
            (Data::Int(v), ScanKind::Prod) => self.run(v, &ty.shape, 1, i64::wrapping_mul),
        }
        Ok(vec![data.tensor(ty)])
    }
    /// Sums of windows that grow: of the elements up to eight before, then of eight such sums, and so on. Where lines are
    /// longer than 32 KiB the axis is reduced whole for every element, without what comes later.
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let axis = self.axis as usize;
        let beside = ty.shape[axis + 1..].iter().product::<i64>().min(BESIDE);
        let bytes = ty.shape[axis] * beside * wide(ty.element).bytes() as i64;
        match bytes <= MOST_BYTES {
            true => Ok(self.windows(&ty)),
            false => Ok(Loops::one(self.masked(&ty))),
        }
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        operands.first().map_or(0, |t| t.elements() as u64)
    }
}
