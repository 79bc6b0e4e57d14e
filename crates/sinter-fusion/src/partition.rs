//! Which operators make one kernel. A node may be in several groups (it is then computed again);
//! one of them provides its results to the others.

use std::collections::{BTreeMap, BTreeSet};

use sinter_device::Time;
use sinter_ops::{Graph, NodeId, ValueId};

use crate::evaluate::Evaluator;
use crate::fused::{Placement, View};

/// Number of a group.
pub(crate) type GroupId = usize;

/// The operators of a graph that need kernels, and how values flow between them. Views and placed
/// concats are looked through.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// Operators that need a kernel, ascending.
    pub(crate) nodes: Vec<NodeId>,
    /// By node: nodes whose results it needs.
    pub(crate) needs: BTreeMap<NodeId, Vec<NodeId>>,
    /// By node: nodes that read it *within a kernel* (directly).
    readers: BTreeMap<NodeId, Vec<NodeId>>,
    /// By node: whether one of its results is read through a view, through a placed concat, or by the
    /// caller, so that it has to be in device memory.
    stored: BTreeSet<NodeId>,
    /// By node: nodes that use it, directly or through views.
    users: BTreeMap<NodeId, Vec<NodeId>>,
    /// By node: its results.
    results: BTreeMap<NodeId, Vec<ValueId>>,
}

impl Flow {
    /// The flow of a graph with the given views and placements.
    pub(crate) fn new(graph: &Graph, views: &[View], placements: &[Placement]) -> Self {
        let view_nodes: BTreeSet<_> = views.iter().map(|v| v.node).collect();
        let mut sources: BTreeMap<ValueId, BTreeSet<NodeId>> = BTreeMap::new();
        let mut flow = Self {
            nodes: Vec::new(),
            needs: BTreeMap::new(),
            readers: BTreeMap::new(),
            stored: BTreeSet::new(),
            users: BTreeMap::new(),
            results: BTreeMap::new(),
        };
        let producers = graph.producers();
        for (number, node) in graph.nodes.iter().enumerate() {
            let id = NodeId(number as u32);
            let of_inputs: BTreeSet<_> = node
                .inputs
                .iter()
                .flat_map(|v| sources.get(v).into_iter().flatten().copied())
                .collect();
            if view_nodes.contains(&id) {
                flow.stored.extend(&of_inputs);
                node.outputs.iter().for_each(|&v| {
                    sources.insert(v, of_inputs.clone());
                });
                continue;
            }
            for &input in &node.inputs {
                if let Some(producer) = producers[input.0 as usize]
                    && !view_nodes.contains(&producer)
                {
                    flow.readers.entry(producer).or_default().push(id);
                }
            }
            for &source in &of_inputs {
                flow.users.entry(source).or_default().push(id);
            }
            flow.needs.insert(id, of_inputs.into_iter().collect());
            flow.results.insert(id, node.outputs.clone());
            flow.nodes.push(id);
            node.outputs.iter().for_each(|&v| {
                sources.insert(v, BTreeSet::from([id]));
            });
        }
        for (_, value) in &graph.outputs {
            flow.stored.extend(sources.get(value).into_iter().flatten());
        }
        for placement in placements {
            flow.stored
                .extend(sources.get(&placement.part).into_iter().flatten());
        }
        flow
    }

    /// Nodes that read a node within a kernel when they are in one.
    pub(crate) fn readers(&self, node: NodeId) -> &[NodeId] {
        self.readers.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Whether a node's results have to be in device memory in any case.
    pub(crate) fn is_stored(&self, node: NodeId) -> bool {
        self.stored.contains(&node)
    }

    pub(crate) fn users(&self, node: NodeId) -> &[NodeId] {
        self.users.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Values that a node gives.
    pub(crate) fn results(&self, node: NodeId) -> Vec<ValueId> {
        self.results.get(&node).cloned().unwrap_or_default()
    }
}

/// A choice of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    pub(crate) groups: BTreeMap<GroupId, Vec<NodeId>>,
    homes: BTreeMap<NodeId, BTreeSet<GroupId>>,
    /// Who gives a node's results to others, where it is not the lowest-numbered group that has it.
    chosen: BTreeMap<NodeId, GroupId>,
    next: GroupId,
}

impl Partition {
    /// Every node by itself; the group has the node's number.
    pub(crate) fn singles(flow: &Flow) -> Self {
        let mut out = Self::empty();
        for &node in &flow.nodes {
            out.insert(vec![node]);
        }
        out
    }

    /// No groups.
    pub(crate) fn empty() -> Self {
        Self {
            groups: BTreeMap::new(),
            homes: BTreeMap::new(),
            chosen: BTreeMap::new(),
            next: 0,
        }
    }

    /// Adds a group of sorted nodes that gives the results of some of them to others, whatever other
    /// groups have those.
    pub(crate) fn insert_home(&mut self, nodes: Vec<NodeId>, homed: &[NodeId]) -> GroupId {
        let id = self.insert(nodes);
        self.chosen.extend(homed.iter().map(|&n| (n, id)));
        id
    }

    /// Adds a group of sorted nodes.
    pub(crate) fn insert(&mut self, nodes: Vec<NodeId>) -> GroupId {
        let id = self.next;
        self.next += 1;
        for &node in &nodes {
            self.homes.entry(node).or_default().insert(id);
        }
        self.groups.insert(id, nodes);
        id
    }

    /// Removes a group.
    pub(crate) fn remove(&mut self, id: GroupId) -> Vec<NodeId> {
        let nodes = self.groups.remove(&id).unwrap_or_default();
        for node in &nodes {
            if let Some(homes) = self.homes.get_mut(node) {
                homes.remove(&id);
            }
        }
        nodes
    }

    /// Replaces two groups by their union.
    #[cfg(test)]
    pub(crate) fn merge(&mut self, a: GroupId, b: GroupId) -> GroupId {
        let mut nodes = self.remove(a);
        nodes.extend(self.remove(b));
        nodes.sort_unstable();
        nodes.dedup();
        self.insert(nodes)
    }

    /// The group that gives a node's results to other groups.
    pub(crate) fn provider(&self, node: NodeId) -> Option<GroupId> {
        let homes = self.homes.get(&node)?;
        let chosen = self.chosen.get(&node).filter(|id| homes.contains(id));
        chosen.or(homes.first()).copied()
    }

    /// Gives a group other nodes, sorted; without any it is gone, and a group that is not there is made.
    /// Returns the nodes that it had.
    pub(crate) fn replace(&mut self, id: GroupId, nodes: Vec<NodeId>) -> Vec<NodeId> {
        let before = self.remove(id);
        for &node in &nodes {
            self.homes.entry(node).or_default().insert(id);
        }
        if !nodes.is_empty() {
            self.groups.insert(id, nodes);
        }
        before
    }

    /// All groups that compute a node.
    pub(crate) fn homes(&self, node: NodeId) -> impl Iterator<Item = GroupId> + '_ {
        self.homes.get(&node).into_iter().flatten().copied()
    }

    /// The values that a group stores: those of nodes it provides that others read, sorted.
    pub(crate) fn outputs(&self, id: GroupId, flow: &Flow) -> Vec<ValueId> {
        self.outputs_instead(&self.groups[&id], &[id], flow)
    }

    /// The values that a kernel of sorted `nodes` stores that is, alone or with others, in the place of
    /// some groups that have these nodes.
    pub(crate) fn outputs_instead(
        &self,
        nodes: &[NodeId],
        instead: &[GroupId],
        flow: &Flow,
    ) -> Vec<ValueId> {
        let mut out = Vec::new();
        for &node in nodes {
            if !self.provider(node).is_some_and(|p| instead.contains(&p)) {
                continue;
            }
            let reads = |reader: NodeId, home: GroupId| match instead.contains(&home) {
                true => nodes.binary_search(&reader).is_err(),
                false => !self.contains(home, node),
            };
            let outside = || {
                let mut readers = flow.readers(node).iter();
                readers.any(|&r| self.homes(r).any(|h| reads(r, h)))
            };
            if flow.stored.contains(&node) || outside() {
                out.extend(&flow.results[&node]);
            }
        }
        out
    }

    fn contains(&self, id: GroupId, node: NodeId) -> bool {
        self.homes.get(&node).is_some_and(|h| h.contains(&id))
    }

    /// Groups whose results a group reads.
    pub(crate) fn predecessors(&self, id: GroupId, flow: &Flow) -> BTreeSet<GroupId> {
        let mut out = self.needed(&self.groups[&id], flow);
        out.remove(&id);
        out
    }

    /// Groups that give what a kernel of sorted nodes reads.
    pub(crate) fn needed(&self, nodes: &[NodeId], flow: &Flow) -> BTreeSet<GroupId> {
        let inside = |n: &NodeId| nodes.binary_search(n).is_ok();
        let direct = |of: NodeId, n: &NodeId| inside(n) && flow.readers(*n).contains(&of);
        let read = nodes.iter().flat_map(|&of| {
            let needs = flow.needs[&of].iter();
            needs.filter(move |n| !direct(of, n))
        });
        read.filter_map(|n| self.provider(*n)).collect()
    }

    /// The groups in an order in which they can run, `None` when they depend on each other in a
    /// circle or a group needs, through a view, what it makes itself.
    pub(crate) fn order(&self, flow: &Flow) -> Option<Vec<GroupId>> {
        let mut waits: BTreeMap<GroupId, usize> = BTreeMap::new();
        let mut readers: BTreeMap<GroupId, Vec<GroupId>> = BTreeMap::new();
        for (&id, nodes) in &self.groups {
            if nodes.iter().any(|n| flow.reads_own_memory(nodes, *n)) {
                return None;
            }
            let before = self.predecessors(id, flow);
            waits.insert(id, before.len());
            for b in before {
                readers.entry(b).or_default().push(id);
            }
        }
        // Ready groups run in the order of their first nodes, which is the graph's.
        let first = |id: &GroupId| (self.groups[id].last().copied(), *id);
        let mut ready: BTreeSet<_> = waits
            .iter()
            .filter(|(_, n)| **n == 0)
            .map(|(id, _)| first(id))
            .collect();
        let mut order = Vec::new();
        while let Some((_, id)) = ready.pop_first() {
            order.push(id);
            for reader in readers.get(&id).into_iter().flatten() {
                if let Some(n) = waits.get_mut(reader) {
                    *n -= 1;
                    if *n == 0 {
                        ready.insert(first(reader));
                    }
                }
            }
        }
        (order.len() == self.groups.len()).then_some(order)
    }

    /// The time of all kernels, `None` when one of them is illegal.
    pub(crate) fn time(&self, flow: &Flow, evaluator: &mut Evaluator<'_>) -> Option<Time> {
        let mut total = Time::ZERO;
        for (&id, nodes) in &self.groups {
            total += evaluator.time(nodes, &self.outputs(id, flow))?;
        }
        Some(total)
    }

    /// Drops nodes whose results nobody needs any more, and empty groups.
    pub(crate) fn prune(&mut self, flow: &Flow) {
        loop {
            let dead: Vec<_> = self
                .groups
                .iter()
                .flat_map(|(&id, nodes)| nodes.iter().map(move |&n| (id, n)))
                .filter(|&(id, node)| self.is_dead(id, node, flow))
                .collect();
            if dead.is_empty() {
                return;
            }
            for (id, node) in dead {
                if let Some(nodes) = self.groups.get_mut(&id) {
                    nodes.retain(|&n| n != node);
                    if nodes.is_empty() {
                        self.groups.remove(&id);
                    }
                }
                if let Some(homes) = self.homes.get_mut(&node) {
                    homes.remove(&id);
                }
            }
        }
    }

    /// Whether a group computes a node that neither it nor anyone else reads.
    pub(crate) fn is_dead(&self, id: GroupId, node: NodeId, flow: &Flow) -> bool {
        let read_inside = flow.readers(node).iter().any(|&r| self.contains(id, r));
        if read_inside {
            return false;
        }
        self.provider(node) != Some(id)
            || !(flow.stored.contains(&node)
                || flow
                    .readers(node)
                    .iter()
                    .any(|&r| self.homes(r).any(|h| !self.contains(h, node))))
    }
}

impl Flow {
    /// Whether a node reads, through a view, a result of another of the nodes.
    pub(crate) fn reads_own_memory(&self, nodes: &[NodeId], node: NodeId) -> bool {
        self.needs[&node]
            .iter()
            .any(|n| nodes.binary_search(n).is_ok() && !self.readers(*n).contains(&node))
    }
}

#[cfg(test)]
mod tests {
    use sinter_loops::scalar::BinaryFn;

    use super::*;
    use crate::rules::Example;

    /// `a = x + x`, `b = a * a`, `c = a - b`.
    fn flow() -> Flow {
        let mut e = Example::new(1);
        let x = e.input(&[4]);
        let a = e.binary(BinaryFn::Add, x, x);
        let b = e.binary(BinaryFn::Mul, a, a);
        let c = e.binary(BinaryFn::Sub, a, b);
        e.output(c);
        Flow::new(&e.graph, &[], &[])
    }

    fn node(n: u32) -> NodeId {
        NodeId(n)
    }

    #[test]
    fn groups_store_what_others_read() {
        let flow = flow();
        let mut p = Partition::singles(&flow);
        assert_eq!(p.outputs(0, &flow).len(), 1);
        let ab = p.merge(0, 1);
        assert_eq!(p.outputs(ab, &flow).len(), 2);
        let abc = p.merge(ab, 2);
        assert_eq!(p.outputs(abc, &flow).len(), 1);
        assert_eq!(p.order(&flow), Some(vec![abc]));
    }

    #[test]
    fn circles_have_no_order() {
        let flow = flow();
        let mut p = Partition::singles(&flow);
        p.merge(0, 2);
        assert_eq!(p.order(&flow), None);
    }

    #[test]
    fn a_node_computed_in_every_user_is_dropped_from_its_own_group() {
        let flow = flow();
        let mut p = Partition::singles(&flow);
        p.remove(1);
        p.remove(2);
        let b = p.insert(vec![node(0), node(1)]);
        let c = p.insert(vec![node(0), node(2)]);
        p.prune(&flow);
        assert_eq!(p.groups.keys().copied().collect::<Vec<_>>(), [b, c]);
        assert_eq!(p.order(&flow), Some(vec![b, c]));
        assert_eq!(p.outputs(b, &flow).len(), 1);
        assert_eq!(p.provider(node(0)), Some(b));
    }
}
