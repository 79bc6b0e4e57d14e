//! Exponentials and what is made of them.
//!
//! Argument reduction after Cody and Waite, `x = n ln 2 + r`; the polynomial for `f32` is the minimax one
//! of its degree, the one for `f64` is Taylor's.

use sinter_ir::emitter::{Emitter, FloatPredicate, Value, element_of, type_of};

use super::{constant, integer, polynomial, to_bits};

/// Adding and subtracting this rounds to an integer, which is then in the low bits.
const MAGIC_F32: f64 = 12_582_912.0; // 1.5 * 2^23
pub(super) const MAGIC_F64: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

/// `exp(r)` for `|r| <= ln 2 / 2`: least greatest relative error (0.053 * 2^-24) of degree 6 with constant
/// and linear coefficient 1, found by Lawson's iteration, one coefficient rounded to `f32` after the other.
const EXP_F32: [f64; 7] = [
    0.001_382_004_6,
    0.008_368_682,
    0.041_668_274,
    0.166_665_21,
    0.499_999_94,
    1.0,
    1.0,
];

/// `exp` within one unit in the last place; results below 2^-126 are 0.
pub(super) fn exp_f32<'c>(e: &mut Emitter<'c>, x: Value<'c>) -> Value<'c> {
    let (log2e, magic) = (
        constant(e, x, std::f64::consts::LOG2_E),
        constant(e, x, MAGIC_F32),
    );
    let shifted = e.fma(x, log2e, magic);
    let n = e.subf(shifted, magic);
    let (high, low) = (
        constant(e, x, -0.693_359_375),
        constant(e, x, 2.121_944_4e-4),
    );
    let r = e.fma(n, high, x);
    let r = e.fma(n, low, r);
    let p = polynomial(e, r, &EXP_F32);
    // The low bits of `shifted` are n: moved up, they are what the exponent grows by.
    let (n, mantissa) = (to_bits(e, shifted, 32), integer(e, x, 32, 23));
    let growth = e.binary("arith.shli", n, mantissa);
    let bits = to_bits(e, p, 32);
    let bits = e.addi(bits, growth);
    let element = element_of(type_of(x));
    let result = e.bitcast(bits, element);
    let (least, greatest) = (constant(e, x, -87.336_54), constant(e, x, 88.722_84));
    // Infinity above, and NaN for NaN.
    let infinity = constant(e, x, f64::INFINITY);
    let beyond = e.addf(x, infinity);
    let fits = e.cmpf(FloatPredicate::OrderedLe, x, greatest);
    let result = e.select(fits, result, beyond);
    let zero = constant(e, x, 0.0);
    let vanishes = e.cmpf(FloatPredicate::OrderedLt, x, least);
    e.select(vanishes, zero, result)
}

/// `value * 2^n` on doubles, where `n` is in the low bits of `shifted`; in two steps, so that results
/// may be subnormal or infinite.
fn scale<'c>(e: &mut Emitter<'c>, value: Value<'c>, shifted: Value<'c>) -> Value<'c> {
    let element = element_of(type_of(value));
    let n = to_bits(e, shifted, 64);
    let magic = integer(e, value, 64, MAGIC_F64.to_bits() as i64);
    let n = e.subi(n, magic);
    let one = integer(e, value, 64, 1);
    let half = e.binary("arith.shrsi", n, one);
    let rest = e.subi(n, half);
    let (bias, mantissa) = (integer(e, value, 64, 1023), integer(e, value, 64, 52));
    [half, rest].into_iter().fold(value, |value, power| {
        let exponent = e.addi(power, bias);
        let exponent = e.binary("arith.shli", exponent, mantissa);
        let factor = e.bitcast(exponent, element);
        e.mulf(value, factor)
    })
}

/// `exp` on doubles, within 1e-13 relative.
pub(super) fn exp_f64<'c>(e: &mut Emitter<'c>, x: Value<'c>) -> Value<'c> {
    let (low, high) = (constant(e, x, -746.0), constant(e, x, 710.0));
    let x = e.select_max(low, x);
    let x = e.select_min(high, x);
    let (log2e, magic) = (
        constant(e, x, std::f64::consts::LOG2_E),
        constant(e, x, MAGIC_F64),
    );
    let shifted = e.fma(x, log2e, magic);
    let n = e.subf(shifted, magic);
    let high = constant(e, x, -0.693_147_180_369_123_8);
    let low = constant(e, x, -1.908_214_929_270_587_7e-10);
    let r = e.fma(n, high, x);
    let r = e.fma(n, low, r);
    let p = taylor(e, r);
    scale(e, p, shifted)
}

/// `exp2` on doubles, within 1e-13 relative.
pub(super) fn exp2_f64<'c>(e: &mut Emitter<'c>, x: Value<'c>) -> Value<'c> {
    let (low, high) = (constant(e, x, -1076.0), constant(e, x, 1025.0));
    let x = e.select_max(low, x);
    let x = e.select_min(high, x);
    let magic = constant(e, x, MAGIC_F64);
    let shifted = e.addf(x, magic);
    let n = e.subf(shifted, magic);
    let fraction = e.subf(x, n);
    let ln2 = constant(e, x, std::f64::consts::LN_2);
    let r = e.mulf(fraction, ln2);
    let p = taylor(e, r);
    scale(e, p, shifted)
}

/// `exp(r)` for `|r| <= ln 2 / 2`.
fn taylor<'c>(e: &mut Emitter<'c>, r: Value<'c>) -> Value<'c> {
    let mut factorial = 1.0;
    let mut coefficients = vec![1.0];
    for n in 1..=12 {
        factorial *= f64::from(n);
        coefficients.push(1.0 / factorial);
    }
    coefficients.reverse();
    polynomial(e, r, &coefficients)
}

/// `tanh` within two units in the last place: the polynomial of Cephes' `tanhf` below 0.625, above it
/// `1 - 2 / (exp(2 |x|) + 1)`.
pub(super) fn tanh_f32<'c>(e: &mut Emitter<'c>, x: Value<'c>) -> Value<'c> {
    let size = e.unary("math.absf", x);
    let double = e.addf(size, size);
    let power = exp_f32(e, double);
    let (one, two) = (constant(e, x, 1.0), constant(e, x, 2.0));
    let sum = e.addf(power, one);
    let quotient = e.divf(two, sum);
    let far = e.subf(one, quotient);
    let far = e.op1("math.copysign", &[far, x], type_of(x), &[]);
    let square = e.mulf(x, x);
    let p = polynomial(
        e,
        square,
        &[
            -5.704_988_727_45e-3,
            2.063_908_879_54e-2,
            -5.373_971_555_31e-2,
            1.333_144_220_36e-1,
            -3.333_328_194_22e-1,
        ],
    );
    let p = e.mulf(p, square);
    let near = e.fma(p, x, x);
    let border = constant(e, x, 0.625);
    let is_far = e.cmpf(FloatPredicate::OrderedGe, size, border);
    e.select(is_far, far, near)
}
