//! Exponentials that are computed once.

use super::find::{aligned, inst, only_reduction, same_value};
use super::late::drop_unused_reads;
use super::temporary;
use crate::affine::Affine;
use crate::kernel::Kernel;
use crate::nest::{Access, CombineFn, Nest};
use crate::place_stages::without_unused_slots;
use crate::scalar::{Body, Inst, Reg, UnaryFn};
use crate::types::{ElementType, TensorType};

/// A stage that sums exponentials, and a later one that computes the same again for what it divides.
struct Twice {
    sum: usize,
    reader: usize,
    /// The reader's register that holds the exponential.
    exponential: Reg,
    /// The reader's iterators in terms of the sum's.
    in_sum: Vec<Affine>,
}

/// The kernel with the exponentials of every softmax in a temporary: stored and loaded again instead of
/// computed again. `None` where no exponential is computed twice.
pub fn stored_exponentials(kernel: &Kernel) -> Option<Kernel> {
    let mut out = None;
    while let Some(found) = twice(out.as_ref().unwrap_or(kernel)) {
        let stored = without_unused_slots(once(out.as_ref().unwrap_or(kernel), &found));
        stored.verify().ok()?;
        out = Some(stored);
    }
    out
}

fn twice(kernel: &Kernel) -> Option<Twice> {
    let stages = kernel.stages.iter().enumerate();
    let sums = stages.filter_map(|(n, s)| Some((n, s, only_reduction(s, CombineFn::Add)?)));
    for (sum, stage, along) in sums.filter(|(_, s, _)| !s.contract && s.body.has_transcendental()) {
        for (reader, weigh) in kernel.stages.iter().enumerate().skip(sum + 1) {
            let plain = !weigh.has_reduction() && weigh.finish.is_identity();
            let total = weigh
                .reads
                .iter()
                .find(|r| r.operand == stage.writes[0].operand);
            let Some(total) = total.filter(|_| plain) else {
                continue;
            };
            let rows = (0..weigh.iters.len()).filter(|&k| !total.index.iter().any(|e| e.uses(k)));
            let aligned = |k: usize| aligned((stage, along), (weigh, k), total);
            for in_sum in rows.filter_map(aligned) {
                let arguments = weigh.body.args.len();
                let registers = arguments..arguments + weigh.body.insts.len();
                let exponential = registers.rev().find(|&x| {
                    let exp = matches!(inst(&weigh.body, x), Some(Inst::Unary(UnaryFn::Exp, _)));
                    exp && same_value(stage, weigh, x, &in_sum)
                });
                if let Some(exponential) = exponential {
                    return Some(Twice {
                        sum,
                        reader,
                        exponential,
                        in_sum,
                    });
                }
            }
        }
    }
    None
}

fn once(kernel: &Kernel, found: &Twice) -> Kernel {
    let mut out = kernel.clone();
    let weigh = &kernel.stages[found.reader];
    let types = weigh.body.types().unwrap_or_default();
    let element = types.get(found.exponential).copied();
    let element = element.unwrap_or(ElementType::F32);
    let slot = temporary(&mut out, TensorType::new(element, weigh.extents()));
    let everywhere: Vec<Affine> = (0..weigh.iters.len()).map(Affine::Iter).collect();

    let mut exponentials = Nest::map(
        weigh.iters.clone(),
        weigh.reads.clone(),
        Body {
            results: vec![found.exponential],
            ..weigh.body.clone()
        },
        vec![Access::new(slot, everywhere.clone())],
    );
    exponentials.body = exponentials.body.tidied();
    exponentials.origins.clone_from(&weigh.origins);
    drop_unused_reads(&mut exponentials);

    let sum = &mut out.stages[found.sum];
    sum.reads = vec![Access::new(slot, found.in_sum.clone())];
    sum.body = Body::identity([element]);

    let reader = &mut out.stages[found.reader];
    let body = weigh
        .body
        .with_last_argument(element, |reg, _| reg == found.exponential);
    reader.body = body.tidied();
    reader.reads.push(Access::new(slot, everywhere));
    drop_unused_reads(reader);

    out.stages.insert(found.sum, exponentials);
    out
}
