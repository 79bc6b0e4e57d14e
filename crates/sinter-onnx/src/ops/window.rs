//! Attributes that convolutions and pooling share.

use crate::call::Call;
use crate::error::Fault;

/// Windows over the spatial dimensions of an operand.
pub(super) struct Windows {
    pub(super) strides: Vec<i64>,
    /// Padding before each spatial dimension, then padding after each.
    pub(super) pads: Vec<i64>,
    pub(super) dilations: Vec<i64>,
}

/// How `auto_pad` says that padding is found.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum AutoPad {
    /// As the attribute `pads` says.
    Explicit,
    /// None.
    Valid,
    /// So that the result has `ceil(extent / stride)` elements, an odd one after.
    SameUpper,
    /// The same, an odd one before.
    SameLower,
}

/// The attribute `auto_pad`.
///
/// # Errors
/// When it is none of its four values.
pub(super) fn auto_pad(call: &Call) -> Result<AutoPad, Fault> {
    Ok(match call.string("auto_pad", "NOTSET")?.as_str() {
        "NOTSET" | "" => AutoPad::Explicit,
        "VALID" => AutoPad::Valid,
        "SAME_UPPER" => AutoPad::SameUpper,
        "SAME_LOWER" => AutoPad::SameLower,
        other => {
            return Err(Fault::attribute(
                "auto_pad",
                format!("is '{other}', which is unknown"),
            ));
        }
    })
}

/// The windows of `kernel` over an operand of shape `[batch, channels, spatial...]`.
///
/// # Errors
/// When an attribute is malformed or does not fit the number of spatial dimensions.
pub(super) fn windows(call: &Call, shape: &[i64], kernel: &[i64]) -> Result<Windows, Fault> {
    let spatial = &shape[shape.len().min(2)..];
    let count = spatial.len();
    let strides = call
        .window("strides", count, 1)?
        .unwrap_or_else(|| vec![1; count]);
    let dilations = call
        .window("dilations", count, 1)?
        .unwrap_or_else(|| vec![1; count]);
    let explicit = call
        .window("pads", 2 * count, 0)?
        .unwrap_or_else(|| vec![0; 2 * count]);
    let mode = auto_pad(call)?;
    let pads = match mode {
        AutoPad::Explicit => explicit,
        AutoPad::Valid => vec![0; 2 * count],
        AutoPad::SameUpper | AutoPad::SameLower => {
            let totals: Vec<_> = (0..count)
                .map(|d| {
                    let windows = (spatial[d] + strides[d] - 1) / strides[d];
                    let reach = (kernel[d] - 1)
                        .saturating_mul(dilations[d])
                        .saturating_add(1);
                    let spanned = ((windows - 1) * strides[d]).saturating_add(reach);
                    (spanned - spatial[d]).max(0)
                })
                .collect();
            shared_out(&totals, mode == AutoPad::SameLower)
        }
    };
    Ok(Windows {
        strides,
        pads,
        dilations,
    })
}

/// Shares total paddings out to both sides; an odd element goes before or after.
pub(super) fn shared_out(totals: &[i64], odd_before: bool) -> Vec<i64> {
    let before = totals
        .iter()
        .map(|t| if odd_before { t - t / 2 } else { t / 2 });
    let after = totals
        .iter()
        .map(|t| if odd_before { t / 2 } else { t - t / 2 });
    before.chain(after).collect()
}
