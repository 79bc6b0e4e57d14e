//! Launches that are not independent though no barrier parts them.
//!
//! This is a check for whoever makes programs, not part of reading one: it judges whole buffers as
//! the program names them, so two kernels that write different parts of one buffer are reported
//! although they may never touch the same byte.

use crate::manifest::Manifest;
use crate::program::{BufferRef, Record};

/// Two accesses that may meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hazard {
    /// Two steps of one barrier interval, one of which writes what the other touches. Steps are
    /// numbered in program order, counting into bodies.
    Race {
        /// The earlier step.
        first: usize,
        /// The later step.
        second: usize,
    },
    /// A launch whose output shares memory with another of its buffers without an in-place entry.
    Alias {
        /// The step.
        step: usize,
        /// Argument number of the output.
        output: u32,
        /// Argument number of the other buffer.
        other: u32,
    },
}

/// All hazards of a valid manifest at the given symbol values, in program order.
pub fn hazards(manifest: &Manifest, symbols: &[i64]) -> Vec<Hazard> {
    let mut walk = Walk {
        manifest,
        symbols,
        step: 0,
        found: Vec::new(),
    };
    walk.body(&manifest.program);
    walk.found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Arena,
    Weights,
    Input(u32),
    Output(u32),
}

/// A range of bytes in one memory.
#[derive(Clone, Copy)]
struct Span {
    memory: Memory,
    start: u64,
    end: u64,
}

impl Span {
    fn meets(&self, other: &Self) -> bool {
        self.memory == other.memory && self.start < other.end && other.start < self.end
    }
}

struct Step {
    number: usize,
    reads: Vec<Span>,
    writes: Vec<Span>,
}

impl Step {
    fn conflicts(&self, other: &Self) -> bool {
        let hits = |writes: &[Span], touched: &[Span]| {
            writes.iter().any(|w| touched.iter().any(|t| w.meets(t)))
        };
        hits(&self.writes, &other.writes)
            || hits(&self.writes, &other.reads)
            || hits(&other.writes, &self.reads)
    }
}

struct Walk<'a> {
    manifest: &'a Manifest,
    symbols: &'a [i64],
    step: usize,
    found: Vec<Hazard>,
}

impl Walk<'_> {
    fn body(&mut self, records: &[Record]) {
        let mut interval: Vec<Step> = Vec::new();
        for record in records {
            let number = self.step;
            self.step += 1;
            let step = match record {
                Record::Launch { kernel, args, .. } => self.launch(number, *kernel, args),
                Record::Copy {
                    source,
                    destination,
                } => Step {
                    number,
                    reads: vec![self.span(source)],
                    writes: vec![self.span(destination)],
                },
                Record::Barrier => {
                    interval.clear();
                    continue;
                }
                Record::Loop { body, .. } => {
                    interval.clear();
                    self.body(body);
                    continue;
                }
                Record::If {
                    then_body,
                    else_body,
                    ..
                } => {
                    interval.clear();
                    self.body(then_body);
                    self.body(else_body);
                    continue;
                }
            };
            let races = interval.iter().filter(|earlier| earlier.conflicts(&step));
            self.found.extend(races.map(|earlier| Hazard::Race {
                first: earlier.number,
                second: number,
            }));
            interval.push(step);
        }
    }

    fn launch(&mut self, number: usize, kernel: u32, args: &[BufferRef]) -> Step {
        let kernel = &self.manifest.kernels[kernel as usize];
        let spans: Vec<Span> = args.iter().map(|arg| self.span(arg)).collect();
        for output in kernel.inputs..args.len() as u32 {
            for other in 0..output {
                let listed = kernel
                    .in_place
                    .iter()
                    .any(|p| p.input == other && p.output == output);
                let apart = args[output as usize] == args[other as usize]
                    && kernel
                        .disjoint
                        .iter()
                        .any(|p| p.other == other && p.output == output);
                if !listed && !apart && spans[output as usize].meets(&spans[other as usize]) {
                    self.found.push(Hazard::Alias {
                        step: number,
                        output,
                        other,
                    });
                }
            }
        }
        let (reads, writes) = spans.split_at(kernel.inputs as usize);
        Step {
            number,
            reads: reads.to_vec(),
            writes: writes.to_vec(),
        }
    }

    fn span(&self, buffer: &BufferRef) -> Span {
        let (memory, start, bytes) = match buffer {
            BufferRef::Arena { offset, bytes } => {
                let value = |e: &crate::Extent| e.eval(self.symbols).unwrap_or(0).max(0) as u64;
                (Memory::Arena, value(offset), value(bytes))
            }
            BufferRef::Weights { offset, bytes } => (Memory::Weights, *offset, *bytes),
            BufferRef::Input(i) => (Memory::Input(*i), 0, u64::MAX),
            BufferRef::Output(i) => (Memory::Output(*i), 0, u64::MAX),
        };
        Span {
            memory,
            start,
            end: start.saturating_add(bytes),
        }
    }
}
