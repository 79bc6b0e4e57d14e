//! Normalisations.

use std::slice;

use sinter_loops::scalar::{BinaryFn, CompareFn, FloatBits};
use sinter_ops::ops::batch_norm::BatchNorm;
use sinter_ops::ops::compare::Compare;
use sinter_ops::ops::layer_norm::LayerNorm;
use sinter_ops::ops::pool::{Pool, PoolKind};
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::select::Select;
use sinter_ops::ops::unary::{Unary, UnaryKind};

use super::{Family, binary};
use crate::call::{Call, axes, axis};
use crate::error::Fault;
use crate::importer::{Importer, Value};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[
    ("BatchNormalization", batch_norm),
    ("GroupNormalization", group_norm),
    ("InstanceNormalization", instance_norm),
    ("LRN", local_response_norm),
    ("LayerNormalization", layer_norm),
    ("LpNormalization", lp_norm),
    ("MeanVarianceNormalization", mean_variance_norm),
    ("RMSNormalization", rms_norm),
];

fn epsilon(call: &Call) -> Result<f64, Fault> {
    call.float("epsilon", 1e-5)
}

fn batch_norm(import: &mut Importer, call: &Call) -> Results {
    if call.flag("training_mode", false)? || !call.flag("spatial", true)? {
        return Err(Fault::unsupported(
            "only inference per channel is supported: export the model in evaluation mode",
        ));
    }
    let operands = call.inputs()?;
    if operands.len() != 5 {
        return Err(Fault::invalid(format!(
            "it has {} operands, not 5",
            operands.len()
        )));
    }
    Ok(vec![import.add(
        BatchNorm {
            epsilon: FloatBits::new(epsilon(call)?),
        },
        &operands,
    )?])
}

fn layer_norm(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let axis = axis(call.int("axis", -1)?, import.rank(&x))?;
    let mut operands = vec![x, call.input(1)?.clone()];
    operands.extend(call.optional(2).cloned());
    Ok(vec![import.add(
        LayerNorm {
            axis,
            epsilon: FloatBits::new(epsilon(call)?),
        },
        &operands,
    )?])
}

/// `(x - mean) / sqrt(variance + epsilon)` over axes.
fn standardised(
    import: &mut Importer,
    x: Value,
    axes: Vec<i64>,
    epsilon: f64,
) -> Result<Value, Fault> {
    let mean = Reduce {
        kind: ReduceKind::Mean,
        axes,
        keep_dims: true,
    };
    let centre = import.add(mean.clone(), slice::from_ref(&x))?;
    let centred = binary(import, BinaryFn::Sub, x, centre)?;
    let square = binary(import, BinaryFn::Mul, centred.clone(), centred.clone())?;
    let variance = import.add(mean, &[square])?;
    divided_by_root(import, centred, variance, epsilon)
}

/// `x / sqrt(square + epsilon)`.
fn divided_by_root(
    import: &mut Importer,
    x: Value,
    square: Value,
    epsilon: f64,
) -> Result<Value, Fault> {
    let epsilon = import.scalar(import.ty(&x).element, epsilon);
    let shifted = binary(import, BinaryFn::Add, square, epsilon)?;
    let root = import.add(
        Unary {
            kind: UnaryKind::Sqrt,
        },
        &[shifted],
    )?;
    binary(import, BinaryFn::Div, x, root)
}

/// Scales and shifts along dimension 1 of a value of `rank` dimensions.
fn scaled(import: &mut Importer, x: Value, scale: &Value, bias: &Value) -> Result<Value, Fault> {
    let rank = import.rank(&x) as usize;
    let along = |import: &mut Importer, value: &Value| {
        let mut shape = vec![1; rank.saturating_sub(1)];
        if let Some(first) = shape.first_mut() {
            *first = import.ty(value).elements();
        }
        import.add(Reshape { shape }, slice::from_ref(value))
    };
    let (scale, bias) = (along(import, scale)?, along(import, bias)?);
    let product = binary(import, BinaryFn::Mul, x, scale)?;
    binary(import, BinaryFn::Add, product, bias)
}

fn instance_norm(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let axes = (2..import.rank(&x)).collect();
    let standard = standardised(import, x, axes, epsilon(call)?)?;
    Ok(vec![scaled(
        import,
        standard,
        call.input(1)?,
        call.input(2)?,
    )?])
}

/// `GroupNormalization`: scale and bias are per group in version 18, per channel since 21.
fn group_norm(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let shape = import.shape(&x);
    let groups = call.int("num_groups", 0)?;
    if shape.len() < 2 || groups < 1 || shape[1] % groups != 0 {
        return Err(Fault::attribute(
            "num_groups",
            format!("{groups} does not divide the channels"),
        ));
    }
    let rest = shape[1] / groups * shape[2..].iter().product::<i64>();
    let grouped = import.add(
        Reshape {
            shape: vec![shape[0], groups, rest],
        },
        &[x],
    )?;
    let standard = standardised(import, grouped, vec![2], epsilon(call)?)?;
    let (scale, bias) = (call.input(1)?, call.input(2)?);
    if call.opset < 21 {
        let result = scaled(import, standard, scale, bias)?;
        return Ok(vec![import.add(Reshape { shape }, &[result])?]);
    }
    let standard = import.add(Reshape { shape }, &[standard])?;
    Ok(vec![scaled(import, standard, scale, bias)?])
}

fn rms_norm(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let rank = import.rank(&x);
    let first = axis(call.int("axis", -1)?, rank)?;
    let square = binary(import, BinaryFn::Mul, x.clone(), x.clone())?;
    let axes = (first..rank).collect();
    let mean = import.add(
        Reduce {
            kind: ReduceKind::Mean,
            axes,
            keep_dims: true,
        },
        &[square],
    )?;
    let normal = divided_by_root(import, x, mean, epsilon(call)?)?;
    Ok(vec![binary(
        import,
        BinaryFn::Mul,
        normal,
        call.input(1)?.clone(),
    )?])
}

fn lp_norm(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let kind = match call.int("p", 2)? {
        1 => ReduceKind::L1,
        2 => ReduceKind::L2,
        p => return Err(Fault::attribute("p", format!("is {p}, not 1 or 2"))),
    };
    let axes = vec![axis(call.int("axis", -1)?, import.rank(&x))?];
    let norm = import.add(
        Reduce {
            kind,
            axes,
            keep_dims: true,
        },
        slice::from_ref(&x),
    )?;
    // Where the norm is zero, so is the result.
    let element = import.ty(&x).element;
    let (zero, one) = (import.scalar(element, 0.0), import.scalar(element, 1.0));
    let is_zero = import.add(
        Compare {
            kind: CompareFn::Eq,
        },
        &[norm.clone(), zero],
    )?;
    let norm = import.add(Select {}, &[is_zero, one, norm])?;
    Ok(vec![binary(import, BinaryFn::Div, x, norm)?])
}

/// `(x - mean) / (deviation + 1e-9)` over axes, by default over all but the channels.
fn mean_variance_norm(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let list = call.ints("axes")?.unwrap_or_else(|| vec![0, 2, 3]);
    let axes = axes(&list, import.rank(&x))?;
    // The specification adds 1e-9 to the deviation, which keeps constant operands finite.
    Ok(vec![standardised(import, x, axes, 1e-18)?])
}

/// `LRN`: the sum of squares over neighbouring channels is a pooling of the channels.
fn local_response_norm(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let (shape, element) = (import.shape(&x), import.ty(&x).element);
    let size = call.int("size", 0)?;
    if shape.len() < 2 || !(1..=1 << 16).contains(&size) {
        return Err(Fault::attribute(
            "size",
            format!("is {size}, which is out of range"),
        ));
    }
    let (alpha, beta) = (call.float("alpha", 1e-4)?, call.float("beta", 0.75)?);
    let square = binary(import, BinaryFn::Mul, x.clone(), x.clone())?;
    let plane = vec![shape[0], 1, shape[1], shape[2..].iter().product()];
    let square = import.add(Reshape { shape: plane }, &[square])?;
    let pool = Pool {
        kind: PoolKind::Avg,
        kernel: vec![size, 1],
        strides: vec![1, 1],
        pads: vec![(size - 1) / 2, 0, size / 2, 0],
        dilations: vec![1, 1],
        ceil_mode: false,
        count_include_pad: true,
    };
    let mean = import.add(pool, &[square])?;
    let mean = import.add(Reshape { shape }, &[mean])?;
    let (alpha, beta) = (import.scalar(element, alpha), import.scalar(element, beta));
    let bias = import.scalar(element, call.float("bias", 1.0)?);
    let sum = binary(import, BinaryFn::Mul, mean, alpha)?;
    let sum = binary(import, BinaryFn::Add, sum, bias)?;
    let power = binary(import, BinaryFn::Pow, sum, beta)?;
    Ok(vec![binary(import, BinaryFn::Div, x, power)?])
}
