//! Register code for a scheduled kernel: `vector`, `scf`, `arith`, `math` and `memref` operations.
//!
//! Takes a [`Kernel`] whose layouts are applied and whose stages are placed, with a [`Schedule`];
//! leaves the body of one block: everything that the block's tile of the grid needs, stage after
//! stage. The same generator makes convolution, matrix products, pooling, reductions and pointwise
//! code; what differs is which operands move along the rows and along the vectors of the register
//! tile.
//!
//! | file | holds |
//! |---|---|
//! | `sym.rs` | index values: a sum of run-time terms with known ranges, plus a constant |
//! | `grid.rs` | the block's coordinates; variants of the body for the axes that need a static extent |
//! | `tile.rs` | how an extent is cut into register tiles |
//! | `stage.rs` | loops over parallel iterators, register tiles, borders |
//! | `reduce.rs` | the register tile: accumulators, loops over reduction iterators, finish |
//! | `clip.rs` | padding in reduction loops: bounds that keep reads inside |
//! | `dots.rs` | contractions of bytes and of `bf16` by dot products |
//! | `lanes.rs` | vectors along a reduction, and the combination of their lanes |
//! | `body.rs` | evaluation of scalar bodies at the points of a register tile |
//! | `scalar.rs` | one instruction, on scalars or vectors |
//! | `remainder.rs` | the exact remainder of floating-point numbers |
//! | `turn.rs` | reads across the vector, turned in registers |
//! | `access.rs` | loads and stores at a point: unit stride, strided, masked, guarded |
//! | `memory.rs` | prefetches and fences |
//! | `panels.rs` | weights that are asked for while those before them are multiplied |
//!
//! # Halos
//!
//! A stage whose result later stages read through a window computes a region wider than the block's
//! tile. At the ends of an axis the region is moved inside the domain, so that its size is static; its
//! temporary holds just the region, and accesses count from the region's first point. Reads beyond
//! the domain are padded reads like any other: their test is on the position in the whole domain.
//!
//! # Padding
//!
//! A padded read is split by what its out-of-range test depends on. Ranges of the index terms decide
//! statically wherever they can; tiles at the border of an axis are made static, and loops over
//! reduction iterators are clipped, so that the hot loops have no test left. A point whose padding
//! leaves the accumulators unchanged (`acc + 0 * w`) is left out. What remains is tested at run time,
//! by a mask or a select.

mod access;
mod body;
mod by_pages;
mod clip;
mod dots;
mod grid;
mod lanes;
mod memory;
mod panels;
mod reduce;
mod remainder;
mod scalar;
mod stage;
mod sym;
mod tile;
mod turn;

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::{Location, Operation};
use sinter_ir::emitter::{Emitter, Value, function};
use sinter_loops::dot_products::DotSupport;
use sinter_loops::kernel::{Kernel, Role, Schedule};
use sinter_loops::nest::{Access, IterKind};
use sinter_loops::place_stages::{Region, regions};
use sinter_loops::types::TensorType;

use access::SlotMemory;
use sym::Terms;

/// Why no code can be emitted for a kernel.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EmitError {
    /// The kernel was not scheduled.
    #[error("kernel {0} has no schedule")]
    NoSchedule(String),
    /// The schedule does not fit the kernel.
    #[error("kernel {kernel}, stage {stage}: {reason}")]
    Malformed {
        /// Kernel symbol.
        kernel: String,
        /// Stage number.
        stage: usize,
        /// What does not fit.
        reason: String,
    },
}

/// A kernel as a `func.func` of one block.
///
/// Arguments: the block's number, one memref per slot that is not a temporary, in slot order with
/// outputs last, then one memref per temporary: its tile in scratch memory.
pub struct HostFunction<'c> {
    /// The function.
    pub operation: Operation<'c>,
    /// Types of the temporaries' tiles, in slot order.
    pub temporaries: Vec<TensorType>,
    /// Number of blocks of the grid.
    pub blocks: u64,
}

/// What code is made for, as far as it shapes the code.
#[derive(Clone, Copy, Debug)]
pub struct HostTarget {
    /// Outputs of so many bytes and more go past the caches: whoever reads them would not find them there.
    pub streamed_bytes: u64,
    /// Which instructions there are that add a group of products to every 32-bit lane.
    pub dots: DotSupport,
}

impl HostTarget {
    /// Without any instruction that not every CPU has.
    pub fn plain(streamed_bytes: u64) -> Self {
        Self {
            streamed_bytes,
            dots: DotSupport::default(),
        }
    }
}

/// Emits a scheduled kernel as a function of one block.
///
/// # Errors
/// When the kernel has no schedule or the schedule does not fit it.
pub fn emit_function<'c>(
    context: &'c Context,
    location: Location<'c>,
    kernel: &Kernel,
    target: HostTarget,
) -> Result<HostFunction<'c>, EmitError> {
    let schedule = schedule_of(kernel)?;
    let order = argument_order(kernel);
    let temporaries = temporary_tiles(kernel, schedule);
    let types = {
        let module = melior::ir::Module::new(location);
        let emitter = Emitter::new(context, location, module.body());
        let mut types = vec![emitter.index_type()];
        for &slot in &order {
            let ty = tile_type(kernel, schedule, slot);
            types.push(emitter.memref_type(&ty.shape, emitter.storage_type(ty.element)));
        }
        types
    };
    let operation = function(
        context,
        location,
        &kernel.name,
        &types,
        &[],
        |emitter, arguments| {
            let mut slots = vec![None; kernel.slots.len()];
            for (n, &slot) in order.iter().enumerate() {
                slots[slot] = Some(arguments[n + 1]);
            }
            let slots: Vec<Value<'c>> = slots.into_iter().flatten().collect();
            emit_block(emitter, kernel, arguments[0], &slots, target)
        },
    )?;
    Ok(HostFunction {
        operation,
        temporaries,
        blocks: blocks(schedule),
    })
}

/// Emits the code of one block at the emitter's insertion point: `block` is the block's number
/// (`index`), `slots` one memref per slot of the kernel, 64-byte aligned; for temporaries the tile of
/// [`temporary_tiles`].
///
/// # Errors
/// When the kernel has no schedule or the schedule does not fit it.
pub fn emit_block<'c>(
    emitter: &mut Emitter<'c>,
    kernel: &Kernel,
    block: Value<'c>,
    slots: &[Value<'c>],
    target: HostTarget,
) -> Result<(), EmitError> {
    let HostTarget {
        streamed_bytes,
        mut dots,
    } = target;
    let schedule = schedule_of(kernel)?;
    dots.bytes &= !dots::sums_across_lanes(kernel, schedule);
    check(kernel, schedule)?;
    let slots = slots
        .iter()
        .enumerate()
        .map(|(n, &memref)| SlotMemory::new(emitter, kernel, schedule, n, memref, streamed_bytes))
        .collect();
    let mut generator = Generator {
        e: emitter,
        kernel,
        schedule,
        slots,
        terms: Terms::default(),
        regions: schedule
            .grid
            .iter()
            .map(|a| regions(kernel, &a.iters).unwrap_or_default())
            .collect(),
        halos: BTreeMap::new(),
        domain: Vec::new(),
        tiles: Vec::new(),
        scopes: Vec::new(),
        large_bytes: streamed_bytes,
        dots,
    };
    generator.kernel(block);
    Ok(())
}

/// Number of blocks of a schedule's grid.
pub fn blocks(schedule: &Schedule) -> u64 {
    schedule
        .grid
        .iter()
        .map(|axis| tile::ceil_div(axis.extent, axis.tile) as u64)
        .product()
}

/// Slots in the order of the kernel's arguments: inputs and constants, outputs, temporaries.
pub fn argument_order(kernel: &Kernel) -> Vec<usize> {
    let of = |wanted: &[Role]| {
        let found = kernel
            .slots
            .iter()
            .enumerate()
            .filter(|(_, s)| wanted.contains(&s.role));
        found.map(|(n, _)| n).collect::<Vec<_>>()
    };
    let mut order = of(&[Role::Input, Role::Constant]);
    order.extend(of(&[Role::Output]));
    order.extend(of(&[Role::Temporary]));
    order
}

/// Types of the temporaries' tiles, in slot order: dimensions that follow a grid axis shrink to what
/// one block computes.
pub fn temporary_tiles(kernel: &Kernel, schedule: &Schedule) -> Vec<TensorType> {
    let temporary = |n: &usize| kernel.slots[*n].role == Role::Temporary;
    (0..kernel.slots.len())
        .filter(temporary)
        .map(|n| tile_type(kernel, schedule, n))
        .collect()
}

fn tile_type(kernel: &Kernel, schedule: &Schedule, slot: usize) -> TensorType {
    let mut ty = kernel.slots[slot].ty.clone();
    for (dim, tile) in tile_dims(kernel, schedule, slot).into_iter().enumerate() {
        if let Some(tile) = tile {
            ty.shape[dim] = tile.points;
        }
    }
    ty
}

/// A dimension of a temporary of which a block holds only a part.
#[derive(Clone, Copy, Debug)]
struct TileDim {
    axis: usize,
    /// The stage that writes the temporary.
    writer: usize,
    points: i64,
    /// All accesses are plain iterators over the same part; otherwise an index counts from the
    /// writer's first point.
    alike: bool,
}

/// For each dimension of a temporary, the part that a block holds; `None` where that is all of it.
fn tile_dims(kernel: &Kernel, schedule: &Schedule, slot: usize) -> Vec<Option<TileDim>> {
    let rank = kernel.slots[slot].ty.rank();
    if kernel.slots[slot].role != Role::Temporary {
        return vec![None; rank];
    }
    let regions: Vec<_> = schedule
        .grid
        .iter()
        .map(|a| regions(kernel, &a.iters))
        .collect();
    (0..rank)
        .map(|dim| tile_dim(kernel, schedule, &regions, slot, dim))
        .collect()
}

fn tile_dim(
    kernel: &Kernel,
    schedule: &Schedule,
    regions: &[Option<Vec<Option<Region>>>],
    slot: usize,
    dim: usize,
) -> Option<TileDim> {
    let of_stage = |n: usize, access: &Access| {
        let iter = access.index[dim].is_plain_iter()?;
        let axis = schedule
            .grid
            .iter()
            .position(|g| g.iters[n] == Some(iter))?;
        let region = regions[axis].as_ref()?[n]?;
        Some((axis, region, kernel.stages[n].iters[iter].extent))
    };
    let writes = kernel.stages.iter().enumerate().flat_map(|(n, stage)| {
        let all = stage.writes.iter().filter(|w| w.operand == slot);
        all.map(move |w| (n, w))
    });
    let writes: Vec<_> = writes.collect();
    let &(writer, write) = writes.first()?;
    let part @ (axis, region, extent) = of_stage(writer, write)?;
    let alike = kernel.stages.iter().enumerate().all(|(n, stage)| {
        let mut all = stage.accesses().filter(|a| a.operand == slot);
        all.all(|a| a.pad.is_none() && of_stage(n, a) == Some(part))
    });
    (alike || writes.len() == 1).then(|| TileDim {
        axis,
        writer,
        points: region.points(schedule.grid[axis].tile, extent),
        alike,
    })
}

fn schedule_of(kernel: &Kernel) -> Result<&Schedule, EmitError> {
    kernel
        .schedule
        .as_ref()
        .ok_or_else(|| EmitError::NoSchedule(kernel.name.clone()))
}

/// Refuses schedules that the generator would misread.
fn check(kernel: &Kernel, schedule: &Schedule) -> Result<(), EmitError> {
    let fault = |stage: usize, reason: &str| {
        Err(EmitError::Malformed {
            kernel: kernel.name.clone(),
            stage,
            reason: reason.to_string(),
        })
    };
    if schedule.stages.len() != kernel.stages.len() {
        return fault(0, "the schedule has another number of stages");
    }
    for axis in &schedule.grid {
        if axis.tile < 1 || axis.iters.len() != kernel.stages.len() {
            return fault(0, "a grid axis has no tile or another number of stages");
        }
    }
    for (n, (nest, stage)) in kernel.stages.iter().zip(&schedule.stages).enumerate() {
        let count = nest.iters.len();
        let mut seen = stage.order.clone();
        seen.sort_unstable();
        if seen != (0..count).collect::<Vec<_>>() {
            return fault(n, "the order is not a permutation of the iterators");
        }
        let reduction = |&i: &usize| nest.iters[i].kind == IterKind::Reduction;
        let first = stage.order.iter().position(reduction).unwrap_or(count);
        if !stage.order[first..].iter().all(reduction) {
            return fault(n, "a parallel iterator comes after a reduction iterator");
        }
        if stage.rows.is_some_and(|r| r >= count || reduction(&r)) {
            return fault(n, "the rows are not along a parallel iterator");
        }
        let jam = stage.jam.map(|j| j.iter);
        if jam.is_some_and(|j| j >= count || reduction(&j) || stage.rows.is_none_or(|r| r == j)) {
            return fault(
                n,
                "the jammed iterator is not a second one beside that of the rows",
            );
        }
        if stage.vector.is_some() && stage.vector == jam {
            return fault(n, "the vector axis is also the jammed one");
        }
        if stage.vector.is_some() && (stage.vector == stage.rows || stage.lanes < 1) {
            return fault(n, "the vector axis is also the row axis, or has no lanes");
        }
        for axis in &schedule.grid {
            if axis.iters[n].is_some_and(|i| i >= count || reduction(&i)) {
                return fault(n, "a grid axis does not run along a parallel iterator");
            }
        }
    }
    for axis in &schedule.grid {
        let Some(regions) = regions(kernel, &axis.iters) else {
            return fault(0, "the stages have no tile of a grid axis in common");
        };
        for (n, stage) in kernel.stages.iter().enumerate() {
            let fits = |i: usize| stage.iters[i].extent == axis.extent;
            let tile = regions[n].is_none_or(|r| r == Region::TILE) && writes_output(kernel, n);
            if tile && axis.iters[n].is_some_and(|i| !fits(i)) {
                return fault(n, "a grid axis does not match its iterator");
            }
        }
    }
    Ok(())
}

fn writes_output(kernel: &Kernel, stage: usize) -> bool {
    let mut writes = kernel.stages[stage].writes.iter();
    writes.any(|w| kernel.slots[w.operand].role == Role::Output)
}

/// The state of the generator while it emits one block.
struct Generator<'e, 'c> {
    e: &'e mut Emitter<'c>,
    kernel: &'e Kernel,
    schedule: &'e Schedule,
    slots: Vec<SlotMemory<'c>>,
    terms: Terms<'c>,
    /// By axis and stage, the region that the stage computes.
    regions: Vec<Vec<Option<Region>>>,
    /// What stages compute along axes where it is not the tile, in the block being emitted.
    halos: BTreeMap<(usize, usize), grid::Span<'c>>,
    /// The block's tile of every axis, in the block being emitted.
    tiles: Vec<grid::Span<'c>>,
    /// Extents of the iterators of the stage being emitted.
    domain: Vec<i64>,
    /// Index values emitted so far, by scope: a value stays usable in nested regions.
    scopes: Vec<sym::Scope<'c>>,
    /// Operands of so many bytes are not held by the caches.
    large_bytes: u64,
    /// Contractions of bytes are made of dot products.
    dots: DotSupport,
}
