//! Softmax and its logarithm.

use sinter_ops::Op;
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::softmax::{LogSoftmax, Softmax};

use super::Family;
use crate::call::{Call, axis};
use crate::error::Fault;
use crate::importer::{Importer, Value};

pub(super) const OPERATORS: Family = &[
    ("LogSoftmax", |i, c| {
        softmax(i, c, |axis| LogSoftmax { axis }.into())
    }),
    ("Softmax", |i, c| {
        softmax(i, c, |axis| Softmax { axis }.into())
    }),
];

/// Before version 13 the operand is taken as a matrix: dimensions from `axis` on are one.
fn softmax(import: &mut Importer, call: &Call, make: fn(i64) -> Op) -> Result<Vec<Value>, Fault> {
    let x = call.input(0)?.clone();
    let shape = import.shape(&x);
    let rank = shape.len() as i64;
    let along = axis(
        call.int("axis", if call.opset < 13 { 1 } else { -1 })?,
        rank,
    )?;
    if call.opset >= 13 || along == rank - 1 {
        return Ok(vec![import.add(make(along), &[x])?]);
    }
    let (rows, columns) = shape.split_at(along as usize);
    let matrix = vec![rows.iter().product(), columns.iter().product()];
    let flat = import.add(Reshape { shape: matrix }, &[x])?;
    let result = import.add(make(1), &[flat])?;
    Ok(vec![import.add(Reshape { shape }, &[result])?])
}
