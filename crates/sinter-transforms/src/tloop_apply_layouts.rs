//! `tloop-apply-layouts`: logical slots become physical ones.
//!
//! Takes kernels with a layout on some slots. Leaves slots of physical shape, accesses through the
//! layouts' maps, and iterators split where a dimension is blocked. The layouts stay on the slots, for
//! information; a kernel is marked as physical and left alone when the pass meets it again. Refuses
//! layouts that do not fit, padded reads that leave a blocked dimension, and scheduled kernels.

use melior::ir::Attribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef, OperationRefMut};
use sinter_ir::rewrite::context_of;
use sinter_loops::apply_layouts::apply_layouts;
use sinter_pass::{Failure, NoOptions, Pass, PassInfo};

use crate::kernels::{kernels, transform};

/// Marks a kernel whose slots are physical.
pub const PHYSICAL: &str = "tloop.physical";

/// The pass.
pub struct TloopApplyLayouts;

impl Pass for TloopApplyLayouts {
    type Options = NoOptions;

    const INFO: PassInfo = PassInfo {
        name: "tloop-apply-layouts",
        summary: "Slots get the shape that they have in memory",
        description: "Accesses go through the layouts' maps, iterators are split where a dimension is \
                      blocked. Refuses layouts that do not fit.",
        anchor: Some("builtin.module"),
        dialects: &["tloop"],
    };

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        transform(op, |op, kernel| {
            if op.has_attribute(PHYSICAL) {
                Ok(kernel)
            } else {
                Ok(apply_layouts(kernel)?)
            }
        })?;
        for op in kernels(op) {
            // SAFETY: the reference is used once, while nothing else refers to the operation.
            let mut op = unsafe { OperationRefMut::from_raw(op.to_raw()) };
            let unit = Attribute::unit(context_of(op_ref(&op)));
            op.set_attribute(PHYSICAL, unit);
        }
        Ok(())
    }
}

fn op_ref<'c, 'a>(op: &OperationRefMut<'c, 'a>) -> OperationRef<'c, 'a> {
    // SAFETY: the same operation, read only.
    unsafe { OperationRef::from_raw(op.to_raw()) }
}
