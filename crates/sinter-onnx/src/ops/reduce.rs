//! Reductions and running reductions.

use sinter_loops::scalar::BinaryFn;
use sinter_loops::types::ElementType;
use sinter_ops::ops::arg_reduce::{ArgReduce, ArgReduceKind};
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::cast::Cast;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::scan::{Scan, ScanKind};
use sinter_ops::ops::unary::{Unary, UnaryKind};

use super::Family;
use crate::call::{Call, axes, axis};
use crate::error::Fault;
use crate::importer::{Importer, Value};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[
    ("ArgMax", |i, c| arg_reduce(i, c, ArgReduceKind::Max)),
    ("ArgMin", |i, c| arg_reduce(i, c, ArgReduceKind::Min)),
    ("CumProd", |i, c| cumulative(i, c, ScanKind::Prod)),
    ("CumSum", |i, c| cumulative(i, c, ScanKind::Sum)),
    ("GlobalAveragePool", |i, c| global(i, c, ReduceKind::Mean)),
    ("GlobalMaxPool", |i, c| global(i, c, ReduceKind::Max)),
    ("ReduceL1", |i, c| reduce(i, c, ReduceKind::L1)),
    ("ReduceL2", |i, c| reduce(i, c, ReduceKind::L2)),
    ("ReduceLogSum", reduce_log_sum),
    ("ReduceLogSumExp", |i, c| {
        reduce(i, c, ReduceKind::LogSumExp)
    }),
    ("ReduceMax", |i, c| reduce(i, c, ReduceKind::Max)),
    ("ReduceMean", |i, c| reduce(i, c, ReduceKind::Mean)),
    ("ReduceMin", |i, c| reduce(i, c, ReduceKind::Min)),
    ("ReduceProd", |i, c| reduce(i, c, ReduceKind::Prod)),
    ("ReduceSum", |i, c| reduce(i, c, ReduceKind::Sum)),
    ("ReduceSumSquare", |i, c| {
        reduce(i, c, ReduceKind::SumSquare)
    }),
];

/// Axes are an attribute or, since version 13 (`ReduceSum`) and 18, an operand; without them all are
/// reduced, or none with `noop_with_empty_axes`.
fn reduce(import: &mut Importer, call: &Call, kind: ReduceKind) -> Results {
    let x = call.input(0)?.clone();
    let rank = import.rank(&x);
    let given = match call.ints("axes")? {
        Some(list) => Some(list),
        None => call.constant_ints(1, "list of axes")?,
    };
    let given = given.unwrap_or_default();
    if given.is_empty() && call.flag("noop_with_empty_axes", false)? {
        return over_nothing(import, x, kind);
    }
    let axes = if given.is_empty() {
        (0..rank).collect()
    } else {
        axes(&given, rank)?
    };
    let op = Reduce {
        kind,
        axes,
        keep_dims: call.flag("keepdims", true)?,
    };
    if import.ty(&x).element != ElementType::Bool {
        return Ok(vec![import.add(op, &[x])?]);
    }
    // The largest and smallest of booleans are those of 0 and 1.
    let numbers = import.add(
        Cast {
            to: ElementType::U8,
        },
        &[x],
    )?;
    let result = import.add(op, &[numbers])?;
    Ok(vec![import.add(
        Cast {
            to: ElementType::Bool,
        },
        &[result],
    )?])
}

/// A reduction over no axes still applies its function to every element, as onnxruntime does.
fn over_nothing(import: &mut Importer, x: Value, kind: ReduceKind) -> Results {
    Ok(vec![match kind {
        ReduceKind::L1 | ReduceKind::L2 => import.add(
            Unary {
                kind: UnaryKind::Abs,
            },
            &[x],
        )?,
        ReduceKind::SumSquare => import.add(
            Binary {
                kind: BinaryFn::Mul,
            },
            &[x.clone(), x],
        )?,
        ReduceKind::Sum
        | ReduceKind::Mean
        | ReduceKind::Max
        | ReduceKind::Min
        | ReduceKind::Prod
        | ReduceKind::LogSumExp => x,
    }])
}

fn reduce_log_sum(import: &mut Importer, call: &Call) -> Results {
    let sum = reduce(import, call, ReduceKind::Sum)?;
    Ok(vec![import.add(
        Unary {
            kind: UnaryKind::Log,
        },
        &sum,
    )?])
}

fn global(import: &mut Importer, call: &Call, kind: ReduceKind) -> Results {
    let x = call.input(0)?.clone();
    let rank = import.rank(&x);
    if rank < 3 {
        return Err(Fault::invalid(format!(
            "its operand has {rank} dimensions, not 3 or more"
        )));
    }
    Ok(vec![import.add(
        Reduce {
            kind,
            axes: (2..rank).collect(),
            keep_dims: true,
        },
        &[x],
    )?])
}

fn arg_reduce(import: &mut Importer, call: &Call, kind: ArgReduceKind) -> Results {
    let x = call.input(0)?.clone();
    let op = ArgReduce {
        kind,
        axis: axis(call.int("axis", 0)?, import.rank(&x))?,
        keep_dims: call.flag("keepdims", true)?,
        select_last: call.flag("select_last_index", false)?,
    };
    Ok(vec![import.add(op, &[x])?])
}

fn cumulative(import: &mut Importer, call: &Call, kind: ScanKind) -> Results {
    let x = call.input(0)?.clone();
    let along = call.constant_ints(1, "axis")?.unwrap_or_default();
    let [along] = along[..] else {
        return Err(Fault::invalid("its axis is not one number"));
    };
    let op = Scan {
        kind,
        axis: axis(along, import.rank(&x))?,
        exclusive: call.flag("exclusive", false)?,
        reverse: call.flag("reverse", false)?,
    };
    Ok(vec![import.add(op, &[x])?])
}
