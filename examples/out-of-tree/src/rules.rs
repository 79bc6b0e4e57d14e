//! Rewrite rules of the `dsp` operators.

use sinter_fusion::Numerics;
use sinter_fusion::rules::{Expr, Id, Rule, Term, View, binary_of, sides};
use sinter_loops::scalar::{BinaryFn, FloatBits};
use sinter_ops::Op;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::unary::UnaryKind;

use crate::power::Power;
use crate::squareplus::Squareplus;

/// The rules.
pub const RULES: &[Rule] = &[
    Rule {
        name: "dsp-squareplus-from-parts",
        law: "(x + sqrt(x * x + b)) * 1/2 = squareplus[b](x)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: squareplus_from_parts,
        example: |e| {
            let shape = e.shape(2);
            let x = e.input(&shape);
            let roundness = e.float(0.1, 4.0);
            let (roundness, half) = (e.literal(roundness), e.literal(0.5));
            let square = e.binary(BinaryFn::Mul, x, x);
            let inside = e.binary_either_way(BinaryFn::Add, square, roundness);
            let root = e.unary(UnaryKind::Sqrt, inside);
            let sum = e.binary_either_way(BinaryFn::Add, x, root);
            let y = e.binary_either_way(BinaryFn::Mul, sum, half);
            e.output(y);
        },
    },
    Rule {
        name: "dsp-power-from-mean",
        law: "mean(x * x, axis) = power[axis](x)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: power_from_mean,
        example: |e| {
            let shape = e.shape(3);
            let x = e.input(&shape);
            let square = e.binary(BinaryFn::Mul, x, x);
            let mean = Reduce {
                kind: ReduceKind::Mean,
                axes: vec![e.int(0, 2)],
                keep_dims: true,
            };
            let y = e.apply(mean, &[square]);
            e.output(y);
        },
    },
    Rule {
        name: "dsp-power-ignores-sign",
        law: "power(-x) = power(abs(x)) = power(x)",
        numerics: Numerics::Exact,
        one_way: true,
        find: power_ignores_sign,
        example: |e| {
            let shape = e.shape(2);
            let x = e.input(&shape);
            let kind = [UnaryKind::Neg, UnaryKind::Abs][e.int(0, 1) as usize];
            let signed = e.unary(kind, x);
            let axis = e.int(0, 1);
            let y = e.apply(Power { axis }, &[signed]);
            e.output(y);
        },
    },
];

fn squareplus_from_parts(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some((BinaryFn::Mul, pair)) = binary_of(term) else {
        return vec![];
    };
    let halves = view.literal_sides(BinaryFn::Mul, pair).into_iter();
    let halves = halves.filter(|(_, factor)| *factor == 0.5);
    let sums = halves.flat_map(|(sum, _)| view.binary(sum, BinaryFn::Add));
    sums.flat_map(|terms| sides(BinaryFn::Add, terms))
        .filter(|(x, _)| {
            pair.iter()
                .all(|p| view.ty(*p).rank() <= view.ty(*x).rank())
        })
        .filter_map(|(x, root)| {
            let roundness = FloatBits::new(root_of_square_and(view, x, root)?);
            Some(Expr::op(Squareplus { roundness }, vec![Expr::Class(x)]))
        })
        .collect()
}

/// The literal `b`, not negative, of `sqrt(x * x + b)`.
fn root_of_square_and(view: &View<'_>, x: Id, root: Id) -> Option<f64> {
    let inside = view.unary(root, UnaryKind::Sqrt)?;
    let mut sums = view.with_literal(inside, BinaryFn::Add).into_iter();
    let (_, roundness) = sums.find(|(square, b)| *b >= 0.0 && is_square(view, *square, x))?;
    (view.ty(root) == view.ty(x)).then_some(roundness)
}

fn is_square(view: &View<'_>, square: Id, x: Id) -> bool {
    let factors = view.binary(square, BinaryFn::Mul);
    factors.iter().any(|f| f.iter().all(|&y| view.same(y, x)))
}

fn power_from_mean(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(Op::Reduce(reduce), operands) = term else {
        return vec![];
    };
    let (ReduceKind::Mean, true, [axis]) = (reduce.kind, reduce.keep_dims, reduce.axes.as_slice())
    else {
        return vec![];
    };
    let products = view.binary(operands[0], BinaryFn::Mul).into_iter();
    products
        .filter(|[a, b]| view.same(*a, *b))
        .map(|[x, _]| Expr::op(Power { axis: *axis }, vec![Expr::Class(x)]))
        .collect()
}

fn power_ignores_sign(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(Op::Custom(op), operands) = term else {
        return vec![];
    };
    let Some(power) = op.downcast_ref::<Power>() else {
        return vec![];
    };
    let signed = [UnaryKind::Neg, UnaryKind::Abs].into_iter();
    signed
        .filter_map(|kind| view.unary(operands[0], kind))
        .map(|x| Expr::op(power.clone(), vec![Expr::Class(x)]))
        .collect()
}
