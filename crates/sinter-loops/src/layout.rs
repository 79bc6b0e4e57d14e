//! How a logical tensor lies in memory: [`Layout`].
//!
//! The text form lists physical dimensions, outermost first: `[0, 2, 3, 1]` is channels-last,
//! `[0, 1/16, 2, 3, 1%16]` has channels in blocks of 16.

use std::fmt;
use std::str::FromStr;

use crate::affine::Affine;
use crate::kernel::{Layout, PhysicalDim};
use crate::tensor::Tensor;
use crate::types::TensorType;

impl PhysicalDim {
    /// The logical dimension it holds (a part of).
    pub fn logical(self) -> usize {
        match self {
            Self::Whole(d) | Self::Outer(d, _) | Self::Inner(d, _) => d,
        }
    }

    /// Steps of the logical dimension per step of this one.
    fn step(self) -> i64 {
        match self {
            Self::Whole(_) | Self::Inner(..) => 1,
            Self::Outer(_, block) => block,
        }
    }

    fn extent(self, logical: &[i64]) -> i64 {
        match self {
            Self::Whole(d) => logical[d],
            Self::Outer(d, block) => (logical[d] + block - 1) / block,
            Self::Inner(_, block) => block,
        }
    }

    fn index(self, logical: &[Affine]) -> Affine {
        match self {
            Self::Whole(d) => logical[d].clone(),
            Self::Outer(d, block) => logical[d].clone().floor_div(block),
            Self::Inner(d, block) => logical[d].clone().modulo(block),
        }
    }
}

impl Layout {
    /// Dimensions in logical order.
    pub fn row_major(rank: usize) -> Self {
        Self {
            dims: (0..rank).map(PhysicalDim::Whole).collect(),
        }
    }

    /// Physical dimension `p` is logical dimension `perm[p]`.
    pub fn permutation(perm: &[usize]) -> Self {
        Self {
            dims: perm.iter().map(|&d| PhysicalDim::Whole(d)).collect(),
        }
    }

    /// Batch, spatial dimensions, then dimension 1 innermost.
    pub fn channels_last(rank: usize) -> Self {
        let mut perm: Vec<usize> = (0..rank).collect();
        if rank > 2 {
            perm.remove(1);
            perm.push(1);
        }
        Self::permutation(&perm)
    }

    /// Dimension 1 in blocks, which lie innermost.
    pub fn channels_blocked(rank: usize, block: i64) -> Self {
        Self::row_major(rank).blocked(1, block)
    }

    /// The layout with a whole dimension cut in blocks: the quotient in its place, the remainder
    /// innermost. Unchanged where the dimension is not whole.
    #[must_use]
    pub fn blocked(mut self, dim: usize, block: i64) -> Self {
        if let Some(p) = self.dims.iter().position(|&d| d == PhysicalDim::Whole(dim)) {
            self.dims[p] = PhysicalDim::Outer(dim, block);
            self.dims.push(PhysicalDim::Inner(dim, block));
        }
        self
    }

    /// Whether the layout holds every one of `rank` logical dimensions exactly once: whole, or as a
    /// quotient and a remainder by the same positive block.
    pub fn fits(&self, rank: usize) -> bool {
        (0..rank).all(|d| {
            let parts: Vec<_> = self.dims.iter().filter(|p| p.logical() == d).collect();
            match parts[..] {
                [PhysicalDim::Whole(_)] => true,
                [PhysicalDim::Outer(_, a), PhysicalDim::Inner(_, b)]
                | [PhysicalDim::Inner(_, b), PhysicalDim::Outer(_, a)] => a == b && *a > 0,
                _ => false,
            }
        }) && self.dims.iter().all(|p| p.logical() < rank)
    }

    /// The block of a logical dimension, where it has one.
    pub fn block_of(&self, dim: usize) -> Option<i64> {
        self.dims.iter().find_map(|p| match *p {
            PhysicalDim::Inner(d, block) if d == dim => Some(block),
            _ => None,
        })
    }

    /// Whether a tensor of the given logical shape has the same bytes as in row-major order.
    pub fn is_row_major(&self, logical: &[i64]) -> bool {
        let iters: Vec<_> = (0..logical.len()).map(Affine::Iter).collect();
        let shape = self.physical_shape(logical);
        let position = Affine::flatten(&self.physical_index(&iters), &shape).simplify(logical);
        shape.iter().product::<i64>() == logical.iter().product::<i64>()
            && position == Affine::flatten(&iters, logical).simplify(logical)
    }

    /// The extents in memory.
    ///
    /// # Panics
    /// When the layout does not [fit](Layout::fits) the rank (also in the functions below).
    pub fn physical_shape(&self, logical: &[i64]) -> Vec<i64> {
        self.dims.iter().map(|p| p.extent(logical)).collect()
    }

    /// The type in memory.
    pub fn physical_type(&self, logical: &TensorType) -> TensorType {
        TensorType::new(logical.element, self.physical_shape(&logical.shape))
    }

    /// The index in memory of a logical index, not simplified.
    pub fn physical_index(&self, logical: &[Affine]) -> Vec<Affine> {
        self.dims.iter().map(|p| p.index(logical)).collect()
    }

    /// A logical tensor as it lies in memory; padding is 0.
    pub fn pack(&self, logical: &Tensor) -> Tensor {
        let ty = self.physical_type(logical.ty());
        let n = ty.element.bytes();
        let mut out = vec![0; ty.bytes() as usize];
        let source = logical.bytes();
        self.for_each_element(&logical.ty().shape, |physical, at| {
            out[physical * n..(physical + 1) * n].copy_from_slice(&source[at * n..(at + 1) * n]);
        });
        Tensor::from_bytes(ty, out.into())
    }

    /// The logical tensor of a tensor in memory; padding is dropped.
    ///
    /// # Panics
    /// Also when the tensor is not one of the logical shape in this layout.
    pub fn unpack(&self, physical: &Tensor, logical: &[i64]) -> Tensor {
        assert_eq!(physical.ty().shape, self.physical_shape(logical));
        let ty = TensorType::new(physical.ty().element, logical);
        let n = ty.element.bytes();
        let mut out = vec![0; ty.bytes() as usize];
        let source = physical.bytes();
        self.for_each_element(logical, |at, to| {
            out[to * n..(to + 1) * n].copy_from_slice(&source[at * n..(at + 1) * n]);
        });
        Tensor::from_bytes(ty, out.into())
    }

    /// Calls with the physical and the logical position of every element, padding left out.
    fn for_each_element(&self, logical: &[i64], mut f: impl FnMut(usize, usize)) {
        let shape = self.physical_shape(logical);
        if shape.iter().product::<i64>() == 0 {
            return;
        }
        let strides = TensorType::f32(logical).strides();
        let mut at = vec![0; shape.len()];
        let mut coordinate = vec![0; logical.len()];
        for physical in 0.. {
            if coordinate.iter().zip(logical).all(|(c, e)| c < e) {
                let position: i64 = coordinate.iter().zip(&strides).map(|(c, s)| c * s).sum();
                f(physical, position as usize);
            }
            let mut p = shape.len();
            loop {
                if p == 0 {
                    return;
                }
                p -= 1;
                let (dim, step) = (self.dims[p].logical(), self.dims[p].step());
                at[p] += 1;
                coordinate[dim] += step;
                if at[p] < shape[p] {
                    break;
                }
                coordinate[dim] -= step * at[p];
                at[p] = 0;
            }
        }
    }
}

impl fmt::Display for PhysicalDim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(d) => write!(f, "{d}"),
            Self::Outer(d, block) => write!(f, "{d}/{block}"),
            Self::Inner(d, block) => write!(f, "{d}%{block}"),
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (p, dim) in self.dims.iter().enumerate() {
            write!(f, "{}{dim}", if p == 0 { "" } else { ", " })?;
        }
        f.write_str("]")
    }
}

/// A text that is no layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no layout; one looks like [0, 2, 3, 1] or [0, 1/16, 2, 3, 1%16]")]
pub struct LayoutParseError(String);

impl FromStr for Layout {
    type Err = LayoutParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || LayoutParseError(text.to_owned());
        let inner = text
            .trim()
            .strip_prefix('[')
            .and_then(|t| t.strip_suffix(']'))
            .ok_or_else(error)?
            .trim();
        if inner.is_empty() {
            return Ok(Self { dims: Vec::new() });
        }
        let dims: Option<Vec<_>> = inner.split(',').map(|t| parse_dim(t.trim())).collect();
        let layout = Self {
            dims: dims.ok_or_else(error)?,
        };
        let rank = layout
            .dims
            .iter()
            .map(|d| d.logical() + 1)
            .max()
            .unwrap_or(0);
        if layout.fits(rank) {
            Ok(layout)
        } else {
            Err(error())
        }
    }
}

fn parse_dim(text: &str) -> Option<PhysicalDim> {
    if let Some((dim, block)) = text.split_once('/') {
        return Some(PhysicalDim::Outer(dim.parse().ok()?, block.parse().ok()?));
    }
    if let Some((dim, block)) = text.split_once('%') {
        return Some(PhysicalDim::Inner(dim.parse().ok()?, block.parse().ok()?));
    }
    text.parse().ok().map(PhysicalDim::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for text in ["[0, 2, 3, 1]", "[0, 1/16, 2, 3, 1%16]", "[]", "[0]"] {
            assert_eq!(text.parse::<Layout>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "0, 1",
            "[0, 2]",
            "[0, 0]",
            "[0/4]",
            "[0/4, 0%8]",
            "[x]",
            "[0/0, 0%0]",
        ] {
            assert!(text.parse::<Layout>().is_err(), "{text}");
        }
        assert_eq!(Layout::channels_last(4).to_string(), "[0, 2, 3, 1]");
        assert_eq!(
            Layout::channels_blocked(4, 8).to_string(),
            "[0, 1/8, 2, 3, 1%8]"
        );
    }

    #[test]
    fn row_major_is_told_by_bytes() {
        let last = Layout::channels_last(4);
        assert!(!last.is_row_major(&[1, 3, 4, 5]));
        assert!(last.is_row_major(&[2, 1, 4, 5]));
        assert!(last.is_row_major(&[2, 7, 1, 1]));
        let blocked: Layout = "[0, 1/4, 1%4]".parse().unwrap();
        assert!(blocked.is_row_major(&[3, 8]));
        assert!(!blocked.is_row_major(&[3, 7]));
    }

    #[test]
    fn packing_pads_with_zero_and_unpacks() {
        let layout: Layout = "[1/4, 0, 1%4]".parse().unwrap();
        let values: Vec<f32> = (1..=12).map(|v| v as f32).collect();
        let logical = Tensor::from_f32([2, 6], &values);
        let packed = layout.pack(&logical);
        assert_eq!(packed.ty().shape, [2, 2, 4]);
        assert_eq!(
            packed.to_f32s(),
            [
                1., 2., 3., 4., 7., 8., 9., 10., 5., 6., 0., 0., 11., 12., 0., 0.
            ]
        );
        assert_eq!(layout.unpack(&packed, &[2, 6]), logical);
    }
}
