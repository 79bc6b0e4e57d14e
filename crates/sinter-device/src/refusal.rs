//! Why a kernel has no schedule on a device.

/// A kernel cannot be scheduled.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// Even the smallest tile does not fit.
    #[error("the smallest tile needs {needed} bytes of '{space}', which has {available}")]
    Footprint {
        /// Space.
        space: String,
        /// Bytes of the smallest tile.
        needed: u64,
        /// Size of the space.
        available: u64,
    },
    /// The stages have no common iterators, or a stage cannot be run inside a block.
    #[error("{0}")]
    Stages(String),
    /// A slot has no elements or the kernel has no stage.
    #[error("the kernel computes nothing")]
    Empty,
}
