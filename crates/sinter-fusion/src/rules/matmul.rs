//! Constant factors on their way into the weights of a matrix product.
//!
//! Laws, for a constant `c` of one value, or one per column of the product:
//!
//! - `(x @ w) * c = x @ (w * c)`, `w` scaled along its columns
//! - `(y + b) * c = y * c + b * c` for constants `b`, where `y` is a product or convolution with
//!   constant weights, so that the factor moves on

use egg::Id;
use sinter_loops::scalar::BinaryFn;
use sinter_loops::tensor::Tensor;
use sinter_ops::Op;
use sinter_ops::ops::matmul::Matmul;

use super::pattern::{Example, View, binary, binary_of, sides};
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "scale-into-matmul",
        law: "(x @ w) * c = x @ (w * c)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: scale_into_matmul,
        example: |e| {
            let (y, columns) = product(e);
            let c = factor(e, columns);
            let y = e.binary_either_way(BinaryFn::Mul, y, c);
            e.output(y);
        },
    },
    Rule {
        name: "scale-past-bias",
        law: "(y + b) * c = y * c + b * c",
        numerics: Numerics::Rounding,
        one_way: false,
        find: scale_past_bias,
        example: |e| {
            let (y, columns) = product(e);
            let b = e.constant(&[columns], -1.0, 1.0);
            let y = e.binary_either_way(BinaryFn::Add, y, b);
            let c = factor(e, columns);
            let y = e.binary_either_way(BinaryFn::Mul, y, c);
            e.output(y);
        },
    },
];

fn scale_into_matmul(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some((BinaryFn::Mul, pair)) = binary_of(term) else {
        return vec![];
    };
    let mut out = Vec::new();
    for (y, c) in sides(BinaryFn::Mul, pair) {
        let Some(factor) = per_column(view, y, c) else {
            continue;
        };
        for (op, operands) in view.operators(y) {
            let Op::Matmul(_) = op else { continue };
            let (x, w) = (operands[0], operands[1]);
            let flat = view.ty(w).rank() < 2 || view.ty(x).rank() < 2;
            if view.constant(w).is_none() || flat {
                continue;
            }
            // The product folds when it enters the e-graph: once, not whenever the rule is tried.
            let scaled = binary(
                BinaryFn::Mul,
                Expr::Class(w),
                Expr::Constant(factor.clone()),
            );
            out.push(Expr::Op(op.clone(), vec![Expr::Class(x), scaled]));
        }
    }
    out
}

/// One value per column (the last dimension) of a constant that varies along no other dimension.
fn per_column(view: &View<'_>, y: Id, c: Id) -> Option<Tensor> {
    let (ty, constant) = (view.ty(y), view.constant(c)?);
    let (columns, shape) = (*ty.shape.last()?, &constant.ty().shape);
    let narrow = shape.iter().rev().skip(1).all(|&e| e == 1);
    if !ty.element.is_float() || shape.len() > ty.rank() || !narrow {
        return None;
    }
    let count = constant.ty().elements();
    (count == 1 || count == columns).then(|| constant.reshaped([count]))
}

fn scale_past_bias(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some((BinaryFn::Mul, pair)) = binary_of(term) else {
        return vec![];
    };
    let weighted = |y: Id| {
        view.operators(y).any(|(op, operands)| {
            matches!(op, Op::Matmul(_) | Op::Conv(_)) && view.constant(operands[1]).is_some()
        })
    };
    let mut out = Vec::new();
    for (sum, c) in sides(BinaryFn::Mul, pair) {
        if view.constant(c).is_none() || !view.ty(c).element.is_float() {
            continue;
        }
        for pair in view.binary(sum, BinaryFn::Add) {
            for (y, b) in sides(BinaryFn::Add, pair) {
                if view.constant(b).is_some() && weighted(y) {
                    let scaled = binary(BinaryFn::Mul, Expr::Class(y), Expr::Class(c));
                    let shift = binary(BinaryFn::Mul, Expr::Class(b), Expr::Class(c));
                    out.push(binary(BinaryFn::Add, scaled, shift));
                }
            }
        }
    }
    out
}

/// A random product with constant weights, and its columns.
fn product(e: &mut Example) -> (sinter_ops::ValueId, i64) {
    let (batch, rows, inner, columns) = (e.int(1, 3), e.int(1, 5), e.int(1, 5), e.int(1, 5));
    let x = match e.int(0, 1) {
        0 => e.input(&[rows, inner]),
        _ => e.input(&[batch, rows, inner]),
    };
    let w = e.constant(&[inner, columns], -1.0, 1.0);
    (e.apply(Matmul {}, &[x, w]), columns)
}

fn factor(e: &mut Example, columns: i64) -> sinter_ops::ValueId {
    match e.int(0, 1) {
        0 => {
            let value = e.float(-2.0, 2.0);
            e.literal(value)
        }
        _ => e.constant(&[columns], -2.0, 2.0),
    }
}
