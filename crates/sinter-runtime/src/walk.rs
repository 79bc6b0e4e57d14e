//! One thread's way through the program.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::dma::{Core, Region};
use crate::error::Fault;
use crate::memory::Memory;
use crate::pool::SpinBarrier;
use crate::program::{Copy, Launch, Program, Step};

/// Deepest nesting of loops; the container's validation allows no more.
const MAX_LOOPS: usize = sinter_model::validate::MAX_DEPTH;

/// What all threads of a session share.
pub(crate) struct Shared {
    pub(crate) program: Program,
    pub(crate) barrier: SpinBarrier,
    pub(crate) threads: u64,
    /// Whether launches are timed: all threads meet around each parallel launch.
    pub(crate) profile: AtomicBool,
    pub(crate) locals: Vec<Local>,
}

/// What belongs to one thread, by its number.
pub(crate) struct Local {
    state: UnsafeCell<State>,
}

/// The state of one thread.
pub(crate) struct State {
    pub(crate) scratch: Scratch,
    /// The first fault of the current run.
    pub(crate) fault: Option<Failure>,
    /// Nanoseconds per launch, filled by the calling thread of a profiled run.
    pub(crate) times: Vec<u64>,
}

/// What a kernel's last argument points to.
pub(crate) enum Scratch {
    /// Plain memory.
    Host(Memory),
    /// The words of a scratchpad device.
    Device(Core),
}

/// A fault, with where in the run it happened.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) sequence: u64,
    pub(crate) block: u64,
    pub(crate) kernel: u32,
    pub(crate) fault: Fault,
}

impl Local {
    pub(crate) fn new(scratch: Scratch, launches: usize) -> Self {
        let state = State {
            scratch,
            fault: None,
            times: vec![0; launches],
        };
        Self {
            state: UnsafeCell::new(state),
        }
    }

    /// The state.
    ///
    /// # Safety
    ///
    /// No other reference to this state lives: thread `t` of a run uses local `t` only, and the
    /// session looks at locals only between runs.
    #[expect(
        clippy::mut_from_ref,
        reason = "exclusive by the contract of the safety section"
    )]
    pub(crate) unsafe fn state(&self) -> &mut State {
        // SAFETY: By the contract.
        unsafe { &mut *self.state.get() }
    }
}

// SAFETY: The locals are used by one thread each (see `Local::state`); the program's tables are
// atomic or constant during a run; the memory that its pointers lead to is shared by the program's
// own rule that what runs at once is independent.
unsafe impl Sync for Shared {}
// SAFETY: As above.
unsafe impl Send for Shared {}

/// Walks all steps as thread `thread`; thread 0 is the calling one.
pub(crate) fn walk(shared: &Shared, thread: usize) {
    // SAFETY: Each thread of the run passes its own number.
    let state = unsafe { shared.locals[thread].state() };
    let mut walker = Walker {
        shared,
        thread: thread as u64,
        state,
        sequence: 0,
        profile: shared.profile.load(Ordering::Relaxed),
    };
    walker.steps();
}

struct Walker<'a> {
    shared: &'a Shared,
    thread: u64,
    state: &'a mut State,
    sequence: u64,
    profile: bool,
}

impl Walker<'_> {
    fn steps(&mut self) {
        let program = &self.shared.program;
        let mut rounds = [0u64; MAX_LOOPS];
        let mut depth = 0;
        let mut at = 0;
        while let Some(&step) = program.steps.get(at) {
            at += 1;
            match step {
                Step::Launch(launch) => self.launch(launch),
                Step::Copy(copy) => self.copy(&program.copies[copy]),
                Step::Barrier => self.shared.barrier.wait(),
                Step::LoopStart { count: 0, end } => at = end,
                Step::LoopStart { count, .. } => {
                    rounds[depth] = count;
                    depth += 1;
                }
                Step::LoopEnd { start } => {
                    rounds[depth - 1] -= 1;
                    if rounds[depth - 1] > 0 {
                        at = start + 1;
                    } else {
                        depth -= 1;
                    }
                }
                Step::Branch {
                    condition,
                    otherwise,
                } => {
                    // SAFETY: The buffer has at least one byte (validation), and a barrier before
                    // and after parts this read from every write.
                    let condition = unsafe { *program.pointer(condition) };
                    if condition == 0 {
                        at = otherwise;
                    }
                }
                Step::Jump(to) => at = to,
            }
        }
    }

    fn launch(&mut self, index: usize) {
        let launch = &self.shared.program.launches[index];
        self.sequence += 1;
        if !launch.parallel && self.thread != 0 {
            return;
        }
        if !self.profile {
            self.blocks(launch);
            return;
        }
        if launch.parallel {
            self.shared.barrier.wait();
        }
        let start = Instant::now();
        self.blocks(launch);
        if launch.parallel {
            self.shared.barrier.wait();
        }
        self.state.times[index] += start.elapsed().as_nanos() as u64;
    }

    /// Runs this thread's range of a launch's blocks.
    fn blocks(&mut self, launch: &Launch) {
        let (begin, end) = if launch.parallel {
            let cut = |t: u64| split(launch.blocks, t, self.shared.threads);
            (cut(self.thread), cut(self.thread + 1))
        } else {
            (0, launch.blocks)
        };
        if begin == end {
            return;
        }
        let program = &self.shared.program;
        // `AtomicPtr<u8>` has the representation of `*mut u8`.
        let bufs = program.pointers[launch.first_arg..]
            .as_ptr()
            .cast::<*mut u8>();
        let dims = program.dims[launch.first_dim..].as_ptr();
        match &mut self.state.scratch {
            // SAFETY: The buffers are those that the checked program names, the range is within the
            // grid, the scratch memory is this thread's own.
            Scratch::Host(memory) => unsafe {
                (launch.function)(bufs, dims, begin, end, memory.base());
            },
            Scratch::Device(core) => {
                if self.state.fault.is_some() {
                    return;
                }
                for block in begin..end {
                    let regions = regions(program, launch);
                    // SAFETY: As on the host; the scratch words are this thread's own.
                    let done = core.run(regions, |words| unsafe {
                        (launch.function)(bufs, dims, block, block + 1, words);
                    });
                    if let Err(fault) = done {
                        let (sequence, kernel) = (self.sequence - 1, launch.kernel);
                        self.state.fault = Some(Failure {
                            sequence,
                            block,
                            kernel,
                            fault,
                        });
                        return;
                    }
                }
            }
        }
    }

    fn copy(&mut self, copy: &Copy) {
        if self.thread != 0 {
            return;
        }
        let program = &self.shared.program;
        let (from, to) = (
            program.pointer(copy.source),
            program.pointer(copy.destination),
        );
        // SAFETY: Both buffers have at least `bytes` bytes (checked when the program was resolved);
        // `copy` allows overlap.
        unsafe { std::ptr::copy(from, to, copy.bytes) };
    }
}

fn regions<'a>(program: &'a Program, launch: &'a Launch) -> impl Iterator<Item = Region> + 'a {
    (0..launch.args).map(|arg| Region {
        start: program.pointer(launch.first_arg + arg),
        bytes: program.sizes[launch.first_arg + arg],
        writable: arg >= launch.inputs,
    })
}

/// The first of `blocks` that belongs to thread `thread` of `threads`.
fn split(blocks: u64, thread: u64, threads: u64) -> u64 {
    (u128::from(blocks) * u128::from(thread) / u128::from(threads)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_share_all_blocks_evenly() {
        for blocks in [0, 1, 2, 7, 100, u64::MAX] {
            for threads in 1..6 {
                assert_eq!(split(blocks, 0, threads), 0);
                assert_eq!(split(blocks, threads, threads), blocks);
                let shares: Vec<u64> = (0..threads)
                    .map(|t| split(blocks, t + 1, threads) - split(blocks, t, threads))
                    .collect();
                let (least, most) = (shares.iter().min(), shares.iter().max());
                assert!(
                    most.unwrap() - least.unwrap() <= 1,
                    "{blocks} on {threads}: {shares:?}"
                );
            }
        }
    }
}
