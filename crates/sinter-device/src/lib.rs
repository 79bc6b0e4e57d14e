//! Device files, kernel prices and the schedules they assume.
//!
//! A [`Device`] is read from a TOML file; [`schedule`](fn@schedule) chooses how a placed kernel becomes blocks,
//! register tiles and vectors on it, and what that costs. Fusion prices candidates with it and the
//! lowering follows the very schedule that the price assumed. Nothing here knows MLIR.

pub mod device;
pub mod host;
pub mod load;
pub mod price;

pub use device::Device;
pub use host::HostCpu;
pub use load::DeviceError;
pub use price::{Price, Time};
