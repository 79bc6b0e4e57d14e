//! Resampling.

use sinter_loops::scalar::FloatBits;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::ElementType::{F16, F32, I64};
use sinter_loops::types::TensorType;
use sinter_ops::Operator;
use sinter_ops::ops::resize::{Coordinates, Resize, ResizeMode, Rounding};

use crate::{Draw, agrees};

fn resize(mode: ResizeMode, shape: Vec<i64>) -> Resize {
    Resize {
        mode,
        coordinates: Coordinates::HalfPixel,
        rounding: Rounding::RoundPreferFloor,
        shape,
        scales: vec![],
        cubic_coefficient: FloatBits::new(-0.75),
        exclude_outside: false,
    }
}

#[test]
fn nearest() {
    let mut draw = Draw::new("nearest");
    let mut formed = 0;
    for &coordinates in Coordinates::ALL {
        for &rounding in Rounding::ALL {
            for _ in 0..12 {
                let (input, output) = (draw.int(1, 7), draw.int(1, 15));
                let op = Resize {
                    coordinates,
                    rounding,
                    ..resize(ResizeMode::Nearest, vec![2, output, 3])
                };
                let element = draw.of(&[F32, F16, I64]);
                let x = draw.tensor(element, &[2, input, 3], -5.0, 5.0);
                // Clamped tables need not be those of a division.
                if op.loops(&[x.ty().clone()]).is_ok() {
                    formed += 1;
                    agrees(op, &[x]);
                }
            }
        }
    }
    assert!(formed > 150, "only {formed} of 288 have loops");
}

#[test]
fn nearest_by_an_integer_always_has_loops() {
    let mut draw = Draw::new("nearest_integer");
    for factor in 1..=4 {
        for (coordinates, rounding) in [
            (Coordinates::Asymmetric, Rounding::Floor),
            (Coordinates::HalfPixel, Rounding::RoundPreferFloor),
            (Coordinates::HalfPixel, Rounding::RoundPreferCeil),
            (Coordinates::PytorchHalfPixel, Rounding::RoundPreferFloor),
        ] {
            let shape = vec![1, 2, 5 * factor, 6 * factor];
            let scale = |s| FloatBits::new(s as f64);
            let scales = vec![scale(1), scale(1), scale(factor), scale(factor)];
            let op = Resize {
                coordinates,
                rounding,
                scales,
                ..resize(ResizeMode::Nearest, shape)
            };
            agrees(op, &[draw.f32(&[1, 2, 5, 6])]);
        }
    }
}

#[test]
fn linear() {
    let mut draw = Draw::new("linear");
    for &coordinates in Coordinates::ALL {
        for (input, output) in [(4, 8), (5, 10), (6, 9), (8, 4), (3, 3), (1, 4), (7, 5)] {
            let op = Resize {
                coordinates,
                ..resize(ResizeMode::Linear, vec![2, output, output])
            };
            let x = draw.f32(&[2, input, input]);
            let symmetric = matches!(
                coordinates,
                Coordinates::HalfPixel | Coordinates::AlignCorners
            );
            let formed = op.loops(&[x.ty().clone()]);
            assert!(
                formed.is_ok() || !symmetric,
                "{op:?} from {input}: {formed:?}"
            );
            if formed.is_ok() {
                agrees(op, &[x]);
            }
        }
    }
}

/// Values of the ONNX backend tests `test_resize_*`.
#[test]
fn examples_of_the_specification() {
    let x = Tensor::from_f32([1, 1, 2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let op = resize(ResizeMode::Linear, vec![1, 1, 4, 4]);
    let y = op.eval(std::slice::from_ref(&x)).expect("fits");
    let expected = [
        1.0, 1.25, 1.75, 2.0, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3.0, 3.25, 3.75, 4.0,
    ];
    assert_eq!(y[0].to_f32s(), expected);

    let values: Vec<f32> = (1..=16u8).map(f32::from).collect();
    let x = Tensor::from_f32([1, 1, 4, 4], &values);
    let scales = [1.0, 1.0, 0.8, 0.8].map(FloatBits::new).to_vec();
    let op = Resize {
        scales,
        ..resize(ResizeMode::Cubic, vec![1, 1, 3, 3])
    };
    let y = op.eval(&[x]).expect("fits")[0].to_f32s();
    let expected = [
        1.471_191_4,
        2.781_25,
        4.082_519_5,
        6.711_426,
        8.021_484,
        9.322_754,
        11.916_504,
        13.226_562,
        14.527_832,
    ];
    for (y, expected) in y.iter().zip(expected) {
        assert!((y - expected).abs() < 1e-5, "{y} instead of {expected}");
    }
}

#[test]
fn cubic_has_no_loop_form() {
    let op = resize(ResizeMode::Cubic, vec![1, 8]);
    let error = op.loops(&[TensorType::f32([1, 4])]).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "cubic resampling has no loop form: export the model with mode 'linear'"
    );
}
