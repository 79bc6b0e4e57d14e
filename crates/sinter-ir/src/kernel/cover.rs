//! Which outputs a kernel writes only in part.

use sinter_loops::kernel::{Kernel, Role};

/// The outputs, by slot, of which a part is left to other kernels.
///
/// Every element that a write can reach is written once, so that counting elements tells whether all
/// are written.
pub fn destinations(kernel: &Kernel) -> Vec<usize> {
    let written = |slot: usize| -> i64 {
        let writes = |nest: &sinter_loops::nest::Nest| {
            nest.writes.iter().filter(|w| w.operand == slot).count() as i64
        };
        kernel
            .stages
            .iter()
            .map(|nest| writes(nest) * nest.parallel_points())
            .sum()
    };
    let is_part = |&slot: &usize| written(slot) < kernel.slots[slot].ty.elements();
    kernel.slots_of(Role::Output).filter(is_part).collect()
}
