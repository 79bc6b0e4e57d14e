//! Convolutions.

use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::conv_transpose::ConvTranspose;

use super::Family;
use super::window::{AutoPad, auto_pad, shared_out, windows};
use crate::call::Call;
use crate::error::Fault;
use crate::importer::{Importer, Value};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[("Conv", conv), ("ConvTranspose", conv_transpose)];

/// Data, weights and the optional bias.
fn operands(call: &Call) -> Result<Vec<Value>, Fault> {
    let mut operands = vec![call.input(0)?.clone(), call.input(1)?.clone()];
    operands.extend(call.optional(2).cloned());
    Ok(operands)
}

/// The spatial extents of the weights, which `kernel_shape` only repeats.
fn kernel(import: &Importer, call: &Call, operands: &[Value]) -> Result<Vec<i64>, Fault> {
    let (x, w) = (import.shape(&operands[0]), import.shape(&operands[1]));
    if x.len() < 3 || x.len() != w.len() {
        let (x, w) = (x.len(), w.len());
        return Err(Fault::invalid(format!(
            "data has {x} dimensions and weights have {w}"
        )));
    }
    let kernel = w[2..].to_vec();
    match call.window("kernel_shape", kernel.len(), 1)? {
        Some(given) if given != kernel => Err(Fault::attribute(
            "kernel_shape",
            format!("is {given:?}, the weights have {kernel:?}"),
        )),
        _ => Ok(kernel),
    }
}

fn groups(call: &Call) -> Result<i64, Fault> {
    match call.int("group", 1)? {
        groups if groups >= 1 => Ok(groups),
        groups => Err(Fault::attribute(
            "group",
            format!("is {groups}, not 1 or more"),
        )),
    }
}

fn conv(import: &mut Importer, call: &Call) -> Results {
    let operands = operands(call)?;
    let op = convolution(import, call, &operands)?;
    Ok(vec![import.add(op, &operands)?])
}

/// The convolution of data with weights that the attributes say.
///
/// # Errors
/// When an attribute is malformed or does not fit the operands.
pub(super) fn convolution(
    import: &Importer,
    call: &Call,
    operands: &[Value],
) -> Result<Conv, Fault> {
    let kernel = kernel(import, call, operands)?;
    let windows = windows(call, &import.shape(&operands[0]), &kernel)?;
    Ok(Conv {
        strides: windows.strides,
        pads: windows.pads,
        dilations: windows.dilations,
        groups: groups(call)?,
    })
}

/// `ConvTranspose`: `output_shape` and automatic padding fix the padding by the wanted result.
fn conv_transpose(import: &mut Importer, call: &Call) -> Results {
    let operands = operands(call)?;
    let kernel = kernel(import, call, &operands)?;
    let shape = import.shape(&operands[0]);
    let spatial = &shape[2..];
    let count = spatial.len();
    let strides = call
        .window("strides", count, 1)?
        .unwrap_or_else(|| vec![1; count]);
    let dilations = call
        .window("dilations", count, 1)?
        .unwrap_or_else(|| vec![1; count]);
    let mut pads = call
        .window("pads", 2 * count, 0)?
        .unwrap_or_else(|| vec![0; 2 * count]);
    let mut output_pads = call
        .window("output_padding", count, 0)?
        .unwrap_or_else(|| vec![0; count]);
    let mode = auto_pad(call)?;
    let wanted = match (call.window("output_shape", count, 1)?, mode) {
        (Some(wanted), _) => Some(wanted),
        (None, AutoPad::SameUpper | AutoPad::SameLower) => {
            let sizes = spatial.iter().zip(&strides);
            Some(sizes.map(|(n, s)| n.saturating_mul(*s)).collect())
        }
        (None, AutoPad::Valid) => {
            pads = vec![0; 2 * count];
            None
        }
        (None, AutoPad::Explicit) => None,
    };
    if let Some(wanted) = wanted {
        let full = |d: usize| {
            let span = (kernel[d] - 1)
                .saturating_mul(dilations[d])
                .saturating_add(1);
            strides[d]
                .saturating_mul(spatial[d] - 1)
                .saturating_add(span)
        };
        let totals: Vec<_> = (0..count)
            .map(|d| full(d).saturating_add(output_pads[d]) - wanted[d])
            .collect();
        for (pad, total) in output_pads.iter_mut().zip(&totals) {
            *pad = pad.saturating_add((-total).max(0));
        }
        let totals: Vec<_> = totals.into_iter().map(|t| t.max(0)).collect();
        pads = shared_out(&totals, mode != AutoPad::SameUpper);
    }
    let groups = groups(call)?;
    let op = ConvTranspose {
        strides,
        pads,
        output_pads,
        dilations,
        groups,
    };
    Ok(vec![import.add(op, &operands)?])
}
