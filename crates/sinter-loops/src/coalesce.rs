//! Fewer and longer iterators.
//!
//! Takes an unscheduled kernel, usually placed and with physical slots. Leaves one that computes the
//! same bytes from the same bytes:
//!
//! - iterators and slot dimensions of extent 1 are gone (one reduction iterator stays where there
//!   were only such);
//! - two iterators that run over two neighbouring dimensions in every access are one, and so are the
//!   dimensions: a pointwise kernel becomes one-dimensional, a 1x1 convolution of stride 1 has one
//!   iterator for all pixels. Iterators of one kind only; reductions keep their order;
//! - a pointwise stage that finds elements by quotients goes through the operand that they are quotients of, where
//!   none are left then (a reshape of what is stored in another order);
//! - a temporary's dimensions are in the order that suits its writer's vectors and its readers.
//!
//! Slot types change shape but not size, so inputs and outputs are to be seen under the new shapes.
//! Decisions are made for the whole kernel at once: dimensions of a slot are merged only where every
//! stage that touches it agrees, so that temporaries stay indexed by plain iterators; iterators along
//! two shared axes are merged in every stage or in none, and never with iterators along no axis.

use std::collections::BTreeSet;

use crate::affine::Affine;
use crate::kernel::Kernel;
use crate::nest::{Access, Nest};
use crate::order::{canonical_order, order_temporaries};
use crate::place_stages::{SharedAxes, shared_axes};
use crate::scalar::Inst;
use crate::split::{rebase, simplify_indices};
use crate::untangle::untangle;

/// See the [module documentation](self). A scheduled kernel is returned as it is.
#[must_use]
pub fn coalesce(mut kernel: Kernel) -> Kernel {
    if kernel.schedule.is_some() {
        return kernel;
    }
    for stage in &mut kernel.stages {
        simplify_indices(stage);
        *stage = without_unit_iterators(stage);
    }
    drop_unit_dimensions(&mut kernel);
    untangle(&mut kernel);
    order_temporaries(&mut kernel);
    while let Some(links) = Links::found(&kernel) {
        links.merge_one(&mut kernel);
    }
    for stage in &mut kernel.stages {
        *stage = canonical_order(stage);
    }
    kernel
}

/// Iterators of extent 1 are 0 in every index already.
fn without_unit_iterators(stage: &Nest) -> Nest {
    let only_units = stage.reduction_points() == 1;
    let kept_reduction = stage.reductions().next().filter(|_| only_units);
    let keep: Vec<usize> = (0..stage.iters.len())
        .filter(|&i| stage.iters[i].extent != 1 || Some(i) == kept_reduction)
        .collect();
    let with: Vec<Affine> = (0..stage.iters.len())
        .map(|i| {
            keep.iter()
                .position(|&k| k == i)
                .map_or(Affine::ZERO, Affine::Iter)
        })
        .collect();
    let iters = keep.iter().map(|&i| stage.iters[i].clone()).collect();
    rebase(stage, iters, &with).unwrap_or_else(|| stage.clone())
}

fn drop_unit_dimensions(kernel: &mut Kernel) {
    for slot in 0..kernel.slots.len() {
        for dim in (0..kernel.slots[slot].ty.rank()).rev() {
            let index_is_zero = |a: &Access| a.operand != slot || a.index[dim] == Affine::ZERO;
            let unit = kernel.slots[slot].ty.shape[dim] == 1
                && kernel
                    .stages
                    .iter()
                    .flat_map(Nest::accesses)
                    .all(index_is_zero);
            if unit {
                kernel.slots[slot].ty.shape.remove(dim);
                for access in kernel.stages.iter_mut().flat_map(Nest::accesses_mut) {
                    if access.operand == slot {
                        access.index.remove(dim);
                    }
                }
            }
        }
    }
}

/// Pairs that can be merged, if all of them are (the greatest set where each pair's conditions hold).
struct Links {
    /// `(stage, outer iterator, inner iterator)`.
    iters: BTreeSet<(usize, usize, usize)>,
    /// `(slot, dimension)`, to be merged with the next dimension.
    dims: BTreeSet<(usize, usize)>,
    /// What the stages share, where there are several.
    axes: SharedAxes,
}

impl Links {
    /// The links of a kernel; `None` when no iterators can be merged.
    fn found(kernel: &Kernel) -> Option<Self> {
        let mut links = Self::all(kernel);
        loop {
            let iters = links
                .iters
                .iter()
                .filter(|l| links.iters_fit(kernel, **l))
                .copied();
            let iters: BTreeSet<_> = iters.collect();
            let dims = links
                .dims
                .iter()
                .filter(|l| links.dims_fit(kernel, **l))
                .copied();
            let dims: BTreeSet<_> = dims.collect();
            let stable = iters.len() == links.iters.len() && dims.len() == links.dims.len();
            links = Self {
                iters,
                dims,
                ..links
            };
            if stable {
                return (!links.iters.is_empty()).then_some(links);
            }
        }
    }

    fn all(kernel: &Kernel) -> Self {
        let several = kernel.stages.len() > 1;
        let axes = if several {
            shared_axes(kernel).unwrap_or_default()
        } else {
            SharedAxes::default()
        };
        let mut links = Self {
            iters: BTreeSet::new(),
            dims: BTreeSet::new(),
            axes,
        };
        for (s, stage) in kernel.stages.iter().enumerate() {
            let parallel: Vec<_> = stage.parallels().collect();
            for &a in &parallel {
                links
                    .iters
                    .extend(parallel.iter().filter(|&&b| b != a).map(|&b| (s, a, b)));
            }
            let reduction: Vec<_> = stage.reductions().collect();
            links
                .iters
                .extend(reduction.windows(2).map(|w| (s, w[0], w[1])));
        }
        for (s, slot) in kernel.slots.iter().enumerate() {
            links.dims.extend((1..slot.ty.rank()).map(|d| (s, d - 1)));
        }
        links
    }

    /// Neither iterator occurs in a body, and every access uses both for two linked dimensions, or
    /// as one sum in one dimension, or neither.
    fn iters_fit(&self, kernel: &Kernel, (s, a, b): (usize, usize, usize)) -> bool {
        let stage = &kernel.stages[s];
        let reads_index = |inst: &Inst| matches!(inst, Inst::Index(i) if *i == a || *i == b);
        if stage
            .body
            .insts
            .iter()
            .chain(&stage.finish.insts)
            .any(reads_index)
        {
            return false;
        }
        if !self.axes_fit(s, a, b) {
            return false;
        }
        let extents = stage.extents();
        stage.accesses().all(|access| {
            let users: Vec<usize> = (0..access.index.len())
                .filter(|&d| access.index[d].uses(a) || access.index[d].uses(b))
                .collect();
            match users[..] {
                [] => true,
                [d] => is_joint_sum(&access.index[d], a, b, &extents),
                [d, e] => {
                    e == d + 1
                        && access.index[d] == Affine::Iter(a)
                        && access.index[e] == Affine::Iter(b)
                        && kernel.slots[access.operand].ty.shape[e] == extents[b]
                        && self.dims.contains(&(access.operand, d))
                }
                _ => false,
            }
        })
    }

    /// The iterators run along no axes, or along two that every other stage can merge too.
    fn axes_fit(&self, s: usize, a: usize, b: usize) -> bool {
        match (self.axes.axis_of(s, a), self.axes.axis_of(s, b)) {
            (None, None) => true,
            (Some(a), Some(b)) => self
                .along_both(a, b)
                .all(|pair| pair.is_none_or(|pair| self.iters.contains(&pair))),
            _ => false,
        }
    }

    /// For every stage that has one of two axes: its iterators along them, `(_, x, x)` (which is
    /// never linked) where one is lacking.
    fn along_both(
        &self,
        a: usize,
        b: usize,
    ) -> impl Iterator<Item = Option<(usize, usize, usize)>> + '_ {
        let (a, b) = (&self.axes.axes[a].iters, &self.axes.axes[b].iters);
        a.iter().zip(b).enumerate().map(|(n, pair)| match pair {
            (Some(a), Some(b)) => Some((n, *a, *b)),
            (None, None) => None,
            (Some(x), None) | (None, Some(x)) => Some((n, *x, *x)),
        })
    }

    /// Every access runs over both dimensions by two linked iterators, or stays at one place.
    fn dims_fit(&self, kernel: &Kernel, (slot, dim): (usize, usize)) -> bool {
        let shape = &kernel.slots[slot].ty.shape;
        kernel.stages.iter().enumerate().all(|(s, stage)| {
            stage
                .accesses()
                .filter(|a| a.operand == slot)
                .all(
                    |access| match (&access.index[dim], &access.index[dim + 1]) {
                        (Affine::Const(a), Affine::Const(b)) => {
                            (0..shape[dim]).contains(a) && (0..shape[dim + 1]).contains(b)
                        }
                        (Affine::Iter(a), Affine::Iter(b)) => {
                            self.iters.contains(&(s, *a, *b))
                                && stage.iters[*b].extent == shape[dim + 1]
                                && stage.iters[*a].extent <= shape[dim]
                        }
                        _ => false,
                    },
                )
        })
    }

    /// Merges the first pair of iterators, with all pairs of dimensions and iterators it entails.
    fn merge_one(&self, kernel: &mut Kernel) {
        let Some(&start) = self.iters.first() else {
            return;
        };
        let (mut iters, mut dims) = (BTreeSet::from([start]), BTreeSet::new());
        loop {
            let before = iters.len() + dims.len();
            for (s, a, b) in iters.clone() {
                let axes = (self.axes.axis_of(s, a), self.axes.axis_of(s, b));
                if let (Some(a), Some(b)) = axes {
                    iters.extend(self.along_both(a, b).flatten());
                }
            }
            for (s, stage) in kernel.stages.iter().enumerate() {
                for access in stage.accesses() {
                    for d in 1..access.index.len() {
                        let (Affine::Iter(a), Affine::Iter(b)) =
                            (&access.index[d - 1], &access.index[d])
                        else {
                            continue;
                        };
                        let (pair, dim) = ((s, *a, *b), (access.operand, d - 1));
                        if iters.contains(&pair) || dims.contains(&dim) {
                            iters.insert(pair);
                            dims.insert(dim);
                        }
                    }
                }
            }
            if iters.len() + dims.len() == before {
                break;
            }
        }
        for &(slot, dim) in dims.iter().rev() {
            merge_dimensions(kernel, slot, dim);
        }
        for (s, stage) in kernel.stages.iter_mut().enumerate() {
            let mut pairs: Vec<_> = iters
                .iter()
                .filter(|p| p.0 == s)
                .map(|&(_, a, b)| (a, b))
                .collect();
            while let Some((a, b)) = pairs.pop() {
                *stage = with_merged_iterators(stage, a, b);
                let number = |i: usize| if i > b { i - 1 } else { i };
                pairs
                    .iter_mut()
                    .for_each(|p| *p = (number(p.0), number(p.1)));
            }
        }
    }
}

/// Whether the index is `(a * extent(b) + b) * k` plus what has neither.
fn is_joint_sum(index: &Affine, a: usize, b: usize, extents: &[i64]) -> bool {
    index
        .linear(extents.len())
        .is_some_and(|(k, _)| k[a] == k[b] * extents[b])
}

fn merge_dimensions(kernel: &mut Kernel, slot: usize, dim: usize) {
    let shape = &mut kernel.slots[slot].ty.shape;
    let inner = shape.remove(dim + 1);
    shape[dim] *= inner;
    for stage in &mut kernel.stages {
        for access in stage.accesses_mut().filter(|a| a.operand == slot) {
            let index = access.index.remove(dim + 1);
            access.index[dim] = access.index[dim].clone() * inner + index;
        }
    }
}

/// `a` and `b` as one iterator in `a`'s place.
fn with_merged_iterators(stage: &Nest, a: usize, b: usize) -> Nest {
    let inner = stage.iters[b].extent;
    let number = |i: usize| if i > b { i - 1 } else { i };
    let joint = Affine::Iter(number(a));
    let with: Vec<Affine> = (0..stage.iters.len())
        .map(|i| match i {
            i if i == a => joint.clone().floor_div(inner),
            i if i == b => joint.clone().modulo(inner),
            i => Affine::Iter(number(i)),
        })
        .collect();
    let mut iters = stage.iters.clone();
    iters[a].extent *= inner;
    iters.remove(b);
    rebase(stage, iters, &with).unwrap_or_else(|| stage.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Role, Slot};
    use crate::nest::{Combine, CombineFn, Iter};
    use crate::scalar::{BinaryFn, Body, BodyBuilder, FloatBits};
    use crate::types::{ElementType::F32, TensorType};

    fn d(i: usize) -> Affine {
        Affine::Iter(i)
    }

    fn slot(role: Role, shape: impl Into<Vec<i64>>) -> Slot {
        Slot::new(TensorType::f32(shape), role)
    }

    #[test]
    fn pointwise_becomes_one_dimensional() {
        let all = vec![d(0), d(1), d(2), d(3)];
        let kernel = coalesce(Kernel {
            name: "copy".into(),
            slots: vec![
                slot(Role::Input, [1, 4, 5, 6]),
                slot(Role::Output, [1, 4, 5, 6]),
            ],
            stages: vec![Nest::map(
                [1, 4, 5, 6].map(Iter::parallel).to_vec(),
                vec![Access::new(0, all.clone())],
                Body::identity([F32]),
                vec![Access::new(1, all)],
            )],
            schedule: None,
        });
        kernel.verify().unwrap();
        assert_eq!(kernel.stages[0].extents(), [120]);
        assert_eq!(kernel.slots[0].ty.shape, [120]);
    }

    #[test]
    fn broadcast_keeps_its_dimension_apart() {
        let kernel = coalesce(Kernel {
            name: "bias".into(),
            slots: vec![
                slot(Role::Input, [4, 5, 6]),
                slot(Role::Constant, [6]),
                slot(Role::Output, [4, 5, 6]),
            ],
            stages: vec![Nest::map(
                [4, 5, 6].map(Iter::parallel).to_vec(),
                vec![
                    Access::new(0, vec![d(0), d(1), d(2)]),
                    Access::new(1, vec![d(2)]),
                ],
                {
                    let mut b = BodyBuilder::new([F32, F32]);
                    let sum = b.binary(BinaryFn::Add, 0, 1);
                    b.finish(vec![sum])
                },
                vec![Access::new(2, vec![d(0), d(1), d(2)])],
            )],
            schedule: None,
        });
        kernel.verify().unwrap();
        assert_eq!(kernel.stages[0].extents(), [20, 6]);
        assert_eq!(kernel.slots[2].ty.shape, [20, 6]);
    }

    /// A channels-last convolution.
    fn convolution(window: i64) -> Kernel {
        let edge = 6 - window + 1;
        let (n, h, w, co, kh, kw, ci) = (d(0), d(1), d(2), d(3), d(4), d(5), d(6));
        let mut body = BodyBuilder::new([F32, F32]);
        let product = body.binary(BinaryFn::Mul, 0, 1);
        Kernel {
            name: "conv".into(),
            slots: vec![
                slot(Role::Input, [2, 6, 6, 3]),
                slot(Role::Constant, [window, window, 3, 4]),
                slot(Role::Output, [2, edge, edge, 4]),
            ],
            stages: vec![Nest {
                iters: vec![
                    Iter::parallel(2),
                    Iter::parallel(edge),
                    Iter::parallel(edge),
                    Iter::parallel(4),
                    Iter::reduction(window),
                    Iter::reduction(window),
                    Iter::reduction(3),
                ],
                combines: vec![Combine {
                    function: CombineFn::Add,
                    init: FloatBits::new(0.0),
                }],
                contract: true,
                ..Nest::map(
                    vec![],
                    vec![
                        Access::new(
                            0,
                            vec![
                                n.clone(),
                                h.clone() + kh.clone(),
                                w.clone() + kw.clone(),
                                ci.clone(),
                            ],
                        ),
                        Access::new(1, vec![kh, kw, ci, co.clone()]),
                    ],
                    body.finish(vec![product]),
                    vec![Access::new(2, vec![n, h, w, co])],
                )
            }],
            schedule: None,
        }
    }

    #[test]
    fn pixels_of_a_1x1_convolution_are_one_iterator() {
        let kernel = coalesce(convolution(1));
        kernel.verify().unwrap();
        assert_eq!(kernel.stages[0].extents(), [72, 4, 3]);
        assert_eq!(kernel.stages[0].reads[0].index, [d(0), d(2)]);
    }

    #[test]
    fn windows_stay() {
        let kernel = coalesce(convolution(3));
        kernel.verify().unwrap();
        assert_eq!(kernel.stages[0].extents(), [2, 4, 4, 4, 3, 3, 3]);
    }

    #[test]
    fn a_unit_reduction_stays_one() {
        let mut kernel = convolution(1);
        kernel.slots[0].ty.shape[3] = 1;
        kernel.slots[1].ty.shape[2] = 1;
        kernel.stages[0].iters[6].extent = 1;
        let kernel = coalesce(kernel);
        kernel.verify().unwrap();
        assert_eq!(kernel.stages[0].extents(), [72, 4, 1]);
    }
}
