//! The canonical sum behind [`Affine::simplify`].
//!
//! Laws, for positive constants `a`, `c`, `g` and integers `x`, `y`:
//!
//! | law | where |
//! |---|---|
//! | `(c*x + y) floordiv c = x + y floordiv c`, `(c*x + y) mod c = y mod c` | always |
//! | `y floordiv c = k`, `y mod c = y - c*k` | `y` lies in `c*k .. c*(k+1)` |
//! | `(g*x + y) floordiv (g*c) = (x + k) floordiv c` | `y` lies in `g*k .. g*(k+1)` |
//! | `(g*x + y) mod (g*c) = g*((x + k) mod c) + y - g*k` | `y` lies in `g*k .. g*(k+1)` |
//! | `(x floordiv a + y) floordiv c = (x + a*y) floordiv (a*c)` | `y` constant |
//! | `(x mod a) floordiv c = (x floordiv c) mod (a floordiv c)` | `c` divides `a` |
//! | `(k*(x mod a) + y) mod c = (k*x + y) mod c` | `c` divides `k*a` |
//! | `a*(x floordiv a) + x mod a = x` | always |
//! | `a*((x floordiv a) mod c) + x mod a = x mod (a*c)` | always |

use std::collections::BTreeMap;

use crate::affine::{Affine, Interval};

/// What a sum is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Atom {
    Iter(usize),
    FloorDiv(Linear, i64),
    Mod(Linear, i64),
}

/// A sum of multiples of atoms and a constant, in canonical order.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Linear {
    pub(crate) terms: BTreeMap<Atom, i64>,
    pub(crate) constant: i64,
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl Atom {
    pub(crate) fn range(&self, ranges: &[Interval]) -> Interval {
        match self {
            Self::Iter(i) => ranges[*i],
            Self::FloorDiv(x, c) => x.range(ranges).floor_div(*c),
            Self::Mod(x, c) => x.range(ranges).modulo(*c),
        }
    }

    fn to_affine(&self) -> Affine {
        match self {
            Self::Iter(i) => Affine::Iter(*i),
            Self::FloorDiv(x, c) => x.to_affine().floor_div(*c),
            Self::Mod(x, c) => x.to_affine().modulo(*c),
        }
    }

    fn divisions(&self) -> usize {
        match self {
            Self::Iter(_) => 0,
            Self::FloorDiv(x, _) | Self::Mod(x, _) => 1 + x.divisions(),
        }
    }

    fn uses(&self, iter: usize) -> bool {
        match self {
            Self::Iter(i) => *i == iter,
            Self::FloorDiv(x, _) | Self::Mod(x, _) => x.terms.keys().any(|a| a.uses(iter)),
        }
    }
}

impl Linear {
    pub(crate) fn of(expr: &Affine, ranges: &[Interval]) -> Self {
        match expr {
            Affine::Const(c) => Self::constant(*c),
            Affine::Iter(i) => match ranges[*i] {
                r if r.min == r.max => Self::constant(r.min),
                _ => Self::atom(Atom::Iter(*i)),
            },
            Affine::Add(a, b) => Self::of(a, ranges)
                .plus(&Self::of(b, ranges), 1)
                .recombined(ranges),
            Affine::Mul(a, c) => Self::of(a, ranges).times(*c),
            Affine::FloorDiv(a, c) => Self::of(a, ranges).floor_div(*c, ranges),
            Affine::Mod(a, c) => Self::of(a, ranges).modulo(*c, ranges),
        }
    }

    pub(crate) fn constant(value: i64) -> Self {
        Self {
            terms: BTreeMap::new(),
            constant: value,
        }
    }

    pub(crate) fn atom(atom: Atom) -> Self {
        Self {
            terms: BTreeMap::from([(atom, 1)]),
            constant: 0,
        }
    }

    pub(crate) fn to_affine(&self) -> Affine {
        let sum = self
            .terms
            .iter()
            .map(|(atom, &k)| atom.to_affine() * k)
            .reduce(|a, b| a + b)
            .unwrap_or(Affine::ZERO);
        sum + self.constant
    }

    pub(crate) fn range(&self, ranges: &[Interval]) -> Interval {
        self.terms
            .iter()
            .fold(Interval::point(self.constant), |r, (a, &k)| {
                r.plus(a.range(ranges).times(k))
            })
    }

    /// The coefficient of an iterator that occurs in no quotient or remainder.
    pub(crate) fn coefficient_if_linear_in(&self, iter: usize) -> Option<i64> {
        let hidden = |a: &Atom| !matches!(a, Atom::Iter(_)) && a.uses(iter);
        let plain = self.terms.get(&Atom::Iter(iter)).copied().unwrap_or(0);
        (!self.terms.keys().any(hidden)).then_some(plain)
    }

    fn divisions(&self) -> usize {
        self.terms.keys().map(Atom::divisions).sum()
    }

    pub(crate) fn plus(&self, other: &Self, factor: i64) -> Self {
        let mut out = self.clone();
        out.constant += factor * other.constant;
        for (atom, k) in &other.terms {
            let entry = out.terms.entry(atom.clone()).or_insert(0);
            *entry += factor * k;
            if *entry == 0 {
                out.terms.remove(atom);
            }
        }
        out
    }

    pub(crate) fn times(&self, factor: i64) -> Self {
        Self::default().plus(self, factor)
    }

    /// Terms that pass the test, and the rest with the constant.
    fn partition(&self, test: impl Fn(i64) -> bool) -> (Self, Self) {
        let mut yes = Self::default();
        let mut no = Self::constant(self.constant);
        for (atom, &k) in &self.terms {
            let side = if test(k) { &mut yes } else { &mut no };
            side.terms.insert(atom.clone(), k);
        }
        (yes, no)
    }

    fn divided(&self, by: i64) -> Self {
        Self {
            terms: self
                .terms
                .iter()
                .map(|(a, k)| (a.clone(), k / by))
                .collect(),
            constant: self.constant / by,
        }
    }

    /// `self = c * quotient + rest`, with coefficients of the rest smaller than `c`.
    fn split_multiples(&self, c: i64) -> (Self, Self) {
        let mut quotient = Self::constant(self.constant.div_euclid(c));
        let mut rest = Self::constant(self.constant.rem_euclid(c));
        for (atom, &k) in &self.terms {
            if k / c != 0 {
                quotient.terms.insert(atom.clone(), k / c);
            }
            if k % c != 0 {
                rest.terms.insert(atom.clone(), k % c);
            }
        }
        (quotient, rest)
    }

    /// `self = g * multiple + small` where `small` lies in `0..g` and `g` divides `c`.
    fn split_by_range(&self, c: i64, ranges: &[Interval]) -> Option<(i64, Self, Self)> {
        let mut divisors: Vec<i64> = self
            .terms
            .values()
            .map(|&k| gcd(k, c))
            .filter(|&g| g > 1)
            .collect();
        divisors.sort_unstable();
        divisors.dedup();
        divisors.into_iter().rev().find_map(|g| {
            let (multiples, small) = self.partition(|k| k % g == 0);
            let range = small.range(ranges);
            let block = range.min.div_euclid(g);
            (block == range.max.div_euclid(g)).then(|| {
                let multiple = multiples.divided(g).plus(&Self::constant(block), 1);
                (g, multiple, small.plus(&Self::constant(g * block), -1))
            })
        })
    }

    fn single_atom(&self) -> Option<&Atom> {
        match self.terms.iter().next() {
            Some((atom, 1)) if self.terms.len() == 1 => Some(atom),
            _ => None,
        }
    }

    pub(crate) fn floor_div(&self, c: i64, ranges: &[Interval]) -> Self {
        if c == 1 {
            return self.clone();
        }
        let whole = self.range(ranges).floor_div(c);
        if whole.min == whole.max {
            return Self::constant(whole.min);
        }
        let (quotient, rest) = self.split_multiples(c);
        let rest_range = rest.range(ranges).floor_div(c);
        if rest_range.min == rest_range.max {
            return quotient
                .plus(&Self::constant(rest_range.min), 1)
                .recombined(ranges);
        }
        let rest = rest.rest_floor_div(c, ranges);
        quotient.plus(&rest, 1).recombined(ranges)
    }

    /// Quotient of a sum whose coefficients are smaller than `c`.
    fn rest_floor_div(&self, c: i64, ranges: &[Interval]) -> Self {
        if let Some((g, multiple, _)) = self.split_by_range(c, ranges) {
            return multiple.floor_div(c / g, ranges);
        }
        match self.single_atom() {
            Some(Atom::FloorDiv(x, a)) => {
                return x
                    .plus(&Self::constant(a * self.constant), 1)
                    .floor_div(a * c, ranges);
            }
            Some(Atom::Mod(x, a)) if self.constant == 0 && a % c == 0 => {
                return x.floor_div(c, ranges).modulo(a / c, ranges);
            }
            _ => {}
        }
        Self::atom(Atom::FloorDiv(self.clone(), c))
    }

    pub(crate) fn modulo(&self, c: i64, ranges: &[Interval]) -> Self {
        if c == 1 {
            return Self::default();
        }
        if let Some(small) = self.within_one_block(c, ranges) {
            return small;
        }
        let (_, rest) = self.split_multiples(c);
        if let Some(small) = rest.within_one_block(c, ranges) {
            return small;
        }
        if let Some(open) = rest.without_inner_mod(c) {
            return open.recombined(ranges).modulo(c, ranges);
        }
        if let Some((g, multiple, small)) = rest.split_by_range(c, ranges) {
            return multiple
                .modulo(c / g, ranges)
                .times(g)
                .plus(&small, 1)
                .recombined(ranges);
        }
        Self::atom(Atom::Mod(rest, c))
    }

    fn within_one_block(&self, c: i64, ranges: &[Interval]) -> Option<Self> {
        let blocks = self.range(ranges).floor_div(c);
        (blocks.min == blocks.max).then(|| self.plus(&Self::constant(c * blocks.min), -1))
    }

    /// The same remainder by `c` with one inner remainder opened.
    fn without_inner_mod(&self, c: i64) -> Option<Self> {
        self.terms.iter().find_map(|(atom, &k)| match atom {
            Atom::Mod(x, a) if (k * a) % c == 0 => {
                Some(self.plus(&Self::atom(atom.clone()), -k).plus(x, k))
            }
            _ => None,
        })
    }

    /// Quotients and remainders of the same value put together again.
    pub(crate) fn recombined(&self, ranges: &[Interval]) -> Self {
        let mut best = self.clone();
        while let Some(better) = best.recombined_once(ranges) {
            best = better;
        }
        best
    }

    fn recombined_once(&self, ranges: &[Interval]) -> Option<Self> {
        let (terms, divisions) = (self.terms.len(), self.divisions());
        if divisions < 1 || terms < 2 {
            return None;
        }
        self.terms.iter().find_map(|(atom, &k)| {
            let candidate = match atom {
                Atom::FloorDiv(x, a) if k % a == 0 => {
                    let rest = x.modulo(*a, ranges);
                    let whole = self.plus(&Self::atom(atom.clone()), -k);
                    Some(whole.plus(&rest, -k / a).plus(x, k / a))
                }
                Atom::Mod(e, c) => self.with_wider_mod(atom, e, *c, k, ranges),
                Atom::Iter(_) | Atom::FloorDiv(..) => None,
            }?;
            let better = candidate.divisions() < divisions
                || (candidate.divisions() == divisions && candidate.terms.len() < terms);
            better.then_some(candidate)
        })
    }

    /// `a*((x floordiv a + ..) mod c) + .. mod a` as one remainder by `a*c`.
    fn with_wider_mod(
        &self,
        atom: &Atom,
        e: &Self,
        c: i64,
        k: i64,
        ranges: &[Interval],
    ) -> Option<Self> {
        e.terms.iter().find_map(|(inner, &one)| match inner {
            Atom::FloorDiv(x, a) if one == 1 && k % a == 0 => {
                let others = e.plus(&Self::atom(inner.clone()), -1);
                let whole = x.plus(&others, *a);
                let low = whole.modulo(*a, ranges);
                let wide = whole.modulo(a * c, ranges);
                let rest = self.plus(&Self::atom(atom.clone()), -k).plus(&low, -k / a);
                let candidate = rest.plus(&wide, k / a);
                (candidate.divisions() < self.divisions()).then_some(candidate)
            }
            _ => None,
        })
    }
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
    fn simplifies(expr: Affine, extents: &[i64], to: &str) {
        assert_eq!(expr.simplify(extents).to_string(), to, "from {expr}");
    }

    #[test]
    fn quotients_and_remainders_of_sums() {
        simplifies((d(0) * 12 + d(1)).floor_div(12), &[5, 12], "d0");
        simplifies((d(0) * 12 + d(1)).modulo(12), &[5, 12], "d1");
        simplifies(
            (d(0) * 6 + d(1) * 2 + d(2)).floor_div(2).modulo(3),
            &[5, 3, 2],
            "d1",
        );
        simplifies((d(0) * 2 + d(1)).floor_div(6), &[9, 2], "d0 floordiv 3");
        simplifies((d(0) * 2 + d(1)).modulo(6), &[9, 2], "d1 + (d0 mod 3) * 2");
        simplifies((d(0) - Affine::Const(1)).modulo(4), &[1], "3");
        simplifies((d(0) * 5).floor_div(3), &[9], "d0 + (d0 * 2) floordiv 3");
    }

    #[test]
    fn nested_divisions() {
        simplifies(d(0).floor_div(4).floor_div(3), &[100], "d0 floordiv 12");
        simplifies(
            (d(0).floor_div(4) + 2).floor_div(3),
            &[100],
            "(d0 + 8) floordiv 12",
        );
        simplifies(
            d(0).modulo(12).floor_div(4),
            &[100],
            "(d0 floordiv 4) mod 3",
        );
        simplifies(d(0).modulo(12).modulo(4), &[100], "d0 mod 4");
        simplifies(d(0).modulo(12), &[12], "d0");
        simplifies(d(0), &[1], "0");
    }

    #[test]
    fn recombination() {
        let back = d(0).floor_div(12) * 12 + d(0).floor_div(4).modulo(3) * 4 + d(0).modulo(4);
        simplifies(back, &[100], "d0");
        let x = d(0) * 7 + d(1);
        let back = x.clone().floor_div(4) * 4 + x.modulo(4);
        simplifies(back, &[9, 20], "d0 * 7 + d1");
        simplifies(
            d(0).floor_div(4).modulo(3) * 4 + d(0).modulo(4),
            &[100],
            "d0 mod 12",
        );
    }

    #[test]
    fn reshape_round_trips_are_plain() {
        // [6, 10] -> [4, 15] -> [6, 10]
        let flat = Affine::flatten(&[d(0), d(1)], &[6, 10]);
        let mid = [flat.clone().floor_div(15), flat.modulo(15)];
        let flat = Affine::flatten(&mid, &[4, 15]);
        simplifies(flat.clone().floor_div(10), &[6, 10], "d0");
        simplifies(flat.modulo(10), &[6, 10], "d1");
    }

    fn random(rng: &mut SmallRng, depth: u32) -> Affine {
        let c = rng.random_range(1..13);
        match if depth == 0 {
            rng.random_range(0..3)
        } else {
            rng.random_range(0..8)
        } {
            0 => Affine::Const(rng.random_range(-9..20)),
            1 | 2 => d(rng.random_range(0..3)),
            3 | 4 => random(rng, depth - 1) + random(rng, depth - 1),
            5 => random(rng, depth - 1) * rng.random_range(-4..9),
            6 => random(rng, depth - 1).floor_div(c),
            _ => random(rng, depth - 1).modulo(c),
        }
    }

    #[test]
    fn random_expressions_keep_their_value_and_range() {
        let mut rng = SmallRng::seed_from_u64(1);
        for _ in 0..20_000 {
            let expr = random(&mut rng, 4);
            let extents: Vec<i64> = (0..3).map(|_| rng.random_range(1..8)).collect();
            let simple = expr.simplify(&extents);
            let range = expr.range(&extents);
            for _ in 0..12 {
                let point: Vec<i64> = extents.iter().map(|&e| rng.random_range(0..e)).collect();
                let value = expr.eval(&point);
                assert_eq!(
                    value,
                    simple.eval(&point),
                    "{expr} as {simple} at {point:?}"
                );
                assert!(
                    range.min <= value && value <= range.max,
                    "{expr} in {range:?}"
                );
            }
            let again = simple.simplify(&extents);
            assert!(
                again.to_string().len() <= simple.to_string().len(),
                "{simple} grew: {again}"
            );
        }
    }
}
