//! Operator semantics, written once.
//!
//! One file per operator (family) under [`ops`]; each holds `infer` (with the constraints), `fold`,
//! `eval` and `loops`. `eval` follows the operator's specification, plain and slow; `loops` is written
//! independently of it, so that each checks the other. Nothing here knows MLIR or egg.
//!
//! | module | holds |
//! |---|---|
//! | [`operator`] | what every operator provides |
//! | [`ops`] | the operators; a new one is one file |
//! | [`custom`] | operators of other dialects, from other crates |
//! | [`own`] | a user's own units with kernels written by hand |
//! | [`attr`] | attribute values |
//! | [`support`] | what operator files share |
//! | [`check`] | that an operator agrees with itself |
//! | [`graph`] | operators applied to values |
//! | [`form`] | kernels from nodes of a graph |
//! | [`mark`] | wishes of the user, kept among origins |
//! | [`simplify`] | constant evaluation, identities, merging, dead nodes |

pub mod attr;
pub mod check;
pub mod custom;
pub mod form;
pub mod graph;
pub mod mark;
pub mod operator;
pub mod ops;
pub mod own;
pub mod simplify;
pub mod support;

pub use attr::Attr;
pub use custom::Custom;
pub use graph::{Graph, Node, NodeId, ValueId};
pub use mark::Mark;
pub use operator::{Fold, Loops, OpError, Operator, Traits};
pub use ops::Op;
pub use own::OwnKernel;
