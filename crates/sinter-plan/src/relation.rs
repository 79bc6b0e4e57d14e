//! Buffers that share memory become one block.

use std::collections::BTreeMap;

use petgraph::algo::toposort;
use petgraph::graph::DiGraph;

use crate::buffer::{Buffer, PlanError};
use crate::profile::Block;

/// Which in-place candidates are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Every candidate that fits.
    Fitting,
    /// Only those of the same size: they never keep more memory than they save.
    SameSize,
}

/// Buffers as blocks.
pub(crate) struct Grouped {
    pub(crate) blocks: Vec<Block>,
    /// For each buffer, its block and the offset within.
    pub(crate) places: Vec<(usize, u64)>,
    /// Ids of new owner and old owner.
    pub(crate) in_place: Vec<(usize, usize)>,
}

/// A checked problem: fixed places are resolved, in-place candidates still open.
pub(crate) struct Groups<'a> {
    buffers: &'a [Buffer],
    index: BTreeMap<usize, usize>,
    /// For each buffer, the outermost buffer around it and the offset within.
    fixed: Vec<(usize, u64)>,
}

impl<'a> Groups<'a> {
    pub(crate) fn new(buffers: &'a [Buffer]) -> Result<Self, PlanError> {
        let mut groups = Self {
            buffers,
            index: BTreeMap::new(),
            fixed: Vec::new(),
        };
        for (i, buffer) in buffers.iter().enumerate() {
            check_alone(buffer)?;
            if groups.index.insert(buffer.id, i).is_some() {
                return Err(PlanError::DuplicateId { id: buffer.id });
            }
        }
        let total = buffers.iter().try_fold(0u64, |sum, b| {
            sum.checked_add(b.bytes)?
                .checked_add(b.align)
                .filter(|&sum| sum < 1 << 63)
        });
        total.ok_or(PlanError::TooLarge)?;
        groups.fix()?;
        Ok(groups)
    }

    fn find(&self, id: usize, other: usize) -> Result<usize, PlanError> {
        self.index
            .get(&other)
            .copied()
            .ok_or(PlanError::UnknownId { id, other })
    }

    /// Resolves chains of fixed places, outermost buffers first.
    fn fix(&mut self) -> Result<(), PlanError> {
        let mut graph = DiGraph::<(), ()>::with_capacity(self.buffers.len(), 0);
        let nodes: Vec<_> = self.buffers.iter().map(|_| graph.add_node(())).collect();
        for (i, buffer) in self.buffers.iter().enumerate() {
            if let Some(inside) = buffer.inside {
                graph.add_edge(nodes[self.find(buffer.id, inside.of)?], nodes[i], ());
            }
            for &other in &buffer.in_place {
                self.find(buffer.id, other)?;
            }
        }
        let order = toposort(&graph, None).map_err(|cycle| PlanError::Cycle {
            id: self.buffers[cycle.node_id().index()].id,
        })?;
        self.fixed = (0..self.buffers.len()).map(|i| (i, 0)).collect();
        for node in order {
            self.place_inside(node.index())?;
        }
        Ok(())
    }

    fn place_inside(&mut self, i: usize) -> Result<(), PlanError> {
        let buffer = &self.buffers[i];
        let Some(inside) = buffer.inside else {
            return Ok(());
        };
        let outer = &self.buffers[self.index[&inside.of]];
        let end = inside.offset.checked_add(buffer.bytes);
        if end.is_none_or(|end| end > outer.bytes) {
            return Err(PlanError::Outside {
                id: buffer.id,
                of: outer.id,
            });
        }
        let (root, base) = self.fixed[self.index[&inside.of]];
        let offset = base + inside.offset;
        if !offset.is_multiple_of(buffer.align) {
            return Err(PlanError::Misaligned {
                id: buffer.id,
                align: buffer.align,
            });
        }
        self.fixed[i] = (root, offset);
        Ok(())
    }

    /// Makes one block per set of buffers that share memory.
    pub(crate) fn blocks(&self, sharing: Sharing) -> Grouped {
        let mut hulls = self.hulls();
        let mut owner: Vec<usize> = (0..self.buffers.len()).collect();
        let mut in_place = Vec::new();
        let mut gone = vec![false; self.buffers.len()];
        for i in self.by_first_use() {
            if self.fixed[i].0 != i {
                continue;
            }
            let candidates = self.buffers[i].in_place.iter().map(|id| self.index[id]);
            let taken = candidates
                .filter(|&old| self.whole(old) && !gone[old])
                .find(|&old| {
                    self.can_take(&hulls[i], &hulls[owner[old]], old, sharing) && owner[old] != i
                });
            if let Some(old) = taken {
                let root = owner[old];
                gone[old] = true;
                owner[i] = root;
                hulls[root].end = hulls[i].end;
                hulls[root].align = hulls[root].align.max(hulls[i].align);
                in_place.push((self.buffers[i].id, self.buffers[old].id));
            }
        }
        self.collect(&hulls, &owner, in_place)
    }

    /// Lifetime and alignment of each outermost buffer with all that is inside it.
    fn hulls(&self) -> Vec<Block> {
        let alone = |b: &Buffer| Block {
            id: b.id,
            first: b.first,
            end: b.end,
            bytes: b.bytes,
            align: b.align,
        };
        let mut hulls: Vec<Block> = self.buffers.iter().map(alone).collect();
        for (buffer, &(root, _)) in self.buffers.iter().zip(&self.fixed) {
            let hull = &mut hulls[root];
            hull.first = hull.first.min(buffer.first);
            hull.end = hull.end.max(buffer.end);
            hull.align = hull.align.max(buffer.align);
        }
        hulls
    }

    fn by_first_use(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.buffers.len()).collect();
        order.sort_by_key(|&i| (self.buffers[i].first, i));
        order
    }

    /// Whether a buffer is all of its memory, not a part of another one.
    fn whole(&self, i: usize) -> bool {
        self.fixed[i].0 == i
    }

    /// Whether `new` may follow the current owner of `old`'s memory, whose hull is `hull`.
    fn can_take(&self, new: &Block, hull: &Block, old: usize, sharing: Sharing) -> bool {
        let old = &self.buffers[old];
        let hands_over = old.end == new.first + 1 && hull.end == old.end && old.first < new.first;
        let fits = match sharing {
            Sharing::Fitting => new.bytes <= old.bytes,
            Sharing::SameSize => new.bytes == hull.bytes,
        };
        hands_over && fits
    }

    fn collect(&self, hulls: &[Block], owner: &[usize], in_place: Vec<(usize, usize)>) -> Grouped {
        let mut blocks = Vec::new();
        let mut number = vec![0; hulls.len()];
        for (i, hull) in hulls.iter().enumerate() {
            if self.fixed[i].0 == i && owner[i] == i {
                number[i] = blocks.len();
                blocks.push(*hull);
            }
        }
        let places = self
            .fixed
            .iter()
            .map(|&(root, offset)| (number[owner[root]], offset));
        Grouped {
            blocks,
            places: places.collect(),
            in_place,
        }
    }
}

fn check_alone(buffer: &Buffer) -> Result<(), PlanError> {
    let id = buffer.id;
    if buffer.first >= buffer.end {
        return Err(PlanError::EmptyLifetime { id });
    }
    if !buffer.align.is_power_of_two() {
        return Err(PlanError::Misaligned {
            id,
            align: buffer.align,
        });
    }
    Ok(())
}
