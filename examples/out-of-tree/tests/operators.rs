//! What the operators say of themselves, and that it agrees.

use dsp::EXTENSION;
use dsp::power::Power;
use dsp::squareplus::Squareplus;
use sinter_loops::random;
use sinter_loops::scalar::FloatBits;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::check::agreement;
use sinter_ops::{Op, Operator};

fn squareplus(roundness: f64) -> Op {
    let roundness = FloatBits::new(roundness);
    Squareplus { roundness }.into()
}

#[test]
fn evaluation_agrees_with_loops() {
    EXTENSION.install().expect("the names are free");
    for seed in 0..20 {
        let shape = [1 + seed as i64 % 3, 2 + seed as i64 % 5, 7];
        let x = random::tensor(&TensorType::f32(shape), "x", seed);
        agreement(squareplus(0.1 * seed as f64), &[x.clone()], 1e-6).expect("agrees");
        for axis in 0..3 {
            agreement(Power { axis }, &[x.clone()], 1e-6).expect("agrees");
        }
    }
}

#[test]
fn values() {
    let x = Tensor::from_f32([1, 3], &[-1.5, 0.0, 2.0]);
    let smooth = squareplus(4.0).eval(&[x.clone()]).expect("fits");
    assert_eq!(smooth[0].to_f32s(), [0.5, 1.0, 2.414_213_7]);
    let mean = Op::from(Power { axis: 1 }).eval(&[x]).expect("fits");
    assert_eq!(mean[0].to_f32s(), [6.25 / 3.0]);
}

#[test]
fn refusals() {
    let refused = |op: Op, ty| op.infer(&[ty]).expect_err("does not fit").to_string();
    let x = TensorType::f32([2, 0]);
    assert_eq!(
        refused(squareplus(-1.0), x.clone()),
        "needs a roundness of at least 0, not -1"
    );
    assert_eq!(
        refused(Power { axis: 1 }.into(), x.clone()),
        "takes the mean of nothing along axis 1"
    );
    assert_eq!(
        refused(Power { axis: 2 }.into(), x),
        "axis 2 is not a dimension of a tensor of rank 2"
    );
    let whole = TensorType::new(ElementType::I32, [2]);
    assert_eq!(
        refused(squareplus(1.0), whole),
        "needs a floating-point operand, not tensor<2xi32>"
    );
}
