//! Stages that belong together become one nest; what remains must share a grid.
//!
//! Takes a kernel with one nest per operator, logical or physical. Leaves a kernel that computes the
//! same values with fewer stages:
//!
//! 1. a stage without reduction is inlined into the stages that read its result (`inline`);
//! 2. a stage without reduction that runs over the very points of a stage it reads becomes part of
//!    that stage: the `finish` of a reduction, with all its writes (`finish`);
//! 3. independent stages over one domain become one nest with several writes (`merge`);
//! 4. what nothing needs is removed; iterators are split where quotients and remainders were left.
//!
//! Values that stages still hand to each other stay in temporaries, and [`shared_axes`] finds the
//! grid they have in common; a kernel without one is refused unless it is small. Where a value is read
//! through a window (a convolution of a computed image), blocks may overlap: each computes the halo
//! that it needs ([`regions`]).
//!
//! **When a stage is inlined.** Always, where it is cheap, unless several readers would repeat what can
//! be the finish of a reduction instead (scale and mask of an attention's scores). One with a transcendental function is
//! inlined only where that repeats no work: a single reader with no more points. One that computes
//! is not inlined into a contract, where its work would be repeated for every output channel, unless
//! the kernel has no grid otherwise or would repeat the stage in its blocks. A padded read keeps its producer from being inlined, unless the
//! producer maps the padding value to itself and leaves its operands where its result is left
//! (a transpose, a ReLU before a convolution padded with 0).

mod clean;
mod finish;
mod halo;
mod inline;
mod merge;
mod share;

use crate::kernel::{Kernel, Role, Slot};
use crate::nest::Nest;
use crate::order::canonical_order;
use crate::refusal::Refusal;
use crate::split::{expand_temporaries, split_divisions};

pub use halo::{Region, is_tile, regions};
pub use share::{SharedAxes, SharedAxis, exact_axes, shared_axes, tile_axes};

/// Choices of [`place_stages_with`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceOptions {
    /// Inline every stage that can be, however often its work is repeated.
    pub repeat_work: bool,
}

/// See the [module documentation](self), with default options.
///
/// # Errors
/// As [`place_stages_with`].
pub fn place_stages(kernel: Kernel) -> Result<Kernel, Refusal> {
    place_stages_with(kernel, PlaceOptions::default())
}

/// See the [module documentation](self).
///
/// # Errors
/// [`Refusal::Malformed`], [`Refusal::AlreadyScheduled`], and those of [`shared_axes`].
pub fn place_stages_with(kernel: Kernel, options: PlaceOptions) -> Result<Kernel, Refusal> {
    if kernel.schedule.is_some() {
        return Err(Refusal::AlreadyScheduled);
    }
    kernel.verify().map_err(Refusal::Malformed)?;
    let kernel = prepared(kernel);
    let contracts = options.repeat_work;
    let policy = inline::Policy {
        repeat_work: options.repeat_work,
        into_contracts: contracts,
    };
    let (first, kept_out) = placed(kernel.clone(), policy);
    let axes = exact_axes(&first);
    if axes.as_ref().is_ok_and(|a| repeated_points(&first, a) == 0) {
        return Ok(without_unused_slots(first));
    }
    let everywhere = inline::Policy {
        into_contracts: true,
        ..policy
    };
    let second = kept_out.then(|| placed(kernel, everywhere).0);
    let better = |second: &Kernel| match (&axes, exact_axes(second)) {
        (Ok(a), Ok(b)) => repeated_points(second, &b) < repeated_points(&first, a),
        (a, b) => a.is_err() && b.is_ok(),
    };
    let second = match second {
        Some(second) if better(&second) => return Ok(without_unused_slots(second)),
        second => second,
    };
    let Err(refusal) = axes else {
        return Ok(without_unused_slots(first));
    };
    // Blocks that overlap are better than none.
    let mut forms = [Some(first), second].into_iter().flatten();
    let overlapping = forms.find(|k| shared_axes(k).is_ok());
    overlapping.map(without_unused_slots).ok_or(refusal)
}

/// Points of stages that lack axes, once per axis.
fn repeated_points(kernel: &Kernel, axes: &SharedAxes) -> i64 {
    let lacking = |n: usize| axes.axes.iter().filter(|a| a.iters[n].is_none()).count() as i64;
    kernel
        .stages
        .iter()
        .enumerate()
        .map(|(n, s)| s.points() * lacking(n))
        .sum()
}

/// Simplified, with outputs that are read back doubled by a temporary, and stages without reduction
/// all in `body`.
fn prepared(mut kernel: Kernel) -> Kernel {
    read_back_through_temporaries(&mut kernel);
    for stage in &mut kernel.stages {
        clean::flatten(stage);
        clean::tidy(stage, &kernel.slots);
    }
    kernel
}

/// The kernel placed by a policy, and whether that kept stages out of contracts.
fn placed(mut kernel: Kernel, policy: inline::Policy) -> (Kernel, bool) {
    let mut kept_out = false;
    loop {
        kept_out |= inline::inline_stages(&mut kernel, policy);
        clean::remove_dead(&mut kernel);
        if !(finish::merge_into_producer(&mut kernel) || merge::merge_siblings(&mut kernel)) {
            break;
        }
    }
    for stage in &mut kernel.stages {
        *stage = canonical_order(&split_divisions(stage));
    }
    expand_temporaries(&mut kernel);
    (kernel, kept_out)
}

fn read_back_through_temporaries(kernel: &mut Kernel) {
    let read = |k: &Kernel, slot| k.stages.iter().any(|s| reads_slot(s, slot));
    let outputs: Vec<_> = kernel
        .slots_of(Role::Output)
        .filter(|&s| read(kernel, s))
        .collect();
    for output in outputs {
        let temporary = kernel.slots.len();
        let ty = kernel.slots[output].ty.clone();
        let layout = kernel.slots[output].layout.clone();
        kernel.slots.push(Slot {
            ty,
            role: Role::Temporary,
            layout,
        });
        for stage in &mut kernel.stages {
            for read in stage.reads.iter_mut().chain(&mut stage.finish_reads) {
                if read.operand == output {
                    read.operand = temporary;
                }
            }
            for n in 0..stage.writes.len() {
                if stage.writes[n].operand == output {
                    let mut write = stage.writes[n].clone();
                    write.operand = temporary;
                    stage.writes.push(write);
                    stage.finish.results.push(stage.finish.results[n]);
                }
            }
        }
    }
}

/// The kernel without temporaries that no stage uses.
pub(crate) fn without_unused_slots(mut kernel: Kernel) -> Kernel {
    let used: Vec<bool> = (0..kernel.slots.len())
        .map(|s| {
            kernel.slots[s].role != Role::Temporary
                || kernel
                    .stages
                    .iter()
                    .any(|n| n.accesses().any(|a| a.operand == s))
        })
        .collect();
    let number: Vec<usize> = used
        .iter()
        .scan(0, |next, &u| {
            *next += usize::from(u);
            Some(*next - usize::from(u))
        })
        .collect();
    for access in kernel.stages.iter_mut().flat_map(Nest::accesses_mut) {
        access.operand = number[access.operand];
    }
    let mut keep = used.into_iter();
    kernel.slots.retain(|_| keep.next() == Some(true));
    kernel
}

fn reads_slot(stage: &Nest, slot: usize) -> bool {
    stage
        .reads
        .iter()
        .chain(&stage.finish_reads)
        .any(|r| r.operand == slot)
}

fn writes_slot(stage: &Nest, slot: usize) -> bool {
    stage.writes.iter().any(|w| w.operand == slot)
}

/// Whether `reader` reads something that `writer` writes.
fn depends(reader: &Nest, writer: &Nest) -> bool {
    writer.writes.iter().any(|w| reads_slot(reader, w.operand))
}

/// Whether stage `to` needs a result of stage `from`, directly or through stages between them;
/// with `indirect_only`, only the latter counts.
fn needs(kernel: &Kernel, to: usize, from: usize, indirect_only: bool) -> bool {
    let mut reached = vec![false; kernel.stages.len()];
    reached[from] = true;
    for n in from + 1..=to {
        reached[n] = (from..n).any(|m| {
            let direct = m == from && n == to;
            reached[m]
                && !(direct && indirect_only)
                && depends(&kernel.stages[n], &kernel.stages[m])
        });
    }
    reached[to]
}

/// Puts `merged` in the place of stages `first` and `second` so that every stage still comes after
/// those it depends on.
fn replace_pair(kernel: &mut Kernel, first: usize, second: usize, merged: Nest) {
    // Stages between the two that need the first come after the merged one, all others before.
    let after: Vec<bool> = (0..=second)
        .map(|n| n > first && n < second && needs(kernel, n, first, false))
        .collect();
    let mut between: Vec<Nest> = Vec::new();
    let mut later: Vec<Nest> = Vec::new();
    for (n, stage) in kernel.stages.drain(first..=second).enumerate() {
        match first + n {
            n if n == first || n == second => {}
            n if after[n] => later.push(stage),
            _ => between.push(stage),
        }
    }
    between.push(merged);
    between.extend(later);
    kernel.stages.splice(first..first, between);
}
