//! The best alternative to each group: cut in two, or merged with a neighbour.

use sinter_device::Time;

use crate::arranged::Arranged;
use crate::error::origin_of;
use crate::evaluate::Evaluator;
use crate::fused::RunnerUp;
use crate::partition::GroupId;

/// The alternative to a group that comes closest to it by price.
pub(crate) fn runner_up(
    group: GroupId,
    arranged: &Arranged<'_>,
    evaluator: &mut Evaluator<'_>,
) -> Option<RunnerUp> {
    let (nodes, outputs) = arranged.side(group);
    let chosen = evaluator.time(&nodes, &outputs)?;
    let mut all = cuts(group, chosen, arranged, evaluator);
    let (before, after) = (arranged.before(group), arranged.after(group));
    for &other in before.iter().chain(after) {
        all.extend(merge(group, other, chosen, arranged, evaluator));
    }
    let dearer = |r: &RunnerUp| i128::from(r.price.0) - i128::from(r.instead_of.0);
    all.into_iter().min_by_key(dearer)
}

fn cuts(
    group: GroupId,
    chosen: Time,
    arranged: &Arranged<'_>,
    evaluator: &mut Evaluator<'_>,
) -> Vec<RunnerUp> {
    let nodes = &arranged.partition.groups[&group];
    let mut out = Vec::new();
    for at in 1..nodes.len() {
        let parts = arranged.cut(group, at);
        let times = parts.map(|(nodes, outputs)| evaluator.time(&nodes, &outputs));
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
    arranged: &Arranged<'_>,
    evaluator: &mut Evaluator<'_>,
) -> Option<RunnerUp> {
    let (nodes, outputs) = arranged.side(other);
    let apart = evaluator.time(&nodes, &outputs)?;
    let (merged, outputs) = arranged.merged(group, other);
    if arranged.closes_circle(group, other, &merged) {
        return None;
    }
    let price = evaluator.time(&merged, &outputs)?;
    let first = &evaluator.graph.nodes[nodes.first()?.0 as usize];
    Some(RunnerUp {
        change: format!("merged with the kernel of {}", origin_of(&first.origins)),
        price,
        instead_of: chosen + apart,
    })
}
