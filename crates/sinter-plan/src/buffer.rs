//! What goes in, what comes out.

use std::ops::Range;

/// A buffer to be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The caller's number for it, unique among the buffers of a problem.
    pub id: usize,
    /// First step at which it is live: the step that writes it.
    pub first: u64,
    /// The step after its last use (half-open).
    pub end: u64,
    /// Size in bytes; the upper bound where it depends on unknown extents.
    pub bytes: u64,
    /// Alignment of its offset, a power of two.
    pub align: u64,
    /// Fixed place within another buffer.
    pub inside: Option<Inside>,
    /// Buffers whose memory it may take over: each must be live for the last time at the step
    /// `first`, and be at least as large.
    pub in_place: Vec<usize>,
}

/// A fixed place within another buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inside {
    /// The other buffer's id.
    pub of: usize,
    /// Distance from its start, in bytes.
    pub offset: u64,
}

impl Buffer {
    /// A buffer without relations, live during `steps` (half-open).
    pub fn new(id: usize, steps: Range<u64>, bytes: u64, align: u64) -> Self {
        Self {
            id,
            first: steps.start,
            end: steps.end,
            bytes,
            align,
            inside: None,
            in_place: Vec::new(),
        }
    }

    /// The same buffer at a fixed place within another one.
    #[must_use]
    pub fn inside(mut self, of: usize, offset: u64) -> Self {
        self.inside = Some(Inside { of, offset });
        self
    }

    /// The same buffer, which may take over the memory of another one.
    #[must_use]
    pub fn in_place_of(mut self, other: usize) -> Self {
        self.in_place.push(other);
        self
    }
}

/// Where the buffers lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// One offset per buffer, in the order of the buffers.
    pub offsets: Vec<u64>,
    /// End of the highest buffer: the memory that the plan needs.
    pub peak: u64,
    /// Most bytes that are live at one step, as the plan shares memory: no plan with the same
    /// sharing is lower.
    pub lower_bound: u64,
    /// Pairs of ids: the first took over the memory of the second.
    pub in_place: Vec<(usize, usize)>,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Two buffers have the same id.
    #[error("two buffers have the id {id}")]
    DuplicateId {
        /// The id.
        id: usize,
    },
    /// A relation names a buffer that is not there.
    #[error("buffer {id} names buffer {other}, which is not part of the problem")]
    UnknownId {
        /// The buffer with the relation.
        id: usize,
        /// The missing one.
        other: usize,
    },
    /// A buffer is live at no step.
    #[error("buffer {id} is live at no step")]
    EmptyLifetime {
        /// The buffer.
        id: usize,
    },
    /// An alignment is not a power of two, or a fixed place does not respect it.
    #[error("buffer {id} cannot be aligned to {align} bytes")]
    Misaligned {
        /// The buffer.
        id: usize,
        /// Its alignment.
        align: u64,
    },
    /// A buffer does not fit at its fixed place.
    #[error("buffer {id} reaches beyond buffer {of}, which it is inside of")]
    Outside {
        /// The buffer.
        id: usize,
        /// The outer buffer.
        of: usize,
    },
    /// Buffers are inside each other.
    #[error("buffer {id} is inside itself")]
    Cycle {
        /// A buffer of the cycle.
        id: usize,
    },
    /// The sizes add up to more than can be counted.
    #[error("the sizes of the buffers add up to more than 2^63 bytes")]
    TooLarge,
    /// The buffers do not fit.
    #[error(
        "the buffers need {needed} bytes, {capacity} are there; {live_bytes} bytes are live at step {step}: {}",
        list(live)
    )]
    DoesNotFit {
        /// Bytes that are there.
        capacity: u64,
        /// Peak of the best plan that was found.
        needed: u64,
        /// Whether no plan with this sharing of memory can fit; otherwise none was found within the
        /// node limit.
        proven: bool,
        /// The fullest step.
        step: u64,
        /// Bytes live at that step.
        live_bytes: u64,
        /// Ids of the buffers live at that step, largest first; of buffers that share memory, the
        /// outermost one.
        live: Vec<usize>,
    },
}

/// The first few ids, for a message of one line.
fn list(ids: &[usize]) -> String {
    const SHOWN: usize = 8;
    let mut text = ids
        .iter()
        .take(SHOWN)
        .map(usize::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    if ids.len() > SHOWN {
        text.push_str(&format!(" and {} more", ids.len() - SHOWN));
    }
    text
}
