//! Tiles that overlap: what a block computes of a value that later stages read through a window.
//!
//! A stage whose iterator runs along a grid axis usually computes the block's tile of it. Where the
//! readers of its result see more than a tile (the taps of a convolution, a stride, an offset), it
//! computes a wider *region*, and neighbouring blocks compute the overlap, the *halo*, each for
//! itself. Regions follow from the accesses alone, so a schedule names iterators only.

use crate::affine::{Affine, Interval};
use crate::kernel::{Kernel, Role};
use crate::nest::{IterKind, Nest};
use crate::place_stages::writes_slot;

/// The points of a stage's iterator that a block needs when it computes `first..=last` of a grid
/// axis: `scale * first + low ..= scale * last + high`, as far as they lie in the iterator's domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region {
    /// Points of the iterator per point of the axis.
    pub scale: i64,
    /// Before the tile's first point (negative) or after it.
    pub low: i64,
    /// After the tile's last point.
    pub high: i64,
}

impl Region {
    /// The tile itself.
    pub const TILE: Self = Self {
        scale: 1,
        low: 0,
        high: 0,
    };

    /// Points that a block computes for a tile of `tile` points, of an iterator of `extent` points.
    pub fn points(self, tile: i64, extent: i64) -> i64 {
        (self.scale * (tile - 1) + self.high - self.low + 1).clamp(1, extent.max(1))
    }

    /// The first point that a block computes whose tile starts at `first`. A region that would leave
    /// the domain is moved inside, so that every block computes equally many points.
    pub fn start(self, first: i64, tile: i64, extent: i64) -> i64 {
        let last = extent - self.points(tile, extent);
        (self.scale * first + self.low).clamp(0, last)
    }

    /// Both regions, where one step of the axis moves them alike.
    fn hull(self, other: Self) -> Option<Self> {
        (self.scale == other.scale).then(|| Self {
            scale: self.scale,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        })
    }

    /// What is read by points of this region at `step * point + window`.
    fn read_at(self, step: i64, window: Interval) -> Self {
        Self {
            scale: step * self.scale,
            low: step * self.low + window.min,
            high: step * self.high + window.max,
        }
    }
}

/// For each stage with an iterator along an axis, the region of it that a block computes; `None` in
/// all where the accesses do not tie the iterators to one tile.
pub fn regions(kernel: &Kernel, iters: &[Option<usize>]) -> Option<Vec<Option<Region>>> {
    let mut found: Vec<Option<Region>> = vec![None; kernel.stages.len()];
    let extent = axis_extent(kernel, iters)?;
    for n in (0..kernel.stages.len()).rev() {
        if let Some(iter) = *iters.get(n)? {
            found[n] = Some(region_of(kernel, iters, &found, (n, iter), extent)?);
        }
    }
    Some(found)
}

/// Points along the axis: those of the last stage that writes an output and runs along it.
fn axis_extent(kernel: &Kernel, iters: &[Option<usize>]) -> Option<i64> {
    let along = kernel.stages.iter().zip(iters).rev();
    along
        .filter(|(stage, _)| writes_output(kernel, stage))
        .find_map(|(stage, iter)| Some(stage.iters.get((*iter)?)?.extent))
}

fn region_of(
    kernel: &Kernel,
    iters: &[Option<usize>],
    later: &[Option<Region>],
    (n, iter): (usize, usize),
    axis_extent: i64,
) -> Option<Region> {
    let stage = &kernel.stages[n];
    let own = stage
        .iters
        .get(iter)
        .filter(|i| i.kind == IterKind::Parallel)?;
    let mut region = (writes_output(kernel, stage)).then_some(Region::TILE);
    for write in &stage.writes {
        if kernel.slots[write.operand].role != Role::Temporary {
            continue;
        }
        let dim = write.index.iter().position(|e| e.uses(iter));
        for (r, reader) in kernel.stages.iter().enumerate().skip(n + 1) {
            for read in reads_of(reader, write.operand) {
                let along = (*iters.get(r)?)?;
                let (step, window) = sliding(reader, &read.index[dim?], along)?;
                let of_reader = later[r]?;
                let halo = !is_tile(of_reader, reader.iters[along].extent, axis_extent);
                let reach = step * (reader.iters[along].extent - 1) + window.max;
                // A reader that is itself moved inside reads no further than this one computes.
                if halo && (window.min > 0 || reach < own.extent - 1) {
                    return None;
                }
                let wanted = of_reader.read_at(step, window);
                region = Some(region.map_or(Some(wanted), |r| r.hull(wanted))?);
            }
        }
    }
    let region = region.unwrap_or(Region::TILE);
    let stored = writes_output(kernel, stage);
    (!stored || is_tile(region, own.extent, axis_extent)).then_some(region)
}

/// Whether a region is exactly the block's tile.
pub fn is_tile(region: Region, extent: i64, axis_extent: i64) -> bool {
    region == Region::TILE && extent == axis_extent
}

/// The iterator of a stage that can run along an axis with a halo: all its results are temporaries
/// that only stages along the axis read, each at an index that grows with the axis.
pub(super) fn member(kernel: &Kernel, n: usize, iters: &[Option<usize>]) -> Option<usize> {
    let stage = &kernel.stages[n];
    let mut found = None;
    for write in &stage.writes {
        let slot = write.operand;
        let sole = kernel
            .stages
            .iter()
            .filter(|s| writes_slot(s, slot))
            .count()
            == 1;
        if kernel.slots[slot].role != Role::Temporary || !sole {
            return None;
        }
        for (r, reader) in kernel.stages.iter().enumerate().skip(n + 1) {
            for read in reads_of(reader, slot) {
                let along = iters[r]?;
                let mut dims = (0..read.index.len()).filter(|&d| read.index[d].uses(along));
                let (dim, None) = (dims.next()?, dims.next()) else {
                    return None;
                };
                sliding(reader, &read.index[dim], along)?;
                let iter = write.index[dim].is_plain_iter()?;
                let extent = kernel.slots[slot].ty.shape[dim];
                let alone = write.index.iter().filter(|e| e.uses(iter)).count() == 1;
                let whole = stage.iters[iter].extent == extent;
                let other = found.is_some_and(|f| f != iter);
                if other || !alone || !whole || stage.iters[iter].kind != IterKind::Parallel {
                    return None;
                }
                found = Some(iter);
            }
        }
    }
    let mut with = iters.to_vec();
    with[n] = found;
    regions(kernel, &with)?;
    found
}

/// An index as a positive multiple of an iterator plus what the others add.
fn sliding(stage: &Nest, index: &Affine, along: usize) -> Option<(i64, Interval)> {
    let (coefficients, _) = index.linear(stage.iters.len())?;
    let step = coefficients[along];
    let mut extents = stage.extents();
    extents[along] = 1;
    (step > 0).then(|| (step, index.range(&extents)))
}

fn reads_of(stage: &Nest, slot: usize) -> impl Iterator<Item = &crate::nest::Access> {
    let all = stage.reads.iter().chain(&stage.finish_reads);
    all.filter(move |r| r.operand == slot)
}

fn writes_output(kernel: &Kernel, stage: &Nest) -> bool {
    let mut writes = stage.writes.iter();
    writes.any(|w| kernel.slots[w.operand].role == Role::Output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_moved_inside_the_domain() {
        let taps = Region::TILE.read_at(1, Interval { min: -1, max: 1 });
        assert_eq!(taps.points(4, 10), 6);
        assert_eq!([0, 4, 8].map(|x| taps.start(x, 4, 10)), [0, 3, 4]);
        assert_eq!(taps.points(10, 10), 10);
        let strided = taps.read_at(2, Interval { min: 0, max: 2 });
        assert_eq!((strided.low, strided.high, strided.scale), (-2, 4, 2));
        assert_eq!(taps.hull(strided), None);
    }
}
