//! Equality saturation, legality, candidates, extraction, decisions.
//!
//! [`Options`] go in with a graph and a device, a [`Fused`] program comes out: groups of operators
//! with their scheduled kernels, layouts of stored values, and every refusal with its reason.

pub mod fused;
pub mod legality;
pub mod options;

pub use fused::{Decisions, Fused, Group, Placement, Statistics, View};
pub use legality::{LegalityCode, Refusal};
pub use options::{Limits, Numerics, Options, Policy};
