//! Passes: what one is, its options, the registry and the named pipelines.
//!
//! | module | holds |
//! |---|---|
//! | [`pass`] | [`Pass`], [`PassInfo`], [`Failure`] |
//! | [`mod@options`] | typed options with defaults and help: [`options!`], [`choice!`] |
//! | [`registry`] | [`Registry`]: an explicit list, put into MLIR's global registry on request |
//! | [`pipeline`] | [`Pipeline`]: numbered steps as text, with options |
//! | [`pipelines`] | the named pipelines, all in one file |
//! | [`run`] | running pipelines on a module, with time per step |
//! | [`mod@log`] | `--log`: spans per pass, events of every crate |
//! | [`tool`] | the main of `sinter-opt` |
//!
//! A pass is one Rust file: the contract, the [`PassInfo`], the options, `run`. This crate knows no
//! particular pass; pipelines name theirs as text.

pub mod log;
pub mod options;
pub mod pass;
pub mod pipeline;
pub mod pipelines;
pub mod registry;
pub mod run;
pub mod tool;

pub use options::{OptionInfo, OptionSet, OptionValue};
pub use pass::{Failure, NoOptions, Pass, PassInfo};
pub use pipeline::{Pipeline, Step};
pub use registry::{Entry, Registry, RegistryError};
pub use sinter_sys::remark;
