//! Kernels as machine code in this process.

use std::time::Instant;

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationRef;
use melior::ir::{BlockLike, Location, Module};
use sinter_codegen::{KernelAbi, Target, compile, lower, translate};
use sinter_conversion::expand_math::expand_math;
use sinter_conversion::host::{HostTarget, argument_order, emit_function};
use sinter_loops::kernel::{Kernel, Role};

use crate::Outcome;

type Entry = unsafe extern "C" fn(*const *mut u8, *const i64, u64, u64, *mut u8);
type Memory = Vec<[f32; 16]>;

/// A kernel with buffers of its own; its first input may be another's output.
pub(crate) struct Compiled {
    _library: libloading::Library,
    entry: Entry,
    blocks: u64,
    buffers: Vec<Memory>,
    scratch: Memory,
}

impl Compiled {
    pub(crate) fn new(kernel: &Kernel, target: &Target) -> Outcome<Self> {
        let registry = DialectRegistry::new();
        melior::utility::register_all_dialects(&registry);
        let context = Context::new();
        context.append_dialect_registry(&registry);
        context.load_all_available_dialects();
        let location = Location::unknown(&context);
        let mut module = Module::new(location);
        let function = emit_function(&context, location, kernel, HostTarget::plain(u64::MAX))?;
        module.body().append_operation(function.operation);
        // SAFETY: the module outlives the reference.
        let root = unsafe { OperationRef::from_raw(module.as_operation().to_raw()) };
        expand_math(&context, root);
        lower(&context, &mut module)?;
        let stored = |s: &usize| kernel.slots[*s].role != Role::Temporary;
        let slots: Vec<usize> = argument_order(kernel).into_iter().filter(stored).collect();
        let mut scratch_bytes = 0u64;
        let mut temporaries = Vec::new();
        for tile in &function.temporaries {
            temporaries.push(scratch_bytes);
            scratch_bytes += (tile.bytes() as u64).next_multiple_of(64);
        }
        let abi = KernelAbi {
            symbol: kernel.name.clone(),
            buffers: slots.len(),
            temporaries,
            in_place: vec![],
        };
        let bitcode = translate(&module, &[abi], target)?;
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), compile(&[bitcode], target, 1)?)?;
        // SAFETY: our own code, without initialisers.
        let library = unsafe { libloading::Library::new(file.path())? };
        // SAFETY: the symbol has the kernel ABI's type.
        let entry = unsafe { *library.get::<Entry>(kernel.name.as_bytes())? };
        let memory = |s: &usize| {
            let elements = kernel.slots[*s].ty.elements().unsigned_abs() as usize;
            vec![[0.01; 16]; elements.div_ceil(16)]
        };
        Ok(Self {
            _library: library,
            entry,
            blocks: function.blocks,
            buffers: slots.iter().map(memory).collect(),
            scratch: vec![[0.0; 16]; scratch_bytes as usize / 64 + 1],
        })
    }

    fn run(&mut self, input: Option<*mut u8>) -> *mut u8 {
        let mut pointers: Vec<*mut u8> = self
            .buffers
            .iter_mut()
            .map(|m| m.as_mut_ptr().cast())
            .collect();
        if let Some(input) = input {
            pointers[0] = input;
        }
        let scratch = self.scratch.as_mut_ptr().cast();
        // SAFETY: one buffer of the right size per slot, and enough scratch memory.
        unsafe {
            (self.entry)(pointers.as_ptr(), std::ptr::null(), 0, self.blocks, scratch);
        }
        pointers[pointers.len() - 1]
    }
}

/// Runs kernels in a row, each on the output of the one before; seconds of the second of two runs.
pub(crate) fn chain(kernels: &mut [Compiled]) -> f64 {
    let mut seconds = 0.0;
    for _ in 0..2 {
        let start = Instant::now();
        let mut value = None;
        for kernel in kernels.iter_mut() {
            value = Some(kernel.run(value));
        }
        seconds = start.elapsed().as_secs_f64();
    }
    seconds
}
