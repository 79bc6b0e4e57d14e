//! What refusals cost: bytes that move, and the time that they and a launch take.

use std::collections::BTreeMap;

use sinter_device::{Price, Time};
use sinter_loops::kernel::Role;
use sinter_ops::{NodeId, ValueId};

use super::Chosen;
use crate::evaluate::{Evaluator, Priced};
use crate::partition::GroupId;

impl Chosen<'_> {
    /// Bytes and time of storing and loading a node's results.
    pub(super) fn relief(
        &self,
        node: NodeId,
        groups: &[GroupId],
        evaluator: &mut Evaluator<'_>,
    ) -> (u64, Time) {
        let values = evaluator.graph.nodes[node.0 as usize].outputs.clone();
        let (mut bytes, mut time) = (0, Time::ZERO);
        for &group in groups {
            let Some(priced) = self.priced(group, evaluator) else {
                continue;
            };
            let touched = priced.touched.iter().filter(|(v, ..)| values.contains(v));
            let own: u64 = touched.map(|t| t.2).sum();
            let p = &priced.price;
            let busiest = p.vector.max(p.matrix).max(less(p.memory, own, moved(p)));
            time += p.total.saturating_sub(p.launch + busiest + p.fill_drain);
            bytes += own;
        }
        (bytes, time)
    }

    /// Bytes and time that two kernels would save as one that computes nothing twice and stores `kept`.
    pub(super) fn saving(
        &self,
        first: &Priced,
        second: &Priced,
        kept: &[ValueId],
        evaluator: &Evaluator<'_>,
    ) -> (u64, Time) {
        let of = |p: &Priced, role: Role| -> BTreeMap<ValueId, u64> {
            let touched = p.touched.iter().filter(|t| t.1 == role);
            touched.map(|&(v, _, b)| (v, b)).collect()
        };
        let (made, also_read) = (of(first, Role::Output), of(first, Role::Input));
        let mut bytes = 0;
        for (value, loaded) in of(second, Role::Input) {
            let (roots, views) = self.roots(value, evaluator);
            let stored: u64 = roots.iter().filter_map(|v| made.get(v)).sum();
            let kept = !views.is_empty() || kept.contains(&value);
            match also_read.get(&value) {
                _ if stored > 0 && !kept => bytes += loaded + stored,
                _ if stored > 0 => bytes += loaded.min(stored),
                Some(other) => bytes += loaded.min(*other),
                None => {}
            }
        }
        let (p, q) = (&first.price, &second.price);
        let memory = less(p.memory + q.memory, bytes, moved(p) + moved(q));
        let busiest = (p.vector + q.vector).max(p.matrix + q.matrix).max(memory);
        // Tiles are filled and drained once; what is exposed of the bytes that stay remains.
        let apart = match evaluator.device.is_scratchpad() {
            true => p.fill_drain.max(q.fill_drain),
            false => less(p.fill_drain + q.fill_drain, bytes, moved(p) + moved(q)),
        };
        let together = p.launch.max(q.launch) + busiest + apart;
        (bytes, (p.total + q.total).saturating_sub(together))
    }
}

fn moved(price: &Price) -> u64 {
    price.read_bytes + price.written_bytes
}

/// The time of moving all but `saved` of `all` bytes.
fn less(time: Time, saved: u64, all: u64) -> Time {
    match all {
        0 => time,
        all => time.scale(all.saturating_sub(saved) as f64 / all as f64),
    }
}
