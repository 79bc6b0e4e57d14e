//! Constant tensors as attributes: small ones inline, splats as splats, large ones as dense
//! resources that point at the tensor's own bytes.

use std::ffi::c_void;

use bytes::Bytes;
use melior::StringRef;
use melior::ir::attribute::DenseElementsAttribute;
use melior::ir::{Attribute, AttributeLike, Type, TypeLike};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::error::IrError;
use crate::types::{from_shaped_type, tensor_type};

/// Tensors of more elements than this become resources.
pub const INLINE_ELEMENTS: i64 = 32;

/// The largest constant that is written out of one value, in bytes.
const MAX_SPLAT_BYTES: usize = 4 << 30;

/// The attribute of a constant tensor. `name` is used for a resource and made unique by MLIR.
pub fn to_attribute<'c>(
    context: &'c melior::Context,
    tensor: &Tensor,
    name: &str,
) -> Attribute<'c> {
    let ty = tensor_type(context, tensor.ty());
    if tensor.splat().is_some() {
        let element = tensor.ty().element.bytes();
        return inline(ty, tensor.ty().element, &tensor.bytes()[..element]);
    }
    if tensor.ty().elements() <= INLINE_ELEMENTS {
        return inline(ty, tensor.ty().element, tensor.bytes());
    }
    resource(ty, tensor, name)
}

/// The attribute of a tensor of zeros.
pub fn zeros<'c>(context: &'c melior::Context, ty: &TensorType) -> Attribute<'c> {
    let zero = [0; 8];
    let (of, element) = (tensor_type(context, ty), ty.element);
    inline(of, element, &zero[..element.bytes()])
}

fn inline<'c>(ty: Type<'c>, element: ElementType, raw: &[u8]) -> Attribute<'c> {
    if element == ElementType::Bool {
        let values: Vec<i32> = raw.iter().map(|&b| i32::from(b != 0)).collect();
        return match values.as_slice() {
            [one] => DenseElementsAttribute::bool_splat(ty, *one != 0).into(),
            several => DenseElementsAttribute::bool_values(ty, several).into(),
        };
    }
    DenseElementsAttribute::raw_buffer(ty, raw).into()
}

fn resource<'c>(ty: Type<'c>, tensor: &Tensor, name: &str) -> Attribute<'c> {
    unsafe extern "C" fn release(keep: *mut c_void, _: *const c_void, _: usize, _: usize) {
        // SAFETY: MLIR hands back, once, the box that was leaked to it below.
        drop(unsafe { Box::from_raw(keep.cast::<Bytes>()) });
    }
    let keep = Box::new(tensor.bytes().clone());
    let (data, length) = (keep.as_ptr(), keep.len());
    let align = tensor.ty().element.bytes();
    // SAFETY: the bytes stay where they are, unchanged, until `release` drops the box that shares
    // them; the blob is marked as constant.
    unsafe {
        Attribute::from_raw(mlir_sys::mlirUnmanagedDenseResourceElementsAttrGet(
            ty.to_raw(),
            StringRef::new(name).to_raw(),
            data.cast_mut().cast(),
            length,
            align,
            false,
            Some(release),
            Box::into_raw(keep).cast(),
        ))
    }
}

/// The tensor of a constant attribute, with bytes of its own; [`resource_bytes`] looks at a resource
/// without a copy.
///
/// # Errors
/// When the attribute is no dense or resource constant of known extents, or a resource has no data.
pub fn from_attribute(attribute: Attribute<'_>) -> Result<Tensor, IrError> {
    // SAFETY: asked of any attribute that is alive.
    let is_resource =
        unsafe { mlir_sys::mlirAttributeIsADenseResourceElements(attribute.to_raw()) };
    let ty = from_shaped_type(attribute.r#type())?;
    if is_resource {
        return from_resource(attribute, ty);
    }
    let dense = DenseElementsAttribute::try_from(attribute)
        .map_err(|_| IrError::Unsupported(format!("constant '{attribute}'")))?;
    from_dense(&dense, ty)
}

fn from_dense(dense: &DenseElementsAttribute<'_>, ty: TensorType) -> Result<Tensor, IrError> {
    let count = ty.elements() as usize;
    let splat = dense.is_splat();
    let stored = if splat { count.min(1) } else { count };
    let raw: Vec<u8> = if stored == 0 {
        Vec::new()
    } else if ty.element == ElementType::Bool {
        (0..stored)
            .map(|i| dense.bool_element(i).map(u8::from))
            .collect::<Result<_, _>>()
            .map_err(|e| IrError::Unsupported(e.to_string()))?
    } else {
        // SAFETY: but for booleans, dense elements are stored one after the other in their own
        // width, or once when they are all the same.
        unsafe {
            let data = mlir_sys::mlirDenseElementsAttrGetRawData(dense.to_raw());
            std::slice::from_raw_parts(data.cast::<u8>(), stored * ty.element.bytes()).to_vec()
        }
    };
    if !splat {
        return Ok(Tensor::from_bytes(ty, raw.into()));
    }
    let mut data = Vec::new();
    let bytes = ty.bytes() as usize;
    if bytes > MAX_SPLAT_BYTES || data.try_reserve_exact(bytes).is_err() {
        return Err(IrError::Refused(format!(
            "a constant {ty} of one value takes {bytes} bytes, too many: broadcast a smaller one with 'graph.expand'"
        )));
    }
    data.extend_from_slice(&raw);
    while data.len() < bytes {
        data.extend_from_within(..data.len().min(bytes - data.len()));
    }
    Ok(Tensor::from_bytes(ty, data.into()))
}

fn from_resource(attribute: Attribute<'_>, ty: TensorType) -> Result<Tensor, IrError> {
    let data = resource_bytes(attribute).ok_or_else(|| {
        IrError::Missing("a constant's resource has no data in this file".to_string())
    })?;
    if data.len() as i64 != ty.bytes() {
        return Err(IrError::Missing(format!(
            "a constant's resource has {} bytes where {ty} needs {}",
            data.len(),
            ty.bytes()
        )));
    }
    Ok(Tensor::from_bytes(ty, Bytes::copy_from_slice(data)))
}

/// The bytes of a dense resource; `None` for other attributes, and when a file left them out.
pub fn resource_bytes(attribute: Attribute<'_>) -> Option<&[u8]> {
    let mut size = 0;
    // SAFETY: the blob lives as long as the context, which the attribute borrows.
    unsafe {
        let data = sinter_sys::shim::sinterDenseResourceData(attribute.to_raw(), &raw mut size);
        (!data.is_null())
            .then(|| std::slice::from_raw_parts(data.cast::<u8>(), size.max(0) as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_storing_comes_back() {
        let context = melior::Context::new();
        let many: Vec<f32> = (0..100).map(|i| i as f32 * 0.5).collect();
        let bools = TensorType::new(ElementType::Bool, [3]);
        let bytes = TensorType::new(ElementType::U8, [2, 2]);
        for tensor in [
            Tensor::from_f32([10, 10], &many),
            Tensor::from_f32([2, 2], &[1.0, 2.0, 3.0, f32::INFINITY]),
            Tensor::from_f32([64, 64], &[0.25; 64 * 64]),
            Tensor::from_f32([0, 4], &[]),
            Tensor::from_f32(Vec::new(), &[7.0]),
            Tensor::from_i64([2], &[-1, i64::MAX]),
            Tensor::from_f64s(bools.clone(), &[1.0, 0.0, 1.0]),
            Tensor::from_f64s(bools, &[1.0, 1.0, 1.0]),
            Tensor::from_f64s(bytes, &[1.0, 200.0, 3.0, 255.0]),
        ] {
            let back = from_attribute(to_attribute(&context, &tensor, "w")).unwrap();
            assert_eq!(back, tensor);
        }
    }

    #[test]
    fn large_tensors_become_resources_without_a_copy() {
        let context = melior::Context::new();
        let many: Vec<f32> = (0..100).map(|i| i as f32).collect();
        let tensor = Tensor::from_f32([100], &many);
        let attribute = to_attribute(&context, &tensor, "conv1.weight");
        let data = resource_bytes(attribute).unwrap();
        assert_eq!(data.as_ptr(), tensor.bytes().as_ptr());
        assert!(
            attribute.to_string().contains("conv1.weight"),
            "{attribute}"
        );
    }
}
