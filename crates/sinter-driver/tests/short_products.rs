//! Convolutions by short products, compiled and run: alone and with neighbours in their kernel, with and
//! without padding and bias, on both kinds of devices.

use sinter_driver::{CompileOptions, RunOptions, compile_graph, run};
use sinter_fusion::rules;
use sinter_loops::random;
use sinter_ops::ops::winograd_conv::WinogradConv;
use sinter_ops::{Graph, Op};
use sinter_reference::evaluate;

/// Random convolutions.
const SEEDS: u64 = 20;

fn check(graph: &Graph, seed: u64, device: &str, fusion: &str, tolerance: f64) {
    let what = format!("seed {seed} on {device}, {fusion}");
    let inputs: Vec<_> = graph
        .inputs
        .iter()
        .map(|(name, v)| random::tensor(graph.ty(*v), name, 1))
        .collect();
    let expected = evaluate(graph, &inputs).expect("the oracle runs it")[0].to_f64s();
    let options = CompileOptions {
        device: device.into(),
        fusion: fusion.into(),
        ..CompileOptions::default()
    };
    let folder = tempfile::tempdir().expect("a folder");
    let offline = folder.path().join("model.sinter");
    compile_graph(graph, &options)
        .and_then(|compiled| compiled.write(&offline))
        .unwrap_or_else(|e| panic!("{what}: {e}"));
    let how = RunOptions {
        random: Some(1),
        threads: Some(2),
        adversarial: device != "host",
        ..RunOptions::default()
    };
    let done = run(&offline, &options, &how).unwrap_or_else(|e| panic!("{what}: {e}"));
    let (_, actual) = done.outputs.into_iter().next().expect("an output");
    let scale = expected.iter().fold(1e-6_f64, |m, v| m.max(v.abs()));
    for (i, (a, e)) in actual.to_f64s().iter().zip(&expected).enumerate() {
        // Negated, so that NaN fails.
        let close = (a - e).abs() <= tolerance * scale;
        assert!(close, "{what}: element {i} is {a}, not {e}");
    }
}

/// Rules, and how far results may be from the reference, of the largest.
const RULES: [(&str, f64); 5] = [
    ("convolution-by-two-rows", 1e-5),
    ("convolution-by-three-rows", 1e-5),
    ("convolution-by-four-rows", 1e-5),
    ("convolution-by-five-rows", 1e-5),
    ("convolution-by-seven-rows", 1e-4),
];

fn everywhere(device: &str) {
    for seed in 0..SEEDS {
        let (rule, tolerance) = RULES[seed as usize % RULES.len()];
        let graph = rules::example(rule, seed).expect("a rule");
        let short = rules::apply(rule, &graph).expect("it applies");
        let is_short = |op: &Op| matches!(op, Op::WinogradConv(WinogradConv { .. }));
        assert!(short.nodes.iter().any(|n| is_short(&n.op)), "seed {seed}");
        let fusion = ["none", "egraph"][seed as usize / RULES.len() % 2];
        check(&short, seed, device, fusion, tolerance);
    }
}

#[test]
fn on_the_host() {
    everywhere("host");
}

#[test]
fn on_a_scratchpad_device() {
    everywhere("ascend-910b");
}
