//! The order of slots that reading a kernel back gives.

use sinter_loops::kernel::{Kernel, Role};
use sinter_loops::nest::Nest;

/// The same kernel with its slots in canonical order: inputs and constants as they come, temporaries
/// as they are first written, outputs as they come.
pub fn canonical(kernel: &Kernel) -> Kernel {
    let role = |slot: &usize| kernel.slots[*slot].role;
    let all = 0..kernel.slots.len();
    let mut order: Vec<usize> = all
        .clone()
        .filter(|s| matches!(role(s), Role::Input | Role::Constant))
        .collect();
    for write in kernel.stages.iter().flat_map(|nest| &nest.writes) {
        if role(&write.operand) == Role::Temporary && !order.contains(&write.operand) {
            order.push(write.operand);
        }
    }
    order.extend(all.filter(|s| role(s) == Role::Output));
    let mut number = vec![0; kernel.slots.len()];
    for (new, &old) in order.iter().enumerate() {
        number[old] = new;
    }
    Kernel {
        name: kernel.name.clone(),
        slots: order.iter().map(|&s| kernel.slots[s].clone()).collect(),
        stages: kernel
            .stages
            .iter()
            .map(|nest| renumbered(nest, &number))
            .collect(),
        schedule: kernel.schedule.clone(),
    }
}

fn renumbered(nest: &Nest, number: &[usize]) -> Nest {
    let mut nest = nest.clone();
    for access in nest.accesses_mut() {
        access.operand = number[access.operand];
    }
    nest
}
