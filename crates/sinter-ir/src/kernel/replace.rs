//! Writing a changed kernel back.

use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use sinter_loops::kernel::Kernel;

use super::export::kernel_to_op;
use crate::error::IrError;
use crate::rewrite::{context_of, erase};

/// Replaces a `tloop.kernel` with the operation of another kernel. What the plain data does not hold
/// is kept: visibility, and attributes of other dialects.
///
/// # Errors
/// As [`kernel_to_op`]; the old operation is then still there.
pub fn replace_kernel(op: OperationRef<'_, '_>, kernel: &Kernel) -> Result<(), IrError> {
    let mut made = kernel_to_op(context_of(op), kernel)?;
    for (name, value) in op.attributes() {
        let name = name.as_string_ref().as_str().unwrap_or_default();
        if name.contains('.') || name == "sym_visibility" {
            made.set_attribute(name, value);
        }
    }
    if let Some(block) = op.block() {
        use melior::ir::BlockLike;
        block.insert_operation_before(op, made);
        erase(op);
    }
    Ok(())
}
