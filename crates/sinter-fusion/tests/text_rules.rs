//! Rules in text are used where their check holds, and nowhere else.

mod common;

use sinter_device::{Device, HostCpu};
use sinter_fusion::rules::{Example, parse_rules};
use sinter_fusion::{Options, fuse};
use sinter_loops::scalar::{BinaryFn, FloatBits};
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::softmax::Softmax;
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Op, ValueId};

/// How often a rule is found in a graph; the program computes what the graph does.
fn found(rule: &str, example: &Example) -> u64 {
    let rules = parse_rules("rules.txt", rule).unwrap_or_else(|e| panic!("{rule}: {e}"));
    let options = Options {
        only_rules: vec![rules[0].name().to_owned()],
        text_rules: rules,
        ..Options::default()
    };
    let device = Device::named("host").unwrap();
    let device = device.with_host_cpu(HostCpu::AVX2);
    let fused = fuse(&example.graph, &device, &options).unwrap();
    let inputs = common::random_inputs(&example.graph, 1);
    let expected = sinter_reference::evaluate(&example.graph, &inputs).unwrap();
    let error = common::relative_error(&common::run(&fused, &inputs)[0], &expected[0]);
    assert!(error < 1e-5, "{rule}: {error}");
    let counts = fused.saturation.iter().flat_map(|s| &s.rules);
    counts.map(|r| r.matches).sum()
}

fn times(example: &mut Example, x: ValueId, factor: f64) -> ValueId {
    let factor = example.literal(factor);
    example.binary(BinaryFn::Mul, x, factor)
}

fn one(op: impl Into<Op>, shape: &[i64]) -> Example {
    let mut example = Example::new(1);
    let x = example.input(shape);
    let y = example.apply(op, &[x]);
    example.output(y);
    example
}

#[test]
fn a_shape_limits_a_rule() {
    let mean = |shape: &[i64]| {
        let mut example = Example::new(1);
        let x = example.input(shape);
        let op = Reduce {
            kind: ReduceKind::Mean,
            axes: vec![0],
            keep_dims: false,
        };
        let mean = example.apply(op, &[x]);
        let y = times(&mut example, mean, 4.0);
        example.output(y);
        example
    };
    let rule = |pins| {
        format!(
            "m4 [rounding]: (mul (reduce :kind mean :axes [0] :keep_dims false ?x) 4.0) \
            => (reduce :kind sum :axes [0] :keep_dims false ?x) where ?x: {pins}"
        )
    };
    for (pins, shape, applies) in [
        ("4x3", vec![4, 3], true),
        ("4x3", vec![9, 64], false),
        ("4x3", vec![4, 64], false),
        ("4x3", vec![4, 3, 1], false),
        ("4xc", vec![4, 64], true),
        ("4xc", vec![9, 64], false),
        ("4xcxc", vec![4, 5, 5], true),
        ("4xcxc", vec![4, 5, 6], false),
    ] {
        let matches = found(&rule(pins), &mean(&shape));
        assert_eq!(matches > 0, applies, "{pins} at {shape:?}");
    }
}

#[test]
fn an_attribute_limits_a_rule() {
    let softmax = |axis| one(Softmax { axis }, &[3, 3]);
    let rule = "sl [exact]: (softmax :axis ?a ?x) => (softmax :axis 0 ?x) where ?x: 3x3, ?a: 0";
    assert_eq!(found(rule, &softmax(1)), 0);
    let leaky = |alpha| {
        let alpha = FloatBits::new(alpha);
        let kind = UnaryKind::LeakyRelu { alpha };
        one(Unary { kind }, &[9, 4])
    };
    let rule = "l [rounding]: (leaky_relu :alpha ?b ?x) => (max ?x (mul ?x 0.5)) where ?b: 0.5";
    assert!(found(rule, &leaky(0.5)) > 0);
    assert_eq!(found(rule, &leaky(0.25)), 0);
}

#[test]
fn letters_are_any_extents() {
    let conv = |kernel: i64, strides: Vec<i64>| {
        let mut example = Example::new(1);
        let x = example.input(&[1, 2, 9, 9]);
        let taps = example.constant(&[4, 2, kernel, kernel], -1.0, 1.0);
        let op = Conv {
            strides,
            pads: vec![0; 4],
            dilations: vec![1; 2],
            groups: 1,
        };
        let y = example.apply(op, &[x, taps]);
        let y = times(&mut example, y, 3.0);
        example.output(y);
        example
    };
    let rule = "scale [rounding]: \
        (mul (conv :strides ?s :pads [0,0,0,0] :dilations [1,1] :groups 1 ?x ?w) 3.0) \
        => (conv :strides ?s :pads [0,0,0,0] :dilations [1,1] :groups 1 ?x (mul ?w 3.0)) \
        where ?x: nxcxhxw, ?w: oxcx3x3, ?s: [s,s]";
    assert!(found(rule, &conv(3, vec![1, 1])) > 0);
    assert!(found(rule, &conv(3, vec![2, 2])) > 0);
    assert_eq!(found(rule, &conv(3, vec![2, 1])), 0);
    assert_eq!(found(rule, &conv(5, vec![1, 1])), 0);
}
