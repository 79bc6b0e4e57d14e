//! Convolutions of 8-bit integers with zero points: sums as in `quantised_products`, but that a tap outside of the
//! data is none, whatever the zero points.

use sinter_loops::scalar::BinaryFn;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::ElementType::{I8, I32};
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::expand::Expand;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};

use super::conv::convolution;
use super::quantised::reshaped;
use super::quantised_products::{Factor, one_value, requantised, scale, summed};
use super::{Family, binary};
use crate::call::Call;
use crate::error::Fault;
use crate::importer::{Importer, Value};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[("ConvInteger", conv_integer), ("QLinearConv", linear_conv)];

fn conv_integer(import: &mut Importer, call: &Call) -> Results {
    let x = Factor::read(import, call, 0, 2, "data")?;
    let w = Factor::read(import, call, 1, 3, "weights")?;
    Ok(vec![conv(import, call, x, w)?])
}

fn linear_conv(import: &mut Importer, call: &Call) -> Results {
    let x = Factor::read(import, call, 0, 2, "data")?;
    let w = Factor::read(import, call, 3, 5, "weights")?;
    let (rank, channels) = (
        import.rank(&x.values),
        import.shape(&w.values).first().copied(),
    );
    let x_scale = scale(import, call, 1)?;
    let x_scale = one_value(import, x_scale, "scale of the data")?;
    let w_scale = scale(import, call, 4)?;
    let shape = channel_shape(&import.shape(&w_scale), channels, rank, "scale")?;
    let w_scale = reshaped(import, w_scale, shape)?;
    let mut sums = conv(import, call, x, w)?;
    if let Some(bias) = call.optional(8).cloned() {
        let ty = import.ty(&bias);
        if ty.element != I32 || ty.shape.as_slice() != channels.as_slice() {
            return Err(Fault::invalid(format!(
                "its bias is {ty}, not one i32 per output channel"
            )));
        }
        let shape = channel_shape(&ty.shape, channels, rank, "bias")?;
        let bias = reshaped(import, bias, shape)?;
        sums = binary(import, BinaryFn::Add, sums, bias)?;
    }
    Ok(vec![requantised(import, call, sums, [x_scale, w_scale])?])
}

/// The shape in which one value, or one per output channel, meets a result of a rank.
fn channel_shape(
    shape: &[i64],
    channels: Option<i64>,
    rank: i64,
    what: &str,
) -> Result<Vec<i64>, Fault> {
    match shape {
        [] | [1] => Ok(vec![]),
        [count] if Some(*count) == channels && rank > 1 => {
            let mut out = vec![1; rank as usize - 1];
            out[0] = *count;
            Ok(out)
        }
        other => Err(Fault::invalid(format!(
            "its {what} has the shape {other:?}, not one value or one per output channel"
        ))),
    }
}

/// `i32` sums of a convolution. Taps outside of the data are none, whatever the zero points.
fn conv(import: &mut Importer, call: &Call, x: Factor, w: Factor) -> Result<Value, Fault> {
    let op = convolution(import, call, &[x.values.clone(), w.values.clone()])?;
    let (data, weights) = (import.shape(&x.values), import.shape(&w.values));
    let rank = data.len() as i64;
    let mut x = x;
    if let Some(zero) = x.zero.take() {
        x.zero = Some(one_value(import, zero, "zero point of the data")?);
    }
    // Along the weights first; along the result once what can be folded is.
    let w = w.with_zero(import, |shape| {
        let mut shape = channel_shape(shape, weights.first().copied(), rank, "zero point")?;
        if !shape.is_empty() {
            shape.push(1);
        }
        Ok(shape)
    })?;
    let x = x.unsigned(import)?;
    let w = w.folded(import)?.signed(import)?;
    let w = w.with_zero(import, |shape| match shape {
        [] => Ok(vec![]),
        [channels, ..] => channel_shape(&[*channels], Some(*channels), rank, "zero point"),
    })?;
    let mut sums = import.add(op.clone(), &[x.values.clone(), w.values.clone()])?;
    if let Some(zero) = &x.zero {
        let mut of = weight_sums(import, &op, &w.values, &data)?;
        if let Some(other) = &w.zero {
            let taps = tap_counts(import, &op, &weights, &data)?;
            let all = binary(import, BinaryFn::Mul, taps, other.clone())?;
            of = binary(import, BinaryFn::Sub, of, all)?;
        }
        let off = binary(import, BinaryFn::Mul, of, zero.clone())?;
        sums = binary(import, BinaryFn::Sub, sums, off)?;
    }
    if let Some(zero) = w.zero {
        let result = import.shape(&sums);
        let of = data_sums(import, &op, x.values, &weights, &result)?;
        let off = binary(import, BinaryFn::Mul, of, zero)?;
        sums = binary(import, BinaryFn::Sub, sums, off)?;
    }
    Ok(sums)
}

fn filled(element: ElementType, value: f64, shape: Vec<i64>) -> Value {
    let ty = TensorType::new(element, shape);
    let count = ty.elements() as usize;
    Value::Constant(Tensor::from_f64s(ty, &vec![value; count]))
}

/// The same windows over one group.
fn ungrouped(op: &Conv) -> Conv {
    Conv {
        groups: 1,
        ..op.clone()
    }
}

/// For each result the sum of the weights that meet data: `[co, ..]`, one per channel where no tap is outside.
fn weight_sums(import: &mut Importer, op: &Conv, w: &Value, data: &[i64]) -> Result<Value, Fault> {
    let taps = summed(import, w.clone(), 1)?;
    meeting(import, op, taps, data)
}

/// The number of weights that meet data, for each result: `[1, ..]`.
fn tap_counts(
    import: &mut Importer,
    op: &Conv,
    weights: &[i64],
    data: &[i64],
) -> Result<Value, Fault> {
    let mut shape = weights.to_vec();
    (shape[0], shape[1]) = (1, 1);
    let taps = filled(I32, weights[1] as f64, shape);
    meeting(import, op, taps, data)
}

/// Sums of weights `[co, 1, window..]` over the taps that meet data, to be broadcast to the result.
fn meeting(import: &mut Importer, op: &Conv, taps: Value, data: &[i64]) -> Result<Value, Fault> {
    if op.pads.iter().all(|&p| p == 0) {
        let shape = import.shape(&taps);
        let all = Reduce {
            kind: ReduceKind::Sum,
            axes: (1..shape.len() as i64).collect(),
            keep_dims: true,
        };
        let sum = import.add(all, &[taps])?;
        return reshaped(
            import,
            sum,
            shape[..1]
                .iter()
                .copied()
                .chain(shape[2..].iter().map(|_| 1))
                .collect(),
        );
    }
    let mut shape = data.to_vec();
    (shape[0], shape[1]) = (1, 1);
    let ones = filled(I32, 1.0, shape);
    import.add(ungrouped(op), &[ones, taps])
}

/// For each result the sum of the data that its weights meet: of the shape of the result, or `[n, 1, ..]`.
fn data_sums(
    import: &mut Importer,
    op: &Conv,
    x: Value,
    weights: &[i64],
    result: &[i64],
) -> Result<Value, Fault> {
    let mut shape = weights.to_vec();
    shape[0] = op.groups;
    let ones = filled(I8, 1.0, shape);
    let sums = import.add(op.clone(), &[x, ones])?;
    if op.groups == 1 {
        return Ok(sums);
    }
    let mut each = import.shape(&sums);
    each.insert(2, 1);
    let mut all = each.clone();
    all[2] = result[1] / op.groups;
    let sums = reshaped(import, sums, each)?;
    let sums = import.add(Expand { shape: all }, &[sums])?;
    reshaped(import, sums, result.to_vec())
}
