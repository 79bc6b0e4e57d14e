//! `convert-npu-to-func`: device kernels to functions of one block.
//!
//! Takes `npu.kernel`s whose tiles have offsets. Leaves a `func.func` for each, with the same arguments
//! (the block's number, then device buffers) and one more, the scratch memory:
//!
//! - a kernel without transfers works from registers: `memref<Nxi8>`, the thread's scratch memory, of
//!   which its tiles are views;
//! - a kernel with transfers runs on a scratchpad device: `memref<64xi64>`, the scratch words, with the
//!   base of each memory space and the functions that copy, wait and release.
//!
//! Compute regions become plain code, matrix steps loops of fused multiply-adds on vectors, memory spaces
//! go from the types, tokens become numbers. Anything else in the module stays. Refuses tiles without an
//! offset, and transfers that the interface of the functions in the scratch words cannot describe.

mod mma;
mod transfers;

use std::collections::BTreeMap;

use melior::ir::ShapedTypeLike;
use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::{FunctionType, IntegerType, MemRefType};
use melior::ir::{
    Attribute, Block, BlockLike, BlockRef, Location, Region, RegionLike, Type, TypeLike, Value,
    ValueLike,
};
use sinter_ir::build::{Parts, lasting, operation};
use sinter_ir::error::{IrError, missing};
use sinter_ir::graph::op_name as name;
use sinter_ir::rewrite::{context_of, erase, move_before, replace_all_uses, set_type};
use sinter_ir::walk::{blocks, contains, inside, operations};
use sinter_ir::{attr, melior, types};
use sinter_pass::{Failure, NoOptions, Pass, PassInfo};

/// Number of scratch words.
pub const WORDS: i64 = 64;

/// The pass.
pub struct ConvertNpuToFunc;

impl Pass for ConvertNpuToFunc {
    type Options = NoOptions;

    const INFO: PassInfo = PassInfo {
        name: "convert-npu-to-func",
        summary: "Device kernels to functions of one block",
        description: "Makes a `func.func` of every planned `npu.kernel`: compute regions become plain \
                      code, matrix steps loops of fused multiply-adds, tiles views of scratch memory, \
                      transfers calls of the functions in the scratch words.",
        anchor: Some("builtin.module"),
        dialects: &["func", "memref", "arith", "math", "scf", "vector", "llvm"],
    };

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        let kernels = inside(op, "npu.kernel");
        for kernel in kernels {
            convert(kernel)?;
        }
        Ok(())
    }
}

/// Replaces one kernel with its function.
///
/// # Errors
/// When a tile has no offset.
pub fn convert(kernel: OperationRef<'_, '_>) -> Result<(), IrError> {
    let context = context_of(kernel);
    let old = kernel
        .region(0)
        .ok()
        .and_then(|r| r.first_block())
        .ok_or_else(|| IrError::Missing("the kernel has no body".into()))?;
    let place = kernel.location();
    let on_chip = contains(kernel, "npu.copy");
    let i8 = IntegerType::new(context, 8).into();
    let scratch = if on_chip {
        MemRefType::new(IntegerType::new(context, 64).into(), &[WORDS], None, None)
    } else {
        MemRefType::new(i8, &[scratch_bytes(old)?], None, None)
    };
    let mut arguments = Vec::new();
    for i in 0..old.argument_count() {
        arguments.push(old.argument(i).map_err(missing)?.r#type());
    }
    arguments.push(scratch.into());
    let region = Region::new();
    let typed: Vec<_> = arguments.iter().map(|&t| (t, place)).collect();
    let block = region.append_block(Block::new(&typed));
    let end = block.append_operation(operation(context, "func.return", place, Parts::default())?);
    for i in 0..old.argument_count() {
        let (of, with) = (
            old.argument(i).map_err(missing)?,
            block.argument(i).map_err(missing)?,
        );
        replace_all_uses(of.into(), with.into());
    }
    let ops = operations(old);
    for &op in &ops {
        if name(op) != "npu.return" {
            move_before(op, end);
        }
    }
    let scratch = lasting(block.argument(arguments.len() - 1).map_err(missing)?);
    let mut lowering = Lowering {
        context,
        place,
        scratch,
        on_chip,
        bases: BTreeMap::new(),
        tokens: 0,
    };
    let ops = operations(block);
    // What is made once stands before this constant, which stays while operations are replaced.
    let first = lowering.anchor(block, ops[0])?;
    lowering.block(ops, first)?;
    let function = FunctionType::new(context, &arguments, &[]);
    let symbol = kernel.attribute("sym_name").map_err(missing)?;
    let parts = Parts {
        attributes: vec![
            ("sym_name", symbol),
            ("function_type", TypeAttribute::new(function.into()).into()),
        ],
        regions: vec![region],
        ..Parts::default()
    };
    let function = operation(context, "func.func", place, parts)?;
    let module = kernel
        .block()
        .ok_or_else(|| IrError::Missing("the kernel is in no module".into()))?;
    module.insert_operation_before(kernel, function);
    erase(kernel);
    Ok(())
}

/// Bytes of scratch memory up to the end of the last tile.
fn scratch_bytes(block: BlockRef<'_, '_>) -> Result<i64, IrError> {
    let mut bytes = 0;
    for op in operations(block)
        .into_iter()
        .filter(|op| name(*op) == "npu.alloc")
    {
        let ty = types::from_shaped_type(op.result(0).map_err(missing)?.r#type())?;
        bytes = bytes.max(offset(op)? + ty.bytes());
    }
    Ok(bytes)
}

fn offset(alloc: OperationRef<'_, '_>) -> Result<i64, IrError> {
    let offset = alloc.attribute("offset").ok().and_then(attr::as_int);
    offset.ok_or_else(|| IrError::Missing("a tile has no offset: run npu-plan-memory".into()))
}

/// The state while one kernel's operations are replaced.
struct Lowering<'c> {
    context: &'c melior::Context,
    place: Location<'c>,
    scratch: Value<'c, 'c>,
    on_chip: bool,
    /// Bases of the memory spaces, by number.
    bases: BTreeMap<i64, Value<'c, 'c>>,
    /// Transfers numbered so far.
    tokens: i64,
}

impl<'c> Lowering<'c> {
    fn anchor<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        before: OperationRef<'c, 'a>,
    ) -> Result<OperationRef<'c, 'a>, IrError> {
        self.index(before, 0)?;
        block
            .first_operation()
            .ok_or_else(|| IrError::Missing("an empty kernel".into()))
    }

    /// Replaces the operations of a block. `first` is where the function's code starts.
    fn block<'a>(
        &mut self,
        ops: Vec<OperationRef<'c, 'a>>,
        first: OperationRef<'c, 'a>,
    ) -> Result<(), IrError> {
        for op in ops {
            match name(op).as_str() {
                "npu.alloc" => self.alloc(op, first)?,
                "npu.compute" => self.compute(op)?,
                "npu.copy" => self.copy(op)?,
                "npu.wait" => self.wait(op)?,
                "npu.ready" => self.ready(op)?,
                "npu.release" => self.release(op)?,
                "npu.mma" => self.mma(op)?,
                "npu.sync" => erase(op),
                "scf.for" | "scf.if" => {
                    for region in op.regions() {
                        if let Some(block) = region.first_block() {
                            self.retype_arguments(block)?;
                            self.block(operations(block), first)?;
                        }
                    }
                    self.retype_results(op)?;
                }
                _ => self.retype_results(op)?,
            }
        }
        Ok(())
    }

    fn compute(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        let block = op.region(0).ok().and_then(|r| r.first_block());
        for inner in block.map(operations).unwrap_or_default() {
            if name(inner) != "npu.yield" {
                move_before(inner, op);
                self.plain(inner)?;
            }
        }
        erase(op);
        Ok(())
    }

    /// Code of a compute region, which is plain but for its types and matrix steps.
    fn plain(&self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        if name(op) == "npu.mma" {
            return self.mma(op);
        }
        self.retype_results(op)?;
        for block in blocks(op) {
            self.retype_arguments(block)?;
            for inner in operations(block) {
                self.plain(inner)?;
            }
        }
        Ok(())
    }

    fn retype_results(&self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        for i in 0..op.result_count() {
            self.retype(op.result(i).map_err(missing)?.into());
        }
        Ok(())
    }

    fn retype_arguments(&self, block: BlockRef<'c, '_>) -> Result<(), IrError> {
        for i in 0..block.argument_count() {
            self.retype(block.argument(i).map_err(missing)?.into());
        }
        Ok(())
    }

    /// Tokens become numbers, memory spaces go.
    fn retype(&self, value: Value<'c, '_>) {
        let ty = value.r#type();
        if ty.to_string() == "!npu.token" {
            set_type(value, self.i64());
        } else if ty.is_mem_ref()
            && let Ok(memref) = MemRefType::try_from(ty)
            && memref.memory_space().is_some()
            && let Ok(plain) = types::from_memref_type(ty)
        {
            set_type(
                value,
                MemRefType::new(memref.element(), &plain, None, None).into(),
            );
        }
    }

    /// A tile is a view of scratch memory, or of its space.
    fn alloc(
        &mut self,
        op: OperationRef<'c, '_>,
        first: OperationRef<'c, '_>,
    ) -> Result<(), IrError> {
        let result = op.result(0).map_err(missing)?;
        let memref = MemRefType::try_from(result.r#type()).map_err(missing)?;
        let shape = types::from_memref_type(result.r#type())?;
        let plain = MemRefType::new(memref.element(), &shape, None, None).into();
        let base = if self.on_chip {
            self.base(space_of(memref.memory_space()), first)?
        } else {
            self.scratch
        };
        let shift = self.index(op, offset(op)?)?;
        let parts = Parts {
            operands: vec![base, shift],
            results: vec![plain],
            ..Parts::default()
        };
        let view = self.before(op, "memref.view", parts)?;
        replace_all_uses(result.into(), view);
        erase(op);
        Ok(())
    }

    /// A space as bytes, from its scratch word; made once, where the function starts.
    fn base(&mut self, space: i64, first: OperationRef<'c, '_>) -> Result<Value<'c, 'c>, IrError> {
        if let Some(&base) = self.bases.get(&space) {
            return Ok(base);
        }
        let word = self.word(first, transfers::SPACE_BASE + space)?;
        let pointer = self.pointer(first, word)?;
        let base = self.bytes_at(first, pointer)?;
        self.bases.insert(space, base);
        Ok(base)
    }

    fn i64(&self) -> Type<'c> {
        IntegerType::new(self.context, 64).into()
    }

    fn index(&self, at: OperationRef<'c, '_>, value: i64) -> Result<Value<'c, 'c>, IrError> {
        self.constant(at, &format!("{value} : index"), Type::index(self.context))
    }

    fn number(&self, at: OperationRef<'c, '_>, value: i64) -> Result<Value<'c, 'c>, IrError> {
        self.constant(at, &format!("{value} : i64"), self.i64())
    }

    fn constant(
        &self,
        at: OperationRef<'c, '_>,
        text: &str,
        ty: Type<'c>,
    ) -> Result<Value<'c, 'c>, IrError> {
        let value = Attribute::parse(self.context, text)
            .ok_or_else(|| IrError::Unsupported(format!("attribute '{text}'")))?;
        let parts = Parts {
            results: vec![ty],
            attributes: vec![("value", value)],
            ..Parts::default()
        };
        self.before(at, "arith.constant", parts)
    }

    /// Inserts an operation before another and gives its result.
    fn before(
        &self,
        at: OperationRef<'c, '_>,
        name: &str,
        parts: Parts<'c, '_>,
    ) -> Result<Value<'c, 'c>, IrError> {
        Ok(lasting(
            self.insert(at, name, parts)?.result(0).map_err(missing)?,
        ))
    }

    fn insert<'a>(
        &self,
        at: OperationRef<'c, 'a>,
        name: &str,
        parts: Parts<'c, '_>,
    ) -> Result<OperationRef<'c, 'a>, IrError> {
        let block = at
            .block()
            .ok_or_else(|| IrError::Missing("an operation without a block".into()))?;
        Ok(block.insert_operation_before(at, operation(self.context, name, self.place, parts)?))
    }
}

/// Memory spaces that tiles lie in, by their number in the kernel ABI, which starts at 1. The last is
/// the core's workspace in device memory.
pub const SPACES: [&str; 6] = ["l1", "l0a", "l0b", "l0c", "ub", "gm"];

/// The number of a memory space attribute.
fn space_of(space: Option<Attribute<'_>>) -> i64 {
    let text = space.map(|s| s.to_string()).unwrap_or_default();
    let found = SPACES.iter().position(|n| text.contains(&format!("<{n}>")));
    found.unwrap_or(SPACES.len() - 1) as i64 + 1
}
