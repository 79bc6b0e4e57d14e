//! Compiles kernels, loads them and runs them on tensors.

// Each test binary uses a part of it.
#![allow(dead_code)]

pub(crate) mod schedules;

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Location, Module};
use sinter_codegen::{Bitcode, KernelAbi, Target, compile, lower, translate};
use sinter_conversion::expand_math::expand_math;
use sinter_conversion::host::{HostTarget, argument_order, emit_function};
use sinter_loops::kernel::{Kernel, Role};
use sinter_loops::tensor::Tensor;

type Entry = unsafe extern "C" fn(*const *mut u8, *const i64, u64, u64, *mut u8);

/// Kernels that were compiled together.
pub(crate) struct Library {
    library: libloading::Library,
    kernels: Vec<Compiled>,
    _file: tempfile::NamedTempFile,
}

struct Compiled {
    kernel: Kernel,
    blocks: u64,
    scratch_bytes: usize,
}

pub(crate) fn context() -> Context {
    let registry = DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

/// Emits kernels into one module and translates it. Kernels get the symbols `k0`, `k1`, ...
pub(crate) fn module(kernels: &[Kernel], target: &Target) -> (Bitcode, Vec<(u64, usize)>) {
    let context = context();
    let location = Location::unknown(&context);
    let mut module = Module::new(location);
    let (mut abis, mut facts) = (Vec::new(), Vec::new());
    for (n, kernel) in kernels.iter().enumerate() {
        let mut kernel = kernel.clone();
        kernel.name = format!("k{n}");
        // Every other kernel stores past the caches whatever it can.
        let streamed_bytes = if n % 2 == 0 { u64::MAX } else { 0 };
        let made_for = HostTarget {
            streamed_bytes,
            dots: target.dots(),
        };
        let function = emit_function(&context, location, &kernel, made_for)
            .unwrap_or_else(|e| panic!("{e}\n{kernel}"));
        let mut offsets = Vec::new();
        let mut top = 0u64;
        for tile in &function.temporaries {
            offsets.push(top);
            top += (tile.bytes() as u64).next_multiple_of(64);
        }
        assert!(function.operation.verify(), "kernel {n}:\n{kernel}");
        module.body().append_operation(function.operation);
        abis.push(KernelAbi {
            symbol: kernel.name.clone(),
            buffers: kernel
                .slots
                .iter()
                .filter(|s| s.role != Role::Temporary)
                .count(),
            temporaries: offsets,
            in_place: vec![],
        });
        facts.push((function.blocks, top as usize));
    }
    // SAFETY: the module outlives the borrow, and so does its context.
    let root =
        unsafe { melior::ir::operation::OperationRef::from_raw(module.as_operation().to_raw()) };
    expand_math(&context, root);
    lower(&context, &mut module).unwrap_or_else(|e| panic!("{e}"));
    (
        translate(&module, &abis, target).unwrap_or_else(|e| panic!("{e}")),
        facts,
    )
}

/// Compiles kernels for this machine, several to a module.
pub(crate) fn library(kernels: &[Kernel], target: &Target) -> Library {
    let (bitcode, facts) = module(kernels, target);
    let code = compile(&[bitcode], target, 1).unwrap_or_else(|e| panic!("{e}"));
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), code).expect("the library is written");
    // SAFETY: our own code, without initialisers.
    let library = unsafe { libloading::Library::new(file.path()) }.expect("the library loads");
    let kernels = kernels
        .iter()
        .zip(facts)
        .map(|(kernel, (blocks, scratch_bytes))| Compiled {
            kernel: kernel.clone(),
            blocks,
            scratch_bytes,
        })
        .collect();
    Library {
        library,
        kernels,
        _file: file,
    }
}

/// Bytes that no kernel may touch, on both sides of every buffer.
const GUARD: usize = 256;
const GUARD_BYTE: u8 = 0xA5;

/// A buffer between guards, aligned to 64 bytes.
struct Guarded {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Guarded {
    fn new(content: &[u8]) -> Self {
        let mut bytes = vec![GUARD_BYTE; content.len() + 2 * GUARD + 64];
        let start = GUARD + bytes[GUARD..].as_ptr().align_offset(64);
        bytes[start..start + content.len()].copy_from_slice(content);
        Self {
            bytes,
            start,
            len: content.len(),
        }
    }

    fn pointer(&mut self) -> *mut u8 {
        self.bytes[self.start..].as_mut_ptr()
    }

    fn content(&self) -> &[u8] {
        let (before, rest) = self.bytes.split_at(self.start);
        let (content, after) = rest.split_at(self.len);
        let untouched = |guard: &[u8]| guard.iter().all(|&b| b == GUARD_BYTE);
        assert!(
            untouched(before) && untouched(after),
            "a kernel wrote outside its buffer"
        );
        content
    }
}

impl Library {
    /// Runs kernel `n` on its inputs and constants, in slot order, in two calls of half the blocks
    /// (the second half first), and returns its outputs.
    pub(crate) fn run(&self, n: usize, inputs: &[Tensor]) -> Vec<Tensor> {
        let compiled = &self.kernels[n];
        let kernel = &compiled.kernel;
        // SAFETY: the symbol has the kernel ABI's type.
        let entry = unsafe { self.library.get::<Entry>(format!("k{n}").as_bytes()) };
        let entry = entry.expect("the kernel is exported");
        let order = argument_order(kernel);
        let mut inputs = inputs.iter();
        let mut buffers: Vec<Guarded> = order
            .iter()
            .filter(|&&s| kernel.slots[s].role != Role::Temporary)
            .map(|&s| match kernel.slots[s].role {
                Role::Output => Guarded::new(&vec![0; kernel.slots[s].ty.bytes() as usize]),
                _ => Guarded::new(inputs.next().expect("an input per slot").bytes()),
            })
            .collect();
        let mut scratch = Guarded::new(&vec![0xFF; compiled.scratch_bytes]);
        let pointers: Vec<*mut u8> = buffers.iter_mut().map(Guarded::pointer).collect();
        let half = compiled.blocks / 2;
        for (begin, end) in [(half, compiled.blocks), (0, half)] {
            // SAFETY: one buffer of the right size per slot, and enough scratch memory.
            unsafe {
                let scratch = scratch.pointer();
                entry(pointers.as_ptr(), std::ptr::null(), begin, end, scratch);
            }
        }
        scratch.content();
        let results = order
            .iter()
            .filter(|&&s| kernel.slots[s].role != Role::Temporary);
        results
            .zip(&buffers)
            .filter_map(|(&s, buffer)| {
                let content = buffer.content().to_vec();
                let slot = &kernel.slots[s];
                (slot.role == Role::Output)
                    .then(|| Tensor::from_bytes(slot.ty.clone(), content.into()))
            })
            .collect()
    }
}
