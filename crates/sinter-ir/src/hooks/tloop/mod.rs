//! Kernels, nests, tiles and layout changes.

mod nest;
mod tiles;

use melior::ir::BlockLike;
use melior::ir::Type;
use melior::ir::operation::{OperationLike, OperationRef};

use super::shape::{block, each_equal, list, operand_types, result_types};
use super::{Checked, ensure, same_count};
use crate::graph::op_name;
use crate::kernel::{layout_from_attribute, schedule_from_attribute};
use crate::types;

pub(super) use tiles::fold_pack;

pub(super) fn verify(op: OperationRef<'_, '_>, mnemonic: &str) -> Checked {
    match mnemonic {
        "kernel" => kernel(op),
        "return" => returned(op),
        "nest" | "contract" | "carry" => nest::nest(op, mnemonic),
        "index" => nest::index(op),
        "read" => tiles::read(op),
        "tile" => tiles::tile(op),
        "extract" => tiles::extract(op),
        "insert" => tiles::insert(op),
        "pack" => tiles::packed(op, operand_types(op)[0], result_types(op)[0]),
        "unpack" => tiles::packed(op, result_types(op)[0], operand_types(op)[0]),
        "partial" => tiles::partial(op),
        "combine" => tiles::combine(op),
        _ => Ok(()),
    }
}

fn kernel(op: OperationRef<'_, '_>) -> Checked {
    let Some(body) = block(op, 0) else {
        return Err("has no body".to_string());
    };
    let arguments = body.argument_count();
    if op.has_attribute("roles") {
        same_count("roles", list(op, "roles").len(), "arguments", arguments)?;
    }
    let results = body.terminator().map_or(0, |end| end.operand_count());
    if op.has_attribute("layouts") {
        let count = list(op, "layouts").len();
        same_count(
            "layouts",
            count,
            "arguments and results",
            arguments + results,
        )?;
    }
    match op.attribute("schedule").ok().map(schedule_from_attribute) {
        Some(Ok(schedule)) => same_count(
            "stage schedules",
            schedule.stages.len(),
            "stages",
            stages(body),
        ),
        _ => Ok(()),
    }
}

fn stages(body: melior::ir::BlockRef<'_, '_>) -> usize {
    let (mut count, mut next) = (0, body.first_operation());
    while let Some(op) = next {
        let is_stage = ["tloop.nest", "tloop.contract", "tloop.carry"].contains(&&*op_name(op));
        count += usize::from(is_stage);
        next = op.next_in_block();
    }
    count
}

fn returned(op: OperationRef<'_, '_>) -> Checked {
    let results = op
        .parent_operation()
        .and_then(function_results)
        .unwrap_or_default();
    let values = operand_types(op);
    same_count(
        "values",
        values.len(),
        "results of the kernel",
        results.len(),
    )?;
    each_equal("value", &values, &results)
}

/// Result types of an operation with a `function_type`.
pub(super) fn function_results<'c>(op: OperationRef<'c, '_>) -> Option<Vec<Type<'c>>> {
    let function = function_type(op)?;
    (0..function.result_count())
        .map(|i| function.result(i).ok())
        .collect()
}

/// Argument types of an operation with a `function_type`.
pub(super) fn function_inputs<'c>(op: OperationRef<'c, '_>) -> Option<Vec<Type<'c>>> {
    let function = function_type(op)?;
    (0..function.input_count())
        .map(|i| function.input(i).ok())
        .collect()
}

fn function_type<'c>(op: OperationRef<'c, '_>) -> Option<melior::ir::r#type::FunctionType<'c>> {
    let attribute = op.attribute("function_type").ok()?;
    let ty = melior::ir::attribute::TypeAttribute::try_from(attribute)
        .ok()?
        .value();
    melior::ir::r#type::FunctionType::try_from(ty).ok()
}

/// A launch takes and gives what its kernel does. Between launches a tensor stands for its bytes in
/// memory: the kernel may know them under another shape, and in a layout with padding.
pub(super) fn launched(op: OperationRef<'_, '_>, symbol: OperationRef<'_, '_>) -> Checked {
    ensure(op_name(symbol) == "tloop.kernel", || {
        format!(
            "launches a '{}', but must launch a 'tloop.kernel'",
            op_name(symbol)
        )
    })?;
    let inputs = function_inputs(symbol).unwrap_or_default();
    let results = function_results(symbol).unwrap_or_default();
    same_count("operands", op.operand_count(), "arguments", inputs.len())?;
    same_count(
        "results",
        op.result_count(),
        "results of the kernel",
        results.len(),
    )?;
    let layouts = list(symbol, "layouts");
    let given = operand_types(op).into_iter().chain(result_types(op));
    for (i, (given, taken)) in given.zip(inputs.iter().chain(&results)).enumerate() {
        let layout = layouts.get(i).and_then(|&a| layout_from_attribute(a));
        ensure(same_bytes(given, *taken, layout.as_ref()), || {
            let what = if i < inputs.len() {
                "operand"
            } else {
                "result"
            };
            let number = if i < inputs.len() {
                i
            } else {
                i - inputs.len()
            };
            format!("{what} {number} is '{given}', which does not lie in memory as '{taken}'")
        })?;
    }
    Ok(())
}

fn same_bytes(
    given: Type<'_>,
    taken: Type<'_>,
    layout: Option<&sinter_loops::kernel::Layout>,
) -> bool {
    if given == taken {
        return true;
    }
    let (Ok(given), Ok(taken)) = (
        types::from_shaped_type(given),
        types::from_shaped_type(taken),
    ) else {
        return false;
    };
    let stored = match layout {
        Some(layout) if layout.fits(given.rank()) => layout.physical_type(&given).elements(),
        _ => given.elements(),
    };
    given.element == taken.element && stored == taken.elements()
}

/// A call takes and gives what its kernel does, value by value.
pub(super) fn called(op: OperationRef<'_, '_>, symbol: OperationRef<'_, '_>) -> Checked {
    ensure(op_name(symbol) == "tloop.kernel", || {
        format!(
            "calls a '{}', but must call a 'tloop.kernel'",
            op_name(symbol)
        )
    })?;
    let inputs = function_inputs(symbol).unwrap_or_default();
    let results = function_results(symbol).unwrap_or_default();
    same_count("operands", op.operand_count(), "arguments", inputs.len())?;
    each_equal("operand", &operand_types(op), &inputs)?;
    same_count(
        "results",
        op.result_count(),
        "results of the callee",
        results.len(),
    )?;
    each_equal("result", &result_types(op), &results)
}
