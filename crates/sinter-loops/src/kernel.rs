//! Several nests over shared operands: what one launch computes.

use serde::{Deserialize, Serialize};

use crate::nest::Nest;
use crate::types::TensorType;

/// What a slot of a kernel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Read from device memory.
    Input,
    /// A constant known at compile time, read from device memory; may be packed.
    Constant,
    /// Lives within one block of the kernel only, on chip.
    Temporary,
    /// Written to device memory.
    Output,
}

/// How a tensor of logical shape lies in memory: dimensions permuted, then some split into blocks.
///
/// The physical shape has one extent per entry of `dims`; physical dimension `p` holds logical
/// dimension `dims[p].dim`, either whole, or its quotient or remainder by a block. The extent of a
/// quotient is rounded up, so the physical tensor may be larger than the logical one; what lies in
/// the padding is unspecified for activations and zero for packed constants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Layout {
    /// Physical dimensions, outermost first.
    pub dims: Vec<PhysicalDim>,
}

/// One physical dimension of a [`Layout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhysicalDim {
    /// The whole logical dimension.
    Whole(usize),
    /// The quotient of a logical dimension by a block.
    Outer(usize, i64),
    /// The remainder of a logical dimension by a block.
    Inner(usize, i64),
}

/// One operand of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot {
    /// Logical type before `apply_layouts`, physical type after.
    pub ty: TensorType,
    /// Role.
    pub role: Role,
    /// Layout in memory; row-major where absent. Consumed (and kept for information) by
    /// `apply_layouts`.
    pub layout: Option<Layout>,
}

/// A kernel: nests in execution order. Each stage reads inputs, constants and temporaries written by
/// earlier stages, and writes temporaries or outputs. Until `place_stages` it may also read outputs
/// that earlier stages wrote.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Kernel {
    /// Symbol.
    pub name: String,
    /// Operands: inputs and constants in launch order, then outputs in launch order, with
    /// temporaries anywhere.
    pub slots: Vec<Slot>,
    /// Nests in execution order.
    pub stages: Vec<Nest>,
    /// How the kernel is to be run, once a device has chosen.
    pub schedule: Option<Schedule>,
}

/// How a kernel's loops become blocks, register tiles and vectors.
///
/// *Shared* iterators are parallel iterators that every stage has in common; the grid enumerates
/// tiles of them, row-major, one block per tile. With a single stage, all its parallel iterators are
/// shared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Schedule {
    /// One per shared iterator, outermost first: how each stage names it and the tile that one block
    /// computes.
    pub grid: Vec<GridAxis>,
    /// One per stage.
    pub stages: Vec<StageSchedule>,
}

/// A shared iterator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GridAxis {
    /// Points along the axis.
    pub extent: i64,
    /// Points that one block computes (the last block may have fewer).
    pub tile: i64,
    /// For each stage, the iterator of that stage that runs along the axis.
    pub iters: Vec<Option<usize>>,
}

/// How one stage is made of registers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StageSchedule {
    /// Order of all iterators of the nest inside a block, outermost first; the register tile's
    /// iterators (`rows`, `vector`) are where the tile loops stand. Reduction iterators come last.
    pub order: Vec<usize>,
    /// The iterator along which vectors lie: parallel, or a reduction iterator whose lanes are
    /// combined at the end in a fixed tree. `None`: scalar code.
    pub vector: Option<usize>,
    /// Lanes of one vector.
    pub lanes: i64,
    /// Vectors of one register tile along `vector`.
    pub vectors: i64,
    /// The parallel iterator whose points form the rows of the register tile.
    pub rows: Option<usize>,
    /// Rows of the register tile (the largest; remainders use smaller tiles).
    pub row_tile: i64,
    /// A second parallel iterator of the register tile, unrolled and jammed: the tile has its rows at each of
    /// several points of it.
    pub jam: Option<Jam>,
    /// Unroll factor of the innermost reduction loop.
    pub unroll: i64,
    /// Number of points of each reduction iterator that are on chip at once (scratchpad devices); of a
    /// stage without reductions, of each parallel iterator that no grid axis runs along. Empty: all.
    pub reduction_tile: Vec<i64>,
}

/// An iterator whose loop is unrolled and jammed into the register tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Jam {
    /// The iterator: parallel, neither that of the rows nor of the vectors.
    pub iter: usize,
    /// Its points in one register tile (the most; remainders use smaller tiles).
    pub tile: i64,
}

impl StageSchedule {
    /// Whether the register tile has several points along an iterator other than by vectors.
    pub fn tiles_rows(&self, iter: usize) -> bool {
        self.rows == Some(iter) || self.jam.is_some_and(|j| j.iter == iter)
    }
}

impl Kernel {
    /// Slot numbers of a role, in order.
    pub fn slots_of(&self, role: Role) -> impl Iterator<Item = usize> + '_ {
        (0..self.slots.len()).filter(move |&s| self.slots[s].role == role)
    }

    /// Slot numbers of inputs and constants, in launch order.
    pub fn arguments(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.slots.len())
            .filter(|&s| matches!(self.slots[s].role, Role::Input | Role::Constant))
    }

    /// Scalar operations of all stages.
    pub fn flops(&self) -> u64 {
        self.stages.iter().map(Nest::flops).sum()
    }
}

impl Slot {
    /// A row-major slot.
    pub fn new(ty: TensorType, role: Role) -> Self {
        Self {
            ty,
            role,
            layout: None,
        }
    }
}
