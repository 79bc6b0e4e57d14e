//! Constants per channel composed into a convolution's weights and bias.
//!
//! Laws, for a constant `c` of one value, or one value per output channel:
//!
//! - `conv(x, w, b) + c = conv(x, w, b + c)`
//! - `conv(x, w, b) * c = conv(x, w * c, b * c)`, `w` scaled along its output channels

use sinter_loops::scalar::BinaryFn;
use sinter_loops::tensor::Tensor;

use super::batch_norm::{convolved, rescaled};
use super::pattern::{Example, View, binary_of, sides};
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "add-into-bias",
        law: "conv(x, w, b) + c = conv(x, w, b + c)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: |view, term| fold(view, term, BinaryFn::Add),
        example: |e| example(e, BinaryFn::Add),
    },
    Rule {
        name: "scale-into-weights",
        law: "conv(x, w, b) * c = conv(x, w * c, b * c)",
        numerics: Numerics::Rounding,
        one_way: false,
        find: |view, term| fold(view, term, BinaryFn::Mul),
        example: |e| example(e, BinaryFn::Mul),
    },
];

fn fold(view: &View<'_>, term: &Term, wanted: BinaryFn) -> Vec<Expr> {
    let Some((kind, pair)) = binary_of(term) else {
        return vec![];
    };
    if kind != wanted {
        return vec![];
    }
    let mut out = Vec::new();
    for (y, c) in sides(kind, pair) {
        let ty = view.ty(y);
        let Some(constant) = view.constant(c).filter(|_| ty.rank() >= 3) else {
            continue;
        };
        let Some(values) = per_channel(constant, &ty.shape) else {
            continue;
        };
        let (ones, zeros) = (vec![1.0; values.len()], vec![0.0; values.len()]);
        out.extend(match kind {
            BinaryFn::Add => rescaled(view, y, &ones, &values),
            _ => rescaled(view, y, &values, &zeros),
        });
    }
    out
}

/// One value per channel (dimension 1) of a constant that varies along no other dimension.
pub(super) fn per_channel(constant: &Tensor, shape: &[i64]) -> Option<Vec<f64>> {
    let channels = shape[1] as usize;
    if let Some(value) = constant.splat() {
        return (constant.ty().rank() <= shape.len()
            && constant.ty().shape.iter().all(|&e| e == 1))
        .then(|| vec![value; channels]);
    }
    let lead = shape.len().checked_sub(constant.ty().rank())?;
    let only_channels = constant
        .ty()
        .shape
        .iter()
        .enumerate()
        .all(|(d, &e)| e == 1 || (d + lead == 1 && e == shape[1]));
    only_channels.then(|| constant.to_f64s())
}

fn example(e: &mut Example, kind: BinaryFn) {
    let (y, channels) = convolved(e);
    let c = if e.int(0, 3) == 0 {
        let value = e.float(-2.0, 2.0);
        e.literal(value)
    } else {
        e.constant(&[channels, 1, 1], -2.0, 2.0)
    };
    let y = e.binary_either_way(kind, y, c);
    e.output(y);
}
