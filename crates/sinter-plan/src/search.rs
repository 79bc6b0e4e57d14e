//! The exact search within a node limit.
//!
//! Time is cut into sections at the blocks' ends, and the memory above each section is filled from
//! below: `floor` is where free memory begins, `rest` the bytes still to be placed. The search
//! looks only for solutions in which no block could be moved down alone; there is one if there is
//! any. The ideas of forcing sections, of canonical order and of pruning dominated states are those
//! of MiniMalloc (Moffitt, ASPLOS 2023); branching over valleys is from strip packing.
//!
//! - *Valley*: a run of sections with one floor, between higher neighbours. In a solution, either
//!   some block stands on it, and the leftmost one that does leaves a gap to its left that can only
//!   be used from higher up; or none does, and the whole valley rises to its lower neighbour.
//! - *Forced rise*: the floor of a section rises to the lowest offset of any block left there.
//! - *Bound*: a state is dead when floor plus rest of a section is above the capacity.
//! - *Dominance*: a gap that is given up though a block left would fit into it is not tried.
//! - *Parts*: when no block left spans a boundary, both sides are solved by themselves.
//! - *Restarts*: each with a larger limit of nodes and another order of branches.

use crate::profile::Block;

/// Nodes of the first run; later runs are longer.
const FIRST_RUN: u64 = 2_000;

/// Offsets within `capacity` and their peak, or `None` when there are none or the limit is reached.
pub(crate) fn search(blocks: &[Block], capacity: u64, limit: u64) -> Option<(Vec<u64>, u64)> {
    let mut state = State::new(blocks, capacity);
    let all: Vec<usize> = (0..blocks.len()).collect();
    let mut spent = 0;
    for run in 0.. {
        state.limit = (FIRST_RUN << (run / ORDERS).min(20)).min(limit - spent);
        state.order = run;
        let outcome = state.solve(&all);
        spent += state.nodes;
        match outcome {
            Outcome::Found => return Some(state.solution(blocks)),
            Outcome::Dead => return None,
            Outcome::Limit if spent >= limit => return None,
            Outcome::Limit => state.reset(),
        }
    }
    None
}

const ORDERS: u64 = 6;

enum Outcome {
    Found,
    Dead,
    Limit,
}

#[derive(Clone, Copy)]
struct Item {
    start: usize,
    end: usize,
    bytes: u64,
    align: u64,
}

struct State {
    items: Vec<Item>,
    capacity: u64,
    floor: Vec<u64>,
    rest: Vec<u64>,
    initial_rest: Vec<u64>,
    offsets: Vec<u64>,
    /// Sections whose floor was changed, with the old floor.
    trail: Vec<(usize, u64)>,
    placed: Vec<usize>,
    nodes: u64,
    limit: u64,
    order: u64,
}

#[derive(Clone, Copy)]
struct Valley {
    start: usize,
    end: usize,
    floor: u64,
    brim: u64,
}

impl State {
    fn new(blocks: &[Block], capacity: u64) -> Self {
        let mut cuts: Vec<u64> = blocks.iter().flat_map(|b| [b.first, b.end]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let at = |step: u64| cuts.partition_point(|&cut| cut < step);
        let items: Vec<Item> = blocks
            .iter()
            .map(|b| Item {
                start: at(b.first),
                end: at(b.end),
                bytes: b.bytes,
                align: b.align,
            })
            .collect();
        let mut rest = vec![0; cuts.len().saturating_sub(1)];
        for item in &items {
            rest[item.start..item.end]
                .iter_mut()
                .for_each(|r| *r += item.bytes);
        }
        Self {
            floor: vec![0; rest.len()],
            initial_rest: rest.clone(),
            rest,
            offsets: vec![0; items.len()],
            items,
            capacity,
            trail: Vec::new(),
            placed: Vec::new(),
            nodes: 0,
            limit: 0,
            order: 0,
        }
    }

    fn reset(&mut self) {
        self.floor.fill(0);
        self.rest.copy_from_slice(&self.initial_rest);
        self.trail.clear();
        self.placed.clear();
        self.nodes = 0;
    }

    fn solution(&self, blocks: &[Block]) -> (Vec<u64>, u64) {
        let tops = blocks
            .iter()
            .zip(&self.offsets)
            .map(|(b, &offset)| b.top(offset));
        (self.offsets.clone(), tops.max().unwrap_or(0))
    }

    fn lowest(&self, i: usize) -> u64 {
        let item = &self.items[i];
        let floor = self.floor[item.start..item.end]
            .iter()
            .copied()
            .max()
            .unwrap_or(0);
        floor.next_multiple_of(item.align)
    }

    fn raise(&mut self, sections: std::ops::Range<usize>, to: u64) -> bool {
        for s in sections {
            if self.floor[s] < to {
                self.trail.push((s, self.floor[s]));
                self.floor[s] = to;
                if to + self.rest[s] > self.capacity {
                    return false;
                }
            }
        }
        true
    }

    fn place(&mut self, i: usize) -> bool {
        let item = self.items[i];
        let offset = self.lowest(i);
        self.offsets[i] = offset;
        self.placed.push(i);
        self.rest[item.start..item.end]
            .iter_mut()
            .for_each(|r| *r -= item.bytes);
        self.raise(item.start..item.end, offset + item.bytes)
    }

    fn undo(&mut self, trail: usize, placed: usize) {
        while self.trail.len() > trail {
            if let Some((s, floor)) = self.trail.pop() {
                self.floor[s] = floor;
            }
        }
        while self.placed.len() > placed {
            if let Some(i) = self.placed.pop() {
                let item = self.items[i];
                self.rest[item.start..item.end]
                    .iter_mut()
                    .for_each(|r| *r += item.bytes);
            }
        }
    }

    fn force(&mut self, left: &[usize], range: std::ops::Range<usize>) -> bool {
        let mut least = vec![0u64; range.len()];
        loop {
            least.fill(u64::MAX);
            for &i in left {
                let lowest = self.lowest(i);
                let item = &self.items[i];
                for l in &mut least[item.start - range.start..item.end - range.start] {
                    *l = (*l).min(lowest);
                }
            }
            let mut changed = false;
            for s in range.clone() {
                let to = least[s - range.start];
                if to != u64::MAX && to > self.floor[s] {
                    changed = true;
                    if !self.raise(s..s + 1, to) {
                        return false;
                    }
                }
            }
            if !changed {
                return true;
            }
        }
    }

    fn solve(&mut self, left: &[usize]) -> Outcome {
        let mut sorted = left.to_vec();
        sorted.sort_by_key(|&i| (self.items[i].start, i));
        let mut at = 0;
        while at < sorted.len() {
            let mut end = self.items[sorted[at]].end;
            let from = at;
            at += 1;
            while at < sorted.len() && self.items[sorted[at]].start < end {
                end = end.max(self.items[sorted[at]].end);
                at += 1;
            }
            match self.solve_part(&sorted[from..at], self.items[sorted[from]].start..end) {
                Outcome::Found => {}
                other => return other,
            }
        }
        Outcome::Found
    }

    fn solve_part(&mut self, left: &[usize], range: std::ops::Range<usize>) -> Outcome {
        self.nodes += 1;
        if self.nodes > self.limit {
            return Outcome::Limit;
        }
        if !self.force(left, range.clone()) {
            return Outcome::Dead;
        }
        let (valley, mut candidates) = self.choose(left, range);
        self.sort(&mut candidates, &valley);
        let (trail, placed) = (self.trail.len(), self.placed.len());
        let mut tried: Vec<Item> = Vec::new();
        for &i in &candidates {
            let item = self.items[i];
            if tried.iter().any(|t| {
                t.start == item.start
                    && t.end == item.end
                    && t.bytes == item.bytes
                    && t.align == item.align
            }) {
                continue;
            }
            tried.push(item);
            if self.gap_wasted(&candidates, &valley, &item) {
                continue;
            }
            let top = self.lowest(i) + item.bytes;
            let ok = self.place(i)
                && self.raise(
                    valley.start..item.start,
                    valley.brim_left(self, top, range_start(left, self)),
                );
            if ok {
                let next: Vec<usize> = left.iter().copied().filter(|&j| j != i).collect();
                match self.solve(&next) {
                    Outcome::Dead => {}
                    other => return other,
                }
            }
            self.undo(trail, placed);
        }
        // Nothing stands on the valley.
        let fits = |i: &usize| {
            valley.floor.next_multiple_of(self.items[*i].align) + self.items[*i].bytes
                <= valley.brim
        };
        if valley.brim < u64::MAX && !candidates.iter().any(fits) {
            if self.raise(valley.start..valley.end, valley.brim) {
                match self.solve(left) {
                    Outcome::Dead => {}
                    other => return other,
                }
            }
            self.undo(trail, placed);
        }
        Outcome::Dead
    }

    fn gap_wasted(&self, candidates: &[usize], valley: &Valley, item: &Item) -> bool {
        if item.start == valley.start {
            return false;
        }
        let top = valley.floor.next_multiple_of(item.align) + item.bytes;
        let brim = top.min(self.left_wall(valley));
        candidates.iter().any(|&j| {
            let other = &self.items[j];
            other.end <= item.start
                && valley.floor.next_multiple_of(other.align) + other.bytes <= brim
        })
    }

    fn left_wall(&self, valley: &Valley) -> u64 {
        if valley.start == 0 || self.rest[valley.start - 1] == 0 {
            u64::MAX
        } else {
            self.floor[valley.start - 1]
        }
    }

    fn choose(&self, left: &[usize], range: std::ops::Range<usize>) -> (Valley, Vec<usize>) {
        // Runs of equal floor.
        let mut run_of = vec![0usize; range.len()];
        let mut runs: Vec<Valley> = Vec::new();
        for s in range.clone() {
            let floor = self.floor[s];
            match runs.last_mut() {
                Some(run) if run.floor == floor => run.end = s + 1,
                _ => runs.push(Valley {
                    start: s,
                    end: s + 1,
                    floor,
                    brim: 0,
                }),
            }
            run_of[s - range.start] = runs.len() - 1;
        }
        for r in 0..runs.len() {
            let before = if r > 0 { runs[r - 1].floor } else { u64::MAX };
            let after = runs.get(r + 1).map_or(u64::MAX, |run| run.floor);
            runs[r].brim = before.min(after);
        }
        let mut counts = vec![0usize; runs.len()];
        let home = |i: usize| {
            let item = &self.items[i];
            let run = run_of[item.start - range.start];
            (item.end <= runs[run].end && runs[run].brim > runs[run].floor).then_some(run)
        };
        for &i in left {
            if let Some(run) = home(i) {
                counts[run] += 1;
            }
        }
        let slack = |run: &Valley| {
            (run.start..run.end)
                .map(|s| self.capacity - self.floor[s] - self.rest[s])
                .min()
                .unwrap_or(0)
        };
        let best = (0..runs.len())
            .filter(|&r| runs[r].brim > runs[r].floor)
            .min_by_key(|&r| match self.order % 3 {
                0 => (counts[r] as u64, slack(&runs[r]), r),
                1 => (slack(&runs[r]), counts[r] as u64, r),
                _ => (runs[r].floor, counts[r] as u64, r),
            })
            .unwrap_or(0);
        (
            runs[best],
            left.iter()
                .copied()
                .filter(|&i| home(i) == Some(best))
                .collect(),
        )
    }

    fn sort(&self, candidates: &mut [usize], valley: &Valley) {
        let order = self.order;
        candidates.sort_by_key(|&i| {
            let item = &self.items[i];
            let width = (item.end - item.start) as u64;
            let key = match (order / 3) % 2 {
                0 => item.bytes * width,
                _ => item.bytes,
            };
            (item.start - valley.start, u64::MAX - key, i)
        });
    }
}

fn range_start(_left: &[usize], _s: &State) -> usize {
    0
}
impl Valley {
    fn brim_left(&self, s: &State, top: u64, _x: usize) -> u64 {
        top.min(s.left_wall(self))
    }
}
