//! Convolutions of tensors in which every element is repeated.
//!
//! A convolution of `k` taps per dimension over `up(x)`, where every element of `x` stands twice,
//! multiplies equal values by several taps. The taps that meet the same element are summed beforehand:
//! a transposed convolution of stride 2 with `k + 1` taps, of which every output has `(k + 1) / 2`. A
//! tensor that is repeated `2n` times is taken as one that is repeated `n` times and then twice.
//!
//! Laws, with `w'[ci, co, t] = sum of w[co, ci, k - 1 - j] over j + r = t, r = 0, 1`:
//!
//! - `conv(up(x), w, b) = conv_transpose[2](x, w', b)`
//! - `conv(concat(up(x), y), w, b) = conv(y, w_y, b) + conv_transpose[2](x, w_x')`, as the operands of a
//!   feature pyramid

use egg::Id;
use sinter_loops::scalar::BinaryFn;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::Op;
use sinter_ops::ops::concat::Concat;
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::conv_transpose::ConvTranspose;
use sinter_ops::ops::resize::Resize;

use super::pattern::{Example, View, binary};
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "convolution-of-upsampled",
        law: "conv(up(x), w, b) = conv_transpose[2](x, w', b)",
        numerics: Numerics::Reassociating,
        one_way: false,
        find: |view, term| whole(view, term).into_iter().collect(),
        example: |e| {
            let x = upsampled(e, 0);
            convolved(e, x);
        },
    },
    Rule {
        name: "convolution-of-upsampled-parts",
        law: "conv(concat(up(x), y), w, b) = conv(y, w_y, b) + conv_transpose[2](x, w_x')",
        numerics: Numerics::Reassociating,
        one_way: false,
        find: |view, term| parts(view, term).into_iter().collect(),
        example: |e| {
            let mut all = vec![upsampled(e, 0), upsampled(e, 1)];
            let shape = e.graph.ty(all[0]).shape.clone();
            let at = e.int(0, 2) as usize;
            let plain = [1, e.int(1, 3), shape[2], shape[3]];
            let plain = e.input(&plain);
            all.insert(at, plain);
            let x = e.apply(Concat { axis: 1 }, &all);
            convolved(e, x);
        },
    },
];

/// A convolution that such a rule may take apart.
struct Dense<'a> {
    conv: &'a Conv,
    operands: &'a [Id],
    weights: &'a Tensor,
}

impl<'a> Dense<'a> {
    fn of(view: &View<'a>, term: &'a Term) -> Option<Self> {
        let Term::Apply(Op::Conv(conv), operands) = term else {
            return None;
        };
        let weights = view.constant(operands[1])?;
        let kernel = &weights.ty().shape[2..];
        let one = |v: &[i64]| v.iter().all(|&n| n == 1);
        let pads = conv.pads.chunks(kernel.len());
        let covered = pads.flat_map(|p| p.iter().zip(kernel)).all(|(p, k)| p < k);
        let plain = conv.groups == 1 && one(&conv.strides) && one(&conv.dilations);
        // A single tap meets nothing twice.
        (plain && covered && !one(kernel)).then_some(Self {
            conv,
            operands,
            weights,
        })
    }

    /// The weights of some input channels.
    fn of_channels(&self, channels: &[i64]) -> Tensor {
        let ty = self.weights.ty();
        let (inputs, taps) = (ty.shape[1], ty.shape[2..].iter().product::<i64>());
        let values = self.weights.to_f64s();
        let places =
            (0..ty.shape[0]).flat_map(|co| channels.iter().map(move |ci| co * inputs + ci));
        let tap = |place: i64| {
            let first = (place * taps) as usize;
            values[first..first + taps as usize].to_vec()
        };
        let values: Vec<f64> = places.flat_map(tap).collect();
        let mut shape = ty.shape.clone();
        shape[1] = channels.len() as i64;
        Tensor::from_f64s(TensorType::new(ty.element, shape), &values)
    }

    /// The transposed convolution over what the given channels repeat.
    fn transposed(&self, x: Expr, channels: &[i64], bias: Option<Id>) -> Expr {
        let weights = self.of_channels(channels);
        let kernel = &weights.ty().shape[2..];
        let spatial = kernel.len();
        let pads = self.conv.pads.iter().zip(kernel.iter().cycle());
        let conv = ConvTranspose {
            strides: vec![2; spatial],
            pads: pads.map(|(p, k)| k - 1 - p).collect(),
            output_pads: vec![0; spatial],
            dilations: vec![1; spatial],
            groups: 1,
        };
        let mut operands = vec![x, Expr::Constant(summed(&weights))];
        operands.extend(bias.map(Expr::Class));
        Expr::op(conv, operands)
    }
}

/// `w'` of the laws.
fn summed(weights: &Tensor) -> Tensor {
    let ty = weights.ty();
    let (outputs, inputs) = (ty.shape[0] as usize, ty.shape[1] as usize);
    let kernel: Vec<usize> = ty.shape[2..].iter().map(|&k| k as usize).collect();
    let wider: Vec<usize> = kernel.iter().map(|k| k + 1).collect();
    let (taps, wide): (usize, usize) = (kernel.iter().product(), wider.iter().product());
    let values = weights.to_f64s();
    let mut out = vec![0.0; inputs * outputs * wide];
    for tap in 0..taps {
        // Every subset of dimensions in which the second of the two equal elements is met.
        for second in 0..1usize << kernel.len() {
            let (mut rest, mut place, mut stride) = (tap, 0, 1);
            for d in (0..kernel.len()).rev() {
                let k = rest % kernel[d];
                rest /= kernel[d];
                place += (kernel[d] - 1 - k + (second >> d & 1)) * stride;
                stride *= wider[d];
            }
            for co in 0..outputs {
                for ci in 0..inputs {
                    out[(ci * outputs + co) * wide + place] +=
                        values[(co * inputs + ci) * taps + tap];
                }
            }
        }
    }
    let mut shape = vec![ty.shape[1], ty.shape[0]];
    shape.extend(wider.iter().map(|&k| k as i64));
    Tensor::from_f64s(TensorType::new(ty.element, shape), &out)
}

/// What a class repeats twice along every spatial dimension.
fn halved(view: &View<'_>, id: Id) -> Option<Expr> {
    view.operators(id).find_map(|(op, operands)| {
        let Op::Resize(resize) = op else { return None };
        let shape = &view.ty(operands[0]).shape;
        let mut times = resize.repeats(shape)?;
        let even = times.iter().skip(2).all(|t| t % 2 == 0);
        if times.len() < 3 || times[..2] != [1, 1] || !even {
            return None;
        }
        times.iter_mut().skip(2).for_each(|t| *t /= 2);
        let x = Expr::Class(operands[0]);
        match times.iter().all(|&t| t == 1) {
            true => Some(x),
            false => Some(Expr::op(Resize::repeating(shape, &times), vec![x])),
        }
    })
}

fn whole(view: &View<'_>, term: &Term) -> Option<Expr> {
    let conv = Dense::of(view, term)?;
    let x = halved(view, conv.operands[0])?;
    let channels: Vec<i64> = (0..conv.weights.ty().shape[1]).collect();
    Some(conv.transposed(x, &channels, conv.operands.get(2).copied()))
}

fn parts(view: &View<'_>, term: &Term) -> Option<Expr> {
    let conv = Dense::of(view, term)?;
    let concat = view.operators(conv.operands[0]).find_map(|(op, parts)| {
        let channels = matches!(op, Op::Concat(concat) if concat.axis == 1);
        channels.then_some(parts)
    })?;
    let (mut repeated, mut others) = (Vec::new(), Vec::new());
    let (mut of_repeated, mut of_others) = (Vec::new(), Vec::new());
    let mut first = 0;
    for &part in concat {
        let channels = first..first + view.ty(part).shape[1];
        first = channels.end;
        match halved(view, part) {
            Some(x) => {
                repeated.push(x);
                of_repeated.extend(channels);
            }
            None => {
                others.push(Expr::Class(part));
                of_others.extend(channels);
            }
        }
    }
    let bias = conv.operands.get(2).copied();
    let joined = |mut parts: Vec<Expr>| match parts.len() {
        1 => parts.remove(0),
        _ => Expr::op(Concat { axis: 1 }, parts),
    };
    if repeated.is_empty() {
        return None;
    }
    if others.is_empty() {
        return Some(conv.transposed(joined(repeated), &of_repeated, bias));
    }
    let transposed = conv.transposed(joined(repeated), &of_repeated, None);
    let weights = Expr::Constant(conv.of_channels(&of_others));
    let mut operands = vec![joined(others), weights];
    operands.extend(bias.map(Expr::Class));
    let direct = Expr::Op(conv.conv.clone().into(), operands);
    Some(binary(BinaryFn::Add, direct, transposed))
}

/// A random tensor whose elements are repeated 2, 4 or 8 times; all have the same extents.
fn upsampled(e: &mut Example, number: i64) -> sinter_ops::ValueId {
    let times = 2 << ((number + e.int(0, 1)) % 3);
    let shape = [1, e.int(1, 3), 8 / times, 16 / times];
    let x = e.input(&shape);
    e.apply(Resize::repeating(&shape, &[1, 1, times, times]), &[x])
}

/// A random convolution as the output.
fn convolved(e: &mut Example, x: sinter_ops::ValueId) {
    let channels = e.graph.ty(x).shape[1];
    let (outputs, kernel) = (e.int(1, 3), [e.int(1, 3), e.int(2, 4)]);
    let operands = e.with_taps(x, &[outputs, channels, kernel[0], kernel[1]]);
    let pads = (0..4).map(|n| e.int(0, kernel[n % 2] - 1)).collect();
    e.convolved(&operands, pads);
}
