//! `graph-extract`: one way to compute each value.
//!
//! Takes functions with `graph.eclass`es. Leaves each class's chosen member in its place, and drops what
//! nothing needs any more. With `policy=first` the first member is taken, whatever was chosen.

use melior::ir::operation::{OperationLike, OperationRef};
use sinter_ir::attr;
use sinter_ir::build::lasting;
use sinter_ir::rewrite::{erase, replace_all_uses};
use sinter_pass::remark::is_trivially_dead;
use sinter_pass::{Failure, Pass, PassInfo};

use crate::transfers::{blocks, name, operations};

sinter_pass::choice! {
    /// Which member is taken.
    pub enum Extraction {
        Chosen = "chosen",
        First = "first",
    }
}

sinter_pass::options! {
    /// Options of [`GraphExtract`].
    pub struct GraphExtractOptions {
        /// Which member is taken
        policy: Extraction = Extraction::Chosen,
    }
}

/// The pass.
pub struct GraphExtract;

impl Pass for GraphExtract {
    type Options = GraphExtractOptions;

    const INFO: PassInfo = PassInfo {
        name: "graph-extract",
        summary: "One way to compute each value",
        description: "Puts a member of each `graph.eclass` in its place, for tests and study.",
        anchor: Some("func.func"),
        dialects: &["graph"],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        for block in blocks(op) {
            let all = operations(block);
            for &class in all.iter().filter(|op| name(**op) == "graph.eclass") {
                let chosen = class
                    .attribute("chosen")
                    .ok()
                    .and_then(attr::as_int)
                    .unwrap_or(0);
                let member = match options.policy {
                    Extraction::Chosen => chosen.max(0) as usize,
                    Extraction::First => 0,
                };
                replace_all_uses(class.result(0)?.into(), lasting(class.operand(member)?));
            }
            for op in all
                .into_iter()
                .rev()
                .filter(|op| name(*op).starts_with("graph."))
            {
                if is_trivially_dead(op) {
                    erase(op);
                }
            }
        }
        Ok(())
    }
}
