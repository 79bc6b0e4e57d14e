//! The register tile of one stage: which iterator lies along vectors, which forms rows, how many of
//! each, and what a point then costs.
//!
//! The unit of cost is one vector operation (an addition, or one FMA) of one core. One step of the
//! reduction on a tile of `rows x vectors` costs
//!
//! ```text
//! max(arithmetic, loads / loads_per_fma, latency of the accumulators) + overhead / unroll
//! ```
//!
//! where a read that does not depend on the vector iterator is one broadcast per row, one that does
//! not depend on the row iterator is shared by all rows, and one without unit stride is gathered lane
//! by lane.

use sinter_loops::kernel::{Slot, StageSchedule};
use sinter_loops::nest::{Access, IterKind, Nest};
use sinter_loops::selection::{Selection, selection};

use crate::access::{padded_along, stride, uses};
use crate::body;
use crate::device::Device;

/// Loads that one gathered or scattered element costs.
const GATHER_LOADS: f64 = 1.5;
/// Loads that one shuffle of two vectors costs.
const SHUFFLE_LOADS: f64 = 2.0;
/// Loads that the mask of a padded read along the vector costs.
const MASK_LOADS: f64 = 2.0;
/// Vector operations to enter and leave one register tile.
const TILE_OVERHEAD: f64 = 4.0;
/// Most vectors of one row of a register tile.
const MOST_VECTORS: i64 = 4;
/// Most vectors of a register tile of one row.
const MOST_VECTORS_ALONE: i64 = 8;
/// Cost of lanes that lie along a reduction, over that of other lanes: each row streams on its own.
const REDUCED_LANES: f64 = 1.25;
/// Most streams from beyond the caches at a time: processors foresee few [measured: 8 streams of a Zen 4
/// core come at 23 GB/s, 16 at 20, 32 at 13].
const MOST_STREAMS: i64 = 8;
/// Fewest lanes of a vector on scratchpad devices.
const LEAST_CHIP_LANES: i64 = 8;
/// Unroll factor of a long reduction.
const UNROLL: i64 = 4;
/// Reductions of so many points are unrolled whole.
const SHORT: i64 = 7;
/// Most vector operations in an unrolled body.
const MOST_UNROLLED: i64 = 300;

/// How an access moves along the vector iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// The same element for all lanes.
    Broadcast,
    /// Consecutive elements.
    Unit,
    /// Anything else.
    Gather,
}

/// An access as far as its price goes.
#[derive(Clone, Copy, Debug)]
struct Traffic {
    along: Move,
    /// Squares of elements are loaded along the rows and turned in registers.
    turned: bool,
    rows: bool,
    masked: bool,
}

/// A stage's register tile with its cost.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) schedule: StageSchedule,
    /// Vector operations of the whole stage.
    pub(crate) cost: f64,
}

/// A stage with what is fixed about it.
pub(crate) struct Stage<'a> {
    nest: &'a Nest,
    slots: &'a [Slot],
    device: &'a Device,
    extents: Vec<i64>,
    /// Points of each iterator that one block computes.
    tile: Vec<i64>,
    lanes: i64,
    element_bytes: usize,
    body_operations: f64,
    finish_operations: f64,
    live: i64,
    /// Overrides how an operand moves: (slot, vector iterator) that will be packed to unit stride.
    packed: Option<(usize, usize)>,
    /// What is taken by index instead of by going through a whole extent.
    selection: Option<Selection>,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(nest: &'a Nest, slots: &'a [Slot], device: &'a Device) -> Self {
        let selection = match device.is_scratchpad() {
            true => None,
            false => selection(nest),
        };
        let indices = selection.as_ref().map_or(&[][..], |s| &s.reads);
        let element_bytes = widest_element(nest, slots, indices);
        // The product of a contraction is fused with its addition.
        let combines = if nest.contract {
            0
        } else {
            nest.combines.len()
        };
        let body_operations = body::vector_operations(&nest.body, device) + combines as f64;
        Self {
            nest,
            slots,
            device,
            extents: nest.extents(),
            tile: nest.extents(),
            lanes: device.lanes(element_bytes),
            element_bytes,
            body_operations,
            finish_operations: body::vector_operations(&nest.finish, device),
            live: body::live_values(&nest.body).max(body::live_values(&nest.finish)),
            packed: None,
            selection,
        }
    }

    /// The same with a constant operand taken as packed to unit stride along an iterator.
    pub(crate) fn with_packed(mut self, slot: usize, iter: usize) -> Self {
        self.packed = Some((slot, iter));
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
        for lanes in self.lane_counts(v) {
            for vectors in 1..=self.most_vectors(v, lanes) {
                if !self.writes_vectors(v, vectors * lanes) {
                    continue;
                }
                for rows in self.row_candidates(v) {
                    for row_tile in self.row_tiles(v, rows, lanes, vectors) {
                        let found = self.priced(Some(v), lanes, vectors, rows, row_tile);
                        if best.as_ref().is_none_or(|b| found.cost < b.cost) {
                            best = Some(found);
                        }
                    }
                }
            }
        }
        best
    }

    /// Whether points along an iterator may select different elements: neither vectors nor rows do that.
    fn changes_index(&self, iter: usize) -> bool {
        let changes = |s: &Selection| s.iter == iter || s.along.contains(&iter);
        self.selection.as_ref().is_some_and(changes)
    }

    fn reduces_along(&self, v: usize) -> bool {
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

    fn most_vectors(&self, v: usize, lanes: i64) -> i64 {
        if self.reduces_along(v) || self.device.is_scratchpad() {
            return 1;
        }
        let alone = self.row_candidates(v).len() == 1;
        let most = if alone {
            MOST_VECTORS_ALONE
        } else {
            MOST_VECTORS
        };
        div_ceil(self.extents[v], lanes).min(most)
    }

    /// Whether vectors along `v` can be written: consecutive elements, or scattered at a price. Only
    /// writes that do not depend on `v` are impossible, unless `v` is reduced.
    fn writes_vectors(&self, v: usize, tile: i64) -> bool {
        self.reduces_along(v)
            || self
                .nest
                .writes
                .iter()
                .all(|w| self.movement(w, v, tile) != Move::Broadcast)
    }

    fn scalar(&self) -> Choice {
        self.priced(None, 1, 1, None, 1)
    }

    /// Iterators that may form rows, and none.
    fn row_candidates(&self, v: usize) -> Vec<Option<usize>> {
        let mut out = vec![None];
        if self.device.is_scratchpad() {
            return out;
        }
        if self.nest.combines.is_empty() {
            let turns = |&r: &usize| self.nest.reads.iter().any(|a| self.turns(a, v, r));
            out.extend(self.nest.parallels().filter(turns).map(Some));
            return out;
        }
        // The innermost of equals.
        let parallel = self.nest.parallels().rev();
        out.extend(
            parallel
                .filter(|&i| i != v && self.extents[i] > 1 && !self.changes_index(i))
                .map(Some),
        );
        out
    }

    /// Whether an access that jumps along `v` is of consecutive elements along `r`: squares of it are
    /// loaded along `r` and turned in registers.
    fn turns(&self, access: &Access, v: usize, r: usize) -> bool {
        let unit = |i: usize| stride(access, self.slots, i, self.lanes, &self.extents) == Some(1);
        r != v
            && self.extents[r] > 1
            && unit(r)
            && self.movement(access, v, self.lanes) == Move::Gather
    }

    /// Sizes of the row tile that the registers hold. Shared loads stay in registers too.
    fn row_tiles(&self, v: usize, rows: Option<usize>, lanes: i64, vectors: i64) -> Vec<i64> {
        let Some(row_iter) = rows else { return vec![1] };
        if self.nest.combines.is_empty() {
            let square = (vectors == 1).then(|| lanes.min(self.extents[row_iter]));
            return square.into_iter().collect();
        }
        let temporaries = (self.live - self.nest.reads.len() as i64).max(0);
        let free = self.device.vector_registers() - vectors - 1 - temporaries;
        let each = if self.shares_loads(Some(v), rows) {
            2
        } else {
            1
        };
        let mut most = (free / (vectors * each)).min(self.extents[row_iter]);
        if self.streams(v, row_iter) {
            most = most.min(MOST_STREAMS);
        }
        (2..=most.max(1)).collect()
    }

    /// Whether each row is a stream of its own through an operand greater than the caches.
    fn streams(&self, v: usize, rows: usize) -> bool {
        let large = |slot: usize| {
            self.slots[slot].ty.bytes().cast_unsigned() >= self.device.streamed_bytes()
        };
        let mut reads = self.nest.reads.iter();
        self.reduces_along(v) && reads.any(|r| uses(r, rows) && large(r.operand))
    }

    fn priced(
        &self,
        v: Option<usize>,
        lanes: i64,
        vectors: i64,
        rows: Option<usize>,
        row_tile: i64,
    ) -> Choice {
        let unroll = self.unroll(v, rows, row_tile, vectors);
        let schedule = StageSchedule {
            order: self.order(v, rows),
            vector: v,
            lanes,
            vectors,
            rows,
            row_tile,
            unroll,
            reduction_tile: Vec::new(),
        };
        let cost = self.cost(&schedule);
        Choice { schedule, cost }
    }

    /// Unroll factor of the innermost reductions together: a few steps of a long one, a short one
    /// whole. Where taps share their loads (a window that moves with the rows), all short ones,
    /// from the innermost outwards.
    fn unroll(&self, v: Option<usize>, rows: Option<usize>, row_tile: i64, vectors: i64) -> i64 {
        let mut reductions = self.nest.reductions().rev().map(|i| self.extents[i]);
        let Some(innermost) = reductions.next() else {
            return 1;
        };
        if innermost > SHORT {
            let measured = self.measured(row_tile, vectors).map(|t| t.unroll);
            return measured.filter(|_| self.nest.contract).unwrap_or(UNROLL);
        }
        let mut unroll = innermost;
        if self.shares_loads(v, rows) {
            let room = MOST_UNROLLED / (row_tile * vectors).max(1);
            for extent in reductions {
                if extent > SHORT || unroll * extent > room {
                    break;
                }
                unroll *= extent;
            }
        }
        unroll
    }

    /// Whether a vector that is loaded for one row is also loaded for another row at another tap.
    fn shares_loads(&self, v: Option<usize>, rows: Option<usize>) -> bool {
        let (Some(v), Some(rows)) = (v, rows) else {
            return false;
        };
        let slides = |e: &sinter_loops::affine::Affine| {
            e.uses(rows) && self.nest.reductions().any(|r| e.uses(r))
        };
        self.nest
            .reads
            .iter()
            .any(|r| uses(r, v) && r.index.iter().any(slides))
    }

    fn measured(&self, row_tile: i64, vectors: i64) -> Option<&crate::device::RegisterTile> {
        let registers = self.device.vector_registers();
        let same = |t: &&crate::device::RegisterTile| {
            t.registers == registers && t.rows == row_tile && t.vectors == vectors
        };
        self.device.vector.register_tile.iter().find(same)
    }

    /// Outer parallel iterators as they come, then rows, then the vector, then reductions.
    fn order(&self, v: Option<usize>, rows: Option<usize>) -> Vec<usize> {
        let tile = |i: &usize| Some(*i) == v || Some(*i) == rows;
        let mut order: Vec<_> = self.nest.parallels().filter(|i| !tile(i)).collect();
        order.extend(rows);
        order.extend(v.filter(|&v| self.nest.iters[v].kind == IterKind::Parallel));
        order.extend(self.nest.reductions());
        order
    }

    fn movement(&self, access: &Access, v: usize, tile: i64) -> Move {
        if self.packed == Some((access.operand, v)) {
            return Move::Unit;
        }
        match stride(access, self.slots, v, tile, &self.extents) {
            Some(0) => Move::Broadcast,
            Some(1) => Move::Unit,
            _ => Move::Gather,
        }
    }

    fn traffic(&self, access: &Access, s: &StageSchedule) -> Traffic {
        Traffic {
            along: s.vector.map_or(Move::Unit, |v| {
                self.movement(access, v, s.lanes * s.vectors)
            }),
            turned: s
                .vector
                .zip(s.rows)
                .is_some_and(|(v, r)| self.nest.combines.is_empty() && self.turns(access, v, r)),
            rows: s.rows.is_some_and(|r| uses(access, r)),
            masked: s
                .vector
                .is_some_and(|v| padded_along(access, self.slots, v, &self.extents)),
        }
    }

    /// Vector operations of the stage in one block.
    pub(crate) fn cost(&self, s: &StageSchedule) -> f64 {
        let traffic = |accesses: &[Access]| -> Vec<_> {
            accesses.iter().map(|a| self.traffic(a, s)).collect()
        };
        let reads = traffic(&self.nest.reads);
        let ends: Vec<_> = [traffic(&self.nest.finish_reads), traffic(&self.nest.writes)].concat();
        let extent = |i: Option<usize>| i.map_or(1, |i| self.tile[i]);
        let reduces = s
            .vector
            .is_some_and(|v| self.nest.iters[v].kind == IterKind::Reduction);
        let parallel: i64 = self.nest.parallels().map(|i| self.tile[i]).product();
        let vector_extent = if reduces { 1 } else { extent(s.vector) };
        let outer = parallel as f64 / (extent(s.rows) * vector_extent) as f64;
        let mut steps = self.nest.reduction_points() as f64;
        if reduces {
            let v = extent(s.vector);
            steps = steps / v as f64 * div_ceil(v, s.lanes) as f64 * REDUCED_LANES;
        }
        let width = match s.vector {
            Some(_) => self.device.width_factor(s.lanes, self.element_bytes),
            None => 1.0,
        };
        let mut tiles = 0.0;
        let row_parts = match self.nest.combines.is_empty() {
            true => squares(extent(s.rows), s.row_tile),
            false => parts(extent(s.rows), s.row_tile),
        };
        for (rows, row_count) in row_parts {
            for (vectors, vector_count) in self.vector_parts(vector_extent, s) {
                let step = self.step(&reads, rows, vectors, s);
                let end = self.end(&ends, rows, vectors, s, reduces);
                tiles += (row_count * vector_count) as f64 * (steps * step + end);
            }
        }
        outer * tiles * width
    }

    /// Tiles along the vector iterator. A contraction's panels are shared among cores in order, so that
    /// the core with the last one waits for those with whole ones: it counts as whole.
    fn vector_parts(&self, extent: i64, s: &StageSchedule) -> Vec<(i64, i64)> {
        let vectors = div_ceil(extent, s.lanes);
        let shared = self.device.cores > 1 && !self.device.is_scratchpad();
        if self.nest.contract && shared && vectors > s.vectors {
            return vec![(s.vectors, div_ceil(vectors, s.vectors))];
        }
        parts(vectors, s.vectors)
    }

    /// One step of the reduction on a register tile.
    fn step(&self, reads: &[Traffic], rows: i64, vectors: i64, s: &StageSchedule) -> f64 {
        let arithmetic = self.body_operations * (rows * vectors) as f64;
        let loads: f64 = reads
            .iter()
            .map(|t| loads(*t, rows, vectors, s.lanes))
            .sum();
        let reducing = !self.nest.combines.is_empty();
        let latency = if reducing && !self.device.is_scratchpad() {
            self.device.vector.fma_latency_steps as f64 * self.nest.combines.len() as f64
        } else {
            0.0
        };
        let busy = arithmetic
            .max(loads / self.device.vector.loads_per_fma)
            .max(latency);
        let estimate = busy + self.device.vector.step_overhead / s.unroll as f64;
        match self
            .measured(rows, vectors)
            .filter(|t| self.nest.contract && t.unroll == s.unroll)
        {
            Some(t) => estimate.max(arithmetic / t.efficiency),
            None => estimate,
        }
    }

    /// Finishing a register tile: lanes combined, finish, stores.
    fn end(&self, ends: &[Traffic], rows: i64, vectors: i64, s: &StageSchedule, tree: bool) -> f64 {
        let loads: f64 = ends.iter().map(|t| loads(*t, rows, vectors, s.lanes)).sum();
        let combine = if tree {
            2.0 * f64::from(s.lanes.unsigned_abs().ilog2()) * self.nest.combines.len() as f64
        } else {
            0.0
        };
        (self.finish_operations + combine) * (rows * vectors) as f64 + loads + TILE_OVERHEAD
    }
}

/// Load operations of an access on a register tile.
fn loads(t: Traffic, rows: i64, vectors: i64, lanes: i64) -> f64 {
    if t.turned {
        let shuffles = lanes as f64 * f64::from(lanes.unsigned_abs().ilog2());
        return vectors as f64 * (lanes as f64 + SHUFFLE_LOADS * shuffles);
    }
    let each = match t.along {
        Move::Broadcast => 1.0,
        Move::Unit if t.masked => vectors as f64 * MASK_LOADS,
        Move::Unit => vectors as f64,
        Move::Gather => (vectors * lanes) as f64 * GATHER_LOADS,
    };
    each * if t.rows { rows as f64 } else { 1.0 }
}

fn div_ceil(a: i64, b: i64) -> i64 {
    (a + b - 1) / b
}

/// An extent in the fewest tiles, as even as possible: (size, count). The lowering cuts alike.
fn parts(extent: i64, most: i64) -> Vec<(i64, i64)> {
    let count = div_ceil(extent, most);
    let size = div_ceil(extent, count);
    let small = size * count - extent;
    [(size, count - small), (size - 1, small)]
        .into_iter()
        .filter(|&(size, count)| size > 0 && count > 0)
        .collect()
}

/// An extent in whole tiles and what is left: (size, count). The lowering cuts rows that are turned alike.
fn squares(extent: i64, size: i64) -> Vec<(i64, i64)> {
    [(size, extent / size), (extent % size, 1)]
        .into_iter()
        .filter(|&(size, count)| size > 0 && count > 0)
        .collect()
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
