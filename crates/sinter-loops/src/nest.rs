//! A loop nest: domain, accesses, scalar body, combiner, finish.
//!
//! Meaning of a nest, for every point of its parallel iterators:
//!
//! ```text
//! acc[r] = init[r]                                     (only with a combiner)
//! for every point of the reduction iterators, in row-major order:
//!     u = body(reads at (parallel, reduction))
//!     acc[r] = combine[r](acc[r], u[r])
//! out = finish(acc.., finish_reads at (parallel))      (without a combiner: finish(u.., ..))
//! write out[k] to writes[k] at (parallel)
//! ```

use serde::{Deserialize, Serialize};

use crate::affine::Affine;
use crate::scalar::{Body, FloatBits};

/// Whether points along an iterator are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IterKind {
    /// Every point writes its own output elements.
    Parallel,
    /// Points are combined, in ascending order, by the nest's combiners.
    Reduction,
}

/// One iterator of the domain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Iter {
    /// Number of points; the iterator runs from 0.
    pub extent: i64,
    /// Parallel or reduction.
    pub kind: IterKind,
}

impl Iter {
    /// A parallel iterator.
    pub fn parallel(extent: i64) -> Self {
        Self {
            extent,
            kind: IterKind::Parallel,
        }
    }
    /// A reduction iterator.
    pub fn reduction(extent: i64) -> Self {
        Self {
            extent,
            kind: IterKind::Reduction,
        }
    }
}

/// A read or write of one operand. `operand` is a slot number of the enclosing
/// [`Kernel`](crate::kernel::Kernel) (or of the operator's own inputs-then-temporaries-then-outputs).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Access {
    /// Slot.
    pub operand: usize,
    /// One expression per dimension of the operand.
    pub index: Vec<Affine>,
    /// For reads: the value where the index is outside the operand. Without it the index is always
    /// inside.
    pub pad: Option<FloatBits>,
}

/// How a reduction combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum CombineFn {
    Add,
    Mul,
    Max,
    Min,
}

/// A combiner with the value it starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Combine {
    /// Function.
    pub function: CombineFn,
    /// Start value.
    pub init: FloatBits,
}

/// A loop nest. See the module documentation for its meaning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Nest {
    /// The domain, outermost first.
    pub iters: Vec<Iter>,
    /// Reads over the whole domain; the body's arguments, in order.
    pub reads: Vec<Access>,
    /// The scalar body.
    pub body: Body,
    /// One combiner per result of the body; empty exactly when there is no reduction iterator.
    pub combines: Vec<Combine>,
    /// Reads over parallel iterators only, after the reduction.
    pub finish_reads: Vec<Access>,
    /// From the accumulators (or the body's results) and then `finish_reads` to the values written.
    pub finish: Body,
    /// One write per result of `finish`, over parallel iterators only; never padded. A write's index
    /// is injective, and every element of the operand that it can reach is written exactly once.
    pub writes: Vec<Access>,
    /// A multiply-accumulate (`body` is one multiplication of its two reads, the only combiner adds):
    /// the nest becomes register FMA tiles or matrix steps, and each step is a fused multiply-add.
    pub contract: bool,
    /// Names of the original (ONNX) nodes that the nest computes.
    pub origins: Vec<String>,
}
