//! Reductions that step from page to page of an operand greater than the caches, as sums of columns do.
//!
//! A register tile of such a reduction reads a few cache lines of each page, which neither the
//! processor's prefetcher nor its translation of addresses follows. Taken a few steps at a time for all
//! columns of a block, with the sums so far in the output meanwhile, the operand is read as it lies. Every
//! sum is made in the same order, bit for bit.

use crate::affine::Affine;
use crate::kernel::{Role, Slot};
use crate::nest::{Access, IterKind, Nest};
use crate::selection::selection;

/// Bytes of a page of memory.
pub const PAGE_BYTES: i64 = 4096;

/// The outermost reduction iterator, where vectors along `vector` step along it from page to page of an
/// operand of `large_bytes` and more, and the output can hold the sums so far.
pub fn page_steps(nest: &Nest, slots: &[Slot], vector: usize, large_bytes: u64) -> Option<usize> {
    let reduction = nest.reductions().next()?;
    let (&[_], [write]) = (&nest.combines[..], &nest.writes[..]) else {
        return None;
    };
    let step = |access: &Access, iter: usize| {
        let position = Affine::flatten(&access.index, &slots[access.operand].ty.shape);
        let (coefficients, _) = position.linear(nest.iters.len())?;
        Some(coefficients[iter])
    };
    // An input of which each element is read for the same element of the output could lie where that does.
    let apart = |read: &Access| {
        read.operand != write.operand
            && (slots[read.operand].role != Role::Input
                || read.index.iter().any(|e| e.uses(reduction)))
    };
    let holds_sums = nest.iters[vector].kind == IterKind::Parallel
        && step(write, vector) == Some(1)
        && nest.reads.iter().chain(&nest.finish_reads).all(apart)
        && selection(nest).is_none();
    let jumps = |read: &Access| {
        let ty = &slots[read.operand].ty;
        let bytes = |step: i64| step.abs() * ty.element.bytes() as i64;
        ty.bytes().cast_unsigned() >= large_bytes
            && step(read, vector) == Some(1)
            && step(read, reduction).is_some_and(|s| bytes(s) >= PAGE_BYTES)
    };
    (holds_sums && nest.reads.iter().any(jumps)).then_some(reduction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::{Combine, CombineFn, Iter};
    use crate::scalar::{Body, FloatBits};
    use crate::types::{ElementType, TensorType};

    const LARGE: u64 = 1 << 20;

    /// Sums of columns, and `further` read too.
    fn sums(rows: i64, columns: i64, further: Option<Slot>) -> (Nest, Vec<Slot>) {
        let d = Affine::Iter;
        let mut slots = vec![
            Slot::new(TensorType::f32([rows, columns]), Role::Input),
            Slot::new(TensorType::f32([columns]), Role::Output),
        ];
        let mut nest = Nest::map(
            vec![Iter::parallel(columns), Iter::reduction(rows)],
            vec![Access::new(0, vec![d(1), d(0)])],
            Body::identity([ElementType::F32]),
            vec![Access::new(1, vec![d(0)])],
        );
        nest.combines = vec![Combine {
            function: CombineFn::Add,
            init: FloatBits::new(0.0),
        }];
        nest.finish = Body::identity([ElementType::F32]);
        if let Some(slot) = further {
            nest.reads.push(Access::new(2, vec![d(0)]));
            slots.push(slot);
        }
        (nest, slots)
    }

    fn steps(rows: i64, columns: i64, further: Option<Slot>) -> Option<usize> {
        let (nest, slots) = sums(rows, columns, further);
        page_steps(&nest, &slots, 0, LARGE)
    }

    #[test]
    fn columns_of_a_big_matrix_step_by_pages() {
        assert_eq!(steps(1024, 2048, None), Some(1));
        // It fits the caches; several rows lie on a page.
        assert_eq!(steps(64, 2048, None), None);
        assert_eq!(steps(8192, 256, None), None);
        let (nest, slots) = sums(1024, 2048, None);
        assert_eq!(page_steps(&nest, &slots, 1, LARGE), None, "rows");
    }

    #[test]
    fn what_could_lie_where_the_output_does_is_not_overwritten() {
        let of = |role| Some(Slot::new(TensorType::f32([2048]), role));
        assert_eq!(steps(1024, 2048, of(Role::Input)), None);
        assert_eq!(steps(1024, 2048, of(Role::Constant)), Some(1));
    }
}
