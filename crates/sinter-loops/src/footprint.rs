//! The part of an operand that an access touches.

use crate::affine::Interval;
use crate::nest::Access;

/// The range of indices touched in one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Least index.
    pub min: i64,
    /// Number of indices; 0 when nothing of the operand is touched.
    pub extent: i64,
}

/// The smallest box, clipped to an operand of the given shape, that holds every element the access
/// touches while iterator `i` runs over `ranges[i]`. The box is exact for linear indices and may be
/// larger for quotients and remainders.
pub fn box_of(access: &Access, ranges: &[Interval], shape: &[i64]) -> Vec<Span> {
    unclipped_box_of(access, ranges)
        .into_iter()
        .zip(shape)
        .map(|(range, &extent)| {
            let min = range.min.clamp(0, extent);
            let end = (range.max + 1).clamp(min, extent);
            Span {
                min,
                extent: end - min,
            }
        })
        .collect()
}

/// [`box_of`] without clipping: for padded reads it includes what lies outside.
pub fn unclipped_box_of(access: &Access, ranges: &[Interval]) -> Vec<Interval> {
    access.index.iter().map(|e| e.range_in(ranges)).collect()
}

/// The ranges of a tile: iterator `i` from `origin[i]`, `sizes[i]` points.
pub fn tile_ranges(origin: &[i64], sizes: &[i64]) -> Vec<Interval> {
    origin
        .iter()
        .zip(sizes)
        .map(|(&o, &s)| Interval {
            min: o,
            max: o + s.max(1) - 1,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::Affine;

    #[test]
    fn halo_of_a_strided_window() {
        let row = Affine::Iter(0) * 2 + Affine::Iter(1) - Affine::Const(1);
        let access = Access::padded(0, vec![row, Affine::Iter(2)], 0.0);
        let ranges = tile_ranges(&[0, 0, 4], &[4, 3, 8]);
        assert_eq!(
            box_of(&access, &ranges, &[56, 64]),
            [Span { min: 0, extent: 8 }, Span { min: 4, extent: 8 }]
        );
        assert_eq!(
            unclipped_box_of(&access, &ranges)[0],
            Interval { min: -1, max: 7 }
        );
        let ranges = tile_ranges(&[26, 0, 60], &[4, 3, 8]);
        assert_eq!(
            box_of(&access, &ranges, &[56, 64]),
            [Span { min: 51, extent: 5 }, Span { min: 60, extent: 4 }]
        );
        let outside = tile_ranges(&[40, 0, 0], &[1, 3, 1]);
        assert_eq!(box_of(&access, &outside, &[56, 64])[0].extent, 0);
    }
}
