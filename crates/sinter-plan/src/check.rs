//! The independent judge of a plan. It shares no code with the planner, on purpose.

use crate::buffer::{Buffer, Plan};

/// What is wrong with a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// There is not one offset per buffer.
    #[error("the plan has {offsets} offsets for {buffers} buffers")]
    Count {
        /// Offsets of the plan.
        offsets: usize,
        /// Buffers of the problem.
        buffers: usize,
    },
    /// An offset is not aligned.
    #[error("buffer {id} lies at {offset}, which is not a multiple of {align}")]
    Alignment {
        /// The buffer.
        id: usize,
        /// Its offset.
        offset: u64,
        /// Its alignment.
        align: u64,
    },
    /// A buffer ends above the peak.
    #[error("buffer {id} ends above the peak of {peak} bytes")]
    AbovePeak {
        /// The buffer.
        id: usize,
        /// The plan's peak.
        peak: u64,
    },
    /// A buffer is not at its fixed place.
    #[error("buffer {id} is not at its place within buffer {of}")]
    Displaced {
        /// The buffer.
        id: usize,
        /// The outer buffer.
        of: usize,
    },
    /// Two buffers share bytes while both are live.
    #[error("buffers {first} and {second} share memory while both are live")]
    Overlap {
        /// One buffer.
        first: usize,
        /// The other buffer.
        second: usize,
    },
    /// An in-place pair is not one that was offered.
    #[error("buffer {new} cannot take over the memory of buffer {old}")]
    Takeover {
        /// The new owner.
        new: usize,
        /// The old owner.
        old: usize,
    },
}

/// Checks a plan, buffer by buffer and pair by pair.
///
/// # Errors
///
/// The first [`Violation`] found.
pub fn check(buffers: &[Buffer], plan: &Plan) -> Result<(), Violation> {
    if plan.offsets.len() != buffers.len() {
        return Err(Violation::Count {
            offsets: plan.offsets.len(),
            buffers: buffers.len(),
        });
    }
    for (b, &offset) in buffers.iter().zip(&plan.offsets) {
        if offset % b.align != 0 {
            return Err(Violation::Alignment {
                id: b.id,
                offset,
                align: b.align,
            });
        }
        if offset
            .checked_add(b.bytes)
            .is_none_or(|end| end > plan.peak)
        {
            return Err(Violation::AbovePeak {
                id: b.id,
                peak: plan.peak,
            });
        }
    }
    for &(new, old) in &plan.in_place {
        takeover(buffers, plan, new, old)?;
    }
    fixed_places(buffers, plan)?;
    overlaps(buffers, plan)
}

fn position(buffers: &[Buffer], id: usize) -> Option<usize> {
    buffers.iter().position(|b| b.id == id)
}

fn takeover(buffers: &[Buffer], plan: &Plan, new: usize, old: usize) -> Result<(), Violation> {
    let (Some(n), Some(o)) = (position(buffers, new), position(buffers, old)) else {
        return Err(Violation::Takeover { new, old });
    };
    let (b, a) = (&buffers[n], &buffers[o]);
    let offered = b.in_place.contains(&old) && b.bytes <= a.bytes;
    let last_use = a.first < b.first && a.end - 1 == b.first;
    if offered && last_use && plan.offsets[n] == plan.offsets[o] {
        Ok(())
    } else {
        Err(Violation::Takeover { new, old })
    }
}

fn fixed_places(buffers: &[Buffer], plan: &Plan) -> Result<(), Violation> {
    for (i, b) in buffers.iter().enumerate() {
        let Some(inside) = b.inside else { continue };
        let place = position(buffers, inside.of).map(|o| plan.offsets[o] + inside.offset);
        if place != Some(plan.offsets[i]) {
            return Err(Violation::Displaced {
                id: b.id,
                of: inside.of,
            });
        }
    }
    Ok(())
}

/// The outermost buffer around a buffer.
fn outermost(buffers: &[Buffer], mut i: usize) -> usize {
    // A chain is no longer than the number of buffers, unless it is a cycle.
    for _ in 0..buffers.len() {
        match buffers[i]
            .inside
            .and_then(|inside| position(buffers, inside.of))
        {
            Some(outer) => i = outer,
            None => break,
        }
    }
    i
}

fn overlaps(buffers: &[Buffer], plan: &Plan) -> Result<(), Violation> {
    let roots: Vec<usize> = (0..buffers.len()).map(|i| outermost(buffers, i)).collect();
    // An outer buffer keeps its memory while anything inside it is live.
    let steps: Vec<(u64, u64)> = (0..buffers.len())
        .map(|i| {
            let members = || (0..buffers.len()).filter(|&j| j == i || roots[j] == i);
            let first = members().map(|j| buffers[j].first).min().unwrap_or(0);
            let end = members().map(|j| buffers[j].end).max().unwrap_or(0);
            (first, end)
        })
        .collect();
    for i in 0..buffers.len() {
        for j in i + 1..buffers.len() {
            let (a, b) = (&buffers[i], &buffers[j]);
            let (p, q) = (plan.offsets[i], plan.offsets[j]);
            let apart = p + a.bytes <= q || q + b.bytes <= p || a.bytes == 0 || b.bytes == 0;
            let never_together = steps[i].1 <= steps[j].0 || steps[j].1 <= steps[i].0;
            let related =
                roots[i] == roots[j] || handed_over(plan, buffers, &steps, roots[i], roots[j]);
            if !apart && !never_together && !related {
                return Err(Violation::Overlap {
                    first: a.id,
                    second: b.id,
                });
            }
        }
    }
    Ok(())
}

/// Whether one of two outermost buffers took over the other's memory, and one step has both.
fn handed_over(plan: &Plan, buffers: &[Buffer], steps: &[(u64, u64)], i: usize, j: usize) -> bool {
    let pair = |n: usize, o: usize| {
        plan.in_place.contains(&(buffers[n].id, buffers[o].id)) && steps[o].1 == steps[n].0 + 1
    };
    pair(i, j) || pair(j, i)
}
