//! Optimisation, objects and assembly.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{FileType, TargetMachine};

use crate::translate::llvm;
use crate::{Bitcode, CodegenError, Target};

/// The object file of a module.
///
/// # Errors
/// When LLVM refuses the module or the target.
pub fn object(module: &Bitcode, target: &Target) -> Result<Vec<u8>, CodegenError> {
    emit(module, target, FileType::Object)
}

/// The assembly text of a module, as optimised.
///
/// # Errors
/// When LLVM refuses the module or the target.
pub fn assembly(module: &Bitcode, target: &Target) -> Result<String, CodegenError> {
    Ok(String::from_utf8_lossy(&emit(module, target, FileType::Assembly)?).into_owned())
}

/// The LLVM IR text of a module, optimised when `optimised` holds.
///
/// # Errors
/// When LLVM refuses the module or the target.
pub fn ir_text(module: &Bitcode, target: &Target, optimised: bool) -> Result<String, CodegenError> {
    let context = Context::create();
    let parsed = module.parse(&context)?;
    if optimised {
        optimise(&parsed, &target.machine()?)?;
    }
    Ok(parsed.print_to_string().to_string())
}

/// The object files of several modules, in the order of the modules, on up to `threads` threads.
///
/// # Errors
/// The error of the first module that fails.
pub fn objects(
    modules: &[Bitcode],
    target: &Target,
    threads: usize,
) -> Result<Vec<Vec<u8>>, CodegenError> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, modules.len().max(1)) {
            scope.spawn(|| {
                while let Some(n) = take(&next, modules.len()) {
                    let result = object(&modules[n], target);
                    done.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((n, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, result)| result).collect()
}

fn take(next: &AtomicUsize, count: usize) -> Option<usize> {
    let n = next.fetch_add(1, Ordering::Relaxed);
    (n < count).then_some(n)
}

fn emit(module: &Bitcode, target: &Target, kind: FileType) -> Result<Vec<u8>, CodegenError> {
    let context = Context::create();
    let parsed = module.parse(&context)?;
    let machine = target.machine()?;
    optimise(&parsed, &machine)?;
    let buffer = machine
        .write_to_memory_buffer(&parsed, kind)
        .map_err(llvm)?;
    Ok(buffer.as_slice().to_vec())
}

/// LLVM's O3 without the loop transformations that the schedule has already decided: vectorising
/// remainders and unrolling would only grow the code.
fn optimise(module: &Module<'_>, machine: &TargetMachine) -> Result<(), CodegenError> {
    let options = PassBuilderOptions::create();
    options.set_loop_vectorization(false);
    options.set_loop_slp_vectorization(false);
    options.set_loop_interleaving(false);
    options.set_loop_unrolling(false);
    module
        .run_passes("default<O3>", machine, options)
        .map_err(llvm)
}
