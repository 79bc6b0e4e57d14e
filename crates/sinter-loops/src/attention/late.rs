//! Division after the product.

use super::find::{Normalised, normalised};
use super::writer_of;
use crate::affine::Affine;
use crate::kernel::Kernel;
use crate::nest::{Access, Nest};
use crate::place_stages::without_unused_slots;
use crate::scalar::{BinaryFn, Body, BodyBuilder, Reg};

/// The kernel with every `softmax(s) v` as `(exp(s - m) v) / l`; `None` where there is none.
///
/// The result's numerics class against the kernel's is `reassociating`.
pub fn late_normalisation(kernel: &Kernel) -> Option<Kernel> {
    let mut out = None;
    while let Some(found) = normalised(out.as_ref().unwrap_or(kernel)) {
        let base = out.as_ref().unwrap_or(kernel);
        let late = without_unused_slots(late(base, &found));
        late.verify().ok()?;
        out = Some(late);
    }
    out
}

fn late(kernel: &Kernel, found: &Normalised) -> Kernel {
    let weigh = &kernel.stages[found.division];
    let l_slot = weigh.reads[found.l].operand;
    let mut mix = kernel.stages[found.mix.0].clone();
    let extents = mix.extents();
    let in_mix = |index: &[Affine]| -> Vec<Affine> {
        let moved = index.iter().map(|e| e.substitute(&found.in_mix));
        moved.map(|e| e.simplify(&extents)).collect()
    };
    mix.finish = divided(&mix.finish, mix.finish_reads.len());
    let l = Access::new(l_slot, in_mix(&weigh.reads[found.l].index));
    mix.finish_reads.push(l);
    let mut out = kernel.clone();
    let stored = weigh.reads.get(found.x).filter(|r| {
        // `x` is a temporary already: the product reads that.
        writer_of(kernel, r.operand).is_some() && r.pad.is_none()
    });
    if let Some(x) = stored {
        mix.reads[found.mix.1] = Access::new(x.operand, in_mix(&x.index));
        mix.origins = joined(&mix.origins, &weigh.origins);
        out.stages[found.mix.0] = mix;
        out.stages.remove(found.division);
        return out;
    }
    let (exponentials, sum) = stored_once(kernel, found);
    out.stages[found.mix.0] = mix;
    // The sum comes after what it sums now.
    out.stages[found.division] = exponentials;
    out.stages.insert(found.division + 1, sum);
    out.stages.remove(found.sum);
    out
}

/// The stage that stores `x` in place of the weights, and the one that sums it.
fn stored_once(kernel: &Kernel, found: &Normalised) -> (Nest, Nest) {
    let mut exponentials = kernel.stages[found.division].clone();
    let weights = exponentials.writes[0].operand;
    exponentials.body.results = vec![found.x];
    exponentials.body = exponentials.body.tidied();
    drop_unused_reads(&mut exponentials);
    let mut sum = kernel.stages[found.sum].clone();
    let extents = sum.extents();
    let index = exponentials.writes[0].index.iter();
    let index = index.map(|e| e.substitute(&found.in_sum).simplify(&extents));
    sum.reads = vec![Access::new(weights, index.collect())];
    sum.body = Body::identity([kernel.slots[weights].ty.element]);
    (exponentials, sum)
}

/// `finish` of the accumulator divided by one more read.
fn divided(finish: &Body, reads: usize) -> Body {
    let mut args = finish.args.clone();
    let by = args.len();
    args.push(finish.args[0]);
    let mut builder = BodyBuilder::new(args);
    let quotient = builder.binary(BinaryFn::Div, 0, by);
    let mut own: Vec<Reg> = vec![quotient];
    own.extend(1..=reads);
    let results = builder.inline(finish, &own);
    builder.finish(results)
}

pub(super) fn drop_unused_reads(stage: &mut Nest) {
    let used = stage.body.used_args();
    let kept: Vec<usize> = (0..used.len()).filter(|&r| used[r]).collect();
    let place = |r: usize| kept.iter().position(|&k| k == r).unwrap_or(0);
    let to: Vec<Reg> = (0..used.len()).map(place).collect();
    let args: Vec<_> = kept.iter().map(|&r| stage.body.args[r]).collect();
    stage.body = stage.body.with_args(args, &to);
    stage.reads = kept.iter().map(|&r| stage.reads[r].clone()).collect();
}

fn joined(first: &[String], second: &[String]) -> Vec<String> {
    let more = second.iter().filter(|o| !first.contains(o));
    first.iter().chain(more).cloned().collect()
}
