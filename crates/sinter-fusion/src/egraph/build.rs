//! From a graph to an e-graph.

use std::collections::BTreeMap;

use egg::Id;
use sinter_ops::{Graph, Operator, ValueId};

use super::language::{Facts, Term, Values};

/// An e-graph with the classes of a graph's values.
#[derive(Clone, Debug)]
pub(crate) struct Imported {
    pub(crate) egraph: Values,
    pub(crate) classes: BTreeMap<ValueId, Id>,
}

/// The e-graph of a graph. Equal operators on equal operands become one.
pub(crate) fn import(graph: &Graph) -> Imported {
    imported(graph, false)
}

/// The same; with `explain`, it can say why two terms are equal.
pub(crate) fn imported(graph: &Graph, explain: bool) -> Imported {
    let inputs = graph.inputs.iter().map(|i| graph.ty(i.1).clone()).collect();
    let facts = Facts {
        inputs,
        ..Facts::default()
    };
    let mut egraph = Values::new(facts);
    if explain {
        egraph = egraph.with_explanations_enabled();
    }
    let mut classes = BTreeMap::new();
    for (number, (_, value)) in graph.inputs.iter().enumerate() {
        classes.insert(*value, egraph.add(Term::Input(number as u32)));
    }
    for (value, tensor) in graph.constants() {
        let number = egraph.analysis.constants.intern(tensor.clone());
        classes.insert(value, egraph.add(Term::Constant(number)));
    }
    let mut names: BTreeMap<&str, u32> = BTreeMap::new();
    for (number, node) in graph.nodes.iter().enumerate() {
        let operands: Vec<_> = node.inputs.iter().map(|v| classes[v]).collect();
        let effectful = node.op.traits().effectful;
        let term = match effectful {
            true => Term::Opaque(number as u32, node.op.clone(), operands),
            false => Term::Apply(node.op.clone(), operands),
        };
        let id = egraph.add(term);
        let origins: Vec<u32> = node
            .origins
            .iter()
            .map(|name| {
                *names.entry(name).or_insert_with(|| {
                    egraph.analysis.names.push(name.clone());
                    egraph.analysis.names.len() as u32 - 1
                })
            })
            .collect();
        let known = &mut egraph[id].data.origins;
        known.entry(node.op.clone()).or_default().extend(origins);
        match node.outputs.as_slice() {
            [one] => {
                classes.insert(*one, id);
            }
            several => {
                for (n, &value) in several.iter().enumerate() {
                    classes.insert(value, egraph.add(Term::Result(n as u32, [id])));
                }
            }
        }
    }
    egraph.rebuild();
    Imported { egraph, classes }
}
