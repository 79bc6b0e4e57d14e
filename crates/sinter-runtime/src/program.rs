//! The program with everything resolved: flat steps, kernel addresses, buffers and blocks.

use std::sync::atomic::{AtomicPtr, Ordering};

use sinter_model::{BufferRef, Extent, Manifest, Record};

use crate::error::Error;
use crate::memory::Memory;
use crate::model::{KernelFn, Model};

/// One step; every thread walks all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Run a launch.
    Launch(usize),
    /// Copy bytes, on the calling thread.
    Copy(usize),
    /// Wait for all threads.
    Barrier,
    /// Enter a loop that ends before step `end`.
    LoopStart { count: u64, end: usize },
    /// Back to the step after the loop's start, unless it was the last round.
    LoopEnd { start: usize },
    /// Go on, or to step `otherwise` when the buffer's first byte is zero.
    Branch { condition: usize, otherwise: usize },
    /// Go to a step.
    Jump(usize),
}

/// A launch with its addresses.
pub(crate) struct Launch {
    pub(crate) kernel: u32,
    pub(crate) function: KernelFn,
    /// Range of [`Program::pointers`].
    pub(crate) first_arg: usize,
    pub(crate) args: usize,
    /// Arguments from this one on are written.
    pub(crate) inputs: usize,
    /// Range of [`Program::dims`].
    pub(crate) first_dim: usize,
    pub(crate) blocks: u64,
    /// Whether the blocks are spread over the threads.
    pub(crate) parallel: bool,
}

/// A copy with its addresses, as indices of [`Program::pointers`].
pub(crate) struct Copy {
    pub(crate) source: usize,
    pub(crate) destination: usize,
    pub(crate) bytes: usize,
}

/// Where a pointer is to be patched before a run.
pub(crate) struct Patch {
    pub(crate) pointer: usize,
    pub(crate) port: usize,
}

/// The resolved program.
#[derive(Default)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) launches: Vec<Launch>,
    pub(crate) copies: Vec<Copy>,
    /// Buffers of all launches and copies, and their sizes.
    pub(crate) pointers: Vec<AtomicPtr<u8>>,
    pub(crate) sizes: Vec<usize>,
    pub(crate) dims: Vec<i64>,
    pub(crate) inputs: Vec<Patch>,
    pub(crate) outputs: Vec<Patch>,
}

impl Program {
    pub(crate) fn new(
        model: &Model,
        symbols: &[i64],
        arena: &Memory,
        threads: usize,
    ) -> Result<Self, Error> {
        let mut builder = Builder {
            model,
            manifest: model.manifest(),
            symbols,
            arena,
            threads,
            program: Self::default(),
            open: Open::default(),
        };
        builder.body(&model.manifest().program)?;
        builder.program.steps.push(Step::Barrier);
        Ok(builder.program)
    }

    pub(crate) fn pointer(&self, index: usize) -> *mut u8 {
        self.pointers[index].load(Ordering::Relaxed)
    }
}

/// Work that a later step may depend on. Work of the calling thread alone needs no barrier among
/// itself, so most barriers around small kernels vanish.
#[derive(Default)]
struct Open {
    serial_before: bool,
    parallel_before: bool,
    serial_now: bool,
    parallel_now: bool,
}

struct Builder<'a> {
    model: &'a Model,
    manifest: &'a Manifest,
    symbols: &'a [i64],
    arena: &'a Memory,
    threads: usize,
    program: Program,
    open: Open,
}

impl Builder<'_> {
    fn body(&mut self, records: &[Record]) -> Result<(), Error> {
        records.iter().try_for_each(|record| self.record(record))
    }

    fn record(&mut self, record: &Record) -> Result<(), Error> {
        match record {
            Record::Launch {
                kernel,
                args,
                dims,
                blocks,
            } => self.launch(*kernel, args, dims, blocks),
            Record::Copy {
                source,
                destination,
            } => self.copy(source, destination),
            Record::Barrier => {
                self.boundary();
                Ok(())
            }
            Record::Loop { count, body } => {
                self.barrier();
                let start = self.program.steps.len();
                let count = u64::try_from(self.value(count)?).unwrap_or(0);
                self.program.steps.push(Step::LoopStart { count, end: 0 });
                self.body(body)?;
                self.barrier();
                self.program.steps.push(Step::LoopEnd { start });
                let end = self.program.steps.len();
                self.program.steps[start] = Step::LoopStart { count, end };
                Ok(())
            }
            Record::If {
                condition,
                then_body,
                else_body,
            } => self.branch(condition, then_body, else_body),
        }
    }

    fn branch(
        &mut self,
        condition: &BufferRef,
        then_body: &[Record],
        else_body: &[Record],
    ) -> Result<(), Error> {
        self.barrier();
        let condition = self.pointer(condition)?;
        let branch = self.program.steps.len();
        self.program.steps.push(Step::Branch {
            condition,
            otherwise: 0,
        });
        // No thread may write the condition before all have read it.
        self.barrier();
        self.body(then_body)?;
        self.barrier();
        let jump = self.program.steps.len();
        self.program.steps.push(Step::Jump(0));
        let otherwise = self.program.steps.len();
        self.barrier();
        self.body(else_body)?;
        self.barrier();
        self.program.steps[branch] = Step::Branch {
            condition,
            otherwise,
        };
        self.program.steps[jump] = Step::Jump(self.program.steps.len());
        Ok(())
    }

    fn launch(
        &mut self,
        kernel: u32,
        args: &[BufferRef],
        dims: &[Extent],
        blocks: &Extent,
    ) -> Result<(), Error> {
        let entry = &self.manifest.kernels[kernel as usize];
        let blocks = u64::try_from(self.value(blocks)?).unwrap_or(0);
        let parallel = self.threads > 1 && entry.parallel && blocks > 1;
        let first_arg = self.program.pointers.len();
        for arg in args {
            self.pointer(arg)?;
        }
        let first_dim = self.program.dims.len();
        for dim in dims {
            let value = self.value(dim)?;
            self.program.dims.push(value);
        }
        self.before(parallel);
        self.program
            .steps
            .push(Step::Launch(self.program.launches.len()));
        self.program.launches.push(Launch {
            kernel,
            function: self.model.kernel(kernel),
            first_arg,
            args: args.len(),
            inputs: entry.inputs as usize,
            first_dim,
            blocks,
            parallel,
        });
        Ok(())
    }

    fn copy(&mut self, source: &BufferRef, destination: &BufferRef) -> Result<(), Error> {
        let source = self.pointer(source)?;
        let destination = self.pointer(destination)?;
        let bytes = self.program.sizes[source];
        if bytes > self.program.sizes[destination] {
            return Err(invalid("a copy is larger than its destination"));
        }
        self.before(false);
        self.program
            .steps
            .push(Step::Copy(self.program.copies.len()));
        self.program.copies.push(Copy {
            source,
            destination,
            bytes,
        });
        Ok(())
    }

    /// Adds a buffer to the table.
    fn pointer(&mut self, buffer: &BufferRef) -> Result<usize, Error> {
        let pointer = self.program.pointers.len();
        let (address, bytes) = match buffer {
            BufferRef::Arena { offset, bytes } => self.arena_range(offset, bytes)?,
            BufferRef::Weights { offset, bytes } => {
                let range = &self.model.weights()[*offset as usize..(*offset + *bytes) as usize];
                (range.as_ptr().cast_mut(), range.len())
            }
            BufferRef::Input(port) => {
                let port = *port as usize;
                self.program.inputs.push(Patch { pointer, port });
                (
                    std::ptr::null_mut(),
                    port_bytes(&self.manifest.inputs[port], self.symbols)?,
                )
            }
            BufferRef::Output(port) => {
                let port = *port as usize;
                self.program.outputs.push(Patch { pointer, port });
                (
                    std::ptr::null_mut(),
                    port_bytes(&self.manifest.outputs[port], self.symbols)?,
                )
            }
        };
        self.program.pointers.push(AtomicPtr::new(address));
        self.program.sizes.push(bytes);
        Ok(pointer)
    }

    fn arena_range(&self, offset: &Extent, bytes: &Extent) -> Result<(*mut u8, usize), Error> {
        let offset = usize::try_from(self.value(offset)?).unwrap_or(usize::MAX);
        let bytes = usize::try_from(self.value(bytes)?).unwrap_or(usize::MAX);
        let end = offset
            .checked_add(bytes)
            .filter(|&end| end <= self.arena.bytes());
        end.ok_or_else(|| invalid("arena memory is out of bounds"))?;
        Ok((self.arena.base().wrapping_add(offset), bytes))
    }

    fn value(&self, extent: &Extent) -> Result<i64, Error> {
        extent
            .eval(self.symbols)
            .ok_or_else(|| invalid("an extent has no value"))
    }

    /// A barrier of the program: what came before must be done before what comes now.
    fn boundary(&mut self) {
        let open = &mut self.open;
        open.serial_before |= std::mem::take(&mut open.serial_now);
        open.parallel_before |= std::mem::take(&mut open.parallel_now);
    }

    /// Puts a barrier before a piece of work where it depends on other threads.
    fn before(&mut self, parallel: bool) {
        if self.open.parallel_before || (parallel && self.open.serial_before) {
            self.program.steps.push(Step::Barrier);
            self.open.serial_before = false;
            self.open.parallel_before = false;
        }
        self.open.serial_now |= !parallel;
        self.open.parallel_now |= parallel;
    }

    /// A barrier where control flow parts or joins.
    fn barrier(&mut self) {
        self.program.steps.push(Step::Barrier);
        self.open = Open::default();
    }
}

/// Size of a port, once more in the range of an address.
pub(crate) fn port_bytes(port: &sinter_model::Port, symbols: &[i64]) -> Result<usize, Error> {
    let bytes = port
        .bytes(symbols)
        .and_then(|bytes| usize::try_from(bytes).ok());
    bytes.ok_or_else(|| invalid("an input or output has no size"))
}

fn invalid(detail: &str) -> Error {
    sinter_model::Error::Invalid {
        detail: detail.into(),
    }
    .into()
}
