//! Convolutions by short products (Toom and Cook; Winograd).
//!
//! `m` rows of a convolution of three rows of taps take `m + 2` products instead of `3 m`: the products are
//! those of sums of `m + 2` rows of the operand and sums of the rows of taps, and the rows of the result are
//! sums of the products. What they multiply are values of polynomials at `m + 1` points and at infinity.
//!
//! Law for two rows at the points 0, 1 and -1, where `d` are four rows of `x`, `g` the three rows of `w`, and
//! `*` convolves along the columns:
//!
//! - `y0 = p0 + p1 + p2 + b`, `y1 = p1 - p2 + p3 + b` with `p0 = (d0 - d2) * g0`,
//!   `p1 = (d1 + d2) * (g0 + g1 + g2) / 2`, `p2 = (d2 - d1) * (g0 - g1 + g2) / 2`, `p3 = (d3 - d1) * g2`
//!
//! The points decide about the error. Measured on sums over 12 to 768 taps as the largest of 150 random
//! ones, against that of a sum in ascending order: 0.5 to 0.9 times for two rows, 0.8 to 1.9 for three, 1.2
//! to 2.0 for four (1.4 to 3.9 at the usual points 0, 1, -1, 2 and -2), 1.2 to 2.5 for five, 3.4 to 8.9 for
//! seven. Up to five it is no more than what another order of a sum makes. The points are multiples of 1/8:
//! few bits in the factors.
//!
//! Extraction takes the form whose kernel is the cheapest one on the device.

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

const LAW: &str = "conv(x, w, b) = backward . conv[columns](forward . x, g . w) + b";

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "convolution-by-two-rows",
        law: LAW,
        numerics: Numerics::Reassociating,
        one_way: false,
        find: |view, term| rewritten(view, term, TWO).into_iter().collect(),
        example: |e| example(e, TWO),
    },
    Rule {
        name: "convolution-by-three-rows",
        law: LAW,
        numerics: Numerics::Reassociating,
        one_way: false,
        find: |view, term| rewritten(view, term, THREE).into_iter().collect(),
        example: |e| example(e, THREE),
    },
    Rule {
        name: "convolution-by-four-rows",
        law: LAW,
        numerics: Numerics::Reassociating,
        one_way: false,
        find: |view, term| rewritten(view, term, FOUR).into_iter().collect(),
        example: |e| example(e, FOUR),
    },
    Rule {
        name: "convolution-by-five-rows",
        law: LAW,
        numerics: Numerics::Reassociating,
        one_way: false,
        find: |view, term| rewritten(view, term, FIVE).into_iter().collect(),
        example: |e| example(e, FIVE),
    },
    Rule {
        name: "convolution-by-seven-rows",
        law: LAW,
        numerics: Numerics::Approximate,
        one_way: false,
        find: |view, term| rewritten(view, term, SEVEN).into_iter().collect(),
        example: |e| example(e, SEVEN),
    },
];

/// Rows of taps.
const TAPS: i64 = 3;

/// The finite points whose values the products are: one more than the rows that are computed together.
type Points = &'static [f64];

const TWO: Points = &[0.0, 1.0, -1.0];
const THREE: Points = &[0.0, 1.0, -1.0, -2.0];
const FOUR: Points = &[0.0, 0.625, -0.625, 1.75, -1.75];
const FIVE: Points = &[0.0, 0.375, 0.875, -0.875, 1.875, -1.875];
const SEVEN: Points = &[0.0, 0.375, -0.375, 0.875, -0.875, 1.375, -1.375, 1.875];

/// The matrices of a form, by rows.
struct Sums {
    /// Rows of the result that are computed together.
    rows: i64,
    /// Products by which that is done.
    products: i64,
    /// Combinations of rows of the operand, `[products, products]`.
    forward: Vec<f64>,
    /// Combinations of rows of taps, `[products, TAPS]`.
    of_taps: Vec<f64>,
    /// Combinations of products, `[rows, products]`.
    backward: Vec<f64>,
}

impl Sums {
    fn at(points: Points) -> Self {
        let products = points.len() + 1;
        let rows = points.len() - 1;
        let others = |j: usize| {
            let others = points.iter().enumerate().filter(move |(l, _)| *l != j);
            others.map(|(_, p)| *p)
        };
        let mut sums = Self {
            rows: rows as i64,
            products: products as i64,
            forward: Vec::new(),
            of_taps: Vec::new(),
            backward: Vec::new(),
        };
        for (j, point) in points.iter().enumerate() {
            let mut row = polynomial(others(j));
            row.resize(products, 0.0);
            sums.forward.extend(row);
            let scale: f64 = others(j).map(|other| point - other).product();
            let powers = (0..TAPS as i32).map(|k| point.powi(k) / scale);
            sums.of_taps.extend(powers);
        }
        // The point at infinity: the leading coefficient.
        sums.forward.extend(polynomial(points.iter().copied()));
        sums.of_taps.extend([0.0, 0.0, 1.0]);
        for row in 0..rows {
            let powers = points.iter().map(|point| point.powi(row as i32));
            sums.backward.extend(powers);
            sums.backward.push(f64::from(u8::from(row == rows - 1)));
        }
        sums
    }
}

/// Coefficients, ascending, of the polynomial that leads with 1 and has these roots.
fn polynomial(roots: impl Iterator<Item = f64>) -> Vec<f64> {
    roots.fold(vec![1.0], |factors, root| {
        let mut product = vec![0.0; factors.len() + 1];
        for (power, factor) in factors.into_iter().enumerate() {
            product[power + 1] += factor;
            product[power] -= factor * root;
        }
        product
    })
}

fn rewritten(view: &View<'_>, term: &Term, points: Points) -> Option<Expr> {
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
    let tile = points.len() as i64 - 1;
    let fits = weights.element == ElementType::F32 && rows > 0 && rows % tile == 0;
    if !(plain && fits) {
        return None;
    }
    let sums = Sums::at(points);
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
    let summed = Expr::op(
        Matmul {},
        vec![matrix(sums.products, &sums.of_taps), by_row],
    );
    let shape = vec![sums.products, outputs, inputs, columns];
    let mut all = vec![
        Expr::Class(operands[0]),
        Expr::op(Reshape { shape }, vec![summed]),
        matrix(sums.products, &sums.forward),
        matrix(sums.rows, &sums.backward),
    ];
    all.extend(operands[2..].iter().map(|&b| Expr::Class(b)));
    let pads = conv.pads.clone();
    Some(Expr::op(WinogradConv { pads }, all))
}

/// A random convolution of a whole number of tiles.
fn example(e: &mut Example, points: Points) {
    let tile = points.len() as i64 - 1;
    let (inputs, outputs, columns) = (e.int(1, 4), e.int(1, 4), e.int(1, 3));
    let pads: Vec<i64> = [2, columns - 1, 2, columns - 1]
        .map(|most| e.int(0, most))
        .into();
    // Enough that padding leaves some.
    let rows = tile * e.int(1 + i64::from(tile < 4), 4);
    let shape = [
        e.int(1, 2),
        inputs,
        rows + TAPS - 1 - pads[0] - pads[2],
        e.int(3, 6),
    ];
    let x = e.input(&shape);
    let operands = e.with_taps(x, &[outputs, inputs, TAPS, columns]);
    e.convolved(&operands, pads);
}
