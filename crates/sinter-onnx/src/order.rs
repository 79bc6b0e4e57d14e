//! The nodes that outputs need, in an order in which each follows its operands.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::ImportError;
use crate::proto::{GraphProto, NodeProto};

/// A node's name in messages and origins: its own, or `OpType:output` when it has none.
pub(crate) fn node_name(node: &NodeProto) -> String {
    if !node.name.is_empty() {
        return node.name.clone();
    }
    let output = node.output.iter().find(|o| !o.is_empty()).map_or("", |o| o);
    format!("{}:{output}", node.op_type)
}

/// The places of the live nodes: the file's own order where that is topological, else the first that is.
///
/// # Errors
/// When a node needs its own result, or a value is made twice.
pub(crate) fn live_order(graph: &GraphProto) -> Result<Vec<usize>, ImportError> {
    let makers = makers(graph)?;
    let operands: Vec<BTreeSet<usize>> = graph
        .node
        .iter()
        .map(|node| {
            reads(node)
                .filter_map(|name| makers.get(name).copied())
                .collect()
        })
        .collect();
    let live = live(graph, &makers, &operands);
    let mut waiting: BTreeMap<usize, usize> = BTreeMap::new();
    let mut users = vec![Vec::new(); graph.node.len()];
    for &node in &live {
        waiting.insert(node, operands[node].len());
        for &operand in &operands[node] {
            users[operand].push(node);
        }
    }
    let mut ready: BTreeSet<usize> = live
        .iter()
        .copied()
        .filter(|n| operands[*n].is_empty())
        .collect();
    let mut order = Vec::with_capacity(live.len());
    while let Some(node) = ready.pop_first() {
        order.push(node);
        waiting.remove(&node);
        for user in &users[node] {
            if let Some(count) = waiting.get_mut(user) {
                *count -= 1;
                if *count == 0 {
                    ready.insert(*user);
                }
            }
        }
    }
    match waiting.keys().next() {
        Some(&stuck) => Err(cycle(graph, &makers, &waiting, stuck)),
        None => Ok(order),
    }
}

/// The names that a node reads, those that its subgraphs may capture included.
pub(crate) fn reads(node: &NodeProto) -> Box<dyn Iterator<Item = &str> + '_> {
    let inner = node
        .attribute
        .iter()
        .filter_map(|a| a.g.as_ref())
        .flat_map(|graph| {
            let outputs = graph.output.iter().map(|o| o.name.as_str());
            graph.node.iter().flat_map(reads).chain(outputs)
        });
    Box::new(
        node.input
            .iter()
            .map(String::as_str)
            .filter(|n| !n.is_empty())
            .chain(inner),
    )
}

fn makers(graph: &GraphProto) -> Result<BTreeMap<&str, usize>, ImportError> {
    let mut given: BTreeSet<&str> = graph.input.iter().map(|i| i.name.as_str()).collect();
    given.extend(graph.initializer.iter().map(|w| w.name.as_str()));
    let mut makers = BTreeMap::new();
    for (place, node) in graph.node.iter().enumerate() {
        for output in node.output.iter().filter(|o| !o.is_empty()) {
            if given.contains(output.as_str()) || makers.insert(output.as_str(), place).is_some() {
                return Err(ImportError::Invalid {
                    node: node_name(node),
                    operator: node.op_type.clone(),
                    cause: format!("'{output}' is made twice"),
                });
            }
        }
    }
    Ok(makers)
}

fn live(
    graph: &GraphProto,
    makers: &BTreeMap<&str, usize>,
    operands: &[BTreeSet<usize>],
) -> BTreeSet<usize> {
    let mut work: Vec<usize> = graph
        .output
        .iter()
        .filter_map(|o| makers.get(o.name.as_str()).copied())
        .collect();
    let mut live = BTreeSet::new();
    while let Some(node) = work.pop() {
        if live.insert(node) {
            work.extend(&operands[node]);
        }
    }
    live
}

/// Names the first node on the cycle that keeps `stuck` waiting.
fn cycle(
    graph: &GraphProto,
    makers: &BTreeMap<&str, usize>,
    waiting: &BTreeMap<usize, usize>,
    stuck: usize,
) -> ImportError {
    let blocker = |node: usize| {
        reads(&graph.node[node])
            .filter_map(|name| Some((name, *makers.get(name)?)))
            .find(|(_, maker)| waiting.contains_key(maker))
    };
    let mut path = vec![stuck];
    while let Some((_, next)) = blocker(path[path.len() - 1]) {
        if let Some(start) = path.iter().position(|&n| n == next) {
            path.drain(..start);
            break;
        }
        path.push(next);
    }
    let node = path.iter().copied().min().unwrap_or(stuck);
    ImportError::Cyclic {
        node: node_name(&graph.node[node]),
        operator: graph.node[node].op_type.clone(),
        value: blocker(node).map_or(String::new(), |(name, _)| name.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::ValueInfoProto;

    fn graph(nodes: &[(&str, &[&str], &str)], output: &str) -> GraphProto {
        GraphProto {
            node: nodes
                .iter()
                .map(|(name, inputs, output)| NodeProto {
                    name: name.to_string(),
                    op_type: "Op".into(),
                    input: inputs.iter().map(|i| i.to_string()).collect(),
                    output: vec![output.to_string()],
                    ..Default::default()
                })
                .collect(),
            output: vec![ValueInfoProto {
                name: output.into(),
                ty: None,
            }],
            ..Default::default()
        }
    }

    #[test]
    fn dead_nodes_are_left_out_and_order_is_repaired() {
        let g = graph(
            &[
                ("late", &["a"], "y"),
                ("dead", &["a"], "z"),
                ("early", &["x"], "a"),
            ],
            "y",
        );
        assert_eq!(live_order(&g).unwrap(), [2, 0]);
    }

    #[test]
    fn a_cycle_names_its_first_node() {
        let g = graph(
            &[
                ("user", &["c"], "y"),
                ("b", &["d"], "c"),
                ("c", &["c"], "d"),
            ],
            "y",
        );
        let message = live_order(&g).unwrap_err().to_string();
        assert_eq!(
            message,
            "node 'b' (Op): the graph is cyclic, the node needs its own result through 'd': export the \
             model again"
        );
    }
}
