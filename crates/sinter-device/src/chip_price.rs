//! The price of a kernel on a scratchpad device: its steps over tiles are counted by engine; engines
//! run beside each other, the first load and the last store do not.

use std::collections::BTreeMap;

use sinter_loops::kernel::{Kernel, Schedule};
use sinter_loops::nest::Nest;
use sinter_loops::onchip::{OnChip, Space, Step, Tile};
use sinter_loops::types::ElementType;

use crate::body;
use crate::device::Device;
use crate::footprint::on_chip;
use crate::host_price::{DeviceBytes, block_count, vector_time};
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
    let lowered = on_chip(kernel, schedule)?;
    let mut block = Block {
        lowered: &lowered,
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
    let launch = Time::from_ns(device.launch_ns) + Time::from_ns(device.block_ns * rounds);
    let chip = Space::ALL.into_iter().filter(|&s| s != Space::Workspace);
    Ok(Price {
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
    })
}

/// Engine times of one block.
struct Block<'a> {
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
                Step::Fill { tile, .. } => {
                    let tile = &self.lowered.tiles[*tile];
                    let vectors = tile.ty.bytes() as f64 / self.device.vector_bytes() as f64;
                    self.vector(vectors, times);
                }
                Step::Load { tile, .. } => {
                    let time = self.transfer("gm", &self.lowered.tiles[*tile], true, times);
                    self.fill.get_or_insert(time);
                }
                Step::Store { tile, .. } => {
                    self.drain = self.transfer("gm", &self.lowered.tiles[*tile], false, times);
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
                Step::MultiplyAccumulate(nest) => self.matrix(nest, times),
                Step::Chunks { axes, body } => {
                    let chunks: i64 = axes.iter().map(|a| a.extent / a.chunk).product();
                    self.steps(body, times * chunks.unsigned_abs());
                }
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

    fn matrix(&mut self, nest: &Nest, times: u64) {
        let Some(unit) = &self.device.matrix else {
            return;
        };
        let half = nest
            .finish
            .args
            .iter()
            .all(|a| matches!(a, ElementType::F16 | ElementType::Bf16));
        let gflops = if half {
            unit.f16_gflops
        } else {
            unit.f32_gflops
        };
        // Steps have a fixed size, so small tiles waste most of each.
        let step = unit.m * unit.n * unit.k;
        let points = (nest.points() + step - 1) / step * step;
        let engine = unit.engine.clone();
        self.add(
            &engine,
            Time::of_operations(2.0 * points as f64, gflops),
            times,
        );
    }

    /// A transfer between `other` and the tile's space (into the tile when `inward`); returns its time.
    fn transfer(&mut self, other: &str, tile: &Tile, inward: bool, times: u64) -> Time {
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
        let time = Time::of_bytes(rounded + self.device.transfer_half_bytes, gbps);
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
