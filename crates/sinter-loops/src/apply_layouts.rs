//! Logical slots become physical ones.
//!
//! Takes a kernel whose slots have logical types and, some of them, layouts. Leaves slot types as
//! they lie in memory, accesses through the layout maps, parallel iterators in the order of the
//! first write, and iterators split where a blocked dimension made quotients and remainders:
//! `co` becomes `(co_outer, co_inner)`.
//!
//! **Extents that are no multiple of the block.** A parallel iterator is split all the same, with its
//! last block whole, where every write of the nest goes to a dimension blocked just so and no
//! temporary is involved: the overrunning points then write only padding, which is unspecified. They
//! read padding (0 in packed constants) and, of operands that are not padded there, 0 by `pad`.
//! Everywhere else (a reduction, or an output that has no padding) the iterator stays whole and the
//! quotient and remainder stay in the access, as `w[co floordiv 16, .., co mod 16]`;
//! [`Affine::stride_in_tiles`](crate::affine::Affine::stride_in_tiles) tells that a vector of 16
//! lanes from a multiple of 16 is contiguous.
//!
//! Refuses layouts that do not fit, and padded reads that leave a blocked dimension where the block's
//! padding would be taken for values.

use crate::kernel::{Kernel, Layout, PhysicalDim, Role};
use crate::nest::{Access, Nest};
use crate::order::canonical_order;
use crate::refusal::Refusal;
use crate::split::{expand_temporaries, simplify_indices, split_divisions, split_overrunning};

/// See the [module documentation](self). Outputs, unpacked, equal those of the logical kernel on
/// packed inputs.
///
/// # Errors
/// [`Refusal::LayoutMismatch`], [`Refusal::PaddedBlockedDimension`], [`Refusal::AlreadyScheduled`].
pub fn apply_layouts(mut kernel: Kernel) -> Result<Kernel, Refusal> {
    if kernel.schedule.is_some() {
        return Err(Refusal::AlreadyScheduled);
    }
    let logical: Vec<Vec<i64>> = kernel.slots.iter().map(|s| s.ty.shape.clone()).collect();
    for (slot, shape) in logical.iter().enumerate() {
        apply_to_slot(&mut kernel, slot, shape)?;
    }
    let shapes: Vec<Vec<i64>> = kernel.slots.iter().map(|s| s.ty.shape.clone()).collect();
    for n in 0..kernel.stages.len() {
        let mut stage = kernel.stages[n].clone();
        simplify_indices(&mut stage);
        stage = split_divisions(&stage);
        if !touches_temporaries(&kernel, &stage) {
            let padding = |write: &Access, iter: usize, block: i64| {
                let layout = kernel.slots[write.operand].layout.as_ref();
                layout.is_some_and(|l| {
                    writes_whole_blocks(&stage, write, iter, block, l, &logical[write.operand])
                })
            };
            stage = split_overrunning(&stage, &shapes, &padding);
        }
        kernel.stages[n] = canonical_order(&stage);
    }
    expand_temporaries(&mut kernel);
    Ok(kernel)
}

fn apply_to_slot(kernel: &mut Kernel, slot: usize, logical: &[i64]) -> Result<(), Refusal> {
    let Some(layout) = kernel.slots[slot].layout.clone() else {
        return Ok(());
    };
    if !layout.fits(logical.len()) {
        let layout = layout.to_string();
        return Err(Refusal::LayoutMismatch {
            slot,
            rank: logical.len(),
            layout,
        });
    }
    for stage in &mut kernel.stages {
        let extents = stage.extents();
        for access in stage.accesses_mut().filter(|a| a.operand == slot) {
            if let Some(dim) = leaves_blocked_dimension(access, &layout, logical, &extents) {
                return Err(Refusal::PaddedBlockedDimension { slot, dim });
            }
            access.index = layout.physical_index(&access.index);
        }
    }
    kernel.slots[slot].ty.shape = layout.physical_shape(logical);
    Ok(())
}

/// A dimension where a padded read may pass the logical end and still be inside the last block.
fn leaves_blocked_dimension(
    access: &Access,
    layout: &Layout,
    logical: &[i64],
    extents: &[i64],
) -> Option<usize> {
    access.pad?;
    (0..logical.len()).find(|&d| {
        let partial = layout.block_of(d).is_some_and(|b| logical[d] % b != 0);
        partial && access.index[d].range(extents).max >= logical[d]
    })
}

fn touches_temporaries(kernel: &Kernel, stage: &Nest) -> bool {
    stage
        .accesses()
        .any(|a| kernel.slots[a.operand].role == Role::Temporary)
}

/// Whether a physical write runs over all of a logical dimension by `iter floordiv block` and
/// `iter mod block`, so that whole blocks add nothing but the dimension's padding.
fn writes_whole_blocks(
    stage: &Nest,
    write: &Access,
    iter: usize,
    block: i64,
    layout: &Layout,
    logical: &[i64],
) -> bool {
    use crate::affine::Affine;
    let quotient = Affine::Iter(iter).floor_div(block);
    let remainder = Affine::Iter(iter).modulo(block);
    let (mut outer, mut inner) = (false, false);
    for (index, dim) in write.index.iter().zip(&layout.dims) {
        match *dim {
            PhysicalDim::Outer(d, b)
                if b == block && *index == quotient && logical[d] == stage.iters[iter].extent =>
            {
                outer = true;
            }
            PhysicalDim::Inner(_, b) if b == block && *index == remainder => inner = true,
            _ if index.uses(iter) => return false,
            _ => {}
        }
    }
    outer && inner
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::Affine;
    use crate::kernel::Slot;
    use crate::nest::Iter;
    use crate::scalar::Body;
    use crate::types::{ElementType, TensorType};

    fn d(i: usize) -> Affine {
        Affine::Iter(i)
    }

    /// `[n, c]` copied from one layout to another.
    fn copy(shape: [i64; 2], from: Option<&str>, to: Option<&str>) -> Kernel {
        let slot = |role, layout: Option<&str>| Slot {
            layout: layout.map(|t| t.parse().unwrap()),
            ..Slot::new(TensorType::f32(shape), role)
        };
        Kernel {
            name: "copy".into(),
            slots: vec![slot(Role::Input, from), slot(Role::Output, to)],
            stages: vec![Nest::map(
                shape.map(Iter::parallel).to_vec(),
                vec![Access::new(0, vec![d(0), d(1)])],
                Body::identity([ElementType::F32]),
                vec![Access::new(1, vec![d(0), d(1)])],
            )],
            schedule: None,
        }
    }

    fn indices(accesses: &[Access]) -> Vec<String> {
        accesses[0].index.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn blocks_split_iterators() {
        let kernel = apply_layouts(copy([3, 32], None, Some("[1/16, 0, 1%16]"))).unwrap();
        kernel.verify().unwrap();
        assert_eq!(kernel.stages[0].extents(), [2, 3, 16]);
        assert_eq!(indices(&kernel.stages[0].reads), ["d1", "d0 * 16 + d2"]);
        assert_eq!(indices(&kernel.stages[0].writes), ["d0", "d1", "d2"]);
    }

    #[test]
    fn overrun_goes_to_padding_only() {
        let kernel = apply_layouts(copy([3, 20], None, Some("[1/16, 0, 1%16]"))).unwrap();
        kernel.verify().unwrap();
        assert_eq!(kernel.stages[0].extents(), [2, 3, 16]);
        assert!(kernel.stages[0].reads[0].pad.is_some());
        let kernel = apply_layouts(copy([3, 20], Some("[1/16, 0, 1%16]"), None)).unwrap();
        kernel.verify().unwrap();
        assert_eq!(kernel.stages[0].extents(), [3, 20]);
        assert_eq!(
            indices(&kernel.stages[0].reads),
            ["d1 floordiv 16", "d0", "d1 mod 16"]
        );
    }

    #[test]
    fn refusals() {
        let bad = copy([3, 20], Some("[0, 1, 2]"), None);
        assert_eq!(apply_layouts(bad).unwrap_err().code(), "layout-mismatch");
        let mut padded = copy([3, 20], Some("[1/16, 0, 1%16]"), None);
        padded.stages[0].reads[0] = Access::padded(0, vec![d(0), d(1) + Affine::Const(2)], 0.0);
        assert_eq!(
            apply_layouts(padded).unwrap_err().code(),
            "padded-blocked-dimension"
        );
        let mut below = copy([3, 20], Some("[1/16, 0, 1%16]"), None);
        below.stages[0].reads[0] = Access::padded(0, vec![d(0), d(1) + Affine::Const(-2)], 0.0);
        assert!(apply_layouts(below).is_ok());
    }
}
