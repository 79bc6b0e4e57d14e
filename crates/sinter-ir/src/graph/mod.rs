//! [`Graph`](sinter_ops::Graph) to a module of the `graph` dialect and back.
//!
//! Both ways are generic in the operators: an operator is its mnemonic and attributes
//! ([`sinter_ops::Operator`]), read back by [`sinter_ops::Op::from_parts`].

mod export;
mod import;
mod storage;

pub(crate) use crate::error::missing;

pub use export::{NodeBuilder, graph_to_module, module_with};
pub use import::{
    BlockGraph, block_to_graph, function_to_graph, main_function, module_to_graph,
    module_to_named_graph, op_from_operation, op_name,
};
pub use storage::{
    Decision, Placed, decision_to_attribute, placement_from_attribute, placement_to_attribute,
};

/// Argument and result attribute that holds the ONNX name.
pub const NAME: &str = "graph.name";
/// Name of the function that is the model.
pub const MAIN: &str = "main";
/// Prefix of the dialect's operations.
pub const PREFIX: &str = "graph.";
