//! Rows that are multiplied by the reciprocal of their sum.

use super::find::inst;
use super::{reads_of, writer_of};
use crate::kernel::Kernel;
use crate::nest::{Access, CombineFn, Nest};
use crate::scalar::{BinaryFn, Body, BodyBuilder, Inst, Reg, UnaryFn};
use crate::types::ElementType;

/// The kernel where every sum of exponentials that only divides, and divides several values each, is stored
/// as its reciprocal, and multiplies; `None` where there is none.
///
/// A result differs by the rounding of the reciprocal, which is that of a normal number where the sum is at most
/// 2^126 (a softmax's is at most the length of its row). Other divisors stay: a sum of exponentials is 0 or a
/// normal number, but the reciprocal of a subnormal number is infinite.
pub fn reciprocal_sums(kernel: &Kernel) -> Option<Kernel> {
    let mut out = kernel.clone();
    let mut changed = false;
    for sum in 0..kernel.stages.len() {
        if let Some(slot) = dividing_sum(kernel, sum) {
            changed = true;
            invert(&mut out.stages[sum].finish);
            for reader in &mut out.stages {
                multiply_instead(reader, slot);
            }
        }
    }
    out.verify().ok()?;
    changed.then_some(out)
}

/// The temporary in which a stage stores sums of exponentials, where these only divide.
fn dividing_sum(kernel: &Kernel, sum: usize) -> Option<usize> {
    let stage = &kernel.stages[sum];
    let ([combine], [write]) = (&stage.combines[..], &stage.writes[..]) else {
        return None;
    };
    let slot = write.operand;
    let (ty, sums) = (&kernel.slots[slot].ty, stage.points());
    let adds = combine.function == CombineFn::Add && combine.init.get() == 0.0;
    let finds = adds
        && stage.finish.is_identity()
        && ty.element == ElementType::F32
        && writer_of(kernel, slot).is_some()
        && is_exponential(kernel, stage);
    let readers: Vec<_> = reads_of(kernel, slot).collect();
    // Each divides as many values as were summed.
    let pays = |&(n, _): &(usize, _)| kernel.stages[n].points() >= sums;
    let alone = |&(n, _): &(usize, _)| only_divides(&kernel.stages[n], slot);
    let all = finds && !readers.is_empty() && readers.iter().all(alone);
    (all && readers.iter().any(pays)).then_some(slot)
}

/// Whether what a stage combines is an exponential, here or where it was stored.
fn is_exponential(kernel: &Kernel, stage: &Nest) -> bool {
    let made = |body: &Body, result: usize| {
        matches!(inst(body, result), Some(Inst::Unary(UnaryFn::Exp, _)))
    };
    let [result] = stage.body.results[..] else {
        return false;
    };
    if result >= stage.body.args.len() {
        return made(&stage.body, result);
    }
    let stored = writer_of(kernel, stage.reads[result].operand);
    stored.is_some_and(|(n, write)| {
        let writer = &kernel.stages[n];
        writer.combines.is_empty()
            && writer.finish.is_identity()
            && made(&writer.body, writer.body.results[write])
    })
}

/// Whether a stage uses what it reads of a slot as a divisor alone.
fn only_divides(stage: &Nest, slot: usize) -> bool {
    let [of_body, of_finish] = arguments(stage, slot);
    let divides = |body: &Body, arg: usize| {
        let uses = |inst: &Inst| match *inst {
            Inst::Binary(BinaryFn::Div, a, b) if b == arg => a != arg,
            ref other => !other.operands().contains(&arg),
        };
        !body.results.contains(&arg) && body.insts.iter().all(uses)
    };
    let mut reads = stage.reads.iter().chain(&stage.finish_reads);
    reads.all(|r| r.operand != slot || r.pad.is_none())
        && of_body.iter().all(|&a| divides(&stage.body, a))
        && of_finish.iter().all(|&a| divides(&stage.finish, a))
}

/// The arguments of body and finish that are read from a slot.
fn arguments(stage: &Nest, slot: usize) -> [Vec<Reg>; 2] {
    let of = |reads: &[Access], first: usize| -> Vec<Reg> {
        let found = reads.iter().enumerate().filter(|(_, r)| r.operand == slot);
        found.map(|(n, _)| first + n).collect()
    };
    let results = stage.finish.args.len() - stage.finish_reads.len();
    [of(&stage.reads, 0), of(&stage.finish_reads, results)]
}

/// `1 / x` of the only result.
fn invert(finish: &mut Body) {
    let mut builder = BodyBuilder::new(finish.args.clone());
    let results = builder.inline(finish, &(0..finish.args.len()).collect::<Vec<_>>());
    let one = builder.constant(ElementType::F32, 1.0);
    let inverse = builder.binary(BinaryFn::Div, one, results[0]);
    *finish = builder.finish(vec![inverse]);
}

fn multiply_instead(stage: &mut Nest, slot: usize) {
    let found = arguments(stage, slot);
    let bodies = [&mut stage.body, &mut stage.finish];
    for (args, body) in found.into_iter().zip(bodies) {
        for inst in &mut body.insts {
            if let Inst::Binary(function @ BinaryFn::Div, _, by) = inst
                && args.contains(by)
            {
                *function = BinaryFn::Mul;
            }
        }
    }
}
