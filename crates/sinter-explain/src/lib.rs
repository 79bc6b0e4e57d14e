//! Every decision of fusion, for people and programs.
//!
//! | module | holds |
//! |---|---|
//! | [`author`] | own kernels and advice in it |
//! | [`report`] | [`Report`]: the decisions as data with units, serialisable, versioned |
//! | [`text`] | the short text, and all of it |
//! | [`html`] | one page with the graph drawn; needs nothing else |
//! | [`proof`] | the rules behind rewritten operators, as text |
//! | [`tables`] | the codes of refusals and the rewrite rules |
//!
//! A report is made of a [`Fused`](sinter_fusion::Fused) program, or read back from an offline model,
//! which keeps it as JSON. Nothing here knows MLIR.

pub mod author;
pub mod html;
pub mod proof;
pub mod report;
mod select;
pub mod tables;
pub mod text;

pub use report::{Report, ReportError};
