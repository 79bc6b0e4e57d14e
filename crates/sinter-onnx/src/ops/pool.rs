//! Pooling over windows.

use sinter_ops::ops::pool::{Pool, PoolKind};

use super::Family;
use super::window::windows;
use crate::call::Call;
use crate::error::Fault;
use crate::importer::{Importer, Value};

pub(super) const OPERATORS: Family = &[
    ("AveragePool", |i, c| pool(i, c, PoolKind::Avg)),
    ("MaxPool", |i, c| pool(i, c, PoolKind::Max)),
];

fn pool(import: &mut Importer, call: &Call, kind: PoolKind) -> Result<Vec<Value>, Fault> {
    let x = call.input(0)?.clone();
    let shape = import.shape(&x);
    if shape.len() < 3 {
        let rank = shape.len();
        return Err(Fault::invalid(format!(
            "its operand has {rank} dimensions, not 3 or more"
        )));
    }
    let kernel = call.window("kernel_shape", shape.len() - 2, 1)?;
    let kernel = kernel.ok_or_else(|| Fault::attribute("kernel_shape", "is missing"))?;
    let windows = windows(call, &shape, &kernel)?;
    let op = Pool {
        kind,
        kernel,
        strides: windows.strides,
        pads: windows.pads,
        dilations: windows.dilations,
        ceil_mode: call.flag("ceil_mode", false)?,
        count_include_pad: call.flag("count_include_pad", false)?,
    };
    Ok(vec![import.add(op, &[x])?])
}
