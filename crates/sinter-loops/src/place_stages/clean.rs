//! Removing what is repeated and what nothing needs.

use crate::kernel::{Kernel, Role, Slot};
use crate::nest::{Access, Nest};
use crate::place_stages::reads_slot;
use crate::scalar::{Body, BodyBuilder, Reg};
use crate::split::simplify_indices;
use crate::types::ElementType;

/// Moves everything of a stage without reduction into its body.
pub(super) fn flatten(stage: &mut Nest) {
    if stage.has_reduction() {
        return;
    }
    let reads = stage.reads.len();
    let mut args = stage.body.args.clone();
    args.extend_from_slice(&stage.finish.args[stage.body.results.len()..]);
    let mut builder = BodyBuilder::new(args);
    let own: Vec<Reg> = (0..reads).collect();
    let mut values = builder.inline(&stage.body, &own);
    values.extend(reads..reads + stage.finish_reads.len());
    let results = builder.inline(&stage.finish, &values);
    stage.reads.append(&mut stage.finish_reads);
    stage.body = builder.finish(results);
    let types: Vec<ElementType> = stage.body.result_types().unwrap_or_default();
    stage.finish = Body::identity(types);
}

/// Simplifies indices, merges equal reads and instructions, and drops unused reads and accumulators.
pub(super) fn tidy(stage: &mut Nest, slots: &[Slot]) {
    simplify_indices(stage);
    drop_needless_pads(stage, slots);
    stage.finish = stage.finish.tidied();
    if stage.has_reduction() {
        drop_unused_accumulators(stage);
    }
    stage.body = stage.body.tidied();
    let plain_contract = stage.contract && stage.reads.len() == 2;
    if !plain_contract {
        let (reads, map) = merged(&stage.reads, &stage.body.used_args());
        let args = reads.iter().map(|r| slots[r.operand].ty.element).collect();
        stage.body = stage.body.with_args(args, &map);
        stage.reads = reads;
    }
    let values = stage.body.results.len();
    let (reads, map) = merged(&stage.finish_reads, &stage.finish.used_args()[values..]);
    let mut args = stage.finish.args[..values].to_vec();
    args.extend(reads.iter().map(|r| slots[r.operand].ty.element));
    let regs: Vec<Reg> = (0..values).chain(map.iter().map(|&r| values + r)).collect();
    stage.finish = stage.finish.with_args(args, &regs);
    stage.finish_reads = reads;
}

fn drop_needless_pads(stage: &mut Nest, slots: &[Slot]) {
    let extents = stage.extents();
    for read in stage.reads.iter_mut().chain(&mut stage.finish_reads) {
        let shape = &slots[read.operand].ty.shape;
        if read
            .index
            .iter()
            .zip(shape)
            .all(|(e, &n)| e.range(&extents).is_inside(n))
        {
            read.pad = None;
        }
    }
}

/// Equal reads once, unused ones not at all; and where each old one went (anywhere, if unused).
fn merged(reads: &[Access], used: &[bool]) -> (Vec<Access>, Vec<usize>) {
    let mut out: Vec<Access> = Vec::new();
    let mut map = Vec::new();
    for (read, &used) in reads.iter().zip(used) {
        map.push(out.iter().position(|r| r == read).unwrap_or(out.len()));
        if used && map.last() == Some(&out.len()) {
            out.push(read.clone());
        }
    }
    (out, map)
}

/// Drops accumulators that `finish` does not use; equal ones are merged.
fn drop_unused_accumulators(stage: &mut Nest) {
    let used = stage.finish.used_args();
    let count = stage.body.results.len();
    let mut kept: Vec<usize> = Vec::new();
    let mut map: Vec<Reg> = Vec::new();
    let same = |stage: &Nest, a: usize, b: usize| {
        stage.body.results[a] == stage.body.results[b] && stage.combines[a] == stage.combines[b]
    };
    for (n, &used) in used.iter().enumerate().take(count) {
        let place = kept
            .iter()
            .position(|&k| same(stage, k, n))
            .unwrap_or(kept.len());
        map.push(place);
        if place == kept.len() && (used || (kept.is_empty() && n + 1 == count)) {
            kept.push(n);
        }
    }
    map.extend((0..stage.finish_reads.len()).map(|r| kept.len() + r));
    let mut args: Vec<_> = kept.iter().map(|&n| stage.finish.args[n]).collect();
    args.extend_from_slice(&stage.finish.args[count..]);
    stage.finish = stage.finish.with_args(args, &map);
    stage.body.results = kept.iter().map(|&n| stage.body.results[n]).collect();
    stage.combines = kept.iter().map(|&n| stage.combines[n]).collect();
}

/// Removes writes of temporaries that nothing reads, and stages that write nothing.
pub(super) fn remove_dead(kernel: &mut Kernel) {
    for n in (0..kernel.stages.len()).rev() {
        let live: Vec<bool> = kernel.stages[n]
            .writes
            .iter()
            .map(|w| {
                kernel.slots[w.operand].role != Role::Temporary
                    || kernel.stages.iter().any(|s| reads_slot(s, w.operand))
            })
            .collect();
        if live.iter().all(|&l| l) {
            continue;
        }
        let stage = &mut kernel.stages[n];
        let mut keep = live.iter();
        stage.writes.retain(|_| keep.next() == Some(&true));
        let mut keep = live.iter();
        stage.finish.results.retain(|_| keep.next() == Some(&true));
        if stage.writes.is_empty() {
            kernel.stages.remove(n);
        } else {
            flatten(stage);
            tidy(stage, &kernel.slots);
        }
    }
}
