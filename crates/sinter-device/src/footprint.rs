//! On-chip bytes of one block.

use std::collections::BTreeMap;

use sinter_loops::kernel::{GridAxis, Kernel, Role, Schedule};
use sinter_loops::nest::Nest;
use sinter_loops::onchip::{self, OnChip, Space};
use sinter_loops::place_stages::{Region, regions};

use crate::access::box_elements;
use crate::device::Device;
use crate::refusal::{Need, Refusal};

/// The kernel as steps over tiles, on scratchpad devices.
///
/// # Errors
/// When the schedule's tiles are not ones that the lowering can make.
pub(crate) fn on_chip(
    kernel: &Kernel,
    schedule: &Schedule,
    device: &Device,
) -> Result<OnChip, Refusal> {
    let mut scheduled = kernel.clone();
    scheduled.schedule = Some(schedule.clone());
    onchip::lower(&scheduled, &device.machine()).map_err(|e| Refusal::Stages(e.to_string()))
}

/// The spaces that a block overfills, if any.
///
/// # Errors
/// As [`on_chip`].
pub(crate) fn overfull(
    kernel: &Kernel,
    schedule: &Schedule,
    device: &Device,
) -> Result<Option<Refusal>, Refusal> {
    if device.is_scratchpad() {
        return Ok(over_spaces(&on_chip(kernel, schedule, device)?, device));
    }
    let need = over(device, "ub", temporary_bytes(kernel, schedule));
    Ok(need.map(|need| Refusal::Footprint(vec![need])))
}

/// The spaces of a scratchpad device that the tiles of a block overfill, if any.
pub(crate) fn over_spaces(lowered: &OnChip, device: &Device) -> Option<Refusal> {
    let chip = Space::ALL.into_iter().filter(|&s| s != Space::Workspace);
    let needs: Vec<_> = chip
        .filter_map(|s| over(device, s.name(), lowered.bytes_in(s).unsigned_abs()))
        .collect();
    (!needs.is_empty()).then_some(Refusal::Footprint(needs))
}

fn over(device: &Device, space: &str, needed: u64) -> Option<Need> {
    let available = device.space_bytes(space);
    (needed > available).then(|| Need {
        space: space.into(),
        needed,
        available,
    })
}

/// For every stage, the points of each iterator that one block computes: the tile of a grid axis, with
/// the halo that later stages need.
pub(crate) fn block_tiles(kernel: &Kernel, grid: &[GridAxis]) -> Vec<Vec<i64>> {
    let mut tiles: Vec<Vec<i64>> = kernel.stages.iter().map(Nest::extents).collect();
    for axis in grid {
        let regions = regions(kernel, &axis.iters);
        for (stage, tile) in tiles.iter_mut().enumerate() {
            if let Some(i) = axis.iters.get(stage).copied().flatten() {
                let region = regions.as_ref().and_then(|r| r[stage]);
                let region = region.unwrap_or(Region::TILE);
                tile[i] = region.points(axis.tile, tile[i]);
            }
        }
    }
    tiles
}

/// Bytes of the temporaries of one block.
pub fn temporary_bytes(kernel: &Kernel, schedule: &Schedule) -> u64 {
    let mut by_slot: BTreeMap<usize, u64> = BTreeMap::new();
    let tiles = block_tiles(kernel, &schedule.grid);
    for (nest, tile) in kernel.stages.iter().zip(&tiles) {
        for write in &nest.writes {
            let slot = &kernel.slots[write.operand];
            if slot.role == Role::Temporary {
                let elements = box_elements(write, &kernel.slots, tile).unsigned_abs();
                let bytes = (elements * slot.ty.element.bytes() as u64).next_multiple_of(64);
                let entry = by_slot.entry(write.operand).or_default();
                *entry = (*entry).max(bytes);
            }
        }
    }
    by_slot.values().sum()
}

/// Bytes of temporaries that one block writes and reads, each box that an access covers once.
pub(crate) fn temporary_traffic(kernel: &Kernel, schedule: &Schedule) -> u64 {
    let tiles = block_tiles(kernel, &schedule.grid);
    let stages = kernel.stages.iter().zip(&tiles);
    let boxes = stages.flat_map(|(nest, tile)| {
        let accesses = nest.accesses();
        accesses
            .filter(|a| kernel.slots[a.operand].role == Role::Temporary)
            .map(move |a| {
                let bytes = kernel.slots[a.operand].ty.element.bytes() as u64;
                box_elements(a, &kernel.slots, tile).unsigned_abs() * bytes
            })
    });
    boxes.sum()
}
