//! Reduction loops and padding: which loops can carry a read outside its operand, and bounds that keep
//! it inside.

use sinter_ir::emitter::Value;
use sinter_loops::affine::Affine;
use sinter_loops::nest::Access;

use super::Generator;
use super::grid::interval;
use super::stage::Stage;
use super::sym::{Sym, VectorAxis};

/// Reduction loops up to this extent are unrolled in border tiles, so that points outside are left
/// out statically.
const BORDER_UNROLL: i64 = 16;

/// Most statements of one border tile, with those that take several instructions counted so often: its code is
/// compiled once for each kind of border.
const BORDER_STATEMENTS: i64 = 4096;
/// Instructions of a statement whose vectors may be partly outside: masks.
const MASKED: i64 = 4;
/// The same of 16-bit floats, whose masked loads are made lane by lane.
const MASKED_HALF: i64 = 16;

/// A dimension of a padded read that a reduction iterator can carry outside.
pub(super) struct Escape {
    read: usize,
    dim: usize,
}

/// How a reduction loop is emitted.
pub(super) enum LoopPlan {
    /// One statement per point.
    Unrolled,
    /// A loop over all points.
    Whole,
    /// A loop over the points where these dimensions are inside.
    Clipped(Vec<Escape>),
}

impl<'e, 'c> Generator<'e, 'c> {
    /// A loop over the points where the given dimensions are inside.
    pub(super) fn reduce_clipped(
        &mut self,
        stage: &mut Stage<'e, 'c>,
        level: usize,
        escapes: &[Escape],
        totals: Vec<Value<'c>>,
        width: usize,
    ) -> Vec<Value<'c>> {
        let iter = stage.schedule.order[level];
        let extent = stage.nest.iters[iter].extent;
        let (mut lower, mut upper) = (self.e.index(0), self.e.index(extent));
        for escape in escapes {
            let (from, to) = self.clip(stage, iter, escape);
            lower = self.e.binary("arith.maxsi", lower, from);
            upper = self.e.binary("arith.minsi", upper, to);
        }
        let open = self.open_loop(lower, upper, 1, &totals);
        stage.bound[iter] = true;
        stage.point[iter].local = self.terms.value(open.iv, 1, 0, extent - 1);
        for escape in escapes {
            stage.pads.safe[escape.read][escape.dim] = true;
        }
        let totals = self.reduce(stage, level + 1, open.args.clone(), width);
        for escape in escapes {
            stage.pads.safe[escape.read][escape.dim] = false;
        }
        self.close_loop(open, &totals)
    }

    /// The first point of `iter` where a dimension is inside, and the first one after them.
    fn clip(
        &mut self,
        stage: &Stage<'e, 'c>,
        iter: usize,
        escape: &Escape,
    ) -> (Value<'c>, Value<'c>) {
        let access = &stage.nest.reads[escape.read];
        let expr = &access.index[escape.dim];
        let mut point = stage.point.clone();
        point[iter].local = Sym::default();
        let lanes = self.evaluate(expr, &point, Some(VectorAxis { iter, lanes: 2 }));
        let step = lanes.step.unwrap_or(1);
        let start = self.materialise(&lanes.sym);
        let zero = self.e.index(0);
        let extent = self.e.index(stage.types[access.operand].shape[escape.dim]);
        let below = self.e.subi(zero, start);
        let above = self.e.subi(extent, start);
        let first = self.steps_up(below, step);
        let last = self.steps_up(above, step);
        (first, last)
    }

    /// `max(distance, 0) / step` rounded up.
    fn steps_up(&mut self, distance: Value<'c>, step: i64) -> Value<'c> {
        let zero = self.e.index(0);
        let distance = self.e.binary("arith.maxsi", distance, zero);
        if step == 1 {
            return distance;
        }
        let (round, step) = (self.e.index(step - 1), self.e.index(step));
        let rounded = self.e.addi(distance, round);
        self.e.binary("arith.divui", rounded, step)
    }

    /// How the loop over `iter` deals with padding.
    pub(super) fn plan_loop(&self, stage: &Stage<'e, 'c>, iter: usize) -> LoopPlan {
        let escapes = self.escapes(stage, iter);
        if escapes.is_empty() {
            return LoopPlan::Whole;
        }
        if escapes.iter().all(|e| self.can_clip(stage, iter, e)) {
            return LoopPlan::Clipped(escapes);
        }
        let fixed = escapes.iter().any(|e| {
            let expr = &stage.nest.reads[e.read].index[e.dim];
            (0..stage.point.len()).all(|i| {
                i == iter
                    || !expr.uses(i)
                    || !stage.bound[i]
                    || stage.point[i].full().as_constant().is_some()
            })
        });
        let short = stage.nest.iters[iter].extent <= BORDER_UNROLL;
        if fixed && short && self.border_statements(stage, iter) <= BORDER_STATEMENTS {
            LoopPlan::Unrolled
        } else {
            LoopPlan::Whole
        }
    }

    /// Statements of a register tile at a border where the loop over `iter` is unrolled, and those inside it as far as
    /// they are.
    fn border_statements(&self, stage: &Stage<'e, 'c>, iter: usize) -> i64 {
        let inner = stage.schedule.order.iter().skip_while(|&&i| i != iter);
        let unrolled = |&i: &usize| match stage.nest.iters[i].extent {
            short if short <= BORDER_UNROLL => short,
            _ => stage.unroll[i],
        };
        let taps: i64 = inner.map(unrolled).product();
        let iters = stage.nest.iters.len();
        let weight = |a: &Access| {
            let Some(axis) = stage.axis.filter(|_| stage.moves(a).1) else {
                return 1;
            };
            let along = |e: &Affine| e.linear(iters).map(|(steps, _)| steps[axis.iter]);
            let (last, others) = a.index.split_last().unzip();
            let unit = last.and_then(along) == Some(1)
                && others.is_none_or(|o| o.iter().all(|e| !e.uses(axis.iter)));
            let half = stage.types[a.operand].element.is_half();
            match (unit, half) {
                (false, _) => axis.lanes,
                (true, _) if a.pad.is_none() => 1,
                (true, true) => MASKED_HALF,
                (true, false) => MASKED,
            }
        };
        let weight = stage.nest.reads.iter().map(weight).max().unwrap_or(1);
        taps * stage.all_rows() * stage.vectors.len() as i64 * weight
    }

    /// Dimensions of padded reads that mention `iter` and may be outside for some point of the tile.
    fn escapes(&self, stage: &Stage<'e, 'c>, iter: usize) -> Vec<Escape> {
        let of = |i: usize| self.tile_range(stage, i);
        let mut found = Vec::new();
        for (read, access) in stage.nest.reads.iter().enumerate() {
            let shape = &stage.types[access.operand].shape;
            for (dim, expr) in access.index.iter().enumerate() {
                if access.pad.is_none() || stage.pads.safe[read][dim] || !expr.uses(iter) {
                    continue;
                }
                let (low, high) = interval(expr, &of);
                if low < 0 || high >= shape[dim] {
                    found.push(Escape { read, dim });
                }
            }
        }
        found
    }

    /// The points of an iterator over the whole tile.
    fn tile_range(&self, stage: &Stage<'e, 'c>, iter: usize) -> (i64, i64) {
        if !stage.bound[iter] {
            return (0, stage.nest.iters[iter].extent - 1);
        }
        let (low, high) = self.terms.range(&stage.point[iter].full());
        let more = match stage.axis {
            Some(axis) if axis.iter == iter => {
                let whole = axis.lanes * (stage.vectors.len() as i64 - 1);
                whole + stage.vectors.last().copied().unwrap_or(1) - 1
            }
            _ if stage.schedule.rows == Some(iter) => stage.rows - 1,
            _ if stage.schedule.tiles_rows(iter) => stage.jammed - 1,
            _ => 0,
        };
        (low.max(0), (high + more).min(self.domain[iter] - 1))
    }

    /// Whether bounds on `iter` alone keep a dimension inside, for all points of the tile alike, and
    /// leaving the other points out changes nothing.
    fn can_clip(&self, stage: &Stage<'e, 'c>, iter: usize, escape: &Escape) -> bool {
        let expr = &stage.nest.reads[escape.read].index[escape.dim];
        let others_fixed = (0..stage.point.len()).all(|i| {
            let tiled = stage.schedule.rows == Some(i) && stage.rows > 1
                || stage.schedule.jam.is_some_and(|j| j.iter == i) && stage.jammed > 1
                || stage.axis.is_some_and(|a| a.iter == i);
            i == iter || !expr.uses(i) || (stage.bound[i] && !tiled)
        });
        stage.pads.neutral[escape.read] && others_fixed && positive_step(expr, iter)
    }
}

/// Whether an expression grows with an iterator by a constant per point.
fn positive_step(expr: &Affine, iter: usize) -> bool {
    fn step(expr: &Affine, iter: usize) -> Option<i64> {
        match expr {
            Affine::Const(_) => Some(0),
            Affine::Iter(i) => Some(i64::from(*i == iter)),
            Affine::Add(a, b) => Some(step(a, iter)? + step(b, iter)?),
            Affine::Mul(a, c) => Some(step(a, iter)? * c),
            Affine::FloorDiv(a, _) | Affine::Mod(a, _) => (step(a, iter)? == 0).then_some(0),
        }
    }
    step(expr, iter).is_some_and(|s| s > 0)
}
