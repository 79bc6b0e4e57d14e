//! `tloop-coalesce`: fewer and longer iterators.
//!
//! Takes unscheduled kernels. Leaves kernels without iterators and dimensions of extent one, and with
//! iterators merged that run over neighbouring dimensions everywhere. Slots change shape, not size.
//! Scheduled kernels stay as they are.

use melior::ir::operation::OperationRef;
use sinter_loops::coalesce::coalesce;
use sinter_pass::{Failure, NoOptions, Pass, PassInfo};

use crate::kernels::transform;

/// The pass.
pub struct TloopCoalesce;

impl Pass for TloopCoalesce {
    type Options = NoOptions;

    const INFO: PassInfo = PassInfo {
        name: "tloop-coalesce",
        summary: "Fewer and longer iterators",
        description: "Drops iterators of extent one and merges those that run over neighbouring \
                      dimensions in every access.",
        anchor: Some("builtin.module"),
        dialects: &["tloop"],
    };

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        transform(op, |_, kernel| Ok(coalesce(kernel)))
    }
}
