//! The e-graph: a class is a *value*, an abstract tensor of logical shape; its nodes are the ways to
//! compute it.
//!
//! `load` and `store` are kept implicit per class. The one law of fusion, `load(store[L](v)) = v`
//! for every layout `L`, says that a class may be read from memory wherever it has been stored, in
//! any layout, and computed in place anywhere: extraction chooses, for the value of each class that is
//! needed, between both. Layouts are therefore no part of a term, and a conversion between two layouts
//! is the kernel that only stores what it loads.

mod build;
mod extract;
mod language;

pub(crate) use build::{Imported, import, imported};
pub(crate) use extract::{best, term_cost, to_graph};
pub use language::Term;
pub(crate) use language::{Facts, Values};
