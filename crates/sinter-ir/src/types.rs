//! Element and tensor types, plain data to MLIR and back.

use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Type, TypeLike};
use sinter_loops::types::{ElementType, TensorType};

use crate::error::IrError;

/// The largest tensor that is taken, in bytes.
const MAX_TENSOR_BYTES: i64 = 1 << 40;

/// The MLIR type of an element.
pub fn element_type<'c>(context: &'c melior::Context, element: ElementType) -> Type<'c> {
    match element {
        ElementType::F32 => Type::float32(context),
        ElementType::F64 => Type::float64(context),
        ElementType::F16 => Type::float16(context),
        ElementType::Bf16 => Type::bfloat16(context),
        ElementType::I64 => IntegerType::new(context, 64).into(),
        ElementType::I32 => IntegerType::new(context, 32).into(),
        ElementType::I8 => IntegerType::new(context, 8).into(),
        ElementType::U8 => IntegerType::unsigned(context, 8).into(),
        ElementType::Bool => IntegerType::new(context, 1).into(),
    }
}

/// The MLIR type of an element in memory: as in tensors, but a byte for booleans, and no signs.
pub fn memory_type<'c>(context: &'c melior::Context, element: ElementType) -> Type<'c> {
    match element {
        ElementType::Bool | ElementType::U8 => IntegerType::new(context, 8).into(),
        other => element_type(context, other),
    }
}

/// The element that an MLIR type is.
///
/// # Errors
/// When no element type has that MLIR type.
pub fn from_element_type(ty: Type<'_>) -> Result<ElementType, IrError> {
    ElementType::from_mlir(&ty.to_string())
        .ok_or_else(|| IrError::Unsupported(format!("element type '{ty}'")))
}

/// The MLIR tensor type.
pub fn tensor_type<'c>(context: &'c melior::Context, ty: &TensorType) -> Type<'c> {
    let shape: Vec<u64> = ty.shape.iter().map(|&e| e as u64).collect();
    RankedTensorType::new(&shape, element_type(context, ty.element), None).into()
}

/// The tensor type of a ranked tensor or memref of known extents.
///
/// # Errors
/// For any other type, and for unknown extents.
pub fn from_shaped_type(ty: Type<'_>) -> Result<TensorType, IrError> {
    if !(ty.is_ranked_tensor() || ty.is_mem_ref()) {
        return Err(IrError::Unsupported(format!(
            "type '{ty}', where a ranked tensor is needed,"
        )));
    }
    // SAFETY: the type is shaped and ranked, so that these queries apply to it; dynamic extents are
    // found before they are read.
    let (element, shape) = unsafe {
        let raw = ty.to_raw();
        let element = Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(raw));
        let rank = mlir_sys::mlirShapedTypeGetRank(raw) as isize;
        let shape: Option<Vec<i64>> = (0..rank)
            .map(|d| {
                (!mlir_sys::mlirShapedTypeIsDynamicDim(raw, d))
                    .then(|| mlir_sys::mlirShapedTypeGetDimSize(raw, d))
            })
            .collect();
        (element, shape)
    };
    let shape = shape.ok_or_else(|| {
        IrError::Unsupported(format!("type '{ty}', where every extent must be known,"))
    })?;
    let element = from_element_type(element)?;
    // Zero extents do not hide others that are out of range.
    let mut extents = shape.iter().map(|&e| e.max(1));
    let bytes = extents.try_fold(element.bytes() as i64, i64::checked_mul);
    if bytes.is_none_or(|n| n > MAX_TENSOR_BYTES) {
        return Err(IrError::Refused(format!(
            "type '{ty}' is larger than {MAX_TENSOR_BYTES} bytes: use smaller extents"
        )));
    }
    Ok(TensorType::new(element, shape))
}

/// The extents of a memref of known extents, whatever its element type.
///
/// # Errors
/// For any other type, and for unknown extents.
pub fn from_memref_type(ty: Type<'_>) -> Result<Vec<i64>, IrError> {
    let unfit = || {
        IrError::Unsupported(format!(
            "type '{ty}', where a memref of known extents is needed,"
        ))
    };
    // SAFETY: queries of shaped types, asked of memrefs only; ranks and extents are in range.
    unsafe {
        let raw = ty.to_raw();
        if !ty.is_mem_ref() || !mlir_sys::mlirShapedTypeHasStaticShape(raw) {
            return Err(unfit());
        }
        let rank = mlir_sys::mlirShapedTypeGetRank(raw);
        Ok((0..rank)
            .map(|d| mlir_sys::mlirShapedTypeGetDimSize(raw, d as isize))
            .collect())
    }
}

/// Whether a type is a ranked tensor with an unknown extent.
pub fn has_unknown_extent(ty: Type<'_>) -> bool {
    // SAFETY: asked of ranked tensors only.
    ty.is_ranked_tensor() && unsafe { !mlir_sys::mlirShapedTypeHasStaticShape(ty.to_raw()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_type_comes_back() {
        let context = melior::Context::new();
        for element in [
            ElementType::F32,
            ElementType::F64,
            ElementType::F16,
            ElementType::Bf16,
            ElementType::I64,
            ElementType::I32,
            ElementType::I8,
            ElementType::U8,
            ElementType::Bool,
        ] {
            let ty = TensorType::new(element, [2, 3]);
            assert_eq!(from_shaped_type(tensor_type(&context, &ty)).unwrap(), ty);
        }
    }

    #[test]
    fn sizes_that_no_memory_has_are_refused() {
        let context = melior::Context::new();
        for text in [
            "tensor<4611686018427387904x4xf32>",
            "tensor<0x4611686018427387904x4xf32>",
            "tensor<1000000x1000000xf32>",
        ] {
            let ty = Type::parse(&context, text).unwrap();
            let error = from_shaped_type(ty).unwrap_err().to_string();
            assert!(error.contains("is larger than"), "{error}");
        }
    }

    #[test]
    fn unknown_extents_are_refused_with_the_type() {
        let context = melior::Context::new();
        let ty = Type::parse(&context, "tensor<?x4xf32>").unwrap();
        assert!(has_unknown_extent(ty));
        let error = from_shaped_type(ty).unwrap_err().to_string();
        assert!(error.contains("tensor<?x4xf32>"), "{error}");
    }
}
