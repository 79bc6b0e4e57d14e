//! The model with the custom operators: what it is compiled to, and what that computes.

use std::path::{Path, PathBuf};

use dsp::EXTENSION;
use sinter_device::Device;
use sinter_driver::{CompileOptions, RunOptions};
use sinter_fusion::{Fused, Options, Policy, fuse};
use sinter_loops::random;
use sinter_loops::types::TensorType;
use sinter_onnx::{ImportOptions, import};
use sinter_ops::Graph;
use sinter_reference::evaluate;

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models/dsp.onnx")
}

fn model() -> Graph {
    EXTENSION.install().expect("the names are free");
    import(path(), &ImportOptions::default()).expect("imports")
}

fn fused(graph: &Graph, policy: Policy) -> Fused {
    let host = Device::named("host").expect("is built in");
    let options = Options {
        policy,
        ..Options::default()
    };
    fuse(graph, &host, &options).expect("has kernels")
}

#[test]
fn custom_operators_are_fused_with_their_neighbours() {
    let graph = model();
    let fused = fused(&graph, Policy::Egraph);
    assert_eq!(fused.statistics.operators, 7);
    let [group] = fused.groups.as_slice() else {
        panic!("not one kernel: {:?}", fused.decisions().groups);
    };
    assert_eq!(group.kernel.name, "k0_mul_add_dsp_squareplus_dsp_power_add");
    assert_eq!(
        group.origins,
        [
            "scale", "shift", "smooth", "power", "positive", "loudness", "level"
        ]
    );
}

#[test]
fn compiled_results_are_those_of_the_reference() {
    let graph = model();
    let x = random::tensor(graph.ty(graph.inputs[0].1), "x", 1);
    let expected = evaluate(&graph, &[x]).expect("runs")[0].to_f64s();
    let largest = expected.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let options = RunOptions {
        random: Some(1),
        ..RunOptions::default()
    };
    for fusion in ["none", "egraph"] {
        for device in ["host", "ascend-910b"] {
            let compile = CompileOptions {
                fusion: fusion.into(),
                device: device.into(),
                ..CompileOptions::default()
            };
            let done = sinter_driver::run(&path(), &compile, &options).expect("compiles and runs");
            let (name, result) = &done.outputs[0];
            assert_eq!(name, "y");
            for (got, want) in result.to_f64s().iter().zip(&expected) {
                let error = (got - want).abs();
                assert!(
                    error <= 1e-5 * largest,
                    "{fusion} on {device}: {got}, not {want}"
                );
            }
        }
    }
}

#[test]
fn cost_terms_are_in_the_price() {
    let fused = fused(&model(), Policy::Egraph);
    let price = &fused.groups[0].price;
    let parts = price.launch + price.vector.max(price.memory) + price.fill_drain;
    let root = price.total.saturating_sub(parts);
    assert_eq!(root.ns(), 8.0 * 256.0 * 0.02, "{price:?}");
}

/// Long axes are kept apart, with the code that says so.
#[test]
fn long_axes_are_refused() {
    EXTENSION.install().expect("the names are free");
    let mut graph = Graph::new("long");
    let x = graph.input("x", TensorType::f32([4, 1 << 17]));
    let square = dsp::squareplus::Squareplus {
        roundness: sinter_loops::scalar::FloatBits::new(1.0),
    };
    let smooth = graph
        .add(square, &[x], vec!["smooth".into()])
        .expect("fits")[0];
    let power = dsp::power::Power { axis: 1 };
    let power = graph
        .add(power, &[smooth], vec!["power".into()])
        .expect("fits")[0];
    graph.output("power", power);
    let fused = fused(&graph, Policy::Egraph);
    assert_eq!(fused.groups.len(), 2);
    let refusal = &fused.refusals[0];
    assert_eq!(refusal.code.code(), "dsp-power-too-long");
    assert_eq!(refusal.nodes, ["smooth", "power"]);
    assert_eq!(
        refusal.flip.as_deref(),
        Some("if axis 1 had at most 65536 elements")
    );
}
