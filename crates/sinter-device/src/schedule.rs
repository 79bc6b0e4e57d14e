//! The schedule of a placed kernel on a device, and what the kernel costs with it.
//!
//! Register tiles are chosen stage by stage. The grid of a single stage follows from its register
//! tile and its work; with several stages, whose tiles want different things and whose blocks may
//! overlap, a few dozen grids are priced and the cheapest is taken.

use std::borrow::Cow;

use sinter_loops::kernel::{GridAxis, Kernel, Schedule, StageSchedule};
use sinter_loops::nest::{IterKind, Nest};
use sinter_loops::place_stages::{SharedAxis, shared_axes, tile_axes};
use sinter_loops::selection;

use crate::chip_price;
use crate::device::Device;
use crate::footprint::{block_tiles, on_chip, over_spaces, overfull};
use crate::grid::{self, Axis, Shrinking};
use crate::host_price::{self, vector_time};
use crate::price::{Price, Time};
use crate::refusal::Refusal;
use crate::registers::Stage;

/// The schedule that a kernel gets on a device, and its price with that schedule. The kernel has had
/// its layouts applied, its stages placed and its iterators coalesced.
///
/// # Errors
/// When no tile fits the on-chip space, or the stages share no iterators.
pub fn schedule(kernel: &Kernel, device: &Device) -> Result<(Schedule, Price), Refusal> {
    if kernel.stages.is_empty() || kernel.stages.iter().any(|n| n.points() == 0) {
        return Err(Refusal::Empty);
    }
    // What is selected by index may be anywhere: no axis runs along it.
    let axes = grid::ordered(kernel, axes(kernel, device)?);
    let kernel = &*selected_alone(kernel, device);
    let chosen = scheduled(kernel, &axes, device, false);
    if chosen.is_err() && kernel.stages.len() > 1 && !device.is_scratchpad() {
        return scheduled(kernel, &axes, device, true).or(chosen);
    }
    chosen
}

/// The schedule along these axes. Border tiles are told apart at compile time, so that an axis of the grid
/// is whole where it carries rows of padded reads; with `cut` no axis does.
fn scheduled(
    kernel: &Kernel,
    axes: &[Axis],
    device: &Device,
    cut: bool,
) -> Result<(Schedule, Price), Refusal> {
    let mut schedule = Schedule {
        grid: Vec::new(),
        stages: Vec::new(),
    };
    let mut costs = Vec::new();
    for (s, nest) in kernel.stages.iter().enumerate() {
        let mut stage = Stage::new(nest, &kernel.slots, device);
        if cut {
            stage = stage.with_cut(axes.iter().filter_map(|a| a.iters[s]).collect());
        }
        let choice = stage.best();
        let order = stage_order(nest, &choice.schedule);
        schedule.stages.push(StageSchedule {
            order,
            ..choice.schedule
        });
        costs.push(choice.cost);
    }
    let work: Time = costs.iter().map(|&c| vector_time(c, device)).sum();
    let chosen = grid::choose_tiles(kernel, axes, &mut schedule, work.ns(), device);
    if device.is_scratchpad() {
        return cheapest_tiles(kernel, schedule, &chosen?, device);
    }
    let priced = |schedule: Schedule| (host_price(kernel, &schedule, device), schedule);
    let mut best = chosen.map(|_| priced(schedule.clone()));
    if kernel.stages.len() > 1 {
        for grid in grid::alternatives(kernel, axes, &schedule, device) {
            let stages = within_blocks(kernel, &schedule, &grid, device);
            let schedule = Schedule { grid, stages };
            if overfull(kernel, &schedule, device)?.is_some() {
                continue;
            }
            let (price, schedule) = priced(schedule);
            if best.as_ref().map_or(true, |(b, _)| price.total < b.total) {
                best = Ok((price, schedule));
            }
        }
    }
    best.map(|(price, schedule)| (schedule, price))
}

/// The stages of a schedule with other register tiles where a block has fewer rows than the tile.
fn within_blocks(
    kernel: &Kernel,
    schedule: &Schedule,
    grid: &[GridAxis],
    device: &Device,
) -> Vec<StageSchedule> {
    let tiles = block_tiles(kernel, grid);
    let stages = kernel.stages.iter().zip(&schedule.stages).zip(tiles);
    let fitted = |((nest, chosen), tile): ((&Nest, &StageSchedule), Vec<i64>)| {
        let cut = chosen.rows.is_some_and(|r| tile[r] < chosen.row_tile);
        // What the grid cuts along rows of padded reads is a matter of the grid's granules.
        let along = chosen
            .vector
            .filter(|_| cut && nest.has_reduction() && !nest.contract);
        let stage = || Stage::new(nest, &kernel.slots, device).with_tile(tile);
        let Some(best) = along.and_then(|v| stage().best_along(v)) else {
            return chosen.clone();
        };
        let order = stage_order(nest, &best.schedule);
        StageSchedule {
            order,
            ..best.schedule
        }
    };
    stages.map(fitted).collect()
}

/// The kernel as the device runs it: where vector operands are registers, addresses come from registers
/// too, and what is selected by index is read alone.
fn selected_alone<'k>(kernel: &'k Kernel, device: &Device) -> Cow<'k, Kernel> {
    match device.is_scratchpad() {
        true => Cow::Borrowed(kernel),
        false => selection::consecutive(kernel),
    }
}

/// What a kernel costs with a schedule of the caller's. The schedule has a stage per stage of the kernel, and an
/// axis per iterator that the stages share.
///
/// # Errors
/// When a block's tiles do not fit the on-chip space.
pub fn price_of(kernel: &Kernel, schedule: &Schedule, device: &Device) -> Result<Price, Refusal> {
    let kernel = &*selected_alone(kernel, device);
    if let Some(refusal) = overfull(kernel, schedule, device)? {
        return Err(refusal);
    }
    if device.is_scratchpad() {
        return chip_price::price(kernel, schedule, device);
    }
    Ok(host_price(kernel, schedule, device))
}

/// The cheapest of the tiles that fit a scratchpad: of the biggest, and all that a smaller one would get.
/// So a smaller scratchpad does not make a kernel cheaper. Of equally cheap ones the biggest, which has the
/// fewest blocks and copies.
fn cheapest_tiles(
    kernel: &Kernel,
    mut schedule: Schedule,
    shrinking: &Shrinking,
    device: &Device,
) -> Result<(Schedule, Price), Refusal> {
    let price = chip_price::price(kernel, &schedule, device)?;
    let mut best = (schedule.clone(), price);
    while shrinking.step(kernel, &mut schedule) {
        // A smaller scratchpad has no tiles either where these are none.
        let Ok(lowered) = on_chip(kernel, &schedule, device) else {
            break;
        };
        if chip_price::least(&schedule, &lowered, device) >= best.1.total {
            break;
        }
        if over_spaces(&lowered, device).is_some() {
            continue;
        }
        let price = chip_price::of_steps(kernel, &schedule, &lowered, device);
        if price.total < best.1.total {
            best = (schedule.clone(), price);
        }
    }
    Ok(best)
}

fn host_price(kernel: &Kernel, schedule: &Schedule, device: &Device) -> Price {
    let work = total_work(kernel, schedule, device);
    host_price::price(kernel, schedule, work, device)
}

fn axes(kernel: &Kernel, device: &Device) -> Result<Vec<Axis>, Refusal> {
    let shared = match device.is_scratchpad() {
        true => tile_axes(kernel),
        false => shared_axes(kernel),
    };
    let shared = shared.map_err(|e| Refusal::Stages(e.to_string()))?;
    let axis = |a: SharedAxis| Axis {
        extent: a.extent,
        iters: a.iters,
        halo: a.halo,
    };
    Ok(shared.axes.into_iter().map(axis).collect())
}

/// Time of all blocks on one core, with what they compute again along axes that a stage lacks. The last block along an
/// axis may be smaller, and takes longer than its points say where they fill no register tile.
fn total_work(kernel: &Kernel, schedule: &Schedule, device: &Device) -> Time {
    let whole = block_costs(kernel, schedule, &schedule.grid, device);
    let mut blocks = vec![1.0; whole.len()];
    for (n, axis) in schedule.grid.iter().enumerate() {
        let last = axis.extent % axis.tile;
        if last == 0 || !along_tiles(axis, schedule) {
            let all = axis.extent as f64 / axis.tile as f64;
            blocks.iter_mut().for_each(|b| *b *= all);
            continue;
        }
        let mut grid = schedule.grid.clone();
        grid[n].tile = last;
        let costs = block_costs(kernel, schedule, &grid, device);
        for ((blocks, last), whole) in blocks.iter_mut().zip(costs).zip(&whole) {
            *blocks *= (axis.extent / axis.tile) as f64 + last / whole;
        }
    }
    let costs = whole.iter().zip(blocks);
    costs.map(|(c, b)| vector_time(c * b, device)).sum()
}

/// Whether register tiles of a stage lie along an axis.
fn along_tiles(axis: &GridAxis, schedule: &Schedule) -> bool {
    let mut stages = axis.iters.iter().zip(&schedule.stages);
    stages.any(|(i, s)| i.is_some_and(|i| s.vector == Some(i) || s.tiles_rows(i)))
}

/// Vector operations of each stage in one block.
fn block_costs(
    kernel: &Kernel,
    schedule: &Schedule,
    grid: &[GridAxis],
    device: &Device,
) -> Vec<f64> {
    let tiles = block_tiles(kernel, grid);
    let stages = kernel.stages.iter().zip(&schedule.stages).zip(tiles);
    let cost = |((nest, chosen), tile): ((&Nest, &StageSchedule), Vec<i64>)| {
        let stage = Stage::new(nest, &kernel.slots, device).with_tile(tile);
        stage.cost(chosen)
    };
    stages.map(cost).collect()
}

/// Order of a stage's iterators. Of a contraction with an operand that all vectors share, the
/// vector's tile loop stands outside the rows, so that its panel of weights stays in the caches;
/// otherwise it is the innermost parallel one.
fn stage_order(nest: &Nest, stage: &StageSchedule) -> Vec<usize> {
    let (Some(v), Some(rows)) = (stage.vector, stage.rows) else {
        return stage.order.clone();
    };
    let shared = nest.contract
        && nest.iters[v].kind == IterKind::Parallel
        && nest.reads.iter().any(|r| !r.uses(v));
    if !shared {
        return stage.order.clone();
    }
    let panel = |i: &usize| nest.reads.iter().any(|r| r.uses(v) && r.uses(*i));
    let others = nest.parallels().filter(|&i| i != v && i != rows);
    let (of_panel, rest): (Vec<_>, Vec<_>) = others.partition(panel);
    [
        of_panel,
        vec![v],
        rest,
        vec![rows],
        nest.reductions().collect(),
    ]
    .concat()
}
