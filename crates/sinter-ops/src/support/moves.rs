//! Operators that only move elements.

use sinter_loops::nest::Nest;
use sinter_loops::scalar::FloatBits;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use super::{Code, Point, each_index};
use sinter_loops::affine::Affine;

/// A tensor whose element at each index is the source's at the row-major place `place(index)`, or the
/// bytes `outside` where that is `None`.
pub fn rearranged(
    source: &Tensor,
    ty: TensorType,
    outside: &[u8],
    mut place: impl FnMut(&[i64]) -> Option<usize>,
) -> Tensor {
    let n = ty.element.bytes();
    let bytes = source.bytes();
    let mut out = Vec::with_capacity(ty.bytes() as usize);
    each_index(&ty.shape, |index| match place(index) {
        Some(i) => out.extend_from_slice(&bytes[i * n..(i + 1) * n]),
        None => out.extend_from_slice(outside),
    });
    Tensor::from_bytes(ty, out.into())
}

/// The row-major place of an index.
pub fn place(strides: &[i64], index: impl Iterator<Item = i64>) -> usize {
    strides.iter().zip(index).map(|(s, i)| s * i).sum::<i64>() as usize
}

/// The nest over a domain that copies operand 0 at `from` to `to` of the slot `result`.
pub fn copy(
    domain: &[i64],
    ty: &TensorType,
    (operand, from): (usize, Vec<Affine>),
    pad: Option<FloatBits>,
    (result, to): (usize, Vec<Affine>),
) -> Nest {
    Point::parallel(domain)
        .read_padded(operand, from, pad.map(FloatBits::get))
        .body(Code::pass(&[ty.element]))
        .pass(ty.element)
        .write(result, to)
        .done()
}
