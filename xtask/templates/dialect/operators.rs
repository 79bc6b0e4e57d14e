//! What the operators compute, and that their evaluation and loops agree.

use @snake@::EXTENSION;
use @snake@::first::First;
use sinter_loops::tensor::Tensor;
use sinter_ops::Operator;
use sinter_ops::check::agreement;

fn x() -> Tensor {
    Tensor::from_f32([4], &[-1.0, 0.0, 0.5, 2.0])
}

#[test]
fn first_evaluates_as_specified() {
    let y = First {}.eval(&[x()]).expect("fits");
    let specified: Vec<f32> = vec![];
    assert_eq!(
        y[0].to_f32s(),
        specified,
        "write what the specification gives for {:?}",
        x().to_f32s()
    );
}

#[test]
fn evaluation_agrees_with_loops() {
    EXTENSION.install().expect("the names are free");
    agreement(First {}, &[x()], 1e-6).expect("agrees");
}
