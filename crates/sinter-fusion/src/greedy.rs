//! Greedy grouping: of all pairs of groups where one reads the other, the pair that saves the most
//! time is merged, again and again, until no merge saves any.

use std::collections::{BTreeMap, BTreeSet};

use sinter_device::Time;

use crate::evaluate::Evaluator;
use crate::partition::{Flow, GroupId, Partition};

/// Merges groups of a partition while that saves time.
pub(crate) fn run(
    mut partition: Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Partition {
    let mut gains: BTreeMap<(GroupId, GroupId), Time> = BTreeMap::new();
    let mut queue: BTreeSet<(std::cmp::Reverse<Time>, GroupId, GroupId)> = BTreeSet::new();
    let all: Vec<_> = partition.groups.keys().copied().collect();
    for id in all {
        for before in partition.predecessors(id, flow) {
            enqueue(
                before, id, &partition, flow, evaluator, &mut gains, &mut queue,
            );
        }
    }
    while let Some(entry) = queue.pop_first() {
        let (gain, a, b) = entry;
        if gains.get(&(a, b)) != Some(&gain.0) {
            continue;
        }
        let mut merged = partition.clone();
        let id = merged.merge(a, b);
        if merged.order(flow).is_none() {
            gains.remove(&(a, b));
            continue;
        }
        partition = merged;
        gains.retain(|&(x, y), _| ![x, y].contains(&a) && ![x, y].contains(&b));
        for before in partition.predecessors(id, flow) {
            enqueue(
                before, id, &partition, flow, evaluator, &mut gains, &mut queue,
            );
        }
        for after in successors(&partition, id, flow) {
            enqueue(
                id, after, &partition, flow, evaluator, &mut gains, &mut queue,
            );
        }
    }
    partition
}

/// Groups that read a group's results.
pub(crate) fn successors(partition: &Partition, id: GroupId, flow: &Flow) -> BTreeSet<GroupId> {
    partition.groups[&id]
        .iter()
        .flat_map(|n| flow.users(*n))
        .flat_map(|u| partition.homes(*u))
        .filter(|&g| g != id && partition.predecessors(g, flow).contains(&id))
        .collect()
}

fn enqueue(
    a: GroupId,
    b: GroupId,
    partition: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
    gains: &mut BTreeMap<(GroupId, GroupId), Time>,
    queue: &mut BTreeSet<(std::cmp::Reverse<Time>, GroupId, GroupId)>,
) {
    let Some(gain) = gain(a, b, partition, flow, evaluator) else {
        return;
    };
    gains.insert((a, b), gain);
    queue.insert((std::cmp::Reverse(gain), a, b));
}

/// Time that merging two groups saves, if it is legal and saves any.
pub(crate) fn gain(
    a: GroupId,
    b: GroupId,
    partition: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Option<Time> {
    let apart = evaluator.time(&partition.groups[&a], &partition.outputs(a, flow))?
        + evaluator.time(&partition.groups[&b], &partition.outputs(b, flow))?;
    let mut merged = partition.clone();
    let id = merged.merge(a, b);
    let together = evaluator.time(&merged.groups[&id], &merged.outputs(id, flow))?;
    (together < apart).then(|| apart.saturating_sub(together))
}
