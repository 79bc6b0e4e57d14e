//! Heuristics first; the exact search where they leave something to gain.

use crate::buffer::{Buffer, Plan, PlanError};
use crate::profile::{self, Block};
use crate::relation::{Grouped, Groups, Sharing};
use crate::search::Found;
use crate::{greedy, search};

/// Limits of the exact search. They count nodes, never time, so that a plan is a function of its
/// input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Nodes of the search, all its restarts together, when the heuristics are over the capacity.
    pub fit_nodes: u64,
    /// Nodes of the search, all goals together, when a plan fits but is above the lower bound.
    pub improve_nodes: u64,
    /// Parts with more blocks than this are not improved once they fit.
    pub improve_blocks: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            fit_nodes: 200_000,
            improve_nodes: 8_000,
            improve_blocks: 200,
        }
    }
}

/// Places the buffers within `capacity` bytes, as low as the default limits allow.
///
/// # Errors
///
/// [`PlanError`]: the problem is not well formed, or the buffers do not fit.
pub fn plan(buffers: &[Buffer], capacity: u64) -> Result<Plan, PlanError> {
    plan_with(buffers, capacity, &Options::default())
}

/// [`plan`] with given limits.
///
/// # Errors
///
/// As [`plan`].
pub fn plan_with(buffers: &[Buffer], capacity: u64, options: &Options) -> Result<Plan, PlanError> {
    let groups = Groups::new(buffers)?;
    let mut best: Option<Draft> = None;
    for sharing in [Sharing::Fitting, Sharing::SameSize] {
        let draft = Draft::new(groups.blocks(sharing), capacity, options);
        let same = draft.grouped.in_place.len();
        if best.as_ref().is_none_or(|b| draft.peak < b.peak) {
            best = Some(draft);
        }
        if same == 0 {
            break;
        }
    }
    let draft =
        best.unwrap_or_else(|| Draft::new(groups.blocks(Sharing::SameSize), capacity, options));
    if draft.peak > capacity {
        Err(draft.refusal(capacity))
    } else {
        Ok(draft.plan())
    }
}

/// Blocks with offsets, whether they fit or not.
struct Draft {
    grouped: Grouped,
    offsets: Vec<u64>,
    peak: u64,
    lower_bound: u64,
    impossible: bool,
}

impl Draft {
    fn new(grouped: Grouped, capacity: u64, options: &Options) -> Self {
        let blocks = &grouped.blocks;
        let mut offsets = vec![0; blocks.len()];
        let (mut peak, mut lower_bound, mut impossible) = (0, 0, false);
        for part in profile::parts(blocks) {
            let members: Vec<Block> = part.iter().map(|&i| blocks[i]).collect();
            let bound = profile::lower_bound(&members);
            // Below what an earlier part needs, nothing is gained.
            let goal = bound.max(peak);
            let placed = place(&members, goal, capacity, options);
            for (&i, offset) in part.iter().zip(placed.offsets) {
                offsets[i] = offset;
            }
            peak = peak.max(placed.peak);
            impossible |= placed.impossible || bound > capacity;
            lower_bound = lower_bound.max(bound);
        }
        Self {
            grouped,
            offsets,
            peak,
            lower_bound,
            impossible,
        }
    }

    fn plan(self) -> Plan {
        let place = |&(block, within): &(usize, u64)| self.offsets[block] + within;
        Plan {
            offsets: self.grouped.places.iter().map(place).collect(),
            peak: self.peak,
            lower_bound: self.lower_bound,
            in_place: self.grouped.in_place,
        }
    }

    fn refusal(&self, capacity: u64) -> PlanError {
        let (step, live_bytes) = profile::fullest(&self.grouped.blocks);
        PlanError::DoesNotFit {
            capacity,
            needed: self.peak,
            proven: self.impossible,
            step,
            live_bytes,
            live: profile::live_at(&self.grouped.blocks, step),
        }
    }
}

/// Offsets of one part.
struct Placed {
    offsets: Vec<u64>,
    peak: u64,
    /// Whether the search proved that nothing fits the capacity.
    impossible: bool,
}

fn place(blocks: &[Block], goal: u64, capacity: u64, options: &Options) -> Placed {
    let (offsets, peak) = greedy::best(blocks, goal);
    let mut placed = Placed {
        offsets,
        peak,
        impossible: false,
    };
    if peak > capacity && goal <= capacity {
        match search::search(blocks, capacity, options.fit_nodes).0 {
            Found::Offsets(offsets, peak) => (placed.offsets, placed.peak) = (offsets, peak),
            Found::Impossible => placed.impossible = true,
            Found::Unknown => {}
        }
    }
    if placed.peak <= capacity && blocks.len() <= options.improve_blocks {
        improve(blocks, goal, &mut placed, options);
    }
    placed
}

/// Lowers the peak towards the goal while the search keeps up.
fn improve(blocks: &[Block], goal: u64, placed: &mut Placed, options: &Options) {
    let mut floor = goal;
    let mut nodes = options.improve_nodes;
    while floor < placed.peak && nodes > 0 {
        // Low targets first: they often succeed at once, and the gap shrinks fast when they do.
        let target = floor + (placed.peak - floor) / 4;
        let limit = nodes.min(options.improve_nodes.div_ceil(4));
        let (found, spent) = search::search(blocks, target, limit);
        match found {
            Found::Offsets(offsets, peak) => (placed.offsets, placed.peak) = (offsets, peak),
            Found::Impossible | Found::Unknown => floor = target + 1,
        }
        nodes = nodes.saturating_sub(spent);
    }
}
