//! Seeded graphs of operators that know each other's shapes.
//!
//! Values stay bounded, so that a difference is an error and not the condition of the graph: operands of divisions,
//! logarithms and roots are kept away from zero, and functions with jumps are only applied to elements that no
//! arithmetic has touched.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sinter_loops::scalar::{BinaryFn, CompareFn, FloatBits};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::cast::Cast;
use sinter_ops::ops::clamp::Clamp;
use sinter_ops::ops::compare::Compare;
use sinter_ops::ops::concat::Concat;
use sinter_ops::ops::expand::Expand;
use sinter_ops::ops::select::Select;
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Graph, Op, ValueId};

/// Most elements of a value.
const MAX_ELEMENTS: i64 = 1 << 13;
/// Values that could be larger are limited.
const MAX_BOUND: f64 = 64.0;

/// A value that further operators may take.
#[derive(Clone)]
pub(crate) struct Value {
    pub(crate) id: ValueId,
    pub(crate) shape: Vec<i64>,
    /// Most that an element can be away from zero.
    pub(crate) bound: f64,
    /// The elements are those of an input, moved at most.
    pub(crate) exact: bool,
}

/// A graph under construction.
pub(crate) struct Generator {
    pub(crate) rng: SmallRng,
    pub(crate) graph: Graph,
    pub(crate) values: Vec<Value>,
}

/// The graph of a seed.
pub(crate) fn graph(seed: u64) -> Graph {
    let mut this = Generator {
        rng: SmallRng::seed_from_u64(seed),
        graph: Graph::new(format!("random{seed}")),
        values: Vec::new(),
    };
    let inputs = this.rng.random_range(1..=3);
    for i in 0..inputs {
        let shape = this.input_shape();
        let id = this
            .graph
            .input(format!("x{i}"), TensorType::f32(shape.clone()));
        this.values.push(Value {
            id,
            shape,
            bound: 1.0,
            exact: true,
        });
    }
    let operators = this.rng.random_range(6..=16);
    while this.graph.nodes.len() < operators {
        this.step();
    }
    this.finish();
    this.graph
}

impl Generator {
    fn input_shape(&mut self) -> Vec<i64> {
        let mut extent = |low, high| self.rng.random_range(low..=high);
        match extent(0, 3) {
            0 => vec![extent(1, 2), extent(1, 9), extent(3, 11), extent(3, 11)],
            1 => vec![extent(1, 3), extent(2, 17), extent(2, 33)],
            2 => vec![extent(2, 17), extent(2, 40)],
            _ => vec![1, 8 * extent(1, 3), 2 * extent(2, 6), 2 * extent(2, 6)],
        }
    }

    /// Every value that nothing uses becomes an output, and now and then one that is used.
    fn finish(&mut self) {
        let users = self.graph.users();
        let made = self.graph.nodes.iter().flat_map(|n| n.outputs.clone());
        let made: Vec<_> = made.collect();
        for value in made {
            let used = !users[value.0 as usize].is_empty();
            if !used || self.rng.random_bool(0.1) {
                let number = self.graph.outputs.len();
                self.graph.output(format!("y{number}"), value);
            }
        }
    }

    fn step(&mut self) {
        let x = self.pick();
        match self.rng.random_range(0..100) {
            0..=19 => self.unary(&x),
            20..=24 => self.limits(&x),
            25..=44 => self.binary(&x),
            45..=49 => self.choice(&x),
            50..=54 => self.joined(&x),
            55..=74 => self.moved(&x),
            75..=84 => self.reduced(&x),
            _ => self.contracted(&x),
        }
    }

    /// A value, more often a young one.
    pub(crate) fn pick(&mut self) -> Value {
        let count = self.values.len();
        let back = self
            .rng
            .random_range(0..count)
            .min(self.rng.random_range(0..count));
        self.values[count - 1 - back].clone()
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.rng.random()
    }

    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.rng.random_range(0..choices.len())]
    }

    /// A constant of values up to `bound`.
    pub(crate) fn constant(&mut self, shape: &[i64], bound: f64) -> ValueId {
        let ty = TensorType::f32(shape);
        let values: Vec<f64> = (0..ty.elements())
            .map(|_| self.rng.random_range(-bound..bound))
            .collect();
        self.graph.constant(Tensor::from_f64s(ty, &values))
    }

    pub(crate) fn splat(&mut self, value: f64) -> ValueId {
        self.graph.constant(Tensor::from_f32([], &[value as f32]))
    }

    /// Adds a node where its operator takes the operands; its origin is its number.
    pub(crate) fn node(&mut self, op: impl Into<Op>, inputs: &[ValueId]) -> Option<ValueId> {
        let op = op.into();
        let origin = format!("n{}", self.graph.nodes.len());
        let result = self.graph.add(op, inputs, vec![origin]).ok()?[0];
        if self.graph.ty(result).elements() <= MAX_ELEMENTS {
            return Some(result);
        }
        self.graph.nodes.pop();
        None
    }

    /// Offers the result of a node to further ones.
    pub(crate) fn offer(&mut self, id: Option<ValueId>, bound: f64, exact: bool) {
        let Some(mut id) = id else { return };
        let mut bound = bound;
        if bound > MAX_BOUND {
            let limit = Clamp {
                min: Some(FloatBits::new(-1.5)),
                max: Some(FloatBits::new(2.0)),
            };
            let Some(limited) = self.node(limit, &[id]) else {
                return;
            };
            (id, bound) = (limited, 2.0);
        }
        let shape = self.graph.ty(id).shape.clone();
        self.values.push(Value {
            id,
            shape,
            bound,
            exact,
        });
    }

    fn unary(&mut self, x: &Value) {
        use UnaryKind::*;
        let bits = FloatBits::new;
        let (kind, bound) = self.of(&[
            (Relu, x.bound),
            (LeakyRelu { alpha: bits(0.1) }, x.bound),
            (Sigmoid, 1.0),
            (
                HardSigmoid {
                    alpha: bits(0.2),
                    beta: bits(0.5),
                },
                1.0,
            ),
            (HardSwish, x.bound),
            (Silu, x.bound),
            (Gelu { approximate: false }, x.bound),
            (Gelu { approximate: true }, x.bound),
            (Elu { alpha: bits(0.7) }, x.bound.max(1.0)),
            (Neg, x.bound),
            (Abs, x.bound),
            (Tanh, 1.0),
            (Erf, 1.0),
            (Sin, 1.0),
            (Cos, 1.0),
            (Softplus, x.bound + 1.0),
        ]);
        if x.exact && self.rng.random_bool(0.2) {
            let kind = self.of(&[Floor, Ceil, Round, Sign]);
            let id = self.node(Unary { kind }, &[x.id]);
            return self.offer(id, x.bound + 1.0, false);
        }
        if x.bound <= 3.0 && self.rng.random_bool(0.1) {
            let id = self.node(Unary { kind: Exp }, &[x.id]);
            return self.offer(id, x.bound.exp(), false);
        }
        if self.rng.random_bool(0.15) {
            return self.away_from_zero(x);
        }
        let id = self.node(Unary { kind }, &[x.id]);
        self.offer(id, bound, false);
    }

    /// A function that needs positive operands, of `|x| + 0.5`.
    fn away_from_zero(&mut self, x: &Value) {
        use UnaryKind::{Abs, Log, Reciprocal, Rsqrt, Sqrt};
        let kind = self.of(&[Log, Sqrt, Rsqrt, Reciprocal]);
        let size = self.node(Unary { kind: Abs }, &[x.id]);
        let half = self.splat(0.5);
        let add = Binary {
            kind: BinaryFn::Add,
        };
        let Some(sum) = size.and_then(|size| self.node(add, &[size, half])) else {
            return;
        };
        let id = self.node(Unary { kind }, &[sum]);
        self.offer(id, x.bound.max(2.0), false);
    }

    fn limits(&mut self, x: &Value) {
        let limits = [
            (Some(-0.5), Some(0.5)),
            (None, Some(0.25)),
            (Some(0.0), Some(6.0)),
        ];
        let (min, max) = self.of(&limits);
        let op = Clamp {
            min: min.map(FloatBits::new),
            max: max.map(FloatBits::new),
        };
        let id = self.node(op, &[x.id]);
        self.offer(id, x.bound, false);
    }

    /// Another value that broadcasts with `x`, or a constant that does.
    fn partner(&mut self, x: &Value) -> (ValueId, f64) {
        let fits = |v: &&Value| {
            let pairs = v.shape.iter().rev().zip(x.shape.iter().rev());
            pairs.into_iter().all(|(&a, &b)| a == b || a == 1 || b == 1)
        };
        let candidates: Vec<_> = self.values.iter().filter(fits).cloned().collect();
        if !candidates.is_empty() && self.rng.random_bool(0.7) {
            let other = &candidates[self.rng.random_range(0..candidates.len())];
            return (other.id, other.bound);
        }
        let skip = self.rng.random_range(0..=x.shape.len());
        let shape: Vec<i64> = x.shape[skip..]
            .iter()
            .map(|&e| if self.rng.random() { e } else { 1 })
            .collect();
        (self.constant(&shape, 1.0), 1.0)
    }

    fn binary(&mut self, x: &Value) {
        let (other, bound) = self.partner(x);
        let (kind, bound) = match self.rng.random_range(0..6) {
            0 => (BinaryFn::Add, x.bound + bound),
            1 => (BinaryFn::Sub, x.bound + bound),
            2 => (BinaryFn::Mul, x.bound * bound),
            3 => (BinaryFn::Max, x.bound.max(bound)),
            4 => (BinaryFn::Min, x.bound.max(bound)),
            _ => return self.quotient(x, other),
        };
        let operands = if self.flag() {
            [x.id, other]
        } else {
            [other, x.id]
        };
        let id = self.node(Binary { kind }, &operands);
        self.offer(id, bound, false);
    }

    fn quotient(&mut self, x: &Value, other: ValueId) {
        let kind = UnaryKind::Sigmoid;
        let positive = self.node(Unary { kind }, &[other]);
        let one = self.splat(1.0);
        let add = Binary {
            kind: BinaryFn::Add,
        };
        let Some(divisor) = positive.and_then(|p| self.node(add, &[p, one])) else {
            return;
        };
        let divide = Binary {
            kind: BinaryFn::Div,
        };
        let id = self.node(divide, &[x.id, divisor]);
        self.offer(id, x.bound, false);
    }

    /// A choice by a comparison, or a way through integers, of elements that are exact.
    fn choice(&mut self, x: &Value) {
        let exact: Vec<_> = self.values.iter().filter(|v| v.exact).cloned().collect();
        let by = exact[self.rng.random_range(0..exact.len())].clone();
        let level = self.splat(0.125);
        let kind = self.of(&[CompareFn::Lt, CompareFn::Ge, CompareFn::Ne]);
        let Some(condition) = self.node(Compare { kind }, &[by.id, level]) else {
            return;
        };
        if self.flag() {
            let (other, bound) = self.partner(x);
            let id = self.node(Select {}, &[condition, x.id, other]);
            return self.offer(id, x.bound.max(bound), false);
        }
        let to = self.of(&[ElementType::I64, ElementType::I32, ElementType::F64]);
        let wide = self.node(Cast { to }, &[condition]);
        let kind = self.of(&[BinaryFn::Add, BinaryFn::Mul, BinaryFn::Max]);
        let sum = wide.and_then(|w| self.node(Binary { kind }, &[w, w]));
        let to = ElementType::F32;
        let id = sum.and_then(|s| self.node(Cast { to }, &[s]));
        self.offer(id, 2.0, false);
    }

    fn joined(&mut self, x: &Value) {
        let rank = x.shape.len();
        if rank == 0 {
            return;
        }
        let axis = self.rng.random_range(0..rank);
        let alike = |v: &&Value| {
            v.shape.len() == rank && (0..rank).all(|d| d == axis || v.shape[d] == x.shape[d])
        };
        let candidates: Vec<_> = self.values.iter().filter(alike).cloned().collect();
        let mut parts = vec![x.clone()];
        for _ in 0..self.rng.random_range(1..=2) {
            parts.push(candidates[self.rng.random_range(0..candidates.len())].clone());
        }
        let ids: Vec<_> = parts.iter().map(|p| p.id).collect();
        let id = self.node(Concat { axis: axis as i64 }, &ids);
        let bound = parts.iter().fold(0.0, |b, p| f64::max(b, p.bound));
        self.offer(id, bound, parts.iter().all(|p| p.exact));
    }

    pub(crate) fn expanded(&mut self, x: &Value) {
        let mut shape = x.shape.clone();
        for extent in shape.iter_mut().filter(|e| **e == 1) {
            *extent = self.rng.random_range(1..=4);
        }
        if shape.len() < 4 && self.flag() {
            shape.insert(0, self.rng.random_range(1..=3));
        }
        let id = self.node(Expand { shape }, &[x.id]);
        self.offer(id, x.bound, x.exact);
    }
}
