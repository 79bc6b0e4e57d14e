//! Improvement of a grouping by local moves: merging groups that only share inputs, moving a node over
//! a border, splitting a group, computing a cheap node again in each of its users.
//!
//! Every move is priced with real kernels and taken only when the whole program gets cheaper, so
//! the result is never above what it starts from.

use std::collections::{BTreeMap, BTreeSet};

use sinter_device::Time;
use sinter_ops::{NodeId, Operator, ValueId};

use crate::evaluate::Evaluator;
use crate::greedy;
use crate::legality::exp_difference;
use crate::partition::{Flow, GroupId, Partition};

/// Takes improving moves, in rounds, until there are none or the rounds are used up.
pub(crate) fn run(
    mut best: Partition,
    rounds: usize,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Partition {
    let Some(mut time) = best.time(flow, evaluator) else {
        return best;
    };
    for _ in 0..rounds {
        let before = time;
        for moves in [siblings, recomputations, transfers, splits] {
            for change in moves(&best, flow, evaluator) {
                try_change(&change, &mut best, &mut time, flow, evaluator);
            }
        }
        let merged = greedy::run(best.clone(), flow, evaluator);
        accept(merged, &mut best, &mut time, flow, evaluator);
        if time == before {
            break;
        }
    }
    best
}

/// A change that saves less than this is noise of the price model.
const LEAST_GAIN: Time = Time(100_000);

/// A change of a partition, by what it does to groups.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Merge(GroupId, GroupId),
    /// Add a node to every group that reads it.
    Recompute(NodeId),
    /// Move a node from one group to another.
    Move(NodeId, GroupId, GroupId),
    /// Cut a group in two after so many nodes.
    Split(GroupId, usize),
}

fn try_change(
    change: &Change,
    best: &mut Partition,
    time: &mut Time,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) {
    let mut changed = best.clone();
    if apply(change, &mut changed, flow).is_some() {
        accept(changed, best, time, flow, evaluator);
    }
}

fn accept(
    changed: Partition,
    best: &mut Partition,
    time: &mut Time,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) {
    if let Some(new) = changed.time(flow, evaluator)
        && new + LEAST_GAIN < *time
        && changed.order(flow).is_some()
    {
        (*best, *time) = (changed, new);
    }
}

fn apply(change: &Change, partition: &mut Partition, flow: &Flow) -> Option<()> {
    match *change {
        Change::Merge(a, b) => {
            (partition.groups.contains_key(&a) && partition.groups.contains_key(&b))
                .then_some(())?;
            partition.merge(a, b);
        }
        Change::Recompute(node) => {
            let source = partition.provider(node)?;
            let users: BTreeSet<_> = flow
                .users(node)
                .iter()
                .flat_map(|u| partition.homes(*u))
                .filter(|&g| g != source)
                .collect();
            for user in users {
                let mut nodes = partition.remove(user);
                nodes.push(node);
                nodes.sort_unstable();
                nodes.dedup();
                partition.insert(nodes);
            }
        }
        Change::Move(node, from, to) => {
            let present = partition.groups.get(&from)?.contains(&node);
            (present && partition.groups.contains_key(&to)).then_some(())?;
            let mut source = partition.remove(from);
            let mut target = partition.remove(to);
            source.retain(|&n| n != node);
            target.push(node);
            target.sort_unstable();
            target.dedup();
            if !source.is_empty() {
                partition.insert(source);
            }
            partition.insert(target);
        }
        Change::Split(group, at) => {
            let nodes = partition.groups.get(&group)?.clone();
            (at > 0 && at < nodes.len()).then_some(())?;
            partition.remove(group);
            partition.insert(nodes[..at].to_vec());
            partition.insert(nodes[at..].to_vec());
        }
    }
    partition.prune(flow);
    Some(())
}

/// Pairs of groups that read the same value.
fn siblings(partition: &Partition, _: &Flow, evaluator: &mut Evaluator<'_>) -> Vec<Change> {
    let mut readers: BTreeMap<ValueId, BTreeSet<GroupId>> = BTreeMap::new();
    for (&id, nodes) in &partition.groups {
        for &node in nodes {
            for &value in &evaluator.graph.nodes[node.0 as usize].inputs {
                if evaluator.graph.as_constant(value).is_none() {
                    readers.entry(value).or_default().insert(id);
                }
            }
        }
    }
    let mut out = BTreeSet::new();
    for groups in readers.values() {
        let groups: Vec<_> = groups.iter().copied().collect();
        for (i, &a) in groups.iter().enumerate() {
            out.extend(
                groups[i + 1..]
                    .iter()
                    .take(MOST_SIBLINGS)
                    .map(|&b| Change::Merge(a, b)),
            );
        }
    }
    out.into_iter().collect()
}

/// Siblings of one group that are tried.
const MOST_SIBLINGS: usize = 4;

/// Nodes that several groups read, without reductions: repeating one of those in kernels with other
/// schedules could give other last bits, and `exp(x - max(x))` must see one `x`.
fn recomputations(
    partition: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Vec<Change> {
    let graph = evaluator.graph;
    let shared = |node: &&NodeId| {
        let traits = graph.nodes[node.0 as usize].op.traits();
        let users: BTreeSet<_> = flow
            .users(**node)
            .iter()
            .flat_map(|u| partition.homes(*u))
            .collect();
        users.len() > 1
            && !traits.reduction
            && !traits.contraction
            && !traits.effectful
            && exp_difference(graph, **node).is_none()
    };
    flow.nodes
        .iter()
        .filter(shared)
        .map(|&n| Change::Recompute(n))
        .collect()
}

/// Nodes at the border of two groups, each way.
fn transfers(partition: &Partition, flow: &Flow, _: &mut Evaluator<'_>) -> Vec<Change> {
    let mut out = BTreeSet::new();
    for &node in &flow.nodes {
        for &user in flow.users(node) {
            for from in partition.homes(node) {
                for to in partition.homes(user).filter(|&to| to != from) {
                    out.insert(Change::Move(node, from, to));
                    out.insert(Change::Move(user, to, from));
                }
            }
        }
    }
    out.into_iter().collect()
}

/// Cuts of every group.
fn splits(partition: &Partition, _: &Flow, _: &mut Evaluator<'_>) -> Vec<Change> {
    let cuts = |(&id, nodes): (&GroupId, &Vec<NodeId>)| {
        (1..nodes.len()).map(move |at| Change::Split(id, at))
    };
    partition.groups.iter().flat_map(cuts).collect()
}
