//! `expand-math`: functions of `math` as vector code of our own; no library call is left.
//!
//! Takes any operation and rewrites `math.exp`, `math.exp2`, `math.log`, `math.tanh`, `math.erf`,
//! `math.sin`, `math.cos` and `math.powf` inside it, on scalars and vectors, into `arith` operations
//! and multiply-adds. Functions with an instruction of their own (`sqrt`, `floor`, `fma`, ...) stay.
//!
//! Error bounds on `f32`, in units in the last place of the correctly rounded result, over all finite
//! arguments unless said; `tests/math.rs` of `sinter-codegen` measures them:
//!
//! | function | bound | notes |
//! |---|---|---|
//! | `exp` | 1 | results below 2^-126 are 0 |
//! | `exp2` | 1 | computed on doubles |
//! | `log` | 1 | subnormal arguments too; negative arguments give NaN, zero gives minus infinity |
//! | `tanh` | 2 | |
//! | `erf` | 2 | |
//! | `sin`, `cos` | 2 | absolute error 2^-24 beside zeros of the function |
//! | `powf` | 1 | signs, zeros and infinities as in IEEE 754 |
//!
//! A sigmoid is `1 / (1 + exp(-x))` and within 4. NaN gives NaN everywhere (but `powf` of 1 to NaN and
//! of NaN to 0, which are 1). `f16` and `bf16` are computed in `f32`. On `f64`, `exp`, `exp2`, `log`
//! and `powf` are within 1e-12 relative; the others have the accuracy of `f32`, and the sine and cosine of what is beyond 2^30 are NaN.

mod erf;
mod exp;
mod log;
mod pow;
mod trig;

use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, RegionLike, Type, TypeLike};
use sinter_ir::emitter::{Emitter, Value, element_of, type_of};
use sinter_ir::rewrite::{context_of, erase, replace_all_uses};
use sinter_pass::{Failure, NoOptions, Pass, PassInfo};

/// The pass.
pub struct ExpandMath;

impl Pass for ExpandMath {
    type Options = NoOptions;

    const INFO: PassInfo = PassInfo {
        name: "expand-math",
        summary: "Functions of math as vector code",
        description: "Rewrites exp, exp2, log, tanh, erf, sin, cos and powf, on scalars and vectors, \
                      into arithmetic with stated error bounds, so that no library call is left.",
        anchor: None,
        dialects: &["arith", "math", "scf", "vector"],
    };

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        expand_math(context_of(op), op);
        Ok(())
    }
}

/// Expands the functions listed above everywhere inside an operation.
pub fn expand_math<'c>(context: &'c Context, root: OperationRef<'c, '_>) {
    let mut found = Vec::new();
    collect(root, &mut found);
    for operation in found {
        expand(context, operation);
    }
}

fn collect<'c, 'a>(operation: OperationRef<'c, 'a>, found: &mut Vec<OperationRef<'c, 'a>>) {
    if function_of(operation).is_some() {
        found.push(operation);
    }
    for region in (0..operation.region_count()).filter_map(|n| operation.region(n).ok()) {
        let blocks = std::iter::successors(region.first_block(), |b| b.next_in_region());
        for block in blocks {
            let inner = std::iter::successors(block.first_operation(), |op| op.next_in_block());
            for operation in inner {
                collect(operation, found);
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Function {
    Exp,
    Exp2,
    Log,
    Tanh,
    Erf,
    Sin,
    Cos,
    Pow,
}

fn function_of(operation: OperationRef<'_, '_>) -> Option<Function> {
    Some(match operation.name().as_string_ref().as_str().ok()? {
        "math.exp" => Function::Exp,
        "math.exp2" => Function::Exp2,
        "math.log" => Function::Log,
        "math.tanh" => Function::Tanh,
        "math.erf" => Function::Erf,
        "math.sin" => Function::Sin,
        "math.cos" => Function::Cos,
        "math.powf" => Function::Pow,
        _ => return None,
    })
}

fn expand<'c>(context: &'c Context, operation: OperationRef<'c, '_>) {
    let (Some(function), Some(mut emitter)) =
        (function_of(operation), Emitter::before(context, operation))
    else {
        return;
    };
    let operands: Vec<Value<'c>> = (0..operation.operand_count())
        .filter_map(|n| operation.operand(n).ok())
        .map(lasting)
        .collect();
    let result = evaluate(&mut emitter, function, &operands);
    if let Ok(old) = operation.result(0) {
        replace_all_uses(lasting(old.into()), result);
    }
    erase(operation);
}

/// The value without the lifetime of the operation that it was read from.
fn lasting<'c>(value: melior::ir::Value<'c, '_>) -> Value<'c> {
    use melior::ir::ValueLike;
    // SAFETY: operands outlive the operation that uses them, and results are replaced before it goes.
    unsafe { Value::from_raw(value.to_raw()) }
}

/// Chooses the width to compute in.
fn evaluate<'c>(e: &mut Emitter<'c>, function: Function, operands: &[Value<'c>]) -> Value<'c> {
    let element = element_of(type_of(operands[0]));
    let single = Type::float32(e.context());
    if element.is_f64() {
        return match function {
            Function::Exp => exp::exp_f64(e, operands[0]),
            Function::Exp2 => exp::exp2_f64(e, operands[0]),
            Function::Log => log::log_f64(e, operands[0]),
            Function::Pow => pow::pow_f64(e, operands[0], operands[1]),
            Function::Sin => trig::sine_f64(e, operands[0], 0),
            Function::Cos => trig::sine_f64(e, operands[0], 1),
            Function::Tanh | Function::Erf => {
                let narrow = e.convert("arith.truncf", operands[0], single);
                let result = evaluate(e, function, &[narrow]);
                e.convert("arith.extf", result, element)
            }
        };
    }
    if !element.is_f32() {
        let wide: Vec<_> = operands
            .iter()
            .map(|&v| e.convert("arith.extf", v, single))
            .collect();
        let result = evaluate(e, function, &wide);
        return e.convert("arith.truncf", result, element);
    }
    match function {
        Function::Exp => exp::exp_f32(e, operands[0]),
        Function::Exp2 => {
            let double = Type::float64(e.context());
            let wide = e.convert("arith.extf", operands[0], double);
            let result = exp::exp2_f64(e, wide);
            e.convert("arith.truncf", result, single)
        }
        Function::Log => log::log_f32(e, operands[0]),
        Function::Tanh => exp::tanh_f32(e, operands[0]),
        Function::Erf => erf::erf_f32(e, operands[0]),
        Function::Sin => trig::sine_f32(e, operands[0], 0),
        Function::Cos => trig::sine_f32(e, operands[0], 1),
        Function::Pow => {
            let double = Type::float64(e.context());
            let base = e.convert("arith.extf", operands[0], double);
            let exponent = e.convert("arith.extf", operands[1], double);
            let result = pow::pow_f64(e, base, exponent);
            e.convert("arith.truncf", result, single)
        }
    }
}

/// A constant of the type of `like`.
fn constant<'c>(e: &mut Emitter<'c>, like: Value<'c>, value: f64) -> Value<'c> {
    e.float(type_of(like), value)
}

/// An integer constant of `bits` bits with the lanes of `like`.
fn integer<'c>(e: &mut Emitter<'c>, like: Value<'c>, bits: u32, value: i64) -> Value<'c> {
    let element = e.int_type(bits);
    let r#type = e.with_element(type_of(like), element);
    e.int(r#type, value)
}

/// The bits of a float as an integer of `bits` bits.
fn to_bits<'c>(e: &mut Emitter<'c>, value: Value<'c>, bits: u32) -> Value<'c> {
    let element = e.int_type(bits);
    e.bitcast(value, element)
}

/// A polynomial by Horner's rule with multiply-adds; coefficients from the highest degree down.
fn polynomial<'c>(e: &mut Emitter<'c>, x: Value<'c>, coefficients: &[f64]) -> Value<'c> {
    let mut value = constant(e, x, coefficients[0]);
    for &coefficient in &coefficients[1..] {
        let next = constant(e, x, coefficient);
        value = e.fma(value, x, next);
    }
    value
}
