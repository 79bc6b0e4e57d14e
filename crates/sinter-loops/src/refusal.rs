//! Why a kernel cannot be formed or transformed.

/// A typed refusal. [`Refusal::code`] is stable: fusion reports and tests rely on it. Slots are those
/// of the kernel that was handed in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum Refusal {
    /// The kernel breaks an invariant of [`Kernel::verify`](crate::kernel::Kernel::verify).
    #[error("the kernel is malformed: {0}")]
    Malformed(String),
    /// The kernel already has a schedule, which would no longer fit.
    #[error("the kernel is already scheduled")]
    AlreadyScheduled,
    /// A slot's layout does not describe a tensor of its rank.
    #[error("layout {layout} does not fit slot {slot} of rank {rank}")]
    LayoutMismatch {
        /// The slot.
        slot: usize,
        /// Its rank.
        rank: usize,
        /// The layout, as text.
        layout: String,
    },
    /// A read that may leave its operand along a blocked dimension would see the block's padding
    /// instead of its own padding value.
    #[error("a padded read of slot {slot} leaves its blocked dimension {dim}")]
    PaddedBlockedDimension {
        /// The slot.
        slot: usize,
        /// The logical dimension.
        dim: usize,
    },
    /// A value computed in the kernel is read with padding, so its producer cannot be inlined, and
    /// it has no tile in common with the reader.
    #[error("slot {slot} is computed in the kernel and read with padding by stage {reader}")]
    PaddedReadOfComputedValue {
        /// The temporary.
        slot: usize,
        /// The reading stage.
        reader: usize,
    },
    /// No axis of the grid is common to the writer and the readers of a temporary, and all of the
    /// kernel in one block would be too much.
    #[error(
        "slot {slot} is needed whole by stage {reader}, so that all {points} points would be one block"
    )]
    ShapeCannotShareTile {
        /// The temporary.
        slot: usize,
        /// A stage that reads it in another shape than its writer's.
        reader: usize,
        /// Points of all stages.
        points: i64,
    },
    /// The stages that write outputs have no iterator in common, and all of the kernel in one block
    /// would be too much.
    #[error("the outputs of {points} points have no grid axis in common")]
    OutputsCannotShareGrid {
        /// Points of all stages.
        points: i64,
    },
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "malformed-kernel",
            Self::AlreadyScheduled => "already-scheduled",
            Self::LayoutMismatch { .. } => "layout-mismatch",
            Self::PaddedBlockedDimension { .. } => "padded-blocked-dimension",
            Self::PaddedReadOfComputedValue { .. } => "padded-read-of-computed-value",
            Self::ShapeCannotShareTile { .. } => "shape-cannot-share-tile",
            Self::OutputsCannotShareGrid { .. } => "outputs-cannot-share-grid",
        }
    }
}
