//! The grid: in which order blocks run and how much one block computes.

use sinter_loops::kernel::{GridAxis, Kernel, Role, Schedule};
use sinter_loops::nest::{Access, IterKind};
use sinter_loops::onchip;
use sinter_loops::page_steps::{PAGE_BYTES, page_steps};

use crate::access::{divisor, is_inner, lcm, padded_along, touched_bytes};
use crate::device::Device;
use crate::footprint::overfull;
use crate::refusal::Refusal;
use crate::tile_cost::div_ceil;

/// Work of one block below which more blocks cost more than they balance.
const BLOCK_NS: f64 = 1500.0;
/// Bytes of an element, as far as the size of a page goes.
const ELEMENT_BYTES: i64 = 4;
/// Blocks of each core that balance the load well.
const BLOCKS_PER_CORE: i64 = 8;

/// A shared iterator, before tiles are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) extent: i64,
    pub(crate) iters: Vec<Option<usize>>,
    /// Blocks along it compute their overlap again.
    pub(crate) halo: bool,
}

/// Axes in the order in which blocks should run: what depends on the bigger operands outermost, so
/// that those stream through the caches once.
pub(crate) fn ordered(kernel: &Kernel, axes: Vec<Axis>) -> Vec<Axis> {
    // Of several stages the heaviest contraction decides.
    let contracts = (0..kernel.stages.len()).filter(|&s| kernel.stages[s].contract);
    let Some(stage) = contracts.max_by_key(|&s| (kernel.stages[s].points(), s)) else {
        return axes;
    };
    let bytes = touched_bytes(kernel);
    let reads = &kernel.stages[stage].reads;
    let Some(big) = reads.iter().max_by_key(|r| bytes[r.operand]) else {
        return axes;
    };
    let depends = |axis: &Axis| axis.iters[stage].is_some_and(|i| big.uses(i));
    let (first, last): (Vec<_>, Vec<_>) = axes.into_iter().partition(depends);
    first.into_iter().chain(last).collect()
}

/// What tiles along an axis are multiples of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Granule {
    /// For whole register tiles.
    wanted: i64,
    /// For register tiles of one vector.
    narrow: i64,
    /// So that the kernel can be made at all.
    needed: i64,
}

fn granule(kernel: &Kernel, axis: &Axis, schedule: &Schedule, device: &Device) -> Granule {
    let mut needed = 1;
    let mut wanted = 1;
    let mut narrow = 1;
    for (s, iter) in axis.iters.iter().enumerate() {
        let Some(i) = *iter else { continue };
        let (stage, nest) = (&schedule.stages[s], &kernel.stages[s]);
        needed = nest.accesses().fold(needed, |n, a| lcm(n, divisor(a, i)));
        let inner = nest.writes.iter().any(|w| is_inner(w, i, nest.iters.len()));
        if inner && device.is_scratchpad() {
            needed = axis.extent;
        }
        if stage.vector == Some(i) {
            wanted = wanted.max(stage.lanes * stage.vectors);
            narrow = narrow.max(stage.lanes);
            let by_pages = || page_steps(nest, &kernel.slots, i, device.streamed_bytes());
            if !device.is_scratchpad() && stage.rows.is_none() && by_pages().is_some() {
                // Two pages or less, as much for every core, in whole vectors: the sums stay in the first cache.
                let cores = i64::from(device.cores);
                let parts = div_ceil(axis.extent * ELEMENT_BYTES, 2 * PAGE_BYTES);
                let part = div_ceil(axis.extent, div_ceil(parts, cores) * cores);
                narrow = div_ceil(part, stage.lanes) * stage.lanes;
                wanted = narrow;
            }
        }
        if let Some(jam) = stage.jam.filter(|j| j.iter == i) {
            wanted = wanted.max(jam.tile);
            narrow = narrow.max(jam.tile);
        }
        if stage.rows == Some(i) {
            wanted = wanted.max(stage.row_tile);
            narrow = narrow.max(stage.row_tile);
            let extents = nest.extents();
            let padded = nest
                .reads
                .iter()
                .any(|r| padded_along(r, &kernel.slots, i, &extents));
            // Border tiles are told apart at compile time, so such an axis stays whole.
            if padded && !device.is_scratchpad() {
                needed = axis.extent;
            }
        }
    }
    // The last block of a scratchpad device starts earlier, so that it ends with the axis: it is
    // aligned only when the axis is.
    if device.is_scratchpad() && axis.extent % needed != 0 {
        needed = axis.extent;
    }
    let needed = needed.min(axis.extent);
    let fitted = |g: i64| (needed.max(g / needed * needed)).min(axis.extent);
    Granule {
        wanted: fitted(wanted),
        narrow: fitted(narrow),
        needed,
    }
}

/// Blocks of one granule each.
fn count(axes: &[Axis], granules: &[i64]) -> i64 {
    let along = |(axis, &granule): (&Axis, &i64)| (axis.extent + granule - 1) / granule;
    axes.iter().zip(granules).map(along).product()
}

/// Chooses the tiles of all axes, and the reduction tiles of the stages where they are needed: the
/// biggest that fit. Returns how they shrink further.
///
/// # Errors
/// When even the smallest tile does not fit the device's on-chip spaces.
pub(crate) fn choose_tiles(
    kernel: &Kernel,
    axes: &[Axis],
    schedule: &mut Schedule,
    work_ns: f64,
    device: &Device,
) -> Result<Shrinking, Refusal> {
    let granules = granules(kernel, axes, schedule, device);
    let cores = i64::from(device.cores);
    let wanted = ((work_ns / BLOCK_NS) as i64).clamp(1, BLOCKS_PER_CORE * cores);
    let uncut = |of: fn(&Granule) -> i64| without_halos(axes, granules.iter().map(of));
    let (whole, narrow) = (uncut(|g| g.wanted), uncut(|g| g.narrow));
    // Fewer vectors in a tile are better than idle cores.
    let busy = count(axes, &whole) >= wanted.min(cores);
    schedule.grid = split(axes, if busy { &whole } else { &narrow }, wanted, cores);
    let granules = axes.iter().zip(granules);
    let granules = granules.map(|(axis, g)| if axis.halo { Granule::whole(axis) } else { g });
    let granules: Vec<_> = granules.collect();
    let shrinking = Shrinking {
        wanted: granules.iter().map(|g| g.wanted).collect(),
        needed: granules.iter().map(|g| g.needed).collect(),
        chunks: device.is_scratchpad(),
    };
    let mut least: Option<Refusal> = None;
    loop {
        let refusal = match overfull(kernel, schedule, device) {
            Ok(None) => return Ok(shrinking),
            Ok(Some(refusal)) => refusal,
            // Smaller ones cannot be made: the space that greater ones lack is at fault.
            Err(unmade) => return Err(least.unwrap_or(unmade)),
        };
        // The tiles that miss by the least say what is needed.
        let closest = least.as_ref().filter(|l| l.excess() < refusal.excess());
        if closest.is_none() {
            least = Some(refusal);
        }
        if !shrinking.step(kernel, schedule) {
            return least.map_or(Ok(shrinking), Err);
        }
    }
}

/// How tiles become smaller, step by step, whatever the sizes of the on-chip spaces.
#[derive(Clone, Debug)]
pub(crate) struct Shrinking {
    wanted: Vec<i64>,
    needed: Vec<i64>,
    /// Whether operands are tiles in a scratchpad, which may come in chunks.
    chunks: bool,
}

impl Shrinking {
    /// Makes the tiles of a block smaller, if they can be.
    pub(crate) fn step(&self, kernel: &Kernel, schedule: &mut Schedule) -> bool {
        shrink_axis(&mut schedule.grid, &self.wanted)
            || (self.chunks && shrink_chunks(kernel, schedule, true))
            || shrink_axis(&mut schedule.grid, &self.needed)
            || (self.chunks && shrink_chunks(kernel, schedule, false))
    }
}

impl Granule {
    /// The axis is not cut.
    fn whole(axis: &Axis) -> Self {
        Self {
            wanted: axis.extent,
            narrow: axis.extent,
            needed: axis.extent,
        }
    }
}

fn granules(kernel: &Kernel, axes: &[Axis], schedule: &Schedule, device: &Device) -> Vec<Granule> {
    axes.iter()
        .map(|a| granule(kernel, a, schedule, device))
        .collect()
}

/// Granules with which axes that have a halo stay whole.
fn without_halos(axes: &[Axis], granules: impl Iterator<Item = i64>) -> Vec<i64> {
    let of = |(axis, granule): (&Axis, i64)| if axis.halo { axis.extent } else { granule };
    axes.iter().zip(granules).map(of).collect()
}

/// Numbers of blocks per core that are tried.
const TRIED_BLOCKS: [i64; 9] = [1, 2, 3, 4, 6, 8, 12, 16, 32];

/// Grids worth pricing: several numbers of blocks, tiles of whole register tiles or any, and each
/// axis with a halo cut or not.
pub(crate) fn alternatives(
    kernel: &Kernel,
    axes: &[Axis],
    schedule: &Schedule,
    device: &Device,
) -> Vec<Vec<GridAxis>> {
    let granules = granules(kernel, axes, schedule, device);
    let along_vector = |a: &Axis| {
        let mut stages = a.iters.iter().zip(&schedule.stages);
        stages.any(|(i, s)| i.is_some() && *i == s.vector)
    };
    let finest = axes
        .iter()
        .zip(&granules)
        .map(|(a, g)| match along_vector(a) {
            true => g.narrow,
            false => g.needed,
        });
    let finest: Vec<_> = finest.collect();
    let wanted: Vec<_> = granules.iter().map(|g| g.wanted).collect();
    let mut tried = Vec::new();
    for base in [&wanted, &finest] {
        tried.push(without_halos(axes, base.iter().copied()));
        for n in (0..axes.len()).filter(|&n| axes[n].halo) {
            let mut one = without_halos(axes, base.iter().copied());
            one[n] = finest[n];
            tried.push(one);
        }
    }
    let cores = i64::from(device.cores);
    // Blocks that fit the second level of the caches half filled, and the first, whole and half filled.
    let bytes: u64 = touched_bytes(kernel).iter().sum();
    let fitting = |level: usize, part: u64| {
        let level = device.space("gm")?.levels.get(level)?;
        let blocks = bytes.div_ceil((level.footprint_bytes / part).max(1));
        Some(blocks.div_ceil(u64::from(device.cores)).cast_signed())
    };
    let fitting = [fitting(1, 2), fitting(0, 1), fitting(0, 2)]
        .into_iter()
        .flatten();
    let fitting = fitting.filter(|n| *n > TRIED_BLOCKS[TRIED_BLOCKS.len() - 1]);
    let fitting: Vec<_> = fitting.collect();
    let mut out: Vec<Vec<GridAxis>> = Vec::new();
    for granules in tried {
        for per_core in TRIED_BLOCKS.iter().chain(&fitting) {
            let grid = split(axes, &granules, *per_core * cores, cores);
            if !out.contains(&grid) {
                out.push(grid);
            }
        }
    }
    out
}

/// Tiles that make about `wanted` blocks, cutting outer axes first, balanced over the cores.
fn split(axes: &[Axis], granules: &[i64], wanted: i64, cores: i64) -> Vec<GridAxis> {
    let mut needed = wanted;
    let cut = |(axis, &granule): (&Axis, &i64)| {
        let count = (axis.extent + granule - 1) / granule;
        let parts = if needed >= count {
            count
        } else {
            balanced(count, needed, cores)
        };
        let tile = ((count + parts - 1) / parts * granule).min(axis.extent);
        let parts = (axis.extent + tile - 1) / tile;
        needed = (needed + parts - 1) / parts;
        GridAxis {
            extent: axis.extent,
            tile,
            iters: axis.iters.clone(),
        }
    };
    axes.iter().zip(granules).map(cut).collect()
}

/// Number of parts near `wanted` that leaves the busiest core the least work.
fn balanced(count: i64, wanted: i64, cores: i64) -> i64 {
    if wanted <= 1 {
        return 1;
    }
    let busiest = |parts: i64| {
        let tile = (count + parts - 1) / parts;
        let parts = (count + tile - 1) / tile;
        ((parts + cores - 1) / cores * tile, (parts - wanted).abs())
    };
    (wanted.div_euclid(2).max(2)..=(2 * wanted).min(count))
        .min_by_key(|&parts| busiest(parts))
        .unwrap_or(wanted)
}

/// Halves the tile of the axis with the most granules per tile (the outermost of equals).
fn shrink_axis(grid: &mut [GridAxis], granules: &[i64]) -> bool {
    let count = |a: usize, grid: &[GridAxis]| (grid[a].tile + granules[a] - 1) / granules[a];
    let most = (0..grid.len()).rev().max_by_key(|&a| count(a, grid));
    let Some(axis) = most.filter(|&a| count(a, grid) > 1) else {
        return false;
    };
    let half = (count(axis, grid) + 1) / 2;
    grid[axis].tile = half * granules[axis];
    true
}

/// Takes the next smaller divisor for the outermost chunk that is more than one point, of the stage
/// that reads the most from device memory. Chunks shrink from the outermost iterator inwards, so that
/// the order of a reduction stays as it is. Where that is not enough, `only_reductions` may go: rows
/// of stages without a reduction, and reductions along which vectors lie, are cut last.
fn shrink_chunks(kernel: &Kernel, schedule: &mut Schedule, only_reductions: bool) -> bool {
    let reads = |s: usize| {
        let slots = kernel.stages[s].reads.iter();
        let slots = slots.map(|r| &kernel.slots[r.operand]);
        slots
            .filter(|x| x.role != Role::Temporary)
            .map(|x| x.ty.bytes())
            .sum::<i64>()
    };
    let mut order: Vec<_> = (0..kernel.stages.len()).collect();
    order.sort_by_key(|&s| (-reads(s), s));
    order.into_iter().any(|s| {
        let (nest, stage) = (&kernel.stages[s], &mut schedule.stages[s]);
        let across = stage
            .vector
            .is_some_and(|v| nest.iters[v].kind == IterKind::Reduction);
        if only_reductions && (across || nest.combines.is_empty()) {
            return false;
        }
        let iters = onchip::chunked(nest, s, &schedule.grid);
        if stage.reduction_tile.is_empty() {
            stage.reduction_tile = iters.iter().map(|&i| nest.iters[i].extent).collect();
        }
        let follows = |i: usize| {
            let of_temporary = |a: &&Access| kernel.slots[a.operand].role == Role::Temporary;
            let mut accesses = nest.accesses().filter(of_temporary);
            accesses.any(|a| a.uses(i))
        };
        let mut chunks = stage.reduction_tile.iter_mut().zip(iters);
        // What follows a temporary is on chip whole.
        let Some((outer, _)) = chunks.find(|(t, i)| **t > 1 && !follows(*i)) else {
            return false;
        };
        *outer = (1..*outer).rev().find(|d| *outer % d == 0).unwrap_or(1);
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_parts() {
        assert_eq!(balanced(7, 1, 2), 1);
        assert_eq!(balanced(56, 16, 2), 14);
        assert_eq!(balanced(7, 4, 2), 4);
        for (count, wanted) in [(100, 16), (13, 5), (9, 8), (3, 2)] {
            let parts = balanced(count, wanted, 2);
            assert!(parts >= 1 && parts <= count);
        }
    }

    #[test]
    fn outer_axes_are_cut_first() {
        let axis = |extent| Axis {
            extent,
            iters: vec![None],
            halo: false,
        };
        let tiles = |wanted| -> Vec<i64> {
            let grid = split(&[axis(4), axis(56)], &[1, 14], wanted, 2);
            grid.iter().map(|a| a.tile).collect()
        };
        assert_eq!(tiles(1), [4, 56]);
        assert_eq!(tiles(4), [1, 56]);
        assert_eq!(tiles(16), [1, 14]);
    }
}
