//! Equality saturation, legality, candidates, extraction, decisions.
//!
//! [`fuse`](fn@fuse) takes a graph, a device and [`Options`] and gives a [`Fused`] program: groups of
//! operators with their scheduled kernels, layouts of stored values, and every refusal with its
//! reason. Nothing here knows MLIR.

pub mod advice;
mod alike;
mod arranged;
mod blocked_layouts;
mod bound;
mod clusters;
mod contract;
pub mod control;
pub mod conversions;
pub mod cost;
mod egraph;
mod enumerate;
pub mod error;
mod evaluate;
pub mod export;
pub mod extend;
pub mod extraction;
mod flip;
mod follow;
mod foresee;
mod fuse;
pub mod fused;
mod greedy;
#[cfg(feature = "ilp")]
mod ilp;
mod kernel_limits;
mod layouts;
pub mod legality;
mod memo;
pub mod options;
mod origins;
mod own;
mod partition;
mod placements;
mod policies;
mod postdom;
mod priced_layouts;
mod priced_terms;
pub mod proof;
mod refusals;
pub mod rules;
mod runner_up;
mod saturate;
mod search;
mod space;
pub mod statistics;
mod stored;
mod traffic;
mod unplaced;
mod what_if;

pub use advice::{Advice, AdviceKind, advice};
pub use control::{Control, OwnKernelControl, Places};
pub use conversions::Conversions;
pub use cost::Cost;
pub use error::FusionError;
pub use fuse::{fuse, fuse_with};
pub use fused::{Decisions, Fused, Group, OwnChoice, Placement, RunnerUp, Statistics, View};
pub use legality::{LegalityCode, OutsideCode, Refusal};
pub use options::{Limits, Numerics, Options, Policy};
pub use own::check_own_kernel;
pub use rules::TextRule;
pub use stored::Stored;
