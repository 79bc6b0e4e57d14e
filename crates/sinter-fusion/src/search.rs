//! The cheapest program made of candidate kernels, by dynamic programming over what is done.
//!
//! A state is the set of operators that are *done* (computed for good, or given up because each user
//! computes them again) with those of them that are *missing* in memory. Of all orders in which the
//! kernels of a program can run, one is followed: the next kernel computes the first operator that is
//! not done, or something that such a kernel waits for. So side branches do not multiply states, and
//! a program of repeated blocks costs time in proportion to its length.
//!
//! Branches that could change places are computed in one order (see [`crate::alike`]).
//!
//! The result is exact over the candidates unless more than [`Limits::states`](crate::Limits::states)
//! states with equally many operators done had to be kept, or more than [`Limits::steps`](crate::Limits::steps)
//! steps taken; then only the most promising are followed. A program that is not followed costs at
//! least what the state where it was left has cost and has still to pay.

use std::collections::{BTreeMap, HashMap};

use crate::alike::Alike;
use crate::space::{Candidate, Place, Space};

/// The cheapest program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) time: u64,
    /// Candidates in an order in which they can run.
    pub(crate) chosen: Vec<usize>,
    /// No program of the candidates is cheaper.
    pub(crate) bound: u64,
}

/// What the search is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'a> {
    pub(crate) space: &'a Space,
    pub(crate) candidates: &'a [Candidate],
    /// Branches that could change places: the first of which nothing is done come first.
    pub(crate) alike: &'a Alike,
    /// Operators that need not be computed for good.
    pub(crate) optional: &'a [bool],
    /// What is still to be paid for each operator, at least.
    pub(crate) shares: &'a [u64],
    /// Programs that are dearer are not wanted.
    pub(crate) ceiling: u64,
    /// States kept with equally many operators done.
    pub(crate) states: usize,
    /// Steps from state to state after which fewer are kept.
    pub(crate) steps: usize,
}

/// By how much fewer states are kept once the steps are taken.
const NARROWED: usize = 64;
/// And once they are taken twice.
const NARROWEST: usize = 512;
/// Operators missing in memory that make a step as much work as two.
const MISSING: usize = 32;
/// How many times more states wait than are followed.
const WAITING: usize = 4;

/// Operators that the candidates compute again, and that are not required.
pub(crate) fn optional(space: &Space, candidates: &[Candidate]) -> Vec<bool> {
    let mut out = vec![false; space.len()];
    for candidate in candidates {
        for &node in &candidate.nodes {
            let again = candidate.homed.binary_search(&node).is_err();
            out[node as usize] |= again && !space.required[node as usize];
        }
    }
    out
}

/// A set of done operators: all before `base` words, and the bits of the words after.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Done {
    base: u32,
    words: Vec<u64>,
}

impl Done {
    fn has(&self, node: Place) -> bool {
        let word = node / 64;
        match word.checked_sub(self.base) {
            None => true,
            Some(at) => {
                let word = self.words.get(at as usize);
                word.is_some_and(|w| w >> (node % 64) & 1 == 1)
            }
        }
    }

    fn add(&mut self, nodes: &[Place]) {
        for node in nodes {
            let at = (node / 64 - self.base) as usize;
            if at >= self.words.len() {
                self.words.resize(at + 1, 0);
            }
            self.words[at] |= 1 << (node % 64);
        }
        let full = self.words.iter().take_while(|w| **w == u64::MAX).count();
        self.words.drain(..full);
        self.base += full as u32;
    }

    /// Whether one of a set of operators is done.
    fn has_any(&self, set: &[(u32, u64)]) -> bool {
        set.iter()
            .any(|&(word, bits)| match word.checked_sub(self.base) {
                None => true,
                Some(at) => self.words.get(at as usize).is_some_and(|w| w & bits != 0),
            })
    }

    /// The first operator that is not done.
    fn first(&self) -> Place {
        let inside = self.words.first().map_or(0, |w| w.trailing_ones());
        self.base * 64 + inside
    }
}

/// A set of sorted operators as words, with their numbers.
fn bits(nodes: &[Place]) -> Vec<(u32, u64)> {
    let mut out: Vec<(u32, u64)> = Vec::new();
    for node in nodes {
        let (word, bit) = (node / 64, 1 << (node % 64));
        match out.last_mut() {
            Some((last, bits)) if *last == word => *bits |= bit,
            _ => out.push((word, bit)),
        }
    }
    out
}

/// A state's identity.
type Key = (Done, Vec<Place>);

#[derive(Clone, Copy, Debug)]
struct State {
    time: u64,
    /// What is still to be paid, at least.
    left: u64,
    from: usize,
    /// The kernel that led here; `None` when an operator was given up.
    by: Option<usize>,
}

/// States with equally many operators done.
#[derive(Debug, Default)]
struct Level {
    places: HashMap<Key, usize>,
    list: Vec<(Key, usize)>,
}

/// Finds the cheapest program.
///
/// # Errors
/// What a program costs at least, when none that was followed is within the ceiling.
pub(crate) fn run(task: &Task<'_>) -> Result<Found, u64> {
    Search::new(task).run()
}

struct Search<'a> {
    task: Task<'a>,
    /// By operator, candidates that compute it for good.
    homes: Vec<Vec<usize>>,
    /// By candidate, the operators that it computes for good.
    homed: Vec<Vec<(u32, u64)>>,
    /// By candidate, sets of operators of each of which one has to be done before.
    earlier: Vec<Vec<Vec<(u32, u64)>>>,
    /// By candidate, the first operator that it computes for good: once more is done, it is of no use.
    start: Vec<Place>,
    /// By operator, candidates that load it for operators that they compute again only, by their starts.
    fragile: Vec<Vec<usize>>,
    arena: Vec<State>,
    levels: BTreeMap<usize, Level>,
    steps: usize,
    /// The least that a program costs which was not followed.
    dropped: u64,
    /// By candidate, the state in which it was looked at last.
    tried: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(task: &Task<'a>) -> Self {
        let count = task.space.len();
        let mut homes = vec![Vec::new(); count];
        let mut fragile = vec![Vec::new(); count];
        for (number, candidate) in task.candidates.iter().enumerate() {
            for &node in &candidate.homed {
                homes[node as usize].push(number);
            }
            for &leaf in &candidate.leaves {
                let readers = &task.space.users[leaf as usize];
                if !readers
                    .iter()
                    .any(|r| candidate.homed.binary_search(r).is_ok())
                {
                    fragile[leaf as usize].push(number);
                }
            }
        }
        let start = |c: &Candidate| c.homed.first().copied().unwrap_or(0);
        let start: Vec<_> = task.candidates.iter().map(start).collect();
        for list in &mut fragile {
            list.sort_by_key(|c| start[*c]);
        }
        let earlier = |candidate: &Candidate| {
            let branches = task.alike.earlier(&candidate.homed);
            branches.into_iter().map(bits).collect()
        };
        Self {
            task: *task,
            homes,
            homed: task.candidates.iter().map(|c| bits(&c.homed)).collect(),
            earlier: task.candidates.iter().map(earlier).collect(),
            start,
            fragile,
            arena: Vec::new(),
            levels: BTreeMap::new(),
            steps: 0,
            dropped: u64::MAX,
            tried: vec![usize::MAX; task.candidates.len()],
        }
    }

    fn run(mut self) -> Result<Found, u64> {
        let start = Done {
            base: 0,
            words: Vec::new(),
        };
        let count = self.task.space.len();
        let state = State {
            time: 0,
            left: self.task.shares.iter().sum(),
            from: usize::MAX,
            by: None,
        };
        self.reach(0, (start, Vec::new()), state);
        while let Some((done, level)) = self.levels.pop_first() {
            if done == count
                && let Some((_, end)) = level.list.first()
            {
                return Ok(self.found(*end));
            }
            let (mut most, mut list, mut at) = (self.most(), self.promising(level.list), 0);
            while at < list.len() {
                // Once the steps are taken, fewer of those that are left are followed.
                if self.most() < most {
                    most = self.most();
                    list = self.promising(list.split_off(at));
                    at = 0;
                }
                let (key, state) = &list[at];
                self.expand(done, key, *state);
                at += 1;
            }
        }
        Err(self.dropped.min(self.task.ceiling))
    }

    fn found(&self, end: usize) -> Found {
        tracing::debug!(
            steps = self.steps,
            states = self.arena.len(),
            exact = self.dropped >= self.arena[end].time,
            "search"
        );
        let mut chosen = Vec::new();
        let mut at = end;
        while at != usize::MAX {
            chosen.extend(self.arena[at].by);
            at = self.arena[at].from;
        }
        chosen.reverse();
        Found {
            time: self.arena[end].time,
            chosen,
            bound: self.dropped.min(self.arena[end].time),
        }
    }

    /// How many states of a level are followed.
    fn most(&self) -> usize {
        match self.steps / self.task.steps.max(1) {
            0 => self.task.states,
            1 => self.task.states.div_ceil(NARROWED),
            _ => self.task.states.div_ceil(NARROWEST),
        }
    }

    /// The states of a level that are followed.
    fn promising(&mut self, mut list: Vec<(Key, usize)>) -> Vec<(Key, usize)> {
        let most = self.most();
        if list.len() > most {
            let least = |s: usize| self.arena[s].time.saturating_add(self.arena[s].left);
            list.sort_by_key(|(_, s)| (least(*s), *s));
            self.dropped = self.dropped.min(least(list[most].1));
            list.truncate(most);
        }
        list
    }

    fn reach(&mut self, done: usize, key: Key, state: State) {
        let level = self.levels.entry(done).or_default();
        match level.places.get(&key) {
            Some(&place) => {
                let known = &mut self.arena[level.list[place].1];
                if state.time < known.time {
                    *known = state;
                }
            }
            None => {
                level.places.insert(key.clone(), level.list.len());
                level.list.push((key, self.arena.len()));
                self.arena.push(state);
                if level.list.len() > WAITING * self.task.states {
                    self.thin(done);
                }
            }
        }
    }

    /// Leaves the states of a level that would be followed so far.
    fn thin(&mut self, done: usize) {
        let Some(level) = self.levels.remove(&done) else {
            return;
        };
        let list = self.promising(level.list);
        let places = list
            .iter()
            .enumerate()
            .map(|(n, (key, _))| (key.clone(), n));
        let level = Level {
            places: places.collect(),
            list,
        };
        self.levels.insert(done, level);
    }

    /// Follows every kernel that may run next.
    fn expand(&mut self, done: usize, key: &Key, from: usize) {
        let (state, missing) = key;
        let first = state.first();
        if self.task.optional[first as usize] {
            let next = self.arena[from];
            self.advance(
                done,
                key,
                &[first],
                &[],
                State {
                    from,
                    by: None,
                    ..next
                },
            );
        }
        let mut waiting = vec![first];
        let mut at = 0;
        while let Some(&node) = waiting.get(at) {
            at += 1;
            for place in 0..self.homes[node as usize].len() {
                let number = self.homes[node as usize][place];
                // What it waits for, and what comes of it, is the same for each operator that it computes.
                let seen = std::mem::replace(&mut self.tried[number], from) == from;
                if seen || self.start[number] < first || state.has_any(&self.homed[number]) {
                    continue;
                }
                let candidate = &self.task.candidates[number];
                if candidate.leaves.iter().any(|l| missing.contains(l)) {
                    continue;
                }
                let mut ready = true;
                for &leaf in &candidate.leaves {
                    if !state.has(leaf) {
                        ready = false;
                        if !waiting.contains(&leaf) {
                            waiting.push(leaf);
                        }
                    }
                }
                let in_turn = |set: &Vec<(u32, u64)>| state.has_any(set);
                if ready && self.earlier[number].iter().all(in_turn) {
                    let next = State {
                        time: self.arena[from].time.saturating_add(candidate.time),
                        left: self.arena[from].left,
                        from,
                        by: Some(number),
                    };
                    self.advance(done, key, &candidate.homed, &candidate.stored, next);
                }
            }
        }
    }

    /// Goes on to the state in which `homed` are done too, and `stored` of them in memory.
    fn advance(
        &mut self,
        done: usize,
        (state, missing): &Key,
        homed: &[Place],
        stored: &[Place],
        mut next: State,
    ) {
        self.steps += 1 + missing.len() / MISSING;
        let shares = homed.iter().map(|n| self.task.shares[*n as usize]);
        next.left = next.left.saturating_sub(shares.sum());
        if next.time.saturating_add(next.left) > self.task.ceiling {
            return;
        }
        let mut bits = state.clone();
        bits.add(homed);
        let lost = homed.iter().filter(|n| stored.binary_search(n).is_err());
        let mut missing: Vec<_> = missing.iter().chain(lost).copied().collect();
        missing.retain(|n| self.matters(*n, &bits));
        missing.sort_unstable();
        self.reach(done + homed.len(), (bits, missing), next);
    }

    /// Whether it matters that an operator's result is not in memory.
    fn matters(&self, node: Place, done: &Done) -> bool {
        let readers = &self.task.space.readers[node as usize];
        let first = done.first();
        let fragile = &self.fragile[node as usize];
        let fragile = &fragile[fragile.partition_point(|c| self.start[*c] < first)..];
        let usable = |c: &usize| !done.has_any(&self.homed[*c]);
        readers.iter().any(|r| !done.has(*r)) || fragile.iter().any(usable)
    }
}
