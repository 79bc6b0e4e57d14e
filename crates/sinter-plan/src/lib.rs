//! The buffer planner: offsets for buffers with known lifetimes, in the activation arena as in a
//! scratchpad.
//!
//! Time is counted in steps. A buffer is live from its first use up to, but not including, `end`;
//! two buffers that are live at the same step never share a byte, unless a relation says so:
//!
//! - [`Buffer::inside`] fixes a buffer at an offset within another one (an alias is at offset 0).
//!   The outer buffer is then kept for as long as any buffer inside it is live.
//! - [`Buffer::in_place`] lists buffers whose memory this one may take over, because whoever makes
//!   it reads the old value element by element. It is up to the planner.
//!
//! A size that depends on unknown extents is given by its upper bound: the offsets then hold for
//! every smaller size.
//!
//! ```
//! use sinter_plan::{Buffer, check, plan};
//!
//! let buffers = [
//!     Buffer::new(0, 0..2, 1000, 64),
//!     Buffer::new(1, 1..3, 500, 64),
//!     Buffer::new(2, 2..4, 1000, 64),
//! ];
//! let plan = plan(&buffers, 2048).unwrap();
//! assert_eq!(plan.peak, 1512);
//! check(&buffers, &plan).unwrap();
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`buffer`] | what goes in, what comes out |
//! | `relation` | buffers that share memory become one block |
//! | `profile` | blocks, what is live when, parts that never meet |
//! | `greedy` | first fit in several orders |
//! | `search` | the exact search within a node limit |
//! | `state` | what the search has placed so far |
//! | [`planner`] | the order of these |
//! | [`check()`] | the independent judge of a plan |
//! | [`generate`] | seeded hard instances with a known solution |
//! | [`instance`] | the text form of the public instances |

pub mod buffer;
mod check;
pub mod generate;
mod greedy;
pub mod instance;
pub mod planner;
mod profile;
mod relation;
mod search;
mod state;

pub use buffer::{Buffer, Inside, Plan, PlanError};
pub use check::{Violation, check};
pub use planner::{Options, plan, plan_with};
