//! Greedy grouping, as XLA does: of all pairs of groups where one reads the other, the pair that saves
//! the most time is merged, again and again, until no merge saves any.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use sinter_device::Time;

use crate::clusters::Clusters;
use crate::evaluate::Evaluator;
use crate::space::Space;

/// Pairs by the time that they save, most first.
#[derive(Debug, Default)]
struct Queue {
    gains: BTreeMap<(usize, usize), Time>,
    order: BTreeSet<(Reverse<Time>, usize, usize)>,
}

impl Queue {
    fn offer(
        &mut self,
        pair: (usize, usize),
        clusters: &Clusters,
        space: &Space,
        evaluator: &mut Evaluator<'_>,
    ) {
        if let Some(gain) = clusters.gain(&[pair.0, pair.1], space, evaluator) {
            self.gains.insert(pair, gain);
            self.order.insert((Reverse(gain), pair.0, pair.1));
        }
    }

    fn pop(&mut self) -> Option<(usize, usize)> {
        while let Some((gain, a, b)) = self.order.pop_first() {
            if self.gains.get(&(a, b)) == Some(&gain.0) {
                self.gains.remove(&(a, b));
                return Some((a, b));
            }
        }
        None
    }

    fn forget(&mut self, cluster: usize, around: &[usize]) {
        for &other in around {
            self.gains.remove(&(cluster, other));
            self.gains.remove(&(other, cluster));
        }
    }
}

/// Merges groups while that saves time.
pub(crate) fn run(
    mut clusters: Clusters,
    space: &Space,
    evaluator: &mut Evaluator<'_>,
) -> Clusters {
    let mut queue = Queue::default();
    let live = clusters.live();
    let pairs = live.iter().flat_map(|&c| {
        let before = clusters.before(c, space).into_iter();
        before.map(move |b| [b, c])
    });
    evaluator.foresee(pairs.filter_map(|pair| space.kernel(&clusters.union(&pair), &[])));
    for cluster in clusters.live() {
        for before in clusters.before(cluster, space) {
            queue.offer((before, cluster), &clusters, space, evaluator);
        }
    }
    while let Some((a, b)) = queue.pop() {
        if clusters.closes_circle(&[a, b], space) {
            continue;
        }
        for cluster in [a, b] {
            let mut around = clusters.before(cluster, space);
            around.extend(clusters.after(cluster, space));
            queue.forget(cluster, &around);
        }
        let merged = clusters.merge(&[a, b], space, evaluator);
        for before in clusters.before(merged, space) {
            queue.offer((before, merged), &clusters, space, evaluator);
        }
        for after in clusters.after(merged, space) {
            queue.offer((merged, after), &clusters, space, evaluator);
        }
    }
    clusters
}
