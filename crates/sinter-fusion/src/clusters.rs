//! Groups of operators that only ever merge, for the heuristics: no operator is in two groups.

use std::collections::BTreeSet;

use sinter_device::Time;

use crate::evaluate::Evaluator;
use crate::space::{Place, Space};

/// A partition of the operators under merging.
#[derive(Clone, Debug)]
pub(crate) struct Clusters {
    /// Members by number, sorted; empty once merged into another.
    pub(crate) members: Vec<Vec<Place>>,
    /// The cluster of each operator.
    pub(crate) of: Vec<usize>,
    time: Vec<Option<Time>>,
    /// Clusters in an order in which they can run, with the places of merged ones left behind.
    order: Vec<usize>,
    rank: Vec<usize>,
}

impl Clusters {
    /// Groups, in an order in which they can run.
    pub(crate) fn new(groups: &[Vec<Place>], space: &Space, evaluator: &mut Evaluator<'_>) -> Self {
        let mut of = vec![0; space.len()];
        for (cluster, members) in groups.iter().enumerate() {
            members.iter().for_each(|n| of[*n as usize] = cluster);
        }
        Self {
            members: groups.to_vec(),
            of,
            time: groups.iter().map(|g| space.time(g, evaluator)).collect(),
            order: (0..groups.len()).collect(),
            rank: (0..groups.len()).collect(),
        }
    }

    /// Clusters in the order of their last operators.
    pub(crate) fn live(&self) -> Vec<usize> {
        let mut out: Vec<_> = (0..self.members.len())
            .filter(|&c| !self.members[c].is_empty())
            .collect();
        out.sort_by_key(|&c| self.members[c].last());
        out
    }

    /// Clusters whose results one needs.
    pub(crate) fn before(&self, cluster: usize, space: &Space) -> Vec<usize> {
        self.around(cluster, &space.needs)
    }

    /// Clusters that use one's results.
    pub(crate) fn after(&self, cluster: usize, space: &Space) -> Vec<usize> {
        self.around(cluster, &space.users)
    }

    fn around(&self, cluster: usize, edges: &[Vec<Place>]) -> Vec<usize> {
        let members = &self.members[cluster];
        let mut out: Vec<_> = members
            .iter()
            .flat_map(|n| &edges[*n as usize])
            .map(|n| self.of[*n as usize])
            .filter(|&c| c != cluster)
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// The union of clusters, sorted.
    pub(crate) fn union(&self, clusters: &[usize]) -> Vec<Place> {
        let mut out: Vec<_> = clusters
            .iter()
            .flat_map(|c| self.members[*c].clone())
            .collect();
        out.sort_unstable();
        out
    }

    /// Time that one kernel saves against its clusters apart, if it is legal and saves any.
    pub(crate) fn gain(
        &self,
        clusters: &[usize],
        space: &Space,
        evaluator: &mut Evaluator<'_>,
    ) -> Option<Time> {
        let mut apart = Time::ZERO;
        for &cluster in clusters {
            apart += self.time[cluster]?;
        }
        let together = space.time(&self.union(clusters), evaluator)?;
        (together < apart).then(|| apart.saturating_sub(together))
    }

    /// Ranks of the first and the last of some clusters.
    fn span(&self, clusters: &[usize]) -> (usize, usize) {
        let ranks = || clusters.iter().map(|&c| self.rank[c]);
        (ranks().min().unwrap_or(0), ranks().max().unwrap_or(0))
    }

    /// Other clusters that run before the last of some and need one of them; `None` when one of the
    /// clusters needs such another one, so that they cannot be one kernel.
    fn between(&self, clusters: &[usize], space: &Space) -> Option<BTreeSet<usize>> {
        let (_, last) = self.span(clusters);
        let mut stack: Vec<usize> = clusters
            .iter()
            .flat_map(|&c| self.after(c, space))
            .filter(|c| !clusters.contains(c))
            .collect();
        let mut found = BTreeSet::new();
        while let Some(cluster) = stack.pop() {
            if self.rank[cluster] > last || !found.insert(cluster) {
                continue;
            }
            for next in self.after(cluster, space) {
                if clusters.contains(&next) {
                    return None;
                }
                stack.push(next);
            }
        }
        Some(found)
    }

    /// Whether merging would make another kernel run in between.
    pub(crate) fn closes_circle(&self, clusters: &[usize], space: &Space) -> bool {
        self.between(clusters, space).is_none()
    }

    /// Merges clusters into the first of them.
    pub(crate) fn merge(
        &mut self,
        clusters: &[usize],
        space: &Space,
        evaluator: &mut Evaluator<'_>,
    ) -> usize {
        let into = clusters[0];
        let union = self.union(clusters);
        self.reorder(clusters, space);
        for &cluster in clusters {
            self.members[cluster].clear();
        }
        union.iter().for_each(|n| self.of[*n as usize] = into);
        self.time[into] = space.time(&union, evaluator);
        self.members[into] = union;
        into
    }

    /// Moves what needs the clusters behind all of them.
    fn reorder(&mut self, clusters: &[usize], space: &Space) {
        let (first, last) = self.span(clusters);
        let behind = self.between(clusters, space).unwrap_or_default();
        let region = self.order[first..=last].to_vec();
        let kept = |c: &&usize| !clusters.contains(c) && !behind.contains(c);
        let mut order: Vec<_> = region.iter().filter(kept).copied().collect();
        order.extend(clusters);
        order.extend(region.iter().filter(|c| behind.contains(c)));
        for (rank, cluster) in (first..).zip(&order) {
            self.rank[*cluster] = rank;
        }
        self.order.splice(first..=last, order);
    }

    /// Clusters in an order in which they can run.
    pub(crate) fn runnable(&self) -> Vec<usize> {
        let live = |c: &usize| !self.members[*c].is_empty();
        self.order.iter().copied().filter(live).collect()
    }
}
