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

/// A launch's operands that lie in the arena, by the view they are.
struct Launch {
    reads: Vec<usize>,
    writes: Vec<usize>,
    /// Read and written views that may share their bytes.
    in_place: Vec<(usize, usize)>,
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
        let operands: Vec<usize> = op.operands().map(value_key).collect();
        let inputs = kernel.and_then(|k| int(*k, "inputs")).unwrap_or(0) as usize;
        let pairs = kernel
            .and_then(|k| k.attribute("in_place").ok())
            .and_then(attr::as_ints);
        let at = |i: i64| operands.get(i as usize).copied().unwrap_or(0);
        let (reads, writes) = operands.split_at(inputs.min(operands.len()));
        let inside = |list: &[usize]| -> Vec<usize> {
            list.iter()
                .copied()
                .filter(|v| views.contains_key(v))
                .collect()
        };
        Self {
            reads: inside(reads),
            writes: inside(writes),
            in_place: pairs
                .unwrap_or_default()
                .chunks_exact(2)
                .map(|pair| (at(pair[0]), at(pair[1])))
                .collect(),
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
            let bytes = self.views[read];
            if let Some(by) = self.taken.get(read) {
                fault(format!(
                    "reads the buffer at {bytes}, of which {by} was overwritten"
                ));
            } else if !self.whole.contains(read) {
                fault(format!(
                    "reads the buffer at {bytes}, which nothing has written"
                ));
            }
        }
        for &write in &launch.writes {
            for &read in launch.reads.iter().filter(|&&r| r != write) {
                let (from, to) = (self.views[&read], self.views[&write]);
                let allowed = from == to && launch.in_place.contains(&(read, write));
                if from.overlaps(to) && !allowed {
                    fault(format!("writes {to} over its own input at {from}"));
                }
            }
            if launch.reads.contains(&write) && !launch.in_place.contains(&(write, write)) {
                fault(format!("writes its own input at {}", self.views[&write]));
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
        let overlap = |x: usize, y: usize| {
            let (x, y) = (self.views[&x], self.views[&y]);
            x.overlaps(y).then_some((x, y))
        };
        let pairs = |from: &[usize], to: &[usize], parts: bool| {
            from.iter().find_map(|&x| {
                to.iter()
                    .filter(|&&y| !(parts && x == y))
                    .find_map(|&y| overlap(x, y))
            })
        };
        pairs(&a.writes, &b.writes, true)
            .or_else(|| pairs(&a.writes, &b.reads, false))
            .or_else(|| pairs(&a.reads, &b.writes, false))
    }

    fn run(&mut self, launch: Launch) {
        for &write in &launch.writes {
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
