//! `vector` operations.

use melior::ir::attribute::{BoolAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike, ValueLike};

use super::{Emitter, Value, type_of};

/// Lanes of a vector type of rank one.
pub(super) fn lanes(r#type: Type<'_>) -> Option<i64> {
    if !r#type.is_vector() {
        return None;
    }
    // SAFETY: the type was just seen to be a vector, which is a shaped type.
    let raw = unsafe { mlir_sys::mlirShapedTypeGetDimSize(r#type.to_raw(), 0) };
    Some(raw)
}

/// The element type of a vector type.
pub(super) fn element<'c>(r#type: Type<'c>) -> Type<'c> {
    // SAFETY: called for vector types only, which are shaped types.
    unsafe { Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(r#type.to_raw())) }
}

impl<'c> Emitter<'c> {
    /// `vector.broadcast` of a scalar.
    pub fn broadcast(&mut self, scalar: Value<'c>, lanes: i64) -> Value<'c> {
        let result = self.vector_type(lanes, type_of(scalar));
        self.op1("vector.broadcast", &[scalar], result, &[])
    }

    /// `vector.extract` of one lane.
    pub fn extract(&mut self, vector: Value<'c>, lane: i64) -> Value<'c> {
        let position = self.i64_array(&[lane]);
        let result = element(vector.r#type());
        self.op1(
            "vector.extract",
            &[vector],
            result,
            &[("static_position", position)],
        )
    }

    /// `vector.from_elements`.
    pub fn from_elements(&mut self, elements: &[Value<'c>]) -> Value<'c> {
        let result = self.vector_type(elements.len() as i64, type_of(elements[0]));
        self.op1("vector.from_elements", elements, result, &[])
    }

    /// `vector.shuffle`: lanes of `a` followed by lanes of `b`.
    pub fn shuffle(&mut self, a: Value<'c>, b: Value<'c>, mask: &[i64]) -> Value<'c> {
        let result = self.vector_type(mask.len() as i64, element(a.r#type()));
        let mask = self.i64_array(mask);
        self.op1("vector.shuffle", &[a, b], result, &[("mask", mask)])
    }

    /// `vector.load` of `lanes` elements from a memref of rank one.
    pub fn vector_load(&mut self, memref: Value<'c>, index: Value<'c>, lanes: i64) -> Value<'c> {
        let result = self.vector_type(lanes, memref_element(memref));
        self.op1("vector.load", &[memref, index], result, &[])
    }

    /// `vector.store`.
    pub fn vector_store(&mut self, value: Value<'c>, memref: Value<'c>, index: Value<'c>) {
        self.op("vector.store", &[value, memref, index], &[], &[]);
    }

    /// `vector.store` of a vector that is aligned to its `bytes` and is not wanted in the caches.
    pub fn vector_store_past_caches(
        &mut self,
        value: Value<'c>,
        memref: Value<'c>,
        index: Value<'c>,
        bytes: i64,
    ) {
        let context = self.context();
        let alignment = IntegerAttribute::new(IntegerType::new(context, 64).into(), bytes);
        let attributes = [
            ("nontemporal", BoolAttribute::new(context, true).into()),
            ("alignment", alignment.into()),
        ];
        self.op("vector.store", &[value, memref, index], &[], &attributes);
    }

    /// `vector.maskedload`; lanes that are masked off take those of `otherwise`.
    pub fn masked_load(
        &mut self,
        memref: Value<'c>,
        index: Value<'c>,
        mask: Value<'c>,
        otherwise: Value<'c>,
    ) -> Value<'c> {
        self.op1(
            "vector.maskedload",
            &[memref, index, mask, otherwise],
            type_of(otherwise),
            &[],
        )
    }

    /// `vector.maskedstore`.
    pub fn masked_store(
        &mut self,
        value: Value<'c>,
        memref: Value<'c>,
        index: Value<'c>,
        mask: Value<'c>,
    ) {
        self.op(
            "vector.maskedstore",
            &[memref, index, mask, value],
            &[],
            &[],
        );
    }

    /// `vector.bitcast` (on vectors) or `arith.bitcast` (on scalars) to another element type of the
    /// same width.
    pub fn bitcast(&mut self, a: Value<'c>, element: Type<'c>) -> Value<'c> {
        let result = self.with_element(a.r#type(), element);
        self.op1("arith.bitcast", &[a], result, &[])
    }
}

/// The element type of a memref.
pub fn memref_element<'c>(memref: Value<'c>) -> Type<'c> {
    // SAFETY: memrefs are shaped types.
    unsafe {
        Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(
            memref.r#type().to_raw(),
        ))
    }
}

/// The static shape of a memref.
pub(super) fn memref_shape(memref: Value<'_>) -> Vec<i64> {
    let raw = memref.r#type().to_raw();
    // SAFETY: memrefs are ranked shaped types.
    unsafe {
        (0..mlir_sys::mlirShapedTypeGetRank(raw))
            .map(|d| mlir_sys::mlirShapedTypeGetDimSize(raw, d as isize))
            .collect()
    }
}
