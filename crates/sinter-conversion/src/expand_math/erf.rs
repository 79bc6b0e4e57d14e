//! The error function: minimax polynomials after N. Juffa ("erff", public domain).

use sinter_ir::emitter::{Emitter, FloatPredicate, Value, type_of};

use super::exp::exp_f32;
use super::{constant, polynomial};

/// `erf` within two units in the last place.
pub(super) fn erf_f32<'c>(e: &mut Emitter<'c>, x: Value<'c>) -> Value<'c> {
    let size = e.unary("math.absf", x);
    let limit = constant(e, x, 4.0);
    let t = e.select_min(limit, size);
    let far = polynomial(
        e,
        t,
        &[
            -1.728_534_7e-5,
            3.831_971_26e-4,
            -3.883_964_38e-3,
            2.425_462_19e-2,
            -1.067_778_77e-1,
            -6.348_466_87e-1,
            -1.287_175_12e-1,
        ],
    );
    let minus = e.unary("arith.negf", t);
    let far = e.fma(far, t, minus);
    let power = exp_f32(e, far);
    let one = constant(e, x, 1.0);
    let far = e.subf(one, power);
    let far = e.op1("math.copysign", &[far, x], type_of(x), &[]);
    let square = e.mulf(x, x);
    let near = polynomial(
        e,
        square,
        &[
            -5.967_617_03e-4,
            4.991_194_23e-3,
            -2.676_813_49e-2,
            1.128_199_25e-1,
            -3.761_253_36e-1,
            1.283_791_66e-1,
        ],
    );
    let near = e.fma(near, x, x);
    let border = constant(e, x, 0.927_734_375);
    let is_far = e.cmpf(FloatPredicate::OrderedGt, size, border);
    e.select(is_far, far, near)
}
