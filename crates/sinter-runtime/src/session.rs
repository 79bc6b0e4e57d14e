//! Memory, threads, runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use sinter_model::{Manifest, Port};

use crate::dma::{Core, Transfers};
use crate::error::Error;
use crate::memory::Memory;
use crate::model::Model;
use crate::pool::{Pool, SpinBarrier};
use crate::profile::{LaunchTime, Profile, Spread};
use crate::program::{Patch, Program, port_bytes};
use crate::walk::{Failure, Local, Scratch, Shared, walk};

/// How a session is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Threads of a run, the calling one included; zero counts as one.
    pub threads: usize,
    /// A value for each of the manifest's symbols.
    pub symbols: Vec<i64>,
    /// How transfers of scratchpad devices are carried out.
    pub transfers: Transfers,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: 1,
            symbols: Vec::new(),
            transfers: Transfers::Sequential,
        }
    }
}

/// A model with memory and threads of its own: one run at a time.
pub struct Session {
    model: Model,
    shared: Arc<Shared>,
    pool: Option<Pool>,
    inputs: Vec<Staged>,
    outputs: Vec<Staged>,
    _arena: Memory,
}

/// Size of an input or output, and memory to stand in for the caller's where that is not aligned.
struct Staged {
    bytes: usize,
    memory: Memory,
}

impl Session {
    /// A session of a model without unknown sizes.
    ///
    /// # Errors
    ///
    /// [`Error::Resource`] when memory or threads cannot be had, [`Error::Symbols`] when the model
    /// has unknown sizes.
    pub fn new(model: &Model, threads: usize) -> Result<Self, Error> {
        Self::with_options(
            model,
            &Options {
                threads,
                ..Options::default()
            },
        )
    }

    /// A session with all options.
    ///
    /// # Errors
    ///
    /// As [`Session::new`].
    pub fn with_options(model: &Model, options: &Options) -> Result<Self, Error> {
        let manifest = model.manifest();
        check_symbols(manifest, &options.symbols)?;
        let arena_bytes = manifest.arena_bytes.eval(&options.symbols);
        let arena_bytes = arena_bytes
            .and_then(|n| u64::try_from(n).ok())
            .unwrap_or(u64::MAX);
        let arena = Memory::new(arena_bytes, "the arena")?;
        let parallel = manifest.kernels.iter().any(|kernel| kernel.parallel);
        let threads = if parallel { options.threads.max(1) } else { 1 };
        let program = Program::new(model, &options.symbols, &arena, threads)?;
        let locals = (0..threads).map(|_| {
            let scratch = scratch(manifest, options.transfers)?;
            Ok(Local::new(scratch, program.launches.len()))
        });
        let locals = locals.collect::<Result<_, Error>>()?;
        let shared = Arc::new(Shared {
            program,
            barrier: SpinBarrier::new(threads as u32),
            threads: threads as u64,
            profile: AtomicBool::new(false),
            locals,
        });
        let pool = if threads > 1 {
            let shared = shared.clone();
            Some(Pool::new(
                threads - 1,
                Arc::new(move |thread| walk(&shared, thread)),
            )?)
        } else {
            None
        };
        let staged = |ports: &[Port]| -> Result<Vec<Staged>, Error> {
            ports
                .iter()
                .map(|port| Staged::new(port, &options.symbols))
                .collect()
        };
        let (inputs, outputs) = (staged(&manifest.inputs)?, staged(&manifest.outputs)?);
        Ok(Self {
            model: model.clone(),
            shared,
            pool,
            inputs,
            outputs,
            _arena: arena,
        })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Threads that a run uses.
    pub fn threads(&self) -> usize {
        self.shared.threads as usize
    }

    /// Size of an input.
    pub fn input_bytes(&self, input: usize) -> usize {
        self.inputs[input].bytes
    }

    /// Size of an output.
    pub fn output_bytes(&self, output: usize) -> usize {
        self.outputs[output].bytes
    }

    /// Runs the model once. Inputs and outputs are row-major, in the manifest's order; those that are
    /// not 64-byte aligned are copied. The results do not depend on the number of threads.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] or [`Error::Size`] before anything runs; [`Error::Fault`] when a kernel of a
    /// scratchpad device breaks its rules, after which the outputs mean nothing.
    pub fn run(&mut self, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), Error> {
        self.bind(inputs, outputs)?;
        self.run_bound()?;
        self.unstage(outputs);
        Ok(())
    }

    /// Runs the model `runs` times with the same inputs and times every launch.
    ///
    /// # Errors
    ///
    /// As [`Session::run`].
    pub fn profile(
        &mut self,
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
        runs: usize,
    ) -> Result<Profile, Error> {
        self.bind(inputs, outputs)?;
        self.shared.profile.store(true, Ordering::Relaxed);
        let samples = self.profiled_runs(runs);
        self.shared.profile.store(false, Ordering::Relaxed);
        let (mut launches, mut whole) = samples?;
        self.unstage(outputs);
        let program = &self.shared.program;
        let times = program.launches.iter().zip(&mut launches);
        let times = times.map(|(l, samples)| LaunchTime {
            kernel: l.kernel,
            ns: Spread::of(samples),
        });
        Ok(Profile {
            runs,
            launches: times.collect(),
            run_ns: Spread::of(&mut whole),
        })
    }

    /// Samples per launch, and of whole runs.
    fn profiled_runs(&mut self, runs: usize) -> Result<(Vec<Vec<u64>>, Vec<u64>), Error> {
        let mut launches = vec![Vec::with_capacity(runs); self.shared.program.launches.len()];
        let mut whole = Vec::with_capacity(runs);
        for _ in 0..runs {
            let start = Instant::now();
            self.run_bound()?;
            whole.push(start.elapsed().as_nanos() as u64);
            // SAFETY: No run is under way.
            let state = unsafe { self.shared.locals[0].state() };
            for (samples, time) in launches.iter_mut().zip(&mut state.times) {
                samples.push(std::mem::take(time));
            }
        }
        Ok((launches, whole))
    }

    /// Checks the caller's buffers and writes their addresses into the program.
    fn bind(&mut self, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), Error> {
        let manifest = self.model.manifest();
        let (given, wanted) = (
            inputs.iter().map(|s| s.len()),
            outputs.iter().map(|s| s.len()),
        );
        check_sizes("input", &manifest.inputs, &self.inputs, given)?;
        check_sizes("output", &manifest.outputs, &self.outputs, wanted)?;
        let patch = |patches: &[Patch], port: usize, address: *mut u8| {
            for patch in patches.iter().filter(|patch| patch.port == port) {
                self.shared.program.pointers[patch.pointer].store(address, Ordering::Relaxed);
            }
        };
        for (i, input) in inputs.iter().enumerate() {
            let staged = &self.inputs[i];
            let address = if aligned(input) {
                input.as_ptr().cast_mut()
            } else {
                let to = staged.memory.base();
                // SAFETY: The staging memory has the input's size (just checked) and no run is under
                // way.
                unsafe { std::ptr::copy_nonoverlapping(input.as_ptr(), to, input.len()) };
                to
            };
            patch(&self.shared.program.inputs, i, address);
        }
        for (i, output) in outputs.iter_mut().enumerate() {
            let staged = self.outputs[i].memory.base();
            let address = if aligned(output) {
                output.as_mut_ptr()
            } else {
                staged
            };
            patch(&self.shared.program.outputs, i, address);
        }
        Ok(())
    }

    /// Copies outputs that were not aligned to where the caller wants them.
    fn unstage(&self, outputs: &mut [&mut [u8]]) {
        for (staged, output) in self.outputs.iter().zip(outputs) {
            if !aligned(output) {
                let from = staged.memory.base();
                // SAFETY: The staging memory has the output's size and no run is under way.
                unsafe {
                    std::ptr::copy_nonoverlapping(from, output.as_mut_ptr(), output.len());
                }
            }
        }
    }

    fn run_bound(&mut self) -> Result<(), Error> {
        for local in &self.shared.locals {
            // SAFETY: No run is under way.
            unsafe { local.state() }.fault = None;
        }
        if let Some(pool) = &self.pool {
            pool.start();
        }
        // The program ends with a barrier: when this returns, all threads are done.
        walk(&self.shared, 0);
        self.first_failure()
            .map_or(Ok(()), |failure| Err(self.fault(failure)))
    }

    fn first_failure(&self) -> Option<Failure> {
        // SAFETY: No run is under way.
        let failures = self
            .shared
            .locals
            .iter()
            .filter_map(|l| unsafe { l.state() }.fault.take());
        failures.min_by_key(|failure| (failure.sequence, failure.block))
    }

    fn fault(&self, failure: Failure) -> Error {
        let kernel = &self.model.manifest().kernels[failure.kernel as usize];
        Error::Fault {
            kernel: kernel.symbol.clone(),
            launch: failure.sequence,
            block: failure.block,
            origins: kernel.origins.join(", "),
            fault: failure.fault,
        }
    }
}

impl Staged {
    fn new(port: &Port, symbols: &[i64]) -> Result<Self, Error> {
        let bytes = port_bytes(port, symbols)?;
        Ok(Self {
            bytes,
            memory: Memory::new(bytes as u64, &port.name)?,
        })
    }
}

fn aligned(slice: &[u8]) -> bool {
    slice
        .as_ptr()
        .addr()
        .is_multiple_of(sinter_model::BUFFER_ALIGN as usize)
}

fn scratch(manifest: &Manifest, transfers: Transfers) -> Result<Scratch, Error> {
    if manifest.spaces.is_empty() {
        return Ok(Scratch::Host(Memory::new(
            manifest.scratch_bytes,
            "scratch memory",
        )?));
    }
    let args = manifest
        .kernels
        .iter()
        .map(|kernel| kernel.inputs + kernel.outputs);
    let max_args = args.max().unwrap_or(0) as usize;
    Ok(Scratch::Device(Core::new(
        &manifest.spaces,
        transfers,
        max_args,
    )?))
}

fn check_symbols(manifest: &Manifest, values: &[i64]) -> Result<(), Error> {
    let symbols = &manifest.symbols;
    let fits = symbols.len() == values.len()
        && symbols
            .iter()
            .zip(values)
            .all(|(s, v)| (s.min..=s.max).contains(v));
    if fits {
        return Ok(());
    }
    let ranges: Vec<String> = symbols
        .iter()
        .map(|s| format!("{} in {}..={}", s.name, s.min, s.max))
        .collect();
    let expected = if ranges.is_empty() {
        "none".into()
    } else {
        ranges.join(", ")
    };
    Err(Error::Symbols { expected })
}

fn check_sizes(
    what: &'static str,
    ports: &[Port],
    staged: &[Staged],
    given: impl ExactSizeIterator<Item = usize>,
) -> Result<(), Error> {
    if ports.len() != given.len() {
        let what = if what == "input" { "inputs" } else { "outputs" };
        return Err(Error::Count {
            what,
            expected: ports.len(),
            found: given.len(),
        });
    }
    for ((port, staged), found) in ports.iter().zip(staged).zip(given) {
        if staged.bytes != found {
            return Err(Error::Size {
                what,
                name: port.name.clone(),
                expected: staged.bytes,
                found,
            });
        }
    }
    Ok(())
}
