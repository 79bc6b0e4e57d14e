//! Constants per channel on the operand of a convolution, moved into its weights and bias.
//!
//! Laws, for constants `c` and `d` of one value, or one value per channel:
//!
//! - `conv(x * c, w, b) = conv(x, w * c, b)`, `w` scaled along its input channels
//! - `conv(x + d, w, b) = conv(x, w, b + w . d)`, where nothing is padded
//! - `conv(x * c + d, w, b) = conv(x + d / c, w * c, b)`: padding stays zero, so that the shift stays too

use egg::Id;
use sinter_loops::scalar::BinaryFn;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::Op;
use sinter_ops::ops::conv::Conv;

use super::bias::per_channel;
use super::pattern::{Example, View, binary, sides};
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "operand-scale-into-weights",
        law: "conv(x * c, w, b) = conv(x, w * c, b)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: scale_into_weights,
        example: |e| {
            let (x, channels) = operand(e);
            let c = factor(e, channels);
            let x = e.binary_either_way(BinaryFn::Mul, x, c);
            convolved(e, x, channels, true);
        },
    },
    Rule {
        name: "operand-shift-into-bias",
        law: "conv(x + d, w, b) = conv(x, w, b + w . d)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: shift_into_bias,
        example: |e| {
            let (x, channels) = operand(e);
            let d = e.constant(&[channels, 1, 1], -1.0, 1.0);
            let x = e.binary_either_way(BinaryFn::Add, x, d);
            convolved(e, x, channels, false);
        },
    },
    Rule {
        name: "operand-scale-past-shift",
        law: "conv(x * c + d, w, b) = conv(x + d / c, w * c, b)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: scale_past_shift,
        example: |e| {
            let (x, channels) = operand(e);
            let c = factor(e, channels);
            let x = e.binary_either_way(BinaryFn::Mul, x, c);
            let d = e.constant(&[channels, 1, 1], -1.0, 1.0);
            let x = e.binary_either_way(BinaryFn::Add, x, d);
            convolved(e, x, channels, true);
        },
    },
];

/// A convolution with constant weights.
struct Weighted<'a> {
    conv: &'a Conv,
    operands: &'a [Id],
    weights: &'a Tensor,
}

impl<'a> Weighted<'a> {
    fn of(view: &View<'a>, term: &'a Term) -> Option<Self> {
        let Term::Apply(Op::Conv(conv), operands) = term else {
            return None;
        };
        let weights = view.constant(operands[1])?;
        Some(Self {
            conv,
            operands,
            weights,
        })
    }

    /// Pairs `(x, values)` such that the operand is `x kind c`, with the values of `c` per channel.
    fn operand(&self, view: &View<'_>, of: Id, kind: BinaryFn) -> Vec<(Id, Vec<f64>)> {
        let ty = view.ty(self.operands[0]);
        let pairs = view.binary(of, kind).into_iter();
        let sides = pairs.flat_map(|pair| sides(kind, pair));
        let constant = |(x, c): (Id, Id)| {
            let values = per_channel(view.constant(c)?, &ty.shape)?;
            (view.ty(x) == ty).then_some((x, values))
        };
        sides.filter_map(constant).collect()
    }

    /// The weights times a factor per input channel.
    fn scaled(&self, factor: &[f64]) -> Expr {
        let ty = self.weights.ty();
        let (outputs, inputs) = (ty.shape[0] as usize, ty.shape[1] as usize);
        let groups = self.conv.groups as usize;
        let mut shape = vec![1; ty.rank()];
        let values: Vec<f64> = match groups {
            1 => factor.to_vec(),
            // Channel `ci` of output `co` is channel `group * inputs + ci` of the operand.
            _ => (0..outputs)
                .flat_map(|co| {
                    let group = co / (outputs / groups);
                    factor[group * inputs..(group + 1) * inputs].to_vec()
                })
                .collect(),
        };
        shape[0] = if groups == 1 { 1 } else { ty.shape[0] };
        shape[1] = ty.shape[1];
        let factor = Tensor::from_f64s(TensorType::new(ty.element, shape), &values);
        // The product folds when it enters the e-graph: once, not whenever the rule is tried.
        binary(
            BinaryFn::Mul,
            Expr::Class(self.operands[1]),
            Expr::Constant(factor),
        )
    }

    /// What a shift of the operand adds to every output channel.
    fn response(&self, shift: &[f64]) -> Vec<f64> {
        let ty = self.weights.ty();
        let (outputs, inputs) = (ty.shape[0] as usize, ty.shape[1] as usize);
        let taps = ty.shape[2..].iter().product::<i64>() as usize;
        let groups = self.conv.groups as usize;
        let values = self.weights.to_f64s();
        let channel = |co: usize| {
            let group = co / (outputs / groups);
            let of = |ci: usize| {
                let first = (co * inputs + ci) * taps;
                let sum: f64 = values[first..first + taps].iter().sum();
                sum * shift[group * inputs + ci]
            };
            (0..inputs).map(of).sum()
        };
        (0..outputs).map(channel).collect()
    }

    fn with(&self, x: Expr, weights: Expr) -> Expr {
        let mut operands = vec![x, weights];
        operands.extend(self.operands[2..].iter().map(|&b| Expr::Class(b)));
        Expr::Op(self.conv.clone().into(), operands)
    }
}

fn scale_into_weights(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some(conv) = Weighted::of(view, term) else {
        return vec![];
    };
    let scaled = conv.operand(view, conv.operands[0], BinaryFn::Mul);
    let moved = |(x, c): (Id, Vec<f64>)| conv.with(Expr::Class(x), conv.scaled(&c));
    scaled.into_iter().map(moved).collect()
}

fn shift_into_bias(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some(conv) = Weighted::of(view, term) else {
        return vec![];
    };
    if conv.conv.pads.iter().any(|&p| p != 0) {
        return vec![];
    }
    let shifted = conv.operand(view, conv.operands[0], BinaryFn::Add);
    let moved = |(x, d): (Id, Vec<f64>)| {
        let mut bias = conv.response(&d);
        if let Some(&own) = conv.operands.get(2) {
            let own = view.constant(own)?.to_f64s();
            bias.iter_mut().zip(own).for_each(|(b, own)| *b += own);
        }
        let ty = TensorType::new(conv.weights.ty().element, [bias.len() as i64]);
        let bias = Expr::Constant(Tensor::from_f64s(ty, &bias));
        let operands = vec![Expr::Class(x), Expr::Class(conv.operands[1]), bias];
        Some(Expr::Op(conv.conv.clone().into(), operands))
    };
    shifted.into_iter().filter_map(moved).collect()
}

fn scale_past_shift(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some(conv) = Weighted::of(view, term) else {
        return vec![];
    };
    let mut out = Vec::new();
    for (sum, shift) in conv.operand(view, conv.operands[0], BinaryFn::Add) {
        for (x, factor) in conv.operand(view, sum, BinaryFn::Mul) {
            let ty = view.ty(x);
            let quotients: Vec<_> = shift.iter().zip(&factor).map(|(d, c)| d / c).collect();
            let all = TensorType::new(ty.element, [quotients.len() as i64]);
            let all = Tensor::from_f64s(all, &quotients).to_f64s();
            if !all.iter().all(|q| q.is_finite()) {
                continue;
            }
            let mut shape = vec![1; ty.rank() - 1];
            shape[0] = ty.shape[1];
            let shift = match quotients.iter().all(|q| *q == quotients[0]) {
                true => Tensor::from_f64s(TensorType::new(ty.element, []), &quotients[..1]),
                false => Tensor::from_f64s(TensorType::new(ty.element, shape), &quotients),
            };
            let x = binary(BinaryFn::Add, Expr::Class(x), Expr::Constant(shift));
            out.push(conv.with(x, conv.scaled(&factor)));
        }
    }
    out
}

/// A random operand, and its channels: two groups of some.
fn operand(e: &mut Example) -> (sinter_ops::ValueId, i64) {
    let channels = 2 * e.int(1, 3);
    let shape = [1, channels, e.int(3, 6), e.int(3, 6)];
    (e.input(&shape), channels)
}

fn factor(e: &mut Example, channels: i64) -> sinter_ops::ValueId {
    match e.int(0, 1) {
        0 => {
            let value = e.float(0.5, 2.0);
            e.literal(value)
        }
        _ => e.constant(&[channels, 1, 1], 0.5, 2.0),
    }
}

/// A random convolution as the output.
fn convolved(e: &mut Example, x: sinter_ops::ValueId, channels: i64, padded: bool) {
    let groups = e.int(1, 2);
    let (outputs, kernel) = (groups * e.int(1, 3), e.int(1, 3));
    let w = e.constant(&[outputs, channels / groups, kernel, kernel], -1.0, 1.0);
    let mut operands = vec![x, w];
    if e.int(0, 1) == 1 {
        operands.push(e.constant(&[outputs], -1.0, 1.0));
    }
    let conv = Conv {
        strides: vec![e.int(1, 2); 2],
        pads: vec![if padded { kernel / 2 } else { 0 }; 4],
        dilations: vec![1; 2],
        groups,
    };
    let y = e.apply(conv, &operands);
    e.output(y);
}
