//! Finds the softmax and the product that uses it.

use super::{plain_dims, reads_of, writer_of};
use crate::affine::Affine;
use crate::kernel::Kernel;
use crate::nest::{Access, CombineFn, Nest};
use crate::scalar::{BinaryFn, Body, Inst, Reg};
use crate::types::ElementType;

/// `weights = x / l`, read by one contraction only, where `l` is the sum of `x` along what the
/// contraction sums over.
pub(super) struct Normalised {
    /// The stage of the division.
    pub(super) division: usize,
    /// The register of its body that holds `x`.
    pub(super) x: Reg,
    /// The read of its body that is `l`.
    pub(super) l: usize,
    /// The stage that sums `x`.
    pub(super) sum: usize,
    /// The contraction, and which of its two reads are the weights.
    pub(super) mix: (usize, usize),
    /// The division's iterators in terms of the contraction's.
    pub(super) in_mix: Vec<Affine>,
    /// The division's iterators in terms of the sum's.
    pub(super) in_sum: Vec<Affine>,
}

pub(super) fn normalised(kernel: &Kernel) -> Option<Normalised> {
    let stages = (0..kernel.stages.len()).filter(|&n| kernel.stages[n].contract);
    stages
        .flat_map(|n| [(n, 0), (n, 1)])
        .find_map(|mix| of_mix(kernel, mix))
}

fn of_mix(kernel: &Kernel, mix: (usize, usize)) -> Option<Normalised> {
    let stage = &kernel.stages[mix.0];
    let read = stage.reads.get(mix.1)?;
    let plain_product = stage.reads.len() == 2 && stage.body.insts.len() == 1;
    let mut reductions = stage.reductions();
    let (along, None) = (reductions.next()?, reductions.next()) else {
        return None;
    };
    if !plain_product || read.pad.is_some() || !is_single(stage) {
        return None;
    }
    let weights = read.operand;
    let (division, 0) = writer_of(kernel, weights)? else {
        return None;
    };
    let weigh = &kernel.stages[division];
    let pure = !weigh.has_reduction() && weigh.writes.len() == 1 && weigh.finish.is_identity();
    if !pure || reads_of(kernel, weights).count() != 1 {
        return None;
    }
    let dims = plain_dims(weigh, &weigh.writes[0])?;
    let in_mix = inverse(weigh, &dims, &read.index);
    let result = *weigh.body.results.first()?;
    let (x, l) = match inst(&weigh.body, result)? {
        Inst::Binary(BinaryFn::Div, x, l) if *l < weigh.reads.len() => (*x, *l),
        _ => return None,
    };
    let row = weigh.iters.len();
    let k = (0..row).find(|&i| in_mix[i] == Affine::Iter(along))?;
    let one_use = in_mix.iter().filter(|e| e.uses(along)).count() == 1;
    let read_l = &weigh.reads[l];
    let (sum, 0) = writer_of(kernel, read_l.operand)? else {
        return None;
    };
    let others = reads_of(kernel, read_l.operand).count();
    if !one_use || others != 1 || read_l.index.iter().any(|e| e.uses(k)) {
        return None;
    }
    let in_sum = sums(&kernel.stages[sum], weigh, read_l, k)?;
    let same = same_value(&kernel.stages[sum], weigh, x, &in_sum);
    same.then_some(Normalised {
        division,
        x,
        l,
        sum,
        mix,
        in_mix,
        in_sum,
    })
}

/// Only single precision: the order of roundings of narrower types is theirs.
fn is_single(stage: &Nest) -> bool {
    let types = [stage.body.types(), stage.finish.types()];
    let all = types.into_iter().flat_map(Result::unwrap_or_default);
    all.into_iter().all(|t| t == ElementType::F32)
}

/// Iterators of a stage that writes `dims` plainly, where the slot is read at `index`.
pub(super) fn inverse(stage: &Nest, dims: &[Option<usize>], index: &[Affine]) -> Vec<Affine> {
    let mut with = vec![Affine::ZERO; stage.iters.len()];
    for (dim, at) in dims.iter().zip(index) {
        if let Some(i) = *dim {
            with[i] = at.clone();
        }
    }
    with
}

/// Whether a stage adds up something along one iterator, for the rows of the division: then the
/// division's iterators in terms of its own.
fn sums(sum: &Nest, weigh: &Nest, read: &Access, k: usize) -> Option<Vec<Affine>> {
    let along = only_reduction(sum, CombineFn::Add)?;
    let from_zero = sum.combines[0].init.get() == 0.0;
    (from_zero && !sum.contract).then_some(())?;
    aligned((sum, along), (weigh, k), read)
}

/// The reduction iterator of a stage that combines one value along one iterator and only stores it.
pub(super) fn only_reduction(stage: &Nest, function: CombineFn) -> Option<usize> {
    let mut reductions = stage.reductions();
    let (along, None) = (reductions.next()?, reductions.next()) else {
        return None;
    };
    let [combine] = &stage.combines[..] else {
        return None;
    };
    let pure = stage.finish.is_identity() && stage.writes.len() == 1;
    (pure && combine.function == function).then_some(along)
}

/// A reader's iterators in terms of those of a stage that reduces its rows, where the reader's
/// iterator `k` runs along what is reduced.
pub(super) fn aligned(
    (stage, along): (&Nest, usize),
    (reader, k): (&Nest, usize),
    read: &Access,
) -> Option<Vec<Affine>> {
    if stage.iters[along].extent != reader.iters[k].extent || read.pad.is_some() {
        return None;
    }
    let dims = plain_dims(stage, &stage.writes[0])?;
    let mut with = vec![Affine::ZERO; reader.iters.len()];
    with[k] = Affine::Iter(along);
    for (dim, at) in dims.iter().zip(&read.index) {
        match (dim, at) {
            (Some(own), Affine::Iter(i)) if *i != k => with[*i] = Affine::Iter(*own),
            (None, Affine::Const(0)) => {}
            _ => return None,
        }
    }
    let covered = |i: usize| i == k || reader.iters[i].extent == 1 || with[i] != Affine::ZERO;
    (0..reader.iters.len()).all(covered).then_some(with)
}

/// Whether a stage's body computes at each of its points what a register of a reader is there.
pub(super) fn same_value(stage: &Nest, reader: &Nest, x: Reg, with: &[Affine]) -> bool {
    let Some(&own) = stage.body.results.first() else {
        return false;
    };
    let extents = stage.extents();
    equal(
        (&stage.body, own),
        (&reader.body, x),
        &|a: usize, b: usize| {
            let (a, b) = (&stage.reads[a], &reader.reads[b]);
            let moved = b
                .index
                .iter()
                .map(|e| e.substitute(with).simplify(&extents));
            let here = a.index.iter().map(|e| e.simplify(&extents));
            a.operand == b.operand && a.pad == b.pad && here.eq(moved)
        },
    )
}

/// Whether two registers hold the same function of arguments that `same` pairs.
fn equal(a: (&Body, Reg), b: (&Body, Reg), same: &dyn Fn(usize, usize) -> bool) -> bool {
    match (inst(a.0, a.1), inst(b.0, b.1)) {
        (None, None) => same(a.1, b.1),
        (Some(Inst::Index(_)), _) | (_, Some(Inst::Index(_))) => false,
        (Some(x), Some(y)) => {
            let shape = x.map_operands(|_| 0) == y.map_operands(|_| 0);
            let (xs, ys) = (x.operands(), y.operands());
            let pairs = xs.iter().zip(&ys);
            shape
                && xs.len() == ys.len()
                && pairs
                    .into_iter()
                    .all(|(&p, &q)| equal((a.0, p), (b.0, q), same))
        }
        _ => false,
    }
}

/// The instruction that makes a register; `None` for arguments.
pub(super) fn inst(body: &Body, reg: Reg) -> Option<&Inst> {
    body.insts.get(reg.checked_sub(body.args.len())?)
}
