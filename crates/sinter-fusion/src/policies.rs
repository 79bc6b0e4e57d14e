//! The built-in extractions but the integer program.

use sinter_device::Time;

use crate::clusters::Clusters;
use crate::enumerate::{self, Pool};
use crate::extraction::{Chosen, Extraction, Grouping, Problem};
use crate::{contract, greedy, postdom};

/// One kernel per operator.
pub(crate) struct Apart;

impl Extraction for Apart {
    fn extract(&self, problem: &mut Problem<'_, '_>) -> Grouping {
        let alone = problem.start().into_iter().map(Chosen::all);
        Grouping::of(alone.collect())
    }
}

/// Merging by time saved.
pub(crate) struct Greedy;

impl Extraction for Greedy {
    fn extract(&self, problem: &mut Problem<'_, '_>) -> Grouping {
        let clusters = greedily(problem, false);
        grouping(&clusters, problem)
    }
}

/// Merging along post-dominators.
pub(crate) struct Postdom;

impl Extraction for Postdom {
    fn extract(&self, problem: &mut Problem<'_, '_>) -> Grouping {
        let clusters = post_dominated(problem);
        grouping(&clusters, problem)
    }
}

/// Dynamic programming over the enumerated candidates with few states.
pub(crate) struct Dp;

/// States with equally many operators done that `dp` keeps.
const DP_STATES: usize = 16;

impl Extraction for Dp {
    fn extract(&self, problem: &mut Problem<'_, '_>) -> Grouping {
        let pool = grown(problem);
        let found = problem.cheapest(&pool, Time::MAX, DP_STATES);
        found.unwrap_or_else(|_| Apart.extract(problem))
    }
}

/// The default: exact search over all candidates, those that the heuristics choose included.
pub(crate) struct Best;

impl Extraction for Best {
    fn extract(&self, problem: &mut Problem<'_, '_>) -> Grouping {
        let (pool, start, ceiling) = started_pool(problem);
        let states = problem.limits.states;
        let found = problem.cheapest(&pool, ceiling, states);
        found.unwrap_or_else(|bound| Grouping {
            lower_bound: Some(bound),
            pool: pool.candidates.len(),
            truncated: pool.truncated,
            ..start
        })
    }
}

/// All candidates, the cheapest grouping of the heuristics, and its time.
pub(crate) fn started_pool(problem: &mut Problem<'_, '_>) -> (Pool, Grouping, Time) {
    let mut starts = vec![Apart.extract(problem)];
    let clusters = heuristics(problem);
    starts.extend(clusters.iter().map(|c| grouping(c, problem)));
    let timed = starts.into_iter().filter_map(|g| {
        let time = problem.time(&g)?;
        Some((g, time))
    });
    let best = timed.min_by_key(|(_, time)| *time);
    let (cheapest, ceiling) = best.unwrap_or_default();
    let mut pool = candidates(problem);
    let start = problem.start.iter();
    for members in clusters.iter().flat_map(|c| &c.members).chain(start) {
        if !members.is_empty() {
            let found = problem
                .space
                .candidate(members, &[], &[], problem.evaluator);
            found.into_iter().for_each(|c| pool.add(c));
        }
    }
    (pool, cheapest, ceiling)
}

/// The places in a pool of the kernels of a grouping, which are added where they are not there.
#[cfg(feature = "ilp")]
pub(crate) fn pool_with(
    pool: &mut Pool,
    grouping: &Grouping,
    problem: &mut Problem<'_, '_>,
) -> Vec<usize> {
    let mut out = Vec::new();
    for kernel in &grouping.kernels {
        let nodes = problem.places(&kernel.nodes);
        let space = &problem.space;
        if let Some(candidate) = space.candidate(&nodes, &[], &[], problem.evaluator) {
            pool.add(candidate.clone());
            out.extend(pool.candidates.iter().position(|c| *c == candidate));
        }
    }
    out
}

/// All candidates.
pub(crate) fn pool(problem: &mut Problem<'_, '_>) -> Pool {
    started_pool(problem).0
}

fn candidates(problem: &mut Problem<'_, '_>) -> Pool {
    match problem.space.len() <= problem.limits.window {
        true => enumerate::exhaustive(&problem.space, &problem.alike, problem.evaluator),
        false => grown(problem),
    }
}

fn grown(problem: &mut Problem<'_, '_>) -> Pool {
    let units = units(problem);
    let Problem {
        space,
        alike,
        evaluator,
        limits,
        ..
    } = problem;
    let mut pool = enumerate::grown(&units, limits, space, alike, evaluator);
    for group in &problem.start {
        let alone = space.candidate(group, &[], &[], evaluator);
        alone.into_iter().for_each(|c| pool.add(c));
    }
    pool
}

fn heuristics(problem: &mut Problem<'_, '_>) -> Vec<Clusters> {
    vec![
        greedily(problem, false),
        greedily(problem, true),
        post_dominated(problem),
    ]
}

fn units(problem: &mut Problem<'_, '_>) -> Clusters {
    let singles = Clusters::new(&problem.start, &problem.space, problem.evaluator);
    contract::run(singles, &problem.space, problem.evaluator)
}

fn greedily(problem: &mut Problem<'_, '_>, contracted: bool) -> Clusters {
    let start = match contracted {
        true => units(problem),
        false => Clusters::new(&problem.start, &problem.space, problem.evaluator),
    };
    greedy::run(start, &problem.space, problem.evaluator)
}

fn post_dominated(problem: &mut Problem<'_, '_>) -> Clusters {
    let singles = Clusters::new(&problem.start, &problem.space, problem.evaluator);
    postdom::run(singles, &problem.space, problem.evaluator)
}

fn grouping(clusters: &Clusters, problem: &Problem<'_, '_>) -> Grouping {
    let kernels = clusters.runnable().into_iter().map(|c| {
        let nodes = problem.space.ids(&clusters.members[c]);
        Chosen::all(nodes)
    });
    Grouping::of(kernels.collect())
}
