//! What rules look at, and how their examples are made.

use egg::Id;
use sinter_loops::scalar::{BinaryFn, FloatBits};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::clamp::Clamp;
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Graph, Op, ValueId};

use super::Expr;
use crate::egraph::{Term, Values};

/// Relative difference up to which literals count as equal: models write 1/6 in single precision.
const LITERAL_TOLERANCE: f64 = 1e-6;

/// An e-graph as rules see it.
pub struct View<'a> {
    egraph: &'a Values,
}

impl<'a> View<'a> {
    pub(crate) fn new(egraph: &'a Values) -> Self {
        Self { egraph }
    }

    /// The type of a class.
    pub fn ty(&self, id: Id) -> &'a TensorType {
        &self.egraph[id].data.types[0]
    }

    /// Whether a term is an operator on integers, by its first operand.
    pub(crate) fn is_integer(&self, term: &Term) -> bool {
        let first = match term {
            Term::Apply(_, operands) => operands.first(),
            _ => None,
        };
        first.is_some_and(|&x| {
            let element = self.ty(x).element;
            !element.is_float() && element != ElementType::Bool
        })
    }

    /// The constant that a class is.
    pub fn constant(&self, id: Id) -> Option<&'a Tensor> {
        let number = self.egraph[id].data.constant?;
        Some(self.egraph.analysis.constants.get(number))
    }

    /// The value of all elements of a class that is a constant.
    pub fn splat(&self, id: Id) -> Option<f64> {
        self.constant(id)?.splat()
    }

    /// The operators that compute a class.
    pub fn operators(&self, id: Id) -> impl Iterator<Item = (&'a Op, &'a [Id])> + use<'a> {
        self.egraph[id].nodes.iter().filter_map(|t| match t {
            Term::Apply(op, operands) => Some((op, operands.as_slice())),
            _ => None,
        })
    }

    /// Operands of the unary functions by which a class is computed.
    pub fn unary(&self, id: Id, kind: UnaryKind) -> Option<Id> {
        self.operators(id).find_map(|(op, x)| match op {
            Op::Unary(unary) if unary.kind == kind => Some(x[0]),
            _ => None,
        })
    }

    /// Operands of the binary functions of a kind by which a class is computed.
    pub fn binary(&self, id: Id, kind: BinaryFn) -> Vec<[Id; 2]> {
        let found = self.operators(id).filter_map(|(op, x)| match op {
            Op::Binary(binary) if binary.kind == kind => Some([x[0], x[1]]),
            _ => None,
        });
        found.collect()
    }

    /// Pairs `(x, c)` such that a class is `x kind c` or, for commutative kinds, `c kind x`, where `c`
    /// is a constant of one value.
    pub fn with_literal(&self, id: Id, kind: BinaryFn) -> Vec<(Id, f64)> {
        self.binary(id, kind)
            .into_iter()
            .flat_map(|pair| self.literal_sides(kind, pair))
            .collect()
    }

    /// The same for the operands of one operator.
    pub fn literal_sides(&self, kind: BinaryFn, pair: [Id; 2]) -> Vec<(Id, f64)> {
        sides(kind, pair)
            .into_iter()
            .filter_map(|(x, c)| Some((x, self.splat(c)?)))
            .collect()
    }

    /// Pairs `(x, s)` such that a class is `x` times a literal `s` (also as division by `1 / s`).
    pub fn scaled(&self, id: Id) -> Vec<(Id, f64)> {
        let divided = self.with_literal(id, BinaryFn::Div);
        let mut out = self.with_literal(id, BinaryFn::Mul);
        out.extend(divided.into_iter().map(|(x, c)| (x, 1.0 / c)));
        out
    }

    /// Whether two classes are the same.
    pub fn same(&self, a: Id, b: Id) -> bool {
        self.egraph.find(a) == self.egraph.find(b)
    }

    /// `x` and its bounds, where a class is limited to a range.
    pub fn limited(&self, id: Id) -> Vec<(Id, f64, f64)> {
        let found = self.operators(id).filter_map(|(op, x)| {
            let (low, high) = range_of(op)?;
            Some((x[0], low, high))
        });
        found.collect()
    }
}

/// The binary operation of a term.
pub fn binary_of(term: &Term) -> Option<(BinaryFn, [Id; 2])> {
    match term {
        Term::Apply(Op::Binary(binary), x) => Some((binary.kind, [x[0], x[1]])),
        _ => None,
    }
}

/// An operand pair in both orders where the function commutes.
pub fn sides(kind: BinaryFn, [a, b]: [Id; 2]) -> Vec<(Id, Id)> {
    let commutes = matches!(
        kind,
        BinaryFn::Add | BinaryFn::Mul | BinaryFn::Max | BinaryFn::Min
    );
    if commutes {
        vec![(a, b), (b, a)]
    } else {
        vec![(a, b)]
    }
}

/// The range to which an operator limits its operand, infinite where open.
pub(crate) fn range_of(op: &Op) -> Option<(f64, f64)> {
    match op {
        Op::Unary(unary) if unary.kind == UnaryKind::Relu => Some((0.0, f64::INFINITY)),
        Op::Clamp(clamp) => Some((
            clamp.min.map_or(f64::NEG_INFINITY, FloatBits::get),
            clamp.max.map_or(f64::INFINITY, FloatBits::get),
        )),
        _ => None,
    }
}

/// A clamp to a range, infinite where open.
pub(crate) fn clamp(low: f64, high: f64) -> Clamp {
    let bound = |x: f64| x.is_finite().then(|| FloatBits::new(x));
    Clamp {
        min: bound(low),
        max: bound(high),
    }
}

/// Whether two literals are equal up to single precision.
pub(crate) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= LITERAL_TOLERANCE * b.abs().max(LITERAL_TOLERANCE)
}

/// A binary operator.
pub fn binary(kind: BinaryFn, a: Expr, b: Expr) -> Expr {
    Expr::op(Binary { kind }, vec![a, b])
}

/// A unary operator.
pub fn unary(kind: UnaryKind, x: Expr) -> Expr {
    Expr::op(Unary { kind }, vec![x])
}

/// A graph under construction, with random extents and constants.
pub struct Example {
    /// The graph.
    pub graph: Graph,
    state: u64,
}

impl Example {
    /// An empty graph with a seeded generator (SplitMix64).
    pub fn new(seed: u64) -> Self {
        Self {
            graph: Graph::new("example"),
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer in `low..=high`.
    pub fn int(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1).unsigned_abs()) as i64
    }

    /// A number in `low..high`.
    pub fn float(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// A shape of so many dimensions.
    pub fn shape(&mut self, rank: usize) -> Vec<i64> {
        (0..rank).map(|_| self.int(1, 5)).collect()
    }

    /// An input.
    pub fn input(&mut self, shape: &[i64]) -> ValueId {
        self.typed_input(TensorType::f32(shape))
    }

    /// An input of any type.
    pub fn typed_input(&mut self, ty: TensorType) -> ValueId {
        let name = format!("x{}", self.graph.inputs.len());
        self.graph.input(name, ty)
    }

    /// A constant of random elements in `low..high`.
    pub fn constant(&mut self, shape: &[i64], low: f64, high: f64) -> ValueId {
        self.typed_constant(TensorType::f32(shape), |e| e.float(low, high))
    }

    /// A constant of any type, and how an element is drawn.
    pub fn typed_constant(&mut self, ty: TensorType, draw: impl Fn(&mut Self) -> f64) -> ValueId {
        let values: Vec<_> = (0..ty.elements()).map(|_| draw(self)).collect();
        self.graph.constant(Tensor::from_f64s(ty, &values))
    }

    /// The operands of a convolution of `x` by random taps `[outputs, inputs, ...]`, perhaps with a bias.
    pub fn with_taps(&mut self, x: ValueId, taps: &[i64]) -> Vec<ValueId> {
        let mut operands = vec![x, self.constant(taps, -1.0, 1.0)];
        if self.int(0, 1) == 1 {
            operands.push(self.constant(&taps[..1], -1.0, 1.0));
        }
        operands
    }

    /// A convolution of images with steps of one, as the output.
    pub fn convolved(&mut self, operands: &[ValueId], pads: Vec<i64>) {
        let conv = Conv {
            strides: vec![1; 2],
            pads,
            dilations: vec![1; 2],
            groups: 1,
        };
        let y = self.apply(conv, operands);
        self.output(y);
    }

    /// A scalar constant.
    pub fn literal(&mut self, value: f64) -> ValueId {
        self.graph
            .constant(Tensor::from_f64s(TensorType::f32([]), &[value]))
    }

    /// An operator's first result.
    ///
    /// # Panics
    /// When the operator does not take the operands: the example is at fault.
    pub fn apply(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> ValueId {
        let op = op.into();
        match self.graph.add(op.clone(), operands, vec![]) {
            Ok(results) => results[0],
            Err(e) => panic!("{op:?}: {e}"),
        }
    }

    /// A binary operator's result.
    pub fn binary(&mut self, kind: BinaryFn, a: ValueId, b: ValueId) -> ValueId {
        self.apply(Binary { kind }, &[a, b])
    }

    /// A unary operator's result.
    pub fn unary(&mut self, kind: UnaryKind, x: ValueId) -> ValueId {
        self.apply(Unary { kind }, &[x])
    }

    /// Names the output.
    pub fn output(&mut self, value: ValueId) {
        self.graph.output("y", value);
    }

    /// One of two operand orders.
    pub fn binary_either_way(&mut self, kind: BinaryFn, a: ValueId, b: ValueId) -> ValueId {
        if self.int(0, 1) == 0 {
            self.binary(kind, a, b)
        } else {
            self.binary(kind, b, a)
        }
    }
}
