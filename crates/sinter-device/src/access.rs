//! How the accesses of a nest move through memory.

use std::collections::BTreeSet;

use sinter_loops::affine::{Affine, Interval};
use sinter_loops::kernel::{Kernel, Slot};
use sinter_loops::nest::Access;

/// The least common multiple of the divisors of quotients and remainders in which an iterator occurs,
/// 1 without any: tiles along the iterator must be multiples of it to be boxes of the operand.
pub(crate) fn divisor(access: &Access, iter: usize) -> i64 {
    fn of(e: &Affine, iter: usize) -> i64 {
        match e {
            Affine::Const(_) | Affine::Iter(_) => 1,
            Affine::Add(a, b) => lcm(of(a, iter), of(b, iter)),
            Affine::Mul(a, _) => of(a, iter),
            Affine::FloorDiv(a, c) | Affine::Mod(a, c) if a.uses(iter) => lcm(of(a, iter), *c),
            Affine::FloorDiv(..) | Affine::Mod(..) => 1,
        }
    }
    access.index.iter().fold(1, |d, e| lcm(d, of(e, iter)))
}

/// Whether an iterator is an inner one of a dimension: another one steps over it. A box is only
/// without gaps when all points of inner iterators are in it.
pub(crate) fn is_inner(access: &Access, iter: usize, iters: usize) -> bool {
    access
        .index
        .iter()
        .filter(|e| e.uses(iter))
        .any(|e| match e.linear(iters) {
            Some((coefficients, _)) => coefficients
                .iter()
                .any(|c| c.abs() > coefficients[iter].abs()),
            None => e.iters().len() > 1,
        })
}

/// Least common multiple of positive numbers.
pub(crate) fn lcm(a: i64, b: i64) -> i64 {
    fn gcd(a: i64, b: i64) -> i64 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    a / gcd(a, b) * b
}

/// Whether the iterator occurs in a dimension of the access that can be outside the operand.
pub(crate) fn padded_along(access: &Access, slots: &[Slot], iter: usize, extents: &[i64]) -> bool {
    access.pad.is_some()
        && access
            .index
            .iter()
            .zip(&slots[access.operand].ty.shape)
            .any(|(e, &extent)| e.uses(iter) && !e.range(extents).is_inside(extent))
}

/// Elements that an access covers when each iterator `i` runs over `tile[i]` consecutive points: the
/// largest box over all tiles, clipped to the operand.
pub(crate) fn box_elements(access: &Access, slots: &[Slot], tile: &[i64]) -> i64 {
    let ranges: Vec<_> = tile.iter().map(|&t| Interval::of_extent(t)).collect();
    let shape = &slots[access.operand].ty.shape;
    let covered = |(e, &extent): (&Affine, &i64)| box_extent(e, &ranges).min(extent).max(1);
    access.index.iter().zip(shape).map(covered).product()
}

/// Length of the interval that an expression covers in a tile, wherever the tile starts.
fn box_extent(e: &Affine, ranges: &[Interval]) -> i64 {
    match e {
        Affine::Const(_) => 1,
        Affine::Iter(i) => ranges[*i].extent(),
        Affine::Add(a, b) => box_extent(a, ranges) + box_extent(b, ranges) - 1,
        Affine::Mul(a, c) => (box_extent(a, ranges) - 1) * c.abs() + 1,
        // A tile of n consecutive values touches at most this many blocks of c.
        Affine::FloorDiv(a, c) => (box_extent(a, ranges) + c - 2) / c + 1,
        Affine::Mod(a, c) => box_extent(a, ranges).min(*c),
    }
}

/// Bytes of each slot that the kernel touches, once, by slot number.
pub fn touched_bytes(kernel: &Kernel) -> Vec<u64> {
    let mut boxes = vec![BTreeSet::new(); kernel.slots.len()];
    for nest in &kernel.stages {
        let extents = nest.extents();
        for access in nest.accesses() {
            boxes[access.operand].insert(touched_box(access, &kernel.slots, &extents));
        }
    }
    let bytes = |(slot, boxes): (&Slot, &BTreeSet<Vec<Interval>>)| {
        let elements: i64 = boxes
            .iter()
            .map(|b| b.iter().map(|r| r.extent().max(0)).product::<i64>())
            .sum();
        elements.min(slot.ty.elements()).unsigned_abs() * slot.ty.element.bytes() as u64
    };
    kernel.slots.iter().zip(&boxes).map(bytes).collect()
}

/// The part of an operand that an access touches over the whole domain.
fn touched_box(access: &Access, slots: &[Slot], extents: &[i64]) -> Vec<Interval> {
    let shape = &slots[access.operand].ty.shape;
    let clipped = |(e, &extent): (&Affine, &i64)| {
        let range = e.range(extents);
        Interval {
            min: range.min.max(0),
            max: range.max.min(extent - 1),
        }
    };
    access.index.iter().zip(shape).map(clipped).collect()
}
