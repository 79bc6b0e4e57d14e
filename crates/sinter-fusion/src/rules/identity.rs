//! Identities of pointwise operators and views.
//!
//! Laws, for tensors `x` and constants `a`, `b`, `c`, `d`:
//!
//! - an operator's own simplification (an identity transpose is its operand, ...)
//! - `x + 0 = x`, `x - 0 = x`, `x * 1 = x`, `x / 1 = x` where the shape stays (the sign of a zero may
//!   change, which `exact` allows)
//! - `clamp[c, d](clamp[a, b](x)) = clamp[clamp[c, d](a), clamp[c, d](b)](x)`, with
//!   `relu = clamp[0, inf]`
//! - `max(x, c) = clamp[c, inf](x)`, `min(x, c) = clamp[-inf, c](x)`
//! - `reshape(reshape(x)) = reshape(x)`
//! - `x / c = x * (1 / c)`, exact for powers of two
//! - `x^2 = x * x`
//! - `(x * a) * b = x * (a * b)`, `(x + a) + b = x + (a + b)`
//!
//! What is computed of constants has to be finite and of full precision in their element type.

use sinter_loops::scalar::BinaryFn;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::operator::Fold;
use sinter_ops::ops::concat::Concat;
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::unary::UnaryKind;
use sinter_ops::{Op, Operator};

use super::pattern::{View, binary, binary_of, clamp, range_of, sides};
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "fold-operator",
        law: "f(x) = g(x), the operator's own simplification",
        numerics: Numerics::Exact,
        one_way: true,
        find: fold_operator,
        example: |e| {
            let shape = e.shape(3);
            let x = e.input(&shape);
            let y = e.apply(Concat { axis: 1 }, &[x]);
            e.output(y);
        },
    },
    Rule {
        name: "neutral-element",
        law: "x + 0 = x - 0 = x * 1 = x / 1 = x",
        numerics: Numerics::Exact,
        one_way: true,
        find: neutral_element,
        example: |e| {
            let shape = e.shape(3);
            let x = e.input(&shape);
            let cases = [
                (BinaryFn::Add, 0.0),
                (BinaryFn::Mul, 1.0),
                (BinaryFn::Sub, 0.0),
                (BinaryFn::Div, 1.0),
            ];
            let (kind, value) = cases[e.int(0, 3) as usize];
            let c = e.literal(value);
            let y = match kind {
                BinaryFn::Add | BinaryFn::Mul => e.binary_either_way(kind, x, c),
                _ => e.binary(kind, x, c),
            };
            e.output(y);
        },
    },
    Rule {
        name: "clamp-of-clamp",
        law: "clamp[c, d](clamp[a, b](x)) = clamp[clamp[c, d](a), clamp[c, d](b)](x)",
        numerics: Numerics::Exact,
        one_way: true,
        find: clamp_of_clamp,
        example: |e| {
            let shape = e.shape(2);
            let x = e.input(&shape);
            let (a, c) = (e.float(-1.0, 0.2), e.float(-1.0, 0.2));
            let (b, d) = (a + e.float(0.0, 1.0), c + e.float(0.0, 1.0));
            let inner = if e.int(0, 1) == 0 {
                e.apply(clamp(a, b), &[x])
            } else {
                e.unary(UnaryKind::Relu, x)
            };
            let y = e.apply(clamp(c, d), &[inner]);
            e.output(y);
        },
    },
    Rule {
        name: "limit-as-clamp",
        law: "max(x, c) = clamp[c, inf](x), min(x, c) = clamp[-inf, c](x)",
        numerics: Numerics::Exact,
        one_way: false,
        find: limit_as_clamp,
        example: |e| {
            let shape = e.shape(2);
            let x = e.input(&shape);
            let value = e.float(-0.5, 0.5);
            let c = e.literal(value);
            let kind = if e.int(0, 1) == 0 {
                BinaryFn::Max
            } else {
                BinaryFn::Min
            };
            let y = e.binary_either_way(kind, x, c);
            e.output(y);
        },
    },
    Rule {
        name: "reshape-of-reshape",
        law: "reshape(reshape(x)) = reshape(x)",
        numerics: Numerics::Exact,
        one_way: true,
        find: reshape_of_reshape,
        example: |e| {
            let (a, b, c) = (e.int(1, 4), e.int(1, 4), e.int(1, 4));
            let x = e.input(&[a, b, c]);
            let y = e.apply(
                Reshape {
                    shape: vec![a * b, c],
                },
                &[x],
            );
            let y = e.apply(
                Reshape {
                    shape: vec![a, b * c],
                },
                &[y],
            );
            e.output(y);
        },
    },
    Rule {
        name: "square-as-product",
        law: "x^2 = x * x",
        numerics: Numerics::Exact,
        one_way: true,
        find: square_as_product,
        example: |e| {
            let shape = e.shape(2);
            let x = e.input(&shape);
            let two = e.literal(2.0);
            let y = e.binary(BinaryFn::Pow, x, two);
            e.output(y);
        },
    },
    Rule {
        name: "divide-by-power-of-two",
        law: "x / 2^n = x * 2^-n",
        numerics: Numerics::Exact,
        one_way: false,
        find: |view, term| divide(view, term, true),
        example: |e| {
            let shape = e.shape(2);
            let x = e.input(&shape);
            let power = e.int(-120, 120) as i32;
            let c = e.literal(2f64.powi(power));
            let y = e.binary(BinaryFn::Div, x, c);
            e.output(y);
        },
    },
    Rule {
        name: "divide-by-constant",
        law: "x / c = x * (1 / c)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: |view, term| divide(view, term, false),
        example: |e| {
            let shape = e.shape(2);
            let x = e.input(&shape);
            let size = 10f64.powi(e.int(-30, 30) as i32);
            let c = e.constant(&shape, 1.1 * size, 3.9 * size);
            let y = e.binary(BinaryFn::Div, x, c);
            e.output(y);
        },
    },
    Rule {
        name: "merge-constants",
        law: "(x * a) * b = x * (a * b), (x + a) + b = x + (a + b)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: merge_constants,
        example: |e| {
            let shape = e.shape(2);
            let x = e.input(&shape);
            let (a, b) = (
                e.constant(&shape, -2.0, 2.0),
                e.constant(&shape[1..], -2.0, 2.0),
            );
            let kind = if e.int(0, 1) == 0 {
                BinaryFn::Add
            } else {
                BinaryFn::Mul
            };
            let y = e.binary_either_way(kind, x, a);
            let y = e.binary_either_way(kind, y, b);
            e.output(y);
        },
    },
];

fn fold_operator(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(op, operands) = term else {
        return vec![];
    };
    let types: Vec<_> = operands.iter().map(|&o| view.ty(o).clone()).collect();
    let folded = match op.fold(&types) {
        None => return vec![],
        Some(Fold::Operand(n)) => Expr::Class(operands[n]),
        Some(Fold::Op(op, which)) => Expr::Op(
            *op,
            which
                .into_iter()
                .map(|n| Expr::Class(operands[n]))
                .collect(),
        ),
    };
    vec![folded]
}

fn neutral_element(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some((kind, pair)) = binary_of(term) else {
        return vec![];
    };
    let neutral = match kind {
        BinaryFn::Add | BinaryFn::Sub => 0.0,
        BinaryFn::Mul | BinaryFn::Div => 1.0,
        _ => return vec![],
    };
    let rank = |id| view.ty(id).rank();
    sides(kind, pair)
        .into_iter()
        .filter(|&(x, c)| view.splat(c) == Some(neutral) && keeps_shape(view, x, c) && rank(x) > 0)
        .map(|(x, _)| Expr::Class(x))
        .collect()
}

/// Whether an operand broadcast to `x` leaves its shape.
fn keeps_shape(view: &View<'_>, x: egg::Id, other: egg::Id) -> bool {
    let (x, other) = (&view.ty(x).shape, &view.ty(other).shape);
    other.len() <= x.len()
        && other
            .iter()
            .rev()
            .zip(x.iter().rev())
            .all(|(o, x)| *o == 1 || o == x)
}

fn clamp_of_clamp(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(op, operands) = term else {
        return vec![];
    };
    let Some((c, d)) = range_of(op) else {
        return vec![];
    };
    if !view.ty(operands[0]).element.is_float() {
        return vec![];
    }
    let outer = |v: f64| v.max(c).min(d);
    view.limited(operands[0])
        .into_iter()
        .filter(|(_, a, b)| a <= b && c <= d)
        .map(|(x, a, b)| Expr::op(clamp(outer(a), outer(b)), vec![Expr::Class(x)]))
        .collect()
}

fn limit_as_clamp(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some((kind, pair)) = binary_of(term) else {
        return vec![];
    };
    let range = |c: f64| match kind {
        BinaryFn::Max => Some((c, f64::INFINITY)),
        BinaryFn::Min => Some((f64::NEG_INFINITY, c)),
        _ => None,
    };
    sides(kind, pair)
        .into_iter()
        .filter(|&(x, c)| keeps_shape(view, x, c) && view.ty(x).element.is_float())
        .filter_map(|(x, c)| Some((x, range(view.splat(c).filter(|c| c.is_finite())?)?)))
        .map(|(x, (low, high))| Expr::op(clamp(low, high), vec![Expr::Class(x)]))
        .collect()
}

fn reshape_of_reshape(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(Op::Reshape(outer), operands) = term else {
        return vec![];
    };
    view.operators(operands[0])
        .filter(|(op, _)| matches!(op, Op::Reshape(_)))
        .map(|(_, inner)| Expr::op(outer.clone(), vec![Expr::Class(inner[0])]))
        .collect()
}

fn square_as_product(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some((BinaryFn::Pow, [x, n])) = binary_of(term) else {
        return vec![];
    };
    let square = view.splat(n) == Some(2.0) && keeps_shape(view, x, n);
    let product = || binary(BinaryFn::Mul, Expr::Class(x), Expr::Class(x));
    square.then(product).into_iter().collect()
}

/// Division by a constant as a product with its reciprocal; `exact` ones only, or the others only.
fn divide(view: &View<'_>, term: &Term, exact: bool) -> Vec<Expr> {
    let Some((BinaryFn::Div, [x, c])) = binary_of(term) else {
        return vec![];
    };
    let Some(constant) = view.constant(c) else {
        return vec![];
    };
    if !constant.ty().element.is_float() {
        return vec![];
    }
    let values = constant.to_f64s();
    let power = |v: &f64| v.is_normal() && v.to_bits() & ((1 << 52) - 1) == 0;
    if values.contains(&0.0) || values.iter().all(power) != exact {
        return vec![];
    }
    let reciprocal: Vec<_> = values.iter().map(|v| 1.0 / v).collect();
    let reciprocal = Tensor::from_f64s(constant.ty().clone(), &reciprocal);
    let of_numbers = |(c, r): (f64, f64)| !c.is_finite() || c == 0.0 || full(constant, r);
    if !values.into_iter().zip(reciprocal.to_f64s()).all(of_numbers) {
        return vec![];
    }
    vec![binary(
        BinaryFn::Mul,
        Expr::Class(x),
        Expr::Constant(reciprocal),
    )]
}

fn merge_constants(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some((kind @ (BinaryFn::Add | BinaryFn::Mul), pair)) = binary_of(term) else {
        return vec![];
    };
    let mut out = Vec::new();
    for (inner, b) in sides(kind, pair) {
        let Some(of) = view.constant(b).filter(|b| b.ty().element.is_float()) else {
            continue;
        };
        for pair in view.binary(inner, kind) {
            for (x, a) in sides(kind, pair) {
                let merges = |a| merges(kind, a, of);
                if view.constant(x).is_none() && view.constant(a).is_some_and(merges) {
                    let merged = binary(kind, Expr::Class(a), Expr::Class(b));
                    out.push(binary(kind, Expr::Class(x), merged));
                }
            }
        }
    }
    out
}

/// Whether a number is finite and of full precision in the element type of a constant.
fn full(like: &Tensor, value: f64) -> bool {
    let smallest = match like.ty().element {
        ElementType::F16 => 2f64.powi(-14),
        ElementType::F64 => f64::MIN_POSITIVE,
        _ => f64::from(f32::MIN_POSITIVE),
    };
    value.is_finite() && value.abs() >= smallest
}

/// Whether the sums or products of the elements of two constants are finite and of full precision, or
/// zero, where those are numbers.
fn merges(kind: BinaryFn, a: &Tensor, b: &Tensor) -> bool {
    let extremes = |t: &Tensor| {
        let values = t
            .to_f64s()
            .into_iter()
            .filter(|v| v.is_finite() && *v != 0.0);
        values.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), v| {
            (low.min(v.abs()), high.max(v.abs()))
        })
    };
    let ((a_low, a_high), (b_low, b_high)) = (extremes(a), extremes(b));
    let ty = TensorType::new(a.ty().element, []);
    let rounded = |v: f64| Tensor::from_f64s(ty.clone(), &[v]).get_f64(0);
    match kind {
        // A sum as small as that loses nothing.
        BinaryFn::Add => rounded(a_high + b_high).is_finite(),
        _ if a_high == 0.0 || b_high == 0.0 => true,
        _ => full(a, rounded(a_low * b_low)) && rounded(a_high * b_high).is_finite(),
    }
}
