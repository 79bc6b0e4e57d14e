//! `@kebab@`: write what it does.
//!
//! Takes a module of the one dialect: write what it may hold. Leaves the other: write what stands for
//! each operation. Refuses what has no counterpart.

use melior::ir::operation::OperationRef;
use sinter_pass::{Failure, NoOptions, Pass, PassInfo};

/// The pass.
pub struct @camel@;

impl Pass for @camel@ {
    type Options = NoOptions;

    const INFO: PassInfo = PassInfo {
        name: "@kebab@",
        summary: "Write what it does, in one line",
        description: "Write what it takes, leaves and refuses.",
        anchor: Some("builtin.module"),
        dialects: &[],
    };

    fn run(&self, _: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        Ok(())
    }
}
