//! Why a kernel has no steps over tiles.

/// Why a scheduled kernel cannot run on chip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OnChipError {
    /// No schedule is attached.
    #[error("it has no schedule")]
    Unscheduled,
    /// A tile that is not aligned with a quotient or remainder of an index.
    #[error("stage {stage} reads or writes slot {slot} at an index that its tile does not divide")]
    Unaligned {
        /// Stage.
        stage: usize,
        /// Slot.
        slot: usize,
    },
    /// A stage that writes only some elements of the box that it covers.
    #[error(
        "stage {stage} leaves gaps in the box of slot {slot} that it writes: compile for another device, or export the model with a stride of 1 or as large as its kernel"
    )]
    Gaps {
        /// Stage.
        stage: usize,
        /// Slot.
        slot: usize,
    },
    /// A dimension of a temporary that a block holds whole, of which each block reads another part; or
    /// the other way about.
    #[error("stage {stage} reads another part of slot {slot} than its block holds")]
    Moving {
        /// Stage.
        stage: usize,
        /// Slot.
        slot: usize,
    },
    /// A temporary that is read before any stage has written it.
    #[error("stage {stage} reads slot {slot} before it is written")]
    Unwritten {
        /// Stage.
        stage: usize,
        /// Slot.
        slot: usize,
    },
}
