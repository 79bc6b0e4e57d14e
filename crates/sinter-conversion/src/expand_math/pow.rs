//! Powers, by way of `exp2(y log2 |x|)` on doubles.

use sinter_ir::emitter::{Emitter, FloatPredicate, Value, type_of};

use super::constant;
use super::exp::exp2_f64;
use super::log::{log2_size_f64, parity};

/// `x^y` on doubles, within 1e-12 relative for results that an `f32` can hold.
pub(super) fn pow_f64<'c>(e: &mut Emitter<'c>, x: Value<'c>, y: Value<'c>) -> Value<'c> {
    let logarithm = log2_size_f64(e, x);
    let exponent = e.mulf(y, logarithm);
    let size = exp2_f64(e, exponent);
    let (zero, one) = (constant(e, x, 0.0), constant(e, x, 1.0));
    let (odd, whole) = parity(e, y);
    // A negative base: the sign of odd powers, NaN for powers that are no integers.
    let below = e.cmpf(FloatPredicate::OrderedLt, x, zero);
    let with_sign = e.op1("math.copysign", &[size, x], type_of(x), &[]);
    let result = e.select(odd, with_sign, size);
    let nan = constant(e, x, f64::NAN);
    let of_negative = e.select(whole, result, nan);
    let finite_base = finite(e, x);
    let of_negative = e.select(finite_base, of_negative, result);
    let result = e.select(below, of_negative, result);
    // |x| = 1 to an infinite power, anything to the power 0, and 1 to any power are 1.
    let absolute = e.unary("math.absf", x);
    let unit = e.cmpf(FloatPredicate::OrderedEq, absolute, one);
    let finite_power = finite(e, y);
    let not_a_number = e.cmpf(FloatPredicate::Unordered, y, y);
    let fine = e.binary("arith.ori", finite_power, not_a_number);
    let endless = e.select(fine, result, one);
    let result = e.select(unit, endless, result);
    let no_power = e.cmpf(FloatPredicate::OrderedEq, y, zero);
    let base_one = e.cmpf(FloatPredicate::OrderedEq, x, one);
    let is_one = e.binary("arith.ori", no_power, base_one);
    e.select(is_one, one, result)
}

fn finite<'c>(e: &mut Emitter<'c>, x: Value<'c>) -> Value<'c> {
    let size = e.unary("math.absf", x);
    let infinity = constant(e, x, f64::INFINITY);
    e.cmpf(FloatPredicate::OrderedLt, size, infinity)
}
