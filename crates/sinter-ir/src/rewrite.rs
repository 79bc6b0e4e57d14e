//! Changing IR in place: replacing values, moving and erasing operations.
//!
//! melior's references do not tell a reader from a writer. These functions change IR behind such
//! references; whoever calls them holds no reference into what they erase.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, TypeLike, Value, ValueLike};

/// The context of an operation.
pub fn context_of<'c>(op: OperationRef<'c, '_>) -> &'c melior::Context {
    let context = op.context();
    // SAFETY: the operation's own lifetime says that its context lives for `'c`.
    unsafe { context.to_ref() }
}

/// Makes every use of one value a use of another.
pub fn replace_all_uses(of: Value<'_, '_>, with: Value<'_, '_>) {
    // SAFETY: both values are alive.
    unsafe { mlir_sys::mlirValueReplaceAllUsesOfWith(of.to_raw(), with.to_raw()) }
}

/// Changes the type of a value.
pub fn set_type(value: Value<'_, '_>, ty: Type<'_>) {
    // SAFETY: both are alive and of one context.
    unsafe { mlir_sys::mlirValueSetType(value.to_raw(), ty.to_raw()) }
}

/// Moves an operation before another, out of whatever block it is in.
pub fn move_before(op: OperationRef<'_, '_>, before: OperationRef<'_, '_>) {
    // SAFETY: both operations are alive, and `before` is in a block.
    unsafe { mlir_sys::mlirOperationMoveBefore(op.to_raw(), before.to_raw()) }
}

/// Takes an operation out of its block and destroys it. Its results must have no uses left.
pub fn erase(op: OperationRef<'_, '_>) {
    // SAFETY: the operation is alive and owned by its block; the caller uses it no more.
    unsafe {
        mlir_sys::mlirOperationRemoveFromParent(op.to_raw());
        mlir_sys::mlirOperationDestroy(op.to_raw());
    }
}
