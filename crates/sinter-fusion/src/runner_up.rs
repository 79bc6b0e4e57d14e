//! The best alternative to each group: cut in two, or merged with a neighbour.

use sinter_device::Time;

use crate::error::origin_of;
use crate::evaluate::Evaluator;
use crate::fused::RunnerUp;
use crate::greedy::successors;
use crate::partition::{Flow, GroupId, Partition};

/// The alternative to a group that comes closest to it by price.
pub(crate) fn runner_up(
    group: GroupId,
    partition: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Option<RunnerUp> {
    let chosen = evaluator.time(&partition.groups[&group], &partition.outputs(group, flow))?;
    let mut all = cuts(group, chosen, partition, flow, evaluator);
    let before = partition.predecessors(group, flow);
    let after = successors(partition, group, flow);
    for other in before.into_iter().chain(after) {
        all.extend(merge(group, other, chosen, partition, flow, evaluator));
    }
    let dearer = |r: &RunnerUp| i128::from(r.price.0) - i128::from(r.instead_of.0);
    all.into_iter().min_by_key(dearer)
}

fn cuts(
    group: GroupId,
    chosen: Time,
    partition: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Vec<RunnerUp> {
    let nodes = &partition.groups[&group];
    let mut out = Vec::new();
    for at in 1..nodes.len() {
        let mut cut = partition.clone();
        cut.remove(group);
        let parts = [&nodes[..at], &nodes[at..]].map(|part| cut.insert(part.to_vec()));
        let times = parts.map(|p| evaluator.time(&cut.groups[&p], &cut.outputs(p, flow)));
        let [Some(first), Some(second)] = times else {
            continue;
        };
        let last = &evaluator.graph.nodes[nodes[at - 1].0 as usize];
        out.push(RunnerUp {
            change: format!("cut after {}", origin_of(&last.origins)),
            price: first + second,
            instead_of: chosen,
        });
    }
    out
}

fn merge(
    group: GroupId,
    other: GroupId,
    chosen: Time,
    partition: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Option<RunnerUp> {
    let apart = evaluator.time(&partition.groups[&other], &partition.outputs(other, flow))?;
    let mut merged = partition.clone();
    let id = merged.merge(group, other);
    merged.order(flow)?;
    let price = evaluator.time(&merged.groups[&id], &merged.outputs(id, flow))?;
    let first = &evaluator.graph.nodes[partition.groups[&other].first()?.0 as usize];
    Some(RunnerUp {
        change: format!("merged with the kernel of {}", origin_of(&first.origins)),
        price,
        instead_of: chosen + apart,
    })
}
