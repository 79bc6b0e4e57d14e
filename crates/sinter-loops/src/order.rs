//! The order of iterators, and of a temporary's dimensions in memory.

use std::cmp::Reverse;

use crate::affine::Affine;
use crate::kernel::{Kernel, Role};
use crate::nest::{Access, IterKind, Nest};
use crate::split::permuted;

/// Reorders the dimensions of every temporary: innermost the one along which its writer can make
/// vectors (where the writer reads a neighbouring element of an input or constant at neighbouring
/// points), the others in the order of the last reader's write, those that this reader combines
/// last.
pub(crate) fn order_temporaries(kernel: &mut Kernel) {
    for writer in (0..kernel.stages.len()).rev() {
        let slots: Vec<usize> = kernel.stages[writer]
            .writes
            .iter()
            .map(|w| w.operand)
            .filter(|&s| kernel.slots[s].role == Role::Temporary)
            .collect();
        for slot in slots {
            let order = dimension_order(kernel, writer, slot);
            permute_dimensions(kernel, slot, &order);
        }
    }
}

fn dimension_order(kernel: &Kernel, writer: usize, slot: usize) -> Vec<usize> {
    let nest = &kernel.stages[writer];
    let mut order: Vec<usize> = (0..kernel.slots[slot].ty.rank()).collect();
    let write = nest.writes.iter().find(|w| w.operand == slot);
    let vector = vector_iterator(kernel, nest);
    let is_vector =
        |dim: usize| write.is_some_and(|w| vector.is_some_and(|v| w.index[dim].uses(v)));
    let places = places_in_reader(kernel, slot);
    order.sort_by_key(|&dim| (is_vector(dim), places.get(dim).copied(), dim));
    order
}

/// The parallel iterator that runs over neighbouring elements of the greatest input or constant for
/// which there is one.
fn vector_iterator(kernel: &Kernel, nest: &Nest) -> Option<usize> {
    let extents = nest.extents();
    let from_memory =
        |a: &&Access| matches!(kernel.slots[a.operand].role, Role::Input | Role::Constant);
    let runs_along = |access: &Access| {
        let position = Affine::flatten(&access.index, &kernel.slots[access.operand].ty.shape);
        let lanes = |i: usize| (extents[i] > 1).then(|| extents[i].min(4));
        nest.parallels().find(|&i| {
            lanes(i).is_some_and(|l| position.stride_in_tiles(i, l, &extents) == Some(1))
        })
    };
    let mut reads: Vec<_> = nest.reads.iter().filter(from_memory).collect();
    reads.sort_by_key(|a| Reverse(kernel.slots[a.operand].ty.elements()));
    reads.into_iter().find_map(runs_along)
}

/// For each dimension of a temporary, the place in its last reader's order of the iterator that runs
/// over it.
fn places_in_reader(kernel: &Kernel, slot: usize) -> Vec<usize> {
    let reads = |n: &Nest| {
        n.reads
            .iter()
            .chain(&n.finish_reads)
            .find(|r| r.operand == slot)
            .cloned()
    };
    let Some((reader, read)) = kernel
        .stages
        .iter()
        .rev()
        .find_map(|n| Some((n, reads(n)?)))
    else {
        return Vec::new();
    };
    let order = write_order(reader);
    let place = |index: &Affine| {
        let parallel = |i: &usize| reader.iters[*i].kind == IterKind::Parallel;
        let iter = index.iters().into_iter().find(parallel);
        iter.and_then(|i| order.iter().position(|&o| o == i))
            .unwrap_or(usize::MAX)
    };
    read.index.iter().map(place).collect()
}

fn write_order(nest: &Nest) -> Vec<usize> {
    nest.writes
        .first()
        .map(|w| w.index.iter().flat_map(Affine::iters).collect())
        .unwrap_or_default()
}

/// Dimension `order[p]` goes to place `p`.
fn permute_dimensions(kernel: &mut Kernel, slot: usize, order: &[usize]) {
    if order.is_sorted() {
        return;
    }
    let shape = &kernel.slots[slot].ty.shape;
    kernel.slots[slot].ty.shape = order.iter().map(|&d| shape[d]).collect();
    for stage in &mut kernel.stages {
        for access in stage.accesses_mut().filter(|a| a.operand == slot) {
            access.index = order.iter().map(|&d| access.index[d].clone()).collect();
        }
    }
}

/// Parallel iterators in the order in which the first write uses them, then reduction iterators in
/// the order they have.
pub(crate) fn canonical_order(nest: &Nest) -> Nest {
    let mut order: Vec<usize> = Vec::new();
    let write = nest
        .writes
        .first()
        .map(|w| w.index.as_slice())
        .unwrap_or_default();
    for index in write {
        let mut used = index.iters();
        if let Some((coefficients, _)) = index.linear(nest.iters.len()) {
            used.sort_by_key(|&i| Reverse(coefficients[i]));
        }
        order.extend(used);
    }
    order.extend(nest.parallels());
    order.extend(nest.reductions());
    let mut seen = vec![false; nest.iters.len()];
    order.retain(|&i| !std::mem::replace(&mut seen[i], true));
    permuted(nest, &order)
}
