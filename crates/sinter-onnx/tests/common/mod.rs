//! What the model tests share.

#![allow(dead_code)]

use std::path::PathBuf;

use sinter_loops::random;
use sinter_loops::tensor::Tensor;
use sinter_onnx::{ImportOptions, import};
use sinter_ops::Graph;

/// The repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A shipped model.
pub(crate) fn shipped(name: &str) -> PathBuf {
    root().join("models").join(format!("{name}.onnx"))
}

/// Options that give each named input a shape.
pub(crate) fn shapes(list: &[(&str, &[i64])]) -> ImportOptions {
    ImportOptions {
        shapes: list
            .iter()
            .map(|(n, s)| (n.to_string(), s.to_vec()))
            .collect(),
    }
}

/// Imports a shipped model.
pub(crate) fn import_shipped(name: &str, list: &[(&str, &[i64])]) -> Graph {
    import(shipped(name), &shapes(list)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The inputs of `scripts/oracle --random SEED`.
pub(crate) fn random_inputs(graph: &Graph, seed: u64) -> Vec<Tensor> {
    graph
        .inputs
        .iter()
        .map(|(name, v)| random::tensor(graph.ty(*v), name, seed))
        .collect()
}

/// Insists that values agree within a part of the largest reference value.
pub(crate) fn assert_close(what: &str, found: &Tensor, expected: &Tensor, tolerance: f64) {
    assert_eq!(found.ty(), expected.ty(), "{what}");
    let (found, expected) = (found.to_f64s(), expected.to_f64s());
    let largest = expected.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let worst = found
        .iter()
        .zip(&expected)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(found.iter().all(|v| v.is_finite()), "{what}: not finite");
    assert!(
        worst <= tolerance * largest.max(1e-6),
        "{what}: differs by {worst:e} where the largest value is {largest:e}"
    );
}
