//! From a scheduled kernel to steps over tiles.

use std::collections::BTreeMap;

use super::split::{Split, TiledIter, gcd, split};
use super::{ChunkAxis, OnChip, Space, Step, Tile, TileId};
use crate::affine::Affine;
use crate::kernel::{GridAxis, Kernel, Role};
use crate::nest::{Access, CombineFn, Iter, IterKind, Nest};
use crate::scalar::{BinaryFn, Body, Inst};
use crate::types::{ElementType, TensorType};

/// Why a scheduled kernel cannot run on chip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OnChipError {
    /// No schedule is attached.
    #[error("the kernel has no schedule")]
    Unscheduled,
    /// A tile that is not aligned with a quotient or remainder of an index.
    #[error("stage {stage} reads or writes slot {slot} at an index that its tile does not divide")]
    Unaligned {
        /// Stage.
        stage: usize,
        /// Slot.
        slot: usize,
    },
    /// A stage that writes only some elements of the box that it covers.
    #[error("stage {stage} leaves gaps in the box of slot {slot} that it writes")]
    Gaps {
        /// Stage.
        stage: usize,
        /// Slot.
        slot: usize,
    },
    /// A body that asks for the position along an iterator that is tiled.
    #[error("stage {stage} uses its position along iterator {iter}, which is tiled")]
    Position {
        /// Stage.
        stage: usize,
        /// Iterator.
        iter: usize,
    },
    /// A temporary that is read before any stage has written it.
    #[error("stage {stage} reads slot {slot} before it is written")]
    Unwritten {
        /// Stage.
        stage: usize,
        /// Slot.
        slot: usize,
    },
}

/// Lowers a scheduled kernel whose slots are physical.
///
/// # Errors
/// See [`OnChipError`]; the schedule is then not one for a scratchpad device.
pub fn lower(kernel: &Kernel) -> Result<OnChip, OnChipError> {
    let schedule = kernel.schedule.as_ref().ok_or(OnChipError::Unscheduled)?;
    let mut grid = schedule.grid.clone();
    for axis in &mut grid {
        axis.tile = axis.tile.clamp(1, axis.extent.max(1));
    }
    let mut builder = Builder {
        kernel,
        grid: &grid,
        tiles: Vec::new(),
        temporaries: BTreeMap::new(),
    };
    let (mut steps, mut matrix, mut vector) = (Vec::new(), false, false);
    for (s, nest) in kernel.stages.iter().enumerate() {
        let chunks = schedule
            .stages
            .get(s)
            .map_or(&[][..], |p| &p.reduction_tile);
        let stage = Stage::new(&builder, s, nest, chunks);
        stage.check_positions()?;
        let on_matrix = stage.is_matrix();
        matrix |= on_matrix;
        vector |= !on_matrix || !nest.finish.is_identity();
        steps.extend(if on_matrix {
            stage.matrix_steps(&mut builder)?
        } else {
            stage.vector_steps(&mut builder)?
        });
    }
    let tiles = builder.tiles;
    Ok(OnChip {
        grid,
        tiles,
        steps,
        matrix,
        vector,
    })
}

struct Builder<'k> {
    kernel: &'k Kernel,
    grid: &'k [GridAxis],
    tiles: Vec<Tile>,
    temporaries: BTreeMap<usize, TileId>,
}

impl Builder<'_> {
    fn tile(&mut self, space: Space, element: ElementType, shape: Vec<i64>) -> TileId {
        self.tiles.push(Tile {
            space,
            ty: TensorType::new(element, shape),
            double: false,
        });
        self.tiles.len() - 1
    }

    fn element(&self, slot: usize) -> ElementType {
        self.kernel.slots[slot].ty.element
    }
}

/// One stage with its iterators tiled.
struct Stage<'k> {
    number: usize,
    nest: &'k Nest,
    iters: Vec<TiledIter>,
    chunks: Vec<ChunkAxis>,
}

/// A read or written box.
struct Boxed {
    start: Vec<Affine>,
    local: Vec<Affine>,
    shape: Vec<i64>,
    /// Where the box starts within a temporary, which is on chip from its first element on.
    low: Vec<i64>,
}

impl Boxed {
    /// Positions within a temporary.
    fn within(&self) -> Vec<Affine> {
        let shift = |(index, &low): (&Affine, &i64)| match low {
            0 => index.clone(),
            low => index.clone() + Affine::Const(low),
        };
        self.local.iter().zip(&self.low).map(shift).collect()
    }
}

impl<'k> Stage<'k> {
    fn new(builder: &Builder<'k>, number: usize, nest: &'k Nest, wanted: &[i64]) -> Self {
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
        let reductions =
            (0..nest.iters.len()).filter(|&i| nest.iters[i].kind == IterKind::Reduction);
        for (r, i) in reductions.enumerate() {
            let extent = nest.iters[i].extent;
            // A temporary is on chip whole.
            let whole = nest.reads.iter().any(|read| {
                builder.kernel.slots[read.operand].role == Role::Temporary
                    && read.index.iter().any(|e| e.uses(i))
            });
            let wanted = if whole {
                extent
            } else {
                wanted.get(r).copied().unwrap_or(extent)
            };
            let chunk = largest_divisor(extent, wanted);
            if chunk < extent {
                let start = Some(builder.grid.len() + chunks.len());
                iters[i] = TiledIter {
                    start,
                    multiple: chunk,
                    points: chunk,
                };
                chunks.push(ChunkAxis { extent, chunk });
            }
        }
        Self {
            number,
            nest,
            iters,
            chunks,
        }
    }

    /// Each operand has an iterator of its own, and no two points of a tile share a result but
    /// through the reduction.
    fn is_matrix(&self) -> bool {
        // Factors that are computed on the way are the vector unit's work.
        if !self.nest.contract || self.nest.reads.len() != 2 || self.nest.body.insts.len() != 1 {
            return false;
        }
        let uses = |read: usize, i: usize| self.nest.reads[read].index.iter().any(|e| e.uses(i));
        let (mut rows, mut columns, mut both) = (false, false, false);
        for (i, iter) in self.nest.iters.iter().enumerate() {
            if iter.kind == IterKind::Parallel && self.iters[i].points > 1 {
                match (uses(0, i), uses(1, i)) {
                    (true, true) => both = true,
                    (true, false) => rows = true,
                    (false, true) => columns = true,
                    (false, false) => {}
                }
            }
        }
        (rows && columns) || ((rows || columns) && !both)
    }

    fn check_positions(&self) -> Result<(), OnChipError> {
        for inst in self.nest.body.insts.iter().chain(&self.nest.finish.insts) {
            match *inst {
                Inst::Index(iter) if self.iters[iter].start.is_some() => {
                    return Err(OnChipError::Position {
                        stage: self.number,
                        iter,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn boxed(&self, access: &Access) -> Result<Boxed, OnChipError> {
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
    fn local_iters(&self) -> Vec<Iter> {
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
    fn read(
        &self,
        builder: &mut Builder<'_>,
        access: &Access,
        space: Space,
        loads: &mut Loads,
    ) -> Result<Access, OnChipError> {
        let boxed = self.boxed(access)?;
        let slot = access.operand;
        if builder.kernel.slots[slot].role == Role::Temporary {
            let unwritten = OnChipError::Unwritten {
                stage: self.number,
                slot,
            };
            let tile = *builder.temporaries.get(&slot).ok_or(unwritten)?;
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
                    builder.tiles[tile].double = true;
                    loads.chunked.push(step);
                } else {
                    loads.hoisted.push(step);
                }
                let (start, shape, pad) = (boxed.start, boxed.shape, access.pad);
                loads.made.push(Made {
                    slot,
                    start,
                    shape,
                    pad,
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

    /// Makes the writes go to tiles, with the steps that store them.
    fn writes(&self, builder: &mut Builder<'_>) -> Result<(Vec<Access>, Vec<Step>), OnChipError> {
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
        let follows = |e: &Affine| (0..builder.grid.len()).any(|axis| e.uses(axis));
        let dims = boxed.start.iter().zip(&boxed.shape).zip(&ty.shape);
        let shape = dims.map(|((start, &part), &all)| if follows(start) { part } else { all });
        let shape = shape.collect();
        let tile = builder.tile(Space::Ub, ty.element, shape);
        builder.temporaries.insert(slot, tile);
        tile
    }

    fn vector_steps(&self, builder: &mut Builder<'_>) -> Result<Vec<Step>, OnChipError> {
        if self.nest.combines.is_empty() || self.chunks.is_empty() {
            let mut loads = Loads::default();
            let mut nest = self.nest.clone();
            nest.iters = self.local_iters();
            for read in nest.reads.iter_mut().chain(&mut nest.finish_reads) {
                *read = self.read(builder, read, Space::Ub, &mut loads)?;
            }
            let (writes, stores) = self.writes(builder)?;
            nest.writes = writes;
            let mut steps = loads.hoisted;
            steps.push(Step::Compute(nest));
            steps.extend(stores);
            return Ok(steps);
        }
        let accumulators = self.accumulators(builder, Space::Ub);
        let mut steps: Vec<_> = accumulators
            .iter()
            .zip(&self.nest.combines)
            .map(|(a, c)| Step::Fill {
                tile: a.operand,
                value: c.init,
            })
            .collect();
        let mut loads = Loads::default();
        let partials = self.accumulators(builder, Space::Ub);
        let mut chunk = self.nest.clone();
        chunk.iters = self.local_iters();
        for read in &mut chunk.reads {
            *read = self.read(builder, read, Space::Ub, &mut loads)?;
        }
        chunk.finish_reads.clear();
        chunk.finish = Body::identity(&chunk.finish.args[..chunk.combines.len()]);
        chunk.writes.clone_from(&partials);
        let mut body = loads.chunked;
        body.push(Step::Compute(chunk));
        body.push(Step::Compute(self.add_partials(&accumulators, &partials)));
        steps.extend(loads.hoisted);
        steps.push(Step::Chunks {
            axes: self.chunks.clone(),
            body,
        });
        steps.extend(self.finish_steps(builder, &accumulators)?);
        Ok(steps)
    }

    fn matrix_steps(&self, builder: &mut Builder<'_>) -> Result<Vec<Step>, OnChipError> {
        let accumulator = self.accumulators(builder, Space::L0c).remove(0);
        let init = self.nest.combines[0].init;
        let mut steps = vec![Step::Fill {
            tile: accumulator.operand,
            value: init,
        }];
        let mut nest = self.nest.clone();
        nest.iters = self.local_iters();
        let (mut loads, mut moves) = (Loads::default(), Vec::new());
        for (read, space) in nest.reads.iter_mut().zip([Space::L0a, Space::L0b]) {
            *read = self.read(builder, read, Space::L1, &mut loads)?;
            let ty = builder.tiles[read.operand].ty.clone();
            if builder.tiles[read.operand].space == Space::Ub {
                // What the vector unit made reaches the matrix unit through device memory.
                for space in [Space::Workspace, Space::L1] {
                    let to = builder.tile(space, ty.element, ty.shape.clone());
                    loads.hoisted.push(Step::Move {
                        from: read.operand,
                        to,
                    });
                    read.operand = to;
                }
            }
            let near = builder.tile(space, ty.element, ty.shape);
            moves.push(Step::Move {
                from: read.operand,
                to: near,
            });
            read.operand = near;
        }
        nest.finish_reads.clear();
        nest.finish = Body::identity(&nest.finish.args[..1]);
        nest.writes = vec![accumulator.clone()];
        steps.extend(loads.hoisted);
        let mut body = loads.chunked;
        body.extend(moves);
        body.push(Step::MultiplyAccumulate(nest));
        match self.chunks.is_empty() {
            true => steps.extend(body),
            false => steps.push(Step::Chunks {
                axes: self.chunks.clone(),
                body,
            }),
        }
        steps.extend(self.leave_matrix(builder, &accumulator)?);
        Ok(steps)
    }

    /// The accumulator goes straight to device memory when nothing is left to do with it, else
    /// through the workspace to the vector unit.
    fn leave_matrix(
        &self,
        builder: &mut Builder<'_>,
        accumulator: &Access,
    ) -> Result<Vec<Step>, OnChipError> {
        let write = &self.nest.writes[0];
        let boxed = self.boxed(write)?;
        let straight = self.nest.writes.len() == 1
            && self.nest.finish.is_identity()
            && builder.kernel.slots[write.operand].role == Role::Output
            && boxed.local == accumulator.index;
        let tile = accumulator.operand;
        if straight {
            return Ok(vec![Step::Store {
                tile,
                slot: write.operand,
                start: boxed.start,
            }]);
        }
        let ty = builder.tiles[tile].ty.clone();
        let workspace = builder.tile(Space::Workspace, ty.element, ty.shape.clone());
        let near = builder.tile(Space::Ub, ty.element, ty.shape);
        let mut steps = vec![
            Step::Move {
                from: tile,
                to: workspace,
            },
            Step::Move {
                from: workspace,
                to: near,
            },
        ];
        let accumulator = Access {
            operand: near,
            ..accumulator.clone()
        };
        steps.extend(self.finish_steps(builder, &[accumulator])?);
        Ok(steps)
    }

    /// One tile per accumulator, in the order of the dimensions that the first write has, so that a
    /// plain copy can store it.
    fn accumulators(&self, builder: &mut Builder<'_>, space: Space) -> Vec<Access> {
        let local = self.local_iters();
        let parallel: Vec<_> = (0..local.len())
            .filter(|&i| local[i].kind == IterKind::Parallel)
            .collect();
        let extents: Vec<_> = local.iter().map(|i| i.extent).collect();
        let plain = self.boxed(&self.nest.writes[0]).ok().filter(|b| {
            b.shape.iter().product::<i64>() == parallel.iter().map(|&i| extents[i]).product()
        });
        let (index, shape) = match plain {
            Some(b) => (b.local, b.shape),
            None => (
                parallel.iter().map(|&i| Affine::Iter(i)).collect(),
                parallel.iter().map(|&i| extents[i]).collect(),
            ),
        };
        let elements = &self.nest.finish.args[..self.nest.combines.len()];
        elements
            .iter()
            .map(|&element| {
                let operand = builder.tile(space, element, shape.clone());
                Access {
                    operand,
                    index: index.clone(),
                    pad: None,
                }
            })
            .collect()
    }

    /// `accumulator = combine(accumulator, partial)` for every accumulator.
    fn add_partials(&self, accumulators: &[Access], partials: &[Access]) -> Nest {
        let n = accumulators.len();
        let elements = &self.nest.finish.args[..n];
        let body = Body {
            args: elements.repeat(2),
            insts: Vec::new(),
            results: (0..2 * n).collect(),
        };
        let insts = self.nest.combines.iter().enumerate();
        let finish = Body {
            args: elements.repeat(2),
            insts: insts
                .map(|(k, c)| Inst::Binary(binary(c.function), k, n + k))
                .collect(),
            results: (2 * n..3 * n).collect(),
        };
        self.pointwise(
            body,
            [accumulators, partials].concat(),
            finish,
            accumulators.to_vec(),
        )
    }

    /// The finish of the nest over accumulator tiles.
    fn finish_steps(
        &self,
        builder: &mut Builder<'_>,
        accumulators: &[Access],
    ) -> Result<Vec<Step>, OnChipError> {
        let mut loads = Loads::default();
        let mut reads = accumulators.to_vec();
        for read in &self.nest.finish_reads {
            reads.push(self.read(builder, read, Space::Ub, &mut loads)?);
        }
        let (writes, stores) = self.writes(builder)?;
        let args = self.nest.finish.args.clone();
        let body = Body {
            results: (0..args.len()).collect(),
            args,
            insts: Vec::new(),
        };
        let nest = self.pointwise(body, reads, self.nest.finish.clone(), writes);
        let mut steps = loads.hoisted;
        steps.push(Step::Compute(nest));
        steps.extend(stores);
        Ok(steps)
    }

    /// A nest over the parallel iterators of a tile. Accesses name the stage's own iterators.
    fn pointwise(
        &self,
        body: Body,
        mut reads: Vec<Access>,
        finish: Body,
        mut writes: Vec<Access>,
    ) -> Nest {
        let local = self.local_iters();
        let parallel: Vec<_> = (0..local.len())
            .filter(|&i| local[i].kind == IterKind::Parallel)
            .collect();
        let number = |i: usize| parallel.iter().position(|&p| p == i).unwrap_or(0);
        for access in reads.iter_mut().chain(&mut writes) {
            access.index = access.index.iter().map(|e| e.renumber(&number)).collect();
        }
        Nest {
            iters: parallel.iter().map(|&i| local[i].clone()).collect(),
            reads,
            body,
            combines: Vec::new(),
            finish_reads: Vec::new(),
            finish,
            writes,
            contract: false,
            origins: self.nest.origins.clone(),
        }
    }
}

#[derive(Default)]
struct Loads {
    hoisted: Vec<Step>,
    chunked: Vec<Step>,
    made: Vec<Made>,
}

struct Made {
    slot: usize,
    start: Vec<Affine>,
    shape: Vec<i64>,
    pad: Option<crate::scalar::FloatBits>,
    tile: TileId,
}

fn binary(function: CombineFn) -> BinaryFn {
    match function {
        CombineFn::Add => BinaryFn::Add,
        CombineFn::Mul => BinaryFn::Mul,
        CombineFn::Max => BinaryFn::Max,
        CombineFn::Min => BinaryFn::Min,
    }
}

fn largest_divisor(extent: i64, at_most: i64) -> i64 {
    let at_most = at_most.clamp(1, extent.max(1));
    (1..=at_most).rev().find(|d| extent % d == 0).unwrap_or(1)
}
