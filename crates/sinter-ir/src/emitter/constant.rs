//! Constants: scalars, splats and element lists.

use melior::ir::attribute::{
    AttributeLike, DenseElementsAttribute, FloatAttribute, IntegerAttribute,
};
use melior::ir::operation::OperationBuilder;
use melior::ir::{Attribute, BlockLike, Identifier, Type, TypeLike};
use sinter_loops::types::ElementType;

use super::{Emitter, Value, element_of, nth_result};

impl<'c> Emitter<'c> {
    /// `arith.constant` of an attribute with the given type, uniqued and placed in the home block.
    pub fn constant(&mut self, attribute: Attribute<'c>, r#type: Type<'c>) -> Value<'c> {
        if self.before.is_some() {
            return self.op1("arith.constant", &[], r#type, &[("value", attribute)]);
        }
        let key = attribute.to_raw().ptr as usize;
        if let Some(&value) = self.constants.get(&key) {
            return value;
        }
        let operation = OperationBuilder::new("arith.constant", self.location)
            .add_results(&[r#type])
            .add_attributes(&[(Identifier::new(self.context, "value"), attribute)])
            .build()
            .unwrap_or_else(|error| panic!("cannot build a constant: {error}"));
        let operation = self.home.insert_operation(self.home_len, operation);
        self.home_len += 1;
        let value = nth_result(operation, 0);
        self.constants.insert(key, value);
        value
    }

    /// An `index` constant.
    pub fn index(&mut self, value: i64) -> Value<'c> {
        let r#type = self.index_type();
        self.int(r#type, value)
    }

    /// An integer (or index) constant; splat when the type is a vector.
    pub fn int(&mut self, r#type: Type<'c>, value: i64) -> Value<'c> {
        let scalar = IntegerAttribute::new(element_of(r#type), value).into();
        self.splat(r#type, scalar)
    }

    /// A floating-point constant, rounded to the type; splat when the type is a vector.
    pub fn float(&mut self, r#type: Type<'c>, value: f64) -> Value<'c> {
        let scalar = FloatAttribute::new(self.context, element_of(r#type), value).into();
        self.splat(r#type, scalar)
    }

    /// A constant of an element type from a double; `lanes` makes it a splat.
    pub fn element(&mut self, element: ElementType, value: f64, lanes: Option<i64>) -> Value<'c> {
        let scalar = self.value_type(element);
        let r#type = lanes.map_or(scalar, |n| self.vector_type(n, scalar));
        match element {
            e if e.is_float() => self.float(r#type, value),
            ElementType::Bool => self.int(r#type, i64::from(value != 0.0)),
            ElementType::U8 => self.int(r#type, i64::from(value as i64 as u8 as i8)),
            _ => self.int(r#type, value as i64),
        }
    }

    /// A vector of 64-bit integers (or of `index`).
    pub fn ints(&mut self, element: Type<'c>, values: &[i64]) -> Value<'c> {
        let r#type = self.vector_type(values.len() as i64, element);
        let attributes: Vec<Attribute<'c>> = values
            .iter()
            .map(|&v| IntegerAttribute::new(element, v).into())
            .collect();
        let dense = DenseElementsAttribute::new(r#type, &attributes)
            .unwrap_or_else(|error| panic!("cannot build a vector constant: {error}"));
        self.constant(dense.into(), r#type)
    }

    /// A constant mask.
    pub fn mask(&mut self, lanes: &[bool]) -> Value<'c> {
        let values: Vec<i64> = lanes.iter().map(|&b| i64::from(b)).collect();
        let bit = self.int_type(1);
        self.ints(bit, &values)
    }

    fn splat(&mut self, r#type: Type<'c>, scalar: Attribute<'c>) -> Value<'c> {
        if r#type.is_vector() {
            let dense = DenseElementsAttribute::new(r#type, &[scalar])
                .unwrap_or_else(|error| panic!("cannot build a splat: {error}"));
            self.constant(dense.into(), r#type)
        } else {
            self.constant(scalar, r#type)
        }
    }
}
