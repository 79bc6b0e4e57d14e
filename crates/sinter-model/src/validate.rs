//! What a manifest must satisfy. The writer refuses what the reader would refuse.

use crate::error::Error;
use crate::extent::Extent;
use crate::manifest::{Kernel, Manifest, Port};
use crate::program::{BufferRef, Record};
use crate::{BUFFER_ALIGN, FORMAT_VERSION};

/// Deepest nesting of loops and branches in a program.
pub const MAX_DEPTH: usize = 16;

/// Largest number of a memory space: word `8 + index` of the 64 scratch words is its base.
pub const MAX_SPACE: u32 = 55;

/// Most buffers of one kernel.
pub const MAX_ARGS: u32 = 4096;

/// Checks every figure, index, offset and extent of a manifest against the manifest itself and the
/// size of the weights section.
///
/// # Errors
///
/// [`Error::Invalid`] names the first thing that does not fit.
pub fn manifest(manifest: &Manifest, weights_bytes: u64) -> Result<(), Error> {
    let checker = Checker {
        manifest,
        weights_bytes,
    };
    checker.head().map_err(Error::invalid)?;
    for kernel in &manifest.kernels {
        checker.kernel(kernel).map_err(|e| in_kernel(kernel, &e))?;
    }
    checker.body(&manifest.program, 0).map_err(Error::invalid)
}

fn in_kernel(kernel: &Kernel, detail: &str) -> Error {
    Error::invalid(format!(
        "kernel `{}` {detail}",
        kernel.symbol.escape_debug()
    ))
}

type Check = Result<(), String>;

struct Checker<'a> {
    manifest: &'a Manifest,
    weights_bytes: u64,
}

impl Checker<'_> {
    fn head(&self) -> Check {
        let m = self.manifest;
        ensure(m.format == FORMAT_VERSION, || {
            format!(
                "its manifest has format {} in a container of format {FORMAT_VERSION}",
                m.format
            )
        })?;
        for symbol in &m.symbols {
            ensure(0 <= symbol.min && symbol.min <= symbol.max, || {
                format!(
                    "symbol `{}` has the empty or negative range {}..={}",
                    symbol.name, symbol.min, symbol.max
                )
            })?;
        }
        m.inputs
            .iter()
            .chain(&m.outputs)
            .try_for_each(|port| self.port(port))?;
        self.not_negative(&m.arena_bytes, "the arena's size")?;
        ensure(i64::try_from(m.scratch_bytes).is_ok(), || {
            "the scratch size is out of range".into()
        })?;
        self.spaces()?;
        let s = &m.statistics;
        let mut figures = [s.price_ns, s.lower_bound_ns, s.gap]
            .into_iter()
            .chain(s.compile_ms.iter().map(|stage| stage.ms));
        ensure(figures.all(f64::is_finite), || {
            "a figure of its statistics is not finite".into()
        })
    }

    fn port(&self, port: &Port) -> Check {
        let bytes = port.max_bytes(&self.manifest.symbols);
        let fits = bytes.is_some_and(|bytes| i64::try_from(bytes).is_ok());
        ensure(fits, || {
            format!(
                "`{}` has an unknown element type `{}` or a shape without a size",
                port.name, port.element
            )
        })
    }

    fn spaces(&self) -> Check {
        let spaces = &self.manifest.spaces;
        for (i, space) in spaces.iter().enumerate() {
            let fresh = spaces[..i].iter().all(|other| other.index != space.index);
            let sized = (1..=MAX_SPACE).contains(&space.index) && space.bytes <= i64::MAX as u64;
            ensure(fresh && sized, || {
                format!("memory space `{}` has a bad number or size", space.name)
            })?;
        }
        Ok(())
    }

    fn kernel(&self, kernel: &Kernel) -> Check {
        let symbol = &kernel.symbol;
        ensure(!symbol.is_empty() && !symbol.contains('\0'), || {
            "has no usable name".into()
        })?;
        let args = kernel
            .inputs
            .checked_add(kernel.outputs)
            .filter(|&n| n <= MAX_ARGS);
        ensure(args.is_some(), || {
            format!("has more than {MAX_ARGS} buffers")
        })?;
        let pairs = kernel.inputs..kernel.inputs + kernel.outputs;
        let in_place = kernel
            .in_place
            .iter()
            .all(|p| p.input < kernel.inputs && pairs.contains(&p.output));
        ensure(in_place, || {
            "has an in-place pair that is not an input and an output".into()
        })?;
        let disjoint = kernel
            .disjoint
            .iter()
            .all(|p| p.other < p.output && pairs.contains(&p.output));
        ensure(disjoint, || {
            "has a disjoint pair that is not an argument and a later output".into()
        })?;
        ensure(kernel.price_ns.is_finite(), || {
            "has a price that is not finite".into()
        })
    }

    fn body(&self, records: &[Record], depth: usize) -> Check {
        ensure(depth < MAX_DEPTH, || {
            format!("its program nests deeper than {MAX_DEPTH}")
        })?;
        records
            .iter()
            .try_for_each(|record| self.record(record, depth))
    }

    fn record(&self, record: &Record, depth: usize) -> Check {
        match record {
            Record::Launch {
                kernel,
                args,
                dims,
                blocks,
            } => {
                let Some(k) = self.manifest.kernels.get(*kernel as usize) else {
                    return Err(format!(
                        "a launch names kernel {kernel} of {}",
                        self.manifest.kernels.len()
                    ));
                };
                self.launch(k, args, dims, blocks)
                    .map_err(|e| format!("a launch of `{}` {e}", k.symbol.escape_debug()))
            }
            Record::Barrier => Ok(()),
            Record::Copy {
                source,
                destination,
            } => {
                self.buffer(source)
                    .map_err(|e| format!("a copy reads {e}"))?;
                self.written(destination)
                    .map_err(|e| format!("a copy writes {e}"))?;
                ensure(
                    self.max_bytes(source) <= self.max_bytes(destination),
                    || "a copy is larger than its destination".into(),
                )
            }
            Record::Loop { count, body } => {
                self.bounds(count, "a loop's count")?;
                self.body(body, depth + 1)
            }
            Record::If {
                condition,
                then_body,
                else_body,
            } => {
                self.buffer(condition)
                    .map_err(|e| format!("a branch reads {e}"))?;
                ensure(self.max_bytes(condition) > 0, || {
                    "a branch reads an empty buffer".into()
                })?;
                self.body(then_body, depth + 1)?;
                self.body(else_body, depth + 1)
            }
        }
    }

    fn launch(&self, k: &Kernel, args: &[BufferRef], dims: &[Extent], blocks: &Extent) -> Check {
        let expected = (k.inputs + k.outputs) as usize;
        ensure(args.len() == expected, || {
            format!("has {} buffers, the kernel takes {expected}", args.len())
        })?;
        let (inputs, outputs) = args.split_at(k.inputs as usize);
        inputs
            .iter()
            .try_for_each(|arg| self.buffer(arg))
            .map_err(|e| format!("reads {e}"))?;
        outputs
            .iter()
            .try_for_each(|arg| self.written(arg))
            .map_err(|e| format!("writes {e}"))?;
        self.not_negative(blocks, "its number of blocks")?;
        dims.iter()
            .try_for_each(|dim| self.bounds(dim, "one of its dims").map(drop))
    }

    fn written(&self, buffer: &BufferRef) -> Check {
        match buffer {
            BufferRef::Weights { .. } => Err("the weights, which are constant".into()),
            BufferRef::Input(_) => Err("an input of the model, which is constant".into()),
            BufferRef::Arena { .. } | BufferRef::Output(_) => self.buffer(buffer),
        }
    }

    fn buffer(&self, buffer: &BufferRef) -> Check {
        match buffer {
            BufferRef::Arena { offset, bytes } => self.arena(offset, bytes),
            BufferRef::Weights { offset, bytes } => {
                let end = offset
                    .checked_add(*bytes)
                    .filter(|&end| end <= self.weights_bytes);
                ensure(end.is_some() && offset.is_multiple_of(BUFFER_ALIGN), || {
                    format!(
                        "weights out of bounds or misaligned ({bytes} bytes at {offset} of {})",
                        self.weights_bytes
                    )
                })
            }
            BufferRef::Input(i) => ensure((*i as usize) < self.manifest.inputs.len(), || {
                format!("input {i} of {}", self.manifest.inputs.len())
            }),
            BufferRef::Output(i) => ensure((*i as usize) < self.manifest.outputs.len(), || {
                format!("output {i} of {}", self.manifest.outputs.len())
            }),
        }
    }

    fn arena(&self, offset: &Extent, bytes: &Extent) -> Check {
        self.not_negative(offset, "an offset")?;
        self.not_negative(bytes, "a size")?;
        let align = BUFFER_ALIGN as i64;
        let aligned = offset.constant % align == 0 && offset.terms.iter().all(|t| t.1 % align == 0);
        let rest = || {
            let end = offset.checked_add(bytes)?.checked_mul(-1)?;
            self.manifest
                .arena_bytes
                .checked_add(&end)?
                .bounds(&self.manifest.symbols)
        };
        ensure(aligned && rest().is_some_and(|(low, _)| low >= 0), || {
            format!(
                "arena memory out of bounds or misaligned ({bytes} bytes at {offset} of {})",
                self.manifest.arena_bytes
            )
        })
    }

    fn max_bytes(&self, buffer: &BufferRef) -> u64 {
        let m = self.manifest;
        match buffer {
            BufferRef::Arena { bytes, .. } => bytes
                .bounds(&m.symbols)
                .and_then(|(_, high)| high.try_into().ok())
                .unwrap_or(0),
            BufferRef::Weights { bytes, .. } => *bytes,
            BufferRef::Input(i) => m.inputs[*i as usize].max_bytes(&m.symbols).unwrap_or(0),
            BufferRef::Output(i) => m.outputs[*i as usize].max_bytes(&m.symbols).unwrap_or(0),
        }
    }

    fn not_negative(&self, extent: &Extent, what: &str) -> Check {
        let (low, _) = self.bounds(extent, what)?;
        ensure(low >= 0, || format!("{what} can be negative ({extent})"))
    }

    fn bounds(&self, extent: &Extent, what: &str) -> Result<(i64, i64), String> {
        let ordered = extent.terms.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let bounds = extent.bounds(&self.manifest.symbols).filter(|_| ordered);
        bounds.ok_or_else(|| format!("{what} has no value ({extent})"))
    }
}

fn ensure(holds: bool, detail: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(detail()) }
}
