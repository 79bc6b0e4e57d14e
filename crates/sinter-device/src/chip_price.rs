//! The price of a kernel on a scratchpad device: its steps over tiles are counted by engine; engines
//! run beside each other, the first load and the last store do not.

use std::collections::{BTreeMap, BTreeSet};

use sinter_loops::kernel::{Kernel, Schedule};
use sinter_loops::nest::Nest;
use sinter_loops::onchip::{
    Arrange, ChunkAxis, OnChip, Place, Space, Step, TRANSFER_RANK, Tile, box_dims, transfer_dims,
};
use sinter_loops::types::ElementType;

use crate::body;
use crate::device::Device;
use crate::footprint::on_chip;
use crate::host_price::{DeviceBytes, block_count, spreading_ns, vector_time};
use crate::price::{Price, Time};
use crate::refusal::Refusal;

/// The price of a kernel with a schedule.
///
/// # Errors
/// When the lowering cannot make the schedule's tiles.
pub(crate) fn price(
    kernel: &Kernel,
    schedule: &Schedule,
    device: &Device,
) -> Result<Price, Refusal> {
    let lowered = on_chip(kernel, schedule, device)?;
    Ok(of_steps(kernel, schedule, &lowered, device))
}

/// The price of a kernel of which the steps over tiles are known.
pub(crate) fn of_steps(
    kernel: &Kernel,
    schedule: &Schedule,
    lowered: &OnChip,
    device: &Device,
) -> Price {
    let mut block = Block {
        kernel,
        lowered,
        device,
        engines: BTreeMap::new(),
        fill: None,
        drain: Time::ZERO,
    };
    block.steps(&lowered.steps, 1);
    let blocks = block_count(&schedule.grid);
    let rounds = blocks.div_ceil(u64::from(device.cores)) as f64;
    let time = |engine: &str| {
        block
            .engines
            .get(engine)
            .copied()
            .unwrap_or_default()
            .scale(rounds)
    };
    let vector = time(&device.vector.engine);
    let matrix = device
        .matrix
        .as_ref()
        .map_or(Time::ZERO, |m| time(&m.engine));
    let transfers: Time = block
        .engines
        .keys()
        .map(|e| time(e))
        .max()
        .unwrap_or_default();
    let moved = DeviceBytes::of(kernel);
    let bytes = moved.all();
    let shared = device
        .level("gm", bytes)
        .map_or(Time::ZERO, |l| Time::of_bytes(bytes, l.gbps_all));
    let memory = transfers.max(shared);
    let fill_drain = block.fill.unwrap_or_default() + block.drain;
    let entry = device.block_ns * rounds;
    let launch = Time::from_ns(device.launch_ns + spreading_ns(blocks, device) + entry);
    let chip = Space::ALL.into_iter().filter(|&s| s != Space::Workspace);
    Price {
        total: launch + vector.max(matrix).max(memory) + fill_drain,
        launch,
        vector,
        matrix,
        memory,
        fill_drain,
        read_bytes: moved.read(),
        written_bytes: moved.outputs,
        chip_bytes: chip.map(|s| lowered.bytes_in(s).unsigned_abs()).sum(),
        blocks,
    }
}

/// What a kernel costs at least with these tiles and with all smaller ones: entering blocks, and starting the
/// transfers between its operands and the cores. Smaller tiles make no fewer of either.
pub(crate) fn least(schedule: &Schedule, lowered: &OnChip, device: &Device) -> Time {
    let blocks = block_count(&schedule.grid);
    let rounds = blocks.div_ceil(u64::from(device.cores)) as f64;
    let entry = device.block_ns * rounds;
    let launch = Time::from_ns(device.launch_ns + spreading_ns(blocks, device) + entry);
    let levels = device.space("gm").map_or(&[][..], |space| &space.levels);
    let fastest = levels.iter().map(|l| l.gbps).fold(0.0, f64::max);
    if fastest <= 0.0 {
        return launch;
    }
    let routes = device.routes.iter();
    let routes = routes.filter(|r| r.from == "gm" || r.to == "gm");
    let engines: BTreeSet<&str> = routes.map(|r| r.engine.as_str()).collect();
    let started = operand_transfers(&lowered.steps) / engines.len().max(1) as u64;
    let start = Time::of_bytes(device.transfer_half_bytes, fastest);
    launch + start.scale(started as f64).scale(rounds)
}

/// Transfers of a block between operands in device memory and its tiles.
fn operand_transfers(steps: &[Step]) -> u64 {
    let of = |step: &Step| match step {
        Step::Load { .. } | Step::Store { .. } => 1,
        Step::Arrange(arrange) => u64::from(matches!(arrange.to, Place::Slot(_))),
        Step::Chunks { axes, body } => trips(axes) * operand_transfers(body),
        _ => 0,
    };
    steps.iter().map(of).sum()
}

fn trips(axes: &[ChunkAxis]) -> u64 {
    let trips = axes.iter().map(|a| (a.extent / a.chunk).unsigned_abs());
    trips.product()
}

/// Engine times of one block.
struct Block<'a> {
    kernel: &'a Kernel,
    lowered: &'a OnChip,
    device: &'a Device,
    engines: BTreeMap<String, Time>,
    fill: Option<Time>,
    drain: Time,
}

impl Block<'_> {
    fn steps(&mut self, steps: &[Step], times: u64) {
        for step in steps {
            match step {
                Step::Fill { tile, .. } => self.fill(*tile, times),
                Step::Load { slot, tile, .. } => {
                    let time = self.boxed(*slot, *tile, true, times);
                    self.fill.get_or_insert(time);
                }
                Step::Store { tile, slot, .. } => {
                    self.drain = self.boxed(*slot, *tile, false, times);
                }
                Step::Move { from, to } => {
                    let (from, to) = (&self.lowered.tiles[*from], &self.lowered.tiles[*to]);
                    let source = if from.space == Space::Workspace {
                        "gm"
                    } else {
                        from.space.name()
                    };
                    match to.space {
                        Space::Workspace => self.transfer("gm", from, false, times),
                        _ => self.transfer(source, to, true, times),
                    };
                }
                Step::Compute(nest) => self.vector(vector_operations(nest, self.device), times),
                Step::Arrange(arrange) => self.arrange(arrange, times),
                Step::Positions { tile, .. } => self.fill(*tile, times),
                Step::Multiply {
                    left, accumulator, ..
                } => self.matrix(*left, *accumulator, times),
                Step::Chunks { axes, body } => self.steps(body, times * trips(axes)),
            }
        }
    }

    fn add(&mut self, engine: &str, time: Time, times: u64) {
        *self.engines.entry(engine.to_owned()).or_default() += time.scale(times as f64);
    }

    fn vector(&mut self, operations: f64, times: u64) {
        let engine = self.device.vector.engine.clone();
        self.add(&engine, vector_time(operations, self.device), times);
    }

    /// Writing a tile from nothing, on the engine that it belongs to.
    fn fill(&mut self, tile: usize, times: u64) {
        let tile = &self.lowered.tiles[tile];
        match (&self.device.matrix, tile.space) {
            (Some(unit), Space::L1 | Space::L0a | Space::L0b | Space::L0c) => {
                let engine = unit.engine.clone();
                let rate = self.device.level(tile.space.name(), 0).map(|l| l.gbps);
                let bytes = tile.ty.bytes().unsigned_abs();
                let time = Time::of_bytes(bytes, rate.unwrap_or(f64::INFINITY));
                self.add(&engine, time, times);
            }
            _ => {
                let vectors = tile.ty.bytes() as f64 / self.device.vector_bytes() as f64;
                self.vector(vectors, times);
            }
        }
    }

    fn arrange(&mut self, arrange: &Arrange, times: u64) {
        let lowered = self.lowered;
        let from = &lowered.tiles[arrange.from];
        match arrange.to {
            Place::Tile(to) => {
                self.transfer(from.space.name(), &lowered.tiles[to], true, times);
            }
            Place::Slot(_) => self.drain = self.transfer("gm", from, false, times),
        }
    }

    /// A step of the matrix unit. It works in steps of a fixed size, so small tiles waste most of each.
    fn matrix(&mut self, left: usize, accumulator: usize, times: u64) {
        let Some(unit) = &self.device.matrix else {
            return;
        };
        let [left, sums] = [left, accumulator].map(|tile| &self.lowered.tiles[tile].ty);
        let gflops = match left.element {
            ElementType::F16 | ElementType::Bf16 => unit.f16_gflops,
            _ => unit.f32_gflops,
        };
        let k = unit.step_depth(left.element);
        let whole = |extent: i64, step: i64| (extent + step - 1) / step * step;
        let rank = sums.rank();
        let batch: i64 = sums.shape[..rank - 2].iter().product();
        let rows = whole(sums.shape[rank - 2], unit.m);
        let columns = whole(sums.shape[rank - 1], unit.n);
        let depth = whole(left.shape[rank - 1], k);
        let operations = 2.0 * (batch * rows * columns * depth) as f64;
        let engine = unit.engine.clone();
        self.add(&engine, Time::of_operations(operations, gflops), times);
    }

    /// A transfer between a tile and a box of an operand in device memory; returns its time.
    fn boxed(&mut self, slot: usize, tile: usize, inward: bool, times: u64) -> Time {
        let tile = &self.lowered.tiles[tile];
        let operand = &self.kernel.slots[slot].ty.shape;
        let extents: Vec<_> = tile.ty.shape.iter().map(|&e| Some(e)).collect();
        let transfers = match extents.len() > TRANSFER_RANK {
            true => {
                let dims = transfer_dims(box_dims(&extents, &tile.ty.shape, operand));
                let looped = dims.looped.iter().filter_map(|d| d.extent);
                looped.product::<i64>().unsigned_abs()
            }
            false => 1,
        };
        self.transfers("gm", tile, inward, transfers, times)
    }

    /// A transfer between `other` and the tile's space (into the tile when `inward`); returns its time.
    fn transfer(&mut self, other: &str, tile: &Tile, inward: bool, times: u64) -> Time {
        self.transfers(other, tile, inward, 1, times)
    }

    /// A transfer in `parts`, each of which is started by itself.
    fn transfers(
        &mut self,
        other: &str,
        tile: &Tile,
        inward: bool,
        parts: u64,
        times: u64,
    ) -> Time {
        let (from, to) = if inward {
            (other, tile.space.name())
        } else {
            (tile.space.name(), other)
        };
        let Some(route) = self.device.route(from, to) else {
            return Time::ZERO;
        };
        let slow = if from == "gm" { from } else { to };
        let bytes = tile.ty.bytes().unsigned_abs();
        let gbps = self
            .device
            .level(slow, bytes)
            .map_or(f64::INFINITY, |l| l.gbps);
        let row = tile.ty.shape.last().copied().unwrap_or(1) * tile.ty.element.bytes() as i64;
        let block = self.device.transfer_block_bytes;
        let rows = bytes / row.unsigned_abs().max(1);
        let rounded = rows * row.unsigned_abs().next_multiple_of(block);
        let time = Time::of_bytes(rounded + parts * self.device.transfer_half_bytes, gbps);
        self.add(&route.engine.clone(), time, times);
        time
    }
}

/// Vector operations of a nest over tiles: every operand streams through the scratchpad.
fn vector_operations(nest: &Nest, device: &Device) -> f64 {
    let lanes = device.lanes(4) as f64;
    let body = if nest.contract {
        1.0
    } else {
        body::vector_operations(&nest.body, device)
    };
    let each = body + nest.combines.len() as f64;
    let finish = body::vector_operations(&nest.finish, device);
    nest.points() as f64 / lanes * each.max(1.0) + nest.parallel_points() as f64 / lanes * finish
}
