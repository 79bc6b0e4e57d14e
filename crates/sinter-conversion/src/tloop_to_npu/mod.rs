//! `convert-tloop-to-npu`: scheduled kernels to device kernels, launches to a program.
//!
//! Takes a module of scheduled `tloop.kernel`s and a `func.func @main` of `tloop.launch`es. Leaves a
//! `npu.kernel` for each kernel and a `npu.program`. On a device whose vector unit works from registers
//! a kernel is one compute region on device memory, with tiles for its temporaries; on a scratchpad
//! device it is copies, computing on tiles, and matrix steps. Refuses kernels without a schedule, and
//! functions with operations other than launches, constants and reshapes.

mod on_chip;
mod program;

use std::collections::BTreeMap;

use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::{FunctionType, MemRefType};
use melior::ir::{
    Attribute, Block, BlockLike, BlockRef, Location, Operation, Region, RegionLike, Type, Value,
};
use sinter_device::Device;
use sinter_ir::build::{Parts, lasting, operation};
use sinter_ir::emitter::Emitter;
use sinter_ir::error::{IrError, missing};
use sinter_ir::kernel::op_to_kernel;
use sinter_ir::rewrite::{context_of, erase};
use sinter_ir::{attr, location, melior, types};
use sinter_loops::affine::Affine;
use sinter_loops::kernel::{Kernel, Role, Schedule, Slot, StageSchedule};
use sinter_loops::nest::{IterKind, Nest};
use sinter_loops::onchip::{self, OnChipError, Tile};
use sinter_loops::types::TensorType;
use sinter_loops::{selection, sharing};
use sinter_pass::{Failure, Pass, PassInfo};

pub use program::{LAYOUT, blocks};

use crate::host::{self, HostTarget};

/// A kernel whose work takes less than this on one core is not worth spreading over threads.
const PARALLEL_NS: f64 = 6_000.0;

/// Most dimensions of a tile.
const MOST_DIMENSIONS: usize = 8;

sinter_pass::options! {
    /// Options of [`ConvertTloopToNpu`].
    pub struct ConvertTloopToNpuOptions {
        /// Device name or file
        device: String = "host".to_owned(),
    }
}

/// The pass.
pub struct ConvertTloopToNpu;

impl Pass for ConvertTloopToNpu {
    type Options = ConvertTloopToNpuOptions;

    const INFO: PassInfo = PassInfo {
        name: "convert-tloop-to-npu",
        summary: "Scheduled kernels to device kernels, launches to a program",
        description: "Makes a `npu.kernel` of every scheduled `tloop.kernel` and a `npu.program` of \
                      the function that launches them. Buffers are virtual: `npu-plan-memory` places \
                      them.",
        anchor: Some("builtin.module"),
        dialects: &[
            "npu", "scf", "arith", "math", "vector", "memref", "affine", "llvm",
        ],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        let device = Device::load(&options.device)?;
        Ok(convert(context_of(op), op, &device)?)
    }
}

/// Converts the kernels and the function of a module.
///
/// # Errors
/// See the module documentation.
pub fn convert<'c>(
    context: &'c melior::Context,
    module: OperationRef<'c, '_>,
    device: &Device,
) -> Result<(), IrError> {
    let body = module
        .region(0)
        .ok()
        .and_then(|r| r.first_block())
        .ok_or_else(|| IrError::Missing("the module has no body".into()))?;
    let mut kernels = BTreeMap::new();
    let (mut made, mut replaced, mut main) = (Vec::new(), Vec::new(), None);
    for op in std::iter::successors(body.first_operation(), |op| op.next_in_block()) {
        match op.name().as_string_ref().as_str().unwrap_or_default() {
            "tloop.kernel" => {
                let kernel = op_to_kernel(op)?;
                made.push(device_kernel(context, &kernel, device)?);
                kernels.insert(kernel.name.clone(), kernel);
                replaced.push(op);
            }
            "func.func" if op.region(0).is_ok_and(|r| r.first_block().is_some()) => {
                main = Some(op);
                replaced.push(op);
            }
            _ => {}
        }
    }
    if let Some(function) = main {
        made.push(program::program(context, function, &kernels)?);
    }
    for op in made {
        body.append_operation(op);
    }
    for op in replaced {
        erase(op);
    }
    Ok(())
}

fn device_kernel<'c>(
    context: &'c melior::Context,
    kernel: &Kernel,
    device: &Device,
) -> Result<Operation<'c>, IrError> {
    let mut op = if device.is_scratchpad() {
        check_ranks(kernel, device)?;
        let chip = onchip::lower(kernel, &device.machine()).map_err(|e| match e {
            OnChipError::Unscheduled => unscheduled(kernel),
            e => IrError::Refused(format!(
                "kernel '{}' has no tiles on {}: {e}",
                kernel.name, device.name
            )),
        })?;
        on_chip::kernel(context, kernel, &chip)?
    } else {
        let target = HostTarget {
            streamed_bytes: device.streamed_bytes(),
            dots: device.dots(),
        };
        host_kernel(context, kernel, target)?
    };
    describe(context, &mut op, kernel, device);
    Ok(op)
}

/// Refuses tensors of which no tile can be held.
fn check_ranks(kernel: &Kernel, device: &Device) -> Result<(), IrError> {
    let most = kernel.slots.iter().map(|slot| slot.ty.rank()).max();
    let Some(rank) = most.filter(|&rank| rank > MOST_DIMENSIONS) else {
        return Ok(());
    };
    let origins: Vec<&str> = kernel
        .stages
        .iter()
        .flat_map(|s| &s.origins)
        .map(String::as_str)
        .collect();
    Err(IrError::Refused(format!(
        "{}: a tensor of {rank} dimensions, tiles on {} have at most {MOST_DIMENSIONS}: compile for another \
         device, or merge dimensions",
        origins.join(", "),
        device.name
    )))
}

/// What the program has to know of a kernel: arguments, cost, reuse of memory.
fn describe<'c>(
    context: &'c melior::Context,
    op: &mut Operation<'c>,
    kernel: &Kernel,
    device: &Device,
) {
    use melior::ir::operation::OperationMutLike;
    let reads = kernel.arguments().count();
    let writes = kernel.slots_of(Role::Output).count();
    let mut set = |name: &str, value: Attribute<'c>| op.set_attribute(name, value);
    set("inputs", attr::int(context, reads as i64));
    set("outputs", attr::int(context, writes as i64));
    let flops = match device.is_scratchpad() {
        true => kernel.flops(),
        false => selection::consecutive(kernel).flops(),
    };
    set("flops", attr::int(context, flops as i64));
    if let Ok((_, price)) = sinter_device::schedule(kernel, device) {
        set("price_ns", attr::float(context, price.total.ns()));
        set("read_bytes", attr::int(context, price.read_bytes as i64));
        set(
            "written_bytes",
            attr::int(context, price.written_bytes as i64),
        );
        let work = price.total.saturating_sub(price.launch).ns() * f64::from(device.cores);
        let blocks = kernel.schedule.as_ref().map_or(1, blocks);
        if blocks > 1 && work > PARALLEL_NS {
            set("parallel", Attribute::unit(context));
        }
    }
    let mut pairs = |name: &str, pairs: Vec<(usize, usize)>| {
        if !pairs.is_empty() {
            let flat: Vec<i64> = pairs
                .iter()
                .flat_map(|&(a, b)| [a as i64, b as i64])
                .collect();
            set(name, attr::ints(context, &flat));
        }
    };
    if !device.is_scratchpad() {
        pairs("in_place", sharing::in_place(kernel));
    }
    pairs("disjoint", sharing::disjoint(kernel));
}

/// A kernel that computes from registers: one region on device memory.
fn host_kernel<'c>(
    context: &'c melior::Context,
    kernel: &Kernel,
    target: HostTarget,
) -> Result<Operation<'c>, IrError> {
    let schedule = kernel
        .schedule
        .as_ref()
        .ok_or_else(|| unscheduled(kernel))?;
    let place = location::from_origins(context, &origins(kernel));
    let order: Vec<usize> = kernel
        .arguments()
        .chain(kernel.slots_of(Role::Output))
        .collect();
    let mut arguments = vec![Type::index(context)];
    arguments.extend(
        order
            .iter()
            .map(|&s| memory(context, &kernel.slots[s].ty, None)),
    );
    let block = Block::new(&arguments.iter().map(|&t| (t, place)).collect::<Vec<_>>());
    let mut slots: Vec<Option<Value<'c, 'c>>> = vec![None; kernel.slots.len()];
    for (i, &slot) in order.iter().enumerate() {
        slots[slot] = Some(lasting(block.argument(i + 1).map_err(missing)?));
    }
    let ub = Attribute::parse(context, "#npu.space<ub>");
    let tiles = host::temporary_tiles(kernel, schedule);
    for (slot, tile) in kernel.slots_of(Role::Temporary).zip(&tiles) {
        let parts = Parts {
            results: vec![memory(context, tile, ub)],
            ..Parts::default()
        };
        let made = block.append_operation(operation(context, "npu.alloc", place, parts)?);
        slots[slot] = Some(lasting(made.result(0).map_err(missing)?));
    }
    let inside = Region::new();
    let code = inside.append_block(Block::new(&[]));
    let number: Value<'c, 'c> = lasting(block.argument(0).map_err(missing)?);
    let slots: Vec<_> = slots.into_iter().flatten().collect();
    let mut emitter = Emitter::new(context, place, code);
    host::emit_block(&mut emitter, kernel, number, &slots, target).map_err(unfit)?;
    code.append_operation(operation(context, "npu.yield", place, Parts::default())?);
    let engine = Attribute::parse(context, "#npu<engine (vector)>");
    let parts = Parts {
        attributes: engine.map(|e| ("engine", e)).into_iter().collect(),
        regions: vec![inside],
        ..Parts::default()
    };
    block.append_operation(operation(context, "npu.compute", place, parts)?);
    block.append_operation(operation(context, "npu.return", place, Parts::default())?);
    wrap(context, &kernel.name, "vector", &arguments, block, place)
}

/// The `npu.kernel` around a block.
fn wrap<'c>(
    context: &'c melior::Context,
    name: &str,
    core: &str,
    arguments: &[Type<'c>],
    block: Block<'c>,
    place: Location<'c>,
) -> Result<Operation<'c>, IrError> {
    let region = Region::new();
    region.append_block(block);
    let function = FunctionType::new(context, arguments, &[]);
    let core = Attribute::parse(context, &format!("#npu<core {core}>"))
        .ok_or_else(|| IrError::Unsupported(format!("core kind '{core}'")))?;
    let parts = Parts {
        attributes: vec![
            ("sym_name", attr::string(context, name)),
            ("function_type", TypeAttribute::new(function.into()).into()),
            ("core", core),
        ],
        regions: vec![region],
        ..Parts::default()
    };
    operation(context, "npu.kernel", place, parts)
}

/// Emits a nest over tiles into a block.
fn emit_nest<'c>(
    context: &'c melior::Context,
    block: BlockRef<'c, '_>,
    place: Location<'c>,
    nest: &Nest,
    values: &[Value<'c, '_>],
    tiles: &[Tile],
) -> Result<(), IrError> {
    let mut used: Vec<usize> = nest.accesses().map(|a| a.operand).collect();
    used.sort_unstable();
    used.dedup();
    let mut nest = nest.clone();
    for access in nest.accesses_mut() {
        access.operand = used.binary_search(&access.operand).unwrap_or(0);
    }
    let written = |slot: usize| nest.writes.iter().any(|w| w.operand == slot);
    let slots = used.iter().enumerate().map(|(slot, &tile)| {
        let role = if written(slot) {
            Role::Output
        } else {
            Role::Input
        };
        Slot::new(tiles[tile].ty.clone(), role)
    });
    let kernel = Kernel {
        name: "tile".into(),
        slots: slots.collect(),
        schedule: Some(Schedule {
            grid: Vec::new(),
            stages: vec![plain_schedule(&nest, tiles, &used)],
        }),
        stages: vec![nest],
    };
    let types: Vec<_> = kernel.slots.iter().map(|s| s.ty.clone()).collect();
    kernel.stages[0]
        .verify(&types)
        .map_err(|fault| IrError::Refused(format!("a step over tiles: {fault}")))?;
    let values: Vec<Value<'c, 'c>> = used.iter().map(|&t| lasting(values[t])).collect();
    let mut emitter = Emitter::new(context, place, block);
    let zero = emitter.index(0);
    host::emit_block(
        &mut emitter,
        &kernel,
        zero,
        &values,
        HostTarget::plain(u64::MAX),
    )
    .map_err(unfit)
}

/// Vectors of eight along whatever is dense in the first write, four rows.
fn plain_schedule(nest: &Nest, tiles: &[Tile], used: &[usize]) -> StageSchedule {
    let write = &nest.writes[0];
    let shape = &tiles[used[write.operand]].ty.shape;
    let position = Affine::flatten(&write.index, shape);
    let dense = |&i: &usize| {
        nest.iters[i].kind == IterKind::Parallel
            && nest.iters[i].extent > 1
            && position.stride_in_tiles(i, 8, &nest.extents()) == Some(1)
    };
    let vector = nest
        .parallels()
        .filter(dense)
        .max_by_key(|&i| nest.iters[i].extent);
    let rows = nest
        .parallels()
        .filter(|&i| Some(i) != vector && nest.iters[i].extent > 1)
        .max_by_key(|&i| nest.iters[i].extent);
    let mut order: Vec<usize> = nest
        .parallels()
        .filter(|&i| Some(i) != vector && Some(i) != rows)
        .collect();
    order.extend(rows);
    order.extend(vector);
    order.extend(nest.reductions());
    StageSchedule {
        order,
        vector,
        lanes: if vector.is_some() { 8 } else { 1 },
        vectors: 1,
        rows,
        row_tile: if rows.is_some() { 4 } else { 1 },
        jam: None,
        unroll: 1,
        reduction_tile: Vec::new(),
    }
}

pub(crate) fn memory<'c>(
    context: &'c melior::Context,
    ty: &TensorType,
    space: Option<Attribute<'c>>,
) -> Type<'c> {
    MemRefType::new(
        types::memory_type(context, ty.element),
        &ty.shape,
        None,
        space,
    )
    .into()
}

fn origins(kernel: &Kernel) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for origin in kernel.stages.iter().flat_map(|n| &n.origins) {
        if !out.contains(origin) {
            out.push(origin.clone());
        }
    }
    out
}

fn unscheduled(kernel: &Kernel) -> IrError {
    IrError::Missing(format!(
        "kernel '{}' has no schedule: run tloop-schedule",
        kernel.name
    ))
}

fn unfit(error: host::EmitError) -> IrError {
    IrError::Refused(error.to_string())
}
