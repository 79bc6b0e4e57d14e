//! What the passes on `tloop.kernel` share: the operation is read to plain data, a function of
//! `sinter-loops` or `sinter-device` is called, and the result is written back.

use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef, OperationRefMut};
use melior::ir::{BlockLike, RegionLike};
use sinter_ir::graph::op_name;
use sinter_ir::hooks::emit_op_error;
use sinter_ir::kernel::{op_to_kernel, replace_kernel};
use sinter_loops::kernel::Kernel;
use sinter_pass::Failure;

/// A refusal with its stable code.
pub(crate) struct Refused {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl From<sinter_loops::refusal::Refusal> for Refused {
    fn from(refusal: sinter_loops::refusal::Refusal) -> Self {
        Self {
            code: refusal.code(),
            message: refusal.to_string(),
        }
    }
}

/// All kernels of a module, in order.
pub(crate) fn kernels<'c, 'a>(module: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut out = Vec::new();
    let mut next = module
        .region(0)
        .ok()
        .and_then(|r| r.first_block())
        .and_then(|b| b.first_operation());
    while let Some(op) = next {
        if op_name(op) == "tloop.kernel" {
            out.push(op);
        }
        next = op.next_in_block();
    }
    out
}

/// Transforms every kernel of a module; the first refusal ends the pass with a diagnostic at the
/// kernel: `message [code]`.
pub(crate) fn transform(
    module: OperationRef<'_, '_>,
    run: impl Fn(OperationRef<'_, '_>, Kernel) -> Result<Kernel, Refused>,
) -> Result<(), Failure> {
    for op in kernels(module) {
        let kernel = op_to_kernel(op)?;
        match run(op, kernel) {
            Ok(changed) => replace_kernel(op, &changed)?,
            Err(Refused { code, message }) => {
                emit_op_error(op, &format!("{message} [{code}]"));
                return Err(Failure::Reported);
            }
        }
    }
    Ok(())
}

/// Takes an attribute off every kernel of a module: what it said was done.
pub(crate) fn without_attribute(module: OperationRef<'_, '_>, name: &str) -> Result<(), Failure> {
    for kernel in kernels(module) {
        // SAFETY: the reference is used once, while nothing else refers to the operation.
        let mut kernel = unsafe { OperationRefMut::from_raw(kernel.to_raw()) };
        if kernel.has_attribute(name) {
            kernel.remove_attribute(name)?;
        }
    }
    Ok(())
}
