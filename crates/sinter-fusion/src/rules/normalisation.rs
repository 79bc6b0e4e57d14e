//! Normalisations that exporters take apart, put together again.
//!
//! Laws, with `m = mean(x)` and the reductions over the last dimensions:
//!
//! - `exp(x - max(x)) / sum(exp(x - max(x))) = softmax(x)`
//! - `(x - m) / sqrt(mean((x - m)^2) + e) = layer_norm[e](x, 1)`, also times the reciprocal
//! - `layer_norm(x, s, b) * c = layer_norm(x, s * c, b * c)` for constants
//! - `layer_norm(x, s, b) + c = layer_norm(x, s, b + c)` for constants

use egg::Id;
use sinter_loops::scalar::{BinaryFn, FloatBits};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::ops::layer_norm::LayerNorm;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::softmax::Softmax;
use sinter_ops::ops::unary::UnaryKind;
use sinter_ops::{Op, ValueId};

use super::pattern::{Example, View, binary, binary_of, sides};
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "softmax-from-primitives",
        law: "exp(x - max(x)) / sum(exp(x - max(x))) = softmax(x)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: softmax_from_primitives,
        example: |e| {
            let shape = e.shape(3);
            let x = e.input(&shape);
            let axis = e.int(0, 2);
            let largest = reduced(e, ReduceKind::Max, vec![axis], x);
            let difference = e.binary(BinaryFn::Sub, x, largest);
            let powers = e.unary(UnaryKind::Exp, difference);
            let sum = reduced(e, ReduceKind::Sum, vec![axis], powers);
            let y = e.binary(BinaryFn::Div, powers, sum);
            e.output(y);
        },
    },
    Rule {
        name: "layer-norm-from-primitives",
        law: "(x - mean(x)) / sqrt(mean((x - mean(x))^2) + e) = layer_norm[e](x, 1)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: layer_norm_from_primitives,
        example: |e| {
            let y = decomposed_layer_norm(e);
            e.output(y);
        },
    },
    Rule {
        name: "scale-into-layer-norm",
        law: "layer_norm(x, s, b) * c = layer_norm(x, s * c, b * c)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: |view, term| into_layer_norm(view, term, BinaryFn::Mul),
        example: |e| into_layer_norm_example(e, BinaryFn::Mul),
    },
    Rule {
        name: "shift-into-layer-norm",
        law: "layer_norm(x, s, b) + c = layer_norm(x, s, b + c)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: |view, term| into_layer_norm(view, term, BinaryFn::Add),
        example: |e| into_layer_norm_example(e, BinaryFn::Add),
    },
];

/// Axes and operands of the reductions by which a class is computed that keep its dimensions.
fn reductions(view: &View<'_>, id: Id, kind: ReduceKind) -> Vec<(Vec<i64>, Id)> {
    let found = view.operators(id).filter_map(|(op, x)| match op {
        Op::Reduce(r) if r.kind == kind && r.keep_dims => Some((r.axes.clone(), x[0])),
        _ => None,
    });
    found.collect()
}

/// `x` and the axes where a class is `x - reduce(x)`.
fn centred(view: &View<'_>, id: Id, kind: ReduceKind) -> Vec<(Id, Vec<i64>)> {
    let mut out = Vec::new();
    for [x, reduced] in view.binary(id, BinaryFn::Sub) {
        for (axes, of) in reductions(view, reduced, kind) {
            if view.same(of, x) {
                out.push((x, axes));
            }
        }
    }
    out
}

fn softmax_from_primitives(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some((BinaryFn::Div, [powers, sum])) = binary_of(term) else {
        return vec![];
    };
    let mut out = Vec::new();
    for (axes, of) in reductions(view, sum, ReduceKind::Sum) {
        let ([axis], true) = (axes.as_slice(), view.same(of, powers)) else {
            continue;
        };
        let Some(difference) = view.unary(powers, UnaryKind::Exp) else {
            continue;
        };
        for (x, of_max) in centred(view, difference, ReduceKind::Max) {
            if of_max == axes {
                out.push(Expr::op(Softmax { axis: *axis }, vec![Expr::Class(x)]));
            }
        }
    }
    out
}

fn layer_norm_from_primitives(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some((kind, pair)) = binary_of(term) else {
        return vec![];
    };
    let mut out = Vec::new();
    for (difference, other) in sides(kind, pair) {
        let variances: Vec<Id> = match kind {
            BinaryFn::Div => view.unary(other, UnaryKind::Sqrt).into_iter().collect(),
            BinaryFn::Mul => {
                let root = view.unary(other, UnaryKind::Reciprocal);
                let of_root = root.and_then(|r| view.unary(r, UnaryKind::Sqrt));
                let direct = view.unary(other, UnaryKind::Rsqrt);
                direct.into_iter().chain(of_root).collect()
            }
            _ => return vec![],
        };
        for (variance, epsilon) in variances
            .into_iter()
            .flat_map(|v| view.with_literal(v, BinaryFn::Add))
        {
            for (axes, squares) in reductions(view, variance, ReduceKind::Mean) {
                if !is_square(view, squares, difference) {
                    continue;
                }
                let of_mean = centred(view, difference, ReduceKind::Mean).into_iter();
                let found = of_mean.filter(|(x, a)| *a == axes && are_last(view, *x, &axes));
                out.extend(found.map(|(x, _)| layer_norm(view, x, axes[0], epsilon)));
            }
        }
    }
    out
}

fn layer_norm(view: &View<'_>, x: Id, axis: i64, epsilon: f64) -> Expr {
    let one = Tensor::from_f64s(TensorType::new(view.ty(x).element, [1]), &[1.0]);
    let op = LayerNorm {
        axis,
        epsilon: FloatBits::new(epsilon),
    };
    Expr::op(op, vec![Expr::Class(x), Expr::Constant(one)])
}

/// Whether a class is the square of another.
fn is_square(view: &View<'_>, squares: Id, of: Id) -> bool {
    let product = view.binary(squares, BinaryFn::Mul).into_iter();
    let mut product = product.filter(|&[a, b]| view.same(a, of) && view.same(b, of));
    let power = view.with_literal(squares, BinaryFn::Pow).into_iter();
    let mut power = power.filter(|&(x, n)| n == 2.0 && view.same(x, of));
    product.next().is_some() || power.next().is_some()
}

/// Whether axes are the last dimensions of a class.
fn are_last(view: &View<'_>, x: Id, axes: &[i64]) -> bool {
    let rank = view.ty(x).rank() as i64;
    let first = rank - axes.len() as i64;
    !axes.is_empty() && axes.iter().copied().eq(first..rank)
}

fn into_layer_norm(view: &View<'_>, term: &Term, wanted: BinaryFn) -> Vec<Expr> {
    let Some((kind, pair)) = binary_of(term).filter(|(k, _)| *k == wanted) else {
        return vec![];
    };
    let mut out = Vec::new();
    for (y, c) in sides(kind, pair) {
        if view.constant(c).is_none() || view.ty(c).rank() > view.ty(y).rank() {
            continue;
        }
        for (op, operands) in view.operators(y) {
            let Op::LayerNorm(_) = op else { continue };
            let [x, scale, bias @ ..] = operands else {
                continue;
            };
            if operands[1..].iter().any(|&o| view.constant(o).is_none()) {
                continue;
            }
            let with = |a: Id| binary(kind, Expr::Class(a), Expr::Class(c));
            let mut made = vec![Expr::Class(*x)];
            match kind {
                BinaryFn::Mul => {
                    made.push(with(*scale));
                    made.extend(bias.iter().map(|&b| with(b)));
                }
                _ => {
                    made.push(Expr::Class(*scale));
                    made.push(bias.first().map_or(Expr::Class(c), |&b| with(b)));
                }
            }
            out.push(Expr::Op(op.clone(), made));
        }
    }
    out
}

fn reduced(e: &mut Example, kind: ReduceKind, axes: Vec<i64>, x: ValueId) -> ValueId {
    let keep_dims = true;
    e.apply(
        Reduce {
            kind,
            axes,
            keep_dims,
        },
        &[x],
    )
}

fn decomposed_layer_norm(e: &mut Example) -> ValueId {
    let mut shape = e.shape(3);
    // Two points at least: of one the difference is zero, and nothing is tested.
    shape[2] += 1;
    let x = e.input(&shape);
    let axes = match e.int(0, 1) {
        0 => vec![2],
        _ => vec![1, 2],
    };
    let mean = reduced(e, ReduceKind::Mean, axes.clone(), x);
    let difference = e.binary(BinaryFn::Sub, x, mean);
    let squares = match e.int(0, 1) {
        0 => e.binary(BinaryFn::Mul, difference, difference),
        _ => {
            let two = e.literal(2.0);
            e.binary(BinaryFn::Pow, difference, two)
        }
    };
    let variance = reduced(e, ReduceKind::Mean, axes, squares);
    let epsilon = e.literal(1e-3);
    let sum = e.binary_either_way(BinaryFn::Add, variance, epsilon);
    match e.int(0, 2) {
        0 => {
            let root = e.unary(UnaryKind::Sqrt, sum);
            e.binary(BinaryFn::Div, difference, root)
        }
        1 => {
            let root = e.unary(UnaryKind::Rsqrt, sum);
            e.binary_either_way(BinaryFn::Mul, difference, root)
        }
        _ => {
            let root = e.unary(UnaryKind::Sqrt, sum);
            let inverse = e.unary(UnaryKind::Reciprocal, root);
            e.binary_either_way(BinaryFn::Mul, difference, inverse)
        }
    }
}

fn into_layer_norm_example(e: &mut Example, kind: BinaryFn) {
    let mut shape = e.shape(3);
    shape[2] += 1;
    let x = e.input(&shape);
    let mut operands = vec![x, e.constant(&shape[2..], 0.5, 2.0)];
    if e.int(0, 1) == 0 {
        operands.push(e.constant(&shape[2..], -1.0, 1.0));
    }
    let op = LayerNorm {
        axis: 2,
        epsilon: FloatBits::new(1e-3),
    };
    let y = e.apply(op, &operands);
    let c = match e.int(0, 1) {
        0 => e.constant(&shape[2..], -2.0, 2.0),
        _ => e.literal(1.5),
    };
    let y = e.binary_either_way(kind, y, c);
    e.output(y);
}
