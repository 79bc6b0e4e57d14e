//! Index expressions over the iterators of a nest.

use std::fmt;
use std::ops::{Add, Mul, Sub};

use serde::{Deserialize, Serialize};

use crate::linear::Linear;
use crate::plain::Plain;

/// An affine index expression. Iterators are numbered by their place in the nest's domain.
/// Division and remainder are the floor kind, by a positive constant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Affine {
    /// A constant.
    Const(i64),
    /// Iterator by number.
    Iter(usize),
    /// Sum.
    Add(Box<Affine>, Box<Affine>),
    /// Product with a constant.
    Mul(Box<Affine>, i64),
    /// Floor division by a positive constant.
    FloorDiv(Box<Affine>, i64),
    /// Floor remainder by a positive constant.
    Mod(Box<Affine>, i64),
}

/// A closed interval of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// Least value.
    pub min: i64,
    /// Greatest value.
    pub max: i64,
}

impl Interval {
    /// The values of an iterator of the given extent (an empty one counts as a single point).
    pub fn of_extent(extent: i64) -> Self {
        Self {
            min: 0,
            max: (extent - 1).max(0),
        }
    }

    /// A single value.
    pub fn point(value: i64) -> Self {
        Self {
            min: value,
            max: value,
        }
    }

    /// Number of integers in the interval.
    pub fn extent(self) -> i64 {
        self.max - self.min + 1
    }

    /// Whether every value of `self` lies in `0..extent`.
    pub fn is_inside(self, extent: i64) -> bool {
        self.min >= 0 && self.max < extent
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            min: self.min + other.min,
            max: self.max + other.max,
        }
    }

    pub(crate) fn times(self, factor: i64) -> Self {
        let (a, b) = (self.min * factor, self.max * factor);
        Self {
            min: a.min(b),
            max: a.max(b),
        }
    }

    pub(crate) fn floor_div(self, divisor: i64) -> Self {
        Self {
            min: self.min.div_euclid(divisor),
            max: self.max.div_euclid(divisor),
        }
    }

    pub(crate) fn modulo(self, divisor: i64) -> Self {
        if self.min.div_euclid(divisor) == self.max.div_euclid(divisor) {
            Self {
                min: self.min.rem_euclid(divisor),
                max: self.max.rem_euclid(divisor),
            }
        } else {
            Self {
                min: 0,
                max: divisor - 1,
            }
        }
    }
}

impl Affine {
    /// The constant zero.
    pub const ZERO: Self = Self::Const(0);

    /// Floor division by a positive constant.
    #[must_use]
    pub fn floor_div(self, divisor: i64) -> Self {
        Self::FloorDiv(Box::new(self), divisor)
    }

    /// Floor remainder by a positive constant.
    #[must_use]
    pub fn modulo(self, divisor: i64) -> Self {
        Self::Mod(Box::new(self), divisor)
    }

    /// The value at a point of the domain.
    ///
    /// # Panics
    /// When an iterator of the expression has no value in `point`.
    pub fn eval(&self, point: &[i64]) -> i64 {
        match self {
            Self::Const(c) => *c,
            Self::Iter(i) => point[*i],
            Self::Add(a, b) => a.eval(point) + b.eval(point),
            Self::Mul(a, c) => a.eval(point) * c,
            Self::FloorDiv(a, c) => a.eval(point).div_euclid(*c),
            Self::Mod(a, c) => a.eval(point).rem_euclid(*c),
        }
    }

    /// Every iterator `i` replaced with `with[i]`. The result is not simplified.
    ///
    /// # Panics
    /// When an iterator of the expression has no replacement.
    #[must_use]
    pub fn substitute(&self, with: &[Affine]) -> Self {
        match self {
            Self::Const(c) => Self::Const(*c),
            Self::Iter(i) => with[*i].clone(),
            Self::Add(a, b) => a.substitute(with) + b.substitute(with),
            Self::Mul(a, c) => a.substitute(with) * *c,
            Self::FloorDiv(a, c) => a.substitute(with).floor_div(*c),
            Self::Mod(a, c) => a.substitute(with).modulo(*c),
        }
    }

    /// Every iterator renumbered.
    #[must_use]
    pub fn renumber(&self, number: &dyn Fn(usize) -> usize) -> Self {
        match self {
            Self::Const(c) => Self::Const(*c),
            Self::Iter(i) => Self::Iter(number(*i)),
            Self::Add(a, b) => a.renumber(number) + b.renumber(number),
            Self::Mul(a, c) => a.renumber(number) * *c,
            Self::FloorDiv(a, c) => a.renumber(number).floor_div(*c),
            Self::Mod(a, c) => a.renumber(number).modulo(*c),
        }
    }

    /// The canonical form over a domain where iterator `i` runs over `0..extents[i]`.
    ///
    /// The form is a sum of multiples of iterators, quotients and remainders, in that order, and a
    /// constant. Iterators of extent 1 are 0. Quotients and remainders are removed wherever the
    /// ranges of their parts allow it, and recombined (`(x floordiv a) * a + x mod a` is `x`), so that
    /// composing the maps of reshapes gives plain iterators wherever that is possible by these laws.
    /// Equal values in all points nearly always have equal forms, but that is not promised.
    #[must_use]
    pub fn simplify(&self, extents: &[i64]) -> Self {
        let ranges: Vec<_> = extents.iter().map(|&e| Interval::of_extent(e)).collect();
        self.simplify_in(&ranges)
    }

    /// [`Affine::simplify`] with an interval per iterator.
    #[must_use]
    pub fn simplify_in(&self, ranges: &[Interval]) -> Self {
        match Plain::of(self, ranges) {
            Some(plain) => plain.to_affine(),
            None => Linear::of(self, ranges).to_affine(),
        }
    }

    /// [`Affine::simplify_in`] in place: nothing is made anew where the expression is a canonical sum.
    pub(crate) fn simplify_in_place(&mut self, ranges: &[Interval]) {
        if !Plain::is_canonical(self, ranges) {
            *self = self.simplify_in(ranges);
        }
    }

    /// [`Affine::simplify_in`] of an expression that is not needed any more.
    pub(crate) fn simplified_in(mut self, ranges: &[Interval]) -> Self {
        self.simplify_in_place(ranges);
        self
    }

    /// Least and greatest value over a domain (an enclosing interval where the expression has
    /// dependent parts), after simplification.
    pub fn range(&self, extents: &[i64]) -> Interval {
        let ranges: Vec<_> = extents.iter().map(|&e| Interval::of_extent(e)).collect();
        self.range_in(&ranges)
    }

    /// [`Affine::range`] with an interval per iterator.
    pub fn range_in(&self, ranges: &[Interval]) -> Interval {
        match Plain::of(self, ranges) {
            Some(plain) => plain.range(ranges),
            None => Linear::of(self, ranges).range(ranges),
        }
    }

    /// Coefficient of each of `iters` iterators, and the constant, where the expression has neither
    /// quotients nor remainders.
    pub fn linear(&self, iters: usize) -> Option<(Vec<i64>, i64)> {
        let mut coefficients = vec![0; iters];
        let mut constant = 0;
        self.add_linear(1, &mut coefficients, &mut constant)?;
        Some((coefficients, constant))
    }

    /// Adds `factor` times what [`Affine::linear`] gives. `None` where that is nothing; what was added by then is
    /// of no use.
    pub fn add_linear(
        &self,
        factor: i64,
        coefficients: &mut [i64],
        constant: &mut i64,
    ) -> Option<()> {
        match self {
            Self::Const(c) => *constant += factor * c,
            Self::Iter(i) => *coefficients.get_mut(*i)? += factor,
            Self::Add(a, b) => {
                a.add_linear(factor, coefficients, constant)?;
                b.add_linear(factor, coefficients, constant)?;
            }
            Self::Mul(a, c) => a.add_linear(factor * c, coefficients, constant)?,
            Self::FloorDiv(..) | Self::Mod(..) => return None,
        }
        Some(())
    }

    /// The iterator, where the expression is nothing but one.
    pub fn is_plain_iter(&self) -> Option<usize> {
        match self {
            Self::Iter(i) => Some(*i),
            _ => None,
        }
    }

    /// The value, where the expression is a constant.
    pub fn as_const(&self) -> Option<i64> {
        match self {
            Self::Const(c) => Some(*c),
            _ => None,
        }
    }

    /// Whether the iterator occurs.
    pub fn uses(&self, iter: usize) -> bool {
        match self {
            Self::Const(_) => false,
            Self::Iter(i) => *i == iter,
            Self::Add(a, b) => a.uses(iter) || b.uses(iter),
            Self::Mul(a, _) | Self::FloorDiv(a, _) | Self::Mod(a, _) => a.uses(iter),
        }
    }

    /// The iterators that occur, ascending, without repetition.
    pub fn iters(&self) -> Vec<usize> {
        let mut out = Vec::new();
        self.collect_iters(&mut out);
        out.sort_unstable();
        out.dedup();
        out
    }

    fn collect_iters(&self, out: &mut Vec<usize>) {
        match self {
            Self::Const(_) => {}
            Self::Iter(i) => out.push(*i),
            Self::Add(a, b) => {
                a.collect_iters(out);
                b.collect_iters(out);
            }
            Self::Mul(a, _) | Self::FloorDiv(a, _) | Self::Mod(a, _) => a.collect_iters(out),
        }
    }

    /// How much the value grows per step of `iter` inside every tile of `tile` points that starts at
    /// a multiple of `tile`, if that is the same everywhere. A blocked layout's
    /// `(d0 floordiv 16) * 4096 + d0 mod 16` has stride 1 in tiles of 16, 8 or 4.
    pub fn stride_in_tiles(&self, iter: usize, tile: i64, extents: &[i64]) -> Option<i64> {
        let lane = extents.len();
        let mut ranges: Vec<_> = extents.iter().map(|&e| Interval::of_extent(e)).collect();
        ranges[iter] = Interval::of_extent((extents[iter] + tile - 1) / tile);
        ranges.push(Interval::of_extent(tile));
        let mut with: Vec<_> = (0..=lane).map(Self::Iter).collect();
        with[iter] = Self::Iter(iter) * tile + Self::Iter(lane);
        let split = Linear::of(&self.substitute(&with), &ranges);
        split.coefficient_if_linear_in(lane)
    }

    /// The row-major position of an index in a tensor of the given shape, not simplified.
    pub fn flatten(index: &[Affine], shape: &[i64]) -> Self {
        index
            .iter()
            .zip(shape)
            .fold(Self::ZERO, |position, (i, &extent)| {
                position * extent + i.clone()
            })
    }
}

impl From<i64> for Affine {
    fn from(value: i64) -> Self {
        Self::Const(value)
    }
}

impl Add for Affine {
    type Output = Self;
    /// Sum, with zeros dropped.
    fn add(self, other: Self) -> Self {
        match (self, other) {
            (Self::Const(a), Self::Const(b)) => Self::Const(a + b),
            (Self::Const(0), x) | (x, Self::Const(0)) => x,
            (a, b) => Self::Add(Box::new(a), Box::new(b)),
        }
    }
}

impl Add<i64> for Affine {
    type Output = Self;
    fn add(self, other: i64) -> Self {
        self + Self::Const(other)
    }
}

impl Sub for Affine {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other * -1
    }
}

impl Mul<i64> for Affine {
    type Output = Self;
    /// Product with a constant, with trivial factors dropped.
    fn mul(self, factor: i64) -> Self {
        match self {
            _ if factor == 0 => Self::ZERO,
            Self::Const(c) => Self::Const(c * factor),
            x if factor == 1 => x,
            x => Self::Mul(Box::new(x), factor),
        }
    }
}

/// MLIR's spelling, with iterator `i` as `d<i>`: `d0 * 2 + d1`, `(d0 + 1) floordiv 4`.
impl fmt::Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Const(c) => write!(f, "{c}"),
            Self::Iter(i) => write!(f, "d{i}"),
            Self::Add(a, b) => match &**b {
                Self::Const(c) if *c < 0 => write!(f, "{a} - {}", c.unsigned_abs()),
                b @ Self::Add(..) => write!(f, "{a} + ({b})"),
                b => write!(f, "{a} + {b}"),
            },
            Self::Mul(a, c) => write!(f, "{} * {c}", Factor(a)),
            Self::FloorDiv(a, c) => write!(f, "{} floordiv {c}", Factor(a)),
            Self::Mod(a, c) => write!(f, "{} mod {c}", Factor(a)),
        }
    }
}

/// An expression in a place where a sum or product needs parentheses.
struct Factor<'a>(&'a Affine);

impl fmt::Display for Factor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Affine::Const(c) if *c >= 0 => write!(f, "{c}"),
            Affine::Iter(i) => write!(f, "d{i}"),
            other => write!(f, "({other})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(i: usize) -> Affine {
        Affine::Iter(i)
    }

    #[test]
    fn displays_as_mlir_does() {
        let e = (d(0) * 2 + d(1) - Affine::Const(3)).floor_div(4) + d(2).modulo(5) * -1;
        assert_eq!(
            e.to_string(),
            "(d0 * 2 + d1 - 3) floordiv 4 + (d2 mod 5) * -1"
        );
        assert_eq!((d(0) + d(1)).modulo(2).to_string(), "(d0 + d1) mod 2");
        assert_eq!((d(0) + (d(1) + d(2))).to_string(), "d0 + (d1 + d2)");
    }

    #[test]
    fn linear_coefficients() {
        let e = d(0) * 6 + (d(1) + Affine::Const(1)) * 2;
        assert_eq!(e.linear(3), Some((vec![6, 2, 0], 2)));
        assert_eq!(d(0).modulo(2).linear(1), None);
        assert_eq!(d(3).linear(1), None);
    }

    #[test]
    fn range_is_exact_for_dependent_iterators_after_simplification() {
        let e = d(0).floor_div(4) * 4 + d(0).modulo(4);
        assert_eq!(e.range(&[10]), Interval { min: 0, max: 9 });
        assert_eq!((d(0) * -2 + 3).range(&[4]), Interval { min: -3, max: 3 });
    }

    #[test]
    fn blocked_stride() {
        let e = d(0).floor_div(16) * 4096 + d(1) * 16 + d(0).modulo(16);
        assert_eq!(e.stride_in_tiles(0, 16, &[20, 9]), Some(1));
        assert_eq!(e.stride_in_tiles(0, 8, &[20, 9]), Some(1));
        assert_eq!(e.stride_in_tiles(0, 32, &[64, 9]), None);
        assert_eq!(e.stride_in_tiles(1, 4, &[20, 9]), Some(16));
    }
}
