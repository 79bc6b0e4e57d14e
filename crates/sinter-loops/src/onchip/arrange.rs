//! Transfers that put elements in another order.

use super::TileId;
use crate::affine::Affine;

/// What a transfer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A tile.
    Tile(TileId),
    /// A slot of the kernel, in device memory.
    Slot(usize),
}

/// Copies the element at `source` to `target` for every point of a box of `extents`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrange {
    /// The tile that is read.
    pub from: TileId,
    /// What is written.
    pub to: Place,
    /// Extents of the box; none of them is 1.
    pub extents: Vec<i64>,
    /// Where the elements are in the tile that is read.
    pub source: Side,
    /// Where they go.
    pub target: Side,
}

/// A position per dimension of an operand: `start`, affine over starts, plus `index`, a sum of
/// multiples of the box's dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Over the starts of the block and of chunks.
    pub start: Vec<Affine>,
    /// Over the dimensions of the box.
    pub index: Vec<Affine>,
}

/// An iterator of a nest as a dimension of a transfer.
pub(super) struct Dim {
    pub(super) iter: usize,
    pub(super) extent: i64,
}

impl Side {
    /// The linear `index` over `count` iterators, of which some are dimensions and some come from the
    /// starts of a loop (iterator, number of the start). All others are at their first point.
    pub(super) fn along(
        index: &[Affine],
        dims: &[Dim],
        starts: &[(usize, usize)],
        count: usize,
    ) -> Self {
        let (mut start, mut within) = (Vec::new(), Vec::new());
        for expr in index {
            let (factors, constant) = expr.linear(count).unwrap_or((vec![0; count], 0));
            let term = |number: usize, factor: i64| match factor {
                0 => Affine::ZERO,
                1 => Affine::Iter(number),
                factor => Affine::Iter(number) * factor,
            };
            let sum = |terms: &mut dyn Iterator<Item = Affine>| {
                terms.fold(Affine::ZERO, |sum, term| sum + term)
            };
            let of_starts = sum(&mut starts.iter().map(|&(i, v)| term(v, factors[i])));
            start.push(of_starts + Affine::Const(constant));
            let dims = dims.iter().enumerate();
            within.push(sum(&mut dims.map(|(d, dim)| term(d, factors[dim.iter]))));
        }
        Self {
            start,
            index: within,
        }
    }
}
