//! Splitting and renaming iterators so that quotients and remainders disappear.

use crate::affine::{Affine, Interval};
use crate::kernel::{Kernel, Role};
use crate::nest::{Access, Iter, IterKind, Nest};

/// The nest with iterator `iter` replaced by an outer one of `outer` points and, right behind it, an
/// inner one of `inner` points. `None` where a body cannot express the iterator any more.
pub(crate) fn split_iter(nest: &Nest, iter: usize, outer: i64, inner: i64) -> Option<Nest> {
    let kind = nest.iters[iter].kind;
    let mut iters = nest.iters.clone();
    iters.splice(
        iter..=iter,
        [
            Iter {
                extent: outer,
                kind,
            },
            Iter {
                extent: inner,
                kind,
            },
        ],
    );
    let with: Vec<_> = (0..nest.iters.len())
        .map(|i| match i {
            i if i < iter => Affine::Iter(i),
            i if i == iter => Affine::Iter(i) * inner + Affine::Iter(i + 1),
            i => Affine::Iter(i + 1),
        })
        .collect();
    rebase(nest, iters, &with)
}

/// The nest over other iterators: old iterator `i` is `with[i]` in terms of the new ones. All
/// indices are simplified.
pub(crate) fn rebase(nest: &Nest, iters: Vec<Iter>, with: &[Affine]) -> Option<Nest> {
    let mut out = Nest {
        iters,
        ..nest.clone()
    };
    let extents = out.extents();
    let ranges: Vec<_> = extents.iter().map(|&e| Interval::of_extent(e)).collect();
    for access in out.accesses_mut() {
        for index in &mut access.index {
            *index = index.substitute(with);
            index.simplify_in_place(&ranges);
        }
    }
    out.body = out.body.substitute_index(with, &ranges)?;
    out.finish = out.finish.substitute_index(with, &ranges)?;
    Some(out)
}

/// All indices simplified over the nest's domain.
pub(crate) fn simplify_indices(nest: &mut Nest) {
    let extents = nest.iters.iter().map(|i| Interval::of_extent(i.extent));
    let ranges: Vec<_> = extents.collect();
    for access in nest.accesses_mut() {
        for index in &mut access.index {
            index.simplify_in_place(&ranges);
        }
    }
}

/// Splits iterators, exactly, as long as that makes quotients and remainders fewer.
pub(crate) fn split_divisions(nest: &Nest) -> Nest {
    let mut best = nest.clone();
    simplify_indices(&mut best);
    while let Some(better) = candidates(&best).into_iter().find_map(|(iter, block)| {
        let extent = best.iters[iter].extent;
        if extent % block != 0 || extent == block {
            return None;
        }
        let split = split_iter(&best, iter, extent / block, block)?;
        (divisions(&split) < divisions(&best)).then_some(split)
    }) {
        best = better;
    }
    best
}

/// Splits parallel iterators whose extent is no multiple of the block, where `writes_padding` says of
/// every write that points past the iterator's end write padding only. `shapes` are the slots'
/// physical shapes; reads that may leave them are padded with 0.
pub(crate) fn split_overrunning(
    nest: &Nest,
    shapes: &[Vec<i64>],
    writes_padding: &dyn Fn(&Access, usize, i64) -> bool,
) -> Nest {
    let mut best = nest.clone();
    while let Some(better) = candidates(&best).into_iter().find_map(|(iter, block)| {
        let Iter { extent, kind } = best.iters[iter];
        let fits = kind == IterKind::Parallel
            && extent % block != 0
            && best.writes.iter().all(|w| writes_padding(w, iter, block));
        if !fits {
            return None;
        }
        let mut split = split_iter(&best, iter, (extent + block - 1) / block, block)?;
        let fewer = divisions(&split) < divisions(&best);
        (fewer && make_inside(&mut split, shapes)).then_some(split)
    }) {
        best = better;
    }
    best
}

/// Pads reads that may leave their operand with 0; whether all writes stay inside.
fn make_inside(nest: &mut Nest, shapes: &[Vec<i64>]) -> bool {
    let extents = nest.extents();
    let inside = |access: &Access| {
        let shape = &shapes[access.operand];
        access
            .index
            .iter()
            .zip(shape)
            .all(|(e, &extent)| e.range(&extents).is_inside(extent))
    };
    for read in nest.reads.iter_mut().chain(&mut nest.finish_reads) {
        if read.pad.is_none() && !inside(read) {
            read.pad = Some(crate::scalar::FloatBits::new(0.0));
        }
    }
    nest.writes.iter().all(inside)
}

/// Iterators with a constant that some access divides them by.
fn candidates(nest: &Nest) -> Vec<(usize, i64)> {
    let mut out = Vec::new();
    for access in nest.accesses() {
        access
            .index
            .iter()
            .for_each(|e| collect_candidates(e, &mut out));
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn collect_candidates(expr: &Affine, out: &mut Vec<(usize, i64)>) {
    match expr {
        Affine::Const(_) | Affine::Iter(_) => {}
        Affine::Add(a, b) => {
            collect_candidates(a, out);
            collect_candidates(b, out);
        }
        Affine::Mul(a, _) => collect_candidates(a, out),
        Affine::FloorDiv(a, c) | Affine::Mod(a, c) => match &**a {
            Affine::Iter(i) => out.push((*i, *c)),
            inner => collect_candidates(inner, out),
        },
    }
}

pub(crate) fn divisions(nest: &Nest) -> usize {
    nest.accesses()
        .flat_map(|a| &a.index)
        .map(count_divisions)
        .sum()
}

pub(crate) fn count_divisions(expr: &Affine) -> usize {
    match expr {
        Affine::Const(_) | Affine::Iter(_) => 0,
        Affine::Add(a, b) => count_divisions(a) + count_divisions(b),
        Affine::Mul(a, _) => count_divisions(a),
        Affine::FloorDiv(a, _) | Affine::Mod(a, _) => 1 + count_divisions(a),
    }
}

/// Cuts a dimension of a temporary in two wherever that turns `outer * block + inner` into two plain
/// indices in every access; parallel iterators that run over the whole dimension are split for it.
pub(crate) fn expand_temporaries(kernel: &mut Kernel) {
    while with_sums(kernel)
        .into_iter()
        .any(|slot| expand_temporary(kernel, slot))
    {}
}

/// Temporaries that some access indexes by more than an iterator or a constant.
fn with_sums(kernel: &Kernel) -> Vec<usize> {
    let mut sums = vec![false; kernel.slots.len()];
    for access in kernel.stages.iter().flat_map(Nest::accesses) {
        sums[access.operand] |= access.index.iter().any(is_sum);
    }
    let temporaries = kernel.slots_of(Role::Temporary);
    temporaries.filter(|&slot| sums[slot]).collect()
}

/// Whether an index may have a coefficient greater than 1.
fn is_sum(index: &Affine) -> bool {
    !matches!(index, Affine::Iter(_) | Affine::Const(_))
}

fn expand_temporary(kernel: &mut Kernel, slot: usize) -> bool {
    let expanded = (0..kernel.slots[slot].ty.rank()).find_map(|dim| {
        let block = block_of_dimension(kernel, slot, dim)?;
        let mut out = with_split_iterators(kernel, slot, dim, block)?;
        expand_dimension(&mut out, slot, dim, block);
        Some(out)
    });
    match expanded {
        Some(out) => {
            *kernel = out;
            true
        }
        None => false,
    }
}

/// The kernel with parallel iterators that run over a dimension split by a block.
fn with_split_iterators(kernel: &Kernel, slot: usize, dim: usize, block: i64) -> Option<Kernel> {
    let mut out = kernel.clone();
    let extent = kernel.slots[slot].ty.shape[dim];
    for stage in &mut out.stages {
        loop {
            let mut accesses = stage.accesses().filter(|a| a.operand == slot);
            let iter = accesses.find_map(|a| runs_over(stage, a, dim, extent));
            drop(accesses);
            let Some(iter) = iter else { break };
            *stage = split_iter(stage, iter, extent / block, block)?;
        }
    }
    Some(out)
}

/// The parallel iterator that is the index of a whole dimension.
fn runs_over(nest: &Nest, access: &Access, dim: usize, extent: i64) -> Option<usize> {
    let iter = access.index[dim].is_plain_iter()?;
    (nest.iters[iter] == Iter::parallel(extent)).then_some(iter)
}

fn accesses_of(kernel: &Kernel, slot: usize) -> impl Iterator<Item = (&Nest, &Access)> {
    let stages = kernel.stages.iter();
    let all = stages.flat_map(|s| s.accesses().map(move |a| (s, a)));
    all.filter(move |(_, a)| a.operand == slot)
}

/// A block for which every access to the dimension becomes two indices without quotients, at least
/// one of them by a sum before.
fn block_of_dimension(kernel: &Kernel, slot: usize, dim: usize) -> Option<i64> {
    let extent = kernel.slots[slot].ty.shape[dim];
    let sums = accesses_of(kernel, slot).filter(|(_, access)| is_sum(&access.index[dim]));
    let coefficients = sums.flat_map(|(nest, access)| {
        let linear = access.index[dim].linear(nest.iters.len());
        linear.map(|(k, _)| k).unwrap_or_default()
    });
    let mut blocks: Vec<i64> = coefficients
        .filter(|&k| k > 1 && k < extent && extent % k == 0)
        .collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks.into_iter().find(|&block| {
        accesses_of(kernel, slot).all(|(nest, access)| {
            let extents = nest.extents();
            let plain =
                |e: Affine| matches!(e.simplify(&extents), Affine::Iter(_) | Affine::Const(_));
            let index = &access.index[dim];
            let splits =
                || plain(index.clone().floor_div(block)) && plain(index.clone().modulo(block));
            index.range(&extents).is_inside(extent)
                && (runs_over(nest, access, dim, extent).is_some() || splits())
        })
    })
}

fn expand_dimension(kernel: &mut Kernel, slot: usize, dim: usize, block: i64) {
    let shape = &mut kernel.slots[slot].ty.shape;
    let outer = shape[dim] / block;
    shape.splice(dim..=dim, [outer, block]);
    for stage in &mut kernel.stages {
        let extents = stage.extents();
        for access in stage.accesses_mut().filter(|a| a.operand == slot) {
            let index = access.index[dim].clone();
            let parts = [index.clone().floor_div(block), index.modulo(block)];
            access
                .index
                .splice(dim..=dim, parts.map(|e| e.simplify(&extents)));
        }
    }
}

/// The nest with iterator `order[n]` in place `n`. The order of reductions must not change.
pub(crate) fn permuted(nest: &Nest, order: &[usize]) -> Nest {
    let mut place = vec![0; order.len()];
    for (n, &i) in order.iter().enumerate() {
        place[i] = n;
    }
    let mut out = nest.clone();
    if order.is_sorted() {
        simplify_indices(&mut out);
        return out;
    }
    out.iters = order.iter().map(|&i| nest.iters[i].clone()).collect();
    let number = |i: usize| place[i];
    for access in out.accesses_mut() {
        access
            .index
            .iter_mut()
            .for_each(|e| *e = e.renumber(&number));
    }
    out.body = out.body.renumber_index(&number);
    out.finish = out.finish.renumber_index(&number);
    simplify_indices(&mut out);
    out
}
