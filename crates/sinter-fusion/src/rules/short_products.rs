//! Convolutions by short products (Toom and Cook; Winograd).
//!
//! Two rows of a convolution of three rows of taps take four products instead of six: the products are
//! those of sums of four rows of the operand and sums of the rows of taps, and the rows of the result
//! are sums of the products. The sums have factors 1 and 1/2 only, so that the error is that of
//! another order: of random convolutions the largest was 0.8 to 1.5 times that of a sum in ascending order.
//!
//! Law, where `d` are four rows of `x`, `g` the three rows of `w`, and `*` convolves along the columns:
//!
//! - `y0 = p0 + p1 + p2 + b`, `y1 = p1 - p2 - p3 + b` with `p0 = (d0 - d2) * g0`,
//!   `p1 = (d1 + d2) * (g0 + g1 + g2) / 2`, `p2 = (d2 - d1) * (g0 - g1 + g2) / 2`, `p3 = (d1 - d3) * g2`
//!
//! Extraction takes the right side where its kernel is the cheaper one on the device.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::Op;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::transpose::Transpose;
use sinter_ops::ops::winograd_conv::WinogradConv;

use super::pattern::{Example, View};
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[Rule {
    name: "convolution-by-short-products",
    law: "conv(x, w, b) = backward . conv[columns](forward . x, g . w) + b",
    numerics: Numerics::Reassociating,
    one_way: false,
    find: |view, term| two_rows(view, term).into_iter().collect(),
    example,
}];

/// Rows of taps.
const TAPS: i64 = 3;
/// Rows of the result that are computed together.
const ROWS: i64 = 2;
/// Products by which that is done.
const PRODUCTS: i64 = 4;

/// Combinations of rows of the operand.
const FORWARD: [f64; 16] = [
    1.0, 0.0, -1.0, 0.0, //
    0.0, 1.0, 1.0, 0.0, //
    0.0, -1.0, 1.0, 0.0, //
    0.0, 1.0, 0.0, -1.0,
];
/// Combinations of rows of taps.
const OF_TAPS: [f64; 12] = [
    1.0, 0.0, 0.0, //
    0.5, 0.5, 0.5, //
    0.5, -0.5, 0.5, //
    0.0, 0.0, 1.0,
];
/// Combinations of products.
const BACKWARD: [f64; 8] = [
    1.0, 1.0, 1.0, 0.0, //
    0.0, 1.0, -1.0, -1.0,
];

fn two_rows(view: &View<'_>, term: &Term) -> Option<Expr> {
    let Term::Apply(Op::Conv(conv), operands) = term else {
        return None;
    };
    let (x, weights) = (view.ty(operands[0]), view.constant(operands[1])?.ty());
    let one = |v: &[i64]| v.iter().all(|&n| n == 1);
    let plain = conv.groups == 1 && one(&conv.strides) && one(&conv.dilations);
    let &[outputs, inputs, TAPS, columns] = &weights.shape[..] else {
        return None;
    };
    let rows = x.shape[2] + conv.pads[0] + conv.pads[2] - (TAPS - 1);
    let fits = weights.element == ElementType::F32 && rows > 0 && rows % ROWS == 0;
    if !(plain && fits) {
        return None;
    }
    let matrix = |rows: i64, values: &[f64]| {
        let shape = [rows, values.len() as i64 / rows];
        Expr::Constant(Tensor::from_f64s(
            TensorType::new(weights.element, shape),
            values,
        ))
    };
    // What follows folds when it enters the e-graph: once, not whenever the rule is tried.
    let perm = vec![2, 0, 1, 3];
    let by_row = Expr::op(Transpose { perm }, vec![Expr::Class(operands[1])]);
    let shape = vec![TAPS, outputs * inputs * columns];
    let by_row = Expr::op(Reshape { shape }, vec![by_row]);
    let summed = Expr::op(Matmul {}, vec![matrix(PRODUCTS, &OF_TAPS), by_row]);
    let shape = vec![PRODUCTS, outputs, inputs, columns];
    let mut all = vec![
        Expr::Class(operands[0]),
        Expr::op(Reshape { shape }, vec![summed]),
        matrix(PRODUCTS, &FORWARD),
        matrix(ROWS, &BACKWARD),
    ];
    all.extend(operands[2..].iter().map(|&b| Expr::Class(b)));
    let pads = conv.pads.clone();
    Some(Expr::op(WinogradConv { pads }, all))
}

/// A random convolution of an even number of rows.
fn example(e: &mut Example) {
    let (inputs, outputs, columns) = (e.int(1, 4), e.int(1, 4), e.int(1, 3));
    let pads: Vec<i64> = [2, columns - 1, 2, columns - 1]
        .map(|most| e.int(0, most))
        .into();
    let rows = 2 * e.int(2, 4);
    let shape = [
        e.int(1, 2),
        inputs,
        rows + 2 - pads[0] - pads[2],
        e.int(3, 6),
    ];
    let x = e.input(&shape);
    let operands = e.with_taps(x, &[outputs, inputs, TAPS, columns]);
    e.convolved(&operands, pads);
}
