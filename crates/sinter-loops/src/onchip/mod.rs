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
mod rank;
mod split;
mod stage;
mod vector;

use crate::affine::Affine;
use crate::kernel::GridAxis;
use crate::nest::Nest;
use crate::scalar::FloatBits;
use crate::types::{ElementType, TensorType};

pub use arrange::{Arrange, Place, Side};
pub use build::lower;
pub use error::OnChipError;
pub use rank::{TRANSFER_RANK, TransferDim, TransferDims, box_dims, transfer_dims};
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
    /// Depth of one step of the unit with 16-bit operands.
    pub k: i64,
    /// Bytes that rows of a transfer are rounded up to.
    pub block_bytes: i64,
    /// Whether a route leads from the accumulators to the vector unit's memory.
    pub feeds_vector: bool,
}

/// Depth of one step of a matrix unit with operands of a type, of `k` with 16-bit ones: a step holds so many bytes
/// of an operand, whatever its element.
pub fn step_depth(k: i64, element: ElementType) -> i64 {
    match element {
        ElementType::F16 | ElementType::Bf16 => k.max(1),
        _ => (k / 2).max(1),
    }
}

/// Alignment of buffers and tiles in bytes.
pub const ALIGN: i64 = 64;

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

    /// Bytes that hold the tiles in a space, each buffer aligned to [`ALIGN`]: whoever places them needs no more.
    /// Tiles share no memory, but for the matrix unit's operands: those of one product are done with before
    /// the next begins.
    pub fn bytes_in(&self, space: Space) -> i64 {
        let of = |t: &Tile| {
            let buffer = (t.ty.bytes() + ALIGN - 1) / ALIGN * ALIGN;
            buffer * if t.double { 2 } else { 1 }
        };
        if matches!(space, Space::L0a | Space::L0b) {
            let mut most = 0;
            each_product(&self.steps, &mut |left, right| {
                let tile = &self.tiles[if space == Space::L0a { left } else { right }];
                most = most.max(of(tile));
            });
            return most;
        }
        self.tiles.iter().filter(|t| t.space == space).map(of).sum()
    }
}

/// Calls `visit` with the operands of every step of the matrix unit.
fn each_product(steps: &[Step], visit: &mut dyn FnMut(TileId, TileId)) {
    for step in steps {
        match step {
            Step::Multiply { left, right, .. } => visit(*left, *right),
            Step::Chunks { body, .. } => each_product(body, visit),
            _ => {}
        }
    }
}
