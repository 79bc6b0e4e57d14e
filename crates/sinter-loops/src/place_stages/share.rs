//! The grid axes that the stages of a kernel have in common.

use crate::kernel::{Kernel, Role};
use crate::nest::{Access, IterKind, Nest};
use crate::place_stages::halo::member;
use crate::place_stages::{reads_slot, writes_slot};
use crate::refusal::Refusal;

/// The axes of a kernel's grid, outermost first.
///
/// A block computes a tile of every axis. Within it each stage runs over its part of the tile and
/// over all points of its other iterators. A dimension of a temporary that writer and readers index
/// by one axis holds the block's tile of it; its other dimensions are whole within the block. A stage
/// that lacks an axis is computed again in every block along it; such stages are small and write
/// temporaries only, so that every element of an output is written by exactly one block.
///
/// Along an axis with a *halo* some stages compute more than the tile, because later ones read their
/// results through a window ([`regions`](super::regions)). Such stages write temporaries only. Whether
/// the overlap of blocks is worth it is for the price to say: a tile of the whole axis has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedAxes {
    /// The axes, in the order of the last stage's iterators.
    pub axes: Vec<SharedAxis>,
}

/// One axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedAxis {
    /// Points along the axis.
    pub extent: i64,
    /// For each stage, the parallel iterator that runs along it.
    pub iters: Vec<Option<usize>>,
    /// Whether blocks overlap: a stage computes a region that is wider than the tile.
    pub halo: bool,
}

impl SharedAxes {
    /// The axis along which an iterator of a stage runs.
    pub fn axis_of(&self, stage: usize, iter: usize) -> Option<usize> {
        self.axes.iter().position(|a| a.iters[stage] == Some(iter))
    }

    /// For each dimension of a temporary, the axis of which a block holds only its tile; `None` where
    /// the block holds the whole dimension.
    pub fn temporary_axes(&self, kernel: &Kernel, slot: usize) -> Vec<Option<usize>> {
        let rank = kernel.slots[slot].ty.rank();
        let write = kernel
            .stages
            .iter()
            .enumerate()
            .find_map(|(n, s)| s.writes.iter().find(|w| w.operand == slot).map(|w| (n, w)));
        let Some((stage, write)) = write else {
            return vec![None; rank];
        };
        let axis = |d: usize| self.axis_of(stage, write.index[d].is_plain_iter()?);
        (0..rank).map(axis).collect()
    }
}

/// A kernel of several stages but no common axis runs as one block; with more points than this it is
/// refused.
const MAX_SINGLE_BLOCK_POINTS: i64 = 1 << 19;

/// A stage may lack axes, and be computed again in every block along them, while its repeated points
/// are at most one in this many of the kernel's.
const REPEATED_PART: i64 = 4;

/// The number of blocks along lacking axes that a schedule can be expected to need at most.
const REPEATING_BLOCKS: i64 = 64;

/// The most elements that a stage which lacks axes may compute: vectors of channels, not images.
const MAX_REPEATED_ELEMENTS: i64 = 4096;

/// Finds the shared axes of a placed kernel (also after [`coalesce`](crate::coalesce())). With a
/// single stage they are all its parallel iterators.
///
/// # Errors
/// [`Refusal::ShapeCannotShareTile`], [`Refusal::PaddedReadOfComputedValue`],
/// [`Refusal::OutputsCannotShareGrid`].
pub fn shared_axes(kernel: &Kernel) -> Result<SharedAxes, Refusal> {
    axes_with(kernel, Extents::Halos)
}

/// The axes of [`shared_axes`] without those that have a halo: blocks do not overlap.
///
/// # Errors
/// As [`shared_axes`].
pub fn exact_axes(kernel: &Kernel) -> Result<SharedAxes, Refusal> {
    axes_with(kernel, Extents::Exact)
}

/// The axes of [`exact_axes`] along which every access to a temporary is at the same place in each
/// block: what reads a dimension that is whole within the block runs along all of it. For devices
/// that hold temporaries in tiles, which are addressed from the tile's first element on.
///
/// # Errors
/// As [`shared_axes`].
pub fn tile_axes(kernel: &Kernel) -> Result<SharedAxes, Refusal> {
    axes_with(kernel, Extents::Tiles)
}

/// What blocks may do with the dimensions of temporaries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extents {
    /// Compute more than the tile.
    Halos,
    /// Read a part of a whole dimension.
    Exact,
    /// Neither.
    Tiles,
}

fn axes_with(kernel: &Kernel, extents: Extents) -> Result<SharedAxes, Refusal> {
    if let [stage] = &kernel.stages[..] {
        let axis = |i: usize| SharedAxis {
            extent: stage.iters[i].extent,
            iters: vec![Some(i)],
            halo: false,
        };
        return Ok(SharedAxes {
            axes: stage.parallels().map(axis).collect(),
        });
    }
    let classes = Classes::of(kernel, extents);
    let axes = classes.axes(kernel, extents == Extents::Halos);
    let points: i64 = kernel.stages.iter().map(Nest::points).sum();
    if axes.is_empty() && points > MAX_SINGLE_BLOCK_POINTS {
        return Err(refusal(kernel, &classes, points));
    }
    Ok(SharedAxes { axes })
}

/// Iterators of all stages, in classes that temporaries tie together.
struct Classes {
    /// First node of each stage.
    first: Vec<usize>,
    /// Union-find parents.
    parent: Vec<usize>,
    /// Nodes that must run whole within a block.
    whole: Vec<bool>,
    /// Component of each stage: stages that temporaries connect.
    component: Vec<usize>,
    /// Temporaries with a dimension that is not indexed alike, and a reader that does so.
    unlike: Vec<(usize, usize)>,
}

impl Classes {
    fn of(kernel: &Kernel, extents: Extents) -> Self {
        let mut first = Vec::new();
        let mut nodes = 0;
        for stage in &kernel.stages {
            first.push(nodes);
            nodes += stage.iters.len();
        }
        let mut classes = Self {
            first,
            parent: (0..nodes).collect(),
            whole: vec![false; nodes],
            component: (0..kernel.stages.len()).collect(),
            unlike: Vec::new(),
        };
        for slot in kernel.slots_of(Role::Temporary) {
            classes.add_temporary(kernel, slot, extents);
        }
        classes.close(kernel);
        classes
    }

    fn add_temporary(&mut self, kernel: &Kernel, slot: usize, extents: Extents) {
        let users: Vec<usize> = (0..kernel.stages.len())
            .filter(|&n| kernel.stages[n].accesses().any(|a| a.operand == slot))
            .collect();
        for pair in users.windows(2) {
            let (a, b) = (self.component[pair[0]], self.component[pair[1]]);
            self.component
                .iter_mut()
                .filter(|c| **c == b)
                .for_each(|c| *c = a);
        }
        for (dim, &extent) in kernel.slots[slot].ty.shape.iter().enumerate() {
            if extent == 1 {
                continue;
            }
            let mut nodes = Vec::new();
            let mut unlike = None;
            for &n in &users {
                for access in kernel.stages[n].accesses().filter(|a| a.operand == slot) {
                    match plain(&kernel.stages[n], access, dim, extent) {
                        Some(i) => nodes.push(self.first[n] + i),
                        None => unlike = Some(n),
                    }
                }
            }
            match unlike {
                None => nodes.windows(2).for_each(|w| self.union(w[0], w[1])),
                Some(reader) => {
                    self.unlike.push((slot, reader));
                    self.keep_whole(kernel, slot, dim, extents);
                }
            }
        }
    }

    /// The writers' iterators along a dimension run whole within a block; with tiles also the readers'.
    fn keep_whole(&mut self, kernel: &Kernel, slot: usize, dim: usize, extents: Extents) {
        for (n, stage) in kernel.stages.iter().enumerate() {
            let reads = stage.accesses().filter(|_| extents == Extents::Tiles);
            for access in stage
                .writes
                .iter()
                .chain(reads)
                .filter(|w| w.operand == slot)
            {
                for i in access.index[dim].iters() {
                    self.whole[self.first[n] + i] = true;
                }
            }
        }
    }

    /// Spreads `whole` over classes, also to those with two iterators of one stage or with unequal
    /// extents.
    fn close(&mut self, kernel: &Kernel) {
        let nodes: Vec<(usize, i64)> = kernel
            .stages
            .iter()
            .enumerate()
            .flat_map(|(n, s)| s.iters.iter().map(move |i| (n, i.extent)))
            .collect();
        for a in 0..nodes.len() {
            for b in 0..a {
                let clash = nodes[a].0 == nodes[b].0 || nodes[a].1 != nodes[b].1;
                if self.find(a) == self.find(b) && clash {
                    self.whole[a] = true;
                }
            }
        }
        let whole_classes: Vec<usize> = (0..nodes.len())
            .filter(|&a| self.whole[a])
            .map(|a| self.find(a))
            .collect();
        self.whole = (0..nodes.len())
            .map(|a| whole_classes.contains(&self.find(a)))
            .collect();
    }

    fn find(&self, mut node: usize) -> usize {
        while self.parent[node] != node {
            node = self.parent[node];
        }
        node
    }

    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// The iterator of a stage in the class of a node.
    fn member(&self, kernel: &Kernel, stage: usize, class: usize) -> Option<usize> {
        (0..kernel.stages[stage].iters.len()).find(|&i| self.find(self.first[stage] + i) == class)
    }

    /// Classes that could be axes for a component, in the order of its last stage that writes an
    /// output, with the members per stage.
    fn candidates(&self, kernel: &Kernel, component: usize, halos: bool) -> Vec<SharedAxis> {
        let total: i64 = kernel.stages.iter().map(Nest::points).sum();
        let stages: Vec<usize> = (0..kernel.stages.len())
            .filter(|&n| self.component[n] == component)
            .collect();
        let root = stages.iter().rev().find(|&&n| writes_output(kernel, n));
        let Some(&root) = root else { return Vec::new() };
        let stage = &kernel.stages[root];
        let mut repeated = vec![1; kernel.stages.len()];
        let mut out: Vec<SharedAxis> = Vec::new();
        for i in stage.parallels().filter(|&i| stage.iters[i].extent > 1) {
            let node = self.first[root] + i;
            if self.whole[node] {
                continue;
            }
            let class = self.find(node);
            let member = |n: usize| {
                let inside = self.component[n] == component;
                inside.then(|| self.member(kernel, n, class)).flatten()
            };
            let exact: Vec<_> = (0..kernel.stages.len()).map(member).collect();
            let extent = stage.iters[i].extent;
            let widened = halos.then(|| with_halos(kernel, &stages, &exact, &out));
            let (iters, halo) = match widened.flatten() {
                Some(iters) => (iters, true),
                None => (exact, false),
            };
            let lacking: Vec<usize> = stages
                .iter()
                .copied()
                .filter(|&n| iters[n].is_none())
                .collect();
            let affordable = lacking.iter().all(|&n| {
                let blocks = (repeated[n] * extent).min(REPEATING_BLOCKS);
                let points = kernel.stages[n].points() * blocks;
                !writes_output(kernel, n)
                    && kernel.stages[n].parallel_points() <= MAX_REPEATED_ELEMENTS
                    && points * REPEATED_PART <= total
            });
            if affordable {
                lacking.iter().for_each(|&n| repeated[n] *= extent);
                out.push(SharedAxis {
                    extent,
                    iters,
                    halo,
                });
            }
        }
        out
    }

    /// The candidates of all components, paired by extent in order.
    fn axes(&self, kernel: &Kernel, halos: bool) -> Vec<SharedAxis> {
        let mut components = self.component.clone();
        components.sort_unstable();
        components.dedup();
        let mut lists: Vec<_> = components
            .iter()
            .map(|&c| self.candidates(kernel, c, halos))
            .collect();
        let Some(leading) = lists.pop() else {
            return Vec::new();
        };
        let mut axes = Vec::new();
        'axis: for mut axis in leading {
            let mut partners = Vec::new();
            for list in &lists {
                let Some(p) = list.iter().position(|a| a.extent == axis.extent) else {
                    continue 'axis;
                };
                partners.push(p);
            }
            for (list, p) in lists.iter_mut().zip(partners) {
                let partner = list.remove(p);
                for (mine, theirs) in axis.iters.iter_mut().zip(partner.iters) {
                    *mine = mine.or(theirs);
                }
                axis.halo |= partner.halo;
            }
            axes.push(axis);
        }
        axes
    }
}

/// The iterators of an axis with those of stages that can run along it with a halo; `None` where no
/// stage can. No iterator runs along two axes.
fn with_halos(
    kernel: &Kernel,
    stages: &[usize],
    exact: &[Option<usize>],
    others: &[SharedAxis],
) -> Option<Vec<Option<usize>>> {
    let mut iters = exact.to_vec();
    for &n in stages.iter().rev().filter(|&&n| exact[n].is_none()) {
        let taken = |i: &usize| others.iter().any(|a| a.iters[n] == Some(*i));
        iters[n] = member(kernel, n, &iters).filter(|i| !taken(i));
    }
    (iters != exact).then_some(iters)
}

fn writes_output(kernel: &Kernel, stage: usize) -> bool {
    kernel.stages[stage]
        .writes
        .iter()
        .any(|w| kernel.slots[w.operand].role == Role::Output)
}

/// The parallel iterator that indexes the whole dimension and no other.
fn plain(stage: &Nest, access: &Access, dim: usize, extent: i64) -> Option<usize> {
    let i = access.index[dim].is_plain_iter()?;
    let alone = access
        .index
        .iter()
        .enumerate()
        .all(|(d, e)| d == dim || !e.uses(i));
    let iter = &stage.iters[i];
    (alone && iter.kind == IterKind::Parallel && iter.extent == extent).then_some(i)
}

fn refusal(kernel: &Kernel, classes: &Classes, points: i64) -> Refusal {
    for slot in kernel.slots_of(Role::Temporary) {
        let pointwise = kernel
            .stages
            .iter()
            .any(|s| writes_slot(s, slot) && !s.has_reduction());
        let padded = |s: &Nest| {
            s.reads
                .iter()
                .chain(&s.finish_reads)
                .any(|r| r.operand == slot && r.pad.is_some())
        };
        if let Some(reader) = kernel.stages.iter().position(padded).filter(|_| pointwise) {
            return Refusal::PaddedReadOfComputedValue { slot, reader };
        }
    }
    if let Some(&(slot, reader)) = classes.unlike.first() {
        return Refusal::ShapeCannotShareTile {
            slot,
            reader,
            points,
        };
    }
    let handed_on = kernel
        .slots_of(Role::Temporary)
        .find_map(|s| Some((s, kernel.stages.iter().position(|n| reads_slot(n, s))?)));
    match handed_on {
        Some((slot, reader)) if classes.component.iter().all(|&c| c == classes.component[0]) => {
            Refusal::ShapeCannotShareTile {
                slot,
                reader,
                points,
            }
        }
        _ => Refusal::OutputsCannotShareGrid { points },
    }
}
