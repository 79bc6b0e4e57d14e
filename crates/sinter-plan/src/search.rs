//! The exact search within a node limit.
//!
//! Time is cut into sections at the blocks' ends, and the memory above each section is filled from
//! below: `floor` is where free memory begins, `rest` the bytes still to be placed. The search looks
//! only for solutions in which no block could be moved down alone; there is one if there is any.
//!
//! - *Branching*: a *valley* is a run of sections with one floor between higher neighbours. In a
//!   section of a valley, either one of the blocks that fit into the valley stands on the floor, or
//!   none does and the section's floor rises to the lowest place where something could carry it. The
//!   section with the fewest such branches is taken, so that forced moves come first.
//! - *Forced rise*: the floor of a section rises to the lowest offset of any block left there.
//! - *Bound*: a state is dead when floor plus rest of a section is above the capacity.
//! - *Parts*: when no block left spans a boundary, both sides are solved by themselves.
//! - *Restarts*: short runs, each with another order of branches, grow longer only slowly.
//!
//! With mixed alignments, a block that stands on an aligned offset above the floor may leave room below
//! for a smaller one that does not cover the section; such solutions are found only when the smaller
//! block's section comes first. A search that came across such room proves nothing.
//!
//! Sections with floors, solutions in canonical form, splitting into parts, and trying several orders
//! of blocks are ideas of MiniMalloc (Moffitt, ASPLOS 2023); valleys are those of strip packing.

use std::ops::Range;

use crate::profile::Block;
use crate::state::{Item, State};

/// Nodes of the shortest runs.
const RUN_NODES: u64 = 500;

/// Deepest branch, so that the search keeps to a small stack; a run that gets there has reached its
/// limit.
const MAX_DEPTH: usize = 2_000;

/// Exhausted runs after which a search gives up that cannot prove anything because of alignment.
const MAX_EXHAUSTED: u64 = 32;

/// What a search finds out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Offsets within the capacity, and their peak.
    Offsets(Vec<u64>, u64),
    /// There are none.
    Impossible,
    /// The limit was reached.
    Unknown,
}

/// Looks for offsets within `capacity`, in at most about `limit` nodes; also gives the number of
/// nodes that were used.
pub(crate) fn search(blocks: &[Block], capacity: u64, limit: u64) -> (Found, u64) {
    let mut spent = 0;
    let mut run = 0;
    let mut exhausted = 0;
    while spent < limit {
        let order = Order::of(run);
        // Lengths 1 2 1 4 1 2 1 8 ... for each set of orders: most runs are short.
        let nodes = (RUN_NODES << (run / Order::KINDS).trailing_ones()).min(limit - spent);
        let mut search = Search {
            state: State::new(blocks, capacity),
            order,
            nodes: 0,
            limit: nodes,
            depth: 0,
            left_room: false,
        };
        let all: Vec<usize> = (0..blocks.len()).collect();
        match search.parts(&all) {
            Outcome::Done => {
                let (offsets, peak) = search.state.solution();
                return (Found::Offsets(offsets, peak), spent + search.nodes);
            }
            Outcome::Dead if !search.left_room => {
                return (Found::Impossible, spent + search.nodes);
            }
            Outcome::Dead => {
                exhausted += 1;
                if exhausted == MAX_EXHAUSTED {
                    return (Found::Unknown, spent + search.nodes);
                }
            }
            Outcome::Limit => {}
        }
        spent += search.nodes;
        run += 1;
    }
    (Found::Unknown, spent)
}

enum Outcome {
    Done,
    Dead,
    Limit,
}

/// In which order a run tries its branches.
#[derive(Clone, Copy)]
struct Order {
    /// Number of the run, from which the noise comes.
    run: u64,
    /// Whether sections with little slack are preferred at the cost of more branches.
    tight: bool,
    /// Whether blocks are tried by area, not by size.
    area: bool,
}

impl Order {
    /// Number of orders apart from noise.
    const KINDS: u64 = 4;

    fn of(run: u64) -> Self {
        Self {
            run,
            tight: run % 2 == 1,
            area: run / 2 % 2 == 1,
        }
    }

    /// Blocks with the largest weight are tried first. The first run of each kind has no noise; in
    /// others, weights vary by up to a factor of two.
    fn weight(&self, i: usize, item: &Item) -> u128 {
        let width = if self.area {
            (item.end - item.start) as u128
        } else {
            1
        };
        let noise = if self.run < Self::KINDS {
            0
        } else {
            noise(self.run, i as u64)
        };
        u128::from(item.bytes) * width * (256 + u128::from(noise))
    }

    /// The section with the least cost is branched on.
    fn cost(&self, branches: u64, slack: u64, capacity: u64) -> (u64, u64) {
        let sixteenths = if self.tight {
            u128::from(slack) * 16 / u128::from(capacity.max(1))
        } else {
            0
        };
        (branches.saturating_mul(1 + sixteenths as u64), slack)
    }
}

/// A number below 256 that depends on both arguments (the finaliser of SplitMix64).
fn noise(run: u64, i: u64) -> u64 {
    let mut z =
        (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ run.wrapping_mul(0xd1b5_4a32_d192_ed03);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z >> 56
}

struct Search {
    state: State,
    order: Order,
    nodes: u64,
    limit: u64,
    depth: usize,
    /// Whether a block was put above room that a smaller one might have used.
    left_room: bool,
}

/// A run of sections with one floor.
struct Run {
    sections: Range<usize>,
    floor: u64,
    /// Floor of the lower neighbour.
    brim: u64,
    /// Blocks left that lie within.
    blocks: Vec<usize>,
}

impl Run {
    fn is_valley(&self) -> bool {
        self.brim > self.floor
    }
}

/// Where to branch.
struct Branch {
    section: usize,
    /// Blocks that may stand on the floor there.
    blocks: Vec<usize>,
    /// The floor of the section if none does; absent when that cannot be.
    rise: Option<u64>,
}

/// A section that might be branched on.
struct Candidate<'a> {
    cost: (u64, u64),
    run: &'a Run,
    section: usize,
    rise: Option<u64>,
}

impl Search {
    /// Solves the blocks left, parts that never meet one after the other.
    fn parts(&mut self, left: &[usize]) -> Outcome {
        let mut sorted = left.to_vec();
        sorted.sort_by_key(|&i| (self.state.items[i].start, i));
        let mut rest = sorted.as_slice();
        while let Some(&first) = rest.first() {
            let start = self.state.items[first].start;
            let mut end = self.state.items[first].end;
            let mut count = 1;
            while let Some(item) = rest.get(count).map(|&i| self.state.items[i]) {
                if item.start >= end {
                    break;
                }
                end = end.max(item.end);
                count += 1;
            }
            match self.part(&rest[..count], start..end) {
                Outcome::Done => rest = &rest[count..],
                // Other solutions of earlier parts would change nothing for this one.
                other => return other,
            }
        }
        Outcome::Done
    }

    fn part(&mut self, left: &[usize], sections: Range<usize>) -> Outcome {
        self.nodes += 1;
        if self.nodes > self.limit || self.depth > MAX_DEPTH {
            return Outcome::Limit;
        }
        self.depth += 1;
        let outcome = self.branches(left, sections);
        self.depth -= 1;
        outcome
    }

    fn branches(&mut self, left: &[usize], sections: Range<usize>) -> Outcome {
        if !self.state.force(left, sections.clone()) {
            return Outcome::Dead;
        }
        let Some(branch) = self.choose(left, sections) else {
            return Outcome::Dead;
        };
        let mark = self.state.mark();
        for &i in &branch.blocks {
            self.left_room |= self.state.leaves_room(i, left);
            if self.state.place(i) {
                let next: Vec<usize> = left.iter().copied().filter(|&j| j != i).collect();
                match self.parts(&next) {
                    Outcome::Dead => {}
                    other => return other,
                }
            }
            self.state.undo(mark);
        }
        if let Some(rise) = branch.rise {
            if self.state.raise(branch.section, rise) {
                match self.parts(left) {
                    Outcome::Dead => {}
                    other => return other,
                }
            }
            self.state.undo(mark);
        }
        Outcome::Dead
    }

    /// The section with the least cost of branching.
    fn choose(&self, left: &[usize], sections: Range<usize>) -> Option<Branch> {
        let first = sections.start;
        let (runs, standing) = self.runs(left, sections);
        let mut best: Option<Candidate<'_>> = None;
        for run in runs.iter().filter(|run| run.is_valley()) {
            for section in run.sections.clone() {
                let count = standing[section - first];
                let slack = self.state.slack(section);
                let cost = |branches| self.order.cost(branches, slack, self.state.capacity);
                let beaten = |cost| best.as_ref().is_some_and(|best| best.cost <= cost);
                if beaten(cost(count)) {
                    continue;
                }
                let rise = self
                    .rise(run, section)
                    .filter(|rise| rise - run.floor <= slack);
                let cost = cost(count + u64::from(rise.is_some()));
                if !beaten(cost) {
                    best = Some(Candidate {
                        cost,
                        run,
                        section,
                        rise,
                    });
                }
            }
        }
        let Candidate {
            run, section, rise, ..
        } = best?;
        Some(Branch {
            section,
            blocks: self.standing(run, section),
            rise,
        })
    }

    /// Runs of equal floors with the blocks that lie within each valley, and the number of those
    /// blocks over each section.
    fn runs(&self, left: &[usize], sections: Range<usize>) -> (Vec<Run>, Vec<u64>) {
        let first = sections.start;
        let mut runs: Vec<Run> = Vec::new();
        let mut number = Vec::with_capacity(sections.len());
        for section in sections {
            let floor = self.state.floor[section];
            match runs.last_mut() {
                Some(run) if run.floor == floor => run.sections.end = section + 1,
                _ => {
                    let (sections, blocks) = (section..section + 1, Vec::new());
                    runs.push(Run {
                        sections,
                        floor,
                        brim: 0,
                        blocks,
                    });
                }
            }
            number.push(runs.len() - 1);
        }
        for r in 0..runs.len() {
            let before = if r > 0 { runs[r - 1].floor } else { u64::MAX };
            let after = runs.get(r + 1).map_or(u64::MAX, |run| run.floor);
            runs[r].brim = before.min(after);
        }
        let mut standing = vec![0; number.len()];
        for &i in left {
            let item = &self.state.items[i];
            let run = &mut runs[number[item.start - first]];
            if run.is_valley() && item.end <= run.sections.end {
                run.blocks.push(i);
                standing[item.start - first..item.end - first]
                    .iter_mut()
                    .for_each(|n| *n += 1);
            }
        }
        (runs, standing)
    }

    /// The lowest floor of a section on which no block of its valley stands: what stands there later
    /// is carried by a block beside it, or reaches over the brim. `None` if there is nothing to.
    fn rise(&self, run: &Run, section: usize) -> Option<u64> {
        let items = run.blocks.iter().map(|&i| &self.state.items[i]);
        let beside = items
            .filter(|item| !item.covers(section))
            .map(|item| item.bytes)
            .min();
        let carried = beside.map_or(u64::MAX, |bytes| run.floor + bytes);
        Some(carried.min(run.brim)).filter(|&rise| rise < u64::MAX)
    }

    /// The blocks that may stand in a section, in the order in which they are tried. Of several
    /// blocks with the same lifetime and size, one is enough.
    fn standing(&self, run: &Run, section: usize) -> Vec<usize> {
        let items = &self.state.items;
        let mut blocks: Vec<usize> = Vec::new();
        for &i in run.blocks.iter().filter(|&&i| items[i].covers(section)) {
            if !blocks.iter().any(|&other| items[other] == items[i]) {
                blocks.push(i);
            }
        }
        blocks.sort_by_cached_key(|&i| (std::cmp::Reverse(self.order.weight(i, &items[i])), i));
        blocks
    }
}
