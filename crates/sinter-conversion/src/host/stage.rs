//! Loops over parallel iterators, and the register tile in their middle.

use melior::ir::Location;
use sinter_ir::emitter::{For, Value};
use sinter_loops::kernel::StageSchedule;
use sinter_loops::nest::{IterKind, Nest};
use sinter_loops::scalar::Reg;
use sinter_loops::selection::{Selection, selection};
use sinter_loops::types::TensorType;

use super::Generator;
use super::body::Pads;
use super::by_pages::Phase;
use super::grid::{Span, interval, whole_range};
use super::sym::{Point, Sym, VectorAxis};
use super::tile::{ceil_div, even, isolate, squares};

/// More border tiles than this along one axis are tested at run time instead.
const BORDER_TILES: usize = 6;

/// A stage while its loops are emitted.
pub(super) struct Stage<'e, 'c> {
    /// Its position in the kernel.
    pub(super) index: usize,
    pub(super) nest: &'e Nest,
    pub(super) schedule: &'e StageSchedule,
    /// Slot types.
    pub(super) types: Vec<TensorType>,
    /// What the block computes along each iterator.
    pub(super) spans: Vec<Span<'c>>,
    /// Where each iterator stands; for rows and vectors, the tile's first point.
    pub(super) point: Vec<Point>,
    /// Whether an iterator's point is set.
    pub(super) bound: Vec<bool>,
    /// The iterator along which vectors lie, where values are vectors now.
    pub(super) axis: Option<VectorAxis>,
    /// Rows of the current register tile, at each point of the jammed iterator.
    pub(super) rows: i64,
    /// Points of the jammed iterator in the current register tile.
    pub(super) jammed: i64,
    /// Valid lanes of each vector of the current register tile; `[1]` for scalars.
    pub(super) vectors: Vec<i64>,
    /// What the padding of each read means.
    pub(super) pads: Pads,
    /// Unroll factor of each reduction iterator.
    pub(super) unroll: Vec<i64>,
    /// What is taken by index instead of by going through a whole extent.
    pub(super) selection: Option<Selection>,
    /// How much of the reduction a register tile does.
    pub(super) phase: Phase,
}

impl Stage<'_, '_> {
    /// Rows of the current register tile, at all points of the jammed iterator.
    pub(super) fn all_rows(&self) -> i64 {
        self.rows * self.jammed
    }

    /// Every iterator's point at row `row` (of all) and vector `vector` of the tile.
    pub(super) fn point_at(&self, row: i64, vector: i64) -> Vec<Point> {
        let mut point = self.point.clone();
        if let Some(rows) = self.schedule.rows {
            point[rows] = point[rows].shifted(row % self.rows);
        }
        if let Some(jam) = self.schedule.jam {
            point[jam.iter] = point[jam.iter].shifted(row / self.rows);
        }
        if let Some(axis) = self.axis {
            point[axis.iter] = point[axis.iter].shifted(vector * axis.lanes);
        }
        point
    }

    /// Points of the current register tile along the iterator of its rows or the jammed one.
    fn tiled(&mut self, iter: usize) -> &mut i64 {
        match self.schedule.rows == Some(iter) {
            true => &mut self.rows,
            false => &mut self.jammed,
        }
    }

    /// Whether vectors lie along a reduction iterator.
    pub(super) fn reduces_lanes(&self) -> bool {
        self.schedule
            .vector
            .is_some_and(|v| self.nest.iters[v].kind == IterKind::Reduction)
    }

    /// The register that says which point of the iterator alone counts, where it is the same for the
    /// whole register tile.
    pub(super) fn selected(&self, iter: usize) -> Option<Reg> {
        let found = self.selection.as_ref().filter(|s| s.iter == iter)?;
        let tiled = |i: &usize| self.schedule.tiles_rows(*i) || self.schedule.vector == Some(*i);
        let fixed = !tiled(&iter) && !found.along.iter().any(tiled);
        fixed.then_some(found.index)
    }

    /// Position in the order where reduction iterators begin.
    pub(super) fn first_reduction(&self) -> usize {
        let reduction = |&i: &usize| self.nest.iters[i].kind == IterKind::Reduction;
        self.schedule
            .order
            .iter()
            .position(reduction)
            .unwrap_or(self.schedule.order.len())
    }
}

/// Whether every padded read dimension that mentions `iter` is inside its operand for all of
/// `low..=high` along `iter`, wherever the other iterators stand. Operand extents come from the
/// slot types; a read without padding is always inside.
pub(super) fn padded_inside(
    nest: &Nest,
    types: &[TensorType],
    iter: usize,
    low: i64,
    high: i64,
) -> bool {
    let of = |i: usize| {
        if i == iter {
            (low, high)
        } else {
            whole_range(nest, i)
        }
    };
    nest.reads
        .iter()
        .chain(&nest.finish_reads)
        .filter(|a| a.pad.is_some())
        .all(|access| {
            access
                .index
                .iter()
                .zip(&types[access.operand].shape)
                .all(|(expr, &extent)| {
                    let (least, greatest) = interval(expr, &of);
                    !expr.uses(iter) || (least >= 0 && greatest < extent)
                })
        })
}

impl<'e, 'c> Generator<'e, 'c> {
    /// Emits one stage.
    pub(super) fn stage(&mut self, index: usize) {
        let nest = &self.kernel.stages[index];
        let schedule = &self.schedule.stages[index];
        self.locate_origins(nest);
        self.domain = nest.iters.iter().map(|i| i.extent).collect();
        let spans: Vec<Span<'c>> = (0..nest.iters.len())
            .map(|i| {
                let on_grid = self
                    .schedule
                    .grid
                    .iter()
                    .position(|g| g.iters[index] == Some(i));
                let whole = || Span::whole(nest.iters[i].extent);
                on_grid.map_or_else(whole, |axis| self.span(axis, index).clone())
            })
            .collect();
        let point = spans.iter().map(|s| Point {
            base: s.base.clone(),
            local: Sym::default(),
        });
        let lanes = schedule.lanes.max(1);
        let mut stage = Stage {
            index,
            nest,
            schedule,
            types: self.kernel.slots.iter().map(|s| s.ty.clone()).collect(),
            point: point.collect(),
            spans,
            bound: vec![false; nest.iters.len()],
            axis: schedule.vector.map(|iter| VectorAxis { iter, lanes }),
            rows: 1,
            jammed: 1,
            vectors: vec![1],
            pads: Pads::new(nest),
            unroll: unroll_factors(nest, schedule),
            selection: selection(nest),
            phase: Phase::Whole,
        };
        self.parallel(&mut stage, 0);
    }

    fn locate_origins(&mut self, nest: &Nest) {
        let context = self.e.context();
        let named = |name: &String| Location::name(context, name, Location::unknown(context));
        let all: Vec<_> = nest.origins.iter().map(named).collect();
        match all.as_slice() {
            [] => {}
            [one] => self.e.set_location(*one),
            many => {
                let none = melior::ir::Attribute::unit(context);
                self.e.set_location(Location::fused(context, many, none));
            }
        }
    }

    /// Opens a loop and a scope for index values.
    pub(super) fn open_loop(
        &mut self,
        lower: Value<'c>,
        upper: Value<'c>,
        step: i64,
        inits: &[Value<'c>],
    ) -> For<'c> {
        let step = self.e.index(step);
        self.scopes.push(Default::default());
        self.e.begin_for(lower, upper, step, inits)
    }

    /// Closes a loop.
    pub(super) fn close_loop(&mut self, open: For<'c>, yields: &[Value<'c>]) -> Vec<Value<'c>> {
        self.scopes.pop();
        self.e.end_for(open, yields)
    }

    /// Loops over the parallel iterators from position `level` of the order on.
    fn parallel(&mut self, stage: &mut Stage<'e, 'c>, level: usize) {
        if level == stage.first_reduction() {
            return self.tile(stage);
        }
        let iter = stage.schedule.order[level];
        stage.bound[iter] = true;
        if stage.schedule.tiles_rows(iter) {
            self.row_tiles(stage, level, iter);
        } else if stage.schedule.vector == Some(iter) {
            match self.steps_by_pages(stage, level) {
                Some(reduction) => self.sums_in_memory(stage, level, reduction),
                None => self.vector_tiles(stage, level, iter),
            }
        } else {
            self.plain_loop(stage, level, iter);
        }
        stage.bound[iter] = false;
    }

    fn plain_loop(&mut self, stage: &mut Stage<'e, 'c>, level: usize, iter: usize) {
        let span = stage.spans[iter].clone();
        if span.extent == 1 && span.dynamic.is_none() {
            stage.point[iter].local = Sym::constant(0);
            return self.parallel(stage, level + 1);
        }
        let lower = self.e.index(0);
        let upper = span.dynamic.unwrap_or_else(|| self.e.index(span.extent));
        let open = self.open_loop(lower, upper, 1, &[]);
        stage.point[iter].local = self.terms.value(open.iv, 1, 0, span.extent - 1);
        self.parallel(stage, level + 1);
        self.close_loop(open, &[]);
    }

    fn row_tiles(&mut self, stage: &mut Stage<'e, 'c>, level: usize, iter: usize) {
        let (low, high) = self.terms.range(&stage.spans[iter].base);
        let jam = stage.schedule.jam.filter(|j| j.iter == iter);
        let most = jam.map_or(stage.schedule.row_tile, |j| j.tile);
        let extent = stage.spans[iter].extent;
        let runs = match stage.nest.combines.is_empty() {
            true => squares(extent, most),
            false => even(extent, most),
        };
        let (nest, types) = (stage.nest, &stage.types);
        let runs = isolate(&runs, BORDER_TILES, |start, size| {
            padded_inside(nest, types, iter, low + start, high + start + size - 1)
        });
        for (run, _) in runs {
            *stage.tiled(iter) = run.size;
            self.tiles(stage, level, iter, run.start, run.size, run.count);
        }
        *stage.tiled(iter) = 1;
    }

    pub(super) fn vector_tiles(&mut self, stage: &mut Stage<'e, 'c>, level: usize, iter: usize) {
        let extent = stage.spans[iter].extent;
        let lanes = stage.schedule.lanes.max(1);
        let (low, high) = self.terms.range(&stage.spans[iter].base);
        let mut runs = even(ceil_div(extent, lanes), stage.schedule.vectors);
        let tail = (extent % lanes != 0)
            .then(|| take_last(&mut runs))
            .flatten();
        let (nest, types) = (stage.nest, &stage.types);
        let mut runs = isolate(&runs, BORDER_TILES, |start, size| {
            let (first, last) = (start * lanes, (start + size) * lanes - 1);
            padded_inside(nest, types, iter, low + first, high + last)
        });
        runs.extend(tail.map(|run| (run, false)));
        for (run, _) in runs {
            stage.vectors = (run.start..run.start + run.size)
                .map(|v| {
                    if run.count > 1 {
                        lanes
                    } else {
                        lanes.min(extent - v * lanes)
                    }
                })
                .collect();
            self.tiles(
                stage,
                level,
                iter,
                run.start * lanes,
                run.size * lanes,
                run.count,
            );
        }
        stage.vectors = vec![1];
    }

    /// `count` tiles of `size` points from `start` on, as a loop where there are several.
    fn tiles(
        &mut self,
        stage: &mut Stage<'e, 'c>,
        level: usize,
        iter: usize,
        start: i64,
        size: i64,
        count: i64,
    ) {
        if count == 1 {
            stage.point[iter].local = Sym::constant(start);
            return self.parallel(stage, level + 1);
        }
        let (lower, upper) = (self.e.index(0), self.e.index(count * size));
        let open = self.open_loop(lower, upper, size, &[]);
        let position = self.terms.value(open.iv, size, 0, (count - 1) * size);
        stage.point[iter].local = position.plus(&Sym::constant(start));
        self.parallel(stage, level + 1);
        self.close_loop(open, &[]);
    }
}

/// Takes the last tile off the last run.
fn take_last(runs: &mut Vec<super::tile::Run>) -> Option<super::tile::Run> {
    let last = runs.last_mut()?;
    last.count -= 1;
    let taken = super::tile::Run {
        start: last.start + last.count * last.size,
        count: 1,
        ..*last
    };
    if last.count == 0 {
        runs.pop();
    }
    Some(taken)
}

/// Spends the stage's unroll factor on reduction loops from the innermost outwards: loops that fit are
/// unrolled whole, the next one by what is left.
fn unroll_factors(nest: &Nest, schedule: &StageSchedule) -> Vec<i64> {
    let mut factors = vec![1; nest.iters.len()];
    let mut left = schedule.unroll.max(1);
    for &iter in schedule.order.iter().rev() {
        if nest.iters[iter].kind != IterKind::Reduction || schedule.vector == Some(iter) {
            continue;
        }
        let extent = nest.iters[iter].extent;
        factors[iter] = left.min(extent).max(1);
        if extent > left {
            break;
        }
        left /= extent.max(1);
    }
    factors
}
