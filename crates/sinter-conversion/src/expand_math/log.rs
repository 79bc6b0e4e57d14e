//! Logarithms. The polynomial for `f32` is that of Cephes' `logf` (Moshier); for `f64` the series of
//! the inverse hyperbolic tangent.

use melior::ir::Type;
use sinter_ir::emitter::{Emitter, FloatPredicate, IntPredicate, Value, element_of, type_of};

use super::{constant, integer, polynomial, to_bits};

/// Where the parts of a float lie.
struct Format {
    bits: u32,
    mantissa: i64,
    smallest_normal: f64,
    /// Scales subnormals to normals: a power of two and its exponent.
    lift: (f64, i64),
}

const SINGLE: Format = Format {
    bits: 32,
    mantissa: 23,
    smallest_normal: f32::MIN_POSITIVE as f64,
    lift: (33_554_432.0, 25),
};
const DOUBLE: Format = Format {
    bits: 64,
    mantissa: 52,
    smallest_normal: f64::MIN_POSITIVE,
    lift: (18_014_398_509_481_984.0, 54),
};

/// `x = m * 2^n` with `m` in `[sqrt(1/2), sqrt(2))`, for positive `x`: `m` and `n`, both floats.
fn split<'c>(e: &mut Emitter<'c>, x: Value<'c>, format: &Format) -> (Value<'c>, Value<'c>) {
    let element = element_of(type_of(x));
    let smallest = constant(e, x, format.smallest_normal);
    let tiny = e.cmpf(FloatPredicate::OrderedLt, x, smallest);
    let lift = constant(e, x, format.lift.0);
    let lifted = e.mulf(x, lift);
    let x = e.select(tiny, lifted, x);
    let bits = to_bits(e, x, format.bits);
    // Subtracting the bits of sqrt(1/2) makes the exponent field that of the wanted range.
    let root = match format.bits {
        32 => i64::from(std::f32::consts::FRAC_1_SQRT_2.to_bits()),
        _ => std::f64::consts::FRAC_1_SQRT_2.to_bits() as i64,
    };
    let root = integer(e, x, format.bits, root);
    let moved = e.subi(bits, root);
    let shift = integer(e, x, format.bits, format.mantissa);
    let n = e.binary("arith.shrsi", moved, shift);
    let back = e.binary("arith.shli", n, shift);
    let mantissa = e.subi(bits, back);
    let m = e.bitcast(mantissa, element);
    let (none, lifted_by) = (
        integer(e, x, format.bits, 0),
        integer(e, x, format.bits, format.lift.1),
    );
    let correction = e.select(tiny, lifted_by, none);
    let n = e.subi(n, correction);
    (m, e.convert("arith.sitofp", n, element))
}

/// Puts in the results for zero, infinity, negative arguments and NaN.
fn special<'c>(e: &mut Emitter<'c>, x: Value<'c>, result: Value<'c>) -> Value<'c> {
    let zero = constant(e, x, 0.0);
    let infinity = constant(e, x, f64::INFINITY);
    let minus_infinity = constant(e, x, f64::NEG_INFINITY);
    let nan = constant(e, x, f64::NAN);
    let is_infinite = e.cmpf(FloatPredicate::OrderedEq, x, infinity);
    let result = e.select(is_infinite, infinity, result);
    let is_zero = e.cmpf(FloatPredicate::OrderedEq, x, zero);
    let result = e.select(is_zero, minus_infinity, result);
    let is_fine = e.cmpf(FloatPredicate::OrderedGe, x, zero);
    e.select(is_fine, result, nan)
}

/// `log` within one unit in the last place.
pub(super) fn log_f32<'c>(e: &mut Emitter<'c>, x: Value<'c>) -> Value<'c> {
    let (m, n) = split(e, x, &SINGLE);
    let one = constant(e, x, 1.0);
    let f = e.subf(m, one);
    let square = e.mulf(f, f);
    let p = polynomial(
        e,
        f,
        &[
            7.037_683_629_2e-2,
            -1.151_461_031e-1,
            1.167_699_874e-1,
            -1.242_014_084_6e-1,
            1.424_932_278_7e-1,
            -1.666_805_766_5e-1,
            2.000_071_476_5e-1,
            -2.499_999_399_3e-1,
            3.333_333_117_4e-1,
        ],
    );
    let cube = e.mulf(square, f);
    let y = e.mulf(p, cube);
    let (low, high) = (
        constant(e, x, -2.121_944_4e-4),
        constant(e, x, 0.693_359_375),
    );
    let y = e.fma(n, low, y);
    let minus_half = constant(e, x, -0.5);
    let y = e.fma(square, minus_half, y);
    let y = e.addf(f, y);
    let y = e.fma(n, high, y);
    special(e, x, y)
}

/// The logarithm of a positive finite double to base 2 without the integer part, times `ln 2`, and the
/// integer part.
fn series<'c>(e: &mut Emitter<'c>, x: Value<'c>) -> (Value<'c>, Value<'c>) {
    let (m, n) = split(e, x, &DOUBLE);
    let one = constant(e, x, 1.0);
    let (below, above) = (e.subf(m, one), e.addf(m, one));
    let s = e.divf(below, above);
    let square = e.mulf(s, s);
    let coefficients: Vec<f64> = (0..=10).rev().map(|k| 2.0 / f64::from(2 * k + 1)).collect();
    let p = polynomial(e, square, &coefficients);
    (e.mulf(p, s), n)
}

/// `log` on doubles, within 1e-13 relative.
pub(super) fn log_f64<'c>(e: &mut Emitter<'c>, x: Value<'c>) -> Value<'c> {
    let (fraction, n) = series(e, x);
    let ln2 = constant(e, x, std::f64::consts::LN_2);
    let y = e.fma(n, ln2, fraction);
    special(e, x, y)
}

/// `log2` of the absolute value of a double; zero gives minus infinity.
pub(super) fn log2_size_f64<'c>(e: &mut Emitter<'c>, x: Value<'c>) -> Value<'c> {
    let size = e.unary("math.absf", x);
    let (fraction, n) = series(e, size);
    let log2e = constant(e, x, std::f64::consts::LOG2_E);
    let y = e.fma(fraction, log2e, n);
    special(e, size, y)
}

/// Whether a double is an odd integer, and whether it is an integer.
pub(super) fn parity<'c>(e: &mut Emitter<'c>, x: Value<'c>) -> (Value<'c>, Value<'c>) {
    let floor = e.unary("math.floor", x);
    let whole = e.cmpf(FloatPredicate::OrderedEq, floor, x);
    let half = constant(e, x, 0.5);
    let halved = e.mulf(x, half);
    let floor = e.unary("math.floor", halved);
    let even = e.cmpf(FloatPredicate::OrderedEq, floor, halved);
    let bit = Type::from(melior::ir::r#type::IntegerType::new(e.context(), 1));
    let ones = e.with_element(type_of(x), bit);
    let ones = e.int(ones, 1);
    let uneven = e.cmpi(IntPredicate::Ne, even, ones);
    (e.binary("arith.andi", whole, uneven), whole)
}
