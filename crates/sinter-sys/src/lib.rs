//! Builds the dialects and the C++ shim; their C interface in Rust.
//!
//! | module | holds |
//! |---|---|
//! | [`hooks`] | the table through which operations' verify, fold and canonicalise hooks reach Rust |
//! | [`attributes`] | constructors and getters of our attributes and types, generated from TableGen |
//! | [`shim`] | what LLVM 22's C API lacks: dialect and pass registration, remarks, effect queries, tool mains |
//!
//! Nothing here knows what an operation means. `build.rs` runs TableGen over `dialects/`, generates
//! the stubs and accessors from the records (`build/`), and compiles `cpp/`.

pub mod attributes;
pub mod hooks;
pub mod shim;
