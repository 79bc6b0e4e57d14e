//! Sums of multiples of iterators, without quotients and remainders: what most indices are. They are
//! added up in place, where [`Linear`](crate::linear::Linear) sorts terms; the results are the same.

use crate::affine::{Affine, Interval};

/// Iterators of the longest sum that is added up in place.
const MOST_ITERS: usize = 16;

/// A coefficient for every iterator, and a constant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plain {
    coefficients: [i64; MOST_ITERS],
    constant: i64,
}

impl Plain {
    /// The sum that an expression is; `None` where it divides, or has too many iterators.
    pub(crate) fn of(expr: &Affine, ranges: &[Interval]) -> Option<Self> {
        let mut out = Self::default();
        (ranges.len() <= MOST_ITERS && out.add(expr, 1, ranges)).then_some(out)
    }

    fn add(&mut self, expr: &Affine, factor: i64, ranges: &[Interval]) -> bool {
        match expr {
            Affine::Const(c) => self.constant += factor * c,
            Affine::Iter(i) => match ranges[*i] {
                r if r.min == r.max => self.constant += factor * r.min,
                _ => self.coefficients[*i] += factor,
            },
            Affine::Add(a, b) => {
                return self.add(a, factor, ranges) && self.add(b, factor, ranges);
            }
            Affine::Mul(a, c) => return self.add(a, factor * c, ranges),
            Affine::FloorDiv(..) | Affine::Mod(..) => return false,
        }
        true
    }

    /// Whether an expression is a sum in canonical order already.
    pub(crate) fn is_canonical(expr: &Affine, ranges: &[Interval]) -> bool {
        match expr {
            Affine::Const(_) => true,
            Affine::Add(a, b) => match &**b {
                Affine::Const(c) => *c != 0 && Self::last_term(a, ranges).is_some(),
                _ => Self::last_term(expr, ranges).is_some(),
            },
            _ => Self::last_term(expr, ranges).is_some(),
        }
    }

    /// The last iterator of a sum of terms in ascending order.
    fn last_term(expr: &Affine, ranges: &[Interval]) -> Option<usize> {
        let varies = |i: usize| ranges[i].min != ranges[i].max;
        match expr {
            Affine::Iter(i) => varies(*i).then_some(*i),
            Affine::Mul(a, c) => match **a {
                Affine::Iter(i) => (varies(i) && *c != 0 && *c != 1).then_some(i),
                _ => None,
            },
            Affine::Add(a, b) => {
                let before = Self::last_term(a, ranges)?;
                let last = match **b {
                    Affine::Add(..) => None,
                    _ => Self::last_term(b, ranges),
                };
                last.filter(|&l| before < l)
            }
            Affine::Const(_) | Affine::FloorDiv(..) | Affine::Mod(..) => None,
        }
    }

    fn terms(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        let terms = self.coefficients.iter().copied().enumerate();
        terms.filter(|(_, k)| *k != 0)
    }

    /// The sum in canonical order.
    pub(crate) fn to_affine(self) -> Affine {
        let terms = self.terms().map(|(i, k)| Affine::Iter(i) * k);
        let sum = terms.reduce(|a, b| a + b).unwrap_or(Affine::ZERO);
        sum + self.constant
    }

    /// Least and greatest value.
    pub(crate) fn range(&self, ranges: &[Interval]) -> Interval {
        self.terms()
            .fold(Interval::point(self.constant), |sum, (i, k)| {
                sum.plus(ranges[i].times(k))
            })
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    use super::*;
    use crate::linear::Linear;

    fn random(rng: &mut SmallRng, depth: u32) -> Affine {
        match rng.random_range(0..if depth == 0 { 3 } else { 6 }) {
            0 => Affine::Const(rng.random_range(-9..20)),
            1 | 2 => Affine::Iter(rng.random_range(0..4)),
            3 | 4 => random(rng, depth - 1) + random(rng, depth - 1),
            _ => random(rng, depth - 1) * rng.random_range(-4..9),
        }
    }

    #[test]
    fn sums_are_those_of_sorted_terms() {
        let mut rng = SmallRng::seed_from_u64(7);
        for _ in 0..2_000 {
            let expr = random(&mut rng, 5);
            let ranges: Vec<_> = (0..4)
                .map(|_| Interval::of_extent(rng.random_range(1..6)))
                .collect();
            let plain = Plain::of(&expr, &ranges).expect("it has no division");
            let linear = Linear::of(&expr, &ranges);
            assert_eq!(plain.to_affine(), linear.to_affine(), "{expr}");
            assert_eq!(plain.range(&ranges), linear.range(&ranges), "{expr}");
            let canonical = Plain::is_canonical(&expr, &ranges);
            assert_eq!(canonical, plain.to_affine() == expr, "{expr}");
            assert!(Plain::is_canonical(&plain.to_affine(), &ranges), "{expr}");
        }
        let divided = Affine::Iter(0).floor_div(2);
        assert_eq!(Plain::of(&divided, &[Interval::of_extent(4)]), None);
    }
}
