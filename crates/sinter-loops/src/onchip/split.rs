//! Splits an index into where a tile starts and where a point lies in it.

use crate::affine::{Affine, Interval};

/// `index = start + local`: `start` over the starts of tiles, `local` over points within a tile, with
/// the least local value 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Position of the tile's first element.
    pub start: Affine,
    /// Position within the tile.
    pub local: Affine,
    /// Number of positions within the tile, `local`'s greatest value plus one.
    pub extent: i64,
    /// The least position before it was moved into `start`: in a buffer that holds the whole
    /// dimension, or starts with the tile, the point lies at `local + low`.
    pub low: i64,
}

/// An iterator within a tile.
#[derive(Clone, Debug)]
pub(super) struct TiledIter {
    /// The number of the start variable, where the tile does not start at 0.
    pub(super) start: Option<usize>,
    /// Every start is a multiple of this.
    pub(super) multiple: i64,
    /// Points of the tile.
    pub(super) points: i64,
}

/// Splits `index` over iterators that are tiled; `None` where a quotient or remainder is not
/// aligned with the tile.
pub(super) fn split(index: &Affine, iters: &[TiledIter]) -> Option<Split> {
    let extents: Vec<i64> = iters.iter().map(|i| i.points).collect();
    let (start, local, _) = parts(index, iters)?;
    let local = local.simplify(&extents);
    let Interval { min, max } = local.range(&extents);
    let shift = |a: Affine, by: i64| if by == 0 { a } else { a + Affine::Const(by) };
    Some(Split {
        start: fold(shift(start, min)),
        local: shift(local, -min).simplify(&extents),
        extent: max - min + 1,
        low: min,
    })
}

/// Start and local part, and a number that divides every value of the start part (0: it is 0).
fn parts(index: &Affine, iters: &[TiledIter]) -> Option<(Affine, Affine, i64)> {
    Some(match index {
        Affine::Const(c) => (Affine::ZERO, Affine::Const(*c), 0),
        Affine::Iter(i) => match iters[*i].start {
            Some(v) => (Affine::Iter(v), Affine::Iter(*i), iters[*i].multiple),
            None => (Affine::ZERO, Affine::Iter(*i), 0),
        },
        Affine::Add(a, b) => {
            let (sa, la, ma) = parts(a, iters)?;
            let (sb, lb, mb) = parts(b, iters)?;
            (sa + sb, la + lb, gcd(ma, mb))
        }
        Affine::Mul(a, c) => {
            let (s, l, m) = parts(a, iters)?;
            (s * *c, l * *c, m * c.abs())
        }
        Affine::FloorDiv(a, c) => {
            let (s, l, m) = parts(a, iters)?;
            match m {
                0 => (Affine::ZERO, l.floor_div(*c), 0),
                _ if m % c == 0 => (s.floor_div(*c), l.floor_div(*c), m / c),
                _ => return None,
            }
        }
        Affine::Mod(a, c) => {
            let (_, l, m) = parts(a, iters)?;
            if m % c != 0 {
                return None;
            }
            (Affine::ZERO, l.modulo(*c), 0)
        }
    })
}

/// Constant folding of sums and products; starts have no known range, so nothing more is done.
fn fold(a: Affine) -> Affine {
    match a {
        Affine::Add(a, b) => match (fold(*a), fold(*b)) {
            (Affine::Const(a), Affine::Const(b)) => Affine::Const(a + b),
            (Affine::Const(0), x) | (x, Affine::Const(0)) => x,
            (a, b) => a + b,
        },
        Affine::Mul(a, c) => match (fold(*a), c) {
            (Affine::Const(a), c) => Affine::Const(a * c),
            (_, 0) => Affine::ZERO,
            (a, 1) => a,
            (a, c) => a * c,
        },
        Affine::FloorDiv(a, c) => match fold(*a) {
            Affine::Const(a) => Affine::Const(a.div_euclid(c)),
            a if c == 1 => a,
            a => a.floor_div(c),
        },
        other => other,
    }
}

pub(super) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::{TiledIter, split};
    use crate::affine::Affine;

    fn iter(start: usize, multiple: i64, points: i64) -> TiledIter {
        TiledIter {
            start: Some(start),
            multiple,
            points,
        }
    }

    #[test]
    fn every_point_is_start_plus_local() {
        let iters = [
            iter(0, 4, 4),
            iter(1, 6, 6),
            TiledIter {
                start: None,
                multiple: 0,
                points: 3,
            },
        ];
        let (i, j, k) = (Affine::Iter(0), Affine::Iter(1), Affine::Iter(2));
        let cases = [
            i.clone() * 2 + k.clone() + Affine::Const(-1),
            i.clone().floor_div(2) + j.clone(),
            (i.clone() * 3 + j.clone()).floor_div(6),
            i.clone().modulo(4) + k.clone() * 5,
            i.clone() * -1 + Affine::Const(100),
            (j.clone() + k.clone()).modulo(3),
        ];
        for index in cases {
            let s = split(&index, &iters).unwrap();
            for (a, b) in [(0, 0), (4, 6), (8, 12)] {
                let (mut low, mut high) = (i64::MAX, i64::MIN);
                for p in 0..4 * 6 * 3 {
                    let local = [p / 18, p / 3 % 6, p % 3];
                    let point = [a + local[0], b + local[1], local[2]];
                    let here = s.local.eval(&local);
                    assert_eq!(index.eval(&point), s.start.eval(&[a, b]) + here, "{index}");
                    (low, high) = (low.min(here), high.max(here));
                }
                assert!(low >= 0 && high < s.extent, "{index}");
            }
        }
    }

    #[test]
    fn unaligned_quotients_are_refused() {
        assert_eq!(split(&Affine::Iter(0).floor_div(3), &[iter(0, 4, 4)]), None);
        assert_eq!(split(&Affine::Iter(0).modulo(8), &[iter(0, 4, 4)]), None);
    }
}
