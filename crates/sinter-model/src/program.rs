//! The program: what a run does, in order.

use serde::{Deserialize, Serialize};

use crate::extent::Extent;

/// One step of a program.
///
/// Launches and copies between two barriers are independent of each other: they may run in any order
/// or at once. The start and the end of a program, of a loop's body and of a branch are barriers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Record {
    /// Run a kernel over a grid of blocks.
    Launch {
        /// Index into [`crate::Manifest::kernels`].
        kernel: u32,
        /// The kernel's buffers: inputs and constants in slot order, then outputs.
        args: Vec<BufferRef>,
        /// The kernel's `dims`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dims: Vec<Extent>,
        /// Number of blocks.
        blocks: Extent,
    },
    /// All earlier launches have finished before any later one starts.
    Barrier,
    /// Copy bytes: an output that is an input, a constant, or another output.
    Copy {
        /// Where from.
        source: BufferRef,
        /// Where to; at least as large as `source`.
        destination: BufferRef,
    },
    /// Run `body` a number of times.
    Loop {
        /// How often; nothing runs when it is not positive.
        count: Extent,
        /// The steps.
        body: Vec<Record>,
    },
    /// Choose by the first byte of a buffer.
    If {
        /// True when its first byte is not zero.
        condition: BufferRef,
        /// Runs when true.
        then_body: Vec<Record>,
        /// Runs when false.
        else_body: Vec<Record>,
    },
}

/// A piece of memory that the program names. Offsets are multiples of [`crate::BUFFER_ALIGN`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferRef {
    /// A range of the arena.
    Arena {
        /// First byte.
        offset: Extent,
        /// Length in bytes.
        bytes: Extent,
    },
    /// A range of the weights section.
    Weights {
        /// First byte.
        offset: u64,
        /// Length in bytes.
        bytes: u64,
    },
    /// A whole input of the model.
    Input(u32),
    /// A whole output of the model.
    Output(u32),
}

impl BufferRef {
    /// A range of the arena that depends on no symbol.
    pub fn arena(offset: u64, bytes: u64) -> Self {
        let clamp = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        Self::Arena {
            offset: clamp(offset).into(),
            bytes: clamp(bytes).into(),
        }
    }
}
