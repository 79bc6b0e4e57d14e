//! Changing IR in place: replacing values, moving and erasing operations.
//!
//! melior's references do not tell a reader from a writer. These functions change IR behind such
//! references; whoever calls them holds no reference into what they erase.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use melior::ContextRef;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Operation, Type, TypeLike, Value, ValueLike};

/// The context of an operation.
pub fn context_of<'c>(op: OperationRef<'c, '_>) -> &'c melior::Context {
    lasting_context(op.context())
}

/// A reference to a context that is good as long as the context.
///
/// melior's `ContextRef::to_ref` gives a reference to the `ContextRef` itself, so that it dies with the
/// variable. Here the handle lies in a cell of its own: one per context address, never freed.
fn lasting_context<'c>(context: ContextRef<'c>) -> &'c melior::Context {
    static CELLS: Mutex<BTreeMap<usize, &'static Cell>> = Mutex::new(BTreeMap::new());
    // SAFETY: the handle is only read.
    let raw = unsafe { context.to_ref() }.to_raw();
    let mut cells = CELLS.lock().unwrap_or_else(PoisonError::into_inner);
    let address = raw.ptr as usize;
    let cell = cells
        .entry(address)
        .or_insert_with(|| Box::leak(Box::new(Cell(raw))));
    // SAFETY: a context is its handle, as melior's own `to_ref` takes it; the cell is never freed, and
    // the argument says that the context lives for `'c`.
    unsafe { &*std::ptr::from_ref(*cell).cast::<melior::Context>() }
}

#[repr(transparent)]
struct Cell(mlir_sys::MlirContext);

// SAFETY: the handle is only copied out; what may be done with it is melior's business.
unsafe impl Sync for Cell {}
// SAFETY: as above.
unsafe impl Send for Cell {}

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

/// Appends a copy of an operation, with everything in it, to a block.
pub fn clone_into<'c>(op: OperationRef<'c, '_>, block: BlockRef<'c, '_>) {
    // SAFETY: the operation is alive; the copy is owned by the block from here on.
    let copy: Operation<'c> =
        unsafe { Operation::from_raw(mlir_sys::mlirOperationClone(op.to_raw())) };
    block.append_operation(copy);
}
