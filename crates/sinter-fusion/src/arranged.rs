//! Small changes of a partition: what two groups would be as one, what the parts of one would be, and
//! what computing a value again would change. Each is worked out near the change, so that asking it of
//! every group costs time in proportion to the program.

use std::collections::{BTreeMap, BTreeSet};

use sinter_device::Time;
use sinter_ops::{NodeId, ValueId};

use crate::evaluate::Evaluator;
use crate::partition::{Flow, GroupId, Partition};

/// Nodes and outputs of a kernel.
pub(crate) type Side = (Vec<NodeId>, Vec<ValueId>);

/// A partition with the order in which its groups run.
#[derive(Clone, Debug)]
pub(crate) struct Arranged<'p> {
    pub(crate) partition: &'p Partition,
    pub(crate) flow: &'p Flow,
    /// Groups in launch order; empty when they wait for each other.
    pub(crate) order: Vec<GroupId>,
    places: BTreeMap<GroupId, usize>,
    before: BTreeMap<GroupId, BTreeSet<GroupId>>,
    after: BTreeMap<GroupId, BTreeSet<GroupId>>,
}

impl<'p> Arranged<'p> {
    pub(crate) fn new(partition: &'p Partition, flow: &'p Flow) -> Self {
        let order = partition.order(flow).unwrap_or_default();
        let before: BTreeMap<GroupId, BTreeSet<GroupId>> = partition
            .groups
            .keys()
            .map(|&g| (g, partition.predecessors(g, flow)))
            .collect();
        let mut after: BTreeMap<GroupId, BTreeSet<GroupId>> = BTreeMap::new();
        for (&group, needed) in &before {
            for &other in needed {
                after.entry(other).or_default().insert(group);
            }
        }
        Self {
            partition,
            flow,
            places: order.iter().copied().zip(0..).collect(),
            order,
            before,
            after,
        }
    }

    /// A group's place in the launch order.
    pub(crate) fn place(&self, group: GroupId) -> usize {
        self.places.get(&group).copied().unwrap_or(0)
    }

    /// Groups whose results a group reads.
    pub(crate) fn before(&self, group: GroupId) -> &BTreeSet<GroupId> {
        const NONE: &BTreeSet<GroupId> = &BTreeSet::new();
        self.before.get(&group).unwrap_or(NONE)
    }

    /// Groups that read a group's results.
    pub(crate) fn after(&self, group: GroupId) -> &BTreeSet<GroupId> {
        const NONE: &BTreeSet<GroupId> = &BTreeSet::new();
        self.after.get(&group).unwrap_or(NONE)
    }

    /// A group as it is.
    pub(crate) fn side(&self, group: GroupId) -> Side {
        let nodes = self.partition.groups[&group].clone();
        (nodes, self.partition.outputs(group, self.flow))
    }

    /// Two groups as one, whether or not they may be.
    pub(crate) fn merged(&self, a: GroupId, b: GroupId) -> Side {
        let groups = &self.partition.groups;
        let mut nodes = groups[&a].clone();
        nodes.extend(&groups[&b]);
        nodes.sort_unstable();
        nodes.dedup();
        let outputs = self.partition.outputs_instead(&nodes, &[a, b], self.flow);
        (nodes, outputs)
    }

    /// A group's first `at` nodes and the others, as two kernels.
    pub(crate) fn cut(&self, group: GroupId, at: usize) -> [Side; 2] {
        let nodes = &self.partition.groups[&group];
        [&nodes[..at], &nodes[at..]].map(|part| {
            let outputs = self.partition.outputs_instead(part, &[group], self.flow);
            (part.to_vec(), outputs)
        })
    }

    /// Whether one kernel of `nodes` in place of two groups would need what it makes itself, through
    /// other groups or through a view.
    pub(crate) fn closes_circle(&self, a: GroupId, b: GroupId, nodes: &[NodeId]) -> bool {
        if nodes.iter().any(|n| self.flow.reads_own_memory(nodes, *n)) {
            return true;
        }
        let first = self.place(a).min(self.place(b));
        let needed = self.partition.needed(nodes, self.flow);
        let mut open: Vec<_> = needed.into_iter().filter(|&g| g != a && g != b).collect();
        let mut seen = BTreeSet::new();
        while let Some(group) = open.pop() {
            if self.place(group) < first || !seen.insert(group) {
                continue;
            }
            if self.before(group).contains(&a) || self.before(group).contains(&b) {
                return true;
            }
            open.extend(self.before(group));
        }
        false
    }
}

/// A partition that is changed and restored.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    partition: Partition,
    /// Groups as they were before changes, the first change first.
    journal: Vec<(GroupId, Vec<NodeId>)>,
}

impl Trial {
    pub(crate) fn new(partition: &Partition) -> Self {
        Self {
            partition: partition.clone(),
            journal: Vec::new(),
        }
    }

    /// Times of the kernels that differ when `groups` compute a node themselves, before and after;
    /// `None` when that is no program.
    pub(crate) fn repeated(
        &mut self,
        node: NodeId,
        groups: &[GroupId],
        arranged: &Arranged<'_>,
        evaluator: &mut Evaluator<'_>,
    ) -> Option<(Time, Time)> {
        let flow = arranged.flow;
        let mut moved = vec![node];
        for &group in groups {
            let mut nodes = self.partition.groups[&group].clone();
            nodes.push(node);
            nodes.sort_unstable();
            nodes.dedup();
            self.change(group, nodes);
        }
        moved.extend(self.prune(node, flow));
        let times = self.is_program(groups, arranged).then(|| {
            let mut affected: BTreeSet<GroupId> = self.journal.iter().map(|j| j.0).collect();
            for &node in &moved {
                let near = flow.needs[&node].iter().chain([&node]);
                affected.extend(near.flat_map(|&n| arranged.partition.homes(n)));
            }
            let before = time_of(&affected, arranged.partition, flow, evaluator)?;
            let after = time_of(&affected, &self.partition, flow, evaluator)?;
            Some((before, after))
        });
        self.restore();
        times.flatten()
    }

    fn change(&mut self, group: GroupId, nodes: Vec<NodeId>) {
        let before = self.partition.replace(group, nodes);
        self.journal.push((group, before));
    }

    fn restore(&mut self) {
        while let Some((group, nodes)) = self.journal.pop() {
            self.partition.replace(group, nodes);
        }
    }

    /// Drops a node and what it needs wherever nobody needs them any more. Returns what was dropped.
    fn prune(&mut self, node: NodeId, flow: &Flow) -> Vec<NodeId> {
        let homes = |partition: &Partition, n: NodeId| -> Vec<(GroupId, NodeId)> {
            partition.homes(n).map(|g| (g, n)).collect()
        };
        let mut open = homes(&self.partition, node);
        let mut dropped = Vec::new();
        while let Some((group, node)) = open.pop() {
            let known = self.partition.homes(node).any(|g| g == group);
            if !known || !self.partition.is_dead(group, node, flow) {
                continue;
            }
            let mut nodes = self.partition.groups[&group].clone();
            nodes.retain(|&n| n != node);
            self.change(group, nodes);
            dropped.push(node);
            for &need in &flow.needs[&node] {
                open.extend(homes(&self.partition, need));
            }
        }
        dropped
    }

    /// Whether the changed groups still run in some order. Where they do in the known one, no more is
    /// looked at.
    fn is_program(&self, groups: &[GroupId], arranged: &Arranged<'_>) -> bool {
        let flow = arranged.flow;
        let in_order = |&group: &GroupId| {
            let before = self.partition.predecessors(group, flow);
            let place = arranged.place(group);
            before.into_iter().all(|g| arranged.place(g) < place)
        };
        let own = |group: &GroupId| {
            let nodes = &self.partition.groups[group];
            nodes.iter().any(|n| flow.reads_own_memory(nodes, *n))
        };
        !groups.iter().any(own)
            && (groups.iter().all(in_order) || self.partition.order(flow).is_some())
    }
}

/// The time of some groups, those that a partition does not have left out.
fn time_of(
    groups: &BTreeSet<GroupId>,
    partition: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Option<Time> {
    let mut total = Time::ZERO;
    for group in groups {
        if let Some(nodes) = partition.groups.get(group) {
            total += evaluator.time(nodes, &partition.outputs(*group, flow))?;
        }
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use sinter_device::Device;
    use sinter_loops::scalar::BinaryFn;
    use sinter_ops::ops::unary::UnaryKind;

    use super::*;
    use crate::options::Limits;
    use crate::rules::Example;

    /// `a = exp x`, `b = a + x`, `c = a * b`, `d = tanh c`.
    fn example() -> Example {
        let mut e = Example::new(1);
        let x = e.input(&[64]);
        let a = e.unary(UnaryKind::Exp, x);
        let b = e.binary(BinaryFn::Add, a, x);
        let c = e.binary(BinaryFn::Mul, a, b);
        let d = e.unary(UnaryKind::Tanh, c);
        e.output(d);
        e
    }

    #[test]
    fn merges_are_those_of_the_partition() {
        let graph = example().graph;
        let flow = Flow::new(&graph, &[], &[]);
        let partition = Partition::singles(&flow);
        let arranged = Arranged::new(&partition, &flow);
        for a in 0..4 {
            for b in a + 1..4 {
                let mut merged = partition.clone();
                let id = merged.merge(a, b);
                let side = arranged.merged(a, b);
                let expected = (merged.groups[&id].clone(), merged.outputs(id, &flow));
                assert_eq!(side, expected, "{a} and {b}");
                let circle = merged.order(&flow).is_none();
                assert_eq!(arranged.closes_circle(a, b, &side.0), circle, "{a} and {b}");
            }
        }
    }

    #[test]
    fn cuts_store_what_the_other_part_reads() {
        let graph = example().graph;
        let flow = Flow::new(&graph, &[], &[]);
        let mut partition = Partition::empty();
        let id = partition.insert(flow.nodes.clone());
        let arranged = Arranged::new(&partition, &flow);
        let [first, second] = arranged.cut(id, 2);
        assert_eq!(first.1.len(), 2);
        assert_eq!(second.1.len(), 1);
    }

    #[test]
    fn a_trial_compares_whole_programs_and_leaves_no_trace() {
        let graph = example().graph;
        let flow = Flow::new(&graph, &[], &[]);
        let partition = Partition::singles(&flow);
        let arranged = Arranged::new(&partition, &flow);
        let device = Device::named("host").unwrap();
        let (limits, layouts) = (Limits::default(), BTreeMap::new());
        let mut evaluator = Evaluator::new(&graph, &device, &limits, &layouts, &[]);
        let mut trial = Trial::new(&partition);
        let mut whole = partition.clone();
        for group in [1, 2] {
            whole.replace(group, vec![NodeId(0), NodeId(group as u32)]);
        }
        whole.prune(&flow);
        let [all, again] =
            [&partition, &whole].map(|p| p.time(&flow, &mut evaluator).expect("legal"));
        let (before, after) = trial
            .repeated(NodeId(0), &[1, 2], &arranged, &mut evaluator)
            .unwrap();
        // Only the last operator's kernel is the same.
        assert_eq!(all.0 - before.0, again.0 - after.0);
        assert_eq!(trial.partition, partition);
    }
}
