//! Accuracy of the expanded functions over floats of every size, against the same functions on
//! doubles.

mod common;

use common::library;
use sinter_codegen::Target;
use sinter_loops::affine::Affine;
use sinter_loops::kernel::{GridAxis, Kernel, Role, Schedule, Slot, StageSchedule};
use sinter_loops::nest::{Access, Iter, Nest};
use sinter_loops::scalar::{BinaryFn, Body, BodyBuilder, UnaryFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Graph, NodeId, form};

/// Floats whose bits are this far apart are tried.
const STEP: usize = 1009;

fn kernel(body: Body, operands: usize, count: i64, element: ElementType) -> Kernel {
    let slot = |role| Slot::new(TensorType::new(element, [count]), role);
    let mut slots = vec![slot(Role::Input); operands];
    slots.push(slot(Role::Output));
    let access = |n| Access::new(n, vec![Affine::Iter(0)]);
    let reads = (0..operands).map(access).collect();
    let stage = StageSchedule {
        order: vec![0],
        vector: Some(0),
        lanes: 16,
        vectors: 1,
        rows: None,
        row_tile: 1,
        jam: None,
        unroll: 1,
        reduction_tile: vec![],
    };
    Kernel {
        name: "function".into(),
        slots,
        stages: vec![Nest::map(
            vec![Iter::parallel(count)],
            reads,
            body,
            vec![access(operands)],
        )],
        schedule: Some(Schedule {
            grid: vec![GridAxis {
                extent: count,
                tile: count,
                iters: vec![Some(0)],
            }],
            stages: vec![stage],
        }),
    }
}

fn unary(function: UnaryFn, count: i64, element: ElementType) -> Kernel {
    let mut body = BodyBuilder::new([element]);
    let result = body.unary(function, 0);
    kernel(body.finish(vec![result]), 1, count, element)
}

/// Floats of every exponent and both signs, zeros, infinities and NaN among them.
fn all_floats() -> Vec<f32> {
    let mut found: Vec<f32> = (0..=u32::MAX).step_by(STEP).map(f32::from_bits).collect();
    found.extend([
        0.0,
        -0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        1.0,
        -1.0,
        0.5,
    ]);
    found
}

/// Distance in units in the last place of the wanted result (never less than the least subnormal).
fn ulps(got: f32, want: f64) -> f64 {
    let rounded = want as f32;
    if got == rounded || (got.is_nan() && want.is_nan()) {
        return 0.0;
    }
    if !got.is_finite() || !rounded.is_finite() {
        return f64::INFINITY;
    }
    let magnitude = rounded.abs().max(f32::MIN_POSITIVE);
    let unit = f64::from(f32::from_bits(magnitude.to_bits() + 1)) - f64::from(magnitude);
    (f64::from(got) - want).abs() / unit
}

#[track_caller]
fn assert_within(
    name: &str,
    bound: f64,
    arguments: &[f32],
    got: &[f32],
    want: impl Fn(f32) -> f64,
) {
    let mut worst = (0.0, 0.0, 0.0);
    for (&x, &y) in arguments.iter().zip(got) {
        let error = ulps(y, want(x));
        if error > worst.0 {
            worst = (error, x, y);
        }
    }
    let (error, x, y) = worst;
    assert!(
        error <= bound,
        "{name}({x:e}) = {y:e} is off by {error} units, not {}",
        want(x)
    );
}

/// A function in double precision.
type Exact = fn(f64) -> f64;

#[test]
fn functions_of_one_value_keep_their_bounds() {
    let floats = all_floats();
    let moderate: Vec<f32> = (0..200_000)
        .map(|n| (n as f32 - 100_000.0) * 1.7e-3)
        .chain(floats.iter().copied())
        .collect();
    let exp = |x: f64| {
        let exact = x.exp();
        if exact < f64::from(f32::MIN_POSITIVE) {
            0.0
        } else {
            exact
        }
    };
    let functions: [(UnaryFn, f64, &[f32], Exact); 6] = [
        (UnaryFn::Exp, 1.0, &floats, exp),
        (UnaryFn::Log, 1.0, &floats, f64::ln),
        (UnaryFn::Tanh, 2.0, &floats, f64::tanh),
        (UnaryFn::Erf, 2.0, &floats, libm::erf),
        (UnaryFn::Sin, 2.0, &moderate, f64::sin),
        (UnaryFn::Cos, 2.0, &moderate, f64::cos),
    ];
    let kernels: Vec<Kernel> = functions
        .iter()
        .map(|(f, _, arguments, _)| unary(*f, arguments.len() as i64, ElementType::F32))
        .collect();
    let library = library(&kernels, &Target::host());
    for (n, (function, bound, arguments, want)) in functions.iter().enumerate() {
        let input = Tensor::from_f32([arguments.len() as i64], arguments);
        let got = library.run(n, &[input])[0].to_f32s();
        let near_zero = matches!(function, UnaryFn::Sin | UnaryFn::Cos);
        let kept: Vec<(f32, f32)> = arguments
            .iter()
            .copied()
            .zip(got)
            .filter(|&(x, y)| {
                let exact = want(f64::from(x));
                // Beside zeros of the function the bound is on the absolute error.
                let small = near_zero && exact.abs() < 1e-3 && x.abs() > 1.0;
                assert!(!small || (f64::from(y) - exact).abs() < 2f64.powi(-24));
                !small
            })
            .collect();
        let (x, y): (Vec<f32>, Vec<f32>) = kept.into_iter().unzip();
        assert_within(&format!("{function:?}"), *bound, &x, &y, |x| {
            want(f64::from(x))
        });
    }
}

#[test]
fn sigmoid_of_its_parts() {
    let floats = all_floats();
    let mut body = BodyBuilder::new([ElementType::F32]);
    let minus = body.unary(UnaryFn::Neg, 0);
    let power = body.unary(UnaryFn::Exp, minus);
    let one = body.constant(ElementType::F32, 1.0);
    let sum = body.binary(BinaryFn::Add, power, one);
    let result = body.binary(BinaryFn::Div, one, sum);
    let count = floats.len() as i64;
    let kernel = kernel(body.finish(vec![result]), 1, count, ElementType::F32);
    let got = library(&[kernel], &Target::host()).run(0, &[Tensor::from_f32([count], &floats)]);
    // Where exp overflows, the result is 0 instead of a number below 2^-127.
    let (x, y): (Vec<f32>, Vec<f32>) = floats
        .iter()
        .copied()
        .zip(got[0].to_f32s())
        .filter(|(x, _)| x.is_nan() || *x >= -88.0)
        .unzip();
    assert_within("sigmoid", 4.0, &x, &y, |x| {
        1.0 / (1.0 + (-f64::from(x)).exp())
    });
}

/// `log(1 + exp(x))` on doubles.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The scalar function of an operator of one operand.
fn body_of(kind: UnaryKind, element: ElementType) -> Body {
    let mut graph = Graph::new("one");
    let x = graph.input("x", TensorType::new(element, [4]));
    let outputs = graph.add(Unary { kind }, &[x], vec![]).unwrap();
    let formed = form::form(&graph, &[NodeId(0)], &outputs, &form::RowMajor).unwrap();
    formed.kernel.stages[0].body.clone()
}

#[test]
fn softplus_is_accurate_where_it_is_small() {
    let floats: Vec<f32> = (0..200_000)
        .map(|n| (n as f32 - 100_000.0) * 1e-3)
        .chain(all_floats())
        // Where exp is 0, the result is 0 instead of a number below 2^-126.
        .filter(|x| x.is_nan() || *x >= -87.0)
        .collect();
    let count = floats.len() as i64;
    let doubles: Vec<f64> = (0..20_000).map(|n| f64::from(n) * 0.05 - 600.0).collect();
    let kernels = [
        (count, ElementType::F32),
        (doubles.len() as i64, ElementType::F64),
    ]
    .map(|(count, element)| {
        let body = body_of(UnaryKind::Softplus, element);
        kernel(body, 1, count, element)
    });
    let library = library(&kernels, &Target::host());
    let got = library.run(0, &[Tensor::from_f32([count], &floats)]);
    assert_within("softplus", 4.0, &floats, &got[0].to_f32s(), |x| {
        softplus(f64::from(x))
    });
    let ty = TensorType::new(ElementType::F64, [doubles.len() as i64]);
    let got = library.run(1, &[Tensor::from_f64s(ty, &doubles)])[0].to_f64s();
    for (&x, got) in doubles.iter().zip(got) {
        let want = softplus(x);
        assert!(
            (got - want).abs() <= 1e-12 * want,
            "softplus({x}) = {got:e}, not {want:e}"
        );
    }
}

#[test]
fn powers_keep_their_bounds() {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        3.0,
        -3.0,
        0.5,
        -0.5,
        2.5,
        -2.5,
        1e-40,
        1e30,
        -1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        0.99999,
        1.00001,
        16_777_215.0,
        1e-30,
    ];
    let mut pairs: Vec<(f32, f32)> = special
        .iter()
        .flat_map(|&x| special.iter().map(move |&y| (x, y)))
        .collect();
    for n in 0..200_000u32 {
        let x = f32::from_bits(n.wrapping_mul(0x9E37_79B1) & 0x7FFF_FFFF);
        let y = (f64::from(n % 401) - 200.0) * 0.37;
        pairs.push((x, y as f32));
    }
    let (x, y): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
    let count = pairs.len() as i64;
    let mut body = BodyBuilder::new([ElementType::F32; 2]);
    let result = body.binary(BinaryFn::Pow, 0, 1);
    let kernel = kernel(body.finish(vec![result]), 2, count, ElementType::F32);
    let inputs = [Tensor::from_f32([count], &x), Tensor::from_f32([count], &y)];
    let got = library(&[kernel], &Target::host()).run(0, &inputs)[0].to_f32s();
    for ((x, y), got) in pairs.into_iter().zip(got) {
        let want = f64::from(x).powf(f64::from(y));
        let error = ulps(got, want);
        assert!(
            error <= 1.0,
            "{x:e} ^ {y:e} = {got:e}, not {want:e}: {error} units"
        );
        let sign = want.is_nan() || got.is_sign_negative() == want.is_sign_negative();
        assert!(sign, "{x:e} ^ {y:e} = {got:e}, not {want:e}");
    }
}

#[test]
fn doubles_are_within_their_bounds() {
    let values: Vec<f64> = (0..20_000).map(|n| f64::from(n) * 0.05 - 400.0).collect();
    let count = values.len() as i64;
    let functions: [(UnaryFn, f64, Exact); 6] = [
        (UnaryFn::Exp, 1e-12, f64::exp),
        (UnaryFn::Log, 1e-12, f64::ln),
        (UnaryFn::Tanh, 1e-6, f64::tanh),
        (UnaryFn::Erf, 1e-6, libm::erf),
        (UnaryFn::Sin, 1e-6, f64::sin),
        (UnaryFn::Cos, 1e-6, f64::cos),
    ];
    let kernels: Vec<Kernel> = functions
        .iter()
        .map(|f| unary(f.0, count, ElementType::F64))
        .collect();
    let library = library(&kernels, &Target::host());
    let input = Tensor::from_f64s(TensorType::new(ElementType::F64, [count]), &values);
    for (n, (function, bound, want)) in functions.iter().enumerate() {
        let got = library.run(n, std::slice::from_ref(&input))[0].to_f64s();
        for (&x, got) in values.iter().zip(got) {
            let want = want(x);
            let fine = (got - want).abs() <= bound * want.abs().max(f64::MIN_POSITIVE)
                || (want.is_nan() && got.is_nan())
                || got == want
                || (got - want).abs() < bound * 0.1;
            assert!(fine, "{function:?}({x}) = {got}, not {want}");
        }
    }
}

#[test]
fn remainders_are_exact() {
    let numbers: Vec<f64> = [
        0.0,
        1.0,
        2.3,
        0.1,
        3.0,
        7.0,
        1e5,
        1e10,
        1e17,
        1e20,
        3e38,
        1e-40,
        1e-45,
        5.5,
        1e308,
        5e-324,
        f64::INFINITY,
        f64::NAN,
        0.333_333_333,
    ]
    .into_iter()
    .flat_map(|x| [x, -x])
    .collect();
    let pairs = || {
        numbers
            .iter()
            .flat_map(|&x| numbers.iter().map(move |&y| (x, y)))
    };
    let (x, y): (Vec<f64>, Vec<f64>) = pairs().unzip();
    for element in [ElementType::F32, ElementType::F64] {
        let count = x.len() as i64;
        let mut body = BodyBuilder::new([element; 2]);
        let result = body.binary(BinaryFn::Rem, 0, 1);
        let kernel = kernel(body.finish(vec![result]), 2, count, element);
        let ty = TensorType::new(element, [count]);
        let operands = [&x, &y].map(|v| Tensor::from_f64s(ty.clone(), v));
        let got = library(&[kernel], &Target::host()).run(0, &operands);
        let (x, y) = (operands[0].to_f64s(), operands[1].to_f64s());
        for ((x, y), got) in x.iter().zip(&y).zip(got[0].to_f64s()) {
            let want = x % y;
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "{x} % {y} of {element} is {want}, not {got}");
        }
    }
}
