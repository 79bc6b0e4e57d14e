//! `graph-simplify`: constants evaluated, identities folded, equal operators merged.
//!
//! Takes a module with a model function of operators. Leaves the function of the simplified graph: the
//! same inputs and outputs, the same values bit for bit. Groups are dissolved. Refuses functions with
//! unknown extents.

use melior::ir::operation::OperationRef;
use sinter_ir::rewrite::context_of;
use sinter_ops::simplify::{Options, simplify};
use sinter_pass::{Failure, Pass, PassInfo};

use crate::model::{model, replace_model};

sinter_pass::options! {
    /// Options of [`GraphSimplify`].
    pub struct GraphSimplifyOptions {
        /// Largest results, in bytes, that are evaluated although they are bigger than the operands
        grown_bytes: u64 = 1 << 16,
        /// Most multiplications and additions of an operator that is evaluated
        flops: u64 = 1 << 30,
    }
}

/// The pass.
pub struct GraphSimplify;

impl Pass for GraphSimplify {
    type Options = GraphSimplifyOptions;

    const INFO: PassInfo = PassInfo {
        name: "graph-simplify",
        summary: "Constants evaluated, identities folded, equal operators merged",
        description: "Exact: results are the same bit for bit.",
        anchor: Some("builtin.module"),
        dialects: &["graph", "func"],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        let graph = model(op)?;
        let options = Options {
            grown_bytes: i64::try_from(options.grown_bytes).unwrap_or(i64::MAX),
            flops: options.flops,
        };
        let simplified = simplify(&graph, &options).map_err(|e| Failure::message(e.to_string()))?;
        let made = sinter_ir::graph_to_module(context_of(op), &simplified)?;
        replace_model(op, &made)
    }
}
