//! Batch normalisation in inference, with constant parameters.
//!
//! Laws, with `f = scale / sqrt(variance + epsilon)` per channel:
//!
//! - `batch_norm(x) = x * f + (bias - mean * f)`
//! - `batch_norm(conv(x, w, b)) = conv(x, w * f, (b - mean) * f + bias)`, `w` scaled along its output
//!   channels
//! - the same for `conv_transpose` of one group, whose output channels are dimension 1 of `w`

use egg::Id;
use sinter_loops::scalar::{BinaryFn, FloatBits};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::Op;
use sinter_ops::ops::batch_norm::BatchNorm;
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::conv_transpose::ConvTranspose;

use super::pattern::{Example, View, binary};
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "batch-norm-as-scale-and-shift",
        law: "batch_norm(x) = x * f + (bias - mean * f)",
        numerics: Numerics::Rounding,
        one_way: true,
        find: as_scale_and_shift,
        example: |e| {
            let shape = e.shape(4);
            let x = e.input(&shape);
            let y = batch_norm(e, x, shape[1]);
            e.output(y);
        },
    },
    Rule {
        name: "batch-norm-into-convolution",
        law: "batch_norm(conv(x, w, b)) = conv(x, w * f, (b - mean) * f + bias)",
        numerics: Numerics::Rounding,
        one_way: true,
        find: into_convolution,
        example: |e| {
            let (x, channels) = convolved(e);
            let y = batch_norm(e, x, channels);
            e.output(y);
        },
    },
];

fn as_scale_and_shift(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some((x, scale, shift)) = scale_and_shift(view, term) else {
        return vec![];
    };
    let ty = view.ty(x);
    let mut shape = vec![1; ty.rank().saturating_sub(1)];
    if let Some(channels) = shape.first_mut() {
        *channels = scale.len() as i64;
    }
    let constant = |values: &[f64]| {
        Expr::Constant(Tensor::from_f64s(
            TensorType::new(ty.element, shape.clone()),
            values,
        ))
    };
    let scaled = binary(BinaryFn::Mul, Expr::Class(x), constant(&scale));
    vec![binary(BinaryFn::Add, scaled, constant(&shift))]
}

fn into_convolution(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Some((x, scale, shift)) = scale_and_shift(view, term) else {
        return vec![];
    };
    rescaled(view, x, &scale, &shift)
}

/// Operand, factor and offset per channel of a batch normalisation.
fn scale_and_shift(view: &View<'_>, term: &Term) -> Option<(Id, Vec<f64>, Vec<f64>)> {
    let Term::Apply(Op::BatchNorm(norm), operands) = term else {
        return None;
    };
    let parameter = |n: usize| Some(view.constant(operands[n])?.to_f64s());
    let (scale, bias) = (parameter(1)?, parameter(2)?);
    let (mean, variance) = (parameter(3)?, parameter(4)?);
    let factor: Vec<_> = scale
        .iter()
        .zip(&variance)
        .map(|(s, v)| s / (v + norm.epsilon.get()).sqrt())
        .collect();
    let shift = (0..factor.len())
        .map(|c| bias[c] - mean[c] * factor[c])
        .collect();
    Some((operands[0], factor, shift))
}

/// The convolutions by which a class is computed, with `y * factor + shift` per output channel folded
/// into weights and bias.
pub(super) fn rescaled(view: &View<'_>, y: Id, factor: &[f64], shift: &[f64]) -> Vec<Expr> {
    let convolution = |(op, operands): (&Op, &[Id])| {
        let channel_dim = match op {
            Op::Conv(_) => 0,
            Op::ConvTranspose(conv) if conv.groups == 1 => 1,
            _ => return None,
        };
        let weights = view.constant(operands[1])?;
        let bias = match operands.get(2) {
            Some(&bias) => view.constant(bias)?.to_f64s(),
            None => vec![0.0; factor.len()],
        };
        let bias: Vec<_> = (0..factor.len())
            .map(|c| bias[c] * factor[c] + shift[c])
            .collect();
        let bias = Tensor::from_f64s(
            TensorType::new(weights.ty().element, [factor.len() as i64]),
            &bias,
        );
        let element = weights.ty().element;
        let weights = if factor.iter().all(|f| *f == 1.0) {
            Expr::Class(operands[1])
        } else {
            // The product folds when it enters the e-graph: once, not whenever the rule is tried.
            let mut shape = vec![1; weights.ty().rank()];
            shape[channel_dim] = factor.len() as i64;
            let factor = Tensor::from_f64s(TensorType::new(element, shape), factor);
            binary(
                BinaryFn::Mul,
                Expr::Class(operands[1]),
                Expr::Constant(factor),
            )
        };
        let operands = vec![Expr::Class(operands[0]), weights, Expr::Constant(bias)];
        Some(Expr::Op(op.clone(), operands))
    };
    view.operators(y).filter_map(convolution).collect()
}

/// A random convolution, plain, grouped or transposed, with or without bias; and its channels.
pub(super) fn convolved(e: &mut Example) -> (sinter_ops::ValueId, i64) {
    let groups = e.int(1, 2);
    let (ci, co) = (groups * e.int(1, 3), groups * e.int(1, 3));
    let (height, width) = (e.int(3, 6), e.int(3, 6));
    let x = e.input(&[1, ci, height, width]);
    let kernel = e.int(1, 3);
    let bias = e.int(0, 1) == 1;
    let transposed = groups == 1 && e.int(0, 2) == 0;
    let weights = if transposed {
        [ci, co]
    } else {
        [co, ci / groups]
    };
    let w = e.constant(&[weights[0], weights[1], kernel, kernel], -1.0, 1.0);
    let mut operands = vec![x, w];
    if bias {
        operands.push(e.constant(&[co], -1.0, 1.0));
    }
    let (strides, dilations) = (vec![e.int(1, 2); 2], vec![1; 2]);
    let pads = vec![kernel / 2; 4];
    let y = if transposed {
        let output_pads = vec![0; 2];
        e.apply(
            ConvTranspose {
                strides,
                pads,
                output_pads,
                dilations,
                groups,
            },
            &operands,
        )
    } else {
        e.apply(
            Conv {
                strides,
                pads,
                dilations,
                groups,
            },
            &operands,
        )
    };
    (y, co)
}

fn batch_norm(e: &mut Example, x: sinter_ops::ValueId, channels: i64) -> sinter_ops::ValueId {
    let scale = e.constant(&[channels], -2.0, 2.0);
    let bias = e.constant(&[channels], -1.0, 1.0);
    let mean = e.constant(&[channels], -1.0, 1.0);
    let variance = e.constant(&[channels], 0.1, 2.0);
    e.apply(
        BatchNorm {
            epsilon: FloatBits::new(1e-5),
        },
        &[x, scale, bias, mean, variance],
    )
}
