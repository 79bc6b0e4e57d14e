//! Checks of operands and iteration over shapes.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::operator::OpError;

/// An error as a result.
pub fn err<T>(message: impl Into<String>) -> Result<T, OpError> {
    Err(OpError(message.into()))
}

/// Refuses with a message unless `holds`.
pub fn require(holds: bool, message: impl FnOnce() -> String) -> Result<(), OpError> {
    if holds {
        Ok(())
    } else {
        Err(OpError(message()))
    }
}

/// Refuses another number of operands.
pub fn require_arity(
    operands: usize,
    allowed: std::ops::RangeInclusive<usize>,
) -> Result<(), OpError> {
    let (low, high) = (*allowed.start(), *allowed.end());
    require(allowed.contains(&operands), || match (low, high) {
        (l, h) if l == h => format!(
            "takes {l} operand{}, not {operands}",
            if l == 1 { "" } else { "s" }
        ),
        (l, usize::MAX) => format!(
            "takes at least {l} operand{}",
            if l == 1 { "" } else { "s" }
        ),
        (l, h) => format!("takes {l} to {h} operands, not {operands}"),
    })
}

/// Refuses element types that are not floating-point.
pub fn require_float(ty: &TensorType) -> Result<(), OpError> {
    require(ty.element.is_float(), || {
        format!("needs a floating-point operand, not {ty}")
    })
}

/// The common element type of the operands.
pub fn one_dtype(operands: &[&TensorType]) -> Result<ElementType, OpError> {
    let first = operands[0].element;
    match operands.iter().find(|t| t.element != first) {
        Some(other) => err(format!(
            "operands have element types {first} and {}",
            other.element
        )),
        None => Ok(first),
    }
}

/// The types of tensors.
pub fn types_of(tensors: &[Tensor]) -> Vec<TensorType> {
    tensors.iter().map(|t| t.ty().clone()).collect()
}

/// Refuses a list that has not one entry per dimension.
pub fn same_rank(what: &str, list: &[i64], rank: usize) -> Result<(), OpError> {
    require(list.len() == rank, || {
        format!("{what} has {} entries for {rank} dimensions", list.len())
    })
}

/// An axis as an index, refused when it is not a dimension.
pub fn axis_index(axis: i64, rank: usize) -> Result<usize, OpError> {
    usize::try_from(axis)
        .ok()
        .filter(|&a| a < rank)
        .ok_or_else(|| {
            OpError(format!(
                "axis {axis} is not a dimension of a tensor of rank {rank}"
            ))
        })
}

/// The number of elements of a wanted shape.
///
/// # Errors
/// When it has a negative extent or is too large to count.
pub fn checked_elements(shape: &[i64]) -> Result<i64, OpError> {
    require(shape.iter().all(|&e| e >= 0), || {
        format!("shape {shape:?} has a negative extent")
    })?;
    let elements = shape.iter().try_fold(1i64, |n, &e| n.checked_mul(e));
    elements.ok_or_else(|| OpError(format!("shape {shape:?} is too large")))
}

/// Number of elements of a shape.
fn product(shape: &[i64]) -> i64 {
    shape.iter().product()
}

/// Number of elements of a shape, for indexing.
pub fn count(shape: &[i64]) -> usize {
    product(shape).max(0) as usize
}

/// The numpy broadcast of several shapes.
pub fn broadcast(shapes: &[&[i64]]) -> Result<Vec<i64>, OpError> {
    let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
    let mut out = vec![1; rank];
    for shape in shapes {
        for (slot, &extent) in out[rank - shape.len()..].iter_mut().zip(*shape) {
            if *slot == 1 {
                *slot = extent;
            } else if extent != 1 && extent != *slot {
                let all: Vec<_> = shapes.iter().map(|s| format!("{s:?}")).collect();
                return err(format!("shapes {} do not broadcast", all.join(" and ")));
            }
        }
    }
    Ok(out)
}

/// Calls `f` with every index of a shape, in row-major order.
pub fn each_index(shape: &[i64], mut f: impl FnMut(&[i64])) {
    let mut index = vec![0; shape.len()];
    for _ in 0..count(shape) {
        f(&index);
        for d in (0..shape.len()).rev() {
            index[d] += 1;
            if index[d] < shape[d] {
                break;
            }
            index[d] = 0;
        }
    }
}

/// For every element of `out` in row-major order, the row-major element of a tensor of shape `shape`
/// that broadcasts to it.
pub fn broadcast_offsets(shape: &[i64], out: &[i64]) -> Vec<usize> {
    if shape == out {
        return (0..count(out)).collect();
    }
    let lead = out.len() - shape.len();
    let mut strides = vec![0; out.len()];
    let mut stride = 1;
    for d in (0..shape.len()).rev() {
        if shape[d] != 1 {
            strides[lead + d] = stride;
        }
        stride *= shape[d];
    }
    let mut offsets = Vec::with_capacity(count(out));
    each_index(out, |index| {
        offsets.push(index.iter().zip(&strides).map(|(i, s)| i * s).sum::<i64>() as usize);
    });
    offsets
}
