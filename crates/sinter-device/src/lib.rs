//! Device files, kernel prices and the schedules they assume.
//!
//! A [`Device`] is read from a TOML file; [`schedule`](fn@schedule) chooses how a placed kernel
//! becomes blocks, register tiles and vectors on it, and what that costs; [`pack_constants`] lays out
//! its weights to match. Fusion prices candidates with them and the lowering follows the very schedule
//! that the price assumed. Nothing here knows MLIR.

mod access;
mod body;
mod built_in;
mod chip_price;
pub mod device;
mod dots;
mod footprint;
mod forms;
mod grid;
pub mod host;
mod host_price;
mod limits;
pub mod load;
mod movement;
mod packing;
pub mod price;
mod refusal;
mod registers;
mod schedule;
mod tile_cost;
mod tile_sizes;
mod windows;

pub use access::touched_bytes;
pub use device::Device;
pub use footprint::temporary_bytes;
pub use forms::{ChosenForm, cheapest_form, forms};
pub use host::HostCpu;
pub use load::DeviceError;
pub use packing::pack_constants;
pub use price::{Price, Time};
pub use refusal::{Need, Refusal};
pub use schedule::{price_of, schedule};
