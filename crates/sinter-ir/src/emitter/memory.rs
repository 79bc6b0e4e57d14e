//! `memref` operations.

use melior::ir::attribute::{ArrayAttribute, StringAttribute, TypeAttribute};
use melior::ir::r#type::MemRefType;
use melior::ir::{Attribute, Type, ValueLike};

use super::vector::{memref_element, memref_shape};
use super::{Emitter, Value};

impl<'c> Emitter<'c> {
    /// A row-major memref type without a memory space.
    pub fn memref_type(&self, shape: &[i64], element: Type<'c>) -> Type<'c> {
        MemRefType::new(element, shape, None, None).into()
    }

    /// A contiguous memref seen as a memref of rank one.
    pub fn flatten(&mut self, memref: Value<'c>) -> Value<'c> {
        let shape = memref_shape(memref);
        let space = MemRefType::try_from(memref.r#type())
            .ok()
            .and_then(|t| t.memory_space());
        let flat = [shape.iter().product()];
        let result = MemRefType::new(memref_element(memref), &flat, None, space).into();
        match shape.len() {
            0 => {
                let none: Attribute = ArrayAttribute::new(self.context, &[]).into();
                let one = self.i64_array(&[1]);
                let attributes = [("reassociation", none), ("static_output_shape", one)];
                self.op1("memref.expand_shape", &[memref], result, &attributes)
            }
            1 => memref,
            rank => {
                let dims: Vec<Attribute> =
                    (0..rank).map(|d| self.i64_attribute(d as i64)).collect();
                let all: Attribute = ArrayAttribute::new(self.context, &dims).into();
                let groups: Attribute = ArrayAttribute::new(self.context, &[all]).into();
                let attributes = [("reassociation", groups)];
                self.op1("memref.collapse_shape", &[memref], result, &attributes)
            }
        }
    }

    /// `memref.load` from a memref of rank one.
    pub fn load(&mut self, memref: Value<'c>, index: Value<'c>) -> Value<'c> {
        self.op1("memref.load", &[memref, index], memref_element(memref), &[])
    }

    /// `memref.store` to a memref of rank one.
    pub fn store(&mut self, value: Value<'c>, memref: Value<'c>, index: Value<'c>) {
        self.op("memref.store", &[value, memref, index], &[], &[]);
    }

    /// A string attribute.
    pub fn string_attribute(&self, text: &str) -> Attribute<'c> {
        StringAttribute::new(self.context, text).into()
    }

    /// A type attribute.
    pub fn type_attribute(&self, r#type: Type<'c>) -> Attribute<'c> {
        TypeAttribute::new(r#type).into()
    }
}
