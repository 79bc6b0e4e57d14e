//! `graph-to-eclass`: every operator's result becomes a class of its own.
//!
//! Takes functions of operators. Leaves a `graph.eclass` with one member behind every operator, through
//! which its users read it: the e-graph before the first rewrite. Constants and operators inside regions
//! stay as they are.

use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef, OperationRefMut};
use melior::ir::{BlockLike, BlockRef, Value, ValueLike};
use sinter_ir::build::{Parts, lasting, operation};
use sinter_ir::rewrite::{context_of, replace_all_uses};
use sinter_pass::{Failure, NoOptions, Pass, PassInfo};

use crate::transfers::{blocks, name, operations};

/// The pass.
pub struct GraphToEclass;

impl Pass for GraphToEclass {
    type Options = NoOptions;

    const INFO: PassInfo = PassInfo {
        name: "graph-to-eclass",
        summary: "Every operator's result becomes a class of its own",
        description: "The e-graph before the first rewrite, for tests and study.",
        anchor: Some("func.func"),
        dialects: &["graph"],
    };

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        for block in blocks(op) {
            for op in operations(block).into_iter().filter(|op| is_operator(*op)) {
                wrap(block, op)?;
            }
        }
        Ok(())
    }
}

fn is_operator(op: OperationRef<'_, '_>) -> bool {
    let name = name(op);
    name.starts_with("graph.")
        && !["graph.constant", "graph.eclass"].contains(&name.as_str())
        && op.result_count() == 1
}

fn wrap(block: BlockRef<'_, '_>, op: OperationRef<'_, '_>) -> Result<(), Failure> {
    let result: Value<'_, '_> = op.result(0)?.into();
    let parts = Parts {
        operands: vec![result],
        results: vec![result.r#type()],
        ..Parts::default()
    };
    let class = operation(context_of(op), "graph.eclass", op.location(), parts)?;
    let class = block.insert_operation_after(op, class);
    replace_all_uses(result, lasting(class.result(0)?));
    // SAFETY: nothing else refers to the new operation while its operand is set back.
    let mut class = unsafe { OperationRefMut::from_raw(class.to_raw()) };
    class.set_operand(0, lasting(result));
    Ok(())
}
