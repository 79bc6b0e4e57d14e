//! What went wrong in other compilers, by the issue in which their users tell it: kernels that compute again what
//! was computed, and idioms that fuse in one spelling only.

mod common;

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use sinter_fusion::rules::Example;
use sinter_fusion::{Fused, Policy};
use sinter_loops::nest::{CombineFn, Nest};
use sinter_loops::scalar::{BinaryFn, Body, Inst, UnaryFn};
use sinter_ops::ValueId;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::pool::{Pool, PoolKind};
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::unary::UnaryKind;
use sinter_reference::evaluate;

/// Fuses by every policy and checks the results; the default's, than which none is cheaper.
fn build(make: &dyn Fn(&mut Example) -> Vec<ValueId>) -> Fused {
    let mut example = Example::new(7);
    for y in make(&mut example) {
        example.output(y);
    }
    let graph = example.graph;
    let inputs = common::random_inputs(&graph, 1);
    let expected = evaluate(&graph, &inputs).unwrap();
    let checked = |policy| {
        let fused = common::fused(&graph, policy);
        for (result, expected) in common::run(&fused, &inputs).iter().zip(&expected) {
            let error = common::relative_error(result, expected);
            assert!(error < 1e-5, "{policy}: off by {error:e}");
        }
        (policy, fused)
    };
    let all: Vec<_> = Policy::built().map(checked).collect();
    let least = all.iter().map(|(_, f)| f.statistics.price).min();
    let mut default = all.into_iter().filter(|(p, _)| *p == Policy::Egraph);
    let (_, fused) = default.next().unwrap();
    assert_eq!(Some(fused.statistics.price), least);
    fused
}

#[track_caller]
fn one_kernel(fused: &Fused) {
    let names: Vec<_> = fused.groups.iter().map(|g| &g.kernel.name).collect();
    assert_eq!(names.len(), 1, "{names:?} {:?}", fused.refusals);
}

/// Points at which the stages of all kernels compute what a predicate finds.
fn points(fused: &Fused, found: impl Fn(&Nest) -> bool) -> i64 {
    let stages = fused.groups.iter().flat_map(|g| &g.kernel.stages);
    stages.filter(|n| found(n)).map(Nest::points).sum()
}

fn exponentials(nest: &Nest) -> bool {
    let has = |body: &Body| {
        let mut insts = body.insts.iter();
        insts.any(|i| matches!(i, Inst::Unary(UnaryFn::Exp, _)))
    };
    has(&nest.body) || has(&nest.finish)
}

/// <https://github.com/apache/tvm/issues/20342>: a chain of exponentials computed for every column that it is added to.
#[test]
fn a_dear_chain_is_not_computed_again_across_a_broadcast() {
    let fused = build(&|e| {
        let x = e.input(&[512, 1]);
        let rows = e.input(&[512, 256]);
        let mut y = x;
        for _ in 0..4 {
            let negative = e.unary(UnaryKind::Neg, y);
            y = e.unary(UnaryKind::Exp, negative);
        }
        vec![e.binary(BinaryFn::Add, rows, y)]
    });
    assert!(points(&fused, exponentials) <= 4 * 512);
}

/// <https://github.com/apache/tvm/issues/20401>: a maximum over windows and an addition were slower together.
#[test]
fn windows_are_gone_through_once_where_an_addition_follows() {
    let fused = build(&|e| {
        let x = e.input(&[1, 32, 56, 56]);
        let residual = e.input(&[1, 32, 28, 28]);
        let pool = Pool {
            kind: PoolKind::Max,
            kernel: vec![3, 3],
            strides: vec![2, 2],
            pads: vec![1; 4],
            dilations: vec![1, 1],
            ceil_mode: false,
            count_include_pad: false,
        };
        let y = e.apply(pool, &[x]);
        vec![e.binary(BinaryFn::Add, y, residual)]
    });
    one_kernel(&fused);
    let maxima = |n: &Nest| n.combines.iter().any(|c| c.function == CombineFn::Max);
    assert_eq!(points(&fused, maxima), 32 * 28 * 28 * 9);
}

/// The exponentials of a softmax, which its sum and its quotient read.
#[test]
fn exponentials_less_their_maximum_are_computed_once() {
    let fused = build(&|e| {
        let x = e.input(&[64, 96]);
        let maximum = e.apply(along_rows(ReduceKind::Max), &[x]);
        let y = e.binary(BinaryFn::Sub, x, maximum);
        // The same, twice.
        let again = e.binary(BinaryFn::Sub, x, maximum);
        let (y, again) = (e.unary(UnaryKind::Exp, y), e.unary(UnaryKind::Exp, again));
        let sum = e.apply(along_rows(ReduceKind::Sum), &[again]);
        vec![e.binary(BinaryFn::Div, y, sum)]
    });
    one_kernel(&fused);
    assert_eq!(points(&fused, exponentials), 64 * 96);
}

#[test]
fn a_diamond_is_one_kernel_that_computes_its_top_once() {
    let diamond = |stored: bool| {
        move |e: &mut Example| {
            let x = e.input(&[64, 96]);
            let top = e.unary(UnaryKind::Exp, x);
            let left = e.unary(UnaryKind::Sqrt, top);
            let right = e.unary(UnaryKind::Neg, top);
            match stored {
                true => vec![left, right],
                false => vec![e.binary(BinaryFn::Mul, left, right)],
            }
        }
    };
    for stored in [false, true] {
        let fused = build(&diamond(stored));
        one_kernel(&fused);
        assert_eq!(points(&fused, exponentials), 64 * 96);
    }
}

fn along_rows(kind: ReduceKind) -> Reduce {
    Reduce {
        kind,
        axes: vec![1],
        keep_dims: true,
    }
}

/// `x * gate / 2` in the orders in which exporters write it.
fn halved(e: &mut Example, x: ValueId, gate: ValueId, order: usize) -> ValueId {
    let half = e.literal(0.5);
    let (a, b, c) = match order {
        0 => (x, gate, half),
        1 => (half, x, gate),
        _ => (gate, half, x),
    };
    let product = e.binary(BinaryFn::Mul, a, b);
    e.binary(BinaryFn::Mul, product, c)
}

/// <https://github.com/microsoft/onnxruntime/issues/27983> and others: a GELU in another spelling stayed apart.
#[test]
fn every_spelling_of_gelu_joins_its_product() {
    let erf = |e: &mut Example, x: ValueId, divided: bool| {
        let (function, scale) = match divided {
            true => (BinaryFn::Div, 1.0 / FRAC_1_SQRT_2),
            false => (BinaryFn::Mul, FRAC_1_SQRT_2),
        };
        let scale = e.literal(scale);
        let scaled = e.binary(function, x, scale);
        e.unary(UnaryKind::Erf, scaled)
    };
    let tanh = |e: &mut Example, x: ValueId, by_power: bool| {
        let cube = match by_power {
            true => {
                let three = e.literal(3.0);
                e.binary(BinaryFn::Pow, x, three)
            }
            false => {
                let square = e.binary(BinaryFn::Mul, x, x);
                e.binary(BinaryFn::Mul, square, x)
            }
        };
        let factor = e.literal(0.044_715);
        let term = e.binary(BinaryFn::Mul, factor, cube);
        let sum = e.binary(BinaryFn::Add, x, term);
        let scale = e.literal(FRAC_2_SQRT_PI * FRAC_1_SQRT_2);
        let scaled = e.binary(BinaryFn::Mul, sum, scale);
        e.unary(UnaryKind::Tanh, scaled)
    };
    for approximate in [false, true] {
        for (other, order) in [
            (false, 0),
            (true, 0),
            (false, 1),
            (true, 1),
            (false, 2),
            (true, 2),
        ] {
            let fused = build(&|e| {
                let x = e.input(&[24, 32]);
                let w = e.constant(&[32, 40], -0.5, 0.5);
                let x = e.apply(Matmul {}, &[x, w]);
                let part = match approximate {
                    true => tanh(e, x, other),
                    false => erf(e, x, other),
                };
                let one = e.literal(1.0);
                let gate = e.binary(BinaryFn::Add, part, one);
                vec![halved(e, x, gate, order)]
            });
            one_kernel(&fused);
            let name = &fused.groups[0].kernel.name;
            assert!(
                name.ends_with("matmul_gelu"),
                "{name} {approximate} {other} {order}"
            );
        }
    }
}

/// <https://github.com/iree-org/iree/issues/22528>: a layer normalisation in its parts took several kernels.
#[test]
fn every_spelling_of_layer_normalisation_is_one_kernel() {
    for square in ["mul", "pow", "moments"] {
        for inverse in ["div", "rsqrt", "reciprocal"] {
            let fused = build(&|e| {
                let x = e.input(&[16, 48]);
                let mean = e.apply(along_rows(ReduceKind::Mean), &[x]);
                let centred = e.binary(BinaryFn::Sub, x, mean);
                let two = e.literal(2.0);
                let variance = match square {
                    "mul" => {
                        let squares = e.binary(BinaryFn::Mul, centred, centred);
                        e.apply(along_rows(ReduceKind::Mean), &[squares])
                    }
                    "pow" => {
                        let squares = e.binary(BinaryFn::Pow, centred, two);
                        e.apply(along_rows(ReduceKind::Mean), &[squares])
                    }
                    _ => {
                        let squares = e.binary(BinaryFn::Mul, x, x);
                        let moment = e.apply(along_rows(ReduceKind::Mean), &[squares]);
                        let square = e.binary(BinaryFn::Mul, mean, mean);
                        e.binary(BinaryFn::Sub, moment, square)
                    }
                };
                let epsilon = e.literal(1e-5);
                let variance = e.binary(BinaryFn::Add, variance, epsilon);
                let y = match inverse {
                    "div" => {
                        let deviation = e.unary(UnaryKind::Sqrt, variance);
                        e.binary(BinaryFn::Div, centred, deviation)
                    }
                    "rsqrt" => {
                        let inverse = e.unary(UnaryKind::Rsqrt, variance);
                        e.binary(BinaryFn::Mul, centred, inverse)
                    }
                    _ => {
                        let deviation = e.unary(UnaryKind::Sqrt, variance);
                        let inverse = e.unary(UnaryKind::Reciprocal, deviation);
                        e.binary(BinaryFn::Mul, centred, inverse)
                    }
                };
                let scale = e.constant(&[48], 0.5, 1.5);
                let bias = e.constant(&[48], -0.5, 0.5);
                let y = e.binary(BinaryFn::Mul, y, scale);
                vec![e.binary(BinaryFn::Add, y, bias)]
            });
            one_kernel(&fused);
        }
    }
}
