//! A softmax that is only multiplied with a matrix: `softmax(s) v`.
//!
//! Takes a placed kernel. As placement leaves it, the weights `e / l` are computed before the product
//! (`m` the row's maximum, `e = exp(s - m)`, `l` the sum of `e`), and where the softmax was one
//! operator, `e` is computed twice. Two other forms compute the same but for rounding; their numerics
//! class is `reassociating`:
//!
//! - [`late_normalisation`]: `(e v) / l`. Every exponential is computed once, and what is divided is a
//!   row of results instead of a row of weights.
//! - [`online_softmax`]: in addition, the row is computed chunk by chunk. What went before is rescaled
//!   whenever the maximum grows, so that no more than a chunk of scores is on chip at a time:
//!
//! ```text
//! for each chunk c:   s = scores of the chunk          m' = max(m, max s)
//!                     e = exp(s - m')                  a  = exp(m - m')
//!                     l = l * a + sum e                o  = o * a + e v
//! result: o / l
//! ```
//!
//! Of a softmax that is not multiplied, [`stored_exponentials`] computes every exponential once, and
//! [`reciprocal_sums`] divides once for a row.
//!
//! Chunks are separate stages over the same temporaries: the row's length is known, and stages are
//! what every later step understands.

mod find;
mod late;
mod online;
mod reciprocal;
mod stored;

pub use late::late_normalisation;
pub use online::{online_softmax, row_length};
pub use reciprocal::reciprocal_sums;
pub use stored::stored_exponentials;

use crate::affine::Affine;
use crate::kernel::{Kernel, Role, Slot};
use crate::nest::{Access, Nest};
use crate::types::TensorType;

/// A new temporary.
fn temporary(kernel: &mut Kernel, ty: TensorType) -> usize {
    kernel.slots.push(Slot::new(ty, Role::Temporary));
    kernel.slots.len() - 1
}

/// All reads of a slot: stage and access.
fn reads_of(kernel: &Kernel, slot: usize) -> impl Iterator<Item = (usize, &Access)> {
    let stages = kernel.stages.iter().enumerate();
    stages.flat_map(move |(n, s)| {
        let all = s.reads.iter().chain(&s.finish_reads);
        all.filter(move |r| r.operand == slot).map(move |r| (n, r))
    })
}

/// The only stage that writes a temporary, with the number of the write.
fn writer_of(kernel: &Kernel, slot: usize) -> Option<(usize, usize)> {
    if kernel.slots[slot].role != Role::Temporary {
        return None;
    }
    let stages = kernel.stages.iter().enumerate();
    let mut found = stages.flat_map(|(n, s)| {
        let writes = s.writes.iter().enumerate();
        writes
            .filter(move |(_, w)| w.operand == slot)
            .map(move |(w, _)| (n, w))
    });
    let writer = found.next()?;
    found.next().is_none().then_some(writer)
}

/// Which iterator of a stage each dimension of a write is, where all are plain and none is used twice;
/// dimensions of extent 1 may be at 0.
fn plain_dims(stage: &Nest, write: &Access) -> Option<Vec<Option<usize>>> {
    let mut dims = Vec::new();
    for index in &write.index {
        dims.push(match index {
            Affine::Iter(i) => Some(*i),
            Affine::Const(0) => None,
            _ => return None,
        });
    }
    let mut seen: Vec<usize> = dims.iter().flatten().copied().collect();
    seen.sort_unstable();
    let mut parallel = stage.parallels().filter(|&i| stage.iters[i].extent > 1);
    let all = parallel.all(|i| seen.contains(&i));
    seen.dedup();
    (all && seen.len() == dims.iter().flatten().count()).then_some(dims)
}
