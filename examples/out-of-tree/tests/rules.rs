//! Every rule is applied to random graphs and compared with the reference.

use dsp::EXTENSION;
use sinter_fusion::Numerics;
use sinter_fusion::rules::{apply, example};
use sinter_loops::random;
use sinter_reference::evaluate;

#[test]
fn rules_keep_values() {
    EXTENSION.install().expect("the names are free");
    for rule in dsp::rules::RULES {
        for seed in 0..40 {
            let graph = example(rule.name, seed).expect("is registered");
            let rewritten = apply(rule.name, &graph).expect("applies to its example");
            let inputs: Vec<_> = graph
                .inputs
                .iter()
                .map(|(name, value)| random::tensor(graph.ty(*value), name, seed))
                .collect();
            let expected = evaluate(&graph, &inputs).expect("runs")[0].to_f64s();
            let result = evaluate(&rewritten, &inputs).expect("runs")[0].to_f64s();
            let tolerance = match rule.numerics {
                Numerics::Exact => 0.0,
                _ => 1e-6,
            };
            let largest = expected.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            for (got, want) in result.iter().zip(&expected) {
                let error = (got - want).abs();
                assert!(
                    error <= tolerance * largest,
                    "{}, seed {seed}: off by {error:e}",
                    rule.name
                );
            }
        }
    }
}
