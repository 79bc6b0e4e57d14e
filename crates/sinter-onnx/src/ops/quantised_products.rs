//! Products of 8-bit integers with zero points.
//!
//! A sum of `(a - za) * (b - zb)` is `sum(a * b) - za * (sum(b) - n * zb) - zb * sum(a)`, so that the long sum
//! multiplies 8-bit integers as they are. All of it is exact in `i32`, which wraps. Left factors
//! become unsigned and right ones signed, by shifting them and their zero points by 128: processors multiply
//! those. Of constants the sums fold, and a zero point of constant right factors is taken off
//! them where they stay 8-bit integers.

use sinter_loops::scalar::BinaryFn;
use sinter_loops::types::ElementType;
use sinter_loops::types::ElementType::{F32, I8, I32, U8};
use sinter_ops::Operator;
use sinter_ops::ops::cast::Cast;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};

use super::quantised::{cast, eight_bits, float, is_zero, reshaped, rounded, same_type};
use super::{Family, binary};
use crate::call::Call;
use crate::error::Fault;
use crate::importer::{Importer, Value};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[
    ("MatMulInteger", matmul_integer),
    ("QLinearMatMul", linear_matmul),
];

/// What shifts an 8-bit integer to the other sign.
const HALF: f64 = 128.0;

/// A factor: 8-bit values, and as `i32` what is taken off them, if it may differ from 0.
pub(super) struct Factor {
    pub(super) values: Value,
    pub(super) zero: Option<Value>,
}

impl Factor {
    pub(super) fn read(
        import: &mut Importer,
        call: &Call,
        at: usize,
        zero_at: usize,
        what: &str,
    ) -> Result<Self, Fault> {
        let values = call.input(at)?.clone();
        eight_bits(import.ty(&values).element, &format!("its {what}"))?;
        let zero = match call.optional(zero_at).cloned() {
            Some(zero) => {
                same_type(import, &values, &zero, &format!("zero point of the {what}"))?;
                Some(cast(import, zero, I32)?)
            }
            None => None,
        };
        let zero = zero.filter(|z| !is_zero(z));
        Ok(Self { values, zero })
    }

    /// The same with the zero point in another shape.
    pub(super) fn with_zero(
        mut self,
        import: &mut Importer,
        shape: impl Fn(&[i64]) -> Result<Vec<i64>, Fault>,
    ) -> Result<Self, Fault> {
        if let Some(zero) = self.zero.take() {
            let shape = shape(&import.shape(&zero))?;
            self.zero = Some(reshaped(import, zero, shape)?);
        }
        Ok(self)
    }

    /// The same with unsigned values.
    pub(super) fn unsigned(self, import: &mut Importer) -> Result<Self, Fault> {
        match import.ty(&self.values).element {
            I8 => self.turned(import, U8, HALF),
            _ => Ok(self),
        }
    }

    /// The same with signed values.
    pub(super) fn signed(self, import: &mut Importer) -> Result<Self, Fault> {
        match import.ty(&self.values).element {
            U8 => self.turned(import, I8, -HALF),
            _ => Ok(self),
        }
    }

    fn turned(self, import: &mut Importer, to: ElementType, shift: f64) -> Result<Self, Fault> {
        let zero = self.zero.unwrap_or_else(|| import.scalar(I32, 0.0));
        let shift = import.scalar(I32, shift);
        let zero = binary(import, BinaryFn::Add, zero, shift)?;
        // The other sign of the upper bit, which wraps.
        let from = import.ty(&self.values).element;
        let upper = import.scalar(from, HALF);
        let values = binary(import, BinaryFn::Xor, self.values, upper)?;
        let values = cast(import, values, to)?;
        let zero = Some(zero).filter(|z| !is_zero(z));
        Ok(Self { values, zero })
    }

    /// The same without a zero point, where both are known and the differences fit into signed values.
    pub(super) fn folded(self, import: &mut Importer) -> Result<Self, Fault> {
        let (Value::Constant(_), Some(zero @ Value::Constant(_))) = (&self.values, &self.zero)
        else {
            return Ok(self);
        };
        let wide = cast(import, self.values.clone(), I32)?;
        let shifted = binary(import, BinaryFn::Sub, wide, zero.clone())?;
        let Value::Constant(known) = &shifted else {
            return Ok(self);
        };
        let range = f64::from(i8::MIN)..=f64::from(i8::MAX);
        if !known.to_f64s().iter().all(|v| range.contains(v)) {
            return Ok(self);
        }
        Ok(Self {
            values: cast(import, shifted, I8)?,
            zero: None,
        })
    }
}

fn matmul_integer(import: &mut Importer, call: &Call) -> Results {
    let left = Factor::read(import, call, 0, 2, "left operand")?;
    let right = Factor::read(import, call, 1, 3, "right operand")?;
    Ok(vec![matmul(import, left, right)?])
}

fn linear_matmul(import: &mut Importer, call: &Call) -> Results {
    let left = Factor::read(import, call, 0, 2, "left operand")?;
    let right = Factor::read(import, call, 3, 5, "right operand")?;
    let rank = import.rank(&left.values).max(import.rank(&right.values));
    let left_scale = per_row(import, call, 1, rank)?;
    let right_scale = per_column(import, call, 4)?;
    let sums = matmul(import, left, right)?;
    Ok(vec![requantised(
        import,
        call,
        sums,
        [left_scale, right_scale],
    )?])
}

/// The shape of one value, or one per row of a matrix.
fn row_shape(shape: &[i64]) -> Vec<i64> {
    match shape {
        [] | [1] => vec![],
        [rows] => vec![*rows, 1],
        other => other.to_vec(),
    }
}

/// The shape of one value, or one per column of a matrix.
fn column_shape(shape: &[i64]) -> Vec<i64> {
    match shape {
        [1] => vec![],
        other => other.to_vec(),
    }
}

/// An operand that is a scale.
pub(super) fn scale(import: &Importer, call: &Call, at: usize) -> Result<Value, Fault> {
    let scale = call.input(at)?.clone();
    float(import.ty(&scale).element, "one of its scales")?;
    Ok(scale)
}

fn per_row(import: &mut Importer, call: &Call, at: usize, rank: i64) -> Result<Value, Fault> {
    let scale = scale(import, call, at)?;
    let shape = import.shape(&scale);
    if rank < 2 && shape.iter().product::<i64>() > 1 {
        return Err(Fault::invalid(format!(
            "scale {shape:?} has more than one value for a row"
        )));
    }
    reshaped(import, scale, row_shape(&shape))
}

fn per_column(import: &mut Importer, call: &Call, at: usize) -> Result<Value, Fault> {
    let scale = scale(import, call, at)?;
    let shape = column_shape(&import.shape(&scale));
    reshaped(import, scale, shape)
}

/// `i32` sums of a matrix product by the rules of numpy.
fn matmul(import: &mut Importer, left: Factor, right: Factor) -> Result<Value, Fault> {
    let (left_shape, right_shape) = (import.shape(&left.values), import.shape(&right.values));
    let types = [import.ty(&left.values), import.ty(&right.values)];
    let result = Matmul {}.infer(&types)?.remove(0).shape;
    // One-dimensional operands are matrices of one row or column here.
    let mut left = left.with_zero(import, |shape| Ok(row_shape(shape)))?;
    let mut right = right.with_zero(import, |shape| Ok(column_shape(shape)))?;
    let (mut rows, mut columns) = (left_shape, right_shape);
    if rows.len() == 1 {
        rows.insert(0, 1);
        left.values = reshaped(import, left.values, rows.clone())?;
    }
    if columns.len() == 1 {
        columns.push(1);
        right.values = reshaped(import, right.values, columns.clone())?;
    }
    let depth = *rows.last().unwrap_or(&1);
    let mut fits = rows.clone();
    fits.pop();
    fits.push(1);
    broadcasts(import, left.zero.as_ref(), &fits, "left operand")?;
    let mut fits = columns.clone();
    let place = fits.len() - 2;
    fits[place] = 1;
    broadcasts(import, right.zero.as_ref(), &fits, "right operand")?;

    let left = left.unsigned(import)?;
    let right = right.folded(import)?.signed(import)?;
    let mut sums = import.add(Matmul {}, &[left.values.clone(), right.values.clone()])?;
    if let Some(zero) = &left.zero {
        let mut of = summed(import, right.values.clone(), columns.len() as i64 - 2)?;
        if let Some(other) = &right.zero {
            let depth = import.scalar(I32, depth as f64);
            let all = binary(import, BinaryFn::Mul, other.clone(), depth)?;
            of = binary(import, BinaryFn::Sub, of, all)?;
        }
        let off = binary(import, BinaryFn::Mul, zero.clone(), of)?;
        sums = binary(import, BinaryFn::Sub, sums, off)?;
    }
    if let Some(zero) = right.zero {
        let of = summed(import, left.values, rows.len() as i64 - 1)?;
        let off = binary(import, BinaryFn::Mul, of, zero)?;
        sums = binary(import, BinaryFn::Sub, sums, off)?;
    }
    reshaped(import, sums, result)
}

/// Refuses a zero point that does not broadcast to a shape.
fn broadcasts(
    import: &Importer,
    zero: Option<&Value>,
    to: &[i64],
    what: &str,
) -> Result<(), Fault> {
    let Some(zero) = zero else { return Ok(()) };
    let shape = import.shape(zero);
    let pairs = shape.iter().rev().zip(to.iter().rev());
    let fits = shape.len() <= to.len() && pairs.clone().all(|(z, d)| *z == 1 || z == d);
    match fits {
        true => Ok(()),
        false => Err(Fault::invalid(format!(
            "the zero point of its {what} has the shape {shape:?}, which does not fit {to:?}"
        ))),
    }
}

/// Sums as `i32` along one axis, which stays.
pub(super) fn summed(import: &mut Importer, x: Value, axis: i64) -> Result<Value, Fault> {
    let x = import.add(Cast { to: I32 }, &[x])?;
    let sum = Reduce {
        kind: ReduceKind::Sum,
        axes: vec![axis],
        keep_dims: true,
    };
    import.add(sum, &[x])
}

/// A value of one element, as a scalar.
pub(super) fn one_value(import: &mut Importer, value: Value, what: &str) -> Result<Value, Fault> {
    let ty = import.ty(&value);
    match ty.elements() {
        1 => reshaped(import, value, vec![]),
        count => Err(Fault::invalid(format!(
            "its {what} has {count} values, not one"
        ))),
    }
}

/// `saturate(round(sums * (a * b / y)) + zero)` with the scales `a` and `b` of the factors and `y` of the result,
/// in single precision as onnxruntime computes it.
pub(super) fn requantised(
    import: &mut Importer,
    call: &Call,
    sums: Value,
    [a, b]: [Value; 2],
) -> Result<Value, Fault> {
    let scale = scale(import, call, 6)?;
    let scale = one_value(import, scale, "scale of the result")?;
    let zero = call.input(7)?.clone();
    let to = import.ty(&zero).element;
    eight_bits(to, "the zero point of its result")?;
    let zero = one_value(import, zero, "zero point of the result")?;
    let [a, b, scale] = [
        cast(import, a, F32)?,
        cast(import, b, F32)?,
        cast(import, scale, F32)?,
    ];
    let factor = binary(import, BinaryFn::Mul, a, b)?;
    let factor = binary(import, BinaryFn::Div, factor, scale)?;
    let sums = cast(import, sums, F32)?;
    let y = binary(import, BinaryFn::Mul, sums, factor)?;
    rounded(import, y, Some(zero), to)
}
