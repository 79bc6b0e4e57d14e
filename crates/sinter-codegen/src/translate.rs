//! LLVM dialect to LLVM bitcode, with the entry point of the kernel ABI.
//!
//! A module holds, for each kernel, the function of one block that `sinter-conversion` emitted:
//! `(block, buffers.., temporaries..)`. The entry point
//!
//! ```text
//! void kernel(u8 **bufs, const i64 *dims, u64 block_begin, u64 block_end, u8 *scratch)
//! ```
//!
//! loads the buffers once and runs the blocks of its range; the function of one block becomes private
//! and is inlined into the loop. Stores past the caches are settled once, at its end. Buffers are 64-byte
//! aligned and do not alias, but for the pairs that [`KernelAbi::in_place`] lists.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::{AsContextRef, Context};
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{
    BasicMetadataValueEnum, FunctionValue, InstructionOpcode, IntValue, PointerValue,
};
use inkwell::{AddressSpace, AtomicOrdering, IntPredicate};

use crate::{CodegenError, Target, dots};

/// Alignment of every buffer and temporary, in bytes.
pub const BUFFER_ALIGNMENT: u64 = 64;

/// How a kernel's function is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelAbi {
    /// Symbol of the entry point, and of the function of one block in the MLIR module.
    pub symbol: String,
    /// Buffers: inputs and constants, then outputs.
    pub buffers: usize,
    /// Byte offset of each temporary in the thread's scratch memory.
    pub temporaries: Vec<u64>,
    /// Pairs of buffers that may be the same memory.
    pub in_place: Vec<(usize, usize)>,
}

/// A module as LLVM bitcode: it can be sent to another thread, and is independent of any context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitcode {
    bytes: Vec<u8>,
    target: Target,
}

impl Bitcode {
    /// The module in a context of its own.
    pub(crate) fn parse<'ctx>(&self, context: &'ctx Context) -> Result<Module<'ctx>, CodegenError> {
        let buffer = MemoryBuffer::create_from_memory_range_copy(&self.bytes, "kernels");
        Module::parse_bitcode_from_buffer(&buffer, context).map_err(llvm)
    }

    /// The target it was made for.
    pub fn target(&self) -> &Target {
        &self.target
    }
}

/// Translates a module of the LLVM dialect and adds the entry points of its kernels.
///
/// # Errors
/// When MLIR cannot translate the module, a kernel has no function, or LLVM finds a fault.
pub fn translate(
    module: &melior::ir::Module<'_>,
    kernels: &[KernelAbi],
    target: &Target,
) -> Result<Bitcode, CodegenError> {
    let context = Context::create();
    let operation = module.as_operation();
    // SAFETY: the module keeps its context alive.
    unsafe {
        mlir_sys::mlirRegisterAllLLVMTranslations(mlir_sys::mlirOperationGetContext(
            operation.to_raw(),
        ));
    }
    // SAFETY: both are live; MLIR's and inkwell's bindings name the same C type.
    let raw = unsafe {
        mlir_sys::mlirTranslateModuleToLLVMIR(operation.to_raw(), (&context).as_ctx_ref().cast())
    };
    if raw.is_null() {
        return Err(CodegenError::Translate);
    }
    // SAFETY: the module is fresh, lives in `context`, and is owned by nobody else.
    let llvm_module = unsafe { Module::new(raw.cast()) };
    let machine = target.machine()?;
    llvm_module.set_triple(&machine.get_triple());
    llvm_module.set_data_layout(&machine.get_target_data().get_data_layout());
    for kernel in kernels {
        add_entry(&context, &llvm_module, kernel)?;
    }
    let with_dots = dots::byte_users(&llvm_module, target)?;
    for function in llvm_module.get_functions() {
        if function.count_basic_blocks() > 0 {
            let byte_dots = with_dots.contains(function.get_name().to_bytes());
            set_function_attributes(&context, function, target, byte_dots);
        }
    }
    llvm_module.verify().map_err(llvm)?;
    let bytes = llvm_module.write_bitcode_to_memory().as_slice().to_vec();
    Ok(Bitcode {
        bytes,
        target: target.clone(),
    })
}

pub(crate) fn llvm(error: inkwell::support::LLVMString) -> CodegenError {
    CodegenError::Llvm(error.to_string())
}

fn builder_fault(error: inkwell::builder::BuilderError) -> CodegenError {
    CodegenError::Llvm(error.to_string())
}

/// `byte_dots`: whether the function may have dot products of bytes.
pub(crate) fn set_function_attributes(
    context: &Context,
    function: FunctionValue<'_>,
    target: &Target,
    byte_dots: bool,
) {
    let mut features = target.features.clone();
    if !byte_dots && target.dots().bytes {
        features.push_str(",-avx512vnni,-avxvnni");
    }
    let bits = target.vector_bits().to_string();
    let strings = [
        ("target-cpu", target.cpu.as_str()),
        ("target-features", features.trim_start_matches(',')),
        ("prefer-vector-width", bits.as_str()),
        ("min-legal-vector-width", bits.as_str()),
        // Keeps loops from becoming calls of memset or memcpy, which nothing defines.
        ("no-builtins", ""),
    ];
    for (name, value) in strings {
        let attribute = context.create_string_attribute(name, value);
        function.add_attribute(AttributeLoc::Function, attribute);
    }
    function.add_attribute(AttributeLoc::Function, flag(context, "nounwind", 0));
}

fn flag(context: &Context, name: &str, value: u64) -> Attribute {
    context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), value)
}

/// Makes the function of one block private and gives its symbol to the entry point.
fn add_entry<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    kernel: &KernelAbi,
) -> Result<(), CodegenError> {
    let body = module
        .get_function(&kernel.symbol)
        .ok_or_else(|| CodegenError::NoFunction(kernel.symbol.clone()))?;
    body.as_global_value()
        .set_name(&format!("{}.block", kernel.symbol));
    body.set_linkage(Linkage::Private);
    body.add_attribute(AttributeLoc::Function, flag(context, "alwaysinline", 0));
    for n in 0..kernel.buffers + kernel.temporaries.len() {
        let place = AttributeLoc::Param(n as u32 + 1);
        body.add_attribute(place, flag(context, "align", BUFFER_ALIGNMENT));
        body.add_attribute(place, flag(context, "nonnull", 0));
        if !kernel.in_place.iter().any(|&(a, b)| a == n || b == n) {
            body.add_attribute(place, flag(context, "noalias", 0));
        }
    }
    let pointer: BasicMetadataTypeEnum<'ctx> = context.ptr_type(AddressSpace::default()).into();
    let word: BasicMetadataTypeEnum<'ctx> = context.i64_type().into();
    let ty = context
        .void_type()
        .fn_type(&[pointer, pointer, word, word, pointer], false);
    let entry = module.add_function(&kernel.symbol, ty, None);
    fill_entry(context, entry, body, kernel).map_err(builder_fault)
}

fn fill_entry<'ctx>(
    context: &'ctx Context,
    entry: FunctionValue<'ctx>,
    body: FunctionValue<'ctx>,
    kernel: &KernelAbi,
) -> Result<(), inkwell::builder::BuilderError> {
    let builder = context.create_builder();
    let start = context.append_basic_block(entry, "entry");
    let header = context.append_basic_block(entry, "header");
    let run = context.append_basic_block(entry, "run");
    let exit = context.append_basic_block(entry, "exit");
    builder.position_at_end(start);
    let pointers = load_buffers(context, &builder, entry, kernel)?;
    builder.build_unconditional_branch(header)?;
    builder.position_at_end(header);
    let phi = builder.build_phi(context.i64_type(), "block")?;
    let block = phi.as_basic_value().into_int_value();
    let [begin, end] = [2, 3].map(|n| parameter(entry, n).into_int_value());
    let more = builder.build_int_compare(IntPredicate::ULT, block, end, "more")?;
    builder.build_conditional_branch(more, run, exit)?;
    builder.position_at_end(run);
    let mut arguments: Vec<BasicMetadataValueEnum<'ctx>> = vec![block.into()];
    arguments.extend(pointers.iter().map(|&p| BasicMetadataValueEnum::from(p)));
    builder.build_call(body, &arguments, "")?;
    let next = increment(context, &builder, block)?;
    builder.build_unconditional_branch(header)?;
    let incoming: [(&dyn inkwell::values::BasicValue<'ctx>, BasicBlock<'ctx>); 2] =
        [(&begin, start), (&next, run)];
    phi.add_incoming(&incoming);
    builder.position_at_end(exit);
    if stores_past_caches(context, body) {
        // Seen by other threads before whatever this one stores next. Once for the range: to wait for
        // them after every block would leave memory idle meanwhile.
        builder.build_fence(AtomicOrdering::SequentiallyConsistent, false, "")?;
    }
    builder.build_return(None)?;
    Ok(())
}

/// Whether a function has stores that go past the caches, which other threads see when they are settled.
fn stores_past_caches(context: &Context, function: FunctionValue<'_>) -> bool {
    let kind = context.get_kind_id("nontemporal");
    let mut instructions = function
        .get_basic_block_iter()
        .flat_map(BasicBlock::get_instructions);
    instructions
        .any(|i| i.get_opcode() == InstructionOpcode::Store && i.get_metadata(kind).is_some())
}

fn increment<'ctx>(
    context: &'ctx Context,
    builder: &Builder<'ctx>,
    block: IntValue<'ctx>,
) -> Result<IntValue<'ctx>, inkwell::builder::BuilderError> {
    builder.build_int_nuw_add(block, context.i64_type().const_int(1, false), "next")
}

fn parameter<'ctx>(function: FunctionValue<'ctx>, n: u32) -> inkwell::values::BasicValueEnum<'ctx> {
    function
        .get_nth_param(n)
        .unwrap_or_else(|| unreachable!("the entry point has five parameters"))
}

/// The buffers from the array of pointers, and the temporaries in scratch memory.
fn load_buffers<'ctx>(
    context: &'ctx Context,
    builder: &Builder<'ctx>,
    entry: FunctionValue<'ctx>,
    kernel: &KernelAbi,
) -> Result<Vec<PointerValue<'ctx>>, inkwell::builder::BuilderError> {
    let array = parameter(entry, 0).into_pointer_value();
    let scratch = parameter(entry, 4).into_pointer_value();
    let pointer = context.ptr_type(AddressSpace::default());
    let mut pointers = Vec::new();
    for n in 0..kernel.buffers {
        let index = context.i64_type().const_int(n as u64, false);
        // SAFETY: the ABI promises `buffers` pointers in the array.
        let place = unsafe { builder.build_in_bounds_gep(pointer, array, &[index], "place")? };
        pointers.push(
            builder
                .build_load(pointer, place, "buffer")?
                .into_pointer_value(),
        );
    }
    for &offset in &kernel.temporaries {
        let index = context.i64_type().const_int(offset, false);
        let byte = context.i8_type();
        // SAFETY: the ABI promises scratch memory that holds every temporary.
        pointers.push(unsafe { builder.build_in_bounds_gep(byte, scratch, &[index], "tile")? });
    }
    Ok(pointers)
}
