//! Sine and cosine. The argument is reduced in `f64`; the polynomials are those of Cephes' `sinf`
//! (Moshier), on a quarter turn around zero.

use melior::ir::Type;
use sinter_ir::emitter::{Emitter, IntPredicate, Value};

use super::{constant, integer, polynomial, to_bits};

/// `sin(x + quarters * pi / 2)`.
pub(super) fn sine_f32<'c>(e: &mut Emitter<'c>, x: Value<'c>, quarters: i64) -> Value<'c> {
    let double = Type::float64(e.context());
    let wide = e.convert("arith.extf", x, double);
    sine(e, wide, quarters)
}

/// The same on doubles, with the accuracy of an `f32`.
pub(super) fn sine_f64<'c>(e: &mut Emitter<'c>, x: Value<'c>, quarters: i64) -> Value<'c> {
    let double = Type::float64(e.context());
    let result = sine(e, x, quarters);
    e.convert("arith.extf", result, double)
}

fn sine<'c>(e: &mut Emitter<'c>, wide: Value<'c>, quarters: i64) -> Value<'c> {
    let single = Type::float32(e.context());
    let magic = constant(e, wide, 6_755_399_441_055_744.0); // 1.5 * 2^52
    let per_turn = constant(e, wide, std::f64::consts::FRAC_2_PI);
    let shifted = e.fma(wide, per_turn, magic);
    let n = e.subf(shifted, magic);
    let high = constant(e, wide, -std::f64::consts::FRAC_PI_2);
    let low = constant(e, wide, -6.123_233_995_736_766e-17);
    let r = e.fma(n, high, wide);
    let r = e.fma(n, low, r);
    let r = e.convert("arith.truncf", r, single);
    let sine = near_sine(e, r);
    let cosine = near_cosine(e, r);
    let bits = to_bits(e, shifted, 64);
    let turn = integer(e, wide, 64, quarters);
    let quadrant = e.addi(bits, turn);
    let (zero, one, two) = (
        integer(e, wide, 64, 0),
        integer(e, wide, 64, 1),
        integer(e, wide, 64, 2),
    );
    let odd = e.binary("arith.andi", quadrant, one);
    let is_odd = e.cmpi(IntPredicate::Ne, odd, zero);
    let value = e.select(is_odd, cosine, sine);
    let lower = e.binary("arith.andi", quadrant, two);
    let is_lower = e.cmpi(IntPredicate::Ne, lower, zero);
    let minus = e.unary("arith.negf", value);
    e.select(is_lower, minus, value)
}

fn near_sine<'c>(e: &mut Emitter<'c>, r: Value<'c>) -> Value<'c> {
    let square = e.mulf(r, r);
    let p = polynomial(
        e,
        square,
        &[-1.951_529_589_1e-4, 8.332_160_873_6e-3, -1.666_665_461_1e-1],
    );
    let p = e.mulf(p, square);
    e.fma(p, r, r)
}

fn near_cosine<'c>(e: &mut Emitter<'c>, r: Value<'c>) -> Value<'c> {
    let square = e.mulf(r, r);
    let p = polynomial(
        e,
        square,
        &[
            2.443_315_711_809_948e-5,
            -1.388_731_625_493_765e-3,
            4.166_664_568_298_827e-2,
        ],
    );
    let p = e.mulf(p, square);
    let minus_half = constant(e, r, -0.5);
    let p = e.addf(p, minus_half);
    let one = constant(e, r, 1.0);
    e.fma(p, square, one)
}
