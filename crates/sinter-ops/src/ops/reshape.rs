//! Another shape for the same row-major elements.

use sinter_loops::affine::Affine;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Fold, Loops, OpError, Operator, Traits};
use crate::support::{
    checked_elements, copy, count, identity, iter, require, require_arity, scaled, sum, types_of,
};

/// The same elements in row-major order under another shape (ONNX `Reshape`, `Flatten`, `Squeeze`, `Unsqueeze`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reshape {
    /// Shape of the result.
    pub shape: Vec<i64>,
}

operator_attributes!(Reshape, "reshape", shape);

impl Operator for Reshape {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            index_map: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 1..=1)?;
        let x = &operands[0];
        require(checked_elements(&self.shape)? == x.elements(), || {
            format!(
                "{x} has {} elements, which do not fill the shape {:?}",
                x.elements(),
                self.shape
            )
        })?;
        Ok(vec![TensorType::new(x.element, self.shape.clone())])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        self.infer(&types_of(operands))?;
        Ok(vec![operands[0].reshaped(self.shape.clone())])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let from = reshape_index(&operands[0].shape, &ty.shape);
        let to = identity(ty.rank());
        Ok(Loops::one(copy(&ty.shape, &ty, (0, from), None, (1, to))))
    }
    fn fold(&self, operands: &[TensorType]) -> Option<Fold> {
        (operands.first()?.shape == self.shape).then_some(Fold::Operand(0))
    }
    fn flops(&self, _: &[TensorType]) -> u64 {
        0
    }
}

/// The index of the operand of a reshape, with the iterators `0..to.len()` as the index of the
/// result. Dimensions that are kept or split give sums of iterators; only merged ones need quotients
/// and remainders.
pub(crate) fn reshape_index(from: &[i64], to: &[i64]) -> Vec<Affine> {
    let mut index = vec![Affine::Const(0); from.len()];
    if count(from) == 0 {
        return index;
    }
    let sources: Vec<usize> = (0..from.len()).filter(|&d| from[d] != 1).collect();
    let targets: Vec<usize> = (0..to.len()).filter(|&d| to[d] != 1).collect();
    let (mut s, mut t) = (0, 0);
    while s < sources.len() {
        let (first_source, first_target) = (s, t);
        let (mut source, mut target) = (from[sources[s]], to[targets[t]]);
        (s, t) = (s + 1, t + 1);
        while source != target {
            if source < target {
                source *= from[sources[s]];
                s += 1;
            } else {
                target *= to[targets[t]];
                t += 1;
            }
        }
        let terms = linear_terms(to, &targets[first_target..t]);
        let mut stride = 1;
        for &d in sources[first_source..s].iter().rev() {
            index[d] = digit(&terms, to, stride, from[d]);
            stride *= from[d];
        }
    }
    index
}

/// The row-major place among some dimensions, as `(dimension, stride)` terms.
fn linear_terms(shape: &[i64], dims: &[usize]) -> Vec<(usize, i64)> {
    let mut stride = 1;
    let mut terms = Vec::new();
    for &d in dims.iter().rev() {
        terms.push((d, stride));
        stride *= shape[d];
    }
    terms.reverse();
    terms
}

/// `(sum of terms floordiv stride) mod extent`, as simple as the extents of the terms allow.
fn digit(terms: &[(usize, i64)], extents: &[i64], stride: i64, extent: i64) -> Affine {
    let largest = |terms: &[(usize, i64)]| -> i64 {
        terms
            .iter()
            .map(|&(d, factor)| (extents[d] - 1) * factor)
            .sum()
    };
    let total = |terms: &[(usize, i64)]| {
        terms.iter().fold(Affine::Const(0), |e, &(d, factor)| {
            sum(e, scaled(iter(d), factor))
        })
    };
    // What is a multiple of the whole range of the digit does not count.
    let mut kept: Vec<_> = terms
        .iter()
        .copied()
        .filter(|(_, factor)| factor % (stride * extent) != 0)
        .collect();
    let wraps = largest(&kept) >= stride * extent;
    // What stays below the digit's stride does not reach it.
    let low: Vec<_> = kept
        .iter()
        .copied()
        .filter(|(_, factor)| factor % stride != 0)
        .collect();
    if largest(&low) < stride {
        kept.retain(|(_, factor)| factor % stride == 0);
        kept.iter_mut().for_each(|(_, factor)| *factor /= stride);
        let value = total(&kept);
        return if wraps {
            Affine::Mod(Box::new(value), extent)
        } else {
            value
        };
    }
    let value = Affine::FloorDiv(Box::new(total(&kept)), stride);
    if wraps {
        Affine::Mod(Box::new(value), extent)
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_dimensions_and_splits_need_no_division() {
        let index = reshape_index(&[1, 12, 5], &[3, 4, 1, 5]);
        assert_eq!(index[0], Affine::Const(0));
        assert_eq!(index[1], sum(scaled(iter(0), 4), iter(1)));
        assert_eq!(index[2], iter(3));
    }

    #[test]
    fn merges_divide_by_the_inner_extent() {
        let index = reshape_index(&[3, 4, 5], &[12, 5]);
        assert_eq!(index[0], Affine::FloorDiv(Box::new(iter(0)), 4));
        assert_eq!(index[1], Affine::Mod(Box::new(iter(0)), 4));
        assert_eq!(index[2], iter(1));
    }
}
