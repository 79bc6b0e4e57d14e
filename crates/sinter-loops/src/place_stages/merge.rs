//! Independent stages over one domain become one nest.

use crate::kernel::Kernel;
use crate::nest::Nest;
use crate::order::canonical_order;
use crate::place_stages::inline::add_origins;
use crate::place_stages::{clean, needs, replace_pair, writes_slot};
use crate::scalar::{BodyBuilder, Reg};

/// Merges one pair of stages; whether there was one.
pub(super) fn merge_siblings(kernel: &mut Kernel) -> bool {
    for second in 1..kernel.stages.len() {
        for first in 0..second {
            let (a, b) = (&kernel.stages[first], &kernel.stages[second]);
            if !may_fit(a, b) || needs(kernel, second, first, false) {
                continue;
            }
            let (a, b) = (canonical_order(a), canonical_order(b));
            if fit(&a, &b) {
                let mut merged = merged(&a, &b);
                clean::flatten(&mut merged);
                clean::tidy(&mut merged, &kernel.slots);
                replace_pair(kernel, first, second, merged);
                return true;
            }
        }
    }
    false
}

/// Whether two stages could fit in their canonical orders.
fn may_fit(a: &Nest, b: &Nest) -> bool {
    let alike = a.iters.len() == b.iters.len() && a.points() == b.points();
    alike && !a.contract && !b.contract
}

fn fit(a: &Nest, b: &Nest) -> bool {
    let shares_read = || a.reads.iter().any(|r| b.reads.contains(r));
    a.iters == b.iters
        && !a.contract
        && !b.contract
        && (!a.has_reduction() || shares_read())
        && b.writes.iter().all(|w| !writes_slot(a, w.operand))
}

fn merged(a: &Nest, b: &Nest) -> Nest {
    let mut out = a.clone();
    let together =
        |x: &crate::scalar::Body, y: &crate::scalar::Body, xs: &[Reg], ys: &[Reg], args| {
            let mut builder = BodyBuilder::new(args);
            let mut results = builder.inline(x, xs);
            results.extend(builder.inline(y, ys));
            builder.finish(results)
        };
    let mut args = a.body.args.clone();
    args.extend_from_slice(&b.body.args);
    let (na, nb) = (a.reads.len(), b.reads.len());
    let (xs, ys): (Vec<Reg>, Vec<Reg>) = ((0..na).collect(), (na..na + nb).collect());
    out.body = together(&a.body, &b.body, &xs, &ys, args);
    out.reads.extend(b.reads.iter().cloned());
    out.combines.extend(&b.combines);

    let (va, vb) = (a.body.results.len(), b.body.results.len());
    let (fa, fb) = (a.finish_reads.len(), b.finish_reads.len());
    let mut args = a.finish.args[..va].to_vec();
    args.extend_from_slice(&b.finish.args[..vb]);
    args.extend_from_slice(&a.finish.args[va..]);
    args.extend_from_slice(&b.finish.args[vb..]);
    let values = va + vb;
    let xs: Vec<Reg> = (0..va).chain(values..values + fa).collect();
    let ys: Vec<Reg> = (va..values).chain(values + fa..values + fa + fb).collect();
    out.finish = together(&a.finish, &b.finish, &xs, &ys, args);
    out.finish_reads.extend(b.finish_reads.iter().cloned());
    out.writes.extend(b.writes.iter().cloned());
    out.origins = b.origins.clone();
    add_origins(&mut out, a);
    out
}
