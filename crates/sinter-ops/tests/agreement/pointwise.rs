//! Elementwise operators.

use sinter_loops::scalar::{BinaryFn, CompareFn, FloatBits};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::ElementType::{self, Bf16, Bool, F16, F32, F64, I8, I32, I64, U8};
use sinter_ops::ops::batch_norm::BatchNorm;
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::cast::Cast;
use sinter_ops::ops::clamp::Clamp;
use sinter_ops::ops::compare::Compare;
use sinter_ops::ops::prelu::Prelu;
use sinter_ops::ops::select::Select;
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Op, Operator};

use crate::{Draw, agrees};

fn bits(value: f64) -> FloatBits {
    FloatBits::new(value)
}

const FLOATS: [ElementType; 4] = [F32, F64, F16, Bf16];
const INTS: [ElementType; 3] = [I64, I32, I8];

#[test]
fn unary_floats() {
    use UnaryKind::*;
    let mut draw = Draw::new("unary_floats");
    let anywhere = [
        Relu,
        LeakyRelu { alpha: bits(0.1) },
        Sigmoid,
        HardSigmoid {
            alpha: bits(0.2),
            beta: bits(0.5),
        },
        HardSwish,
        Silu,
        Gelu { approximate: false },
        Gelu { approximate: true },
        Elu { alpha: bits(1.5) },
        Exp,
        Neg,
        Abs,
        Tanh,
        Erf,
        Sin,
        Cos,
        Floor,
        Ceil,
        Round,
        Sign,
        Softplus,
    ];
    for element in FLOATS {
        for kind in anywhere {
            let rank = draw.usize(0, 4);
            let shape = draw.shape(rank);
            agrees(Unary { kind }, &[draw.tensor(element, &shape, -4.0, 4.0)]);
        }
        for kind in [Log, Sqrt, Rsqrt, Reciprocal] {
            agrees(Unary { kind }, &[draw.tensor(element, &[3, 7], 0.1, 9.0)]);
        }
    }
}

#[test]
fn nan_is_not_hidden() {
    use UnaryKind::*;
    let x = Tensor::from_f32([4], &[f32::NAN, -9.0, 0.5, f32::NAN]);
    let other = Tensor::from_f32([4], &[1.0, f32::NAN, 0.25, f32::NAN]);
    let agree_and_keep = |op: Op, operands: &[Tensor], nans: [bool; 4]| {
        agrees(op.clone(), operands);
        let result = op.eval(operands).unwrap()[0].to_f64s();
        let found: Vec<_> = result.iter().map(|v| v.is_nan()).collect();
        assert_eq!(found, nans, "{op:?}");
    };
    let slopes = HardSigmoid {
        alpha: bits(0.2),
        beta: bits(0.5),
    };
    for kind in [Relu, slopes, HardSwish, Sign, Softplus] {
        let op = Unary { kind };
        agree_and_keep(
            op.into(),
            std::slice::from_ref(&x),
            [true, false, false, true],
        );
    }
    let limits = [
        (Some(-1.0), Some(1.0)),
        (None, Some(0.0)),
        (Some(0.0), None),
    ];
    for (min, max) in limits.map(|(min, max)| (min.map(bits), max.map(bits))) {
        let op = Clamp { min, max };
        agree_and_keep(
            op.into(),
            std::slice::from_ref(&x),
            [true, false, false, true],
        );
    }
    for kind in [BinaryFn::Max, BinaryFn::Min] {
        let op = Binary { kind };
        let operands = [x.clone(), other.clone()];
        agree_and_keep(op.into(), &operands, [true, true, false, true]);
    }
}

#[test]
fn unary_saturates_instead_of_overflowing() {
    use UnaryKind::*;
    let mut draw = Draw::new("unary_saturates");
    for kind in [
        Sigmoid,
        Silu,
        Softplus,
        HardSwish,
        Elu { alpha: bits(1.0) },
        Tanh,
    ] {
        agrees(Unary { kind }, &[draw.tensor(F32, &[64], -200.0, 200.0)]);
    }
}

#[test]
fn unary_integers() {
    use UnaryKind::*;
    let mut draw = Draw::new("unary_integers");
    for element in INTS {
        for kind in [Relu, Neg, Abs, Sign, Not] {
            agrees(Unary { kind }, &[draw.tensor(element, &[4, 5], -9.0, 9.0)]);
        }
    }
    agrees(Unary { kind: Not }, &[draw.tensor(Bool, &[9], 0.0, 2.0)]);
}

#[test]
fn binary() {
    use BinaryFn::*;
    let mut draw = Draw::new("binary");
    for _ in 0..6 {
        for kind in [Add, Sub, Mul, Div, Max, Min, Pow, Rem] {
            let rank = draw.usize(0, 4);
            let shape = draw.shape(rank);
            let (left, right) = (draw.narrower(&shape), draw.narrower(&shape));
            let element = draw.of(&FLOATS);
            let a = draw.tensor(element, &left, 0.5, 3.0);
            let b = draw.tensor(element, &right, 0.75, 2.0);
            agrees(Binary { kind }, &[a, b]);
            let element = draw.of(&INTS);
            let a = draw.tensor(element, &left, if kind == Pow { 0.0 } else { -9.0 }, 9.0);
            let b = draw.tensor(element, &right, 1.0, 3.0);
            agrees(Binary { kind }, &[a, b]);
        }
        for kind in [And, Or, Xor] {
            let a = draw.tensor(Bool, &[3, 4], 0.0, 2.0);
            let b = draw.tensor(Bool, &[4], 0.0, 2.0);
            agrees(Binary { kind }, &[a, b]);
            let a = draw.tensor(I32, &[3, 4], -90.0, 90.0);
            let b = draw.tensor(I32, &[3, 1], -90.0, 90.0);
            agrees(Binary { kind }, &[a, b]);
        }
    }
}

#[test]
fn compare_and_select() {
    let mut draw = Draw::new("compare");
    for kind in [
        CompareFn::Eq,
        CompareFn::Ne,
        CompareFn::Lt,
        CompareFn::Le,
        CompareFn::Gt,
        CompareFn::Ge,
    ] {
        for element in [F32, F64, I64, U8] {
            let a = draw.tensor(element, &[2, 1, 4], 0.0, 3.0);
            let b = draw.tensor(element, &[3, 1], 0.0, 3.0);
            agrees(Compare { kind }, &[a, b]);
        }
    }
    for element in [F32, I64, Bool] {
        let condition = draw.tensor(Bool, &[3, 1], 0.0, 2.0);
        let a = draw.tensor(element, &[4], 0.0, 2.0);
        let b = draw.tensor(element, &[2, 1, 1], 0.0, 2.0);
        agrees(Select {}, &[condition, a, b]);
    }
}

#[test]
fn casts() {
    let mut draw = Draw::new("casts");
    let all = [F32, F64, F16, Bf16, I64, I32, I8, U8, Bool];
    for from in all {
        for to in all {
            let low = if matches!(from, U8 | Bool) || to == U8 {
                0.0
            } else {
                -5.0
            };
            let high = if from == Bool { 2.0 } else { 5.0 };
            agrees(Cast { to }, &[draw.tensor(from, &[11], low, high)]);
        }
    }
}

#[test]
fn clamps() {
    let mut draw = Draw::new("clamps");
    for (min, max) in [
        (None, None),
        (Some(-0.5), None),
        (None, Some(1.0)),
        (Some(0.0), Some(1.5)),
    ] {
        let op = Clamp {
            min: min.map(bits),
            max: max.map(bits),
        };
        agrees(op.clone(), &[draw.f32(&[5, 5])]);
        agrees(op, &[draw.tensor(F16, &[5, 5], -3.0, 3.0)]);
    }
    let op = Clamp {
        min: Some(bits(-2.0)),
        max: Some(bits(3.0)),
    };
    agrees(op, &[draw.tensor(I32, &[5, 5], -9.0, 9.0)]);
}

#[test]
fn prelu_and_batch_norm() {
    let mut draw = Draw::new("prelu");
    for slope in [vec![], vec![3, 1, 1], vec![4, 5], vec![1]] {
        agrees(Prelu {}, &[draw.f32(&[2, 3, 4, 5]), draw.f32(&slope)]);
    }
    for (element, shape) in [
        (F32, vec![2, 3, 4, 5]),
        (F32, vec![4, 3]),
        (F16, vec![1, 3, 6]),
    ] {
        let mut operands = vec![draw.tensor(element, &shape, -2.0, 2.0)];
        operands.extend((0..3).map(|_| draw.tensor(element, &[3], -1.0, 1.0)));
        operands.push(draw.tensor(element, &[3], 0.5, 2.0));
        agrees(
            BatchNorm {
                epsilon: bits(1e-5),
            },
            &operands,
        );
    }
}
