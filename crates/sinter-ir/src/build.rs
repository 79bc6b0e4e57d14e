//! Building operations by name.

use melior::ir::operation::OperationBuilder;
use melior::ir::{Attribute, Identifier, Location, Operation, Region, Type, Value, ValueLike};

use crate::error::IrError;

/// An operation to be made.
#[derive(Default)]
pub struct Parts<'c, 'v> {
    /// Operands.
    pub operands: Vec<Value<'c, 'v>>,
    /// Types of the results.
    pub results: Vec<Type<'c>>,
    /// Attributes by name.
    pub attributes: Vec<(&'v str, Attribute<'c>)>,
    /// Regions.
    pub regions: Vec<Region<'c>>,
}

/// Makes an operation by name.
///
/// # Errors
/// When the operation refuses its attributes.
pub fn operation<'c>(
    context: &'c melior::Context,
    name: &str,
    location: Location<'c>,
    parts: Parts<'c, '_>,
) -> Result<Operation<'c>, IrError> {
    let attributes: Vec<_> = parts
        .attributes
        .iter()
        .map(|(name, value)| (Identifier::new(context, name), *value))
        .collect();
    OperationBuilder::new(name, location)
        .add_operands(&parts.operands)
        .add_results(&parts.results)
        .add_attributes(&attributes)
        .add_regions_vec(parts.regions)
        .build()
        .map_err(|_| IrError::Missing(format!("'{name}' does not take these attributes")))
}

/// A key that tells values apart.
pub fn value_key(value: Value<'_, '_>) -> usize {
    value.to_raw().ptr as usize
}

/// A value whose owner is known to stay where it is while IR is being built around it.
///
/// melior ties a value to the borrow of the block that it was read from; while a function is built
/// from the top, values outlive those short borrows.
pub fn lasting<'c, 'v>(value: impl ValueLike<'c>) -> Value<'c, 'v> {
    // SAFETY: the callers append operations to blocks that they own until the whole is returned, and
    // never erase one.
    unsafe { Value::from_raw(value.to_raw()) }
}
