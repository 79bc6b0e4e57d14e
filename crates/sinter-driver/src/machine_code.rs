//! Machine code of a planned module: equal kernels once, parts of the module on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use sinter_codegen::{Bitcode, Target};
use sinter_ir::Context;
use sinter_ir::melior::ir::Module;
use sinter_model::StageTime;
use sinter_pass::pipelines;

use crate::compile::Clock;
use crate::error::Error;
use crate::kernels::{Part, split};

/// Most parts that a module is taken apart into. Fixed, so that the code does not depend on the
/// machine's threads.
const PARTS: usize = 16;

/// The shared object with all kernels of a planned module.
///
/// # Errors
/// When a conversion, LLVM or the linker fails.
pub(crate) fn machine_code(
    module: &Module<'_>,
    jobs: Option<usize>,
    clock: &mut Clock,
) -> Result<Vec<u8>, Error> {
    let target = Target::host();
    let code = clock.time("equal kernels", || Ok(split(module, PARTS)?))?;
    let objects = in_parts(&code.parts, jobs, clock, |part, clock| {
        let bitcode = part_bitcode(part, &target, clock)?;
        clock.time("LLVM", || Ok(sinter_codegen::object(&bitcode, &target)?))
    })?;
    clock.time("linking", || {
        Ok(sinter_codegen::link(objects, &code.aliases, &target)?)
    })
}

/// The LLVM modules of a planned module, each of some of its kernels; equal kernels are in them once.
///
/// # Errors
/// When a conversion fails.
pub(crate) fn bitcode(
    module: &Module<'_>,
    target: &Target,
    jobs: Option<usize>,
    clock: &mut Clock,
) -> Result<Vec<Bitcode>, Error> {
    let code = split(module, PARTS)?;
    in_parts(&code.parts, jobs, clock, |part, clock| {
        part_bitcode(part, target, clock)
    })
}

/// From kernels to LLVM IR, in a context of its own.
fn part_bitcode(part: &Part, target: &Target, clock: &mut Clock) -> Result<Bitcode, Error> {
    let context = Context::new();
    let mut module = context.parse(&part.bytecode)?;
    clock.pipeline(&context, &mut module, &pipelines::NPU_TO_FUNC, "")?;
    clock.time("to the LLVM dialect", || {
        Ok(sinter_codegen::lower(&context, &mut module)?)
    })?;
    clock.time("to LLVM IR", || {
        Ok(sinter_codegen::translate(&module, &part.kernels, target)?)
    })
}

/// Results of all parts, in their order. The elapsed time is shared among the stages as the threads
/// spent theirs.
fn in_parts<R: Send>(
    parts: &[Part],
    jobs: Option<usize>,
    clock: &mut Clock,
    run: impl Fn(&Part, &mut Clock) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    crate::register_passes();
    let start = Instant::now();
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let threads = jobs.unwrap_or_else(sinter_runner::cores);
        for _ in 0..threads.clamp(1, parts.len().max(1)) {
            scope.spawn(|| {
                while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut clock = Clock::default();
                    let result = run(part, &mut clock);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.push((part.number, result, clock.stages));
                }
            });
        }
    });
    let elapsed_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, ..)| *number);
    let spent: f64 = stages(&done).map(|s| s.ms).sum();
    for stage in stages(&done) {
        clock.add(&stage.stage, stage.ms / spent * elapsed_ms);
    }
    done.into_iter().map(|(_, result, _)| result).collect()
}

fn stages<R>(done: &[(usize, R, Vec<StageTime>)]) -> impl Iterator<Item = &StageTime> {
    done.iter().flat_map(|(_, _, stages)| stages)
}
