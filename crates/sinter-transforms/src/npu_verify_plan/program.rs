//! Who owns each byte of the arena, launch by launch.

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::ValueLike;
use melior::ir::operation::{OperationLike, OperationRef};
use sinter_ir::build::value_key;
use sinter_ir::{attr, types};

use super::{Bytes, Fault};
use crate::transfers::{blocks, name, operations};

pub(super) fn check<'c, 'a>(
    program: OperationRef<'c, 'a>,
    kernels: &[OperationRef<'c, 'a>],
    faults: &mut Vec<Fault<'c, 'a>>,
) {
    let arena = int(program, "arena_bytes").unwrap_or(0);
    let mut state = Arena::default();
    for op in blocks(program).into_iter().flat_map(operations) {
        match name(op).as_str() {
            "npu.view" => {
                let Some((key, bytes)) = view(op) else {
                    continue;
                };
                if bytes.end > arena {
                    let message = format!("bytes {bytes} are outside the arena of {arena}");
                    faults.push(Fault { op, message });
                }
                state.views.insert(key, bytes);
            }
            "npu.barrier" => state.phase.clear(),
            "npu.launch" => {
                let launch = Launch::of(op, kernels, &state.views);
                state.check(op, &launch, faults);
                state.run(launch);
            }
            _ => {}
        }
    }
}

fn int(op: OperationRef<'_, '_>, name: &str) -> Option<u64> {
    op.attribute(name)
        .ok()
        .and_then(attr::as_int)
        .map(|v| v.max(0) as u64)
}

fn view(op: OperationRef<'_, '_>) -> Option<(usize, Bytes)> {
    let result = op.result(0).ok()?;
    let start = int(op, "offset")?;
    let size = types::from_shaped_type(result.r#type())
        .ok()?
        .bytes()
        .max(0) as u64;
    Some((
        value_key(result.into()),
        Bytes {
            start,
            end: start + size,
        },
    ))
}

/// An operand of a launch that lies in the arena.
#[derive(Clone, Copy)]
struct Operand {
    /// Argument number.
    number: usize,
    view: usize,
}

struct Launch {
    reads: Vec<Operand>,
    writes: Vec<Operand>,
    /// Arguments that may share their bytes: a point reads of the first only what it writes to the second.
    in_place: Vec<(usize, usize)>,
    /// Arguments that may be one buffer: the kernel touches different elements through them.
    disjoint: Vec<(usize, usize)>,
}

impl Launch {
    fn of(
        op: OperationRef<'_, '_>,
        kernels: &[OperationRef<'_, '_>],
        views: &BTreeMap<usize, Bytes>,
    ) -> Self {
        let symbol = op
            .attribute("kernel")
            .map(|s| s.to_string())
            .unwrap_or_default();
        let symbol = symbol.trim_start_matches('@').trim_matches('"');
        let kernel = kernels
            .iter()
            .find(|k| k.attribute("sym_name").ok().and_then(attr::as_str) == Some(symbol));
        let inputs = kernel.and_then(|k| int(*k, "inputs")).unwrap_or(0) as usize;
        let pairs = |name: &str| kernel.map_or(Vec::new(), |k| attr::pairs(*k, name));
        let (reads, writes) = op
            .operands()
            .map(value_key)
            .enumerate()
            .map(|(number, view)| Operand { number, view })
            .filter(|operand| views.contains_key(&operand.view))
            .partition(|operand| operand.number < inputs);
        Self {
            reads,
            writes,
            in_place: pairs("in_place"),
            disjoint: pairs("disjoint"),
        }
    }
}

#[derive(Default)]
struct Arena {
    views: BTreeMap<usize, Bytes>,
    /// Views that were written, and none of whose bytes has been taken since.
    whole: BTreeSet<usize>,
    /// Views that were written, and who took bytes of them since. A view is one value: what was taken
    /// does not come back.
    taken: BTreeMap<usize, Bytes>,
    /// Launches since the last barrier.
    phase: Vec<Launch>,
}

impl Arena {
    fn check<'c, 'a>(
        &self,
        op: OperationRef<'c, 'a>,
        launch: &Launch,
        faults: &mut Vec<Fault<'c, 'a>>,
    ) {
        let mut fault = |message: String| faults.push(Fault { op, message });
        for read in &launch.reads {
            let bytes = self.views[&read.view];
            if let Some(by) = self.taken.get(&read.view) {
                fault(format!(
                    "reads the buffer at {bytes}, of which {by} was overwritten"
                ));
            } else if !self.whole.contains(&read.view) {
                fault(format!(
                    "reads the buffer at {bytes}, which nothing has written"
                ));
            }
        }
        for (n, write) in launch.writes.iter().enumerate() {
            let to = self.views[&write.view];
            for read in &launch.reads {
                let from = self.views[&read.view];
                let pair = (read.number, write.number);
                let allowed = from == to && launch.in_place.contains(&pair)
                    || read.view == write.view && launch.disjoint.contains(&pair);
                if allowed || !from.overlaps(to) {
                    continue;
                }
                fault(if read.view == write.view {
                    format!("writes its own input at {to}")
                } else {
                    format!("writes {to} over its own input at {from}")
                });
            }
            for other in &launch.writes[..n] {
                let pair = (other.number, write.number);
                let allowed = other.view == write.view && launch.disjoint.contains(&pair);
                if !allowed && self.views[&other.view].overlaps(to) {
                    fault(format!("writes {to} twice"));
                }
            }
        }
        for other in &self.phase {
            if let Some((a, b)) = self.conflict(launch, other) {
                fault(format!(
                    "touches {a} while a launch that may run at the same time touches {b}"
                ));
            }
        }
    }

    /// Bytes that one launch writes and the other touches. Parts of one buffer may be written at the
    /// same time.
    fn conflict(&self, a: &Launch, b: &Launch) -> Option<(Bytes, Bytes)> {
        let overlap = |x: &Operand, y: &Operand| {
            let (x, y) = (self.views[&x.view], self.views[&y.view]);
            x.overlaps(y).then_some((x, y))
        };
        let pairs = |from: &[Operand], to: &[Operand], parts: bool| {
            from.iter().find_map(|x| {
                to.iter()
                    .filter(|y| !(parts && x.view == y.view))
                    .find_map(|y| overlap(x, y))
            })
        };
        pairs(&a.writes, &b.writes, true)
            .or_else(|| pairs(&a.writes, &b.reads, false))
            .or_else(|| pairs(&a.reads, &b.writes, false))
    }

    fn run(&mut self, launch: Launch) {
        for write in launch.writes.iter().map(|w| w.view) {
            let bytes = self.views[&write];
            let others: Vec<usize> = self
                .whole
                .iter()
                .copied()
                .filter(|&v| v != write && self.views[&v].overlaps(bytes))
                .collect();
            for other in others {
                self.whole.remove(&other);
                self.taken.insert(other, bytes);
            }
            self.whole.insert(write);
        }
        self.phase.push(launch);
    }
}
