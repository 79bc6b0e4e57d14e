//! What a kernel computes on chip, slow and plain: the oracle of the lowering to steps over tiles.

use super::{Arrange, ChunkAxis, Machine, OnChip, OnChipError, Place, Side, Step, TileId, lower};
use crate::affine::Affine;
use crate::interp;
use crate::kernel::{Kernel, Role, Slot};
use crate::nest::Nest;
use crate::tensor::Tensor;
use crate::types::TensorType;

/// Runs a scheduled kernel block by block on the steps that a device gets: outputs from the kernel's
/// inputs and constants, in physical shape. Tiles start as NaN, so that what was never written shows.
///
/// # Errors
/// As [`lower`].
///
/// # Panics
/// When a step touches what is not there, which is a fault of the lowering.
pub fn run(
    kernel: &Kernel,
    machine: &Machine,
    inputs: &[Tensor],
) -> Result<Vec<Tensor>, OnChipError> {
    let chip = lower(kernel, machine)?;
    let mut inputs = inputs.iter();
    let fresh = |s: &Slot| match s.role {
        Role::Input | Role::Constant => inputs.next().expect("an input").to_f64s(),
        _ => vec![f64::NAN; s.ty.elements() as usize],
    };
    let slots = kernel.slots.iter().map(fresh).collect();
    let tiles = chip.tiles.iter();
    let tiles = tiles.map(|t| vec![f64::NAN; t.ty.elements() as usize]);
    let mut state = State {
        kernel,
        chip: &chip,
        slots,
        tiles: tiles.collect(),
    };
    for block in 0..chip.blocks() {
        state.steps(&chip.steps, &chip.starts(block));
    }
    let outputs = kernel.slots_of(Role::Output);
    let output = |s: usize| Tensor::from_f64s(kernel.slots[s].ty.clone(), &state.slots[s]);
    Ok(outputs.map(output).collect())
}

/// Device memory and tiles.
struct State<'k> {
    kernel: &'k Kernel,
    chip: &'k OnChip,
    slots: Vec<Vec<f64>>,
    tiles: Vec<Vec<f64>>,
}

impl State<'_> {
    fn steps(&mut self, steps: &[Step], starts: &[i64]) {
        for step in steps {
            match step {
                Step::Fill { tile, value } => self.tiles[*tile].fill(value.get()),
                Step::Load {
                    slot,
                    tile,
                    start,
                    pad,
                } => {
                    self.tiles[*tile].fill(pad.map_or(f64::NAN, |p| p.get()));
                    for (i, place) in self
                        .places(*slot, *tile, start, starts)
                        .into_iter()
                        .enumerate()
                    {
                        match place {
                            Some(p) => self.tiles[*tile][i] = self.slots[*slot][p],
                            None => assert!(pad.is_some(), "an unpadded box is inside"),
                        }
                    }
                }
                Step::Store { tile, slot, start } => {
                    let places = self.places(*slot, *tile, start, starts);
                    for (i, place) in places.into_iter().enumerate() {
                        let place = place.expect("a stored box is inside");
                        self.slots[*slot][place] = self.tiles[*tile][i];
                    }
                }
                Step::Move { from, to } => self.tiles[*to] = self.tiles[*from].clone(),
                Step::Arrange(arrange) => self.arrange(arrange, starts),
                Step::Positions { tile, start } => {
                    let first = start.eval(starts);
                    for (i, at) in self.tiles[*tile].iter_mut().enumerate() {
                        *at = (first + i as i64) as f64;
                    }
                }
                Step::Compute(nest) => self.nest(nest),
                Step::Multiply {
                    left,
                    right,
                    accumulator,
                    init,
                } => self.multiply([*left, *right, *accumulator], *init),
                Step::Chunks { axes, body } => self.chunks(axes, body, starts),
            }
        }
    }

    fn chunks(&mut self, axes: &[ChunkAxis], body: &[Step], starts: &[i64]) {
        let trips = |a: &ChunkAxis| a.extent / a.chunk;
        for trip in 0..axes.iter().map(trips).product() {
            let mut rest: i64 = trip;
            let mut inner = vec![0; axes.len()];
            for (at, axis) in inner.iter_mut().zip(axes).rev() {
                *at = rest % trips(axis) * axis.chunk;
                rest /= trips(axis);
            }
            self.steps(body, &[starts, &inner].concat());
        }
    }

    /// Position in the slot of every element of the tile; `None` outside.
    fn places(
        &self,
        slot: usize,
        tile: TileId,
        start: &[Affine],
        starts: &[i64],
    ) -> Vec<Option<usize>> {
        let (slot, tile) = (&self.kernel.slots[slot].ty, &self.chip.tiles[tile].ty);
        let corner: Vec<_> = start.iter().map(|e| e.eval(starts)).collect();
        let (strides, within) = (slot.strides(), tile.strides());
        let place = |i: i64| {
            let mut at = 0;
            for d in 0..tile.rank() {
                let p = corner[d] + i / within[d] % tile.shape[d];
                if !(0..slot.shape[d]).contains(&p) {
                    return None;
                }
                at += p * strides[d];
            }
            Some(at as usize)
        };
        (0..tile.elements()).map(place).collect()
    }

    fn arrange(&mut self, arrange: &Arrange, starts: &[i64]) {
        let from = self.chip.tiles[arrange.from].ty.clone();
        let to = match arrange.to {
            Place::Tile(tile) => self.chip.tiles[tile].ty.clone(),
            Place::Slot(slot) => self.kernel.slots[slot].ty.clone(),
        };
        let flat = |side: &Side, ty: &TensorType, point: &[i64]| {
            let at = side.start.iter().zip(&side.index).zip(&ty.shape);
            at.fold(0, |position, ((start, index), &extent)| {
                let here = start.eval(starts) + index.eval(point);
                assert!((0..extent).contains(&here), "a transfer stays inside");
                position * extent + here
            }) as usize
        };
        for number in 0..arrange.extents.iter().product::<i64>() {
            let mut rest = number;
            let mut point = vec![0; arrange.extents.len()];
            for (at, extent) in point.iter_mut().zip(&arrange.extents).rev() {
                (*at, rest) = (rest % extent, rest / extent);
            }
            let value = self.tiles[arrange.from][flat(&arrange.source, &from, &point)];
            let target = flat(&arrange.target, &to, &point);
            match arrange.to {
                Place::Tile(tile) => self.tiles[tile][target] = value,
                Place::Slot(slot) => self.slots[slot][target] = value,
            }
        }
    }

    fn multiply(&mut self, [left, right, accumulator]: [TileId; 3], init: bool) {
        let shape = |tile: TileId| self.chip.tiles[tile].ty.shape.clone();
        let (a, b, c) = (shape(left), shape(right), shape(accumulator));
        let [batch, last] = [c.len() - 2, c.len() - 1];
        assert_eq!(
            (&a[..batch], &b[..batch]),
            (&c[..batch], &c[..batch]),
            "batch"
        );
        assert_eq!(
            (a[batch], b[last], a[last]),
            (c[batch], c[last], b[batch]),
            "extents"
        );
        let [m, n, k] = [c[batch], c[last], a[last]].map(|e| e as usize);
        let batches = c[..batch].iter().product::<i64>() as usize;
        for at in 0..batches * m * n {
            let (s, i, j) = (at / (m * n), at / n % m, at % n);
            let mut sum = if init {
                0.0
            } else {
                self.tiles[accumulator][at] as f32
            };
            for l in 0..k {
                let x = self.tiles[left][(s * m + i) * k + l] as f32;
                let y = self.tiles[right][(s * k + l) * n + j] as f32;
                sum = x.mul_add(y, sum);
            }
            self.tiles[accumulator][at] = f64::from(sum);
        }
    }

    fn nest(&mut self, nest: &Nest) {
        let mut nest = nest.clone();
        let (mut slots, mut inputs) = (Vec::new(), Vec::new());
        let written: Vec<_> = nest.writes.iter().map(|w| w.operand).collect();
        for read in nest.reads.iter_mut().chain(&mut nest.finish_reads) {
            let ty = &self.chip.tiles[read.operand].ty;
            inputs.push(Tensor::from_f64s(ty.clone(), &self.tiles[read.operand]));
            slots.push(Slot::new(ty.clone(), Role::Input));
            read.operand = slots.len() - 1;
        }
        for write in &mut nest.writes {
            let ty = self.chip.tiles[write.operand].ty.clone();
            slots.push(Slot::new(ty, Role::Output));
            write.operand = slots.len() - 1;
        }
        let kernel = Kernel {
            name: "step".into(),
            slots,
            stages: vec![nest],
            schedule: None,
        };
        kernel.verify().expect("a step is a legal nest");
        for (tile, out) in written.into_iter().zip(interp::run(&kernel, &inputs)) {
            self.tiles[tile] = out.to_f64s();
        }
    }
}
