//! A lower bound on the price of every program made of the candidates.
//!
//! Every operator has to be in at least one kernel. So any values `y >= 0` of operators whose sum over
//! the operators of each candidate is at most its price (a feasible dual of the covering program) sum
//! to a bound. They start as shares of the cheapest candidate of each operator, in proportion to what
//! operators cost alone, and are then raised one after another by the slack that is left.

use std::collections::BTreeMap;

use sinter_device::Time;
use sinter_ops::NodeId;

/// The bound for legal candidates, each with its price. `alone` is the price of each operator by
/// itself.
pub(crate) fn lower_bound(
    candidates: &BTreeMap<Vec<NodeId>, Time>,
    alone: &BTreeMap<NodeId, Time>,
) -> Time {
    let mut with: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    let sets: Vec<_> = candidates.iter().collect();
    for (c, (nodes, _)) in sets.iter().enumerate() {
        for node in *nodes {
            with.entry(*node).or_default().push(c);
        }
    }
    let weight = |n: &NodeId| alone.get(n).map_or(1, |t| u128::from(t.0).max(1));
    let weights: Vec<u128> = sets
        .iter()
        .map(|(nodes, _)| nodes.iter().map(weight).sum())
        .collect();
    let mut value: BTreeMap<NodeId, u64> = BTreeMap::new();
    for node in alone.keys() {
        let share = |&c: &usize| {
            u64::try_from(u128::from(sets[c].1.0) * weight(node) / weights[c]).unwrap_or(u64::MAX)
        };
        let least = with.get(node).and_then(|cs| cs.iter().map(share).min());
        value.insert(*node, least.unwrap_or(0));
    }
    let used = |c: usize, value: &BTreeMap<NodeId, u64>| -> u64 {
        sets[c]
            .0
            .iter()
            .map(|n| value.get(n).copied().unwrap_or(0))
            .sum()
    };
    let mut slack: Vec<u64> = (0..sets.len())
        .map(|c| sets[c].1.0.saturating_sub(used(c, &value)))
        .collect();
    for (node, candidates) in &with {
        let room = candidates.iter().map(|&c| slack[c]).min().unwrap_or(0);
        if let Some(v) = value.get_mut(node) {
            *v += room;
            candidates.iter().for_each(|&c| slack[c] -= room);
        }
    }
    Time(value.values().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(list: &[(&[u32], u64)]) -> BTreeMap<Vec<NodeId>, Time> {
        let ids = |n: &[u32]| n.iter().map(|&i| NodeId(i)).collect();
        list.iter().map(|(n, t)| (ids(n), Time(*t))).collect()
    }

    fn alone(list: &[u64]) -> BTreeMap<NodeId, Time> {
        list.iter()
            .enumerate()
            .map(|(n, &t)| (NodeId(n as u32), Time(t)))
            .collect()
    }

    #[test]
    fn exact_where_one_choice_is_best_everywhere() {
        let candidates = sets(&[(&[0], 10), (&[1], 10), (&[2], 10), (&[0, 1], 12)]);
        assert_eq!(lower_bound(&candidates, &alone(&[10, 10, 10])), Time(22));
    }

    #[test]
    fn never_above_the_best_cover() {
        // The best cover of a triangle of pairs takes two of them, or a pair and a single.
        let candidates = sets(&[
            (&[0], 10),
            (&[1], 10),
            (&[2], 10),
            (&[0, 1], 12),
            (&[1, 2], 12),
            (&[0, 2], 12),
        ]);
        let bound = lower_bound(&candidates, &alone(&[10, 10, 10]));
        assert!(bound <= Time(22) && bound >= Time(18), "{bound:?}");
    }
}
