//! Random graphs through the whole path, from fusion to a run of the offline model, against the reference: on both
//! kinds of device, fused and unfused, with late transfers on the scratchpad device.
//!
//! A few graphs by default; `SINTER_RANDOM_GRAPHS=100..300` takes the graphs of other seeds. Where one fails, the
//! smallest of its parts that does is printed.

mod generate;
mod shapes;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use sinter_driver::{CompileOptions, RunOptions, compile_graph, run};
use sinter_loops::random;
use sinter_loops::tensor::Tensor;
use sinter_ops::{Graph, ValueId};

const GRAPHS: std::ops::Range<u64> = 0..12;
/// Graphs that once failed.
const FAILED: [u64; 6] = [18, 50, 114, 180, 198, 274];
const DEVICES: [&str; 2] = ["host", "ascend-910b"];
const POLICIES: [&str; 2] = ["egraph", "none"];
/// Largest difference, in parts of the largest reference value.
const TOLERANCE: f64 = 1e-3;

fn seeds() -> Vec<u64> {
    let Ok(text) = std::env::var("SINTER_RANDOM_GRAPHS") else {
        return GRAPHS.chain(FAILED).collect();
    };
    let bounds = text
        .split_once("..")
        .and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    let bounds = bounds.unwrap_or_else(|| panic!("SINTER_RANDOM_GRAPHS={text} is not FIRST..LAST"));
    bounds.collect()
}

#[test]
fn compiled_graphs_agree_with_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("graph.sinter");
    let mut failures = Vec::new();
    for seed in seeds() {
        let graph = generate::graph(seed);
        for device in DEVICES {
            for policy in POLICIES {
                let Err(fault) = agrees(&graph, device, policy, &file) else {
                    continue;
                };
                let fails = |part: &Graph| agrees(part, device, policy, &file).is_err();
                let smallest = smallest_part(&graph, fails);
                failures.push(format!(
                    "seed {seed}, {device}, {policy}: {fault}\n{}",
                    describe(&smallest)
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Compiles, runs and compares a graph; a panic is a fault like others.
fn agrees(graph: &Graph, device: &str, policy: &str, file: &Path) -> Result<(), String> {
    let all = AssertUnwindSafe(|| compared(graph, device, policy, file));
    catch_unwind(all).unwrap_or_else(|_| Err("panicked".to_owned()))
}

fn compared(graph: &Graph, device: &str, policy: &str, file: &Path) -> Result<(), String> {
    let values: Vec<_> = graph
        .inputs
        .iter()
        .map(|(name, v)| random::tensor(graph.ty(*v), name, 1))
        .collect();
    let expected = sinter_reference::evaluate(graph, &values).map_err(|e| e.to_string())?;
    let options = CompileOptions {
        device: device.into(),
        fusion: policy.into(),
        ..CompileOptions::default()
    };
    let compiled = compile_graph(graph, &options).map_err(|e| e.to_string())?;
    compiled.write(file).map_err(|e| e.to_string())?;
    let run_options = RunOptions {
        random: Some(1),
        adversarial: device != "host",
        ..RunOptions::default()
    };
    let done = run(file, &options, &run_options).map_err(|e| e.to_string())?;
    for ((name, found), expected) in done.outputs.iter().zip(&expected) {
        differs(found, expected).map_or(Ok(()), |what| Err(format!("{name} {what}")))?;
    }
    Ok(())
}

fn differs(found: &Tensor, expected: &Tensor) -> Option<String> {
    if found.ty() != expected.ty() {
        return Some(format!("is {}, not {}", found.ty(), expected.ty()));
    }
    let (found, expected) = (found.to_f64s(), expected.to_f64s());
    let largest = expected.iter().fold(1e-6, |m, v| f64::max(m, v.abs()));
    let worst = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
    // A NaN is no difference that passes.
    let worst = worst.fold(0.0, |m, d| if d <= m { m } else { d });
    let fits = worst <= TOLERANCE * largest;
    (!fits).then(|| format!("differs by {worst:e} where the largest value is {largest:e}"))
}

/// The first value, in order of the nodes, that alone as the output makes the graph fail; all of it where none does.
fn smallest_part(graph: &Graph, fails: impl Fn(&Graph) -> bool) -> Graph {
    let values = graph.nodes.iter().flat_map(|n| n.outputs.iter());
    let parts = values.map(|&value| ancestors(graph, value));
    parts
        .into_iter()
        .find(|part| fails(part))
        .unwrap_or_else(|| graph.clone())
}

/// The part of a graph that one value needs.
fn ancestors(graph: &Graph, output: ValueId) -> Graph {
    let mut needed = vec![false; graph.value_count()];
    needed[output.0 as usize] = true;
    let mut part = graph.clone();
    part.nodes.clear();
    for node in graph.nodes.iter().rev() {
        if node.outputs.iter().any(|v| needed[v.0 as usize]) {
            node.inputs.iter().for_each(|v| needed[v.0 as usize] = true);
            part.nodes.insert(0, node.clone());
        }
    }
    part.outputs = vec![("y".into(), output)];
    part
}

fn describe(graph: &Graph) -> String {
    let nodes = graph.nodes.iter().map(|node| {
        let value = |v: &ValueId| match graph.as_constant(*v) {
            Some(tensor) => format!("constant {}", tensor.ty()),
            None => format!("%{}: {}", v.0, graph.ty(*v)),
        };
        let list = |values: &[ValueId]| values.iter().map(value).collect::<Vec<_>>().join(", ");
        let (outputs, inputs) = (list(&node.outputs), list(&node.inputs));
        format!("  {outputs} = {:?} ({inputs})", node.op)
    });
    nodes.collect::<Vec<_>>().join("\n")
}
