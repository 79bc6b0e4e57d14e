//! Transfers of many dimensions as ones of few.

use crate::types::strides;

/// Dimensions that one transfer has at most.
pub const TRANSFER_RANK: usize = 5;

/// A dimension of a transfer's box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferDim {
    /// Which of the dimensions of the box it comes from; of several the innermost.
    pub of: usize,
    /// Points along it; `None` where only the running block knows.
    pub extent: Option<i64>,
    /// Distance from point to point, of destination and source.
    pub steps: [i64; 2],
}

/// A transfer's dimensions: those that a loop runs over, and at most [`TRANSFER_RANK`] of each transfer
/// in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransferDims {
    /// Dimensions of the loop, the shortest ones; none where one transfer is enough.
    pub looped: Vec<TransferDim>,
    /// Dimensions of one transfer, outermost first.
    pub moved: Vec<TransferDim>,
}

/// The fewest dimensions that describe a box: two that both sides go through as through one are one.
pub fn transfer_dims(dims: Vec<TransferDim>) -> TransferDims {
    let mut moved = dims;
    moved.retain(|d| d.extent != Some(1));
    while let Some((outer, inner)) = joint(&moved) {
        let extent = |d: usize| moved[d].extent.unwrap_or(1);
        moved[inner].extent = Some(extent(outer) * extent(inner));
        moved.remove(outer);
    }
    let mut looped = Vec::new();
    while moved.len() > TRANSFER_RANK {
        let extent = |d: &usize| moved[*d].extent.unwrap_or(i64::MAX);
        let shortest = (0..moved.len()).min_by_key(extent).unwrap_or(0);
        looped.push(moved.remove(shortest));
    }
    TransferDims { looped, moved }
}

/// Two dimensions of which the second ends where the next point of the first begins, on both sides.
fn joint(dims: &[TransferDim]) -> Option<(usize, usize)> {
    let follows = |a: &TransferDim, b: &TransferDim| {
        let (Some(_), Some(length)) = (a.extent, b.extent) else {
            return false;
        };
        a.steps == b.steps.map(|step| step * length)
    };
    let pairs = (0..dims.len()).flat_map(|a| (0..dims.len()).map(move |b| (a, b)));
    let mut pairs = pairs.filter(|(a, b)| a != b);
    pairs.find(|&(a, b)| follows(&dims[a], &dims[b]))
}

/// The dimensions of a box of `extents` between a dense tile of that shape and a dense operand.
pub fn box_dims(extents: &[Option<i64>], tile: &[i64], operand: &[i64]) -> Vec<TransferDim> {
    let (tile, operand) = (strides(tile), strides(operand));
    let dims = extents.iter().zip(tile.iter().zip(&operand)).enumerate();
    dims.map(|(of, (&extent, (&tile, &operand)))| TransferDim {
        of,
        extent,
        steps: [tile, operand],
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(tile: &[i64], operand: &[i64]) -> TransferDims {
        let extents: Vec<_> = tile.iter().map(|&n| Some(n)).collect();
        transfer_dims(box_dims(&extents, tile, operand))
    }

    #[test]
    fn dense_boxes_have_one_dimension() {
        let dims = whole(&[2, 3, 4, 5, 6, 7], &[2, 3, 4, 5, 6, 7]);
        assert_eq!((dims.looped.len(), dims.moved.len()), (0, 1));
        assert_eq!(dims.moved[0].extent, Some(5040));
    }

    #[test]
    fn whole_inner_dimensions_are_one() {
        // Of the third dimension a part: it begins another row.
        let dims = whole(&[2, 3, 2, 5, 6, 7], &[2, 3, 4, 5, 6, 7]);
        let extents: Vec<_> = dims.moved.iter().map(|d| d.extent).collect();
        assert_eq!(extents, [Some(6), Some(420)]);
        assert_eq!(dims.moved[0].steps, [420, 840]);
    }

    #[test]
    fn the_shortest_of_many_are_looped_over() {
        let dims = whole(&[3, 2, 3, 3, 3, 3, 1], &[4, 4, 4, 4, 4, 4, 4]);
        let looped: Vec<_> = dims.looped.iter().map(|d| d.of).collect();
        assert_eq!(looped, [1]);
        assert_eq!(dims.moved.len(), TRANSFER_RANK);
        // What only the block knows is looped over last, and joins nothing.
        let extents = [Some(2), None, Some(3), Some(3), Some(3), Some(3)];
        let dims = transfer_dims(box_dims(&extents, &[2, 2, 3, 3, 3, 3], &[2, 2, 3, 3, 3, 3]));
        assert_eq!((dims.looped.len(), dims.moved.len()), (0, 3));
    }
}
