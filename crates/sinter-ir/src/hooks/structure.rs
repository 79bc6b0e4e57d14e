//! Operations of `graph` that are not operators of `sinter-ops`.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use super::shape::{
    argument_types, block, each_equal, extents, operand_types, result_types, yielded,
};
use super::{Checked, FoldTo, ensure, same_count};
use crate::build::value_key;
use crate::rewrite::context_of;
use crate::{attr, constant};

/// Checks an operation of this file; `None` for operators.
pub(super) fn verify(op: OperationRef<'_, '_>, mnemonic: &str) -> Option<Checked> {
    Some(match mnemonic {
        "group" => group(op),
        "composite" => composite(op),
        "loop" => counted_loop(op),
        "if" => branches(op),
        "dim" => axis_in_range(op),
        "sort" => axis_in_range(op).and_then(|()| sort(op)),
        "topk" => axis_in_range(op).and_then(|()| topk(op)),
        "nonzero" => nonzero(op),
        "eclass" => eclass(op),
        "constant" | "yield" | "random" => Ok(()),
        _ => return None,
    })
}

fn body_block<'c, 'a>(op: OperationRef<'c, 'a>, region: usize) -> Result<BlockRef<'c, 'a>, String> {
    block(op, region).ok_or_else(|| "has an empty region".to_string())
}

/// The region takes the operands from `skip` on, after `extra` arguments of its own, and yields the
/// results.
fn body(op: OperationRef<'_, '_>, skip: usize, extra: usize) -> Checked {
    let block = body_block(op, 0)?;
    let (operands, arguments) = (operand_types(op), argument_types(block));
    let (operands, extra) = (
        &operands[skip.min(operands.len())..],
        extra.min(arguments.len()),
    );
    same_count(
        "region arguments",
        arguments.len() - extra,
        "operands",
        operands.len(),
    )?;
    each_equal("region argument", &arguments[extra..], operands)?;
    yields(op, block)
}

fn yields(op: OperationRef<'_, '_>, block: BlockRef<'_, '_>) -> Checked {
    let (yielded, results) = (yielded(block)?, result_types(op));
    same_count("yielded values", yielded.len(), "results", results.len())?;
    each_equal("yielded value", &yielded, &results)
}

fn group(op: OperationRef<'_, '_>) -> Checked {
    body(op, 0, 0)?;
    let kernel = op.attribute("kernel").ok().and_then(attr::as_str);
    ensure(kernel != Some(""), || "has an empty name".to_string())?;
    for list in ["layouts", "placements"] {
        if let Some(entries) = op.attribute(list).ok().and_then(attr::as_array) {
            same_count(list, entries.len(), "results", op.result_count())?;
        }
    }
    Ok(())
}

fn composite(op: OperationRef<'_, '_>) -> Checked {
    body(op, 0, 0)?;
    let name = op.attribute("name").ok().and_then(attr::as_str);
    ensure(name != Some(""), || "has an empty name".to_string())
}

fn counted_loop(op: OperationRef<'_, '_>) -> Checked {
    let arguments = argument_types(body_block(op, 0)?);
    let counter = operand_types(op).first().copied();
    ensure(arguments.first().copied() == counter, || {
        "region argument 0 must be the iteration number, 'tensor<i64>'".to_string()
    })?;
    same_count(
        "initial values",
        op.operand_count() - 1,
        "results",
        op.result_count(),
    )?;
    body(op, 1, 1)
}

fn branches(op: OperationRef<'_, '_>) -> Checked {
    for region in 0..2 {
        let block = body_block(op, region)?;
        ensure(block.argument_count() == 0, || {
            "has a region with arguments".to_string()
        })?;
        yields(op, block)?;
    }
    Ok(())
}

fn axis(op: OperationRef<'_, '_>) -> i64 {
    op.attribute("axis")
        .ok()
        .and_then(attr::as_int)
        .unwrap_or(0)
}

fn axis_in_range(op: OperationRef<'_, '_>) -> Checked {
    let rank = operand_types(op).first().map_or(0, |&ty| extents(ty).len()) as i64;
    let axis = axis(op);
    ensure((0..rank).contains(&axis), || {
        format!("axis {axis} is outside rank {rank}")
    })
}

fn sort(op: OperationRef<'_, '_>) -> Checked {
    let (input, results) = (operand_types(op)[0], result_types(op));
    ensure(results[0] == input, || {
        format!("values are '{}', but must be '{input}'", results[0])
    })?;
    ensure(extents(results[1]) == extents(input), || {
        format!(
            "indices are '{}', but must have the operand's shape",
            results[1]
        )
    })
}

fn topk(op: OperationRef<'_, '_>) -> Checked {
    let (input, results) = (extents(operand_types(op)[0]), result_types(op));
    let k = op.attribute("k").ok().and_then(attr::as_int).unwrap_or(0);
    let axis = axis(op) as usize;
    ensure(
        k >= 0 && input[axis].is_none_or(|extent| k <= extent),
        || format!("k {k} is outside the axis"),
    )?;
    let mut want = input;
    want[axis] = Some(k);
    for (what, result) in ["values", "indices"].iter().zip(results) {
        ensure(extents(result) == want, || {
            format!("{what} have the wrong shape: '{result}'")
        })?;
    }
    Ok(())
}

fn nonzero(op: OperationRef<'_, '_>) -> Checked {
    let rank = extents(operand_types(op)[0]).len() as i64;
    let result = result_types(op)[0];
    let shape = extents(result);
    ensure(shape.len() == 2 && shape[0] == Some(rank), || {
        format!("result is '{result}', but must be 'tensor<{rank}x?xi64>'")
    })
}

fn eclass(op: OperationRef<'_, '_>) -> Checked {
    ensure(op.operand_count() > 0, || "has no members".to_string())?;
    let chosen = op.attribute("chosen").ok().and_then(attr::as_int);
    ensure(
        chosen.is_none_or(|c| (0..op.operand_count() as i64).contains(&c)),
        || format!("chosen {} is outside its members", chosen.unwrap_or(0)),
    )
}

/// A known extent is a constant.
pub(super) fn fold_dim<'c, 'a>(op: OperationRef<'c, 'a>) -> Option<Vec<FoldTo<'c, 'a>>> {
    let extent = (*extents(*operand_types(op).first()?).get(axis(op) as usize)?)?;
    let scalar = TensorType::new(ElementType::I64, Vec::new());
    let context = context_of(op);
    let tensor = Tensor::from_i64s(scalar, &[extent]);
    Some(vec![FoldTo::Constant(constant::to_attribute(
        context, &tensor, "dim",
    ))])
}

/// A class whose members are one and the same value is that value.
pub(super) fn fold_eclass<'c, 'a>(op: OperationRef<'c, 'a>) -> Option<Vec<FoldTo<'c, 'a>>> {
    let first = op.operand(0).ok()?;
    let single = op
        .operands()
        .all(|member| value_key(member) == value_key(first));
    single.then(|| vec![FoldTo::Value(first)])
}
