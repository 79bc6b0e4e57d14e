//! A kernel that was written by hand for a unit (`examples/own-kernel`): taken where it is cheaper, right on
//! both kinds of devices, explained, and found to be of use in a model that does not know it.

use std::path::{Path, PathBuf};

use sinter_driver::{CompileOptions, Form, Level, RunOptions, emit, explain, run};
use sinter_ir::Context;
use sinter_ir::graph::module_to_graph;
use sinter_loops::random;
use sinter_reference::evaluate;

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own-kernel/model.mlir")
}

fn options(device: &str, fusion: &str, numerics: &str) -> CompileOptions {
    CompileOptions {
        device: device.into(),
        fusion: fusion.into(),
        numerics: numerics.into(),
        ..CompileOptions::default()
    }
}

/// The outputs by the units' meaning.
fn expected() -> Vec<f64> {
    let context = Context::new();
    let module = context.parse_file(example()).expect("parses");
    let graph = module_to_graph(&module).expect("is a graph");
    let inputs: Vec<_> = graph
        .inputs
        .iter()
        .map(|(name, v)| random::tensor(graph.ty(*v), name, 1))
        .collect();
    evaluate(&graph, &inputs).expect("runs")[0].to_f64s()
}

#[test]
fn the_kernel_is_taken_where_it_is_cheaper_and_right_on_both_devices() {
    let expected = expected();
    for device in ["host", "ascend-910b"] {
        let options = options(device, "egraph", "reassociating");
        let report = explain(&example(), &options, 0)
            .expect("is explained")
            .report;
        let [own] = report.own_kernels.as_slice() else {
            panic!("{:?}", report.own_kernels);
        };
        let cheaper = own.price_ns.expect("a price") < own.instead_of_ns;
        assert_eq!(own.taken, cheaper, "{device}: {}", own.message);
        assert!(cheaper || device != "host", "{}", own.message);
        let how = RunOptions {
            random: Some(1),
            adversarial: device != "host",
            ..RunOptions::default()
        };
        let done = run(&example(), &options, &how).expect("compiles and runs");
        let (name, result) = &done.outputs[0];
        assert_eq!(name, "weights");
        for (got, want) in result.to_f64s().iter().zip(&expected) {
            // Negated, so that NaN fails.
            assert!((got - want).abs() <= 1e-5, "{device}: {got}, not {want}");
        }
    }
}

#[test]
fn the_operators_are_taken_without_a_choice_and_below_the_numerics_class() {
    for (fusion, numerics, why) in [
        (
            "none",
            "reassociating",
            "the policy none takes the operators",
        ),
        (
            "egraph",
            "exact",
            "own kernels are reassociating, the limit is exact",
        ),
    ] {
        let options = options("host", fusion, numerics);
        let report = explain(&example(), &options, 0)
            .expect("is explained")
            .report;
        assert!(!report.own_kernels[0].taken);
        assert_eq!(report.own_kernels[0].message, why);
        let refusal = report
            .refusals
            .iter()
            .find(|r| r.code == "own-kernel-not-taken");
        assert_eq!(refusal.expect("is refused").nodes, ["attention_weights"]);
    }
}

#[test]
fn the_chosen_kernel_is_in_the_emitted_program() {
    let options = options("host", "egraph", "reassociating");
    let text = |level| {
        let emitted = emit(&example(), &options, level, Form::Text).expect("is emitted");
        String::from_utf8(emitted.bytes).expect("is text")
    };
    let fused = text(Level::Fused);
    assert!(fused.contains("kernel @masked_softmax"), "{fused}");
    let lowered = text(Level::Npu);
    assert!(!lowered.contains("masked_softmax("), "{lowered}");
}

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{name}.onnx"))
}

/// Options with the kernels for `attention.onnx`.
fn with_kernels(device: &str, fusion: &str) -> CompileOptions {
    CompileOptions {
        own_kernels: Some(example().with_file_name("attention.mlir")),
        ..options(device, fusion, "reassociating")
    }
}

fn outputs(compile: &CompileOptions) -> Vec<f64> {
    let how = RunOptions {
        random: Some(1),
        adversarial: compile.device != "host",
        ..RunOptions::default()
    };
    let done = run(&model("attention"), compile, &how).expect("compiles and runs");
    done.outputs[0].1.to_f64s()
}

#[test]
fn a_unit_is_found_in_a_model_that_does_not_know_it() {
    let expected = outputs(&options("host", "none", "exact"));
    for device in ["host", "ascend-910b"] {
        let options = with_kernels(device, "egraph");
        let found = explain(&model("attention"), &options, 0).expect("is explained");
        let [own] = found.report.own_kernels.as_slice() else {
            panic!("{:?}", found.report.own_kernels);
        };
        assert_eq!(own.nodes, ["scaled", "masked", "weights"]);
        let cheaper = own.price_ns.expect("a price") < own.instead_of_ns;
        assert_eq!(own.taken, cheaper, "{device}: {}", own.message);
        assert_eq!(own.taken, device == "host", "{}", own.message);
        for (got, want) in outputs(&options).iter().zip(&expected) {
            // Negated, so that NaN fails.
            assert!((got - want).abs() <= 1e-5, "{device}: {got}, not {want}");
        }
    }
}

#[test]
fn a_unit_that_is_nowhere_is_refused() {
    let refused = |name: &str, control: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("control.toml");
        std::fs::write(&config, control).expect("is written");
        let options = CompileOptions {
            fusion_config: Some(config),
            ..with_kernels("host", "egraph")
        };
        let error = explain(&model(name), &options, 0).expect_err("is refused");
        error.to_string()
    };
    let nowhere = "'my.masked_softmax' is nowhere in the model";
    assert!(refused("chain", "").contains(nowhere));
    // The unit is looked for among these nodes only.
    let apart = "[[own-kernel]]\nunit = \"my.masked_softmax\"\nnodes = [\"weights\"]";
    assert!(refused("attention", apart).contains(nowhere));
    let other = "[[own-kernel]]\nunit = \"my.softmax\"\nnodes = [\"weights\"]";
    assert!(refused("attention", other).contains("names the unit 'my.softmax', which"));
}
