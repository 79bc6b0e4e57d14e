//! Patterns that must become one kernel, and properties of the result.

mod common;

use sinter_device::{Device, HostCpu};
use sinter_fusion::{Fused, Numerics, Options, Policy, fuse};
use sinter_loops::scalar::{BinaryFn, FloatBits};
use sinter_loops::types::TensorType;
use sinter_ops::ops::concat::Concat;
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::layer_norm::LayerNorm;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::slice::Slice;
use sinter_ops::ops::softmax::Softmax;
use sinter_ops::ops::transpose::Transpose;
use sinter_ops::ops::unary::UnaryKind;
use sinter_ops::{Graph, Op, ValueId};
use sinter_reference::evaluate;

use common::fused;
use sinter_fusion::rules::Example;

/// Builds a graph, fuses it by the default policy, and checks its results.
fn build(make: impl Fn(&mut Example) -> ValueId) -> Fused {
    let mut example = Example::new(7);
    let y = make(&mut example);
    example.output(y);
    let graph = example.graph;
    let fused = fused(&graph, Policy::Egraph);
    let inputs = common::random_inputs(&graph, 1);
    let expected = evaluate(&graph, &inputs).unwrap();
    let result = common::run(&fused, &inputs);
    let error = common::relative_error(&result[0], &expected[0]);
    assert!(error < 1e-5, "off by {error:e}");
    fused
}

#[track_caller]
fn one_kernel(make: impl Fn(&mut Example) -> ValueId) {
    let fused = build(make);
    let names: Vec<_> = fused.groups.iter().map(|g| &g.kernel.name).collect();
    assert_eq!(names.len(), 1, "{names:?} {:?}", fused.refusals);
    assert_eq!(fused.statistics.intermediate_bytes, 0);
}

fn conv(e: &mut Example, x: ValueId, channels: i64, kernel: i64) -> ValueId {
    let inputs = e.graph.ty(x).shape[1];
    let w = e.constant(&[channels, inputs, kernel, kernel], -0.5, 0.5);
    let b = e.constant(&[channels], -0.5, 0.5);
    let op = Conv {
        strides: vec![1, 1],
        pads: vec![kernel / 2; 4],
        dilations: vec![1, 1],
        groups: 1,
    };
    e.apply(op, &[x, w, b])
}

fn norm(e: &mut Example, x: ValueId) -> ValueId {
    let channels = *e.graph.ty(x).shape.last().unwrap();
    let scale = e.constant(&[channels], 0.5, 1.5);
    let bias = e.constant(&[channels], -0.5, 0.5);
    let axis = e.graph.ty(x).rank() as i64 - 1;
    e.apply(
        LayerNorm {
            axis,
            epsilon: FloatBits::new(1e-5),
        },
        &[x, scale, bias],
    )
}

#[test]
fn pointwise_chain_with_broadcast() {
    one_kernel(|e| {
        let x = e.input(&[4, 8, 16]);
        let row = e.input(&[8, 1]);
        let c = e.constant(&[16], -1.0, 1.0);
        let y = e.binary(BinaryFn::Add, x, row);
        let y = e.unary(UnaryKind::Tanh, y);
        e.binary(BinaryFn::Mul, y, c)
    });
}

#[test]
fn reduction_with_producers_and_consumers() {
    one_kernel(|e| {
        let x = e.input(&[32, 64]);
        let y = e.unary(UnaryKind::Exp, x);
        let reduce = Reduce {
            kind: ReduceKind::Sum,
            axes: vec![1],
            keep_dims: true,
        };
        let sum = e.apply(reduce, &[y]);
        let log = e.unary(UnaryKind::Log, sum);
        e.binary(BinaryFn::Sub, x, log)
    });
}

#[test]
fn convolution_with_epilogue() {
    one_kernel(|e| {
        let x = e.input(&[1, 8, 12, 12]);
        let residual = e.input(&[1, 16, 12, 12]);
        let y = conv(e, x, 16, 3);
        let scale = e.constant(&[16, 1, 1], 0.5, 1.5);
        let y = e.binary(BinaryFn::Mul, y, scale);
        let y = e.binary(BinaryFn::Add, y, residual);
        e.unary(UnaryKind::Relu, y)
    });
}

#[test]
fn matrix_product_with_epilogue() {
    one_kernel(|e| {
        let x = e.input(&[24, 32]);
        let residual = e.input(&[24, 40]);
        let w = e.constant(&[32, 40], -0.5, 0.5);
        let b = e.constant(&[40], -0.5, 0.5);
        let y = e.apply(Matmul {}, &[x, w]);
        let y = e.binary(BinaryFn::Add, y, b);
        let y = e.unary(UnaryKind::Gelu { approximate: false }, y);
        e.binary(BinaryFn::Add, y, residual)
    });
}

#[test]
fn softmax_and_normalisation() {
    one_kernel(|e| {
        let x = e.input(&[16, 40]);
        let y = e.apply(Softmax { axis: 1 }, &[x]);
        e.unary(UnaryKind::Sqrt, y)
    });
    one_kernel(|e| {
        let x = e.input(&[16, 48]);
        let residual = e.input(&[16, 48]);
        let y = e.binary(BinaryFn::Add, x, residual);
        norm(e, y)
    });
}

#[test]
fn a_decomposed_normalisation() {
    one_kernel(|e| {
        let x = e.input(&[16, 48]);
        let mean = Reduce {
            kind: ReduceKind::Mean,
            axes: vec![1],
            keep_dims: true,
        };
        let average = e.apply(mean.clone(), &[x]);
        let centred = e.binary(BinaryFn::Sub, x, average);
        let square = e.binary(BinaryFn::Mul, centred, centred);
        let variance = e.apply(mean, &[square]);
        let epsilon = e.literal(1e-5);
        let variance = e.binary(BinaryFn::Add, variance, epsilon);
        let deviation = e.unary(UnaryKind::Sqrt, variance);
        let y = e.binary(BinaryFn::Div, centred, deviation);
        let scale = e.constant(&[48], 0.5, 1.5);
        e.binary(BinaryFn::Mul, y, scale)
    });
}

#[test]
fn index_maps_are_absorbed() {
    one_kernel(|e| {
        let x = e.input(&[12, 20]);
        let y = e.apply(Transpose { perm: vec![1, 0] }, &[x]);
        let slice = Slice {
            starts: vec![2, 0],
            sizes: vec![16, 12],
            steps: vec![1, 1],
        };
        let y = e.apply(slice, &[y]);
        e.unary(UnaryKind::Relu, y)
    });
}

#[test]
fn parts_of_a_concat_are_stored_in_place() {
    let fused = build(|e| {
        let x = e.input(&[1, 8, 12, 12]);
        let a = conv(e, x, 8, 1);
        let b = conv(e, x, 16, 3);
        let y = e.apply(Concat { axis: 1 }, &[a, b]);
        conv(e, y, 8, 3)
    });
    assert_eq!(fused.placements.len(), 2);
    assert_eq!(fused.placements[1].offset, [0, 8, 0, 0]);
    let names: Vec<_> = fused
        .groups
        .iter()
        .map(|g| g.kernel.name.as_str())
        .collect();
    assert!(names.iter().all(|n| !n.contains("concat")), "{names:?}");
}

#[test]
fn convolutions_with_halos_are_one_kernel_or_apart_with_a_reason() {
    for channels in [8, 24] {
        let fused = build(|e| {
            let x = e.input(&[1, channels, 16, 16]);
            let y = conv(e, x, channels, 3);
            conv(e, y, channels, 3)
        });
        match fused.groups.len() {
            1 => assert!(fused.statistics.price < fused.statistics.unfused_price),
            _ => assert!(fused.refusals[0].flip.is_some(), "{:?}", fused.refusals),
        }
    }
}

#[test]
fn activations_between_convolutions_are_channels_last() {
    let fused = build(|e| {
        let x = e.input(&[1, 3, 24, 24]);
        let y = conv(e, x, 16, 3);
        conv(e, y, 16, 3)
    });
    let layouts: Vec<_> = fused.layouts.values().map(ToString::to_string).collect();
    assert_eq!(layouts, ["[0, 2, 3, 1]"]);
}

/// Two convolutions of so many channels with a residual, on a device, and the layout of what lies between them.
fn between_convolutions(device: &Device, channels: i64) -> (Fused, Vec<String>) {
    let mut e = Example::new(7);
    let x = e.input(&[1, 3, 14, 14]);
    let y = conv(&mut e, x, channels, 3);
    let y = e.unary(UnaryKind::Relu, y);
    let z = conv(&mut e, y, channels, 3);
    let z = e.binary(BinaryFn::Add, z, y);
    let z = conv(&mut e, z, 8, 3);
    e.output(z);
    let fused = fuse(&e.graph, device, &Options::default()).unwrap();
    let inputs = common::random_inputs(&e.graph, 1);
    let expected = evaluate(&e.graph, &inputs).unwrap();
    let error = common::relative_error(&common::run(&fused, &inputs)[0], &expected[0]);
    assert!(error < 1e-5, "off by {error:e}");
    let layouts = fused.layouts.values().map(ToString::to_string).collect();
    (fused, layouts)
}

#[test]
fn channels_lie_in_the_blocks_of_the_device_where_that_is_cheaper() {
    let mut device = Device::named("ascend-910b").unwrap();
    assert_eq!(device.channel_block, Some(16));
    let (blocked, layouts) = between_convolutions(&device, 128);
    let in_blocks = "[0, 1/16, 2, 3, 1%16]";
    assert!(layouts.iter().any(|l| l == in_blocks), "{layouts:?}");
    // Channels that the block does not divide stay last.
    let (_, layouts) = between_convolutions(&device, 20);
    assert!(layouts.iter().all(|l| l == "[0, 2, 3, 1]"), "{layouts:?}");
    device.channel_block = None;
    let (last, layouts) = between_convolutions(&device, 128);
    assert!(layouts.iter().all(|l| l == "[0, 2, 3, 1]"), "{layouts:?}");
    assert!(blocked.statistics.price < last.statistics.price);
}

#[test]
fn reshapes_and_free_transposes_are_views() {
    let fused = build(|e| {
        let x = e.input(&[6, 4, 5]);
        let y = e.unary(UnaryKind::Tanh, x);
        e.apply(Reshape { shape: vec![24, 5] }, &[y])
    });
    assert_eq!(fused.views.len(), 1);
    assert_eq!(fused.statistics.operators, 1);
}

#[test]
fn programs_do_not_depend_on_chance() {
    let mut example = Example::new(3);
    let x = example.input(&[1, 8, 12, 12]);
    let y = conv(&mut example, x, 16, 3);
    let z = example.unary(UnaryKind::HardSwish, y);
    let y = conv(&mut example, z, 8, 1);
    let y = example.binary(BinaryFn::Add, x, y);
    example.output(y);
    let text = || {
        let fused = fused(&example.graph, Policy::Egraph);
        serde_json::to_string(&fused.decisions()).unwrap()
    };
    let first = text();
    assert_eq!(first, text());
    for key in [
        "\"groups\"",
        "\"refusals\"",
        "\"code\"",
        "\"intermediate_bytes\"",
    ] {
        assert!(first.contains(key), "{first}");
    }
}

#[test]
fn unknown_rules_are_refused() {
    let mut graph = Graph::new("g");
    let x = graph.input("x", TensorType::f32([2]));
    graph.output("y", x);
    let options = Options {
        disabled_rules: vec!["no-such".into()],
        ..Options::default()
    };
    let device = Device::named("host").unwrap();
    let error = fuse(&graph, &device, &options).unwrap_err();
    assert!(error.to_string().contains("no-such"), "{error}");
}

#[test]
fn keys_are_stored_with_contiguous_columns_where_that_is_cheaper() {
    let scores = |e: &mut Example| {
        let x = e.input(&[128, 64]);
        let weights = [0, 1].map(|_| e.constant(&[64, 64], -0.1, 0.1));
        let [queries, keys] = weights.map(|w| e.apply(Matmul {}, &[x, w]));
        let keys = e.apply(Transpose { perm: vec![1, 0] }, &[keys]);
        e.apply(Matmul {}, &[queries, keys])
    };
    let by_price = build(scores);
    let mut example = Example::new(7);
    let y = scores(&mut example);
    example.output(y);
    let device = Device::named("host").unwrap().with_host_cpu(HostCpu::AVX2);
    let options = Options {
        fixed_layouts: true,
        ..Options::default()
    };
    let by_rule = fuse(&example.graph, &device, &options).unwrap();
    let columns_first = |fused: &Fused| {
        let products = fused.graph.nodes.iter();
        let products = products.filter(|n| matches!(n.op, sinter_ops::Op::Matmul(_)));
        let stored = products.filter_map(|n| fused.layouts.get(&n.outputs[0]));
        stored.count()
    };
    assert_eq!((columns_first(&by_price), columns_first(&by_rule)), (1, 0));
    assert!(by_price.statistics.price < by_rule.statistics.price);
}

#[test]
fn convolutions_take_short_products_where_their_kernel_is_cheaper() {
    let made = |channels: i64, rows: i64, kernel: i64| {
        let mut e = Example::new(7);
        let x = e.input(&[1, channels, rows, 28]);
        let x = e.unary(UnaryKind::Relu, x);
        let y = conv(&mut e, x, channels, kernel);
        let y = e.unary(UnaryKind::Relu, y);
        e.output(y);
        e.graph
    };
    let host = || Device::named("host").unwrap().with_host_cpu(HostCpu::AVX2);
    let is_short = |graph: &Graph, device: &Device| {
        let fused = fuse(graph, device, &Options::default()).unwrap();
        let mut nodes = fused.graph.nodes.iter();
        nodes.any(|n| matches!(n.op, Op::WinogradConv(_)))
    };
    assert!(is_short(&made(64, 28, 3), &host()));
    let wide = Device::named("host")
        .unwrap()
        .with_host_cpu(HostCpu::AVX512);
    assert!(
        is_short(&made(64, 56, 3), &wide),
        "blocks of rows for two cores"
    );
    // As many rows at a time as pay: four, in seven tiles for each of two threads.
    let rows = |numerics: Numerics| {
        let options = Options {
            numerics,
            ..Options::default()
        };
        let fused = fuse(&made(64, 56, 3), &host(), &options).unwrap();
        let short = |n: &&sinter_ops::Node| matches!(n.op, Op::WinogradConv(_));
        let node = fused
            .graph
            .nodes
            .iter()
            .find(short)
            .expect("short products");
        fused.graph.ty(node.inputs[3]).shape[0]
    };
    assert_eq!(rows(Numerics::Reassociating), 4);
    assert!([4, 7].contains(&rows(Numerics::Approximate)));
    assert!(is_short(&made(64, 27, 3), &host()));
    // A prime number of rows, other taps, too little to do, and a device with a matrix unit.
    assert!(!is_short(&made(64, 29, 3), &host()));
    assert!(!is_short(&made(64, 28, 1), &host()));
    assert!(!is_short(&made(2, 28, 3), &host()));
    let ascend = Device::named("ascend-910b").unwrap();
    assert!(!is_short(&made(64, 28, 3), &ascend));
}

#[test]
fn a_numerics_limit_keeps_direct_convolutions() {
    let mut e = Example::new(7);
    let x = e.input(&[1, 64, 28, 28]);
    let y = conv(&mut e, x, 64, 3);
    e.output(y);
    let device = Device::named("host").unwrap().with_host_cpu(HostCpu::AVX2);
    let options = Options {
        numerics: Numerics::Rounding,
        ..Options::default()
    };
    let fused = fuse(&e.graph, &device, &options).unwrap();
    let short = |n: &sinter_ops::Node| matches!(n.op, Op::WinogradConv(_));
    assert!(!fused.graph.nodes.iter().any(short));
}

#[test]
fn every_short_product_that_is_taken_has_a_kernel_where_it_stands() {
    // Few channels and many rows, as the model's input and output are stored: rows along a padded axis
    // would keep the whole of it in one block.
    for (channels, rows, outputs) in [(8, 56, 16), (8, 51, 24), (8, 39, 24), (3, 55, 31)] {
        for cores in [1, 2] {
            let mut e = Example::new(7);
            let x = e.input(&[1, channels, rows, rows]);
            let y = conv(&mut e, x, outputs, 3);
            e.output(y);
            let device = Device::named("host").unwrap();
            let device = device.with_host_cpu(HostCpu::AVX512).with_cores(cores);
            let fused = fuse(&e.graph, &device, &Options::default());
            assert!(fused.is_ok(), "{channels} to {outputs}: {:?}", fused.err());
        }
    }
}
