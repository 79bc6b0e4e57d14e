//! Sums of products of halves, made of products of `f32`.
//!
//! Convolutions and matrix products of `f16` and `bf16` add up in `f32` and round once. To widen the factors first
//! changes no bit of that, and lets processors that multiply no halves convert each factor once instead of at every
//! product; weights are widened when they enter the e-graph. The reference evaluation adds up in `f64`: against it the
//! result may be rounded twice.
//!
//! Extraction takes the form whose kernel is the cheapest one on the device.

use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::Op;
use sinter_ops::ops::cast::Cast;
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::matmul::Matmul;

use super::pattern::{Example, View};
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[Rule {
    name: "contraction-of-halves",
    law: "f(x, w) = half(f(float(x), float(w))) of convolutions and matrix products",
    numerics: Numerics::Rounding,
    one_way: false,
    find: widened,
    example,
}];

fn widened(view: &View<'_>, term: &Term) -> Vec<Expr> {
    let Term::Apply(op @ (Op::Conv(_) | Op::ConvTranspose(_) | Op::Matmul(_)), operands) = term
    else {
        return vec![];
    };
    let half = view.ty(operands[0]).element;
    if !half.is_half() {
        return vec![];
    }
    let float = Cast {
        to: ElementType::F32,
    };
    let operands = operands.iter();
    let operands = operands.map(|&x| Expr::op(float.clone(), vec![Expr::Class(x)]));
    let sums = Expr::Op(op.clone(), operands.collect());
    vec![Expr::op(Cast { to: half }, vec![sums])]
}

/// A product or a convolution of halves, in whose sums nothing is rounded.
fn example(e: &mut Example) {
    let element = [ElementType::F16, ElementType::Bf16][e.int(0, 1) as usize];
    let ty = |shape: &[i64]| TensorType::new(element, shape);
    let (inputs, outputs) = (e.int(1, 4), e.int(1, 4));
    let eighths = |e: &mut Example| e.int(-16, 16) as f64 / 8.0;
    if e.int(0, 1) == 0 {
        let rows = e.int(1, 4);
        let x = e.typed_input(ty(&[rows, inputs]));
        let w = e.typed_constant(ty(&[inputs, outputs]), eighths);
        let y = e.apply(Matmul {}, &[x, w]);
        return e.output(y);
    }
    let (rows, columns) = (e.int(3, 6), e.int(3, 6));
    let x = e.typed_input(ty(&[1, inputs, rows, columns]));
    let w = e.typed_constant(ty(&[outputs, inputs, 3, 2]), eighths);
    let conv = Conv {
        strides: vec![1; 2],
        pads: vec![1, 0, 1, 1],
        dilations: vec![1; 2],
        groups: 1,
    };
    let y = e.apply(conv, &[x, w]);
    e.output(y);
}
