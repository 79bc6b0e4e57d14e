//! One stage of a kernel, tiled: the boxes that it reads and writes, and the tiles that hold them.

use super::build::Builder;
use super::positions::read_positions;
use super::split::{Split, TiledIter, gcd, split};
use super::{ChunkAxis, OnChipError, Space, Step, TileId};
use crate::affine::Affine;
use crate::kernel::{GridAxis, Role};
use crate::nest::{Access, Iter, IterKind, Nest};
use crate::scalar::FloatBits;
use crate::types::ElementType;

/// One stage with its iterators tiled.
pub(super) struct Stage {
    pub(super) number: usize,
    /// Positions along tiled iterators are reads, numbered as slots after those of the kernel.
    pub(super) nest: Nest,
    pub(super) iters: Vec<TiledIter>,
    pub(super) chunks: Vec<ChunkAxis>,
}

/// The iterators that a stage may go through in chunks: its reductions; without any, the parallel ones
/// that no axis of the grid runs along.
pub fn chunked(nest: &Nest, stage: usize, grid: &[GridAxis]) -> Vec<usize> {
    let along_grid = |i: usize| {
        let mut iters = grid.iter().filter_map(|axis| *axis.iters.get(stage)?);
        iters.any(|along| along == i)
    };
    if nest.combines.is_empty() {
        nest.parallels().filter(|&i| !along_grid(i)).collect()
    } else {
        nest.reductions().collect()
    }
}

/// Whether a place depends on the block.
fn follows_block(builder: &Builder<'_>, start: &Affine) -> bool {
    (0..builder.grid.len()).any(|axis| start.uses(axis))
}

/// Whether a temporary, which is on chip whole, has a dimension that follows the iterator.
fn in_temporary(builder: &Builder<'_>, nest: &Nest, iter: usize) -> bool {
    let of_temporary = |access: &&Access| {
        let slot = builder.kernel.slots.get(access.operand);
        slot.is_some_and(|s| s.role == Role::Temporary)
    };
    let mut accesses = nest.accesses().filter(of_temporary);
    accesses.any(|access| access.index.iter().any(|e| e.uses(iter)))
}

/// A read or written box.
pub(super) struct Boxed {
    pub(super) start: Vec<Affine>,
    pub(super) local: Vec<Affine>,
    pub(super) shape: Vec<i64>,
    /// Where the box starts within a temporary, which is on chip from its first element on.
    low: Vec<i64>,
}

impl Boxed {
    /// Positions within a temporary.
    pub(super) fn within(&self) -> Vec<Affine> {
        let shift = |(index, &low): (&Affine, &i64)| match low {
            0 => index.clone(),
            low => index.clone() + Affine::Const(low),
        };
        self.local.iter().zip(&self.low).map(shift).collect()
    }
}

impl Stage {
    pub(super) fn new(builder: &Builder<'_>, number: usize, nest: &Nest, wanted: &[i64]) -> Self {
        let untiled = |i: &Iter| TiledIter {
            start: None,
            multiple: 0,
            points: i.extent,
        };
        let mut iters: Vec<_> = nest.iters.iter().map(untiled).collect();
        for (a, axis) in builder.grid.iter().enumerate() {
            if let Some(i) = axis.iters.get(number).copied().flatten()
                && axis.tile < axis.extent
            {
                let multiple = gcd(axis.tile, axis.extent);
                iters[i] = TiledIter {
                    start: Some(a),
                    multiple,
                    points: axis.tile,
                };
            }
        }
        let mut chunks = Vec::new();
        for (iter, wanted) in chunked(nest, number, builder.grid).into_iter().zip(wanted) {
            let extent = nest.iters[iter].extent;
            let chunk = largest_divisor(extent, *wanted);
            if chunk < extent && !in_temporary(builder, nest, iter) {
                iters[iter] = TiledIter {
                    start: Some(builder.grid.len() + chunks.len()),
                    multiple: chunk,
                    points: chunk,
                };
                chunks.push(ChunkAxis { extent, chunk });
            }
        }
        let mut nest = nest.clone();
        let tiled = |i: usize| iters[i].start.is_some();
        read_positions(&mut nest, &tiled, builder.kernel.slots.len());
        Self {
            number,
            nest,
            iters,
            chunks,
        }
    }

    pub(super) fn boxed(&self, access: &Access) -> Result<Boxed, OnChipError> {
        let error = OnChipError::Unaligned {
            stage: self.number,
            slot: access.operand,
        };
        let mut out = Boxed {
            start: Vec::new(),
            local: Vec::new(),
            shape: Vec::new(),
            low: Vec::new(),
        };
        for index in &access.index {
            let Split {
                start,
                local,
                extent,
                low,
            } = split(index, &self.iters).ok_or_else(|| error.clone())?;
            out.start.push(start);
            out.local.push(local);
            out.shape.push(extent);
            out.low.push(low);
        }
        Ok(out)
    }

    /// The domain within a tile.
    pub(super) fn local_iters(&self) -> Vec<Iter> {
        let tiled = self.nest.iters.iter().zip(&self.iters);
        tiled
            .map(|(iter, tile)| Iter {
                extent: tile.points,
                kind: iter.kind,
            })
            .collect()
    }

    fn needs_chunk(&self, boxed: &Boxed, builder: &Builder<'_>) -> bool {
        let first = builder.grid.len();
        boxed
            .start
            .iter()
            .any(|e| (0..self.chunks.len()).any(|c| e.uses(first + c)))
    }

    /// Makes an access to a slot one to a tile, with the steps that fill the tile. Equal boxes share
    /// a tile.
    pub(super) fn read(
        &self,
        builder: &mut Builder<'_>,
        access: &Access,
        space: Space,
        loads: &mut Loads,
    ) -> Result<Access, OnChipError> {
        let boxed = self.boxed(access)?;
        let slot = access.operand;
        if slot >= builder.kernel.slots.len() {
            return Ok(self.position(builder, slot, boxed, loads));
        }
        if builder.kernel.slots[slot].role == Role::Temporary {
            let unwritten = OnChipError::Unwritten {
                stage: self.number,
                slot,
            };
            let tile = *builder.temporaries.get(&slot).ok_or(unwritten)?;
            let held = builder.tiles[tile].ty.shape.iter();
            let all = &builder.kernel.slots[slot].ty.shape;
            let mut dims = boxed.start.iter().zip(held.zip(all));
            if dims.any(|(start, (held, all))| (held != all) != follows_block(builder, start)) {
                return Err(OnChipError::Moving {
                    stage: self.number,
                    slot,
                });
            }
            return Ok(Access {
                operand: tile,
                index: boxed.within(),
                pad: access.pad,
            });
        }
        let found = loads.made.iter().find(|l| {
            l.slot == slot
                && l.start == boxed.start
                && l.shape == boxed.shape
                && l.pad == access.pad
        });
        let tile = match found {
            Some(l) => l.tile,
            None => {
                let tile = builder.tile(space, builder.element(slot), boxed.shape.clone());
                let step = Step::Load {
                    slot,
                    tile,
                    start: boxed.start.clone(),
                    pad: access.pad,
                };
                if self.needs_chunk(&boxed, builder) {
                    builder.tiles[tile].double = builder.machine.double_buffer;
                    loads.chunked.push(step);
                } else {
                    loads.hoisted.push(step);
                }
                loads.made.push(Made {
                    slot,
                    start: boxed.start,
                    shape: boxed.shape,
                    pad: access.pad,
                    tile,
                });
                tile
            }
        };
        Ok(Access {
            operand: tile,
            index: boxed.local,
            pad: None,
        })
    }

    /// The tile that holds the positions along an iterator.
    fn position(
        &self,
        builder: &mut Builder<'_>,
        slot: usize,
        boxed: Boxed,
        loads: &mut Loads,
    ) -> Access {
        if let Some(found) = loads.made.iter().find(|l| l.slot == slot) {
            return Access::new(found.tile, boxed.local);
        }
        let tile = builder.tile(Space::Ub, ElementType::I64, boxed.shape.clone());
        let start = boxed.start[0].clone();
        let step = Step::Positions { tile, start };
        if self.needs_chunk(&boxed, builder) {
            loads.inside.push(step);
        } else {
            loads.hoisted.push(step);
        }
        loads.made.push(Made {
            slot,
            start: boxed.start,
            shape: boxed.shape,
            pad: None,
            tile,
        });
        Access::new(tile, boxed.local)
    }

    /// Makes the writes go to tiles, with the steps that store them.
    pub(super) fn writes(
        &self,
        builder: &mut Builder<'_>,
    ) -> Result<(Vec<Access>, Vec<Step>), OnChipError> {
        let (mut accesses, mut stores) = (Vec::new(), Vec::new());
        let points: i64 = self
            .local_iters()
            .iter()
            .filter(|i| i.kind == IterKind::Parallel)
            .map(|i| i.extent)
            .product();
        for write in &self.nest.writes {
            let slot = write.operand;
            let boxed = self.boxed(write)?;
            if builder.kernel.slots[slot].role == Role::Temporary {
                let operand = self.temporary(builder, slot, &boxed);
                accesses.push(Access {
                    operand,
                    index: boxed.within(),
                    pad: None,
                });
                continue;
            }
            if boxed.shape.iter().product::<i64>() != points {
                return Err(OnChipError::Gaps {
                    stage: self.number,
                    slot,
                });
            }
            let tile = builder.tile(Space::Ub, builder.element(slot), boxed.shape);
            stores.push(Step::Store {
                tile,
                slot,
                start: boxed.start,
            });
            accesses.push(Access {
                operand: tile,
                index: boxed.local,
                pad: None,
            });
        }
        Ok((accesses, stores))
    }

    /// The tile of a temporary, made by its first writer: as much of each dimension as a block has,
    /// all of it where the dimension does not follow a grid axis.
    fn temporary(&self, builder: &mut Builder<'_>, slot: usize, boxed: &Boxed) -> TileId {
        if let Some(&tile) = builder.temporaries.get(&slot) {
            return tile;
        }
        let ty = builder.kernel.slots[slot].ty.clone();
        let dims = boxed.start.iter().zip(&boxed.shape).zip(&ty.shape);
        let shape = dims.map(
            |((start, &part), &all)| match follows_block(builder, start) {
                true => part,
                false => all,
            },
        );
        let shape = shape.collect();
        let tile = builder.tile(Space::Ub, ty.element, shape);
        builder.temporaries.insert(slot, tile);
        tile
    }
}

/// Steps that fill the tiles of a stage.
#[derive(Default)]
pub(super) struct Loads {
    /// Once, before everything else.
    pub(super) hoisted: Vec<Step>,
    /// Transfers of each chunk.
    pub(super) chunked: Vec<Step>,
    /// What else is made anew for each chunk.
    pub(super) inside: Vec<Step>,
    made: Vec<Made>,
}

struct Made {
    slot: usize,
    start: Vec<Affine>,
    shape: Vec<i64>,
    pad: Option<FloatBits>,
    tile: TileId,
}

/// The largest divisor of an extent that is at most so much, at least 1.
fn largest_divisor(extent: i64, at_most: i64) -> i64 {
    let at_most = at_most.clamp(1, extent.max(1));
    (1..=at_most).rev().find(|d| extent % d == 0).unwrap_or(1)
}
