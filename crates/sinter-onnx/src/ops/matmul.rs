//! Matrix products.

use sinter_loops::scalar::BinaryFn;
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::transpose::Transpose;

use super::Family;
use crate::call::Call;
use crate::error::Fault;
use crate::importer::{Importer, Value};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[("Gemm", gemm), ("MatMul", matmul)];

fn matmul(import: &mut Importer, call: &Call) -> Results {
    let operands = [call.input(0)?.clone(), call.input(1)?.clone()];
    Ok(vec![import.add(Matmul {}, &operands)?])
}

/// `alpha * A' * B' + beta * C`, where `'` may transpose; a `beta` of 0 leaves `C` out, whatever it holds.
fn gemm(import: &mut Importer, call: &Call) -> Results {
    let a = matrix(import, call, 0, "transA")?;
    let b = matrix(import, call, 1, "transB")?;
    let product = import.add(Matmul {}, &[a, b])?;
    let product = scaled(import, product, call.float("alpha", 1.0)?)?;
    let beta = call.float("beta", 1.0)?;
    let Some(c) = call.optional(2).filter(|_| beta != 0.0) else {
        return Ok(vec![product]);
    };
    let c = scaled(import, c.clone(), beta)?;
    Ok(vec![import.add(
        Binary {
            kind: BinaryFn::Add,
        },
        &[product, c],
    )?])
}

fn matrix(
    import: &mut Importer,
    call: &Call,
    place: usize,
    transposed: &str,
) -> Result<Value, Fault> {
    let value = call.input(place)?.clone();
    if import.rank(&value) != 2 {
        return Err(Fault::invalid(format!("operand {place} is not a matrix")));
    }
    match call.flag(transposed, false)? {
        true => import.add(Transpose { perm: vec![1, 0] }, &[value]),
        false => Ok(value),
    }
}

fn scaled(import: &mut Importer, value: Value, factor: f64) -> Result<Value, Fault> {
    if factor == 1.0 {
        return Ok(value);
    }
    let factor = import.scalar(import.ty(&value).element, factor);
    import.add(
        Binary {
            kind: BinaryFn::Mul,
        },
        &[value, factor],
    )
}
