//! Pooling over windows.

use sinter_loops::nest::{CombineFn, Iter};
use sinter_loops::scalar::{BinaryFn, Reg, UnaryFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::attr::{named, operator_attributes, string_enum};
use crate::operator::{Fold, Loops, OpError, Operator, Traits};
use crate::support::{
    Code, Data, Point, Run, Window, combine, count, each_index, identity, iter, lowest, require,
    require_arity, require_float, types_of, wide,
};

string_enum! {
    /// What is computed over a window.
    PoolKind {
        /// Largest element.
        Max = "max",
        /// Arithmetic mean.
        Avg = "avg",
    }
}

/// Pooling over the spatial dimensions of `x[n, c, ..]` (ONNX `MaxPool`, `AveragePool`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pool {
    /// What is computed.
    pub kind: PoolKind,
    /// Window extents.
    pub kernel: Vec<i64>,
    /// One per spatial dimension.
    pub strides: Vec<i64>,
    /// Padding before each spatial dimension, then padding after each.
    pub pads: Vec<i64>,
    /// One per spatial dimension.
    pub dilations: Vec<i64>,
    /// Round the output extent up instead of down.
    pub ceil_mode: bool,
    /// Average: padding counts as elements of value 0.
    pub count_include_pad: bool,
}

operator_attributes!(
    Pool,
    "pool",
    kind,
    kernel,
    strides,
    pads,
    dilations,
    ceil_mode,
    count_include_pad
);

impl Pool {
    fn window(&self) -> Window<'_> {
        Window {
            kernel: &self.kernel,
            strides: &self.strides,
            pads: &self.pads,
            dilations: &self.dilations,
        }
    }

    /// What an average divides by, as far as dimension `d` goes: the elements of a window between
    /// `-low` (or 0) and the extent plus `high` (or the extent).
    fn bounds(&self, d: usize, input: i64) -> (i64, i64) {
        let window = self.window();
        if self.count_include_pad {
            (-window.low(d), input + window.high(d))
        } else {
            (0, input)
        }
    }

    /// Whether every window has all its elements within [`Pool::bounds`] of dimension `d`.
    fn is_whole(&self, d: usize, input: i64, output: i64) -> bool {
        let (window, (low, high)) = (self.window(), self.bounds(d, input));
        let last = (output - 1) * self.strides[d] - window.low(d) + window.span(d);
        -window.low(d) >= low && last <= high
    }

    /// Appends what the average at a point divides by.
    fn divisor(&self, code: &mut Code, like: Reg, o: &[usize], input: &[i64], out: &[i64]) -> Reg {
        use BinaryFn::{Add, Div, Max, Min, Mul, Sub};
        let whole: i64 = (0..o.len())
            .filter(|&d| self.is_whole(d, input[d], out[d]))
            .map(|d| self.kernel[d])
            .product();
        let mut product = code.like(like, whole as f64);
        for d in (0..o.len()).filter(|&d| !self.is_whole(d, input[d], out[d])) {
            let (low, high) = self.bounds(d, input[d]);
            let dilation = self.dilations[d] as f64;
            let position = code.index(o[d]);
            let position = code.cast(code.ty(like), position);
            let scaled = code.with(Mul, position, self.strides[d] as f64);
            let base = code.with(Sub, scaled, self.pads[d] as f64);
            // Taps `first..=last` with `low <= base + tap * dilation < high`.
            let negated = code.unary(UnaryFn::Neg, base);
            let mut first = code.with(Add, negated, low as f64);
            let mut last = code.with(Add, negated, (high - 1) as f64);
            if self.dilations[d] > 1 {
                first = code.with(Div, first, dilation);
                first = code.unary(UnaryFn::Ceil, first);
                last = code.with(Div, last, dilation);
                last = code.unary(UnaryFn::Floor, last);
            }
            first = code.with(Max, first, 0.0);
            last = code.with(Min, last, (self.kernel[d] - 1) as f64);
            let span = code.binary(Sub, last, first);
            let mut taps = code.with(Add, span, 1.0);
            if self.misses(d, input[d], out[d]) {
                taps = code.with(Max, taps, 1.0);
            }
            product = code.binary(Mul, product, taps);
        }
        product
    }

    /// The taps of a window along a dimension that count.
    fn taps(&self, d: usize, position: i64, input: i64) -> usize {
        let (low, high) = self.bounds(d, input);
        let base = position * self.strides[d] - self.pads[d];
        let tap = |t: &i64| (low..high).contains(&(base + t * self.dilations[d]));
        (0..self.kernel[d]).filter(tap).count()
    }

    /// Whether some window along a dimension has no tap that counts; its average is 0, as onnxruntime has it.
    fn misses(&self, d: usize, input: i64, output: i64) -> bool {
        (0..output).any(|position| self.taps(d, position, input) == 0)
    }

    /// What each average divides by, for every window of one plane.
    fn divisors(&self, input: &[i64], output: &[i64]) -> Vec<f64> {
        let mut divisors = Vec::with_capacity(count(output));
        each_index(output, |position| {
            let taps = (0..position.len()).map(|d| self.taps(d, position[d], input[d]));
            divisors.push(taps.product::<usize>().max(1) as f64);
        });
        divisors
    }
}

impl Operator for Pool {
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
        match self.kind {
            PoolKind::Avg => require_float(x)?,
            PoolKind::Max => require(x.element != ElementType::Bool, || {
                format!("needs an operand of numbers, not {x}")
            })?,
        }
        let window = self.window();
        window.check()?;
        require(x.rank() == window.rank() + 2, || {
            format!(
                "operand {x} does not have a batch, a channel and {} spatial dimensions",
                window.rank()
            )
        })?;
        let fits = |d| window.low(d) < window.span(d) && window.high(d) < window.span(d);
        require((0..window.rank()).all(fits), || {
            "pads must be smaller than the window".into()
        })?;
        let mut shape = x.shape[..2].to_vec();
        shape.extend(window.output(&x.shape[2..], self.ceil_mode)?);
        Ok(vec![TensorType::new(x.element, shape)])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let types = types_of(operands);
        let ty = self.infer(&types)?.remove(0);
        let (input, output) = (&types[0].shape[2..], &ty.shape[2..]);
        let runs = self.window().runs(input, output);
        let (in_plane, out_plane) = (count(input).max(1), count(output).max(1));
        let data = match Data::of(&operands[0]) {
            Data::Int(x) => {
                let mut y = vec![lowest(ty.element) as i64; count(&ty.shape)];
                for (y, x) in y.chunks_exact_mut(out_plane).zip(x.chunks_exact(in_plane)) {
                    each_pair(&runs, y, x, |y, x| *y = x.max(*y));
                }
                Data::Int(y)
            }
            Data::Float(x) if self.kind == PoolKind::Max => {
                let mut y = vec![f64::NEG_INFINITY; count(&ty.shape)];
                for (y, x) in y.chunks_exact_mut(out_plane).zip(x.chunks_exact(in_plane)) {
                    each_pair(&runs, y, x, |y, x| *y = x.max(*y));
                }
                Data::Float(y)
            }
            Data::Float(x) => {
                let divisors = self.divisors(input, output);
                let mut y = vec![0.0; count(&ty.shape)];
                for (y, x) in y.chunks_exact_mut(out_plane).zip(x.chunks_exact(in_plane)) {
                    each_pair(&runs, y, x, |y, x| *y += x);
                    y.iter_mut().zip(&divisors).for_each(|(y, d)| *y /= d);
                }
                Data::Float(y)
            }
        };
        Ok(vec![data.tensor(ty)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let (element, acc) = (ty.element, wide(ty.element));
        let (input, output) = (&operands[0].shape[2..], &ty.shape[2..]);
        let window = self.window();
        let mut iters: Vec<_> = ty.shape.iter().map(|&e| Iter::parallel(e)).collect();
        iters.extend(self.kernel.iter().map(|&e| Iter::reduction(e)));
        let rank = window.rank();
        let o: Vec<_> = (2..2 + rank).collect();
        let mut x = vec![iter(0), iter(1)];
        x.extend((0..rank).map(|d| window.index(d, o[d], 2 + rank + d, &iters)));
        let (function, pad) = match self.kind {
            PoolKind::Max => (CombineFn::Max, lowest(element)),
            PoolKind::Avg => (CombineFn::Add, 0.0),
        };
        let pad = window.is_padded(input, output).then_some(pad);
        let mut body = Code::new(&[element]);
        let value = body.widen(0);
        let mut finish = Code::new(&[acc]);
        let mut result = 0;
        if self.kind == PoolKind::Avg {
            let divisor = self.divisor(&mut finish, 0, &o, input, output);
            result = finish.binary(BinaryFn::Div, 0, divisor);
        }
        let result = finish.cast(element, result);
        let nest = Point::over(iters)
            .read_padded(0, x, pad)
            .body(body.returning(&[value]))
            .combine(combine(function, acc))
            .finish(finish.returning(&[result]))
            .write(1, identity(2 + rank));
        Ok(Loops::one(nest.done()))
    }
    fn fold(&self, _: &[TensorType]) -> Option<Fold> {
        let ones = |list: &[i64]| list.iter().all(|&e| e == 1);
        let trivial =
            ones(&self.kernel) && ones(&self.strides) && self.pads.iter().all(|&p| p == 0);
        trivial.then_some(Fold::Operand(0))
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        self.infer(operands)
            .map_or(0, |t| (t[0].elements() as u64) * count(&self.kernel) as u64)
    }
}

/// Calls `f` with every output element and every input element of its window that is inside.
fn each_pair<T: Copy>(runs: &[Run], y: &mut [T], x: &[T], f: impl Fn(&mut T, T)) {
    for run in runs {
        let x = x[run.input..].iter().step_by(run.step);
        y[run.output..run.output + run.len]
            .iter_mut()
            .zip(x)
            .for_each(|(y, &x)| f(y, x));
    }
}
