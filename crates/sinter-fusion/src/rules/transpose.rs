//! Transposes move through pointwise operators, meet, and cancel.
//!
//! Laws, for permutations `p`, `q` (result dimension `i` is operand dimension `p[i]`):
//!
//! - `transpose[q](transpose[p](x)) = transpose[p o q](x)`
//! - `transpose[p](x) = reshape(x)` where only dimensions of one point change places
//! - `f(transpose[p](x), ..) = transpose[p](f(x, ..))` for pointwise `f`, with every operand transposed
//!   alike, a constant (transposed back, once and for all) or a scalar
//! - `reduce[axes](transpose[p](x)) = transpose[p](reduce[p(axes)](x))` where reduced dimensions stay
//!
//! A transposed constant is a constant again, so these end.

use egg::Id;
use sinter_loops::scalar::BinaryFn;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::transpose::Transpose;
use sinter_ops::ops::unary::UnaryKind;
use sinter_ops::{Op, Operator};

use super::pattern::{Example, View};
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "transpose-of-transpose",
        law: "transpose[q](transpose[p](x)) = transpose[p o q](x)",
        numerics: Numerics::Exact,
        one_way: false,
        find: transpose_of_transpose,
        example: |e| {
            let shape = e.shape(3);
            let x = e.input(&shape);
            let (p, q) = (permutation(e, 3), permutation(e, 3));
            let y = e.apply(Transpose { perm: p }, &[x]);
            let y = e.apply(Transpose { perm: q }, &[y]);
            e.output(y);
        },
    },
    Rule {
        name: "transpose-as-reshape",
        law: "transpose[p](x) = reshape(x) where only extents of one move",
        numerics: Numerics::Exact,
        one_way: false,
        find: transpose_as_reshape,
        example: |e| {
            let (a, b) = (e.int(2, 4), e.int(2, 4));
            let x = e.input(&[a, 1, b]);
            let perm = if e.int(0, 1) == 0 {
                vec![1, 0, 2]
            } else {
                vec![0, 2, 1]
            };
            let y = e.apply(Transpose { perm }, &[x]);
            e.output(y);
        },
    },
    Rule {
        name: "transpose-out-of-pointwise",
        law: "f(transpose[p](x), ..) = transpose[p](f(x, ..))",
        numerics: Numerics::Exact,
        one_way: false,
        find: out_of_pointwise,
        example: |e| {
            let shape = e.shape(3);
            let perm = permutation(e, 3);
            let x = e.input(&shape);
            let x = e.apply(Transpose { perm: perm.clone() }, &[x]);
            let y = match e.int(0, 2) {
                0 => e.unary(UnaryKind::Tanh, x),
                1 => {
                    let shape = e.graph.ty(x).shape.clone();
                    let first = e.int(0, 1) as usize;
                    let c = e.constant(&shape[first..], -1.0, 1.0);
                    e.binary_either_way(BinaryFn::Sub, x, c)
                }
                _ => {
                    let y = e.input(&shape);
                    let y = e.apply(Transpose { perm }, &[y]);
                    e.binary(BinaryFn::Mul, x, y)
                }
            };
            e.output(y);
        },
    },
    Rule {
        name: "transpose-out-of-reduction",
        law: "reduce[a](transpose[p](x)) = transpose[p](reduce[p(a)](x))",
        numerics: Numerics::Exact,
        one_way: false,
        find: out_of_reduction,
        example: |e| {
            let shape = e.shape(3);
            let perm = permutation(e, 3);
            let x = e.input(&shape);
            let x = e.apply(Transpose { perm }, &[x]);
            let axes = vec![e.int(0, 2)];
            let y = e.apply(
                Reduce {
                    kind: ReduceKind::Max,
                    axes,
                    keep_dims: true,
                },
                &[x],
            );
            e.output(y);
        },
    },
];

/// Permutations and operands of the transposes by which a class is computed.
fn transposed(view: &View<'_>, id: Id) -> Vec<(Vec<i64>, Id)> {
    view.operators(id)
        .filter_map(|(op, x)| match op {
            Op::Transpose(t) => Some((t.perm.clone(), x[0])),
            _ => None,
        })
        .collect()
}

fn transpose(perm: Vec<i64>, x: Expr) -> Expr {
    if perm.iter().enumerate().all(|(d, &p)| d as i64 == p) {
        return x;
    }
    Expr::op(Transpose { perm }, vec![x])
}

fn transpose_of_transpose(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(Op::Transpose(outer), operands) = term else {
        return vec![];
    };
    transposed(view, operands[0])
        .into_iter()
        .map(|(inner, x)| {
            let perm = outer.perm.iter().map(|&d| inner[d as usize]).collect();
            transpose(perm, Expr::Class(x))
        })
        .collect()
}

fn transpose_as_reshape(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(Op::Transpose(t), operands) = term else {
        return vec![];
    };
    let shape = &view.ty(operands[0]).shape;
    let moved: Vec<_> = t.perm.iter().filter(|&&d| shape[d as usize] != 1).collect();
    if !moved.is_sorted() {
        return vec![];
    }
    let shape = t.perm.iter().map(|&d| shape[d as usize]).collect();
    vec![Expr::op(Reshape { shape }, vec![Expr::Class(operands[0])])]
}

fn out_of_pointwise(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(op, operands) = term else {
        return vec![];
    };
    if !op.traits().elementwise {
        return vec![];
    }
    let perms: std::collections::BTreeSet<_> = operands
        .iter()
        .flat_map(|&o| transposed(view, o))
        .map(|(perm, _)| perm)
        .collect();
    perms
        .into_iter()
        .filter_map(|perm| {
            let operands: Option<Vec<_>> = operands
                .iter()
                .map(|&o| untransposed(view, o, &perm))
                .collect();
            Some(transpose(perm, Expr::Op(op.clone(), operands?)))
        })
        .collect()
}

/// The expression whose transpose an operand is.
fn untransposed(view: &View<'_>, operand: Id, perm: &[i64]) -> Option<Expr> {
    if let Some((_, x)) = transposed(view, operand)
        .into_iter()
        .find(|(p, _)| p == perm)
    {
        return Some(Expr::Class(x));
    }
    let constant = view.constant(operand)?;
    if constant.ty().rank() == 0 {
        return Some(Expr::Class(operand));
    }
    let missing = perm.len().checked_sub(constant.ty().rank())?;
    let shape = [vec![1; missing], constant.ty().shape.clone()].concat();
    let constant = &constant.reshaped(shape);
    let mut inverse = vec![0; perm.len()];
    perm.iter()
        .enumerate()
        .for_each(|(d, &p)| inverse[p as usize] = d as i64);
    let back = Transpose { perm: inverse }
        .eval(std::slice::from_ref(constant))
        .ok()?;
    back.into_iter().next().map(Expr::Constant)
}

fn out_of_reduction(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(Op::Reduce(reduce), operands) = term else {
        return vec![];
    };
    if !reduce.keep_dims {
        return vec![];
    }
    transposed(view, operands[0])
        .into_iter()
        // The order of a reduction over several axes is the order of the axes.
        .filter_map(|(perm, x)| {
            let axes: Vec<_> = reduce.axes.iter().map(|&a| perm[a as usize]).collect();
            axes.is_sorted().then(|| {
                let inner = Reduce {
                    axes,
                    ..reduce.clone()
                };
                transpose(perm, Expr::op(inner, vec![Expr::Class(x)]))
            })
        })
        .collect()
}

fn permutation(e: &mut Example, rank: usize) -> Vec<i64> {
    let mut perm: Vec<_> = (0..rank as i64).collect();
    loop {
        for d in (1..rank).rev() {
            perm.swap(d, e.int(0, d as i64) as usize);
        }
        if !perm.is_sorted() {
            return perm;
        }
    }
}
