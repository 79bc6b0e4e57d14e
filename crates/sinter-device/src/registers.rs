//! The register tile of one stage: which iterator lies along vectors, which forms rows, how many of
//! each. [What that costs](crate::tile_cost) decides.

use std::collections::BTreeMap;

use sinter_loops::dot_products::{Factors, dot_factors};
use sinter_loops::kernel::{Slot, StageSchedule};
use sinter_loops::nest::{IterKind, Nest};
use sinter_loops::selection::{Selection, selection};

use crate::body;
use crate::device::Device;
use crate::movement::{Crowding, Move, Movement, Traffic};
use crate::tile_cost::div_ceil;
use crate::windows::Window;

/// Most vectors of one row of a register tile.
const MOST_VECTORS: i64 = 4;
/// Most vectors of a register tile of one row.
const MOST_VECTORS_ALONE: i64 = 8;
/// Fewest lanes of a vector on scratchpad devices.
const LEAST_CHIP_LANES: i64 = 8;

/// A stage's register tile with its cost.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) schedule: StageSchedule,
    /// Vector operations of the whole stage.
    pub(crate) cost: f64,
}

/// A stage with what is fixed about it.
pub(crate) struct Stage<'a> {
    pub(crate) nest: &'a Nest,
    pub(crate) slots: &'a [Slot],
    pub(crate) device: &'a Device,
    pub(crate) extents: Vec<i64>,
    /// Points of each iterator that one block computes.
    pub(crate) tile: Vec<i64>,
    pub(crate) lanes: i64,
    pub(crate) element_bytes: usize,
    pub(crate) body_operations: f64,
    pub(crate) finish_operations: f64,
    pub(crate) live: i64,
    pub(crate) reads: Vec<Movement<'a>>,
    /// Reads of `finish`, then writes.
    pub(crate) ends: Vec<Movement<'a>>,
    /// Overrides how an operand moves: (slot, vector iterator) that will be packed to unit stride.
    packed: Option<(usize, usize)>,
    /// Windows of the reads that slide.
    pub(crate) windows: Vec<Window>,
    /// The factors of a contraction that the device has dot products for.
    pub(crate) factors: Option<Factors>,
    /// The same for an operand that will be packed in groups: (slot, vector iterator).
    pub(crate) grouped: Option<(usize, usize)>,
    /// What is taken by index instead of by going through a whole extent.
    selection: Option<Selection>,
    /// Iterators that blocks cut: none is rows of a padded read.
    pub(crate) cut: Vec<usize>,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(nest: &'a Nest, slots: &'a [Slot], device: &'a Device) -> Self {
        let selection = match device.is_scratchpad() {
            true => None,
            false => selection(nest),
        };
        let indices = selection.as_ref().map_or(&[][..], |s| &s.reads);
        // Sums of bytes and halves may be wider than what is read and written.
        let sums = nest.body.result_types().unwrap_or_default();
        let sums = sums.iter().filter(|_| nest.contract).map(|ty| ty.bytes());
        let sums = sums.max().unwrap_or(0);
        let element_bytes = widest_element(nest, slots, indices).max(sums);
        // The product of a contraction is fused with its addition.
        let combines = if nest.contract {
            0
        } else {
            nest.combines.len()
        };
        let body_operations = body::vector_operations(&nest.body, device) + combines as f64;
        let extents = nest.extents();
        let movement = |access| Movement::new(access, slots, &extents);
        Self {
            nest,
            slots,
            device,
            reads: nest.reads.iter().map(movement).collect(),
            ends: nest
                .finish_reads
                .iter()
                .chain(&nest.writes)
                .map(movement)
                .collect(),
            tile: extents.clone(),
            extents,
            lanes: device.lanes(element_bytes),
            element_bytes,
            body_operations,
            finish_operations: body::vector_operations(&nest.finish, device),
            live: body::live_values(&nest.body).max(body::live_values(&nest.finish)),
            packed: None,
            windows: Window::of(nest, slots),
            factors: dot_factors(nest, slots)
                .filter(|f| device.dot(f.kind).is_some() && !device.is_scratchpad()),
            grouped: None,
            selection,
            cut: Vec::new(),
        }
    }

    /// The same with a constant operand taken as packed to unit stride along an iterator.
    pub(crate) fn with_packed(mut self, slot: usize, iter: usize) -> Self {
        self.packed = Some((slot, iter));
        self
    }

    /// The same where it is packed so that dot products may go along the innermost reduction.
    pub(crate) fn with_groups(mut self, slot: usize, iter: usize) -> Self {
        self.grouped = Some((slot, iter));
        self
    }

    /// The same where blocks cut these iterators.
    pub(crate) fn with_cut(mut self, iters: Vec<usize>) -> Self {
        self.cut = iters;
        self
    }

    /// The same for one block that computes so many points of each iterator.
    pub(crate) fn with_tile(mut self, tile: Vec<i64>) -> Self {
        self.tile = tile;
        self
    }

    /// The cheapest register tile.
    pub(crate) fn best(&self) -> Choice {
        let mut best = self.scalar();
        for v in 0..self.extents.len() {
            let found = self.best_along(v);
            if let Some(found) = found.filter(|f| f.cost < best.cost) {
                best = found;
            }
        }
        best
    }

    /// The cheapest register tile with vectors along `v`.
    pub(crate) fn best_along(&self, v: usize) -> Option<Choice> {
        if self.device.fixed_reductions && self.reduces_along(v) || self.changes_index(v) {
            return None;
        }
        let mut best: Option<Choice> = None;
        let rows = self.row_candidates(v);
        let rows: Vec<_> = rows.iter().map(|&r| (r, self.shares_loads(v, r))).collect();
        for lanes in self.lane_counts(v) {
            for vectors in 1..=self.most_vectors(v, lanes, rows.len() == 1) {
                if !self.writes_vectors(v, vectors * lanes) {
                    continue;
                }
                let fits = |rows: Option<usize>| rows.is_none() || vectors <= MOST_VECTORS;
                for &(rows, shares) in rows.iter().filter(|(rows, _)| fits(*rows)) {
                    // What the accesses cost depends on the jammed iterator, not on how far it goes.
                    let mut traffic = BTreeMap::new();
                    let dots = self.dots(v, lanes * vectors);
                    let group = dots.map_or(1, |d| d.group);
                    let counted = vectors * self.each_lane(v, lanes);
                    for (row_tile, jam) in self.tiles(v, rows, shares, lanes, vectors) {
                        let all = row_tile * jam.map_or(1, |j| j.tile);
                        let schedule = StageSchedule {
                            order: Vec::new(),
                            vector: Some(v),
                            lanes,
                            vectors,
                            rows,
                            row_tile,
                            jam,
                            unroll: self.unroll(shares, all, counted) * group,
                            reduction_tile: Vec::new(),
                        };
                        let jammed = jam.map(|j| j.iter);
                        let traffic = traffic.entry(jammed).or_insert_with(|| {
                            self.all_traffic(Some(v), rows, jammed, lanes * vectors)
                        });
                        let cost = self.cost_with(&schedule, traffic);
                        if best.as_ref().is_none_or(|b| cost < b.cost) {
                            best = Some(Choice { schedule, cost });
                        }
                    }
                }
            }
        }
        best.map(|b| self.ordered(b))
    }

    /// A choice with the order of its iterators.
    fn ordered(&self, mut choice: Choice) -> Choice {
        choice.schedule.order = self.order(choice.schedule.vector, choice.schedule.rows);
        choice
    }

    /// Whether points along an iterator may select different elements: neither vectors nor rows do that.
    pub(crate) fn changes_index(&self, iter: usize) -> bool {
        let changes = |s: &Selection| s.iter == iter || s.along.contains(&iter);
        self.selection.as_ref().is_some_and(changes)
    }

    pub(crate) fn reduces_along(&self, v: usize) -> bool {
        self.nest.iters[v].kind == IterKind::Reduction
    }

    /// Numbers of lanes to try: a whole vector, or less where the extent is smaller or no multiple of it
    /// and narrow vectors are faster; on scratchpad devices also less, as panels of constants may be
    /// narrower than a vector.
    fn lane_counts(&self, v: usize) -> Vec<i64> {
        let extent = self.extents[v].unsigned_abs();
        if extent < 2 {
            return vec![];
        }
        let most = self.lanes.min(extent.next_power_of_two() as i64);
        let mut counts = vec![most];
        while self.device.is_scratchpad() && counts[counts.len() - 1] > LEAST_CHIP_LANES {
            counts.push(counts[counts.len() - 1] / 2);
        }
        let width = |lanes| self.device.width_factor(lanes, self.element_bytes);
        let divides = self.extents[v] % most == 0 || self.reduces_along(v);
        if !self.device.is_scratchpad() && !divides && width(most / 2) < width(most) {
            counts.push(most / 2);
        }
        counts
    }

    /// Most vectors of a register tile; `alone`: it has one row.
    fn most_vectors(&self, v: usize, lanes: i64, alone: bool) -> i64 {
        if self.device.is_scratchpad() {
            return 1;
        }
        let reduces = self.reduces_along(v);
        if reduces && self.bytes() >= self.device.streamed_bytes() && !self.reads_again() {
            // Memory is slower than sums that wait for each other, and comes a little faster so.
            return 1;
        }
        let most = if alone || reduces {
            MOST_VECTORS_ALONE
        } else {
            MOST_VECTORS
        };
        div_ceil(self.extents[v], lanes).min(most)
    }

    /// Whether vectors along `v` can be written: consecutive elements, or scattered at a price. Only
    /// writes that do not depend on `v` are impossible, unless `v` is reduced.
    fn writes_vectors(&self, v: usize, tile: i64) -> bool {
        let mut writes = self.ends[self.nest.finish_reads.len()..].iter();
        self.reduces_along(v) || writes.all(|w| self.movement(w, v, tile) != Move::Broadcast)
    }

    fn scalar(&self) -> Choice {
        let schedule = StageSchedule {
            order: Vec::new(),
            vector: None,
            lanes: 1,
            vectors: 1,
            rows: None,
            row_tile: 1,
            jam: None,
            unroll: self.unroll(false, 1, 1),
            reduction_tile: Vec::new(),
        };
        let cost = self.cost(&schedule);
        self.ordered(Choice { schedule, cost })
    }

    /// Iterators that may form rows, and none.
    fn row_candidates(&self, v: usize) -> Vec<Option<usize>> {
        let mut out = vec![None];
        if self.device.is_scratchpad() {
            return out;
        }
        if self.nest.combines.is_empty() {
            let turns = |&r: &usize| self.reads.iter().any(|a| self.turns(a, v, r));
            out.extend(self.nest.parallels().filter(turns).map(Some));
            return out;
        }
        // The innermost of equals.
        let whole = |i: usize| {
            let mut reads = self.reads.iter();
            !self.cut.contains(&i) || !reads.any(|r| r.padded_along(i))
        };
        let parallel = self.nest.parallels().rev();
        let may = |&i: &usize| i != v && self.extents[i] > 1 && !self.changes_index(i) && whole(i);
        out.extend(parallel.filter(may).map(Some));
        out
    }

    /// Whether an access that jumps along `v` is of consecutive elements along `r`: squares of it are
    /// loaded along `r` and turned in registers.
    fn turns(&self, access: &Movement<'_>, v: usize, r: usize) -> bool {
        r != v
            && self.extents[r] > 1
            && access.stride(r, self.lanes, &self.extents) == Some(1)
            && self.movement(access, v, self.lanes) == Move::Gather
    }

    pub(crate) fn measured(
        &self,
        row_tile: i64,
        vectors: i64,
    ) -> Option<&crate::device::RegisterTile> {
        let registers = self.device.vector_registers();
        let same = |t: &&crate::device::RegisterTile| {
            t.registers == registers && t.rows == row_tile && t.vectors == vectors
        };
        self.device.vector.register_tile.iter().find(same)
    }

    /// Outer parallel iterators as they come, then rows, then the vector, then reductions. Where squares of
    /// operands beyond the caches are turned, the rows are innermost: these are read as they lie, and what is
    /// written across are whole cache lines.
    fn order(&self, v: Option<usize>, rows: Option<usize>) -> Vec<usize> {
        let tile = |i: &usize| Some(*i) == v || Some(*i) == rows;
        let mut order: Vec<_> = self.nest.parallels().filter(|i| !tile(i)).collect();
        let across = v.filter(|&v| self.nest.iters[v].kind == IterKind::Parallel);
        if self.nest.combines.is_empty() && self.bytes() >= self.device.streamed_bytes() {
            order.extend(across);
            order.extend(rows);
        } else {
            order.extend(rows);
            order.extend(across);
        }
        order.extend(self.nest.reductions());
        order
    }

    /// Bytes of the operands that the stage touches.
    fn bytes(&self) -> u64 {
        let mut slots: Vec<_> = self.nest.accesses().map(|a| a.operand).collect();
        slots.sort_unstable();
        slots.dedup();
        let bytes = slots.iter().map(|&s| self.slots[s].ty.bytes());
        bytes.sum::<i64>().cast_unsigned()
    }

    pub(crate) fn movement(&self, access: &Movement<'_>, v: usize, tile: i64) -> Move {
        if self.packed == Some((access.access.operand, v)) {
            return Move::Unit;
        }
        match access.stride(v, tile, &self.extents) {
            Some(0) => Move::Broadcast,
            Some(1) => Move::Unit,
            Some(n) if self.group_of(access, v, tile) == Some(n) => Move::Unit,
            Some(2) if self.alternates(access, tile) => Move::Alternate,
            _ => Move::Gather,
        }
    }

    /// Whether vectors of every other element are two of consecutive ones: tiles of a scratchpad are moved otherwise, and
    /// elements of less than four bytes are written one by one.
    fn alternates(&self, access: &Movement<'_>, tile: i64) -> bool {
        let mut writes = self.nest.writes.iter();
        let written = writes.any(|w| std::ptr::eq(w, access.access));
        let whole = self.slots[access.access.operand].ty.element.bytes() >= 4;
        (whole || !written) && !self.device.is_scratchpad() && tile >= 4
    }

    /// Traffic of an access on register tiles of `width` points along `v`.
    pub(crate) fn traffic(
        &self,
        access: &Movement<'_>,
        v: Option<usize>,
        [rows, jam]: [Option<usize>; 2],
        width: i64,
    ) -> Traffic {
        let turns = |(v, r)| self.nest.combines.is_empty() && self.turns(access, v, r);
        Traffic {
            along: v.map_or(Move::Unit, |v| self.movement(access, v, width)),
            turned: v.zip(rows).is_some_and(turns),
            rows: rows.is_some_and(|r| access.uses(r)),
            jammed: jam.is_some_and(|j| access.uses(j)),
            masked: v.is_some_and(|v| access.padded_along(v)),
            crowding: v.zip(rows).and_then(|(v, r)| self.crowding(access, v, r)),
        }
    }

    /// How rows compete for the lines of the first-level cache, where each step of the innermost reduction takes
    /// the next element of every row, so that a line is used by several steps.
    fn crowding(&self, access: &Movement<'_>, v: usize, rows: usize) -> Option<Crowding> {
        let cache = self.device.first_cache?;
        let stride = |iter: usize| access.stride(iter, self.lanes, &self.extents);
        let along = self.nest.reductions().last().filter(|&i| i != v)?;
        let bytes = self.slots[access.access.operand].ty.element.bytes() as i64;
        let apart = stride(rows).filter(|&s| s != 0)? * bytes;
        (stride(v) == Some(0) && stride(along) == Some(1)).then(|| Crowding::new(apart, cache))
    }
}

/// Bytes of the widest element that the nest reads, but for some reads, or writes; lanes are counted in
/// those.
fn widest_element(nest: &Nest, slots: &[Slot], but: &[usize]) -> usize {
    let reads = nest.reads.iter().enumerate();
    let reads = reads.filter(|(n, _)| !but.contains(n)).map(|(_, a)| a);
    let accesses = reads.chain(&nest.finish_reads).chain(&nest.writes);
    let bytes = accesses.map(|a| slots[a.operand].ty.element.bytes());
    bytes.max().unwrap_or(4)
}
