//! `@kebab@`: write what it does.
//!
//! Takes a module with a model function of operators. Leaves the same: write what becomes of them.
//! Refuses functions with unknown extents.

use melior::ir::operation::OperationRef;
use sinter_ir::graph_to_module;
use sinter_ir::rewrite::context_of;
use sinter_pass::{Failure, NoOptions, Pass, PassInfo};

use crate::model::{model, replace_model};

/// The pass.
pub struct @camel@;

impl Pass for @camel@ {
    type Options = NoOptions;

    const INFO: PassInfo = PassInfo {
        name: "@kebab@",
        summary: "Write what it does, in one line",
        description: "Write what it takes, leaves and refuses.",
        anchor: Some("builtin.module"),
        dialects: &["graph", "func"],
    };

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        let graph = model(op)?;
        replace_model(op, &graph_to_module(context_of(op), &graph)?)
    }
}
