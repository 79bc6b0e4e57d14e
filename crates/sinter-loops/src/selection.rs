//! Reductions that take one element by index, as gathers do.
//!
//! A nest has affine accesses only, so that it reads at an index that is itself read by going through a
//! whole extent and keeping the one element whose position is asked for:
//!
//! ```text
//! acc = acc + (position along r == index ? x[.., r, ..] : 0)
//! ```
//!
//! All other positions leave `acc` as it is. A device that computes addresses at run time needs to look
//! at that one alone, with the same result bit for bit; an index that is out of range gives the start
//! value either way.

use std::borrow::Cow;

use crate::affine::Affine;
use crate::kernel::Kernel;
use crate::nest::{Access, CombineFn, IterKind, Nest};
use crate::scalar::{CompareFn, Inst, Reg};

/// What a nest selects by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The reduction iterator of which one point counts.
    pub iter: usize,
    /// The body's register that says which, an `i64`.
    pub index: Reg,
    /// Reads that nothing but the index depends on.
    pub reads: Vec<usize>,
    /// Iterators that the index changes along, ascending.
    pub along: Vec<usize>,
}

/// What the nest selects by, if it does.
pub fn selection(nest: &Nest) -> Option<Selection> {
    let first = *nest.body.results.first()?;
    let (condition, ..) = selected(nest, first)?;
    for (&result, combine) in nest.body.results.iter().zip(&nest.combines) {
        let (same, _, nothing) = selected(nest, result)?;
        let Inst::Const(_, value) = *inst(nest, nothing)? else {
            return None;
        };
        let neutral = match combine.function {
            CombineFn::Add => value.get() == 0.0,
            _ => value == combine.init,
        };
        if same != condition || !neutral {
            return None;
        }
    }
    let &Inst::Compare(CompareFn::Eq, a, b) = inst(nest, condition)? else {
        return None;
    };
    let (iter, index) = match (inst(nest, a), inst(nest, b)) {
        (Some(&Inst::Index(i)), _) if nest.iters[i].kind == IterKind::Reduction => (i, b),
        (_, Some(&Inst::Index(i))) if nest.iters[i].kind == IterKind::Reduction => (i, a),
        _ => return None,
    };
    let asked = needed(nest, [index]);
    let along = iterators(nest, &asked);
    let values = nest.body.results.iter().filter_map(|&r| selected(nest, r));
    let elsewhere = needed(nest, values.map(|(_, value, _)| value));
    let reads = 0..nest.reads.len();
    let found = Selection {
        iter,
        index,
        reads: reads.filter(|&r| asked[r] && !elsewhere[r]).collect(),
        along,
    };
    let reduces = |i: &usize| nest.iters[*i].kind == IterKind::Reduction;
    (!found.along.iter().any(reduces)).then_some(found)
}

/// A kernel that touches what a selecting one does at most, as a device does that looks at the selected
/// elements alone: every index is taken to follow the last one. Iterators keep their numbers.
pub fn consecutive(kernel: &Kernel) -> Cow<'_, Kernel> {
    let found: Vec<_> = kernel.stages.iter().map(selection).collect();
    if found.iter().all(Option::is_none) {
        return Cow::Borrowed(kernel);
    }
    let mut kernel = kernel.clone();
    for (nest, found) in kernel.stages.iter_mut().zip(found) {
        let Some(found) = found else {
            continue;
        };
        let extent = nest.iters[found.iter].extent;
        let (mut position, mut points) = (Affine::ZERO, 1);
        for &i in found.along.iter().rev() {
            let further = points * nest.iters[i].extent;
            if further <= extent {
                position = position + Affine::Iter(i) * points;
                points = further;
            }
        }
        let count = nest.iters.len();
        let with = |i: usize| match i == found.iter {
            true => position.clone(),
            false => Affine::Iter(i),
        };
        let with: Vec<_> = (0..count).map(with).collect();
        nest.iters[found.iter].extent = 1;
        let extents = nest.extents();
        for Access { index, .. } in &mut nest.reads {
            for expr in index {
                *expr = expr.substitute(&with).simplify(&extents);
            }
        }
    }
    Cow::Owned(kernel)
}

/// Condition, value and alternative of a register that is a choice.
fn selected(nest: &Nest, reg: Reg) -> Option<(Reg, Reg, Reg)> {
    match *inst(nest, reg)? {
        Inst::Select(condition, value, nothing) => Some((condition, value, nothing)),
        _ => None,
    }
}

fn inst(nest: &Nest, reg: Reg) -> Option<&Inst> {
    let place = reg.checked_sub(nest.body.args.len())?;
    nest.body.insts.get(place)
}

/// By register, whether one of the given ones depends on it.
fn needed(nest: &Nest, of: impl IntoIterator<Item = Reg>) -> Vec<bool> {
    let arguments = nest.body.args.len();
    let mut needed = vec![false; arguments + nest.body.insts.len()];
    of.into_iter().for_each(|reg| needed[reg] = true);
    for reg in (arguments..needed.len()).rev() {
        if needed[reg] {
            let operands = nest.body.insts[reg - arguments].operands();
            operands.into_iter().for_each(|r| needed[r] = true);
        }
    }
    needed
}

/// Iterators that the registers change along.
fn iterators(nest: &Nest, needed: &[bool]) -> Vec<usize> {
    let arguments = nest.body.args.len();
    let mut along: Vec<usize> = Vec::new();
    for (reg, _) in needed.iter().enumerate().filter(|(_, n)| **n) {
        match reg.checked_sub(arguments) {
            None => along.extend(nest.reads[reg].index.iter().flat_map(Affine::iters)),
            Some(place) => {
                if let Inst::Index(i) = nest.body.insts[place] {
                    along.push(i);
                }
            }
        }
    }
    along.sort_unstable();
    along.dedup();
    along
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Role, Slot};
    use crate::nest::{Combine, Iter};
    use crate::scalar::{Body, BodyBuilder, FloatBits};
    use crate::types::{ElementType, TensorType};

    /// `y[i, j] = table[index[i], j]` of 100 rows.
    fn gather() -> Kernel {
        let mut b = BodyBuilder::new([ElementType::F32, ElementType::I64]);
        let here = b.index(2);
        let asked = b.compare(CompareFn::Eq, here, 1);
        let zero = b.constant(ElementType::F32, 0.0);
        let y = b.select(asked, 0, zero);
        let d = Affine::Iter;
        let mut nest = Nest::map(
            vec![Iter::parallel(7), Iter::parallel(8), Iter::reduction(100)],
            vec![Access::new(0, vec![d(2), d(1)]), Access::new(1, vec![d(0)])],
            b.finish(vec![y]),
            vec![Access::new(2, vec![d(0), d(1)])],
        );
        nest.combines = vec![Combine {
            function: CombineFn::Add,
            init: FloatBits::new(0.0),
        }];
        nest.finish = Body::identity([ElementType::F32]);
        Kernel {
            name: "gather".into(),
            slots: vec![
                Slot::new(TensorType::f32([100, 8]), Role::Constant),
                Slot::new(TensorType::new(ElementType::I64, [7]), Role::Input),
                Slot::new(TensorType::f32([7, 8]), Role::Output),
            ],
            stages: vec![nest],
            schedule: None,
        }
    }

    #[test]
    fn a_gather_selects_along_its_axis() {
        let kernel = gather();
        kernel.verify().unwrap();
        let found = selection(&kernel.stages[0]).unwrap();
        assert_eq!(found.iter, 2);
        assert_eq!(found.reads, [1]);
        assert_eq!(found.along, [0]);
    }

    #[test]
    fn it_touches_as_many_rows_as_there_are_indices() {
        let kernel = gather();
        let plain = consecutive(&kernel);
        let nest = &plain.stages[0];
        assert_eq!(nest.extents(), [7, 8, 1]);
        assert_eq!(nest.reads[0].index[0], Affine::Iter(0));
        assert_eq!(nest.points(), 56);
    }

    #[test]
    fn a_sum_of_what_is_small_is_no_selection() {
        let mut kernel = gather();
        let body = &mut kernel.stages[0].body;
        for inst in &mut body.insts {
            if let Inst::Compare(function, ..) = inst {
                *function = CompareFn::Lt;
            }
        }
        assert_eq!(selection(&kernel.stages[0]), None);
        assert_eq!(*consecutive(&kernel), kernel);
    }
}
