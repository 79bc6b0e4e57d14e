//! Why operators stayed apart.

use std::collections::BTreeSet;

use sinter_device::Time;

use crate::error::origin_of;
use crate::evaluate::Evaluator;
use crate::legality::{LegalityCode, Refusal};
use crate::partition::{Flow, GroupId, Partition};

/// Why neighbouring groups were not merged.
pub(crate) fn refusals(
    partition: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Vec<Refusal> {
    let mut out = BTreeSet::new();
    for &b in partition.groups.keys() {
        for a in partition.predecessors(b, flow) {
            out.extend(refusal(a, b, partition, flow, evaluator));
        }
    }
    out.into_iter().collect()
}

fn refusal(
    a: GroupId,
    b: GroupId,
    partition: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Option<Refusal> {
    let mut merged = partition.clone();
    let id = merged.merge(a, b);
    let graph = evaluator.graph;
    let ends = |group: GroupId, last: bool| {
        let nodes = &partition.groups[&group];
        let node = if last { nodes.last() } else { nodes.first() };
        node.map(|n| origin_of(&graph.nodes[n.0 as usize].origins))
    };
    let nodes: Vec<_> = [ends(a, true), ends(b, false)]
        .into_iter()
        .flatten()
        .collect();
    let refuse = |code, message, flip| {
        Some(Refusal {
            code,
            nodes: nodes.clone(),
            message,
            flip,
        })
    };
    if merged.order(flow).is_none() {
        let message = "another kernel would have to run between them".to_owned();
        return refuse(LegalityCode::Cycle, message, None);
    }
    let apart = [a, b].map(|g| {
        let outcome = evaluator.price(&partition.groups[&g], &partition.outputs(g, flow));
        outcome
            .as_ref()
            .as_ref()
            .map_or(Time::ZERO, |p| p.price.total)
    });
    let apart = apart[0] + apart[1];
    let outcome = evaluator.price(&merged.groups[&id], &merged.outputs(id, flow));
    match outcome.as_ref() {
        Err(illegal) => refuse(illegal.code, illegal.message.clone(), illegal.flip.clone()),
        Ok(priced) => {
            let together = priced.price.total;
            let us = |t: Time| t.ns() / 1e3;
            let message = format!(
                "together they would take {:.1} us, apart {:.1} us",
                us(together),
                us(apart)
            );
            let excess = us(together.saturating_sub(apart));
            refuse(
                LegalityCode::NotCheaper,
                message,
                Some(format!("{excess:.1} us less work")),
            )
        }
    }
}
