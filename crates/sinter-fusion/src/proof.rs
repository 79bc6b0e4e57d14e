//! Why a rewritten value is what the original was: the steps that egg's explanations give.
//!
//! Every value that the result needs and computes otherwise is proved from its operands, which have
//! proofs of their own. Explanations cost memory, so they are made on request only.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use egg::{Id, Language, TreeExplanation, TreeTerm};
use sinter_device::Device;
use sinter_ops::{Graph, Mark, Operator};

use crate::egraph::{Imported, Term, best, to_graph};
use crate::error::FusionError;
use crate::options::Options;
use crate::priced_terms::PricedTerms;
use crate::saturate::explained;

/// Levels of operators that a term is shown with.
const SHOWN_DEPTH: usize = 3;

/// A value, computed in another way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// ONNX nodes that the original operator performs.
    pub nodes: Vec<String>,
    /// `folding` or `saturation`.
    pub stage: &'static str,
    /// The original term.
    pub before: String,
    /// Equal terms, each with what makes it equal to the one before.
    pub steps: Vec<ProofStep>,
}

/// One rewrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofStep {
    /// Name of the rule.
    pub rule: String,
    /// Whether the rule leads from this term back to the one before.
    pub backward: bool,
    /// The operator, within the value, that the step changes, as it is then.
    pub term: String,
}

/// Proofs of all values that rewriting for a device changed, folding first.
///
/// # Errors
/// As [`fuse`](fn@crate::fuse), but for what concerns kernels.
pub fn proofs(
    graph: &Graph,
    device: &Device,
    options: &Options,
) -> Result<Vec<Proof>, FusionError> {
    let mut out = Vec::new();
    let folded = stage(graph, device, options, true, &mut out)?;
    stage(&folded, device, options, false, &mut out)?;
    Ok(out)
}

fn stage(
    graph: &Graph,
    device: &Device,
    options: &Options,
    one_way_only: bool,
    out: &mut Vec<Proof>,
) -> Result<Graph, FusionError> {
    let mut imported = explained(graph, options, one_way_only)?;
    let priced = PricedTerms::on(Some(device), options);
    let egraph = &imported.egraph;
    let chosen = best(egraph, &|class, term| priced.allow(egraph, class, term));
    let rewritten = to_graph(&imported, &chosen, graph)?;
    // The first original value of each class stands for it.
    let mut first: BTreeMap<Id, Id> = BTreeMap::new();
    for &id in imported.classes.values() {
        first.entry(imported.egraph.find(id)).or_insert(id);
    }
    let needed = needed(&imported, &chosen, graph);
    for node in &graph.nodes {
        let original = imported.classes[&node.outputs[0]];
        let class = imported.egraph.find(original);
        let (true, Some(term)) = (needed.contains(&class), chosen.get(&class)) else {
            continue;
        };
        if imported.egraph[class].data.constant.is_some() || node.outputs.len() > 1 {
            continue;
        }
        let term = term.clone().map_children(|c| {
            let c = imported.egraph.find(c);
            first.get(&c).copied().unwrap_or(c)
        });
        let target = imported.egraph.add_uncanonical(term);
        let explanation = imported.egraph.explain_id_equivalence(original, target);
        let trees = &explanation.explanation_trees;
        let mut steps = Vec::new();
        collect(trees, graph, &mut BTreeSet::new(), &mut steps);
        if let (false, Some(before)) = (steps.is_empty(), trees.first()) {
            out.push(Proof {
                nodes: node
                    .origins
                    .iter()
                    .filter(|o| !Mark::is(o))
                    .cloned()
                    .collect(),
                stage: if one_way_only {
                    "folding"
                } else {
                    "saturation"
                },
                before: shown(before, graph, SHOWN_DEPTH),
                steps,
            });
        }
    }
    Ok(rewritten)
}

/// Classes that the chosen terms of the outputs need.
fn needed(imported: &Imported, chosen: &BTreeMap<Id, Term>, graph: &Graph) -> BTreeSet<Id> {
    let outputs = graph
        .outputs
        .iter()
        .filter_map(|(_, v)| imported.classes.get(v));
    let mut open: Vec<Id> = outputs.copied().collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        let id = imported.egraph.find(id);
        if seen.insert(id) {
            open.extend(
                chosen
                    .get(&id)
                    .into_iter()
                    .flat_map(|t| t.children())
                    .copied(),
            );
        }
    }
    seen
}

/// The rewrites of an explanation and of those within it, each shared part once.
fn collect(
    trees: &TreeExplanation<Term>,
    graph: &Graph,
    seen: &mut BTreeSet<*const TreeTerm<Term>>,
    steps: &mut Vec<ProofStep>,
) {
    for tree in trees {
        if !seen.insert(Rc::as_ptr(tree)) {
            continue;
        }
        let rule = tree.forward_rule.or(tree.backward_rule);
        if let Some(rule) = rule {
            steps.push(ProofStep {
                rule: rule.to_string(),
                backward: tree.backward_rule.is_some(),
                term: shown(tree, graph, SHOWN_DEPTH),
            });
        }
        for child in &tree.child_proofs {
            collect(child, graph, seen, steps);
        }
    }
}

/// A term as text, inner operators left out beyond a depth.
fn shown(tree: &TreeTerm<Term>, graph: &Graph, depth: usize) -> String {
    let operands = || -> Vec<String> {
        let first = tree.child_proofs.iter().filter_map(|c| c.first());
        first
            .map(|c| shown(c, graph, depth.saturating_sub(1)))
            .collect()
    };
    match &tree.node {
        Term::Input(n) => graph.inputs[*n as usize].0.clone(),
        Term::Constant(_) => "constant".to_owned(),
        Term::Result(n, _) => format!("result {n} of {}", operands().join(", ")),
        Term::Apply(op, _) | Term::Opaque(_, op, _) if depth == 0 => {
            format!("{}(..)", op.mnemonic())
        }
        Term::Apply(op, _) | Term::Opaque(_, op, _) => {
            format!("{}({})", op.mnemonic(), operands().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::example;

    fn host() -> Device {
        Device::named("host").unwrap()
    }

    #[test]
    fn a_rewritten_value_has_the_rules_that_lead_to_it() {
        let graph = example("silu-from-product", 1).unwrap();
        let proofs = proofs(&graph, &host(), &Options::default()).unwrap();
        let rules: Vec<_> = proofs
            .iter()
            .flat_map(|p| &p.steps)
            .map(|s| s.rule.as_str())
            .collect();
        assert!(rules.contains(&"silu-from-product"), "{proofs:?}");
        let last = proofs.last().unwrap();
        assert!(last.before.starts_with("mul("), "{last:?}");
        assert!(
            last.steps.iter().any(|s| s.term.starts_with("silu(")),
            "{last:?}"
        );
    }

    #[test]
    fn what_is_not_rewritten_has_no_proof() {
        let mut example = crate::rules::Example::new(1);
        let x = example.input(&[4, 4]);
        let y = example.binary(sinter_loops::scalar::BinaryFn::Add, x, x);
        example.output(y);
        assert_eq!(
            proofs(&example.graph, &host(), &Options::default()).unwrap(),
            []
        );
    }
}
