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

/// Both are equal bit for bit, or both are no numbers.
fn same_bits(a: &Tensor, b: &Tensor) -> bool {
    let (a, b) = (a.to_f64s(), b.to_f64s());
    let same = |(x, y): (&f64, &f64)| {
        // The sign of a zero may change: `x + 0` is `x` but for the zero below zero.
        x == y || x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan())
    };
    a.len() == b.len() && a.iter().zip(&b).all(same)
}

#[test]
fn rules_keep_values() {
    for rule in catalogue() {
        let name = rule.name;
        for seed in 0..TRIES {
            let graph = example(name, seed).unwrap();
            let rewritten =
                apply(name, &graph).unwrap_or_else(|| panic!("{name} does not apply, seed {seed}"));
            let inputs = inputs(&graph, seed);
            let expected = evaluate(&graph, &inputs).unwrap();
            let result = evaluate(&rewritten, &inputs).unwrap();
            if rule.numerics == Numerics::Exact {
                let same = same_bits(&result[0], &expected[0]);
                assert!(same, "{name}, seed {seed}: {result:?} for {expected:?}");
                continue;
            }
            let error = common::relative_error(&result[0], &expected[0]);
            assert!(
                error <= rule.numerics.tolerance(),
                "{name}, seed {seed}: off by {error:e}"
            );
        }
    }
}

#[test]
fn names_are_unique_and_kebab() {
    let all = catalogue();
    let unique: BTreeSet<_> = all.iter().flat_map(|r| [r.name, r.topic]).collect();
    let topics: BTreeSet<_> = all.iter().map(|r| r.topic).collect();
    assert_eq!(unique.len(), all.len() + topics.len());
    let kebab = |n: &str| n.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    assert!(unique.into_iter().all(kebab));
}

#[test]
fn laws_are_equations() {
    for rule in catalogue() {
        assert!(rule.law.contains(" = "), "{}: {}", rule.name, rule.law);
        assert!(!rule.law.contains('|'), "{}", rule.name);
    }
}

#[test]
fn a_rule_does_not_apply_elsewhere() {
    let graph = example("silu-from-product", 1).unwrap();
    assert!(apply("gelu-from-erf", &graph).is_none());
    assert!(example("no-such-rule", 1).is_none());
}
