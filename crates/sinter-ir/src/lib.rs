//! A safe face on MLIR for Sinter's passes.
//!
//! Passes and tools meet MLIR through this crate: a [`Context`] with every dialect, modules that are
//! read, verified and printed with typed errors, locations that carry ONNX node names, and
//! conversions between the plain data that the algorithms work on and the dialects that people read.
//!
//! | module | holds |
//! |---|---|
//! | [`context`] | the context |
//! | [`module`] | reading, printing, verifying, writing |
//! | [`diagnostic`] | diagnostics as data, and emitting them |
//! | [`location`] | origins as locations |
//! | [`types`], [`attr`], [`affine`], [`constant`] | the parts of IR, plain data to MLIR and back |
//! | [`graph`] | [`sinter_ops::Graph`] to `func.func @main` of `graph` operations and back |
//! | [`kernel`] | [`sinter_loops::kernel::Kernel`] to `tloop.kernel` and back |
//! | [`walk`] | the blocks and operations inside an operation |
//! | [`rewrite`] | replacing, moving and erasing |
//! | [`hooks`] | verifiers, folders and canonicalisation of our operations |

pub mod affine;
pub mod attr;
pub mod build;
pub mod constant;
pub mod context;
pub mod diagnostic;
pub mod emitter;
pub mod error;
pub mod graph;
pub mod hooks;
pub mod kernel;
pub mod location;
pub mod module;
pub mod rewrite;
pub mod types;
pub mod walk;

pub use context::Context;
pub use error::IrError;
pub use graph::{graph_to_module, module_to_graph};
pub use kernel::{kernel_to_op, op_to_kernel};
pub use melior;
