//! `npu-plan-memory`: places for buffers and tiles.
//!
//! Takes `npu.program`s with virtual buffers and `npu.kernel`s with tiles. Leaves `npu.view`s with offsets
//! in the arena and `npu.alloc`s with offsets in their spaces; the program says how large its arena is, a
//! kernel how many bytes of each space it uses (`scratch`). A buffer that the program returns is the
//! caller's memory and stays as it is. Refuses a kernel whose tiles, and a program whose arena, do not fit
//! the device's spaces.
//!
//! Time in the arena is counted in phases between barriers, for launches of one phase may run at once.
//! An output takes over an input's memory where the kernel allows it (`in_place`), the input has no later
//! use, and no other launch of the phase reads it. In a kernel, time is counted in operations of its
//! outermost block; tiles that a loop touches are live throughout it.

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::attribute::{DictionaryAttribute, IntegerAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef, OperationRefMut};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, BlockLike, Identifier, Value, ValueLike};
use sinter_device::Device;
use sinter_ir::build::{Parts, lasting, operation, value_key};
use sinter_ir::rewrite::{context_of, erase, replace_all_uses};
use sinter_ir::{IrError, attr, location, melior, types};
use sinter_loops::onchip;
use sinter_pass::{Failure, Pass, PassInfo};
use sinter_plan::{Buffer, plan};

use crate::transfers::{base, blocks, name, operations, touches};

/// Alignment of buffers and tiles in bytes.
pub const ALIGN: u64 = onchip::ALIGN.unsigned_abs();

sinter_pass::options! {
    /// Options of [`NpuPlanMemory`].
    pub struct NpuPlanMemoryOptions {
        /// Device name or file, for the sizes of its spaces
        device: String = "host".to_owned(),
    }
}

/// The pass.
pub struct NpuPlanMemory;

impl Pass for NpuPlanMemory {
    type Options = NpuPlanMemoryOptions;

    const INFO: PassInfo = PassInfo {
        name: "npu-plan-memory",
        summary: "Places for buffers in the arena and tiles in their spaces",
        description: "Plans the activation arena, with in-place reuse, and each kernel's scratchpads. \
                      Fails when a kernel's tiles do not fit a space of the device.",
        anchor: Some("builtin.module"),
        dialects: &["npu"],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        let device = Device::load(&options.device)?;
        let mut reuse = BTreeMap::new();
        for block in blocks(op) {
            for kernel in operations(block)
                .into_iter()
                .filter(|op| name(*op) == "npu.kernel")
            {
                kernel_tiles(kernel, &device)?;
                let symbol = kernel.attribute("sym_name").ok().and_then(attr::as_str);
                reuse.insert(symbol.unwrap_or_default().to_owned(), Reuse::of(kernel));
            }
        }
        for block in blocks(op) {
            for program in operations(block)
                .into_iter()
                .filter(|op| name(*op) == "npu.program")
            {
                arena(program, &reuse, &device)?;
            }
        }
        Ok(())
    }
}

/// What a kernel says of its arguments.
struct Reuse {
    inputs: usize,
    /// Input and output that may share memory, by argument number.
    in_place: Vec<(usize, usize)>,
}

impl Reuse {
    fn of(kernel: OperationRef<'_, '_>) -> Self {
        let inputs = kernel
            .attribute("inputs")
            .ok()
            .and_then(attr::as_int)
            .unwrap_or(0);
        Self {
            inputs: inputs.max(0) as usize,
            in_place: attr::pairs(kernel, "in_place"),
        }
    }
}

/// A virtual buffer of the program while it is planned.
struct Virtual<'c> {
    op: OperationRef<'c, 'c>,
    bytes: u64,
    first: u64,
    last: u64,
    /// Buffers whose memory it may take over.
    takes: Vec<usize>,
}

fn arena(
    program: OperationRef<'_, '_>,
    kernels: &BTreeMap<String, Reuse>,
    device: &Device,
) -> Result<(), Failure> {
    let context = context_of(program);
    let Some(body) = blocks(program).into_iter().next() else {
        return Ok(());
    };
    let ops = operations(body);
    let returned: Vec<usize> = ops
        .iter()
        .filter(|op| name(**op) == "npu.return")
        .flat_map(|op| op.operands().map(value_key).collect::<Vec<_>>())
        .collect();
    let mut buffers: Vec<Virtual<'_>> = Vec::new();
    let mut number = BTreeMap::new();
    let mut phase = 0;
    let mut launches = Vec::new();
    for &op in &ops {
        match name(op).as_str() {
            "npu.buffer" => {
                let result = op.result(0)?;
                let key = value_key(result.into());
                if !returned.contains(&key) {
                    let bytes = types::from_shaped_type(result.r#type())?.bytes().max(0) as u64;
                    number.insert(key, buffers.len());
                    // SAFETY: the operation stays until it is replaced below.
                    let op = unsafe { OperationRef::from_raw(op.to_raw()) };
                    buffers.push(Virtual {
                        op,
                        bytes,
                        first: u64::MAX,
                        last: 0,
                        takes: Vec::new(),
                    });
                }
            }
            "npu.barrier" => phase += 1,
            "npu.launch" => {
                let operands: Vec<_> = op
                    .operands()
                    .map(|v| number.get(&value_key(v)).copied())
                    .collect();
                for &b in operands.iter().flatten() {
                    buffers[b].first = buffers[b].first.min(phase);
                    buffers[b].last = buffers[b].last.max(phase);
                }
                let symbol = op.attribute("kernel")?.to_string();
                let symbol = symbol.trim_start_matches('@').trim_matches('"').to_owned();
                launches.push((phase, symbol, operands));
            }
            _ => {}
        }
    }
    for (at, symbol, operands) in &launches {
        let Some(kernel) = kernels.get(symbol) else {
            continue;
        };
        for &(input, output) in &kernel.in_place {
            let (Some(Some(i)), Some(Some(o))) = (operands.get(input), operands.get(output)) else {
                continue;
            };
            let uses = |b: usize| {
                launches
                    .iter()
                    .filter(|l| l.0 == *at)
                    .flat_map(|l| &l.2)
                    .filter(|&&x| x == Some(b))
                    .count()
            };
            let fresh = buffers[*o].first == *at && uses(*o) == 1;
            let spent = buffers[*i].last == *at && uses(*i) == 1 && input < kernel.inputs;
            if fresh && spent && buffers[*i].bytes == buffers[*o].bytes {
                buffers[*o].takes.push(*i);
            }
        }
    }
    let wanted: Vec<Buffer> = buffers
        .iter()
        .enumerate()
        .map(|(id, b)| {
            let first = b.first.min(b.last);
            let buffer = Buffer::new(id, first..b.last + 1, b.bytes, ALIGN);
            b.takes
                .iter()
                .fold(buffer, |buffer, &of| buffer.in_place_of(of))
        })
        .collect();
    let planned = plan(&wanted, capacity(device, "gm")).map_err(|e| {
        Failure::message(format!(
            "the values between kernels do not fit gm: {e}: a device file with a larger [[space]] 'gm' holds them"
        ))
    })?;
    for (buffer, offset) in buffers.iter().zip(&planned.offsets) {
        let result = buffer.op.result(0)?;
        let parts = Parts {
            results: vec![result.r#type()],
            attributes: vec![("offset", attr::int(context, *offset as i64))],
            ..Parts::default()
        };
        let view = operation(context, "npu.view", buffer.op.location(), parts)?;
        let view = body.insert_operation_before(buffer.op, view);
        replace_all_uses(result.into(), lasting(view.result(0)?));
        erase(buffer.op);
    }
    set(
        program,
        "arena_bytes",
        attr::int(context, planned.peak as i64),
    );
    Ok(())
}

fn set<'c>(op: OperationRef<'c, '_>, name: &str, value: Attribute<'c>) {
    // SAFETY: the operation is alive; nobody else holds its attributes.
    let mut op = unsafe { OperationRefMut::from_raw(op.to_raw()) };
    op.set_attribute(name, value);
}

/// Bytes of a space; without scratchpads its size is nominal.
fn capacity(device: &Device, space: &str) -> u64 {
    match device.is_scratchpad() {
        true => device.space_bytes(space),
        false => u64::MAX,
    }
}

/// Plans each space of one kernel.
fn kernel_tiles(kernel: OperationRef<'_, '_>, device: &Device) -> Result<(), Failure> {
    let context = context_of(kernel);
    let Some(body) = blocks(kernel).into_iter().next() else {
        return Ok(());
    };
    let ops = operations(body);
    let mut tiles: Vec<Tile<'_>> = Vec::new();
    let mut number = BTreeMap::new();
    for &op in ops.iter().filter(|op| name(**op) == "npu.alloc") {
        let result: Value<'_, '_> = op.result(0)?.into();
        number.insert(base(result), tiles.len());
        tiles.push(Tile::of(op)?);
    }
    for (step, &op) in ops
        .iter()
        .enumerate()
        .filter(|(_, op)| name(**op) != "npu.alloc")
    {
        for touch in touches(op) {
            if let Some(&t) = number.get(&touch.base) {
                tiles[t].first = tiles[t].first.min(step as u64);
                tiles[t].last = tiles[t].last.max(step as u64);
            }
        }
    }
    // A transfer that is waited for later keeps its tiles until then.
    keep_until_waits(&ops, &number, &mut tiles);
    let mut used = Vec::new();
    for space in ["gm", "l1", "l0a", "l0b", "l0c", "ub"] {
        let members: Vec<usize> = (0..tiles.len())
            .filter(|&t| tiles[t].space == space)
            .collect();
        if members.is_empty() {
            continue;
        }
        let wanted: Vec<Buffer> = members
            .iter()
            .enumerate()
            .map(|(id, &t)| {
                let first = tiles[t].first.min(tiles[t].last);
                Buffer::new(id, first..tiles[t].last + 1, tiles[t].bytes, ALIGN)
            })
            .collect();
        let planned = plan(&wanted, capacity(device, space)).map_err(|e| {
            let symbol = kernel.attribute("sym_name").ok().and_then(attr::as_str);
            let symbol = symbol.unwrap_or_default();
            let nodes = location::origins(kernel.location()).join(", ");
            let nodes = if nodes.is_empty() { nodes } else { format!(" ({nodes})") };
            Failure::message(format!(
                "tiles of kernel '{symbol}'{nodes} do not fit {space}: {e}: a device file with a larger [[space]] \
                 '{space}' holds them"
            ))
        })?;
        for (&t, offset) in members.iter().zip(&planned.offsets) {
            set(tiles[t].op, "offset", attr::int(context, *offset as i64));
        }
        used.push((space, planned.peak));
    }
    let word = IntegerType::new(context, 64).into();
    let entries: Vec<(Identifier<'_>, Attribute<'_>)> = used
        .iter()
        .map(|&(space, bytes)| {
            (
                Identifier::new(context, space),
                IntegerAttribute::new(word, bytes as i64).into(),
            )
        })
        .collect();
    set(
        kernel,
        "scratch",
        DictionaryAttribute::new(context, &entries).into(),
    );
    Ok(())
}

struct Tile<'c> {
    op: OperationRef<'c, 'c>,
    space: String,
    bytes: u64,
    first: u64,
    last: u64,
}

impl<'c> Tile<'c> {
    fn of(op: OperationRef<'c, '_>) -> Result<Self, IrError> {
        let ty = op
            .result(0)
            .map_err(|e| IrError::Missing(e.to_string()))?
            .r#type();
        let text = ty.to_string();
        let space = text
            .split_once("#npu.space<")
            .and_then(|(_, rest)| rest.split_once('>'))
            .map_or("gm", |(name, _)| name);
        let bytes = types::from_shaped_type(ty)?.bytes().max(0) as u64;
        // SAFETY: the operation stays: only its attributes change.
        let op = unsafe { OperationRef::from_raw(op.to_raw()) };
        Ok(Self {
            op,
            space: space.to_owned(),
            bytes,
            first: u64::MAX,
            last: 0,
        })
    }
}

/// What a transfer moves stays until its token has been waited for. A token that a loop or a branch
/// gives may stand for every transfer inside it, and for every one whose token it took.
fn keep_until_waits(
    ops: &[OperationRef<'_, '_>],
    number: &BTreeMap<usize, usize>,
    tiles: &mut [Tile<'_>],
) {
    let mut under_way: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (step, op) in ops.iter().enumerate() {
        let mut moved: BTreeSet<usize> = BTreeSet::new();
        for inner in nested(*op) {
            for operand in inner.operands() {
                moved.extend(under_way.get(&value_key(operand)).into_iter().flatten());
            }
        }
        for &tile in &moved {
            tiles[tile].last = tiles[tile].last.max(step as u64);
        }
        for copy in nested(*op).iter().filter(|op| name(**op) == "npu.copy") {
            moved.extend(touches(*copy).iter().filter_map(|t| number.get(&t.base)));
        }
        for i in 0..op.result_count() {
            if let Ok(token) = op.result(i) {
                under_way.insert(value_key(token.into()), moved.clone());
            }
        }
    }
}

/// An operation and everything inside it.
fn nested<'c, 'a>(op: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let inside = blocks(op).into_iter().flat_map(operations);
    std::iter::once(op).chain(inside.flat_map(nested)).collect()
}
