//! What a register tile costs.
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
//! by lane. Rows that lie a multiple of a cache's way apart compete for its lines: what they load again is added.

use sinter_loops::kernel::StageSchedule;
use sinter_loops::nest::IterKind;

use crate::movement::{Movement, Traffic};
use crate::registers::Stage;
use crate::windows::{AGAIN, Window};

/// Vector operations to enter and leave one register tile.
const TILE_OVERHEAD: f64 = 4.0;
/// Cost of lanes that lie along a reduction, over that of other lanes: each row streams on its own.
const REDUCED_LANES: f64 = 1.25;

/// What the accesses of a stage cost on one kind of register tile.
pub(crate) struct AllTraffic {
    reads: Vec<Traffic>,
    /// Of reads of `finish`, then writes.
    ends: Vec<Traffic>,
}

impl Stage<'_> {
    pub(crate) fn all_traffic(
        &self,
        v: Option<usize>,
        rows: Option<usize>,
        jam: Option<usize>,
        width: i64,
    ) -> AllTraffic {
        let of = |list: &[Movement<'_>]| -> Vec<_> {
            let list = list.iter();
            list.map(|a| self.traffic(a, v, [rows, jam], width))
                .collect()
        };
        AllTraffic {
            reads: of(&self.reads),
            ends: of(&self.ends),
        }
    }

    /// Vector operations of the stage in one block.
    pub(crate) fn cost(&self, s: &StageSchedule) -> f64 {
        let traffic =
            self.all_traffic(s.vector, s.rows, s.jam.map(|j| j.iter), s.lanes * s.vectors);
        self.cost_with(s, &traffic)
    }

    /// The same with what the accesses cost.
    pub(crate) fn cost_with(&self, s: &StageSchedule, traffic: &AllTraffic) -> f64 {
        let extent = |i: Option<usize>| i.map_or(1, |i| self.tile[i]);
        let reduces = s
            .vector
            .is_some_and(|v| self.nest.iters[v].kind == IterKind::Reduction);
        let parallel: i64 = self.nest.parallels().map(|i| self.tile[i]).product();
        let vector_extent = if reduces { 1 } else { extent(s.vector) };
        let jam = s.jam.map_or(1, |j| self.tile[j.iter]);
        let outer = parallel as f64 / (extent(s.rows) * jam * vector_extent) as f64;
        let mut steps = self.nest.reduction_points() as f64;
        if reduces {
            let v = extent(s.vector);
            steps *= div_ceil(v, s.lanes) as f64 / (v * s.vectors) as f64 * REDUCED_LANES;
        }
        steps *= self.group_factor(s);
        let width = match s.vector {
            Some(_) => self.device.width_factor(s.lanes, self.element_bytes),
            None => 1.0,
        };
        let mut tiles = 0.0;
        let row_parts = match self.nest.combines.is_empty() {
            true => squares(extent(s.rows), s.row_tile),
            false => parts(extent(s.rows), s.row_tile),
        };
        let again = self.slid_again(s);
        let jam_parts = parts(jam, s.jam.map_or(1, |j| j.tile));
        for (jammed, jam_count) in present(jam_parts) {
            for (rows, row_count) in present(row_parts) {
                let vector_parts = match reduces {
                    true => [(s.vectors, 1), (0, 0)],
                    false => self.vector_parts(vector_extent, s),
                };
                for (vectors, vector_count) in present(vector_parts) {
                    let step = self.step(&traffic.reads, [rows, jammed], vectors, s);
                    let end = self.end(&traffic.ends, [rows, jammed], vectors, s, reduces);
                    let again = (again.iter()).map(|a| a.vectors(rows, jammed, vectors));
                    let once = end + again.sum::<i64>() as f64 * AGAIN;
                    let count = jam_count * row_count * vector_count;
                    tiles += count as f64 * (steps * step + once);
                }
            }
        }
        outer * tiles * width
    }

    /// Windows along iterators other than those of rows and vectors whose rows do not stay in the first-level cache.
    fn slid_again(&self, s: &StageSchedule) -> Vec<Again> {
        let Some(v) = s.vector.filter(|_| !self.device.is_scratchpad()) else {
            return Vec::new();
        };
        let nearest = self.device.space("gm").and_then(|gm| gm.levels.first());
        let held = nearest.map_or(i64::MAX, |l| l.footprint_bytes.cast_signed());
        let outer = |w: &&Window| w.iter != v && s.rows != Some(w.iter);
        let comes_again = |w: &&Window| {
            let read = &self.reads[w.read];
            let others = self
                .nest
                .parallels()
                .filter(|&i| i != w.iter && read.uses(i));
            let row: i64 = others.map(|i| self.tile[i]).product();
            read.uses(v) && row * w.taps() * self.element_bytes as i64 > held
        };
        // Windows along the rows too: a tile that slides one way only has its rows along another iterator, and no
        // other shape would load less.
        let again = |w: &Window| {
            let mut all = self.windows.iter();
            let along_rows = all.find(|r| r.read == w.read && s.rows == Some(r.iter));
            along_rows.map(|along_rows| Again {
                window: *w,
                jammed: s.jam.is_some_and(|j| j.iter == w.iter),
                along_rows: *along_rows,
            })
        };
        let windows = self.windows.iter().filter(outer).filter(comes_again);
        windows.filter_map(again).collect()
    }

    /// Tiles along the vector iterator. A contraction's panels are shared among cores in order, so that
    /// the core with the last one waits for those with whole ones: it counts as whole.
    fn vector_parts(&self, extent: i64, s: &StageSchedule) -> Parts {
        let vectors = div_ceil(extent, s.lanes);
        let shared = self.device.cores > 1 && !self.device.is_scratchpad();
        if self.nest.contract && shared && vectors > s.vectors {
            return [(s.vectors, div_ceil(vectors, s.vectors)), (0, 0)];
        }
        parts(vectors, s.vectors)
    }

    /// One step of the reduction on a register tile.
    fn step(&self, reads: &[Traffic], tile: [i64; 2], vectors: i64, s: &StageSchedule) -> f64 {
        let rows = tile[0] * tile[1];
        let (operations, unroll) = self.step_operations(s);
        let arithmetic = operations * (rows * vectors) as f64;
        let loads: f64 = reads.iter().map(|t| t.loads(tile, vectors, s.lanes)).sum();
        let reducing = !self.nest.combines.is_empty();
        let latency = if reducing && !self.device.is_scratchpad() {
            self.device.vector.fma_latency_steps as f64 * self.nest.combines.len() as f64
        } else {
            0.0
        };
        let busy = arithmetic
            .max(loads / self.device.vector.loads_per_fma)
            .max(latency);
        let estimate = busy + self.device.vector.step_overhead / unroll as f64;
        let crowded: f64 = reads.iter().map(|t| t.crowded_loads(rows)).sum();
        let measured = self.measured(rows, vectors);
        let measured = measured.filter(|t| self.nest.contract && t.unroll == unroll);
        measured.map_or(estimate, |t| estimate.max(arithmetic / t.efficiency)) + crowded
    }

    /// Finishing a register tile: lanes combined, finish, stores.
    fn end(
        &self,
        ends: &[Traffic],
        tile: [i64; 2],
        vectors: i64,
        s: &StageSchedule,
        tree: bool,
    ) -> f64 {
        let rows = tile[0] * tile[1];
        let combines = self.nest.combines.len() as f64;
        // Vectors are combined to one, and its lanes to one.
        let (across, combine) = if tree {
            let tree = 2 * i64::from(s.lanes.unsigned_abs().ilog2()) + vectors - 1;
            (1, tree as f64 * combines)
        } else {
            (vectors, 0.0)
        };
        let loads: f64 = ends.iter().map(|t| t.loads(tile, across, s.lanes)).sum();
        (self.finish_operations + combine) * (rows * across) as f64 + loads + TILE_OVERHEAD
    }
}

/// A read whose elements come again from beyond the first-level cache.
struct Again {
    window: Window,
    /// Whether register tiles have several points along it.
    jammed: bool,
    /// Its window along the rows.
    along_rows: Window,
}

impl Again {
    /// Vectors that a register tile loads again.
    fn vectors(&self, rows: i64, jammed: i64, vectors: i64) -> i64 {
        let across = self.along_rows.passed(rows);
        self.window.again(if self.jammed { jammed } else { 1 }) * across * vectors
    }
}

pub(crate) fn div_ceil(a: i64, b: i64) -> i64 {
    (a + b - 1) / b
}

/// Tiles of two sizes: (size, count).
type Parts = [(i64, i64); 2];

/// Those that there are.
fn present(parts: Parts) -> impl Iterator<Item = (i64, i64)> {
    parts
        .into_iter()
        .filter(|&(size, count)| size > 0 && count > 0)
}

/// An extent in the fewest tiles, as even as possible. The lowering cuts alike.
fn parts(extent: i64, most: i64) -> Parts {
    let count = div_ceil(extent, most);
    let size = div_ceil(extent, count);
    let small = size * count - extent;
    [(size, count - small), (size - 1, small)]
}

/// An extent in whole tiles and what is left. The lowering cuts rows that are turned alike.
fn squares(extent: i64, size: i64) -> Parts {
    [(size, extent / size), (extent % size, 1)]
}
