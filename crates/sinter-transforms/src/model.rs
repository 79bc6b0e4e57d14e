//! The model function of a module: reading it as a graph, and putting another in its place.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, Operation, RegionLike};
use sinter_ir::graph::{MAIN, function_to_graph, op_name};
use sinter_ir::rewrite::erase;
use sinter_ir::{IrError, attr};
use sinter_ops::Graph;
use sinter_pass::Failure;

/// The graph of a module's model function.
///
/// # Errors
/// When there is no model function, or it holds what is no operator.
pub fn model(module: OperationRef<'_, '_>) -> Result<Graph, Failure> {
    let mut graph = function_to_graph(function(module)?)?;
    if let Some(name) = module.attribute("sym_name").ok().and_then(attr::as_str) {
        graph.name = name.to_string();
    }
    Ok(graph)
}

/// The model function of a module.
pub(crate) fn function<'c, 'a>(
    module: OperationRef<'c, 'a>,
) -> Result<OperationRef<'c, 'a>, IrError> {
    let mut found = Vec::new();
    let mut next = module
        .region(0)
        .ok()
        .and_then(|r| r.first_block())
        .and_then(|b| b.first_operation());
    while let Some(op) = next {
        let has_body = op.region(0).is_ok_and(|r| r.first_block().is_some());
        if op_name(op) == "func.func" && has_body {
            found.push(op);
        }
        next = op.next_in_block();
    }
    let is_main = |op: &&OperationRef<'c, 'a>| {
        op.attribute("sym_name").ok().and_then(attr::as_str) == Some(MAIN)
    };
    match (found.iter().find(is_main), found.as_slice()) {
        (Some(main), _) => Ok(*main),
        (None, [only]) => Ok(*only),
        _ => Err(IrError::Missing(format!(
            "the module has no function '@{MAIN}'"
        ))),
    }
}

/// Puts the model function of `made` in the place of the module's.
///
/// # Errors
/// When one of them has no model function.
pub fn replace_model(module: OperationRef<'_, '_>, made: &Module<'_>) -> Result<(), Failure> {
    let old = function(module)?;
    let new = function(made.as_operation())?;
    // SAFETY: the operation is cloned, and the clone is put into a block of the same context.
    let clone = unsafe { Operation::from_raw(mlir_sys::mlirOperationClone(new.to_raw())) };
    let Some(block) = old.block() else {
        return Err(Failure::message("the function is in no block"));
    };
    block.insert_operation_before(old, clone);
    erase(old);
    Ok(())
}
