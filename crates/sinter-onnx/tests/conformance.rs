//! The onnx package's node tests (`scripts/make-conformance`): whatever the importer takes has to give
//! the expected values. Exceptions are listed with their reasons in `conformance.txt`.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use sinter_loops::npy;
use sinter_loops::tensor::Tensor;
use sinter_onnx::{ImportError, ImportOptions, import};
use sinter_reference::evaluate;

/// Node tests that are known to be good with this version: fewer mean that something was lost.
const LEAST_PASSED: usize = 992;

enum Outcome {
    Passed,
    NotSupported(String),
    Failed(String),
}

#[test]
fn node_tests() {
    let folder = common::root().join(".cache/conformance");
    let Ok(tests) = fs::read_dir(&folder) else {
        println!("skipped: the node tests are not there: run scripts/fetch-models");
        return;
    };
    let mut names: Vec<_> = tests
        .map(|t| t.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let exceptions = exceptions();
    let (mut passed, mut failed) = (0, Vec::new());
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for name in &names {
        let excepted = exceptions.iter().any(|pattern| matches(pattern, name));
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&folder.join(name))));
        match outcome.unwrap_or_else(|_| Outcome::Failed("panicked".into())) {
            Outcome::Passed => passed += 1,
            Outcome::NotSupported(reason) => *reasons.entry(reason).or_default() += 1,
            Outcome::Failed(_) if excepted => {}
            Outcome::Failed(cause) => failed.push(format!("{name}: {cause}")),
        }
    }
    println!("{passed} of {} passed; not supported:", names.len());
    reasons
        .iter()
        .for_each(|(reason, count)| println!("{count:5} {reason}"));
    assert!(
        failed.is_empty(),
        "{} failed:\n{}",
        failed.len(),
        failed.join("\n")
    );
    assert!(passed >= LEAST_PASSED, "only {passed} passed");
}

fn run(folder: &Path) -> Outcome {
    let graph = match import(folder.join("model.onnx"), &ImportOptions::default()) {
        Ok(graph) => graph,
        Err(ImportError::Unsupported {
            operator, cause, ..
        }) => {
            return Outcome::NotSupported(format!("{operator}: {cause}"));
        }
        Err(error @ ImportError::OperatorSet { .. }) => {
            return Outcome::NotSupported(error.to_string());
        }
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let read = |kind: &str, name: &str| {
        npy::read(folder.join(format!("{kind}_{}.npy", name.replace('/', "_"))))
    };
    let inputs: Result<Vec<_>, _> = graph
        .inputs
        .iter()
        .map(|(name, _)| read("input", name))
        .collect();
    let results = match inputs.map(|inputs| evaluate(&graph, &inputs)) {
        Ok(Ok(results)) => results,
        Ok(Err(error)) => return Outcome::Failed(error.to_string()),
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    for ((name, _), result) in graph.outputs.iter().zip(&results) {
        let difference = read("output", name).map_err(|e| e.to_string());
        if let Err(cause) = difference.and_then(|expected| agree(result, &expected)) {
            return Outcome::Failed(format!("output '{name}': {cause}"));
        }
    }
    Outcome::Passed
}

/// The onnx package's own tolerance: 1e-7 absolute and 1e-3 relative, by element.
fn agree(found: &Tensor, expected: &Tensor) -> Result<(), String> {
    if found.ty() != expected.ty() {
        return Err(format!("is {}, not {}", found.ty(), expected.ty()));
    }
    let pairs = found.to_f64s().into_iter().zip(expected.to_f64s());
    for (i, (a, b)) in pairs.enumerate() {
        let same = a == b || (a.is_nan() && b.is_nan());
        let close = (a - b).abs() <= 1e-7 + 1e-3 * b.abs();
        if !same && !close {
            return Err(format!("element {i} is {a}, not {b}"));
        }
    }
    Ok(())
}

fn exceptions() -> Vec<String> {
    let text = include_str!("conformance.txt");
    let lines = text
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .map(|l| l.split_whitespace().next().unwrap_or_default().to_string())
        .collect()
}

/// A name, or a prefix that ends in `*`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == pattern,
    }
}
