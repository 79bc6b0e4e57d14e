//! What verifiers ask of values and types.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, BlockLike, BlockRef, RegionLike, Type, TypeLike, Value, ValueLike};

use super::{Checked, ensure};
use crate::attr;

/// The entries of an array attribute; none where it is absent.
pub(super) fn list<'c>(op: OperationRef<'c, '_>, name: &str) -> Vec<Attribute<'c>> {
    op.attribute(name)
        .ok()
        .and_then(attr::as_array)
        .unwrap_or_default()
}

/// The values of an integer array attribute; none where it is absent.
pub(super) fn ints(op: OperationRef<'_, '_>, name: &str) -> Vec<i64> {
    op.attribute(name)
        .ok()
        .and_then(attr::as_ints)
        .unwrap_or_default()
}

/// The value of an integer attribute, if it is there.
pub(super) fn int(op: OperationRef<'_, '_>, name: &str) -> Option<i64> {
    op.attribute(name).ok().and_then(attr::as_int)
}

/// Extents of a shaped, ranked type; `None` where one is unknown.
pub(super) fn extents(ty: Type<'_>) -> Vec<Option<i64>> {
    let raw = ty.to_raw();
    // SAFETY: asked of shaped and ranked types only, in range; unknown extents are not read.
    unsafe {
        if !mlir_sys::mlirTypeIsAShaped(raw) || !mlir_sys::mlirShapedTypeHasRank(raw) {
            return Vec::new();
        }
        (0..mlir_sys::mlirShapedTypeGetRank(raw) as isize)
            .map(|d| {
                (!mlir_sys::mlirShapedTypeIsDynamicDim(raw, d))
                    .then(|| mlir_sys::mlirShapedTypeGetDimSize(raw, d))
            })
            .collect()
    }
}

/// Number of dimensions.
pub(super) fn rank(ty: Type<'_>) -> usize {
    extents(ty).len()
}

/// Element type of a shaped type, the type itself for others.
pub(super) fn element<'c>(ty: Type<'c>) -> Type<'c> {
    // SAFETY: the element type is asked of shaped types only.
    unsafe {
        if mlir_sys::mlirTypeIsAShaped(ty.to_raw()) {
            Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(ty.to_raw()))
        } else {
            ty
        }
    }
}

pub(super) fn operand_types<'c>(op: OperationRef<'c, '_>) -> Vec<Type<'c>> {
    op.operands().map(|v| v.r#type()).collect()
}

pub(super) fn result_types<'c>(op: OperationRef<'c, '_>) -> Vec<Type<'c>> {
    op.results().map(|v| v.r#type()).collect()
}

pub(super) fn types_of<'c>(values: &[Value<'c, '_>]) -> Vec<Type<'c>> {
    values.iter().map(|v| v.r#type()).collect()
}

pub(super) fn argument_types<'c>(block: BlockRef<'c, '_>) -> Vec<Type<'c>> {
    (0..block.argument_count())
        .filter_map(|i| block.argument(i).ok())
        .map(|a| a.r#type())
        .collect()
}

/// The only block of a region; `None` for an empty region.
pub(super) fn block<'c, 'a>(op: OperationRef<'c, 'a>, region: usize) -> Option<BlockRef<'c, 'a>> {
    op.region(region).ok()?.first_block()
}

/// Types of what a block's terminator gives.
pub(super) fn yielded<'c>(block: BlockRef<'c, '_>) -> Result<Vec<Type<'c>>, String> {
    let terminator = block.terminator();
    terminator
        .map(operand_types)
        .ok_or_else(|| "has a region without a terminator".to_string())
}

/// Types are the same, one by one; counts have been compared before.
pub(super) fn each_equal(what: &str, got: &[Type<'_>], want: &[Type<'_>]) -> Checked {
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        ensure(got == want, || {
            format!("{what} {i} is '{got}', but must be '{want}'")
        })?;
    }
    Ok(())
}
