//! What the exact search has placed so far, with a trail to take it back.

use std::ops::Range;

use crate::profile::{Block, grain};

/// A block in sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Size, rounded up to the grain.
    pub(crate) bytes: u64,
    /// How much of it is rounding.
    pub(crate) pad: u64,
    pub(crate) align: u64,
}

impl Item {
    pub(crate) fn covers(&self, section: usize) -> bool {
        self.start <= section && section < self.end
    }
}

/// A moment to go back to.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    trail: usize,
    placed: usize,
}

pub(crate) struct State {
    pub(crate) items: Vec<Item>,
    pub(crate) capacity: u64,
    /// Where free memory begins, per section: nothing that is left can lie lower.
    pub(crate) floor: Vec<u64>,
    /// Bytes still to be placed, per section.
    rest: Vec<u64>,
    /// The capacity, per section, with room for the rounding of a block on top.
    limit: Vec<u64>,
    offsets: Vec<u64>,
    /// Sections whose floor rose, with the floor before.
    trail: Vec<(usize, u64)>,
    placed: Vec<usize>,
}

impl State {
    pub(crate) fn new(blocks: &[Block], capacity: u64) -> Self {
        let mut cuts: Vec<u64> = blocks.iter().flat_map(|b| [b.first, b.end]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let at = |step: u64| cuts.partition_point(|&cut| cut < step);
        let grain = grain(blocks);
        let item = |b: &Block| {
            let bytes = b.bytes.next_multiple_of(grain);
            let (start, end) = (at(b.first), at(b.end));
            Item {
                start,
                end,
                bytes,
                pad: bytes - b.bytes,
                align: b.align,
            }
        };
        let items: Vec<Item> = blocks.iter().map(item).collect();
        let mut rest = vec![0; cuts.len().saturating_sub(1)];
        let mut limit = vec![capacity; rest.len()];
        for item in &items {
            rest[item.start..item.end]
                .iter_mut()
                .for_each(|r| *r += item.bytes);
            let padded = capacity.saturating_add(item.pad);
            limit[item.start..item.end]
                .iter_mut()
                .for_each(|l| *l = padded.max(*l));
        }
        Self {
            floor: vec![0; rest.len()],
            rest,
            limit,
            offsets: vec![0; items.len()],
            items,
            capacity,
            trail: Vec::new(),
            placed: Vec::new(),
        }
    }

    /// Offsets of all blocks and their peak, once all are placed.
    pub(crate) fn solution(&self) -> (Vec<u64>, u64) {
        let tops = self
            .items
            .iter()
            .zip(&self.offsets)
            .map(|(item, offset)| offset + item.bytes - item.pad);
        (self.offsets.clone(), tops.max().unwrap_or(0))
    }

    /// Bytes of a section that may be wasted.
    pub(crate) fn slack(&self, section: usize) -> u64 {
        self.limit[section].saturating_sub(self.floor[section] + self.rest[section])
    }

    /// The lowest offset at which a block could be put now.
    fn lowest(&self, i: usize) -> u64 {
        let item = &self.items[i];
        let floor = self.floor[item.start..item.end]
            .iter()
            .copied()
            .max()
            .unwrap_or(0);
        floor.next_multiple_of(item.align)
    }

    /// Whether a block at its lowest offset would lie above room, made by its alignment, into which
    /// another one of those left fits.
    pub(crate) fn leaves_room(&self, i: usize, left: &[usize]) -> bool {
        let (item, offset) = (&self.items[i], self.lowest(i));
        let floors = &self.floor[item.start..item.end];
        if floors.iter().all(|&floor| floor == offset) {
            return false;
        }
        left.iter().filter(|&&j| j != i).any(|&j| {
            let other = &self.items[j];
            let meets = other.start < item.end && item.start < other.end;
            meets && self.lowest(j) + other.bytes <= offset
        })
    }

    /// Raises a floor; false when what is left there does not fit any more.
    pub(crate) fn raise(&mut self, section: usize, to: u64) -> bool {
        if self.floor[section] < to {
            self.trail.push((section, self.floor[section]));
            self.floor[section] = to;
        }
        self.floor[section] + self.rest[section] <= self.limit[section]
    }

    /// Puts a block at its lowest offset; false when that is a dead end.
    pub(crate) fn place(&mut self, i: usize) -> bool {
        let item = self.items[i];
        let offset = self.lowest(i);
        self.offsets[i] = offset;
        self.placed.push(i);
        self.rest[item.start..item.end]
            .iter_mut()
            .for_each(|r| *r -= item.bytes);
        let top = offset + item.bytes;
        top - item.pad <= self.capacity && (item.start..item.end).all(|s| self.raise(s, top))
    }

    /// Raises floors to the lowest offset of any block left, again and again; false when something
    /// does not fit any more.
    pub(crate) fn force(&mut self, left: &[usize], sections: Range<usize>) -> bool {
        let first = sections.start;
        let mut least = vec![u64::MAX; sections.len()];
        loop {
            least.fill(u64::MAX);
            for &i in left {
                let lowest = self.lowest(i);
                let item = &self.items[i];
                for l in &mut least[item.start - first..item.end - first] {
                    *l = lowest.min(*l);
                }
            }
            let mut rose = false;
            for section in sections.clone() {
                // Every section of a part has a block left.
                let to = least[section - first];
                rose |= to > self.floor[section];
                if !self.raise(section, to) {
                    return false;
                }
            }
            if !rose {
                return true;
            }
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            trail: self.trail.len(),
            placed: self.placed.len(),
        }
    }

    /// Takes back everything since the mark.
    pub(crate) fn undo(&mut self, mark: Mark) {
        for (section, floor) in self.trail.drain(mark.trail..).rev() {
            self.floor[section] = floor;
        }
        for i in self.placed.drain(mark.placed..) {
            let item = self.items[i];
            self.rest[item.start..item.end]
                .iter_mut()
                .for_each(|r| *r += item.bytes);
        }
    }
}
