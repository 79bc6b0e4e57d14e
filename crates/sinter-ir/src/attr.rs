//! Operator attributes, plain data to MLIR and back.

use melior::ir::attribute::{
    BoolAttribute, DenseI64ArrayAttribute, FlatSymbolRefAttribute, FloatAttribute,
    IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, AttributeLike, OperationRef, Type};
use sinter_loops::scalar::FloatBits;
use sinter_ops::Attr;

use sinter_sys::shim::text;

use crate::error::IrError;
use crate::types::{element_type, from_element_type};

/// A signless 64-bit integer attribute.
pub fn int<'c>(context: &'c melior::Context, value: i64) -> Attribute<'c> {
    IntegerAttribute::new(IntegerType::new(context, 64).into(), value).into()
}

/// A 64-bit float attribute.
pub fn float<'c>(context: &'c melior::Context, value: f64) -> Attribute<'c> {
    FloatAttribute::new(context, Type::float64(context), value).into()
}

/// A string attribute.
pub fn string<'c>(context: &'c melior::Context, value: &str) -> Attribute<'c> {
    StringAttribute::new(context, value).into()
}

/// A dense array of 64-bit integers.
pub fn ints<'c>(context: &'c melior::Context, values: &[i64]) -> Attribute<'c> {
    DenseI64ArrayAttribute::new(context, values).into()
}

/// A dense array of 64-bit floats.
pub fn floats<'c>(context: &'c melior::Context, values: &[f64]) -> Attribute<'c> {
    // SAFETY: the values are alive during the call, which copies them.
    unsafe {
        Attribute::from_raw(mlir_sys::mlirDenseF64ArrayGet(
            context.to_raw(),
            values.len() as isize,
            values.as_ptr(),
        ))
    }
}

/// The MLIR attribute of an operator's attribute.
pub fn to_attribute<'c>(context: &'c melior::Context, attr: &Attr) -> Attribute<'c> {
    match attr {
        Attr::Int(value) => int(context, *value),
        Attr::Float(value) => float(context, value.get()),
        Attr::Ints(values) => ints(context, values),
        Attr::Floats(values) => {
            floats(context, &values.iter().map(|v| v.get()).collect::<Vec<_>>())
        }
        Attr::Str(text) => string(context, text),
        Attr::Bool(value) => BoolAttribute::new(context, *value).into(),
        Attr::Element(element) => TypeAttribute::new(element_type(context, *element)).into(),
    }
}

/// The operator's attribute that an MLIR attribute spells.
///
/// # Errors
/// When the attribute is of no kind that operators have.
pub fn from_attribute(attribute: Attribute<'_>) -> Result<Attr, IrError> {
    if let Some(values) = as_ints(attribute) {
        return Ok(Attr::Ints(values));
    }
    if let Some(values) = as_floats(attribute) {
        return Ok(Attr::Floats(
            values.into_iter().map(FloatBits::new).collect(),
        ));
    }
    if let Some(text) = as_str(attribute) {
        return Ok(Attr::Str(text.to_string()));
    }
    if attribute.is_bool()
        && let Ok(value) = BoolAttribute::try_from(attribute)
    {
        return Ok(Attr::Bool(value.value()));
    }
    if let Some(value) = as_int(attribute) {
        return Ok(Attr::Int(value));
    }
    if let Some(value) = as_float(attribute) {
        return Ok(Attr::Float(FloatBits::new(value)));
    }
    if let Ok(ty) = TypeAttribute::try_from(attribute) {
        return Ok(Attr::Element(from_element_type(ty.value())?));
    }
    Err(IrError::Unsupported(format!("attribute '{attribute}'")))
}

/// The value of an integer attribute.
pub fn as_int(attribute: Attribute<'_>) -> Option<i64> {
    if !attribute.is_integer() {
        return None;
    }
    // SAFETY: an integer attribute's type is an integer or index type, and each is read by the
    // accessor for its signedness.
    unsafe {
        let raw = attribute.to_raw();
        let ty = mlir_sys::mlirAttributeGetType(raw);
        let integer = mlir_sys::mlirTypeIsAInteger(ty);
        Some(if integer && mlir_sys::mlirIntegerTypeIsSigned(ty) {
            mlir_sys::mlirIntegerAttrGetValueSInt(raw)
        } else if integer && mlir_sys::mlirIntegerTypeIsUnsigned(ty) {
            mlir_sys::mlirIntegerAttrGetValueUInt(raw) as i64
        } else {
            mlir_sys::mlirIntegerAttrGetValueInt(raw)
        })
    }
}

/// The value of a float attribute.
pub fn as_float(attribute: Attribute<'_>) -> Option<f64> {
    // SAFETY: read as a float attribute only after the check.
    unsafe {
        attribute
            .is_float()
            .then(|| mlir_sys::mlirFloatAttrGetValueDouble(attribute.to_raw()))
    }
}

/// The value of a string attribute. Text that is not UTF-8 reads as empty.
pub fn as_str<'c>(attribute: Attribute<'c>) -> Option<&'c str> {
    let string = StringAttribute::try_from(attribute).ok()?;
    // SAFETY: read as a string attribute only after the check; the context keeps its text.
    Some(unsafe { text(mlir_sys::mlirStringAttrGetValue(string.to_raw())) })
}

/// The name that a flat symbol reference holds.
pub fn as_symbol<'c>(attribute: Attribute<'c>) -> Option<&'c str> {
    let symbol = FlatSymbolRefAttribute::try_from(attribute).ok()?;
    // SAFETY: read as a reference only after the check; the context keeps its text.
    Some(unsafe { text(mlir_sys::mlirFlatSymbolRefAttrGetValue(symbol.to_raw())) })
}

/// The values of a dense array of 64-bit integers.
pub fn as_ints(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    let array = DenseI64ArrayAttribute::try_from(attribute).ok()?;
    (0..array.len()).map(|i| array.element(i).ok()).collect()
}

/// The pairs that a dense array of 64-bit integers, none of them negative, lists one after another: with it kernels say
/// which of their arguments may share memory. None where the operation has no such attribute.
pub fn pairs(op: OperationRef<'_, '_>, name: &str) -> Vec<(usize, usize)> {
    let flat = op
        .attribute(name)
        .ok()
        .and_then(as_ints)
        .unwrap_or_default();
    let pairs = flat.chunks_exact(2);
    pairs.map(|p| (p[0] as usize, p[1] as usize)).collect()
}

/// The values of a dense array of 64-bit floats.
pub fn as_floats(attribute: Attribute<'_>) -> Option<Vec<f64>> {
    if !attribute.is_dense_f64_array() {
        return None;
    }
    let raw = attribute.to_raw();
    // SAFETY: checked to be such an array just above; the positions are inside it.
    unsafe {
        let count = mlir_sys::mlirDenseArrayGetNumElements(raw);
        Some(
            (0..count)
                .map(|i| mlir_sys::mlirDenseF64ArrayGetElement(raw, i))
                .collect(),
        )
    }
}

/// Whether an attribute is `unit`.
pub fn is_unit(attribute: Attribute<'_>) -> bool {
    attribute.is_unit()
}

/// The elements of an array attribute.
pub fn as_array(attribute: Attribute<'_>) -> Option<Vec<Attribute<'_>>> {
    let array = melior::ir::attribute::ArrayAttribute::try_from(attribute).ok()?;
    (0..array.len()).map(|i| array.element(i).ok()).collect()
}

/// An entry of a dictionary attribute.
pub fn entry<'c>(dictionary: Attribute<'c>, name: &str) -> Option<Attribute<'c>> {
    // SAFETY: the attribute is alive, and asked only when it is a dictionary; an absent entry is null.
    unsafe {
        if !mlir_sys::mlirAttributeIsADictionary(dictionary.to_raw()) {
            return None;
        }
        let name = melior::StringRef::new(name);
        let found =
            mlir_sys::mlirDictionaryAttrGetElementByName(dictionary.to_raw(), name.to_raw());
        Attribute::from_option_raw(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinter_loops::types::ElementType;

    #[test]
    fn every_kind_comes_back() {
        let context = melior::Context::new();
        for attr in [
            Attr::Int(-3),
            Attr::Float(FloatBits::new(0.1)),
            Attr::Float(FloatBits::new(f64::INFINITY)),
            Attr::Ints(vec![1, -1]),
            Attr::Ints(vec![]),
            Attr::Floats(vec![FloatBits::new(2.0), FloatBits::new(0.5)]),
            Attr::Str("max".into()),
            Attr::Str(String::new()),
            Attr::Bool(true),
            Attr::Bool(false),
            Attr::Element(ElementType::U8),
        ] {
            assert_eq!(from_attribute(to_attribute(&context, &attr)).unwrap(), attr);
        }
    }

    #[test]
    fn other_kinds_are_refused() {
        let context = melior::Context::new();
        assert!(from_attribute(Attribute::unit(&context)).is_err());
    }
}
