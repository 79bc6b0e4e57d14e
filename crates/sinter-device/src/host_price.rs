//! The price of a kernel whose vector operands are registers: launch, then the busier of arithmetic
//! and memory.

use sinter_loops::kernel::{GridAxis, Kernel, Role, Schedule};

use crate::access::touched_bytes;
use crate::device::Device;
use crate::footprint::temporary_bytes;
use crate::price::{Price, Time};

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

/// Bytes that a kernel reads from and writes to device memory, each operand once.
pub(crate) fn device_bytes(kernel: &Kernel) -> (u64, u64) {
    let (mut read, mut written) = (0, 0);
    for (slot, bytes) in kernel.slots.iter().zip(touched_bytes(kernel)) {
        match slot.role {
            Role::Input | Role::Constant => read += bytes,
            Role::Output => written += bytes,
            Role::Temporary => {}
        }
    }
    (read, written)
}

/// The price of a kernel with a schedule whose arithmetic takes `work` on one core.
pub(crate) fn price(kernel: &Kernel, schedule: &Schedule, work: Time, device: &Device) -> Price {
    let blocks = block_count(&schedule.grid);
    let cores = u64::from(device.cores);
    // The busiest core runs the most blocks.
    let share = blocks.div_ceil(cores) as f64 / blocks as f64;
    let vector = work.scale(share);
    let (read_bytes, written_bytes) = device_bytes(kernel);
    let bytes = read_bytes + written_bytes;
    let memory = match device.level("gm", bytes) {
        Some(level) => {
            let together = (level.gbps / share).min(level.gbps_all);
            Time::of_bytes(bytes, together)
        }
        None => Time::ZERO,
    };
    let launch = Time::from_ns(device.launch_ns)
        + Time::from_ns(device.block_ns * blocks.div_ceil(cores) as f64);
    Price {
        total: launch + vector.max(memory),
        launch,
        vector,
        matrix: Time::ZERO,
        memory,
        fill_drain: Time::ZERO,
        read_bytes,
        written_bytes,
        chip_bytes: temporary_bytes(kernel, schedule),
        blocks,
    }
}
