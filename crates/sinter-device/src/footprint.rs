//! On-chip bytes of one block.

use std::collections::BTreeMap;

use sinter_loops::kernel::{GridAxis, Kernel, Role, Schedule};
use sinter_loops::nest::Nest;
use sinter_loops::onchip::{self, OnChip, Space};

use crate::access::box_elements;
use crate::device::Device;
use crate::refusal::Refusal;

/// The kernel as steps over tiles, on scratchpad devices.
///
/// # Errors
/// When the schedule's tiles are not ones that the lowering can make.
pub(crate) fn on_chip(kernel: &Kernel, schedule: &Schedule) -> Result<OnChip, Refusal> {
    let mut scheduled = kernel.clone();
    scheduled.schedule = Some(schedule.clone());
    onchip::lower(&scheduled).map_err(|e| Refusal::Stages(e.to_string()))
}

/// The first space that a block overfills, if any.
///
/// # Errors
/// As [`on_chip`].
pub(crate) fn overfull(
    kernel: &Kernel,
    schedule: &Schedule,
    device: &Device,
) -> Result<Option<Refusal>, Refusal> {
    let over = |space: &str, needed: u64| {
        let available = device.space_bytes(space);
        (needed > available).then(|| Refusal::Footprint {
            space: space.into(),
            needed,
            available,
        })
    };
    if !device.is_scratchpad() {
        return Ok(over("ub", temporary_bytes(kernel, schedule)));
    }
    let lowered = on_chip(kernel, schedule)?;
    let chip = Space::ALL.into_iter().filter(|&s| s != Space::Workspace);
    Ok(chip
        .filter_map(|s| over(s.name(), lowered.bytes_in(s).unsigned_abs()))
        .next())
}

/// Points of each iterator of a stage that one block computes.
pub(crate) fn block_tile(nest: &Nest, stage: usize, grid: &[GridAxis]) -> Vec<i64> {
    let mut tile = nest.extents();
    for axis in grid {
        if let Some(i) = axis.iters.get(stage).copied().flatten() {
            tile[i] = tile[i].min(axis.tile);
        }
    }
    tile
}

/// Bytes of the temporaries of one block.
pub fn temporary_bytes(kernel: &Kernel, schedule: &Schedule) -> u64 {
    let mut by_slot: BTreeMap<usize, u64> = BTreeMap::new();
    for (s, nest) in kernel.stages.iter().enumerate() {
        let tile = block_tile(nest, s, &schedule.grid);
        for write in &nest.writes {
            let slot = &kernel.slots[write.operand];
            if slot.role == Role::Temporary {
                let elements = box_elements(write, &kernel.slots, &tile).unsigned_abs();
                let bytes = (elements * slot.ty.element.bytes() as u64).next_multiple_of(64);
                let entry = by_slot.entry(write.operand).or_default();
                *entry = (*entry).max(bytes);
            }
        }
    }
    by_slot.values().sum()
}
