//! Elementwise functions, comparisons, choices and conversions.

use std::slice;

use sinter_loops::scalar::{BinaryFn, CompareFn};
use sinter_loops::types::ElementType;
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::cast::Cast;
use sinter_ops::ops::compare::Compare;
use sinter_ops::ops::select::Select;
use sinter_ops::ops::unary::{Unary, UnaryKind};

use super::Family;
use crate::call::Call;
use crate::error::Fault;
use crate::importer::{Importer, Value};
use crate::weights::element;

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[
    ("Abs", |i, c| unary(i, c, UnaryKind::Abs)),
    ("Add", |i, c| binary(i, c, BinaryFn::Add)),
    ("And", |i, c| binary(i, c, BinaryFn::And)),
    ("BitwiseAnd", |i, c| binary(i, c, BinaryFn::And)),
    ("BitwiseNot", |i, c| unary(i, c, UnaryKind::Not)),
    ("BitwiseOr", |i, c| binary(i, c, BinaryFn::Or)),
    ("BitwiseXor", |i, c| binary(i, c, BinaryFn::Xor)),
    ("Cast", cast),
    ("CastLike", cast_like),
    ("Ceil", |i, c| unary(i, c, UnaryKind::Ceil)),
    ("Cos", |i, c| unary(i, c, UnaryKind::Cos)),
    ("Div", |i, c| binary(i, c, BinaryFn::Div)),
    ("Equal", |i, c| compare(i, c, CompareFn::Eq)),
    ("Erf", |i, c| unary(i, c, UnaryKind::Erf)),
    ("Exp", |i, c| unary(i, c, UnaryKind::Exp)),
    ("Floor", |i, c| unary(i, c, UnaryKind::Floor)),
    ("Greater", |i, c| compare(i, c, CompareFn::Gt)),
    ("GreaterOrEqual", |i, c| compare(i, c, CompareFn::Ge)),
    ("IsInf", is_infinite),
    ("IsNaN", is_nan),
    ("Less", |i, c| compare(i, c, CompareFn::Lt)),
    ("LessOrEqual", |i, c| compare(i, c, CompareFn::Le)),
    ("Log", |i, c| unary(i, c, UnaryKind::Log)),
    ("Max", |i, c| variadic(i, c, BinaryFn::Max)),
    ("Mean", mean),
    ("Min", |i, c| variadic(i, c, BinaryFn::Min)),
    ("Mod", modulo),
    ("Mul", |i, c| binary(i, c, BinaryFn::Mul)),
    ("Neg", |i, c| unary(i, c, UnaryKind::Neg)),
    ("Not", |i, c| unary(i, c, UnaryKind::Not)),
    ("Or", |i, c| binary(i, c, BinaryFn::Or)),
    ("Pow", power),
    ("Reciprocal", |i, c| unary(i, c, UnaryKind::Reciprocal)),
    ("Round", |i, c| unary(i, c, UnaryKind::Round)),
    ("Sign", |i, c| unary(i, c, UnaryKind::Sign)),
    ("Sin", |i, c| unary(i, c, UnaryKind::Sin)),
    ("Sqrt", |i, c| unary(i, c, UnaryKind::Sqrt)),
    ("Sub", |i, c| binary(i, c, BinaryFn::Sub)),
    ("Sum", |i, c| variadic(i, c, BinaryFn::Add)),
    ("Tan", tangent),
    ("Tanh", |i, c| unary(i, c, UnaryKind::Tanh)),
    ("Where", select),
    ("Xor", |i, c| binary(i, c, BinaryFn::Xor)),
];

pub(super) fn unary(import: &mut Importer, call: &Call, kind: UnaryKind) -> Results {
    Ok(vec![import.add(Unary { kind }, &[call.input(0)?.clone()])?])
}

fn binary(import: &mut Importer, call: &Call, kind: BinaryFn) -> Results {
    let operands = [call.input(0)?.clone(), call.input(1)?.clone()];
    Ok(vec![import.add(Binary { kind }, &operands)?])
}

fn compare(import: &mut Importer, call: &Call, kind: CompareFn) -> Results {
    let operands = [call.input(0)?.clone(), call.input(1)?.clone()];
    Ok(vec![import.add(Compare { kind }, &operands)?])
}

fn variadic(import: &mut Importer, call: &Call, kind: BinaryFn) -> Results {
    let mut operands = call.inputs()?.into_iter();
    let first = operands
        .next()
        .ok_or_else(|| Fault::invalid("it has no operands"))?;
    let all = operands.try_fold(first, |a, b| import.add(Binary { kind }, &[a, b]))?;
    Ok(vec![all])
}

fn mean(import: &mut Importer, call: &Call) -> Results {
    let sum = variadic(import, call, BinaryFn::Add)?;
    let count = call.inputs()?.len();
    let count = import.scalar(import.ty(&sum[0]).element, count as f64);
    Ok(vec![import.add(
        Binary {
            kind: BinaryFn::Div,
        },
        &[sum[0].clone(), count],
    )?])
}

/// `Mod`: the sign of the divisor, or of the dividend with `fmod`.
fn modulo(import: &mut Importer, call: &Call) -> Results {
    let (a, b) = (call.input(0)?.clone(), call.input(1)?.clone());
    let remainder = import.add(
        Binary {
            kind: BinaryFn::Rem,
        },
        &[a, b.clone()],
    )?;
    if call.flag("fmod", false)? {
        return Ok(vec![remainder]);
    }
    let zero = import.scalar(import.ty(&b).element, 0.0);
    let negative = Compare {
        kind: CompareFn::Lt,
    };
    let left = import.add(negative.clone(), &[remainder.clone(), zero.clone()])?;
    let right = import.add(negative, &[b.clone(), zero.clone()])?;
    let differ = import.add(
        Binary {
            kind: BinaryFn::Xor,
        },
        &[left, right],
    )?;
    let open = import.add(
        Compare {
            kind: CompareFn::Ne,
        },
        &[remainder.clone(), zero],
    )?;
    let wrong = import.add(
        Binary {
            kind: BinaryFn::And,
        },
        &[differ, open],
    )?;
    let moved = import.add(
        Binary {
            kind: BinaryFn::Add,
        },
        &[remainder.clone(), b],
    )?;
    Ok(vec![import.add(Select {}, &[wrong, moved, remainder])?])
}

/// `Pow`: since version 12 the exponent may have another element type than the base and the result.
fn power(import: &mut Importer, call: &Call) -> Results {
    let base = call.input(0)?.clone();
    let to = import.ty(&base).element;
    let exponent = import.add(Cast { to }, &[call.input(1)?.clone()])?;
    Ok(vec![import.add(
        Binary {
            kind: BinaryFn::Pow,
        },
        &[base, exponent],
    )?])
}

fn tangent(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let sin = import.add(
        Unary {
            kind: UnaryKind::Sin,
        },
        slice::from_ref(&x),
    )?;
    let cos = import.add(
        Unary {
            kind: UnaryKind::Cos,
        },
        &[x],
    )?;
    Ok(vec![import.add(
        Binary {
            kind: BinaryFn::Div,
        },
        &[sin, cos],
    )?])
}

fn is_nan(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    Ok(vec![import.add(
        Compare {
            kind: CompareFn::Ne,
        },
        &[x.clone(), x],
    )?])
}

/// `IsInf`: each sign may be left out.
fn is_infinite(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let element = import.ty(&x).element;
    let (negative, positive) = (
        call.flag("detect_negative", true)?,
        call.flag("detect_positive", true)?,
    );
    let x = match (negative, positive) {
        (true, true) => import.add(
            Unary {
                kind: UnaryKind::Abs,
            },
            &[x],
        )?,
        (true, false) => import.add(
            Unary {
                kind: UnaryKind::Neg,
            },
            &[x],
        )?,
        (false, true) => x,
        // Nothing is found: no number is above infinity.
        (false, false) => {
            let infinity = import.scalar(element, f64::INFINITY);
            return Ok(vec![import.add(
                Compare {
                    kind: CompareFn::Gt,
                },
                &[x, infinity],
            )?]);
        }
    };
    let infinity = import.scalar(element, f64::INFINITY);
    Ok(vec![import.add(
        Compare {
            kind: CompareFn::Eq,
        },
        &[x, infinity],
    )?])
}

fn select(import: &mut Importer, call: &Call) -> Results {
    let operands = call.inputs()?;
    Ok(vec![import.add(Select {}, &operands)?])
}

fn cast(import: &mut Importer, call: &Call) -> Results {
    let code = call.int("to", 0)?;
    let to = i32::try_from(code)
        .map_err(|_| "is no element type: export the model again".to_string())
        .and_then(element);
    let to = to.map_err(|cause| Fault::attribute_value("to", &cause))?;
    convert(import, call, to)
}

fn cast_like(import: &mut Importer, call: &Call) -> Results {
    let to = import.ty(call.input(1)?).element;
    convert(import, call, to)
}

fn convert(import: &mut Importer, call: &Call, to: ElementType) -> Results {
    Ok(vec![import.add(Cast { to }, &[call.input(0)?.clone()])?])
}
