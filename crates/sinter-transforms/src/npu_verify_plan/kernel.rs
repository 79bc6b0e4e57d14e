//! Tiles of one kernel, pair by pair.

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, TypeLike, ValueLike};
use sinter_device::Device;
use sinter_ir::build::value_key;
use sinter_ir::hooks::space_of;
use sinter_ir::{attr, types};

use super::{Bytes, Fault};
use crate::transfers::{base, blocks, name, operations};

struct Tile<'c, 'a> {
    op: OperationRef<'c, 'a>,
    space: &'static str,
    bytes: Bytes,
    /// First and last step, once it is touched.
    live: Option<(usize, usize)>,
}

pub(super) fn check<'c, 'a>(
    kernel: OperationRef<'c, 'a>,
    device: &Device,
    faults: &mut Vec<Fault<'c, 'a>>,
) {
    let all = steps(kernel);
    let (mut tiles, mut number) = (Vec::new(), BTreeMap::new());
    for &(_, op) in all.iter().filter(|(_, op)| name(*op) == "npu.alloc") {
        let Ok(result) = op.result(0) else { continue };
        match tile(op) {
            Some(tile) => {
                if let Some(message) = outside(kernel, &tile, device) {
                    faults.push(Fault { op, message });
                }
                number.insert(value_key(result.into()), tiles.len());
                tiles.push(tile);
            }
            None => {
                let message = "has no place: run npu-plan-memory".to_string();
                faults.push(Fault { op, message });
            }
        }
    }
    let mut touch = |key: usize, step: usize| {
        if let Some(&tile) = number.get(&key) {
            let tile: &mut Tile<'_, '_> = &mut tiles[tile];
            let (first, last) = tile.live.unwrap_or((step, step));
            tile.live = Some((first.min(step), last.max(step)));
        }
    };
    let waited = Transfers::of(&all);
    for &(step, op) in all.iter().filter(|(_, op)| name(*op) != "npu.alloc") {
        for operand in op.operands().filter(|v| v.r#type().is_mem_ref()) {
            touch(base(operand), step);
        }
        if name(op) == "npu.wait" {
            for token in op.operands() {
                waited
                    .bases(value_key(token))
                    .for_each(|key| touch(key, step));
            }
        }
    }
    overlaps(&tiles, faults);
}

fn overlaps<'c, 'a>(tiles: &[Tile<'c, 'a>], faults: &mut Vec<Fault<'c, 'a>>) {
    for (i, a) in tiles.iter().enumerate() {
        for b in &tiles[i + 1..] {
            let (Some(x), Some(y)) = (a.live, b.live) else {
                continue;
            };
            let together = x.0 <= y.1 && y.0 <= x.1;
            if a.space == b.space && a.bytes.overlaps(b.bytes) && together {
                let message = format!(
                    "lies at {} of {}, where another tile at {} is live at the same time",
                    a.bytes, a.space, b.bytes
                );
                faults.push(Fault { op: a.op, message });
            }
        }
    }
}

/// Every operation inside a kernel, with the step of the body's operation that it is or lies in.
fn steps<'c, 'a>(kernel: OperationRef<'c, 'a>) -> Vec<(usize, OperationRef<'c, 'a>)> {
    let mut out = Vec::new();
    for (step, op) in blocks(kernel).into_iter().flat_map(operations).enumerate() {
        inside(op, step, &mut out);
    }
    out
}

fn inside<'c, 'a>(
    op: OperationRef<'c, 'a>,
    step: usize,
    out: &mut Vec<(usize, OperationRef<'c, 'a>)>,
) {
    out.push((step, op));
    for block in blocks(op) {
        for inner in operations(block) {
            inside(inner, step, out);
        }
    }
}

fn tile<'c, 'a>(op: OperationRef<'c, 'a>) -> Option<Tile<'c, 'a>> {
    let ty = op.result(0).ok()?.r#type();
    let start = op.attribute("offset").ok().and_then(attr::as_int)?.max(0) as u64;
    let size = types::from_shaped_type(ty).ok()?.bytes().max(0) as u64;
    let bytes = Bytes {
        start,
        end: start + size,
    };
    Some(Tile {
        op,
        space: space_of(ty)?,
        bytes,
        live: None,
    })
}

fn outside(kernel: OperationRef<'_, '_>, tile: &Tile<'_, '_>, device: &Device) -> Option<String> {
    let Tile { space, bytes, .. } = tile;
    if device.is_scratchpad() && bytes.end > device.space_bytes(space) {
        let size = device.space_bytes(space);
        return Some(format!(
            "lies at {bytes} of {space}, which has {size} bytes"
        ));
    }
    let scratch = kernel.attribute("scratch").ok()?;
    let scratch = melior::ir::attribute::DictionaryAttribute::try_from(scratch).ok()?;
    let stated = scratch
        .element_by_name(space)
        .and_then(attr::as_int)
        .unwrap_or(0)
        .max(0) as u64;
    (bytes.end > stated)
        .then(|| format!("lies at {bytes} of {space}, of which the kernel states {stated} bytes"))
}

/// Which transfers a token may stand for.
struct Transfers {
    copies: BTreeMap<usize, [usize; 2]>,
    /// Copies, by their own token, behind every token.
    behind: BTreeMap<usize, BTreeSet<usize>>,
}

impl Transfers {
    fn of(all: &[(usize, OperationRef<'_, '_>)]) -> Self {
        let mut copies = BTreeMap::new();
        let mut flows = Vec::new();
        for &(_, op) in all {
            match name(op).as_str() {
                "npu.copy" => {
                    if let (Ok(token), Ok(from), Ok(to)) =
                        (op.result(0), op.operand(0), op.operand(1))
                    {
                        copies.insert(value_key(token.into()), [base(from), base(to)]);
                    }
                }
                "scf.for" => flows.extend(loop_flows(op)),
                "scf.if" => flows.extend(branch_flows(op)),
                _ => {}
            }
        }
        let mut behind: BTreeMap<usize, BTreeSet<usize>> = copies
            .keys()
            .map(|&token| (token, BTreeSet::from([token])))
            .collect();
        loop {
            let before: usize = behind.values().map(BTreeSet::len).sum();
            for &(from, to) in &flows {
                let more = behind.get(&from).cloned().unwrap_or_default();
                behind.entry(to).or_default().extend(more);
            }
            if behind.values().map(BTreeSet::len).sum::<usize>() == before {
                return Self { copies, behind };
            }
        }
    }

    /// The memories of the transfers behind a token.
    fn bases(&self, token: usize) -> impl Iterator<Item = usize> + '_ {
        let copies = self.behind.get(&token).into_iter().flatten();
        copies
            .filter_map(|copy| self.copies.get(copy))
            .flatten()
            .copied()
    }
}

/// From what a loop starts with and yields to what it carries and gives.
fn loop_flows(op: OperationRef<'_, '_>) -> Vec<(usize, usize)> {
    let Some(body) = blocks(op).into_iter().next() else {
        return Vec::new();
    };
    let yielded: Vec<_> = body
        .terminator()
        .map(|y| y.operands().collect())
        .unwrap_or_default();
    let mut out = Vec::new();
    for i in 0..op.result_count() {
        let (Ok(result), Ok(carried)) = (op.result(i), body.argument(i + 1)) else {
            continue;
        };
        let sources = op
            .operand(i + 3)
            .ok()
            .into_iter()
            .chain(yielded.get(i).copied());
        for source in sources.map(value_key) {
            out.push((source, value_key(carried.into())));
            out.push((source, value_key(result.into())));
        }
    }
    out
}

/// From what the branches yield to the results.
fn branch_flows(op: OperationRef<'_, '_>) -> Vec<(usize, usize)> {
    let ends = blocks(op)
        .into_iter()
        .filter_map(|block| block.terminator());
    ends.flat_map(|end| end.operands().enumerate().collect::<Vec<_>>())
        .filter_map(|(i, from)| Some((value_key(from), value_key(op.result(i).ok()?.into()))))
        .collect()
}
