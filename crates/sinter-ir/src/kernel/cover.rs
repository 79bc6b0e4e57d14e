//! Which outputs a kernel writes only in part.

use sinter_loops::kernel::{Kernel, PhysicalDim, Role};
use sinter_loops::nest::{Access, Nest};

/// The outputs, by slot, of which a part is left to other kernels.
///
/// Every element that a write can reach is written once, so that counting elements tells whether all
/// are written. In a blocked layout the padding is written by nobody: there the hull of the written
/// indices is compared with the extents instead.
pub fn destinations(kernel: &Kernel) -> Vec<usize> {
    (0..kernel.slots.len())
        .filter(|&slot| kernel.slots[slot].role == Role::Output && !is_covered(kernel, slot))
        .collect()
}

fn writes(kernel: &Kernel, slot: usize) -> impl Iterator<Item = (&Nest, &Access)> {
    kernel.stages.iter().flat_map(move |nest| {
        nest.writes
            .iter()
            .filter(move |w| w.operand == slot)
            .map(move |w| (nest, w))
    })
}

fn is_covered(kernel: &Kernel, slot: usize) -> bool {
    let blocked = kernel.slots[slot].layout.as_ref().is_some_and(|layout| {
        layout
            .dims
            .iter()
            .any(|d| !matches!(d, PhysicalDim::Whole(_)))
    });
    if blocked {
        hull_is_whole(kernel, slot)
    } else {
        count_is_whole(kernel, slot)
    }
}

fn count_is_whole(kernel: &Kernel, slot: usize) -> bool {
    let points: i64 = writes(kernel, slot)
        .map(|(nest, _)| nest.parallel_points())
        .sum();
    points >= kernel.slots[slot].ty.elements()
}

fn hull_is_whole(kernel: &Kernel, slot: usize) -> bool {
    let ty = &kernel.slots[slot].ty;
    let layout = kernel.slots[slot].layout.as_ref();
    (0..ty.rank()).all(|d| {
        let inner = layout.and_then(|l| l.dims.get(d));
        if matches!(inner, Some(PhysicalDim::Inner(..))) {
            return true;
        }
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for (nest, write) in writes(kernel, slot) {
            if let Some(index) = write.index.get(d) {
                let range = index.range(&nest.extents());
                low = low.min(range.min);
                high = high.max(range.max);
            }
        }
        low <= 0 && high >= ty.shape[d] - 1
    })
}
