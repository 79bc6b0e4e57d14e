//! The remainder of floating-point numbers, exact as C's `fmod`.
//!
//! The divisor is scaled by powers of 2^52 to just below the dividend, and what is left of the dividend divided by it
//! at each scale: a quotient is below 2^52 then, and a multiply-add gives the rest without rounding.

use melior::ir::Type;
use sinter_ir::emitter::{FloatPredicate, Value, element_of, type_of};

use super::Generator;

/// What the divisor is scaled by from step to step.
const SCALE: f64 = 4_503_599_627_370_496.0; // 2^52
/// Steps between any two `f32`: 2^277 apart at most.
const STEPS_F32: i64 = 5;
/// Steps between any two `f64`: 2^2098 apart at most.
const STEPS_F64: i64 = 40;

impl<'c> Generator<'_, 'c> {
    /// `a - trunc(a / b) * b` without rounding, with the sign of `a`. Of nothing by zero and of infinity NaN;
    /// of a number by infinity the number.
    pub(super) fn float_remainder(&mut self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let (narrow, double) = (element_of(type_of(a)), Type::float64(self.e.context()));
        if narrow == double {
            return self.remainder_f64(a, b, STEPS_F64);
        }
        let wide = |g: &mut Self, v| g.e.convert("arith.extf", v, double);
        let (a, b) = (wide(self, a), wide(self, b));
        let rest = self.remainder_f64(a, b, STEPS_F32);
        self.e.convert("arith.truncf", rest, narrow)
    }

    fn remainder_f64(&mut self, a: Value<'c>, b: Value<'c>, steps: i64) -> Value<'c> {
        use FloatPredicate::{OrderedEq, OrderedGe, OrderedLe, OrderedLt};
        let r#type = type_of(a);
        let number = |g: &mut Self, value| g.e.float(r#type, value);
        let (up, down) = (number(self, SCALE), number(self, 1.0 / SCALE));
        let (zero, infinity) = (number(self, 0.0), number(self, f64::INFINITY));
        let dividend = self.e.unary("math.absf", a);
        let divisor = self.e.unary("math.absf", b);
        let (first, last, one) = (self.e.index(0), self.e.index(steps), self.e.index(1));
        let open = self.e.begin_for(first, last, one, &[divisor]);
        let scaled = open.args[0];
        let larger = self.e.mulf(scaled, up);
        let fits = self.e.cmpf(OrderedLe, larger, dividend);
        let next = self.e.select(fits, larger, scaled);
        let scaled = self.e.end_for(open, &[next])[0];
        let after = self.e.index(steps + 1);
        let open = self.e.begin_for(first, after, one, &[dividend, scaled]);
        let (rest, scaled) = (open.args[0], open.args[1]);
        let quotient = self.e.divf(rest, scaled);
        let quotient = self.e.unary("math.trunc", quotient);
        let quotient = self.e.unary("arith.negf", quotient);
        let rest = self.e.fma(quotient, scaled, rest);
        // The quotient was rounded: one too many, or one too few.
        let more = self.e.addf(rest, scaled);
        let below = self.e.cmpf(OrderedLt, rest, zero);
        let rest = self.e.select(below, more, rest);
        let less = self.e.subf(rest, scaled);
        let above = self.e.cmpf(OrderedGe, rest, scaled);
        let rest = self.e.select(above, less, rest);
        let smaller = self.e.mulf(scaled, down);
        let fits = self.e.cmpf(OrderedGe, smaller, divisor);
        let scaled = self.e.select(fits, smaller, divisor);
        let rest = self.e.end_for(open, &[rest, scaled])[0];
        let endless = self.e.cmpf(OrderedEq, divisor, infinity);
        let finite = self.e.cmpf(OrderedLt, dividend, infinity);
        let whole = self.e.binary("arith.andi", endless, finite);
        let rest = self.e.select(whole, dividend, rest);
        self.e.op1("math.copysign", &[rest, a], r#type, &[])
    }
}
