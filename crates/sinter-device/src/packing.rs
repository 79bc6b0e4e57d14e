//! Layouts of constant operands of contractions, packed at compile time.
//!
//! A weight that only its own output channels use, `w[co, ..]`, is stored in panels of one register
//! tile: `[co / NR][..][NR]`, zero padded, where `NR` is the number of channels of the register tile
//! that the stage gets. On scratchpad devices, and where the constant runs along with the other
//! operand (depthwise), it is permuted so that the vector iterator is innermost.

use std::collections::BTreeMap;

use sinter_loops::dot_products::grouped;
use sinter_loops::kernel::{Kernel, Layout, PhysicalDim, Role};
use sinter_loops::nest::{Access, IterKind, Nest};

use crate::device::Device;
use crate::registers::{Choice, Stage};

/// Gives every constant that a contraction reads the layout of its register tile. The kernel is as
/// formed: logical shapes, layouts of activations on their slots. Constants that have a layout keep
/// it.
pub fn pack_constants(kernel: &mut Kernel, device: &Device) {
    let physical = permuted(kernel);
    for nest in physical.stages.iter().filter(|n| n.contract) {
        for (read, access) in nest.reads.iter().enumerate() {
            let slot = &mut kernel.slots[access.operand];
            if slot.role == Role::Constant && slot.layout.is_none() && slot.ty.rank() > 1 {
                slot.layout = layout(&physical, nest, read, device);
            }
        }
    }
}

/// The kernel with operands that are stored permuted, and not blocked, in their physical shape.
/// Temporaries lie as the stored values of their rank do: stages hand values on in the order in which
/// they come.
fn permuted(kernel: &Kernel) -> Kernel {
    let mut out = kernel.clone();
    let stored = kernel.slots.iter().filter(|s| s.role != Role::Constant);
    let common: BTreeMap<usize, Vec<usize>> = stored
        .filter_map(|s| Some((s.ty.rank(), permutation(s.layout.as_ref()?)?)))
        .collect();
    for (number, slot) in out.slots.iter_mut().enumerate() {
        let own = slot.layout.take().and_then(|l| permutation(&l));
        let temporary = slot.role == Role::Temporary;
        let given = || common.get(&slot.ty.rank()).filter(|_| temporary).cloned();
        let Some(dims) = own.or_else(given) else {
            continue;
        };
        slot.ty.shape = dims.iter().map(|&d| slot.ty.shape[d]).collect();
        for access in out.stages.iter_mut().flat_map(Nest::accesses_mut) {
            if access.operand == number {
                access.index = dims.iter().map(|&d| access.index[d].clone()).collect();
            }
        }
    }
    out
}

fn permutation(layout: &Layout) -> Option<Vec<usize>> {
    let whole = |d: &PhysicalDim| match d {
        PhysicalDim::Whole(d) => Some(*d),
        PhysicalDim::Outer(..) | PhysicalDim::Inner(..) => None,
    };
    layout.dims.iter().map(whole).collect()
}

/// The cheapest layout of a constant read of a contraction.
fn layout(kernel: &Kernel, nest: &Nest, read: usize, device: &Device) -> Option<Layout> {
    let access = &nest.reads[read];
    let mut stage = Stage::new(nest, &kernel.slots, device);
    let mut best: Option<(Choice, usize)> = None;
    for v in 0..nest.iters.len() {
        if plain_dim(access, v).is_none() {
            continue;
        }
        stage = packed(stage, nest, access, v);
        let found = stage.best_along(v);
        if let Some(found) = found.filter(|f| best.as_ref().is_none_or(|(b, _)| f.cost < b.cost)) {
            best = Some((found, v));
        }
    }
    let (choice, v) = best?;
    let dim = plain_dim(access, v)?;
    let mut dims: Vec<_> = (0..access.index.len()).filter(|&d| d != dim).collect();
    dims.sort_by_key(|&d| place(nest, access, d));
    let others = dims.into_iter().map(PhysicalDim::Whole);
    let panel = choice.schedule.vectors * choice.schedule.lanes;
    let dots = packed(stage, nest, access, v).scheduled_dots(&choice.schedule);
    let alone = nest.iters[v].kind == IterKind::Parallel
        && nest
            .reads
            .iter()
            .enumerate()
            .all(|(r, a)| r == read || !a.uses(v));
    // Transfers to a scratchpad take boxes: nothing is won by panels, and tiles need not meet them.
    let dims = if alone && !device.is_scratchpad() {
        let outer = std::iter::once(PhysicalDim::Outer(dim, panel));
        outer
            .chain(others)
            .chain([PhysicalDim::Inner(dim, panel)])
            .collect()
    } else {
        others.chain([PhysicalDim::Whole(dim)]).collect()
    };
    let layout = Layout { dims };
    let groups = dots
        .and_then(|dots| Some((grouped_dim(nest, access, v)?, dots.group)))
        .filter(|_| alone);
    Some(match groups {
        Some((dim, group)) => grouped(layout, dim, group),
        None => layout,
    })
}

/// A stage that has an operand packed along an iterator, in groups where dot products may go along them.
fn packed<'a>(stage: Stage<'a>, nest: &Nest, access: &Access, v: usize) -> Stage<'a> {
    let stage = stage.with_packed(access.operand, v);
    match grouped_dim(nest, access, v) {
        Some(_) => stage.with_groups(access.operand, v),
        None => stage,
    }
}

/// The dimension of a contraction's operand that dot products go along: that of the innermost reduction.
fn grouped_dim(nest: &Nest, access: &Access, v: usize) -> Option<usize> {
    let along = nest.reductions().last()?;
    plain_dim(access, along).filter(|&dim| Some(dim) != plain_dim(access, v))
}

/// The dimension that an iterator alone indexes, where it occurs in no other.
fn plain_dim(access: &Access, iter: usize) -> Option<usize> {
    let mut dims = (0..access.index.len()).filter(|&d| access.index[d].uses(iter));
    let dim = dims.next()?;
    (dims.next().is_none() && access.index[dim].is_plain_iter() == Some(iter)).then_some(dim)
}

/// Parallel dimensions first, then reductions in the order in which they run.
fn place(nest: &Nest, access: &Access, dim: usize) -> (bool, usize) {
    let iters = access.index[dim].iters();
    let reduction = iters
        .iter()
        .any(|&i| nest.iters[i].kind == IterKind::Reduction);
    (reduction, iters.last().copied().unwrap_or(0))
}
