//! A terse builder for `arith`, `math`, `vector`, `memref`, `scf` and `func` operations.
//!
//! An [`Emitter`] appends operations to a current block (or inserts them before a given operation)
//! and returns their values. Constants are uniqued and put at the start of the emitter's *home*
//! block, so they dominate everything that is emitted below it. Structured operations are opened and
//! closed in pairs ([`Emitter::begin_for`], [`Emitter::end_for`]), so that a generator can keep its
//! own state in between without closures.

mod constant;
mod control;
mod memory;
mod scalar;
mod vector;

use std::collections::HashMap;

use melior::Context;
use melior::ir::attribute::{DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{
    Attribute, BlockLike, BlockRef, Identifier, Location, Operation, Type, TypeLike, ValueLike,
};
use sinter_loops::types::ElementType;

pub use control::{For, If, function};
pub use scalar::{FloatPredicate, IntPredicate};
pub use vector::memref_element;

/// A value that lives as long as the context (the emitter erases nothing).
pub type Value<'c> = melior::ir::Value<'c, 'c>;

/// Appends operations to a block. See the module documentation.
pub struct Emitter<'c> {
    context: &'c Context,
    location: Location<'c>,
    block: BlockRef<'c, 'c>,
    before: Option<OperationRef<'c, 'c>>,
    home: BlockRef<'c, 'c>,
    home_len: usize,
    constants: HashMap<usize, Value<'c>>,
}

impl<'c> Emitter<'c> {
    /// An emitter that appends to `block`, which is also the home of its constants: the block must
    /// belong to a region that outlives the emitter's use, and constants are inserted at its start.
    pub fn new(context: &'c Context, location: Location<'c>, block: BlockRef<'c, '_>) -> Self {
        let block = lasting_block(block);
        Self {
            context,
            location,
            block,
            before: None,
            home: block,
            home_len: 0,
            constants: HashMap::new(),
        }
    }

    /// An emitter that inserts before `operation`, constants included.
    ///
    /// Returns `None` when the operation is not in a block.
    pub fn before(context: &'c Context, operation: OperationRef<'c, '_>) -> Option<Self> {
        let block = lasting_block(operation.block()?);
        let mut emitter = Self::new(context, operation.location(), block);
        // SAFETY: the caller keeps the operation alive while it inserts before it.
        emitter.before = Some(unsafe { OperationRef::from_raw(operation.to_raw()) });
        Some(emitter)
    }

    /// The context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// The location that new operations get.
    pub fn location(&self) -> Location<'c> {
        self.location
    }

    /// Sets the location of the operations that follow.
    pub fn set_location(&mut self, location: Location<'c>) {
        self.location = location;
    }

    /// The block that operations are appended to.
    pub fn block(&self) -> BlockRef<'c, 'c> {
        self.block
    }

    /// The index type.
    pub fn index_type(&self) -> Type<'c> {
        Type::index(self.context)
    }

    /// The signless integer type of `bits` bits.
    pub fn int_type(&self, bits: u32) -> Type<'c> {
        IntegerType::new(self.context, bits).into()
    }

    /// The type in which an element is computed: `i1` for booleans, signless integers.
    pub fn value_type(&self, element: ElementType) -> Type<'c> {
        match element {
            ElementType::F32 => Type::float32(self.context),
            ElementType::F64 => Type::float64(self.context),
            ElementType::F16 => Type::float16(self.context),
            ElementType::Bf16 => Type::bfloat16(self.context),
            ElementType::I64 => self.int_type(64),
            ElementType::I32 => self.int_type(32),
            ElementType::I8 | ElementType::U8 => self.int_type(8),
            ElementType::Bool => self.int_type(1),
        }
    }

    /// The type in which an element is stored: as computed, but `i8` for booleans.
    pub fn storage_type(&self, element: ElementType) -> Type<'c> {
        match element {
            ElementType::Bool => self.int_type(8),
            other => self.value_type(other),
        }
    }

    /// A vector of `lanes` elements.
    pub fn vector_type(&self, lanes: i64, element: Type<'c>) -> Type<'c> {
        Type::vector(&[lanes as u64], element)
    }

    /// `like` with its element type replaced: a vector stays a vector of as many lanes.
    pub fn with_element(&self, like: Type<'c>, element: Type<'c>) -> Type<'c> {
        match vector::lanes(like) {
            Some(lanes) => self.vector_type(lanes, element),
            None => element,
        }
    }

    /// Builds an operation and puts it at the insertion point.
    ///
    /// # Panics
    /// When MLIR cannot create the operation, which is a fault of the caller's operands.
    pub fn op(
        &mut self,
        name: &str,
        operands: &[Value<'c>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> OperationRef<'c, 'c> {
        let operation = self.build(name, operands, results, attributes);
        self.insert(operation)
    }

    /// Like [`Emitter::op`], returning the only result.
    ///
    /// # Panics
    /// As [`Emitter::op`].
    pub fn op1(
        &mut self,
        name: &str,
        operands: &[Value<'c>],
        result: Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
    ) -> Value<'c> {
        let operation = self.op(name, operands, &[result], attributes);
        first_result(operation)
    }

    fn build(
        &self,
        name: &str,
        operands: &[Value<'c>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> Operation<'c> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(n, a)| (Identifier::new(self.context, n), *a))
            .collect();
        OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .build()
            .unwrap_or_else(|error| panic!("cannot build {name}: {error}"))
    }

    fn insert(&mut self, operation: Operation<'c>) -> OperationRef<'c, 'c> {
        match self.before {
            Some(anchor) => self.block.insert_operation_before(anchor, operation),
            None => self.block.append_operation(operation),
        }
    }

    fn i64_array(&self, values: &[i64]) -> Attribute<'c> {
        DenseI64ArrayAttribute::new(self.context, values).into()
    }

    fn i64_attribute(&self, value: i64) -> Attribute<'c> {
        IntegerAttribute::new(self.int_type(64), value).into()
    }
}

/// The first result of an operation that has one.
fn first_result<'c>(operation: OperationRef<'c, 'c>) -> Value<'c> {
    nth_result(operation, 0)
}

fn nth_result<'c>(operation: OperationRef<'c, 'c>, n: usize) -> Value<'c> {
    operation
        .result(n)
        .unwrap_or_else(|error| panic!("no result {n}: {error}"))
        .into()
}

fn lasting_block<'c>(block: BlockRef<'c, '_>) -> BlockRef<'c, 'c> {
    // SAFETY: only the lifetime of the borrow changes; `Emitter::new` asks its caller to keep the
    // block alive.
    unsafe { BlockRef::from_raw(block.to_raw()) }
}

/// The type of a value.
pub fn type_of<'c>(value: Value<'c>) -> Type<'c> {
    value.r#type()
}

/// Lanes of a vector type of rank one; `None` for other types.
pub fn lanes_of(r#type: Type<'_>) -> Option<i64> {
    vector::lanes(r#type)
}

/// The element type of a vector type; other types are returned as they are.
pub fn element_of<'c>(r#type: Type<'c>) -> Type<'c> {
    if r#type.is_vector() {
        vector::element(r#type)
    } else {
        r#type
    }
}
