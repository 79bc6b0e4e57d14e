//! Kernels for devices whose engines only work on chip: what is copied, where to, and what is
//! computed there.
//!
//! [`lower`] turns a scheduled [`Kernel`](crate::kernel::Kernel) with physical slots into straight
//! steps over *tiles*: dense boxes of a slot in an on-chip space. Every computing step is a plain
//! nest over tiles, in which nothing is out of range, so it can be emitted like any other nest.
//! Contractions of matrix form run on the matrix unit: boxes of the operands go to L1 and from there,
//! rearranged to matrices, to the unit's own buffers. Its output reaches the vector unit through a
//! workspace in device memory where no route joins them.
//!
//! Blocks have one static size: the last block of an axis starts earlier, so that it ends with the
//! axis, and computes some points a second time. Within a block a stage may go through its reductions
//! in chunks, or, without any, through the iterators that no axis of the grid runs along; chunks divide
//! their iterator exactly.

mod arrange;
mod build;
mod error;
pub mod interp;
mod matrix;
mod positions;
mod split;
mod stage;
mod vector;

use crate::affine::Affine;
use crate::kernel::GridAxis;
use crate::nest::Nest;
use crate::scalar::FloatBits;
use crate::types::TensorType;

pub use arrange::{Arrange, Place, Side};
pub use build::lower;
pub use error::OnChipError;
pub use split::Split;
pub use stage::chunked;

/// What the lowering has to know of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The matrix unit; without it contractions run on the vector unit.
    pub matrix: Option<MatrixUnit>,
    /// Whether tiles that are filled in a loop have two buffers.
    pub double_buffer: bool,
}

/// The buffers of a matrix unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixUnit {
    /// Size of the left operand's buffer.
    pub left_bytes: i64,
    /// Size of the right operand's buffer.
    pub right_bytes: i64,
    /// Whether a route leads from the accumulators to the vector unit's memory.
    pub feeds_vector: bool,
}

/// A memory that tiles lie in. The number is the one of the kernel ABI's scratch words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// A workspace of the core in device memory.
    Workspace = 0,
    /// Staging buffer of the matrix unit.
    L1 = 1,
    /// Left operand of the matrix unit.
    L0a = 2,
    /// Right operand of the matrix unit.
    L0b = 3,
    /// Accumulator of the matrix unit.
    L0c = 4,
    /// Memory of the vector unit.
    Ub = 5,
}

impl Space {
    /// All spaces by number.
    pub const ALL: [Self; 6] = [
        Self::Workspace,
        Self::L1,
        Self::L0a,
        Self::L0b,
        Self::L0c,
        Self::Ub,
    ];

    /// The name in device files and in the `npu` dialect.
    pub fn name(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::L1 => "l1",
            Self::L0a => "l0a",
            Self::L0b => "l0b",
            Self::L0c => "l0c",
            Self::Ub => "ub",
        }
    }
}

/// A dense, row-major box on chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Where it lies.
    pub space: Space,
    /// Element type and extents of one buffer.
    pub ty: TensorType,
    /// Loaded one chunk ahead: two buffers, used in turn.
    pub double: bool,
}

/// Number of a tile in [`OnChip::tiles`].
pub type TileId = usize;

/// One step of a block.
///
/// Start positions are affine over *starts*: the first point of the block along each grid axis, then
/// the first point of the chunk along each chunked reduction iterator of the enclosing loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Set all elements of a tile, on the tile's engine.
    Fill {
        /// Destination.
        tile: TileId,
        /// Value.
        value: FloatBits,
    },
    /// Copy a box of a slot in device memory to a tile.
    Load {
        /// Source slot of the kernel.
        slot: usize,
        /// Destination; its extents are the box's.
        tile: TileId,
        /// First element of the box per dimension of the slot.
        start: Vec<Affine>,
        /// The box may lie partly outside: what is outside keeps this fill value.
        pad: Option<FloatBits>,
    },
    /// Copy a tile to a box of a slot in device memory.
    Store {
        /// Source.
        tile: TileId,
        /// Destination slot of the kernel.
        slot: usize,
        /// First element of the box per dimension of the slot.
        start: Vec<Affine>,
    },
    /// Copy a whole tile to another of the same shape in another space.
    Move {
        /// Source.
        from: TileId,
        /// Destination.
        to: TileId,
    },
    /// Run a nest on the vector unit; its operands are tiles.
    Compute(Nest),
    /// Copy elements of a tile to another tile, or to device memory, in another order.
    Arrange(Arrange),
    /// Write the positions `start`, `start + 1`, ... to a tile of one dimension.
    Positions {
        /// Destination.
        tile: TileId,
        /// Position of its first element.
        start: Affine,
    },
    /// A step of the matrix unit on tiles `[.., M, K]`, `[.., K, N]` and `[.., M, N]`, with the same
    /// batch dimension or none: `accumulator += left * right`.
    Multiply {
        /// Left operand.
        left: TileId,
        /// Right operand.
        right: TileId,
        /// Sums.
        accumulator: TileId,
        /// The sums start from 0 instead of what the accumulator holds.
        init: bool,
    },
    /// Run the body for every chunk of the chunked iterators, row-major.
    Chunks {
        /// Chunked iterators, outermost first; their starts follow those of what is around.
        axes: Vec<ChunkAxis>,
        /// Steps of one chunk. Transfers to double tiles come first.
        body: Vec<Step>,
    },
}

/// An iterator that is on chip a piece at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkAxis {
    /// Points along the iterator.
    pub extent: i64,
    /// Points of one chunk; divides `extent`.
    pub chunk: i64,
}

/// A kernel as steps over tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnChip {
    /// The grid; a block's start along an axis is `min(block * tile, extent - tile)`.
    pub grid: Vec<GridAxis>,
    /// Tiles.
    pub tiles: Vec<Tile>,
    /// Steps of one block.
    pub steps: Vec<Step>,
    /// Whether the matrix unit is used.
    pub matrix: bool,
    /// Whether the vector unit is used.
    pub vector: bool,
}

impl OnChip {
    /// Number of blocks.
    pub fn blocks(&self) -> i64 {
        self.grid
            .iter()
            .map(|a| (a.extent + a.tile - 1) / a.tile)
            .product()
    }

    /// Starts of a block along the grid axes.
    pub fn starts(&self, block: i64) -> Vec<i64> {
        let mut rest = block;
        let mut starts = vec![0; self.grid.len()];
        for (start, axis) in starts.iter_mut().zip(&self.grid).rev() {
            let count = (axis.extent + axis.tile - 1) / axis.tile;
            *start = (rest % count * axis.tile).min(axis.extent - axis.tile);
            rest /= count;
        }
        starts
    }

    /// Bytes of all tiles in a space, were none to share memory.
    pub fn bytes_in(&self, space: Space) -> i64 {
        let of = |t: &Tile| t.ty.bytes() * if t.double { 2 } else { 1 };
        self.tiles.iter().filter(|t| t.space == space).map(of).sum()
    }
}
