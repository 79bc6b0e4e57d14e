//! Activations that exporters take apart, put together again.
//!
//! Laws:
//!
//! - `max(x, 0) = relu(x)`, `clamp[0, inf](x) = relu(x)`
//! - `clamp[0, m](x + b) * s = hard_sigmoid[s, b * s](x)` where `m * s = 1`
//! - `clamp[0, 1](x * a + b) = hard_sigmoid[a, b](x)`
//! - `x * hard_sigmoid[1/6, 1/2](x) = hard_swish(x)`
//! - `(x * clamp[0, 6](x + 3)) * 1/6 = hard_swish(x)`
//! - `x * sigmoid(x) = silu(x)`
//! - `x * (1 + erf(x / sqrt(2))) * 1/2 = gelu(x)`, with the half at any place
//! - the same with `tanh(sqrt(2/pi) * (x + 0.044715 x^3))` for `erf`, which is another function

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use egg::Id;
use sinter_loops::scalar::{BinaryFn, FloatBits};
use sinter_ops::Op;
use sinter_ops::ops::unary::UnaryKind;

use super::pattern::{Example, View, binary_of, clamp, close, range_of, sides, unary};
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "relu-from-limit",
        law: "max(x, 0) = clamp[0, inf](x) = relu(x)",
        numerics: Numerics::Exact,
        one_way: false,
        find: relu_from_limit,
        example: |e| {
            let shape = e.shape(2);
            let x = e.input(&shape);
            let y = if e.int(0, 1) == 0 {
                let zero = e.literal(0.0);
                e.binary_either_way(BinaryFn::Max, x, zero)
            } else {
                e.apply(clamp(0.0, f64::INFINITY), &[x])
            };
            e.output(y);
        },
    },
    Rule {
        name: "hard-sigmoid-from-clamp",
        law: "clamp[0, 1](x * a + b) = hard_sigmoid[a, b](x)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: hard_sigmoid_from_clamp,
        example: |e| {
            let shape = e.shape(2);
            let x = e.input(&shape);
            let y = if e.int(0, 1) == 0 {
                gate(e, x)
            } else {
                let (a, b) = (e.float(0.1, 0.5), e.float(0.2, 0.8));
                let (a, b) = (e.literal(a), e.literal(b));
                let line = e.binary_either_way(BinaryFn::Mul, x, a);
                let line = e.binary_either_way(BinaryFn::Add, line, b);
                e.apply(clamp(0.0, 1.0), &[line])
            };
            e.output(y);
        },
    },
    Rule {
        name: "hard-swish-from-product",
        law: "x * hard_sigmoid[1/6, 1/2](x) = hard_swish(x)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: hard_swish_from_product,
        example: |e| {
            let shape = e.shape(2);
            let x = e.input(&shape);
            let y = if e.int(0, 1) == 0 {
                let gate = e.unary(
                    UnaryKind::HardSigmoid {
                        alpha: FloatBits::new(f64::from(1.0f32 / 6.0)),
                        beta: FloatBits::new(0.5),
                    },
                    x,
                );
                e.binary_either_way(BinaryFn::Mul, x, gate)
            } else {
                let limited = shifted_limit(e, x);
                let product = e.binary_either_way(BinaryFn::Mul, x, limited);
                by_sixth(e, product)
            };
            e.output(y);
        },
    },
    Rule {
        name: "silu-from-product",
        law: "x * sigmoid(x) = silu(x)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: silu_from_product,
        example: |e| {
            let shape = e.shape(2);
            let x = e.input(&shape);
            let gate = e.unary(UnaryKind::Sigmoid, x);
            let y = e.binary_either_way(BinaryFn::Mul, x, gate);
            e.output(y);
        },
    },
    Rule {
        name: "gelu-from-erf",
        law: "x * (1 + erf(x / sqrt(2))) / 2 = gelu(x)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: |view, term| gelu_from_gate(view, term, false),
        example: |e| gelu_example(e, false),
    },
    Rule {
        name: "gelu-from-tanh",
        law: "x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))) / 2 = gelu[tanh](x)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: |view, term| gelu_from_gate(view, term, true),
        example: |e| gelu_example(e, true),
    },
];

fn relu_from_limit(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(op, operands) = term else {
        return vec![];
    };
    let relu = |x: Id| vec![unary(UnaryKind::Relu, Expr::Class(x))];
    match op {
        Op::Clamp(_) if range_of(op) == Some((0.0, f64::INFINITY)) => relu(operands[0]),
        Op::Binary(b) if b.kind == BinaryFn::Max => {
            let pair = [operands[0], operands[1]];
            let literal = view.literal_sides(BinaryFn::Max, pair).into_iter();
            let same = |x: &Id| view.ty(*x) == &broadcast_type(view, pair);
            literal
                .filter(|(x, c)| *c == 0.0 && same(x))
                .flat_map(|(x, _)| relu(x))
                .collect()
        }
        _ => vec![],
    }
}

/// The type of the larger operand; operands are numbers of one element type.
fn broadcast_type(view: &View<'_>, [a, b]: [Id; 2]) -> sinter_loops::types::TensorType {
    let (a, b) = (view.ty(a), view.ty(b));
    let larger = if (b.rank(), b.elements()) > (a.rank(), a.elements()) {
        b
    } else {
        a
    };
    larger.clone()
}

fn hard_sigmoid(alpha: f64, beta: f64, x: Id) -> Expr {
    let kind = UnaryKind::HardSigmoid {
        alpha: FloatBits::new(alpha),
        beta: FloatBits::new(beta),
    };
    unary(kind, Expr::Class(x))
}

/// `x` and `b` where a class is `clamp[0, m](x + b)`.
fn shifted_limits(view: &View<'_>, id: Id, m: impl Fn(f64) -> bool) -> Vec<(Id, f64)> {
    view.limited(id)
        .into_iter()
        .filter(|&(_, low, high)| low == 0.0 && m(high))
        .flat_map(|(sum, ..)| view.with_literal(sum, BinaryFn::Add))
        .collect()
}

fn hard_sigmoid_from_clamp(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let mut out = Vec::new();
    for (limited, s) in scalings(view, term) {
        let found = shifted_limits(view, limited, |m| close(m * s, 1.0));
        out.extend(found.into_iter().map(|(x, b)| hard_sigmoid(s, b * s, x)));
    }
    if let Term::Apply(op, operands) = term
        && range_of(op) == Some((0.0, 1.0))
    {
        for (line, b) in view.with_literal(operands[0], BinaryFn::Add) {
            out.extend(
                view.scaled(line)
                    .into_iter()
                    .map(|(x, a)| hard_sigmoid(a, b, x)),
            );
        }
    }
    out
}

/// `(x, s)` where a term is `x * s` or `x / (1 / s)`.
fn scalings(view: &View<'_>, term: &Term) -> Vec<(Id, f64)> {
    match binary_of(term) {
        Some((BinaryFn::Mul, pair)) => view.literal_sides(BinaryFn::Mul, pair),
        Some((BinaryFn::Div, pair)) => view
            .literal_sides(BinaryFn::Div, pair)
            .into_iter()
            .map(|(x, c)| (x, 1.0 / c))
            .collect(),
        _ => vec![],
    }
}

fn hard_swish_from_product(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let swish = |x: Id| unary(UnaryKind::HardSwish, Expr::Class(x));
    let mut out = Vec::new();
    if let Some((BinaryFn::Mul, pair)) = binary_of(term) {
        for (x, gate) in sides(BinaryFn::Mul, pair) {
            let is_gate = view.operators(gate).any(|(op, operand)| {
                matches!(op, Op::Unary(u) if is_swish_gate(u.kind)) && view.same(operand[0], x)
            });
            out.extend(is_gate.then(|| swish(x)));
        }
    }
    for (product, s) in scalings(view, term) {
        if !close(s, 1.0 / 6.0) {
            continue;
        }
        for pair in view.binary(product, BinaryFn::Mul) {
            for (x, limited) in sides(BinaryFn::Mul, pair) {
                let found = shifted_limits(view, limited, |m| close(m, 6.0));
                let same = |(y, b): &(Id, f64)| close(*b, 3.0) && view.same(*y, x);
                out.extend(found.iter().any(same).then(|| swish(x)));
            }
        }
    }
    out
}

fn is_swish_gate(kind: UnaryKind) -> bool {
    match kind {
        UnaryKind::HardSigmoid { alpha, beta } => {
            close(alpha.get(), 1.0 / 6.0) && close(beta.get(), 0.5)
        }
        _ => false,
    }
}

fn silu_from_product(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some((BinaryFn::Mul, pair)) = binary_of(term) else {
        return vec![];
    };
    sides(BinaryFn::Mul, pair)
        .into_iter()
        .filter(|&(x, gate)| {
            view.unary(gate, UnaryKind::Sigmoid)
                .is_some_and(|y| view.same(x, y))
        })
        .map(|(x, _)| unary(UnaryKind::Silu, Expr::Class(x)))
        .collect()
}

/// `x` where a class is `1 + erf(x / sqrt(2))`.
fn erf_gates(view: &View<'_>, id: Id) -> Vec<Id> {
    view.with_literal(id, BinaryFn::Add)
        .into_iter()
        .filter(|(_, c)| close(*c, 1.0))
        .filter_map(|(erf, _)| view.unary(erf, UnaryKind::Erf))
        .flat_map(|inner| view.scaled(inner))
        .filter(|(_, k)| close(*k, FRAC_1_SQRT_2))
        .map(|(x, _)| x)
        .collect()
}

/// `x` where a class is `1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))`.
fn tanh_gates(view: &View<'_>, id: Id) -> Vec<Id> {
    let cube_of = |cube: Id, x: Id| {
        let power = view.with_literal(cube, BinaryFn::Pow).into_iter();
        let mut power = power.filter(|&(y, n)| n == 3.0 && view.same(x, y));
        let square = |s: Id| {
            let mut products = view.binary(s, BinaryFn::Mul).into_iter();
            products.any(|[a, b]| view.same(a, x) && view.same(b, x))
        };
        let products = view.binary(cube, BinaryFn::Mul).into_iter();
        let mut products = products.flat_map(|pair| sides(BinaryFn::Mul, pair));
        power.next().is_some() || products.any(|(y, s)| view.same(y, x) && square(s))
    };
    let sums = view
        .with_literal(id, BinaryFn::Add)
        .into_iter()
        .filter(|(_, c)| close(*c, 1.0))
        .filter_map(|(tanh, _)| view.unary(tanh, UnaryKind::Tanh))
        .flat_map(|inner| view.scaled(inner))
        .filter(|(_, k)| close(*k, FRAC_2_SQRT_PI * FRAC_1_SQRT_2))
        .flat_map(|(sum, _)| view.binary(sum, BinaryFn::Add));
    sums.flat_map(|pair| sides(BinaryFn::Add, pair))
        .filter(|&(x, scaled)| {
            let mut cubes = view.scaled(scaled).into_iter();
            cubes.any(|(cube, k)| close(k, 0.044715) && cube_of(cube, x))
        })
        .map(|(x, _)| x)
        .collect()
}

fn gelu_from_gate(view: &View<'_>, term: &Term, approximate: bool) -> Vec<Expr> {
    let gelu = |x: Id| unary(UnaryKind::Gelu { approximate }, Expr::Class(x));
    let halves = |id: Id| -> Vec<Id> {
        view.scaled(id)
            .into_iter()
            .filter(|(_, s)| close(*s, 0.5))
            .map(|(x, _)| x)
            .collect()
    };
    let gated_by = |x: Id, gate: Id| {
        let gates = match approximate {
            true => tanh_gates(view, gate),
            false => erf_gates(view, gate),
        };
        gates.iter().any(|&y| view.same(x, y))
    };
    let mut out = Vec::new();
    // (x * (1 + erf)) * 1/2
    for (product, s) in scalings(view, term) {
        if close(s, 0.5) {
            for pair in view.binary(product, BinaryFn::Mul) {
                let found = sides(BinaryFn::Mul, pair).into_iter();
                out.extend(found.filter(|&(x, g)| gated_by(x, g)).map(|(x, _)| gelu(x)));
            }
        }
    }
    // x * ((1 + erf) * 1/2), (x * 1/2) * (1 + erf)
    if let Some((BinaryFn::Mul, pair)) = binary_of(term) {
        for (a, b) in sides(BinaryFn::Mul, pair) {
            let inner = halves(b)
                .into_iter()
                .filter(|&g| gated_by(a, g))
                .map(|_| gelu(a));
            out.extend(inner);
            out.extend(halves(a).into_iter().filter(|&x| gated_by(x, b)).map(gelu));
        }
    }
    out
}

/// `clamp[0, 6](x + 3)`.
fn shifted_limit(e: &mut Example, x: sinter_ops::ValueId) -> sinter_ops::ValueId {
    let three = e.literal(3.0);
    let sum = e.binary_either_way(BinaryFn::Add, x, three);
    e.apply(clamp(0.0, 6.0), &[sum])
}

fn by_sixth(e: &mut Example, x: sinter_ops::ValueId) -> sinter_ops::ValueId {
    if e.int(0, 1) == 0 {
        let six = e.literal(6.0);
        e.binary(BinaryFn::Div, x, six)
    } else {
        let sixth = e.literal(f64::from(1.0f32 / 6.0));
        e.binary_either_way(BinaryFn::Mul, x, sixth)
    }
}

fn gate(e: &mut Example, x: sinter_ops::ValueId) -> sinter_ops::ValueId {
    let limited = shifted_limit(e, x);
    by_sixth(e, limited)
}

/// `tanh(sqrt(2/pi) * (x + 0.044715 x^3))`.
fn tanh_example(e: &mut Example, x: sinter_ops::ValueId) -> sinter_ops::ValueId {
    let cube = match e.int(0, 1) {
        0 => {
            let three = e.literal(3.0);
            e.binary(BinaryFn::Pow, x, three)
        }
        _ => {
            let square = e.binary(BinaryFn::Mul, x, x);
            e.binary_either_way(BinaryFn::Mul, x, square)
        }
    };
    let (a, b) = (
        e.literal(0.044715),
        e.literal(FRAC_2_SQRT_PI * FRAC_1_SQRT_2),
    );
    let scaled = e.binary_either_way(BinaryFn::Mul, cube, a);
    let sum = e.binary_either_way(BinaryFn::Add, x, scaled);
    let inner = e.binary_either_way(BinaryFn::Mul, sum, b);
    e.unary(UnaryKind::Tanh, inner)
}

fn gelu_example(e: &mut Example, approximate: bool) {
    let shape = e.shape(2);
    let x = e.input(&shape);
    let (one, half) = (e.literal(1.0), e.literal(0.5));
    let bent = if approximate {
        tanh_example(e, x)
    } else {
        let root = e.literal(std::f64::consts::SQRT_2);
        let inner = e.binary(BinaryFn::Div, x, root);
        e.unary(UnaryKind::Erf, inner)
    };
    let gate = e.binary_either_way(BinaryFn::Add, bent, one);
    let y = match e.int(0, 2) {
        0 => {
            let product = e.binary_either_way(BinaryFn::Mul, x, gate);
            e.binary_either_way(BinaryFn::Mul, product, half)
        }
        1 => {
            let gate = e.binary_either_way(BinaryFn::Mul, gate, half);
            e.binary_either_way(BinaryFn::Mul, x, gate)
        }
        _ => {
            let x = e.binary_either_way(BinaryFn::Mul, x, half);
            e.binary_either_way(BinaryFn::Mul, x, gate)
        }
    };
    e.output(y);
}
