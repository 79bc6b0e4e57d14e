//! Where a graph computes what a unit means.
//!
//! A unit occurs where its operators are, with its attributes and constants and on operands of its types;
//! operands of commutative operators may be in either order. What is between them must not be used
//! elsewhere, for the kernel does not give it.

use std::collections::{BTreeMap, BTreeSet};

use super::{OwnKernel, mapped};
use crate::graph::{Graph, Node, NodeId, ValueId};
use crate::operator::{OpError, Operator};

/// The graph with a unit as one node wherever it occurs among nodes that `among` allows, and how often it
/// does. Occurrences share no operator; the first in the graph's order counts.
///
/// # Errors
/// When an operator does not take its operands.
pub fn adopt(
    graph: &Graph,
    unit: &OwnKernel,
    among: &dyn Fn(&Node) -> bool,
) -> Result<(Graph, usize), OpError> {
    let search = Search::new(graph, &unit.meaning, among);
    let mut taken = BTreeSet::new();
    let mut found = BTreeMap::new();
    for (number, _) in graph.nodes.iter().enumerate() {
        let last = NodeId(number as u32);
        let Some(occurrence) = search.at(last) else {
            continue;
        };
        if occurrence.nodes.values().all(|n| !taken.contains(n)) {
            taken.extend(occurrence.nodes.values().copied());
            found.insert(last, occurrence);
        }
    }
    let mut out = Graph::new(graph.name.clone());
    let mut values = BTreeMap::new();
    for (name, value) in &graph.inputs {
        values.insert(*value, out.input(name.clone(), graph.ty(*value).clone()));
    }
    for (value, tensor) in graph.constants() {
        values.insert(value, out.constant(tensor.clone()));
    }
    for (number, node) in graph.nodes.iter().enumerate() {
        let id = NodeId(number as u32);
        if let Some(occurrence) = found.get(&id) {
            let inputs = mapped(&values, &occurrence.operands)?;
            let (own, origins) = performing(unit, graph, occurrence);
            let results = out.add(own, &inputs, origins)?;
            values.extend(occurrence.results.iter().copied().zip(results));
        } else if !taken.contains(&id) {
            let inputs = mapped(&values, &node.inputs)?;
            let results = out.add(node.op.clone(), &inputs, node.origins.clone())?;
            values.extend(node.outputs.iter().copied().zip(results));
        }
    }
    for (name, value) in &graph.outputs {
        out.output(name.clone(), mapped(&values, &[*value])?[0]);
    }
    Ok((out, found.len()))
}

/// The unit, with the nodes of an occurrence as those that its operators perform.
fn performing(unit: &OwnKernel, graph: &Graph, at: &Occurrence) -> (OwnKernel, Vec<String>) {
    let mut own = unit.clone();
    let mut all = Vec::new();
    for (number, node) in own.meaning.nodes.iter_mut().enumerate() {
        let found = at.nodes[&NodeId(number as u32)];
        node.origins
            .clone_from(&graph.nodes[found.0 as usize].origins);
        all.extend(node.origins.iter().cloned());
    }
    let mut seen = BTreeSet::new();
    all.retain(|name: &String| seen.insert(name.clone()));
    (own, all)
}

/// Where each part of a unit is in a graph.
#[derive(Clone, Debug, Default)]
struct Occurrence {
    /// The graph's node of each of the unit's.
    nodes: BTreeMap<NodeId, NodeId>,
    /// The graph's value of each of the unit's.
    values: BTreeMap<ValueId, ValueId>,
    /// The graph's values for the unit's inputs.
    operands: Vec<ValueId>,
    /// The graph's values for the unit's outputs.
    results: Vec<ValueId>,
}

struct Search<'a> {
    graph: &'a Graph,
    unit: &'a Graph,
    among: &'a dyn Fn(&Node) -> bool,
    makers: Vec<Option<NodeId>>,
    unit_makers: Vec<Option<NodeId>>,
    users: Vec<Vec<NodeId>>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph, unit: &'a Graph, among: &'a dyn Fn(&Node) -> bool) -> Self {
        Self {
            graph,
            unit,
            among,
            makers: graph.producers(),
            unit_makers: unit.producers(),
            users: graph.users(),
        }
    }

    /// The occurrence whose last node is this one.
    fn at(&self, last: NodeId) -> Option<Occurrence> {
        let unit_last = NodeId(self.unit.nodes.len().checked_sub(1)? as u32);
        let start = self.node(Occurrence::default(), unit_last, last);
        start.into_iter().find_map(|found| self.whole(found))
    }

    /// Everything that a partial occurrence can become with a node for one of the unit's.
    fn node(&self, mut so_far: Occurrence, wanted: NodeId, found: NodeId) -> Vec<Occurrence> {
        if let Some(known) = so_far.nodes.get(&wanted) {
            return if *known == found {
                vec![so_far]
            } else {
                Vec::new()
            };
        }
        let (unit, node) = (
            &self.unit.nodes[wanted.0 as usize],
            &self.graph.nodes[found.0 as usize],
        );
        let alike = unit.op == node.op && unit.inputs.len() == node.inputs.len();
        if !alike || !(self.among)(node) || so_far.nodes.values().any(|n| *n == found) {
            return Vec::new();
        }
        so_far.nodes.insert(wanted, found);
        for (a, b) in unit.outputs.iter().zip(&node.outputs) {
            so_far.values.insert(*a, *b);
        }
        let mut orders = vec![node.inputs.clone()];
        if let (true, &[a, b]) = (node.op.traits().commutative, node.inputs.as_slice()) {
            orders.push(vec![b, a]);
        }
        let mut out = Vec::new();
        for order in orders {
            let mut partial = vec![so_far.clone()];
            for (a, b) in unit.inputs.iter().zip(order) {
                partial = partial
                    .into_iter()
                    .flat_map(|p| self.value(p, *a, b))
                    .collect();
            }
            out.extend(partial);
        }
        out
    }

    /// Everything that a partial occurrence can become with a value for one of the unit's.
    fn value(&self, mut so_far: Occurrence, wanted: ValueId, found: ValueId) -> Vec<Occurrence> {
        if let Some(known) = so_far.values.get(&wanted) {
            return if *known == found {
                vec![so_far]
            } else {
                Vec::new()
            };
        }
        if self.unit.ty(wanted) != self.graph.ty(found) {
            return Vec::new();
        }
        let makers = (
            self.unit_makers[wanted.0 as usize],
            self.makers[found.0 as usize],
        );
        match (self.unit.as_constant(wanted), makers) {
            (Some(constant), _) if self.graph.as_constant(found) != Some(constant) => Vec::new(),
            (None, (Some(maker), Some(found_maker))) => {
                let place = |node: &Node, v| node.outputs.iter().position(|o| *o == v);
                let unit = &self.unit.nodes[maker.0 as usize];
                let node = &self.graph.nodes[found_maker.0 as usize];
                match place(unit, wanted) == place(node, found) {
                    true => self.node(so_far, maker, found_maker),
                    false => Vec::new(),
                }
            }
            (None, (Some(_), None)) => Vec::new(),
            _ => {
                so_far.values.insert(wanted, found);
                vec![so_far]
            }
        }
    }

    /// An occurrence of all nodes, whose inner values nothing else uses, and which can be one node in the
    /// place of its last.
    fn whole(&self, mut found: Occurrence) -> Option<Occurrence> {
        if found.nodes.len() != self.unit.nodes.len() {
            return None;
        }
        let of = |values: &[(String, ValueId)]| -> Option<Vec<ValueId>> {
            values
                .iter()
                .map(|(_, v)| found.values.get(v).copied())
                .collect()
        };
        let (operands, results) = (of(&self.unit.inputs)?, of(&self.unit.outputs)?);
        let nodes: BTreeSet<_> = found.nodes.values().copied().collect();
        let last = nodes.last()?;
        let outside = |user: &NodeId| !nodes.contains(user);
        for node in &nodes {
            for value in &self.graph.nodes[node.0 as usize].outputs {
                let users = &self.users[value.0 as usize];
                let is_result = results.contains(value);
                let is_output = self.graph.outputs.iter().any(|(_, v)| v == value);
                let leaves = is_output || users.iter().any(outside);
                let early = users.iter().any(|u| outside(u) && u < last);
                if early || (leaves && !is_result) {
                    return None;
                }
            }
        }
        (found.operands, found.results) = (operands, results);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use sinter_loops::scalar::BinaryFn;
    use sinter_loops::tensor::Tensor;
    use sinter_loops::types::TensorType;

    use super::*;
    use crate::form::{RowMajor, kernel};
    use crate::ops::Op;
    use crate::ops::binary::Binary;
    use crate::ops::unary::{Unary, UnaryKind};
    use crate::own::inlined;

    fn binary(kind: BinaryFn) -> Op {
        Binary { kind }.into()
    }

    fn exp() -> Op {
        Unary {
            kind: UnaryKind::Exp,
        }
        .into()
    }

    /// `exp(x * 2) + y`.
    fn unit() -> OwnKernel {
        let mut graph = Graph::new("");
        let x = graph.input("x", TensorType::f32([4]));
        let y = graph.input("y", TensorType::f32([4]));
        let two = graph.constant(Tensor::from_f32([], &[2.0]));
        let m = graph
            .add(binary(BinaryFn::Mul), &[x, two], vec![])
            .expect("fits")[0];
        let e = graph.add(exp(), &[m], vec![]).expect("fits")[0];
        let s = graph
            .add(binary(BinaryFn::Add), &[e, y], vec![])
            .expect("fits")[0];
        graph.output("s", s);
        OwnKernel::new("unit", loops(), graph).expect("fits")
    }

    /// Loops of the unit's types; what they compute does not matter here.
    fn loops() -> sinter_loops::kernel::Kernel {
        let mut graph = Graph::new("");
        let x = graph.input("x", TensorType::f32([4]));
        let y = graph.input("y", TensorType::f32([4]));
        let s = graph
            .add(binary(BinaryFn::Add), &[x, y], vec![])
            .expect("fits")[0];
        graph.output("s", s);
        let mut made = kernel(&graph, &[NodeId(0)], &[s], &RowMajor).expect("has loops");
        made.name = "k".to_owned();
        made
    }

    /// `y + exp(2 * x)` under names, with a factor and perhaps another user of the exponential.
    fn model(factor: f32, shared: bool) -> Graph {
        let mut graph = Graph::new("model");
        let x = graph.input("x", TensorType::f32([4]));
        let y = graph.input("y", TensorType::f32([4]));
        let two = graph.constant(Tensor::from_f32([], &[factor]));
        let named = |name: &str| vec![name.to_owned()];
        let m = graph
            .add(binary(BinaryFn::Mul), &[two, x], named("m"))
            .expect("fits")[0];
        let e = graph.add(exp(), &[m], named("e")).expect("fits")[0];
        let s = graph
            .add(binary(BinaryFn::Add), &[y, e], named("s"))
            .expect("fits")[0];
        let z = graph.add(exp(), &[s], named("z")).expect("fits")[0];
        graph.output("z", z);
        if shared {
            graph.output("e", e);
        }
        graph
    }

    #[test]
    fn a_unit_is_found_in_either_order_of_operands() {
        let graph = model(2.0, false);
        let (adopted, count) = adopt(&graph, &unit(), &|_| true).expect("fits");
        assert_eq!((count, adopted.nodes.len()), (1, 2));
        assert_eq!(adopted.nodes[0].origins, ["m", "e", "s"]);
        let inputs: Vec<_> = adopted.inputs.iter().map(|(_, v)| *v).collect();
        assert_eq!(adopted.nodes[0].inputs, inputs);
        let again = inlined(&adopted, &|_| false).expect("fits");
        let names: Vec<_> = again.nodes.iter().map(|n| n.origins.as_slice()).collect();
        assert_eq!(names, [["m"], ["e"], ["s"], ["z"]]);
    }

    #[test]
    fn another_constant_a_further_user_and_other_nodes_are_no_occurrence() {
        let count = |graph: &Graph, among: &dyn Fn(&Node) -> bool| {
            adopt(graph, &unit(), among).expect("fits").1
        };
        assert_eq!(count(&model(3.0, false), &|_| true), 0);
        assert_eq!(count(&model(2.0, true), &|_| true), 0);
        assert_eq!(count(&model(2.0, false), &|n| n.origins != ["m"]), 0);
        assert_eq!(count(&model(2.0, false), &|n| n.origins != ["z"]), 1);
    }
}
