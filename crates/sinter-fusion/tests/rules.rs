//! Every registered rule is applied to random graphs and compared with the reference.

mod common;

use std::collections::BTreeSet;

use sinter_fusion::Numerics;
use sinter_fusion::rules::{apply, catalogue, example};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::Graph;
use sinter_reference::evaluate;

/// Graphs that each rule is tried on.
const TRIES: u64 = 40;

/// Largest difference over the largest value, by what the rule promises.
fn tolerance(numerics: Numerics) -> f64 {
    match numerics {
        Numerics::Exact => 0.0,
        Numerics::Rounding => 2e-6,
        Numerics::Reassociating => 1e-5,
        Numerics::Approximate => 1e-3,
    }
}

/// Inputs wide enough to reach both ends of every clamp.
fn inputs(graph: &Graph, seed: u64) -> Vec<Tensor> {
    let wide = |t: Tensor| {
        let values: Vec<_> = t.to_f64s().iter().map(|v| v * 5.0).collect();
        Tensor::from_f64s(TensorType::f32(t.ty().shape.clone()), &values)
    };
    common::random_inputs(graph, seed)
        .into_iter()
        .map(wide)
        .collect()
}

#[test]
fn rules_keep_values() {
    for (name, numerics, _) in catalogue() {
        for seed in 0..TRIES {
            let graph = example(name, seed).unwrap();
            let rewritten =
                apply(name, &graph).unwrap_or_else(|| panic!("{name} does not apply, seed {seed}"));
            let inputs = inputs(&graph, seed);
            let expected = evaluate(&graph, &inputs).unwrap();
            let result = evaluate(&rewritten, &inputs).unwrap();
            let error = common::relative_error(&result[0], &expected[0]);
            assert!(
                error <= tolerance(numerics),
                "{name}, seed {seed}: off by {error:e}"
            );
        }
    }
}

#[test]
fn names_are_unique_and_kebab() {
    let names: Vec<_> = catalogue().into_iter().map(|r| r.0).collect();
    let unique: BTreeSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len());
    assert!(
        names
            .iter()
            .all(|n| n.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
    );
}

#[test]
fn a_rule_does_not_apply_elsewhere() {
    let graph = example("silu-from-product", 1).unwrap();
    assert!(apply("gelu-from-erf", &graph).is_none());
    assert!(example("no-such-rule", 1).is_none());
}
