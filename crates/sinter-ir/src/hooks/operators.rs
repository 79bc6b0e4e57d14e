//! Operators of `sinter-ops`.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Value, ValueLike};
use mlir_sys::MlirRewriterBase;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::{Op, Operator, operator::Fold};

use super::{Checked, FoldTo, ensure, same_count};
use crate::build::{Parts, operation};
use crate::error::IrError;
use crate::graph::op_from_operation;
use crate::rewrite::context_of;
use crate::{attr, constant, types};

/// Results of more elements than this are not evaluated at compile time by folding.
pub(crate) const FOLD_ELEMENTS: i64 = 1 << 16;

/// An operator takes its attributes and operands, and its results have the inferred types. With
/// unknown extents only the attributes are looked at.
pub(super) fn verify(op: OperationRef<'_, '_>) -> Checked {
    let operator = read(op)?;
    if op.operands().any(|v| types::has_unknown_extent(v.r#type()))
        || op.results().any(|v| types::has_unknown_extent(v.r#type()))
    {
        return Ok(());
    }
    let operands = operand_types(op)?;
    let inferred = operator.infer(&operands).map_err(|e| e.to_string())?;
    same_count(
        "results",
        op.result_count(),
        "inferred types",
        inferred.len(),
    )?;
    for (i, (result, inferred)) in op.results().zip(&inferred).enumerate() {
        let stated = types::from_shaped_type(result.r#type()).map_err(|e| e.to_string())?;
        ensure(stated == *inferred, || {
            format!("result {i} is {stated}, but the operator gives {inferred}")
        })?;
    }
    Ok(())
}

fn read(op: OperationRef<'_, '_>) -> Result<Op, String> {
    op_from_operation(op).map_err(|error| match error {
        IrError::Operator { cause, .. } => cause.to_string(),
        other => other.to_string(),
    })
}

fn operand_types(op: OperationRef<'_, '_>) -> Result<Vec<TensorType>, String> {
    op.operands()
        .map(|v| types::from_shaped_type(v.r#type()).map_err(|e| e.to_string()))
        .collect()
}

/// An operand that the operator passes through, or the value of an operator on constants.
pub(super) fn fold<'c, 'a>(
    op: OperationRef<'c, 'a>,
    constants: &[Option<Attribute<'c>>],
) -> Option<Vec<FoldTo<'c, 'a>>> {
    let operator = read(op).ok()?;
    let operands = operand_types(op).ok()?;
    if let Some(Fold::Operand(i)) = operator.fold(&operands) {
        let operand = op.operand(i).ok()?;
        let same = operand.r#type() == op.result(0).ok()?.r#type();
        return (same && op.result_count() == 1).then(|| vec![FoldTo::Value(operand)]);
    }
    evaluate(op, &operator, constants)
}

fn evaluate<'c, 'a>(
    op: OperationRef<'c, 'a>,
    operator: &Op,
    constants: &[Option<Attribute<'c>>],
) -> Option<Vec<FoldTo<'c, 'a>>> {
    let small = op.results().all(|r| {
        types::from_shaped_type(r.r#type()).is_ok_and(|ty| ty.elements() <= FOLD_ELEMENTS)
    });
    if operator.traits().effectful || !small || constants.is_empty() {
        return None;
    }
    let operands: Vec<Tensor> = constants
        .iter()
        .map(|c| constant::from_attribute((*c)?).ok())
        .collect::<Option<_>>()?;
    let results = operator.eval(&operands).ok()?;
    let context = context_of(op);
    let named = |tensor| FoldTo::Constant(constant::to_attribute(context, tensor, "folded"));
    Some(results.iter().map(named).collect())
}

/// Replaces an operation by the simpler operator that its [`Operator::fold`] names.
pub(super) fn canonicalize(op: OperationRef<'_, '_>, rewriter: MlirRewriterBase) -> bool {
    let simpler = read(op)
        .ok()
        .zip(operand_types(op).ok())
        .and_then(|(operator, operands)| match operator.fold(&operands) {
            Some(Fold::Op(simpler, from)) if *simpler != operator => Some((simpler, from)),
            _ => None,
        });
    match simpler {
        Some((simpler, from)) => replace(op, &simpler, &from, rewriter).is_some(),
        None => false,
    }
}

fn replace(
    op: OperationRef<'_, '_>,
    simpler: &Op,
    from: &[usize],
    rewriter: MlirRewriterBase,
) -> Option<()> {
    let context = context_of(op);
    let operands: Option<Vec<Value<'_, '_>>> = from.iter().map(|&i| op.operand(i).ok()).collect();
    let attributes = simpler.attributes();
    let parts = Parts {
        operands: operands?,
        results: op.results().map(|r| r.r#type()).collect(),
        attributes: attributes
            .iter()
            .map(|(name, value)| (*name, attr::to_attribute(context, value)))
            .collect(),
        regions: Vec::new(),
    };
    let name = simpler.full_name();
    let made = operation(context, &name, op.location(), parts).ok()?;
    // SAFETY: the rewriter is the one of the running pattern. It takes over the new operation, puts
    // it before the old one, and the old one is not touched after it was replaced.
    unsafe {
        mlir_sys::mlirRewriterBaseSetInsertionPointBefore(rewriter, op.to_raw());
        let made = mlir_sys::mlirRewriterBaseInsert(rewriter, made.into_raw());
        mlir_sys::mlirRewriterBaseReplaceOpWithOperation(rewriter, op.to_raw(), made);
    }
    Some(())
}
