//! Smaller scratchpads make smaller groups, never a spill and never an error: real models are fused for
//! devices whose on-chip spaces shrink over two orders of magnitude. A model that is not there is
//! skipped with a message.

use sinter_device::{Device, Refusal, schedule};
use sinter_fusion::{Fused, Options, Policy, fuse};
use sinter_loops::onchip::{self, Space};
use sinter_loops::random;
use sinter_loops::tensor::Tensor;
use sinter_onnx::{ImportOptions, import};
use sinter_ops::Graph;
use sinter_reference::evaluate;

mod common;

/// What the sizes are divided by: UB from 192 KiB down to 2 KiB.
const DIVISORS: [u64; 8] = [1, 2, 4, 8, 16, 32, 64, 96];

/// A device with the spaces of `ascend-910b`, each a part of its size.
fn shrunk(divisor: u64) -> Device {
    let mut device = Device::named("ascend-910b").expect("built in");
    for space in device.spaces.iter_mut().filter(|s| s.name != "gm") {
        space.bytes /= divisor;
    }
    device
}

fn model(file: &str, shapes: &[(&str, &[i64])]) -> Option<Graph> {
    let path = common::root().join(file);
    if !path.exists() {
        println!("skipped {file}: run scripts/fetch-models or scripts/export-models");
        return None;
    }
    let shapes = shapes.iter().map(|(n, s)| ((*n).to_owned(), s.to_vec()));
    let options = ImportOptions {
        shapes: shapes.collect(),
    };
    Some(import(path, &options).expect("the model imports"))
}

fn fused(graph: &Graph, device: &Device, policy: Policy) -> Fused {
    let options = Options {
        policy,
        ..Options::default()
    };
    fuse(graph, device, &options)
        .unwrap_or_else(|e| panic!("{} of UB: {e}", device.space_bytes("ub")))
}

/// Every kernel's tiles fit every space, and returns the most that any kernel has of UB.
fn check_sizes(fused: &Fused, device: &Device) -> i64 {
    let mut most = 0;
    for group in &fused.groups {
        let chip = onchip::lower(&group.kernel, &device.machine()).expect("it was priced");
        for space in Space::ALL.into_iter().skip(1) {
            let (used, size) = (chip.bytes_in(space), device.space_bytes(space.name()));
            assert!(
                used as u64 <= size,
                "{}: {used} of {size} bytes of {space:?}",
                group.kernel.name
            );
        }
        most = most.max(chip.bytes_in(Space::Ub));
    }
    most
}

/// Fuses for every size. A smaller scratchpad never makes the program cheaper. It must not need fewer
/// kernels, but for a few: the search starts elsewhere.
fn sweep(name: &str, graph: &Graph, policy: Policy) {
    let (mut counts, mut prices) = (Vec::new(), Vec::new());
    for divisor in DIVISORS {
        let device = shrunk(divisor);
        let fused = fused(graph, &device, policy);
        let most = check_sizes(&fused, &device);
        let kernels = fused.groups.len();
        let ub = device.space_bytes("ub");
        println!(
            "{name}: UB {ub}: {kernels} kernels, at most {most} bytes, {:.0} ns",
            fused.statistics.price.ns()
        );
        counts.push(kernels);
        prices.push(fused.statistics.price);
    }
    assert!(prices.is_sorted(), "{name}: {prices:?}");
    let (whole, smallest) = (counts[0], counts[counts.len() - 1]);
    assert!(smallest >= whole, "{name}: {counts:?}");
    let fewer = counts.windows(2).map(|w| w[0].saturating_sub(w[1])).max();
    assert!(fewer.unwrap_or(0) * 20 <= whole, "{name}: {counts:?}");
}

/// Runs the steps over tiles of every kernel, for some of the sizes.
fn results(graph: &Graph, policy: Policy) {
    let inputs: Vec<Tensor> = graph
        .inputs
        .iter()
        .map(|(name, value)| random::tensor(graph.ty(*value), name, 5))
        .collect();
    let expected = evaluate(graph, &inputs).expect("the oracle runs it");
    for divisor in [1, 8, 96] {
        let device = shrunk(divisor);
        let fused = fused(graph, &device, policy);
        let machine = device.machine();
        let actual = common::run_with(&fused, &inputs, &|kernel, inputs| {
            onchip::interp::run(kernel, &machine, inputs).expect("it was priced")
        });
        for (a, e) in actual.iter().zip(&expected) {
            let (a, e) = (a.to_f64s(), e.to_f64s());
            let scale = e.iter().fold(1e-6_f64, |m, v| m.max(v.abs()));
            for (i, (a, e)) in a.iter().zip(&e).enumerate() {
                // Negated, so that NaN fails.
                let close = (a - e).abs() <= 1e-4 * scale;
                assert!(close, "a {divisor}th: element {i} is {a}, not {e}");
            }
        }
    }
}

#[test]
fn shipped_models_run_with_any_size() {
    let open: &[(&str, &[i64])] = &[("x", &[2, 6, 32])];
    for (file, shapes) in [
        ("chain", &[][..]),
        ("tiny_cnn", &[]),
        ("tiny_transformer", open),
    ] {
        let graph = model(&format!("models/{file}.onnx"), shapes).expect("it is shipped");
        for policy in [Policy::Egraph, Policy::None] {
            sweep(file, &graph, policy);
            results(&graph, policy);
        }
    }
}

#[test]
fn text_recognition_shrinks() {
    let shape: &[i64] = &[1, 3, 48, 320];
    if let Some(graph) = model(".cache/models/ch_PP-OCRv4_rec_infer.onnx", &[("x", shape)]) {
        sweep("rec", &graph, Policy::Greedy);
    }
}

#[test]
fn a_convolution_network_shrinks() {
    let shape: &[i64] = &[1, 3, 224, 224];
    if let Some(graph) = model(".cache/models/mobilenet_v3_small.onnx", &[("input", shape)]) {
        sweep("mobilenet_v3_small", &graph, Policy::Greedy);
    }
}

/// More of any space makes no kernel dearer, and the smallest tile that a refusal names is one.
#[test]
fn kernels_cost_no_more_with_more_of_a_space() {
    for file in ["chain", "attention", "bottleneck", "tiny_cnn"] {
        let graph = model(&format!("models/{file}.onnx"), &[]).expect("it is shipped");
        let whole = shrunk(1);
        for policy in [Policy::Egraph, Policy::None] {
            for group in fused(&graph, &whole, policy).groups {
                let mut kernel = group.kernel;
                kernel.schedule = None;
                for n in (0..whole.spaces.len()).filter(|&n| whole.spaces[n].name != "gm") {
                    let mut device = whole.clone();
                    let mut last = None;
                    while device.spaces[n].bytes > 64 {
                        let found = schedule(&kernel, &device);
                        let what = || format!("{} with {:?}", kernel.name, device.spaces[n]);
                        match &found {
                            Ok((_, price)) => {
                                assert!(last.is_none_or(|l| l <= Ok(price.total)), "{}", what());
                                last = Some(Ok(price.total));
                            }
                            Err(Refusal::Footprint(needs)) => {
                                let [need] = &needs[..] else {
                                    panic!("{}: {needs:?}", what())
                                };
                                let mut grown = device.clone();
                                grown.spaces[n].bytes = need.needed;
                                assert!(schedule(&kernel, &grown).is_ok(), "{}", what());
                                grown.spaces[n].bytes = need.needed - 1;
                                assert!(schedule(&kernel, &grown).is_err(), "{}", what());
                                last = Some(Err(()));
                            }
                            Err(e) => panic!("{}: {e}", what()),
                        }
                        device.spaces[n].bytes = device.spaces[n].bytes * 3 / 4;
                    }
                }
            }
        }
    }
}
