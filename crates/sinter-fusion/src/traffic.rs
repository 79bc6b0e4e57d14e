//! Bytes that move between kernels.

use std::collections::{BTreeMap, BTreeSet};

use sinter_loops::kernel::Role;
use sinter_ops::{Graph, NodeId, ValueId};

use crate::evaluate::Evaluator;
use crate::fused::{Placement, View};
use crate::partition::{Flow, Partition};

/// Bytes that kernels write for, plus read from, other kernels.
pub(crate) fn intermediate_bytes(
    graph: &Graph,
    views: &[View],
    placements: &[Placement],
    partition: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> u64 {
    let sources = Sources::new(graph, views, placements);
    let mut read = BTreeSet::new();
    let mut written = Vec::new();
    let mut bytes = 0;
    for (&id, nodes) in &partition.groups {
        let outcome = evaluator.price(nodes, &partition.outputs(id, flow));
        let Ok(priced) = outcome.as_ref() else {
            continue;
        };
        for &(value, role, touched) in &priced.touched {
            match role {
                Role::Input => {
                    let from = sources.of(value);
                    if !from.is_empty() {
                        bytes += touched;
                        read.extend(from);
                    }
                }
                Role::Output => written.push((value, touched)),
                Role::Constant | Role::Temporary => {}
            }
        }
    }
    bytes
        + written
            .into_iter()
            .filter(|(v, _)| read.contains(v))
            .map(|(_, b)| b)
            .sum::<u64>()
}

/// The values that kernels write, behind every value.
struct Sources(BTreeMap<ValueId, BTreeSet<ValueId>>);

impl Sources {
    fn new(graph: &Graph, views: &[View], _: &[Placement]) -> Self {
        let views: BTreeSet<_> = views.iter().map(|v| v.node).collect();
        let mut map: BTreeMap<ValueId, BTreeSet<ValueId>> = BTreeMap::new();
        for (number, node) in graph.nodes.iter().enumerate() {
            for &value in &node.outputs {
                let of = if views.contains(&NodeId(number as u32)) {
                    let inputs = node.inputs.iter().filter_map(|v| map.get(v));
                    inputs.flatten().copied().collect()
                } else {
                    BTreeSet::from([value])
                };
                map.insert(value, of);
            }
        }
        Self(map)
    }

    fn of(&self, value: ValueId) -> BTreeSet<ValueId> {
        self.0.get(&value).cloned().unwrap_or_default()
    }
}
