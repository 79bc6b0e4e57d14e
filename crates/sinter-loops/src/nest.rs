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
    /// A multiply-accumulate: `body`'s only result is a product and the only combiner adds, from 0.
    /// The nest becomes register FMA tiles or matrix steps, and each step is a fused multiply-add of
    /// the two factors. Usually the factors are the two reads themselves; when producers are inlined
    /// they may be computed from more reads.
    pub contract: bool,
    /// Names of the original (ONNX) nodes that the nest computes.
    pub origins: Vec<String>,
}

impl Nest {
    /// A nest without reduction: `out = body(reads)`, written at `writes`.
    pub fn map(iters: Vec<Iter>, reads: Vec<Access>, body: Body, writes: Vec<Access>) -> Self {
        let finish = Body::identity(body.result_types().unwrap_or_default());
        Self {
            iters,
            reads,
            body,
            combines: Vec::new(),
            finish_reads: Vec::new(),
            finish,
            writes,
            contract: false,
            origins: Vec::new(),
        }
    }

    /// Number of points of the whole domain.
    pub fn points(&self) -> i64 {
        self.iters.iter().map(|i| i.extent).product()
    }

    /// Number of points that are combined into one, 1 without reduction.
    pub fn reduction_points(&self) -> i64 {
        self.reductions().map(|i| self.iters[i].extent).product()
    }

    /// Number of points of the parallel iterators.
    pub fn parallel_points(&self) -> i64 {
        self.parallels().map(|i| self.iters[i].extent).product()
    }

    /// Numbers of the parallel iterators, outermost first.
    pub fn parallels(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.of_kind(IterKind::Parallel)
    }

    /// Numbers of the reduction iterators, outermost first.
    pub fn reductions(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.of_kind(IterKind::Reduction)
    }

    fn of_kind(&self, kind: IterKind) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.iters.len()).filter(move |&i| self.iters[i].kind == kind)
    }

    /// Whether there is a reduction iterator.
    pub fn has_reduction(&self) -> bool {
        self.reductions().next().is_some()
    }

    /// Extent of every iterator.
    pub fn extents(&self) -> Vec<i64> {
        self.iters.iter().map(|i| i.extent).collect()
    }

    /// Scalar operations of the whole nest: those of the body and one per combiner at every point,
    /// those of `finish` at every parallel point.
    pub fn flops(&self) -> u64 {
        let inner = self.points() as u64 * (self.body.ops() + self.combines.len()) as u64;
        inner + self.parallel_points() as u64 * self.finish.ops() as u64
    }

    /// All accesses: reads, `finish_reads`, writes.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.reads
            .iter()
            .chain(&self.finish_reads)
            .chain(&self.writes)
    }

    /// All accesses, to be changed.
    pub fn accesses_mut(&mut self) -> impl Iterator<Item = &mut Access> {
        self.reads
            .iter_mut()
            .chain(&mut self.finish_reads)
            .chain(&mut self.writes)
    }
}

impl Access {
    /// An access that is always inside the operand.
    pub fn new(operand: usize, index: Vec<Affine>) -> Self {
        Self {
            operand,
            index,
            pad: None,
        }
    }

    /// A read with a value outside the operand.
    pub fn padded(operand: usize, index: Vec<Affine>, pad: f64) -> Self {
        Self {
            operand,
            index,
            pad: Some(FloatBits::new(pad)),
        }
    }

    /// Whether an iterator occurs in the index.
    pub fn uses(&self, iter: usize) -> bool {
        self.index.iter().any(|e| e.uses(iter))
    }
}
