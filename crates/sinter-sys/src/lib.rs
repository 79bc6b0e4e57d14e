//! Builds the dialects and the C++ shim; their C interface in Rust.
//!
//! | module | holds |
//! |---|---|
//! | [`hooks`] | the table through which operations' verify, fold and canonicalise hooks reach Rust |
//! | [`attributes`] | constructors and getters of our attributes and types, generated from TableGen |
//! | [`dialects`] | dialects of other crates, and what a plugin tells `mlir-opt` |
//! | [`passes`] | passes and pipelines of Rust in MLIR's registry |
//! | [`remark`] | remarks, diagnostics with notes, effect queries |
//! | [`tools`] | mains of `mlir-opt`, `mlir-lsp-server` and `mlir-reduce` |
//! | [`shim`] | the C functions beneath |
//!
//! Nothing here knows what an operation means. `build.rs` runs TableGen over `dialects/`, generates
//! the stubs and accessors from the records (`sinter-tablegen`), and compiles `cpp/`.

pub mod attributes;
pub mod dialects;
pub mod hooks;
mod lsp;
pub mod passes;
pub mod remark;
pub mod shim;
pub mod tools;
