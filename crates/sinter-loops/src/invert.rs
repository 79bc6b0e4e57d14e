//! Inverting index maps.

use crate::affine::{Affine, Interval};
use crate::linear::{Atom, Linear};

/// Every iterator as an expression of the index: `inverse[i].substitute(index) = iterator i` at all
/// points, with `Affine::Iter(p)` standing for `index[p]`. `None` where the map is not injective or
/// is not seen to be (it is seen for mixed-radix sums and for quotients and remainders that together
/// give their value back). Iterators of extent 1 are 0.
pub fn invert(index: &[Affine], extents: &[i64]) -> Option<Vec<Affine>> {
    let ranges: Vec<_> = extents.iter().map(|&e| Interval::of_extent(e)).collect();
    let mut solver = Solver {
        ranges: &ranges,
        known: Vec::new(),
    };
    let mut equations: Vec<(Linear, Affine)> = index
        .iter()
        .enumerate()
        .map(|(p, e)| (Linear::of(e, &ranges), Affine::Iter(p)))
        .collect();
    while solver.step(&mut equations) {}
    (0..extents.len())
        .map(|i| match extents[i] {
            ..=1 => Some(Affine::ZERO),
            _ => solver.find(&Atom::Iter(i)),
        })
        .collect()
}

struct Solver<'a> {
    ranges: &'a [Interval],
    /// Atoms with their value in terms of the index.
    known: Vec<(Atom, Affine)>,
}

impl Solver<'_> {
    fn find(&self, atom: &Atom) -> Option<Affine> {
        self.known
            .iter()
            .find(|(a, _)| a == atom)
            .map(|(_, value)| value.clone())
    }

    /// Uses what can be used; whether something was learnt.
    fn step(&mut self, equations: &mut Vec<(Linear, Affine)>) -> bool {
        let before = self.known.len();
        for (sum, value) in equations.iter() {
            for (atom, value) in self.mixed_radix(sum, value).unwrap_or_default() {
                if self.find(&atom).is_none() {
                    self.known.push((atom, value));
                }
            }
        }
        let joined: Vec<_> = self
            .known
            .iter()
            .flat_map(|known| {
                let carried = equations.iter().filter_map(|e| self.carry(known, e));
                self.rejoin(known).into_iter().chain(carried)
            })
            .collect();
        for equation in joined {
            if !equations.iter().any(|(sum, _)| *sum == equation.0) {
                equations.push(equation);
                return true;
            }
        }
        self.known.len() > before
    }

    /// The sum's atoms, where each coefficient exceeds the greatest sum of the smaller ones. Known
    /// atoms are subtracted first.
    fn mixed_radix(&self, sum: &Linear, value: &Affine) -> Option<Vec<(Atom, Affine)>> {
        let mut rest = value.clone() + -sum.constant;
        let mut unknown = Vec::new();
        for (atom, &k) in &sum.terms {
            match self.find(atom) {
                Some(known) => rest = rest + known * -k,
                None => unknown.push((k, atom)),
            }
        }
        if let [(k, atom)] = unknown[..] {
            let quotient = if k < 0 {
                (rest * -1).floor_div(-k)
            } else {
                rest.floor_div(k)
            };
            return Some(vec![(atom.clone(), quotient)]);
        }
        unknown.sort();
        let mut reach = 0;
        for &(k, atom) in &unknown {
            let range = atom.range(self.ranges);
            if k <= reach || range.min < 0 {
                return None;
            }
            reach += k * range.max;
        }
        let mut out = Vec::new();
        for (k, atom) in unknown.into_iter().rev() {
            out.push((atom.clone(), rest.clone().floor_div(k)));
            rest = rest.modulo(k);
        }
        Some(out)
    }

    /// `c * (y + k * (x floordiv c)) + k * (x mod c) = c * y + k * x`, where the remainder is the
    /// given atom and the quotient a part of a known sum.
    fn carry(
        &self,
        (atom, value): &(Atom, Affine),
        (sum, sum_value): &(Linear, Affine),
    ) -> Option<(Linear, Affine)> {
        let Atom::Mod(x, c) = atom else { return None };
        let quotient = Atom::FloorDiv(x.clone(), *c);
        let &k = sum.terms.get(&quotient)?;
        let others = sum.plus(&Linear::atom(quotient), -k).times(*c);
        let whole = others.plus(x, k).recombined(self.ranges);
        Some((whole, sum_value.clone() * *c + value.clone() * k))
    }

    /// `x = c * (x floordiv c) + x mod c`, where the remainder is the given atom and all atoms of the
    /// quotient are known.
    fn rejoin(&self, (atom, value): &(Atom, Affine)) -> Option<(Linear, Affine)> {
        let Atom::Mod(x, c) = atom else { return None };
        let quotient = x.floor_div(*c, self.ranges);
        let start = value.clone() + c * quotient.constant;
        let whole = quotient
            .terms
            .iter()
            .try_fold(start, |sum, (a, k)| Some(sum + self.find(a)? * (c * k)))?;
        Some((x.clone(), whole))
    }
}

/// Whether an index map of a domain is injective, as far as [`invert`] or, for small domains, trying
/// all points can tell.
pub(crate) fn is_injective(index: &[Affine], extents: &[i64]) -> bool {
    if invert(index, extents).is_some() {
        return true;
    }
    let points: i64 = extents.iter().product();
    if points > MAX_POINTS_TRIED {
        return false;
    }
    let mut seen = std::collections::BTreeSet::new();
    (0..points).all(|n| {
        let point = point_of(n, extents);
        seen.insert(index.iter().map(|e| e.eval(&point)).collect::<Vec<_>>())
    })
}

/// The largest domain of which [`is_injective`] tries every point.
const MAX_POINTS_TRIED: i64 = 1 << 16;

fn point_of(mut n: i64, extents: &[i64]) -> Vec<i64> {
    let mut point = vec![0; extents.len()];
    for (p, &e) in point.iter_mut().zip(extents).rev() {
        *p = n % e;
        n /= e;
    }
    point
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    fn d(i: usize) -> Affine {
        Affine::Iter(i)
    }

    #[track_caller]
    fn inverts(index: &[Affine], extents: &[i64]) {
        let inverse = invert(index, extents).expect("an inverse");
        for n in 0..extents.iter().product() {
            let point = point_of(n, extents);
            let at: Vec<_> = index.iter().map(|e| e.eval(&point)).collect();
            let back: Vec<_> = inverse.iter().map(|e| e.eval(&at)).collect();
            assert_eq!(point, back, "{inverse:?}");
        }
    }

    #[test]
    fn permutations_sums_and_blocks() {
        inverts(&[d(2), d(0), d(1)], &[2, 3, 4]);
        inverts(
            &[d(0) * 12 + d(1) * 4 + d(2) + Affine::Const(3)],
            &[2, 3, 4],
        );
        inverts(&[d(1) * -1 + 5, d(0) * 2 + 1], &[4, 5]);
        inverts(&[d(0).floor_div(4), d(1), d(0).modulo(4)], &[10, 3]);
        inverts(
            &[
                d(0).floor_div(12),
                d(0).floor_div(4).modulo(3),
                d(0).modulo(4),
            ],
            &[40],
        );
        inverts(&[d(0) + d(1), d(1)], &[4, 5]);
        let flat = Affine::flatten(&[d(0), d(1)], &[6, 10]);
        inverts(&[flat.clone().floor_div(15), flat.modulo(15)], &[6, 10]);
        inverts(&[d(1)], &[1, 5]);
    }

    #[test]
    fn maps_that_are_not_injective_have_no_inverse() {
        for (index, extents) in [
            (vec![d(0)], vec![3, 2]),
            (vec![d(0) + d(1)], vec![3, 3]),
            (vec![d(0).floor_div(2)], vec![4]),
            (vec![d(0).modulo(3), d(0).floor_div(4)], vec![12]),
        ] {
            assert_eq!(invert(&index, &extents), None);
            assert!(!is_injective(&index, &extents));
        }
    }

    #[test]
    fn random_layout_chains_are_inverted() {
        let mut rng = SmallRng::seed_from_u64(5);
        let mut found = 0;
        for _ in 0..300 {
            let extents: Vec<i64> = (0..3).map(|_| rng.random_range(1..7)).collect();
            let mut index: Vec<Affine> = (0..3).map(d).collect();
            let mut shape = extents.clone();
            for _ in 0..rng.random_range(0..3) {
                let a = rng.random_range(0..shape.len());
                let b = rng.random_range(0..shape.len());
                index.swap(a, b);
                shape.swap(a, b);
                let flat = Affine::flatten(&index, &shape);
                let total: i64 = shape.iter().product();
                let divisors: Vec<i64> = (1..=total).filter(|c| total % c == 0).collect();
                let c = divisors[rng.random_range(0..divisors.len())];
                index = vec![flat.clone().floor_div(c), flat.modulo(c)];
                shape = vec![total / c, c];
            }
            if invert(&index, &extents).is_some() {
                found += 1;
                inverts(&index, &extents);
            }
        }
        assert!(found > 250, "only {found} of 300");
    }
}
