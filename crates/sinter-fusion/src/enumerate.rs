//! Candidate kernels of a program, enumerated within named limits.
//!
//! *Small* programs, up to [`Limits::window`](crate::Limits::window) operators: every set of
//! operators that hang together by values that they pass on or read alike, with every choice of what is computed again and what is stored.
//!
//! *Others*: operators are first contracted to units, then sets of units grow by one neighbour at a
//! time (a producer, a user, or another reader of the same value). A set is kept when it is convex,
//! legal, and cheaper than the best split of it into smaller ones, which loses nothing; sets that are
//! not are grown for [`PATIENCE`] more steps. At most [`Limits::candidates`](crate::Limits::candidates)
//! sets that end in the same unit are kept, those that save most; how often that limit cut the
//! enumeration short is reported.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::alike::Alike;
use crate::clusters::Clusters;
use crate::evaluate::Evaluator;
use crate::foresee::Wanted;
use crate::options::Limits;
use crate::space::{Candidate, Place, Space};

/// Steps that a set may grow while it is no kernel or saves nothing.
const PATIENCE: u32 = 1;
/// By how much fewer such sets grow on than are kept of those that save something.
const WAITING: usize = 4;
/// Of many producers or users of one unit, and of other readers of one value, those that a set grows
/// by to each side of one that it holds.
const SIBLINGS: usize = 2;
/// Operators of one set that are all computed again rather than stored.
const MOST_REPEATED: usize = 6;
/// Operators of one set that are stored besides those that have to be.
const MOST_ALSO: usize = 6;
/// Forms of one set.
const MOST_CHOICES: usize = 256;

/// Candidate kernels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    pub(crate) candidates: Vec<Candidate>,
    known: BTreeSet<(Vec<Place>, Vec<Place>, Vec<Place>)>,
    /// How often a limit cut the enumeration short.
    pub(crate) truncated: usize,
}

impl Pool {
    /// Adds a candidate unless it is there.
    pub(crate) fn add(&mut self, candidate: Candidate) {
        let c = &candidate;
        let key = (c.nodes.clone(), c.homed.clone(), c.stored.clone());
        if self.known.insert(key) {
            self.candidates.push(candidate);
        }
    }
}

/// All kernels of a small program.
pub(crate) fn exhaustive(space: &Space, alike: &Alike, evaluator: &mut Evaluator<'_>) -> Pool {
    let mut pool = Pool::default();
    for bits in 1u64..1 << space.len() {
        let nodes: Vec<Place> = (0..space.len() as Place)
            .filter(|n| bits >> n & 1 == 1)
            .collect();
        if alike.are_runs(&nodes) && space.is_connected(&nodes) {
            add_choices(&nodes, space, evaluator, &mut pool);
        }
    }
    pool
}

/// Every choice of what a set computes again and what it stores besides.
fn add_choices(nodes: &[Place], space: &Space, evaluator: &mut Evaluator<'_>, pool: &mut Pool) {
    let also: Vec<_> = nodes
        .iter()
        .copied()
        .filter(|&n| could_be_stored(n, nodes, space))
        .collect();
    let mut again = vec![Vec::new()];
    choices_again(nodes, space, &mut again);
    let also = subsets(&also);
    if again.len() * also.len() > MOST_CHOICES {
        pool.truncated += 1;
    }
    let pairs = again.iter().flat_map(|a| also.iter().map(move |b| (a, b)));
    let mut needed = 0;
    for (again, also) in pairs.take(MOST_CHOICES) {
        if also.iter().any(|n| again.binary_search(n).is_ok()) {
            continue;
        }
        let found = space.candidate(nodes, again, also, evaluator);
        // A store that nobody needs does not make a kernel cheaper, whatever its schedule's price.
        if also.is_empty() {
            needed = found.as_ref().map_or(0, |c| c.time);
        }
        let Some(mut found) = found else { continue };
        found.time = found.time.max(needed);
        pool.add(found);
    }
}

/// All sets of operators that a kernel may compute without doing so for good: each is needed outside
/// too, or by another one of them.
fn choices_again(nodes: &[Place], space: &Space, out: &mut Vec<Vec<Place>>) {
    for &node in nodes.iter().rev() {
        let may = space.repeatable[node as usize] && space.is_read_inside(node, nodes);
        if !may {
            continue;
        }
        let outside = space.required[node as usize] || space.is_read_outside(node, nodes);
        let readers = &space.readers[node as usize];
        let mut more = Vec::new();
        for chosen in out.iter() {
            if outside || chosen.iter().any(|n| readers.contains(n)) {
                let mut bigger = vec![node];
                bigger.extend(chosen);
                more.push(bigger);
            }
        }
        out.extend(more);
        out.truncate(MOST_CHOICES + 1);
    }
}

/// Operators of a set that could be computed again elsewhere instead of stored.
fn repeated(nodes: &[Place], space: &Space) -> Vec<Place> {
    let may_repeat = |n: &&Place| {
        space.repeatable[**n as usize]
            && space.is_read_outside(**n, nodes)
            && space.is_read_inside(**n, nodes)
    };
    nodes.iter().filter(may_repeat).copied().collect()
}

/// Whether a result that is read inside only might pay in memory: somebody else could compute from it
/// again, instead of loading it, a bigger value.
fn could_be_stored(node: Place, nodes: &[Place], space: &Space) -> bool {
    if space.required[node as usize] || space.is_read_outside(node, nodes) {
        return false;
    }
    let mut stack = vec![node];
    while let Some(at) = stack.pop() {
        for &reader in &space.readers[at as usize] {
            let inside = nodes.binary_search(&reader).is_ok();
            if !inside || !space.repeatable[reader as usize] {
                continue;
            }
            let needed = space.required[reader as usize] || space.is_read_outside(reader, nodes);
            if needed && space.bytes[node as usize] < space.bytes[reader as usize] {
                return true;
            }
            stack.push(reader);
        }
    }
    false
}

fn subsets(of: &[Place]) -> Vec<Vec<Place>> {
    let of = &of[..of.len().min(MOST_ALSO)];
    let chosen = |bits: usize| {
        let picked = of
            .iter()
            .enumerate()
            .filter(move |(i, _)| bits >> i & 1 == 1);
        picked.map(|(_, n)| *n).collect()
    };
    (0..1usize << of.len()).map(chosen).collect()
}

/// A set of units under growth.
#[derive(Clone, Debug)]
struct Grown {
    /// The least time of smaller kernels that make up the set.
    split: u64,
    idle: u32,
}

/// A set of units that is no candidate, with its best time, and the steps for which it grew idly.
type Waiting = (Vec<usize>, (u64, u32));

/// Sets of units that grow from single ones.
pub(crate) fn grown(
    units: &Clusters,
    limits: &Limits,
    space: &Space,
    alike: &Alike,
    evaluator: &mut Evaluator<'_>,
) -> Pool {
    let mut pool = Pool::default();
    let live = units.live();
    let mut alone: HashMap<usize, u64> = HashMap::new();
    let mut level: BTreeMap<Vec<usize>, (u64, u32)> = BTreeMap::new();
    for &unit in &live {
        if let Some(c) = space.candidate(&units.members[unit], &[], &[], evaluator) {
            alone.insert(unit, c.time);
            level.insert(vec![unit], (c.time, 0));
            pool.add(c);
        }
    }
    let mut kept: HashMap<Place, usize> = HashMap::new();
    while !level.is_empty() {
        let mut next: BTreeMap<Vec<usize>, Grown> = BTreeMap::new();
        for (set, (best, idle)) in &level {
            for unit in neighbours(set, units, space) {
                let Some(single) = alone.get(&unit) else {
                    continue;
                };
                let mut bigger = set.clone();
                bigger.push(unit);
                bigger.sort_unstable();
                if !alike.are_runs(&units.union(&bigger)) {
                    continue;
                }
                let split = best.saturating_add(*single);
                let entry = next.entry(bigger).or_insert(Grown { split, idle: *idle });
                entry.split = entry.split.min(split);
                entry.idle = entry.idle.min(*idle);
            }
        }
        level = advance(next, &mut kept, limits, units, space, evaluator, &mut pool);
    }
    pool
}

/// Prices grown sets, keeps the good ones, and gives those that grow on with their best time.
fn advance(
    grown: BTreeMap<Vec<usize>, Grown>,
    kept: &mut HashMap<Place, usize>,
    limits: &Limits,
    units: &Clusters,
    space: &Space,
    evaluator: &mut Evaluator<'_>,
    pool: &mut Pool,
) -> BTreeMap<Vec<usize>, (u64, u32)> {
    let mut next = BTreeMap::new();
    let mut waiting: BTreeMap<Place, Vec<Waiting>> = BTreeMap::new();
    let mut good: BTreeMap<Place, Vec<(u64, Vec<usize>, Candidate)>> = BTreeMap::new();
    evaluator.foresee(wanted(&grown, limits, units, space));
    for (set, state) in grown {
        let nodes = units.union(&set);
        if nodes.len() > limits.kernel_operators {
            continue;
        }
        let convex = space.is_convex(&nodes);
        if convex {
            add_repeated(&nodes, state.split, space, evaluator, pool);
        }
        let found = match convex {
            true => space.candidate(&nodes, &[], &[], evaluator),
            false => None,
        };
        match found.filter(|c| c.time < state.split) {
            Some(c) => {
                let root = nodes.last().copied().unwrap_or(0);
                let saved = state.split - c.time;
                good.entry(root).or_default().push((saved, set, c));
            }
            // A set that is no kernel has no time of its own, and a set that something has to run
            // in between has no split either.
            None if state.idle < PATIENCE => {
                let best = if convex { state.split } else { u64::MAX };
                let root = nodes.last().copied().unwrap_or(0);
                let waiting = waiting.entry(root).or_default();
                waiting.push((set, (best, state.idle + 1)));
            }
            None => {}
        }
    }
    for mut list in waiting.into_values() {
        let most = limits.candidates.div_ceil(WAITING);
        if list.len() > most {
            pool.truncated += 1;
            list.truncate(most);
        }
        next.extend(list);
    }
    for (root, mut list) in good {
        list.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let room = kept.entry(root).or_default();
        let left = limits.candidates.saturating_sub(*room);
        if list.len() > left {
            pool.truncated += 1;
            list.truncate(left);
        }
        *room += list.len();
        for (_, set, candidate) in list {
            next.insert(set, (candidate.time, 0));
            pool.add(candidate);
        }
    }
    next
}

/// Kernels that are priced for grown sets.
fn wanted<'b>(
    grown: &'b BTreeMap<Vec<usize>, Grown>,
    limits: &'b Limits,
    units: &'b Clusters,
    space: &'b Space,
) -> impl Iterator<Item = Wanted> + 'b {
    let sets = grown.keys().map(|set| units.union(set));
    let sets = sets.filter(|n| n.len() <= limits.kernel_operators && space.is_convex(n));
    sets.flat_map(|nodes| {
        let again = again(&nodes, space);
        let repeated = again.and_then(|again| space.kernel(&nodes, &again));
        repeated.into_iter().chain(space.kernel(&nodes, &[]))
    })
}

/// What a form of a set would compute again instead of storing it.
fn again(nodes: &[Place], space: &Space) -> Option<Vec<Place>> {
    let again = repeated(nodes, space);
    (1..=MOST_REPEATED).contains(&again.len()).then_some(again)
}

/// Forms of a set that compute operators again instead of storing them, where that could pay.
fn add_repeated(
    nodes: &[Place],
    split: u64,
    space: &Space,
    evaluator: &mut Evaluator<'_>,
    pool: &mut Pool,
) {
    let Some(again) = again(nodes, space) else {
        return;
    };
    let found = space.candidate(nodes, &again, &[], evaluator);
    found
        .into_iter()
        .filter(|c| c.time < split)
        .for_each(|c| pool.add(c));
}

/// Units that a set may grow by.
fn neighbours(set: &[usize], units: &Clusters, space: &Space) -> BTreeSet<usize> {
    let mut out = BTreeSet::new();
    for &unit in set {
        out.extend(near(units.before(unit, space), set));
        out.extend(near(units.after(unit, space), set));
        for &node in &units.members[unit] {
            for readers in space.siblings(node) {
                let at = readers.partition_point(|r| *r < node);
                let near = at.saturating_sub(SIBLINGS)..readers.len().min(at + 1 + SIBLINGS);
                out.extend(readers[near].iter().map(|r| units.of[*r as usize]));
            }
        }
    }
    set.iter().for_each(|u| {
        out.remove(u);
    });
    out
}

/// Of the producers or the users of a unit, those that a set may grow by: all where they are few or the
/// set holds none of them, else those that are near one which it holds.
fn near(around: Vec<usize>, set: &[usize]) -> Vec<usize> {
    let held = |unit: &usize| set.binary_search(unit).is_ok();
    if around.len() <= 2 * SIBLINGS + 1 || !around.iter().any(held) {
        return around;
    }
    let places = 0..around.len();
    let is_near = |&place: &usize| {
        let first = place.saturating_sub(SIBLINGS);
        let last = around.len().min(place + 1 + SIBLINGS);
        around[first..last].iter().any(held)
    };
    places.filter(is_near).map(|p| around[p]).collect()
}
