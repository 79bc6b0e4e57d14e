//! Sine and cosine. The argument is reduced in `f64`; the polynomials are those of Cephes' `sinf`
//! (Moshier), on a quarter turn around zero. Large `f32` are reduced by as many digits of 2 / pi as they need
//! (Payne and Hanek), in a branch that is taken where a vector has one.

use melior::ir::{Attribute, Type};
use sinter_ir::emitter::{Emitter, FloatPredicate, IntPredicate, Value, lanes_of, type_of};

use super::exp::MAGIC_F64;
use super::{constant, integer, polynomial, to_bits};

/// From here on two parts of pi / 2 are too few.
const LARGE: f64 = 1_073_741_824.0; // 2^30
/// 2 / pi, 24 bits after 24 bits: enough for any `f32`.
const TWO_BY_PI: [u32; 8] = [
    0x00a2_f983,
    0x006e_4e44,
    0x0015_29fc,
    0x0027_57d1,
    0x00f5_34dd,
    0x00c0_db62,
    0x0095_993c,
    0x0043_9041,
];

/// `sin(x + quarters * pi / 2)`.
pub(super) fn sine_f32<'c>(e: &mut Emitter<'c>, x: Value<'c>, quarters: i64) -> Value<'c> {
    let double = Type::float64(e.context());
    let wide = e.convert("arith.extf", x, double);
    let (near, quadrants) = turned(e, wide);
    let size = e.unary("math.absf", wide);
    let border = constant(e, wide, LARGE);
    let large = e.cmpf(FloatPredicate::OrderedGt, size, border);
    let any = any_lane(e, large);
    let mut open = e.begin_if(any, &[type_of(near), type_of(quadrants)]);
    let (far, far_quadrants) = far_turned(e, wide);
    let far = e.select(large, far, near);
    let far_quadrants = e.select(large, far_quadrants, quadrants);
    e.begin_else(&mut open, &[far, far_quadrants]);
    let chosen = e.end_if(open, &[near, quadrants]);
    sine(e, chosen[0], chosen[1], quarters)
}

/// The same on doubles, with the accuracy of an `f32`. Beyond 2^30 the result is NaN.
pub(super) fn sine_f64<'c>(e: &mut Emitter<'c>, x: Value<'c>, quarters: i64) -> Value<'c> {
    let double = Type::float64(e.context());
    let (r, quadrants) = turned(e, x);
    let result = sine(e, r, quadrants, quarters);
    let result = e.convert("arith.extf", result, double);
    let size = e.unary("math.absf", x);
    let (border, none) = (constant(e, x, LARGE), constant(e, x, f64::NAN));
    let large = e.cmpf(FloatPredicate::OrderedGt, size, border);
    e.select(large, none, result)
}

/// Whether a lane is set.
fn any_lane<'c>(e: &mut Emitter<'c>, lanes: Value<'c>) -> Value<'c> {
    if lanes_of(type_of(lanes)).is_none() {
        return lanes;
    }
    let bit = e.int_type(1);
    let or = Attribute::parse(e.context(), "#vector.kind<or>").map(|or| ("kind", or));
    e.op1("vector.reduction", &[lanes], bit, or.as_slice())
}

/// An argument as its distance from the nearest multiple of a quarter turn, and which one that is in the low bits.
fn turned<'c>(e: &mut Emitter<'c>, wide: Value<'c>) -> (Value<'c>, Value<'c>) {
    let magic = constant(e, wide, MAGIC_F64);
    let per_turn = constant(e, wide, std::f64::consts::FRAC_2_PI);
    let shifted = e.fma(wide, per_turn, magic);
    let n = e.subf(shifted, magic);
    let high = constant(e, wide, -std::f64::consts::FRAC_PI_2);
    let low = constant(e, wide, -6.123_233_995_736_766e-17);
    let r = e.fma(n, high, wide);
    let r = e.fma(n, low, r);
    (r, to_bits(e, shifted, 64))
}

/// The same of a large `f32`: its 24 bits by 24 bits of 2 / pi are exact, and so is what they are beyond whole turns.
fn far_turned<'c>(e: &mut Emitter<'c>, wide: Value<'c>) -> (Value<'c>, Value<'c>) {
    let (quarter, four) = (constant(e, wide, 0.25), constant(e, wide, -4.0));
    let mut sum = constant(e, wide, 0.0);
    // The least first.
    for (n, &bits) in TWO_BY_PI.iter().enumerate().rev() {
        let part = constant(e, wide, f64::from(bits) * 2f64.powi(-24 * (n as i32 + 1)));
        let product = e.mulf(wide, part);
        let turns = e.mulf(product, quarter);
        let turns = e.unary("math.floor", turns);
        let rest = e.fma(turns, four, product);
        sum = e.addf(sum, rest);
    }
    let magic = constant(e, wide, MAGIC_F64);
    let shifted = e.addf(sum, magic);
    let n = e.subf(shifted, magic);
    let fraction = e.subf(sum, n);
    let quarter_turn = constant(e, wide, std::f64::consts::FRAC_PI_2);
    (e.mulf(fraction, quarter_turn), to_bits(e, shifted, 64))
}

/// The sine of what is `r` from a multiple of a quarter turn, so many quarters further.
fn sine<'c>(e: &mut Emitter<'c>, r: Value<'c>, bits: Value<'c>, quarters: i64) -> Value<'c> {
    let single = Type::float32(e.context());
    let wide = r;
    let r = e.convert("arith.truncf", r, single);
    let sine = near_sine(e, r);
    let cosine = near_cosine(e, r);
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
