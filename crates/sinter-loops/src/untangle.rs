//! Pointwise nests without quotients.
//!
//! A reshape of what is stored in another order goes through its result and finds each element by quotients and
//! remainders, which no tile divides. [`untangle`] goes through an operand as it is stored instead, and sees the other
//! operands under shapes in which each of them has plain indices.

use crate::affine::Affine;
use crate::kernel::Kernel;
use crate::nest::{Iter, Nest};
use crate::split::{count_divisions, divisions, rebase};

/// Rewrites a kernel of one pointwise stage over the dimensions of one of its operands, where no quotients and
/// remainders are left then; otherwise nothing changes. Slots change their shape, not their size.
pub(crate) fn untangle(kernel: &mut Kernel) {
    let [nest] = &kernel.stages[..] else { return };
    if !nest.combines.is_empty() || divisions(nest) == 0 {
        return;
    }
    let count = nest.accesses().count();
    let plain = (0..count).find_map(|n| through(kernel, nest, n));
    if let Some(plain) = plain {
        *kernel = plain;
    }
}

/// The kernel over the dimensions of the operand of access `n`, each point of which is accessed once.
fn through(kernel: &Kernel, nest: &Nest, n: usize) -> Option<Kernel> {
    let along = nest.accesses().nth(n)?;
    let shape = &kernel.slots[along.operand].ty.shape;
    if along.pad.is_some() || shape.iter().product::<i64>() != nest.points() {
        return None;
    }
    let number = counter(nest, &along.index, shape)?;
    let old = nest.extents();
    let below: Vec<i64> = (0..old.len())
        .map(|i| old[i + 1..].iter().product())
        .collect();
    let with = |i: usize| number.clone().floor_div(below[i]).modulo(old[i]);
    let with: Vec<_> = (0..old.len()).map(with).collect();
    let iters = shape.iter().map(|&extent| Iter::parallel(extent)).collect();
    let mut out = kernel.clone();
    out.stages[0] = rebase(nest, iters, &with)?;
    let extents = out.stages[0].extents();
    let slots: Vec<_> = nest.accesses().map(|a| a.operand).collect();
    let accesses = nest.accesses().zip(out.stages[0].accesses_mut());
    for (at, (before, access)) in accesses.enumerate() {
        if at == n {
            let plain = |d: usize| {
                if shape[d] > 1 {
                    Affine::Iter(d)
                } else {
                    Affine::ZERO
                }
            };
            access.index = (0..shape.len()).map(plain).collect();
            continue;
        }
        if access.index.iter().all(|e| count_divisions(e) == 0) {
            continue;
        }
        let alone = slots.iter().filter(|s| **s == access.operand).count() == 1;
        let shape = &mut out.slots[access.operand].ty.shape;
        // As it is stored, the operand is counted through as the nest counts.
        let position = Affine::flatten(&before.index, shape).simplify(&old);
        let counted = dense(&position, &old).is_some_and(|order| order.is_sorted());
        let order =
            dense(&number, &extents).filter(|_| counted && alone && access.pad.is_none())?;
        let seen: Vec<i64> = order.iter().map(|&i| extents[i]).collect();
        // Not all of a padded operand is accessed.
        if seen.iter().product::<i64>() != shape.iter().product() {
            return None;
        }
        *shape = seen;
        access.index = order.into_iter().map(Affine::Iter).collect();
    }
    Some(out)
}

/// The number of a nest's point by the index of an operand, where each index is a digit of the number.
fn counter(nest: &Nest, index: &[Affine], shape: &[i64]) -> Option<Affine> {
    let extents = nest.extents();
    let point = |mut number: i64| {
        let mut point = vec![0; extents.len()];
        for (at, extent) in point.iter_mut().zip(&extents).rev() {
            *at = number % extent;
            number /= extent;
        }
        point
    };
    let mut digits: Vec<_> = (0..shape.len()).filter(|&d| shape[d] > 1).collect();
    let (mut number, mut below) = (Affine::ZERO, 1);
    let iters: Vec<_> = (0..extents.len()).map(Affine::Iter).collect();
    let all = Affine::flatten(&iters, &extents);
    while !digits.is_empty() {
        let here = point(below);
        let next = digits.iter().position(|&d| index[d].eval(&here) == 1)?;
        let d = digits.remove(next);
        let digit = all.clone().floor_div(below).modulo(shape[d]);
        if digit.simplify(&extents) != index[d].simplify(&extents) {
            return None;
        }
        number = number + Affine::Iter(d) * below;
        below *= shape[d];
    }
    Some(number)
}

/// The iterators from the outermost to the innermost, where a position counts through all of them.
fn dense(position: &Affine, extents: &[i64]) -> Option<Vec<usize>> {
    let (coefficients, 0) = position.linear(extents.len())? else {
        return None;
    };
    let mut order: Vec<_> = (0..extents.len()).filter(|&i| extents[i] > 1).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(coefficients[i]));
    let mut below = 1;
    for &i in order.iter().rev() {
        if coefficients[i] != below {
            return None;
        }
        below *= extents[i];
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Role, Slot};
    use crate::nest::Access;
    use crate::scalar::Body;
    use crate::tensor::Tensor;
    use crate::types::{ElementType::F32, TensorType};
    use crate::{coalesce, interp, random};

    /// A reshape from `[c, h, w]`, stored as `order` says, to `[rows, columns]`.
    fn reshape(from: [i64; 3], order: [usize; 3], to: [i64; 2]) -> Kernel {
        let flat = Affine::Iter(0) * to[1] + Affine::Iter(1);
        let logical = [
            flat.clone().floor_div(from[1] * from[2]),
            flat.clone().floor_div(from[2]).modulo(from[1]),
            flat.modulo(from[2]),
        ];
        let shape: Vec<i64> = order.iter().map(|&d| from[d]).collect();
        let index = order.iter().map(|&d| logical[d].clone()).collect();
        let write = Access::new(1, vec![Affine::Iter(0), Affine::Iter(1)]);
        Kernel {
            name: "reshape".into(),
            slots: vec![
                Slot::new(TensorType::f32(shape), Role::Input),
                Slot::new(TensorType::f32(to), Role::Output),
            ],
            stages: vec![Nest::map(
                to.map(Iter::parallel).to_vec(),
                vec![Access::new(0, index)],
                Body::identity([F32]),
                vec![write],
            )],
            schedule: None,
        }
    }

    fn values(kernel: &Kernel, seed: &Tensor) -> Vec<f64> {
        let input = seed.reshaped(kernel.slots[0].ty.shape.clone());
        interp::run(kernel, &[input])[0].to_f64s()
    }

    #[test]
    fn reshapes_of_permuted_tensors_have_plain_indices() {
        for (from, order, to) in [
            ([6, 5, 5], [1, 2, 0], [15, 10]),
            ([4, 6, 10], [1, 2, 0], [15, 16]),
            ([4, 6, 10], [2, 0, 1], [16, 15]),
        ] {
            let kernel = reshape(from, order, to);
            let plain = coalesce(kernel.clone());
            plain.verify().unwrap();
            assert_eq!(divisions(&plain.stages[0]), 0, "{plain:?}");
            let input = random::tensor(&kernel.slots[0].ty, "x", 3);
            assert_eq!(values(&kernel, &input), values(&plain, &input));
        }
    }

    #[test]
    fn what_both_sides_permute_stays() {
        let mut kernel = reshape([6, 5, 5], [1, 2, 0], [15, 10]);
        kernel.slots[1].ty.shape.reverse();
        kernel.stages[0].writes[0].index.reverse();
        let before = kernel.clone();
        untangle(&mut kernel);
        assert_eq!(kernel, before);
    }
}
