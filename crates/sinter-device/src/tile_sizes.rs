//! How many rows, points of a jammed iterator and unrolled steps a register tile may have.

use std::ops::RangeInclusive;

use sinter_loops::affine::Affine;
use sinter_loops::kernel::{Jam, Role};
use sinter_loops::page_steps::PAGE_BYTES;

use crate::movement::{Move, Movement};
use crate::registers::Stage;

/// Most rows at a time, of those that are streams of their own from beyond the caches, where several lie on
/// a page. Of longer rows it is one, where each is read once: processors foresee few streams [measured on huge pages, sums of rows of
/// 8 KiB on a Zen 4 core: one row at a time comes at 31 GB/s, two at 20, four at 23, eight at 26; of
/// a softmax and a normalisation, which read them again, eight at a time are 6 and 9 % faster].
const MOST_STREAMS: i64 = 8;
/// Most points of a jammed iterator in a register tile.
const MOST_JAMMED: i64 = 7;
/// Registers that a jammed tile leaves free beside its rows and what they share. [Measured: depthwise convolutions with tiles of 15, 16 and
/// 20 accumulators take 5 to 15 % longer than with 12 or 14.]
const JAMMED_RESERVE: i64 = 2;
/// Unroll factor of a long reduction.
const UNROLL: i64 = 4;
/// Reductions of so many points are unrolled whole.
const SHORT: i64 = 7;
/// Most vector operations in an unrolled body.
const MOST_UNROLLED: i64 = 300;

impl Stage<'_> {
    /// Sizes of the row tile that the registers hold. Loads that rows share stay in registers too.
    fn row_tiles(
        &self,
        v: usize,
        rows: Option<usize>,
        shares: bool,
        lanes: i64,
        vectors: i64,
    ) -> RangeInclusive<i64> {
        let Some(row_iter) = rows else { return 1..=1 };
        if self.nest.combines.is_empty() {
            let square = lanes.min(self.extents[row_iter]);
            // Of several vectors no square is turned.
            let least = if vectors == 1 { square } else { square + 1 };
            return least..=square;
        }
        let each = if shares { 2 } else { 1 };
        let mut most =
            (self.free_registers(vectors) / (vectors * each)).min(self.extents[row_iter]);
        if let Some(bytes) = self.streams(v, row_iter) {
            let alone = bytes >= PAGE_BYTES && !self.reads_again();
            most = most.min(if alone { 1 } else { MOST_STREAMS });
        }
        2..=most.max(1)
    }

    /// Whether neighbours along an iterator read the same elements.
    fn overlaps(&self, iter: usize) -> bool {
        self.windows
            .iter()
            .any(|w| w.iter == iter && w.again(1) > 0)
    }

    /// Whether every read moves along one of two iterators at most, and some along each: tiles of both load less than
    /// they multiply.
    fn crosses(&self, a: usize, b: usize) -> bool {
        let reads = self.reads.iter();
        let both = reads.clone().any(|r| r.uses(a) && r.uses(b));
        !both && reads.clone().any(|r| r.uses(a)) && reads.clone().any(|r| r.uses(b))
    }

    /// Row tiles with nothing jammed, then with each iterator along which a window slides, or that other operands
    /// move along than along the rows.
    pub(crate) fn tiles(
        &self,
        v: usize,
        rows: Option<usize>,
        shares: bool,
        lanes: i64,
        vectors: i64,
    ) -> Vec<(i64, Option<Jam>)> {
        let mut out: Vec<_> = self
            .row_tiles(v, rows, shares, lanes, vectors)
            .map(|t| (t, None))
            .collect();
        let Some(row_iter) = rows.filter(|_| !self.nest.combines.is_empty()) else {
            return out;
        };
        let may = |&i: &usize| {
            let fixed = i == v || i == row_iter || self.cut.contains(&i) || self.changes_index(i);
            !fixed && self.extents[i] > 1
        };
        let crossed = self.windows.is_empty()
            && self.nest.contract
            && self.reduces_along(v)
            && self.streams(v, row_iter).is_none();
        let slides = |i: usize| {
            let along_rows = shares && !self.reduces_along(v);
            along_rows && self.overlaps(i) && self.shares_loads(v, Some(i))
        };
        let room = |tile: i64| match crossed {
            // A vector of each row is held, and one of each jammed point at a time.
            true => (self.free_registers(vectors) / vectors - 1) / (tile + 1),
            false => (self.free_registers(vectors) - JAMMED_RESERVE) / (2 * vectors) / tile,
        };
        let meets = |i: usize| match crossed {
            true => self.crosses(row_iter, i),
            false => slides(i),
        };
        for iter in self.nest.parallels().filter(|i| may(i) && meets(*i)) {
            for tile in 2..=MOST_JAMMED.min(self.extents[iter]) {
                let rows = 2..=room(tile).min(self.extents[row_iter]);
                out.extend(rows.map(|row_tile| (row_tile, Some(Jam { iter, tile }))));
            }
        }
        out
    }

    /// Registers beside those of the vectors that all rows share and of what a body computes on the way.
    fn free_registers(&self, vectors: i64) -> i64 {
        let temporaries = (self.live - self.nest.reads.len() as i64).max(0);
        self.device.vector_registers() - vectors - 1 - temporaries
    }

    /// Whether the kernel has further stages, which may read the same operands.
    pub(crate) fn reads_again(&self) -> bool {
        self.slots.iter().any(|s| s.role == Role::Temporary)
    }

    /// Bytes from row to row, where each row is a stream of its own through an operand greater than the
    /// caches, of which no other row reads anything; of several the most. Panels of weights are such rows from beyond the core's own
    /// caches [measured on a Zen 5 core, 11 rows of two vectors and one of eight: 64 MiB of weights come at 26 and at 53 GB/s, 16 MiB at
    /// 71 and 85, 2.3 MiB at 84 and 112].
    fn streams(&self, v: usize, rows: usize) -> Option<i64> {
        let apart = |read: &Movement<'_>| {
            let ty = &self.slots[read.access.operand].ty;
            let cached = match self.reduces_along(v) {
                true => self.device.streamed_bytes(),
                false => self.device.own_cache_bytes(),
            };
            let large = ty.bytes().cast_unsigned() >= cached;
            let step = read.stride(rows, self.lanes, &self.extents);
            let bytes = step.map_or(i64::MAX, |s| s.abs() * ty.element.bytes() as i64);
            let once = self.reduces_along(v) || read.uses(v);
            (large && once && read.uses(rows)).then_some(bytes)
        };
        self.reads.iter().filter_map(apart).max()
    }

    /// Unroll factor of the innermost reductions together: a few steps of a long one, a short one
    /// whole. Where taps share their loads (a window that moves with the rows), all short ones,
    /// from the innermost outwards.
    pub(crate) fn unroll(&self, shares: bool, row_tile: i64, vectors: i64) -> i64 {
        let mut reductions = self.nest.reductions().rev().map(|i| self.extents[i]);
        let Some(innermost) = reductions.next() else {
            return 1;
        };
        if innermost > SHORT {
            let measured = self.measured(row_tile, vectors).map(|t| t.unroll);
            return measured.filter(|_| self.nest.contract).unwrap_or(UNROLL);
        }
        let mut unroll = innermost;
        if shares {
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

    /// What a vector of the reads counts for in code: one, or every lane where they are loaded one by one.
    pub(crate) fn each_lane(&self, v: usize, lanes: i64) -> i64 {
        let gathers = |r: &Movement<'_>| self.movement(r, v, lanes) == Move::Gather;
        if self.reads.iter().any(gathers) {
            lanes
        } else {
            1
        }
    }

    /// Whether a vector that is loaded for one row is also loaded for another row at another tap.
    pub(crate) fn shares_loads(&self, v: usize, rows: Option<usize>) -> bool {
        let Some(rows) = rows else {
            return false;
        };
        let slides = |e: &Affine| e.uses(rows) && self.nest.reductions().any(|r| e.uses(r));
        let mut reads = self.reads.iter();
        reads.any(|r| r.uses(v) && r.access.index.iter().any(slides))
    }
}
