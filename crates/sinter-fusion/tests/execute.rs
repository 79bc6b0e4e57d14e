//! Fused programs compute what their graphs mean: every kernel is run by the interpreter, on physical
//! tensors, and the outputs are compared with the reference.

mod common;

use std::collections::BTreeMap;

use sinter_device::{Device, HostCpu};
use sinter_fusion::{Fused, Numerics, Options, Policy, fuse};
use sinter_onnx::{ImportOptions, import};
use sinter_ops::Graph;
use sinter_reference::evaluate;

const DEVICES: [&str; 3] = ["host", "ascend-910b", "ascend-coupled"];

fn device(name: &str) -> Device {
    Device::named(name).unwrap().with_host_cpu(HostCpu::AVX2)
}

fn fused(graph: &Graph, policy: Policy, device_name: &str) -> Fused {
    let options = Options {
        policy,
        ..Options::default()
    };
    fuse(graph, &device(device_name), &options)
        .unwrap_or_else(|e| panic!("{} {policy} {device_name}: {e}", graph.name))
}

/// Every policy on every device gives the reference's results.
fn check(graph: &Graph) {
    let inputs = common::random_inputs(graph, 1);
    let expected = evaluate(graph, &inputs).unwrap();
    for name in DEVICES {
        let mut prices = Vec::new();
        for policy in Policy::built() {
            let fused = fused(graph, policy, name);
            prices.push(fused.statistics.price);
            for (result, expected) in common::run(&fused, &inputs).iter().zip(&expected) {
                let error = common::relative_error(result, expected);
                assert!(
                    error < 1e-4,
                    "{} {policy} {name}: off by {error:e}",
                    graph.name
                );
            }
        }
        let best = fused(graph, Policy::Egraph, name).statistics;
        assert!(
            prices.iter().all(|p| (best.price..=prices[0]).contains(p)),
            "{name} {prices:?}"
        );
    }
}

fn shipped(name: &str, shapes: &[(&str, &[i64])]) -> Graph {
    let path = common::root().join(format!("models/{name}.onnx"));
    let shapes = shapes
        .iter()
        .map(|(n, s)| ((*n).to_owned(), s.to_vec()))
        .collect();
    import(path, &ImportOptions { shapes }).unwrap()
}

/// A model that `scripts/fetch-models` or `scripts/export-models` makes.
fn real(name: &str, input: &str, shape: &[i64]) -> Option<Graph> {
    let path = common::root().join(format!(".cache/models/{name}.onnx"));
    if !path.exists() {
        eprintln!("skipped: {name} has not been fetched");
        return None;
    }
    let shapes = BTreeMap::from([(input.to_owned(), shape.to_vec())]);
    Some(import(path, &ImportOptions { shapes }).unwrap())
}

#[test]
fn chain() {
    let graph = shipped("chain", &[]);
    check(&graph);
    assert_eq!(fused(&graph, Policy::Egraph, "host").groups.len(), 1);
}

#[test]
fn tiny_cnn() {
    check(&shipped("tiny_cnn", &[]));
}

/// One kernel, with the softmax divided late; on the host the keys, which come row by row, are moved first.
#[test]
fn attention() {
    let graph = shipped("attention", &[]);
    check(&graph);
    let fused = fused(&graph, Policy::Egraph, "host");
    assert_eq!(fused.groups.len(), 2);
    assert!(fused.groups.iter().any(|g| g.nodes.len() == 5));
    let exponentials = |g: &sinter_fusion::Group| {
        let stages = g.kernel.stages.iter();
        stages.filter(|s| s.body.has_transcendental()).count()
    };
    assert_eq!(fused.groups.iter().map(exponentials).sum::<usize>(), 1);
    let exact = Options {
        numerics: Numerics::Exact,
        ..Options::default()
    };
    let fused = fuse(&graph, &device("host"), &exact).unwrap();
    assert_eq!(fused.groups.iter().map(exponentials).sum::<usize>(), 2);
}

#[test]
fn bottleneck() {
    check(&shipped("bottleneck", &[]));
}

#[test]
fn tiny_transformer() {
    check(&shipped("tiny_transformer", &[("x", &[1, 16, 32])]));
}

#[test]
fn a_real_model_at_a_small_size() {
    let Some(graph) = real("ch_ppocr_mobile_v2.0_cls_infer", "x", &[1, 3, 48, 16]) else {
        return;
    };
    let inputs = common::random_inputs(&graph, 1);
    let expected = evaluate(&graph, &inputs).unwrap();
    for name in ["host", "ascend-910b"] {
        let fused = fused(&graph, Policy::Egraph, name);
        let result = common::run(&fused, &inputs);
        assert!(common::relative_error(&result[0], &expected[0]) < 1e-4);
        let s = fused.statistics;
        assert!(s.kernels as f64 <= 0.55 * s.operators as f64, "{s:?}");
        assert!(
            s.intermediate_bytes as f64 <= 0.6 * s.unfused_intermediate_bytes as f64,
            "{s:?}"
        );
    }
}
