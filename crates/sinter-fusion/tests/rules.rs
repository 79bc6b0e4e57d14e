//! Every registered rule is applied to random graphs and compared with the reference.

mod common;

use std::collections::BTreeSet;

use sinter_fusion::Numerics;
use sinter_fusion::rules::{apply, catalogue, example};
use sinter_loops::scalar::BinaryFn;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::Graph;
use sinter_ops::ops::binary::Binary;
use sinter_reference::evaluate;

/// Graphs that each rule is tried on.
const TRIES: u64 = 40;

/// Magnitudes of the inputs of rules that are not exact. The first reaches both ends of every clamp.
const SCALES: [f64; 7] = [5.0, 5e3, 1e-3, 1e10, 1e-10, 1e19, 1e-19];
/// The largest at which a rule may not bring in an overflow.
const MODERATE: f64 = 1e4;
/// Smallest magnitude of full precision.
const SMALLEST: f64 = f32::MIN_POSITIVE as f64;

/// Random inputs, made of numbers between -1 and 1.
fn inputs(graph: &Graph, seed: u64, of: impl Fn(f64) -> f64) -> Vec<Tensor> {
    let made = |t: Tensor| {
        let values: Vec<_> = t.to_f64s().iter().map(|v| of(*v)).collect();
        Tensor::from_f64s(t.ty().clone(), &values)
    };
    common::random_inputs(graph, seed)
        .into_iter()
        .map(made)
        .collect()
}

/// Any number: of every magnitude, about one, zeros, infinities and NaN.
fn any(v: f64) -> f64 {
    let special = [
        0.0,
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::from(f32::MAX),
        SMALLEST,
        SMALLEST / 4.0,
    ];
    let drawn = (v.abs() * 1e6) as usize;
    match drawn % 3 {
        0 => special[drawn / 3 % special.len()],
        1 => v * 5.0,
        _ => v.signum() * 10f64.powf((drawn % 83) as f64 - 44.5),
    }
}

/// The output, and whether all that it is computed from is finite and of full precision.
fn evaluated(graph: &Graph, inputs: &[Tensor]) -> (Tensor, bool) {
    let mut all = graph.clone();
    let results = graph.nodes.iter().flat_map(|n| &n.outputs);
    all.outputs
        .extend(results.map(|&r| ("on the way".to_owned(), r)));
    let values = evaluate(&all, inputs).unwrap();
    let full = |v: f64| v == 0.0 || (v.is_finite() && v.abs() >= SMALLEST);
    let regular = values.iter().all(|t| t.to_f64s().into_iter().all(full));
    (values[0].clone(), regular)
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
            if rule.numerics == Numerics::Exact {
                for inputs in [inputs(&graph, seed, |v| v * 5.0), inputs(&graph, seed, any)] {
                    let expected = &evaluate(&graph, &inputs).unwrap()[0];
                    let result = &evaluate(&rewritten, &inputs).unwrap()[0];
                    let same = same_bits(result, expected);
                    assert!(same, "{name}, seed {seed}: {result:?} for {expected:?}");
                }
                continue;
            }
            for scale in SCALES {
                let inputs = inputs(&graph, seed, |v| v * scale);
                let (expected, regular) = evaluated(&graph, &inputs);
                let (result, also) = evaluated(&rewritten, &inputs);
                let overflows = result.to_f64s().iter().any(|v| !v.is_finite());
                assert!(
                    !(regular && overflows && scale <= MODERATE),
                    "{name}, seed {seed}: overflows at {scale:e}"
                );
                if scale != SCALES[0] && !(regular && also) {
                    continue;
                }
                let error = common::relative_error(&result, &expected);
                assert!(
                    error <= rule.numerics.tolerance(),
                    "{name}, seed {seed}, scale {scale:e}: off by {error:e}"
                );
            }
        }
    }
}

/// A graph of a constant operation on an input, then another, in an element type.
fn in_a_row(element: ElementType, kinds: &[(BinaryFn, f64)]) -> Graph {
    let mut graph = Graph::new("row");
    let mut value = graph.input("x", TensorType::new(element, [2]));
    for &(kind, c) in kinds {
        let c = graph.constant(Tensor::from_f64s(TensorType::new(element, []), &[c]));
        value = graph.add(Binary { kind }, &[value, c], vec![]).unwrap()[0];
    }
    graph.output("y", value);
    graph
}

#[test]
fn constants_are_not_merged_where_that_overflows_or_underflows() {
    use BinaryFn::{Add, Div, Mul};
    use ElementType::{F16, F32};
    let divide = "divide-by-power-of-two";
    type Case<'a> = (&'a str, bool, ElementType, &'a [(BinaryFn, f64)]);
    let cases: [Case<'_>; 9] = [
        (divide, true, F32, &[(Div, 2f64.powi(-120))]),
        // The reciprocal is infinite in the element type.
        (divide, false, F32, &[(Div, 2f64.powi(-130))]),
        (divide, true, F16, &[(Div, 2f64.powi(-14))]),
        (divide, false, F16, &[(Div, 2f64.powi(-20))]),
        ("divide-by-constant", false, F32, &[(Div, 1.1e-39)]),
        ("merge-constants", true, F32, &[(Mul, 1e20), (Mul, 1e10)]),
        ("merge-constants", false, F32, &[(Mul, 1e20), (Mul, 1e20)]),
        ("merge-constants", false, F32, &[(Mul, 1e-20), (Mul, 1e-20)]),
        ("merge-constants", false, F32, &[(Add, 3e38), (Add, 3e38)]),
    ];
    for (rule, applies, element, kinds) in cases {
        let found = apply(rule, &in_a_row(element, kinds)).is_some();
        assert_eq!(found, applies, "{rule} of {kinds:?} in {element}");
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
