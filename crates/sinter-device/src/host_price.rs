//! The price of a kernel whose vector operands are registers: launch, then the busier of arithmetic
//! and memory, and the part of the other that is exposed.

use sinter_loops::kernel::{GridAxis, Kernel, Role, Schedule};
use sinter_loops::nest::Nest;
use sinter_loops::sharing::in_place;

use crate::access::touched_bytes;
use crate::device::{Device, Level};
use crate::footprint::{temporary_bytes, temporary_traffic};
use crate::price::{Price, Time};

/// Bytes of an element that an addition of two tensors names, by which `sinter calibrate` measures bandwidth.
const ADDITION_BYTES: f64 = 12.0;
/// Bytes of an element that it moves: two operands, and the result's line, read before it is written.
const ADDITION_TRAFFIC: f64 = 16.0;

/// Time of so many vector operations on one core.
pub(crate) fn vector_time(operations: f64, device: &Device) -> Time {
    let lanes = device.lanes(4) as f64;
    Time::of_operations(operations, device.vector.fma_gflops / 2.0 / lanes)
}

/// Number of blocks of a grid.
pub(crate) fn block_count(grid: &[GridAxis]) -> u64 {
    grid.iter()
        .map(|a| ((a.extent + a.tile - 1) / a.tile).max(1).unsigned_abs())
        .product()
}

/// Nanoseconds of spreading so many blocks over the cores, and of their arrival.
pub(crate) fn spreading_ns(blocks: u64, device: &Device) -> f64 {
    match blocks > 1 && device.cores > 1 {
        true => device.barrier_ns,
        false => 0.0,
    }
}

/// Most blocks whose sizes are added up one by one.
const MOST_BLOCKS: u64 = 4096;

/// The part of the points that the busiest core computes: each core runs a range of the blocks, and
/// the last tile of an axis may be smaller than the others.
fn busiest_share(grid: &[GridAxis], cores: u64) -> f64 {
    let blocks = block_count(grid);
    if blocks > MOST_BLOCKS {
        return blocks.div_ceil(cores) as f64 / blocks as f64;
    }
    // More cores than blocks are idle.
    let cores = cores.min(blocks);
    let points: Vec<f64> = (0..blocks).map(|b| block_points(grid, b)).collect();
    let ranges =
        (0..cores).map(|c| (blocks * c / cores) as usize..(blocks * (c + 1) / cores) as usize);
    let busiest = ranges
        .map(|r| points[r].iter().sum::<f64>())
        .fold(0.0, f64::max);
    busiest / points.iter().sum::<f64>().max(1.0)
}

/// Points of one block; the last axis runs fastest.
fn block_points(grid: &[GridAxis], block: u64) -> f64 {
    let mut rest = block.cast_signed();
    let along = |a: &GridAxis| {
        let count = ((a.extent + a.tile - 1) / a.tile).max(1);
        let start = rest % count * a.tile;
        rest /= count;
        a.tile.min(a.extent - start).max(1) as f64
    };
    grid.iter().rev().map(along).product()
}

/// Bytes that a kernel moves between device memory and the cores, each operand once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeviceBytes {
    pub(crate) inputs: u64,
    pub(crate) constants: u64,
    pub(crate) outputs: u64,
}

impl DeviceBytes {
    pub(crate) fn of(kernel: &Kernel) -> Self {
        Self::of_touched(kernel, &touched_bytes(kernel))
    }

    /// Of the bytes that are touched of each slot.
    fn of_touched(kernel: &Kernel, touched: &[u64]) -> Self {
        let mut out = Self::default();
        for (slot, &bytes) in kernel.slots.iter().zip(touched) {
            match slot.role {
                Role::Input => out.inputs += bytes,
                Role::Constant => out.constants += bytes,
                Role::Output => out.outputs += bytes,
                Role::Temporary => {}
            }
        }
        out
    }

    pub(crate) fn read(self) -> u64 {
        self.inputs + self.constants
    }

    pub(crate) fn all(self) -> u64 {
        self.read() + self.outputs
    }
}

/// Time to move bytes to or from a level when the busiest core moves `share` of them.
fn moved(bytes: u64, level: Level, share: f64) -> Time {
    Time::of_bytes(bytes, (level.gbps / share).min(level.gbps_all))
}

/// Time to move the bytes when the busiest core moves `share` of them. Activations come from the
/// cache level that holds them; constants were last used one run ago. `over` bytes of the outputs are stored
/// over inputs.
fn memory_time(bytes: DeviceBytes, over: u64, share: f64, device: &Device) -> Time {
    let at = |traffic: u64, footprint: u64| match device.level("gm", footprint) {
        Some(level) => {
            let time = moved(traffic, level, share);
            match footprint < device.streamed_bytes() {
                true => time.scale(ADDITION_BYTES / ADDITION_TRAFFIC),
                false => time,
            }
        }
        None => Time::ZERO,
    };
    let footprint = bytes.all() - over;
    // A line is read before it is written, but for one that was just read, or that is stored past the caches.
    let filled = match footprint < device.streamed_bytes() {
        true => bytes.outputs - over,
        false => 0,
    };
    let stale = footprint.max(device.constant_reuse_bytes);
    at(bytes.inputs + bytes.outputs + filled, footprint) + at(bytes.constants, stale)
}

/// Bytes that outputs store over inputs of the same elements, where the memory planner can give them one
/// buffer: where the inputs have no later reader. Of outputs that may lie over different inputs, each counts.
fn stored_over(kernel: &Kernel, touched: &[u64]) -> u64 {
    let outputs: Vec<usize> = kernel.slots_of(Role::Output).collect();
    let inputs = kernel.arguments().count();
    let mut over: Vec<usize> = in_place(kernel).into_iter().map(|(_, o)| o).collect();
    over.dedup();
    over.iter().map(|o| touched[outputs[o - inputs]]).sum()
}

/// Time to move the temporaries of all blocks when the busiest core moves `share` of them. What fits the
/// first level of the on-chip space is there at the speed that register tiles assume.
fn temporary_time(kernel: &Kernel, schedule: &Schedule, share: f64, device: &Device) -> Time {
    let footprint = temporary_bytes(kernel, schedule);
    let nearest = device.level("ub", 0).map(|l| l.footprint_bytes);
    match device.level("ub", footprint) {
        Some(level) if Some(level.footprint_bytes) != nearest => {
            let blocks = block_count(&schedule.grid);
            let bytes = temporary_traffic(kernel, schedule).saturating_mul(blocks);
            moved(bytes, level, share)
        }
        _ => Time::ZERO,
    }
}

/// Time to read again what several stages read: the first one brings a block's part of an operand into the
/// caches, from where the others have it. What fits the first level is there at the speed that register
/// tiles assume.
fn again_time(
    kernel: &Kernel,
    touched: &[u64],
    schedule: &Schedule,
    share: f64,
    device: &Device,
) -> Time {
    let again = |slot: usize| {
        let reads = |n: &&Nest| {
            n.reads
                .iter()
                .chain(&n.finish_reads)
                .any(|a| a.operand == slot)
        };
        let readers = kernel.stages.iter().filter(reads).count() as u64;
        touched[slot] * readers.saturating_sub(1)
    };
    let again: u64 = kernel.arguments().map(again).sum();
    let block = DeviceBytes::of_touched(kernel, touched).all() / block_count(&schedule.grid)
        + temporary_bytes(kernel, schedule);
    let nearest = device.level("gm", 0).map(|l| l.footprint_bytes);
    match device.level("gm", block) {
        Some(level) if again > 0 && Some(level.footprint_bytes) != nearest => {
            moved(again, level, share)
        }
        _ => Time::ZERO,
    }
}

/// Time to bring operands again that blocks go through several times, of which too much lies between two uses
/// for the second-level cache: weights of a product whose blocks are rows.
fn passes_time(
    kernel: &Kernel,
    touched: &[u64],
    schedule: &Schedule,
    share: f64,
    device: &Device,
) -> Time {
    let Some(gm) = device.space("gm").filter(|s| s.levels.len() > 2) else {
        return Time::ZERO;
    };
    let near = gm.levels[1].footprint_bytes / 2;
    let again = |slot: usize| {
        let (mut part, mut passes) = (touched[slot], 1);
        for axis in &schedule.grid {
            let count = block_count(std::slice::from_ref(axis));
            if depends(kernel, slot, axis) {
                part /= count;
            } else if part > near {
                passes *= count;
            }
        }
        touched[slot].saturating_mul(passes - 1)
    };
    let again: u64 = kernel.arguments().map(again).sum();
    match device.level("gm", DeviceBytes::of_touched(kernel, touched).all()) {
        Some(level) => moved(again, level, share),
        None => Time::ZERO,
    }
}

/// Whether blocks along an axis touch different parts of an operand.
fn depends(kernel: &Kernel, slot: usize, axis: &GridAxis) -> bool {
    let stages = kernel.stages.iter().zip(&axis.iters);
    let mut along = stages.filter_map(|(nest, iter)| Some((nest, (*iter)?)));
    along.any(|(nest, i)| nest.accesses().any(|a| a.operand == slot && a.uses(i)))
}

/// The price of a kernel with a schedule whose arithmetic takes `work` on one core.
pub(crate) fn price(kernel: &Kernel, schedule: &Schedule, work: Time, device: &Device) -> Price {
    let blocks = block_count(&schedule.grid);
    let cores = u64::from(device.cores);
    let share = busiest_share(&schedule.grid, cores);
    let vector = work.scale(share);
    let touched = touched_bytes(kernel);
    let bytes = DeviceBytes::of_touched(kernel, &touched);
    let memory = memory_time(bytes, stored_over(kernel, &touched), share, device)
        + temporary_time(kernel, schedule, share, device)
        + again_time(kernel, &touched, schedule, share, device)
        + passes_time(kernel, &touched, schedule, share, device);
    // What a single stage only streams is foreseen.
    let several = kernel.stages.len() > 1;
    let exposed = match several || kernel.stages.iter().any(|n| n.contract) {
        true => vector.min(memory).scale(device.vector.exposed),
        false => Time::ZERO,
    };
    let entry = device.block_ns * blocks.div_ceil(cores) as f64;
    let launch = Time::from_ns(device.launch_ns + spreading_ns(blocks, device) + entry);
    Price {
        total: launch + vector.max(memory) + exposed,
        launch,
        vector,
        matrix: Time::ZERO,
        memory,
        fill_drain: exposed,
        read_bytes: bytes.read(),
        written_bytes: bytes.outputs,
        chip_bytes: temporary_bytes(kernel, schedule),
        blocks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(extent: i64, tile: i64) -> GridAxis {
        GridAxis {
            extent,
            tile,
            iters: vec![None],
        }
    }

    #[test]
    fn the_busiest_core_has_the_whole_tiles() {
        assert_eq!(busiest_share(&[axis(8, 2)], 2), 0.5);
        assert_eq!(busiest_share(&[axis(8, 8)], 2), 1.0);
        assert_eq!(busiest_share(&[axis(8, 3)], u64::MAX), 3.0 / 8.0);
        // 48 + 48 + 32 channels by four rows: six blocks of 48 of twelve.
        assert_eq!(
            busiest_share(&[axis(128, 48), axis(28, 7)], 2),
            288.0 / 512.0
        );
        assert_eq!(busiest_share(&[axis(128, 32), axis(28, 7)], 2), 0.5);
    }
}
