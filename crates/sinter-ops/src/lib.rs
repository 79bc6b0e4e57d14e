//! Operator semantics, written once.
//!
//! One file per operator (family) under [`ops`]; each holds `infer`, `verify`, `fold`, `eval` and
//! `loops`. `eval` follows the operator's specification, plain and slow; `loops` is written
//! independently of it, so that each checks the other. Nothing here knows MLIR or egg.

pub mod attr;
pub mod form;
pub mod graph;
pub mod operator;
pub mod ops;
pub mod simplify;
mod support;

pub use attr::Attr;
pub use graph::{Graph, Node, NodeId, ValueId};
pub use operator::{Loops, OpError, Operator, Traits};
pub use ops::Op;
