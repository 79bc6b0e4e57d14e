//! The register tile: accumulators, loops over reduction iterators, finish and stores.

use sinter_ir::emitter::Value;
use sinter_loops::affine::Affine;
use sinter_loops::nest::CombineFn;
use sinter_loops::types::ElementType;

use super::Generator;
use super::access::At;
use super::body::{Evaluation, Input, register_types};
use super::grid::{interval, mentions};
use super::stage::Stage;
use super::sym::{Sym, VectorAxis};

/// Reduction loops up to this extent are unrolled in border tiles, so that points outside are left
/// out statically.
const BORDER_UNROLL: i64 = 16;

/// A dimension of a padded read that a reduction iterator can carry outside.
struct Escape {
    read: usize,
    dim: usize,
}

/// How a reduction loop is emitted.
enum LoopPlan {
    /// One statement per point.
    Unrolled,
    /// A loop over all points.
    Whole,
    /// A loop over the points where these dimensions are inside.
    Clipped(Vec<Escape>),
}

impl<'e, 'c> Generator<'e, 'c> {
    /// One register tile: all parallel iterators are fixed.
    pub(super) fn tile(&mut self, stage: &mut Stage<'e, 'c>) {
        if stage.nest.combines.is_empty() {
            return self.pointwise(stage);
        }
        let width = if stage.reduces_lanes() {
            stage.schedule.vectors.max(1) as usize
        } else {
            stage.vectors.len()
        };
        let inits = self.initial(stage, width);
        let mut totals = self.reduce(stage, stage.first_reduction(), inits, width);
        let axis = stage.axis;
        let mut across = width;
        if stage.reduces_lanes() {
            totals = self.combine_lanes(stage, &totals, width);
            stage.axis = None;
            across = 1;
        }
        self.finish(stage, totals, across);
        stage.axis = axis;
    }

    /// Body and finish of a nest without reductions, point by point.
    fn pointwise(&mut self, stage: &Stage<'e, 'c>) {
        let width = stage.vectors.len();
        let nest = stage.nest;
        let inputs = nest.reads.iter().map(|a| Input::Read(a, &[])).collect();
        let mut body = Evaluation::new(stage, &nest.body, inputs, width);
        let mut results = vec![Vec::new(); nest.body.results.len()];
        for row in 0..stage.rows as usize {
            for vector in 0..width {
                for (result, &reg) in results.iter_mut().zip(&nest.body.results) {
                    result.push(self.register_spread(stage, &mut body, reg, row, vector));
                }
            }
        }
        self.finish(stage, results.concat(), width);
    }

    /// `values`: by result of the body, row and vector.
    fn finish(&mut self, stage: &Stage<'e, 'c>, values: Vec<Value<'c>>, width: usize) {
        let nest = stage.nest;
        let points = stage.rows as usize * width;
        let mut inputs: Vec<Input<'_, 'c>> = values
            .chunks(points)
            .map(|v| Input::Values(v.to_vec()))
            .collect();
        inputs.extend(nest.finish_reads.iter().map(|a| Input::Read(a, &[])));
        let mut finish = Evaluation::new(stage, &nest.finish, inputs, width);
        for row in 0..stage.rows as usize {
            for vector in 0..width {
                for (access, &reg) in nest.writes.iter().zip(&nest.finish.results) {
                    let value = self.register_spread(stage, &mut finish, reg, row, vector);
                    let point = stage.point_at(row as i64, vector as i64);
                    let valid = stage.vectors.get(vector).copied().unwrap_or(1);
                    let at = At {
                        point: &point,
                        axis: stage.axis,
                        valid,
                        safe: &[],
                    };
                    self.write(access, &at, value);
                }
            }
        }
    }

    /// Initial accumulators by result, row and vector.
    fn initial(&mut self, stage: &Stage<'e, 'c>, width: usize) -> Vec<Value<'c>> {
        let types = register_types(&stage.nest.body);
        let lanes = stage.axis.map(|a| a.lanes);
        let points = stage.rows as usize * width;
        let mut inits = Vec::new();
        for (combine, &reg) in stage.nest.combines.iter().zip(&stage.nest.body.results) {
            let value = if stage.reduces_lanes() {
                Self::identity(combine.function, types[reg])
            } else {
                combine.init.get()
            };
            let value = self.e.element(types[reg], value, lanes);
            inits.extend(std::iter::repeat_n(value, points));
        }
        inits
    }

    /// Loops over the reduction iterators from position `level` of the order on.
    fn reduce(
        &mut self,
        stage: &mut Stage<'e, 'c>,
        level: usize,
        totals: Vec<Value<'c>>,
        width: usize,
    ) -> Vec<Value<'c>> {
        let Some(&iter) = stage.schedule.order.get(level) else {
            return self.accumulate(stage, totals, width);
        };
        let extent = stage.nest.iters[iter].extent;
        let totals = if stage.schedule.vector == Some(iter) {
            self.reduce_vectors(stage, level, totals, width)
        } else {
            match self.plan_loop(stage, iter) {
                LoopPlan::Unrolled => {
                    self.reduce_statically(stage, level, (0, extent), totals, width)
                }
                LoopPlan::Whole => self.reduce_unrolled(stage, level, totals, width),
                LoopPlan::Clipped(escapes) => {
                    self.reduce_clipped(stage, level, &escapes, totals, width)
                }
            }
        };
        stage.bound[iter] = false;
        totals
    }

    /// One statement per point `first..last` of the iterator at `level`.
    fn reduce_statically(
        &mut self,
        stage: &mut Stage<'e, 'c>,
        level: usize,
        (first, last): (i64, i64),
        mut totals: Vec<Value<'c>>,
        width: usize,
    ) -> Vec<Value<'c>> {
        let iter = stage.schedule.order[level];
        for n in first..last {
            stage.bound[iter] = true;
            stage.point[iter].local = Sym::constant(n);
            totals = self.reduce(stage, level + 1, totals, width);
        }
        totals
    }

    /// A loop over all points, unrolled by the iterator's factor, and the remainder.
    fn reduce_unrolled(
        &mut self,
        stage: &mut Stage<'e, 'c>,
        level: usize,
        mut totals: Vec<Value<'c>>,
        width: usize,
    ) -> Vec<Value<'c>> {
        let iter = stage.schedule.order[level];
        let extent = stage.nest.iters[iter].extent;
        let factor = stage.unroll[iter].max(1);
        let looped = extent / factor * factor;
        if looped <= factor {
            return self.reduce_statically(stage, level, (0, extent), totals, width);
        }
        let (lower, upper) = (self.e.index(0), self.e.index(looped));
        let open = self.open_loop(lower, upper, factor, &totals);
        totals = open.args.clone();
        let position = self.terms.value(open.iv, factor, 0, looped - factor);
        for n in 0..factor {
            stage.bound[iter] = true;
            stage.point[iter].local = position.plus(&Sym::constant(n));
            totals = self.reduce(stage, level + 1, totals, width);
        }
        totals = self.close_loop(open, &totals);
        self.reduce_statically(stage, level, (looped, extent), totals, width)
    }

    /// A loop over the points where the given dimensions are inside.
    fn reduce_clipped(
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
    fn plan_loop(&self, stage: &Stage<'e, 'c>, iter: usize) -> LoopPlan {
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
                    || !mentions(expr, i)
                    || !stage.bound[i]
                    || stage.point[i].full().as_constant().is_some()
            })
        });
        if fixed && stage.nest.iters[iter].extent <= BORDER_UNROLL {
            LoopPlan::Unrolled
        } else {
            LoopPlan::Whole
        }
    }

    /// Dimensions of padded reads that mention `iter` and may be outside for some point of the tile.
    fn escapes(&self, stage: &Stage<'e, 'c>, iter: usize) -> Vec<Escape> {
        let of = |i: usize| self.tile_range(stage, i);
        let mut found = Vec::new();
        for (read, access) in stage.nest.reads.iter().enumerate() {
            let shape = &stage.types[access.operand].shape;
            for (dim, expr) in access.index.iter().enumerate() {
                if access.pad.is_none() || stage.pads.safe[read][dim] || !mentions(expr, iter) {
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
            _ => 0,
        };
        (low, high + more)
    }

    /// Whether bounds on `iter` alone keep a dimension inside, for all points of the tile alike, and
    /// leaving the other points out changes nothing.
    fn can_clip(&self, stage: &Stage<'e, 'c>, iter: usize, escape: &Escape) -> bool {
        let expr = &stage.nest.reads[escape.read].index[escape.dim];
        let others_fixed = (0..stage.point.len()).all(|i| {
            let tiled = stage.schedule.rows == Some(i) && stage.rows > 1
                || stage.axis.is_some_and(|a| a.iter == i);
            i == iter || !mentions(expr, i) || (stage.bound[i] && !tiled)
        });
        stage.pads.neutral[escape.read] && others_fixed && positive_step(expr, iter)
    }

    /// The loop over the vector axis when that is a reduction: whole register tiles, then single
    /// vectors, then the lanes that are left under a mask.
    fn reduce_vectors(
        &mut self,
        stage: &mut Stage<'e, 'c>,
        level: usize,
        mut totals: Vec<Value<'c>>,
        width: usize,
    ) -> Vec<Value<'c>> {
        let iter = stage.schedule.order[level];
        let lanes = stage.schedule.lanes.max(1);
        let extent = stage.nest.iters[iter].extent;
        let step = lanes * width as i64;
        let looped = extent / step * step;
        stage.bound[iter] = true;
        if looped > 0 {
            stage.vectors = vec![lanes; width];
            if looped == step {
                stage.point[iter].local = Sym::constant(0);
                totals = self.reduce(stage, level + 1, totals, width);
            } else {
                let (lower, upper) = (self.e.index(0), self.e.index(looped));
                let open = self.open_loop(lower, upper, step, &totals);
                stage.point[iter].local = self.terms.value(open.iv, step, 0, looped - step);
                totals = self.reduce(stage, level + 1, open.args.clone(), width);
                totals = self.close_loop(open, &totals);
            }
        }
        if looped < extent {
            let left = extent - looped;
            let count = super::tile::ceil_div(left, lanes);
            stage.bound[iter] = true;
            stage.vectors = (0..count).map(|v| lanes.min(left - v * lanes)).collect();
            stage.point[iter].local = Sym::constant(looped);
            totals = self.reduce(stage, level + 1, totals, width);
        }
        stage.vectors = vec![1];
        totals
    }

    /// `acc = combine(acc, body)` at every point of the tile.
    fn accumulate(
        &mut self,
        stage: &Stage<'e, 'c>,
        mut totals: Vec<Value<'c>>,
        width: usize,
    ) -> Vec<Value<'c>> {
        let nest = stage.nest;
        let points = stage.rows as usize * width;
        let safe = stage.pads.safe.clone();
        let inputs = nest
            .reads
            .iter()
            .zip(&safe)
            .map(|(a, s)| Input::Read(a, s))
            .collect();
        let mut body = Evaluation::new(stage, &nest.body, inputs, width);
        let types = register_types(&nest.body);
        let factors = nest.body.product().filter(|_| nest.contract);
        for row in 0..stage.rows as usize {
            for vector in 0..stage.vectors.len() {
                if self.left_out(stage, row, vector) {
                    continue;
                }
                for (k, (combine, &reg)) in nest.combines.iter().zip(&nest.body.results).enumerate()
                {
                    let slot = k * points + row * width + vector;
                    let total = totals[slot];
                    let next = if let Some((a, b)) = factors {
                        let a = self.register_spread(stage, &mut body, a, row, vector);
                        let b = self.register_spread(stage, &mut body, b, row, vector);
                        self.multiply_add(types[reg], a, b, total)
                    } else {
                        let value = self.register_spread(stage, &mut body, reg, row, vector);
                        self.combine(combine.function, types[reg], total, value)
                    };
                    totals[slot] = self.keep_tail(stage, vector, next, total);
                }
            }
        }
        totals
    }

    fn multiply_add(
        &mut self,
        ty: ElementType,
        a: Value<'c>,
        b: Value<'c>,
        total: Value<'c>,
    ) -> Value<'c> {
        if ty.is_float() {
            return self.e.fma(a, b, total);
        }
        let product = self.e.muli(a, b);
        self.e.addi(total, product)
    }

    /// Lanes past the end of a reduced vector axis keep their total.
    fn keep_tail(
        &mut self,
        stage: &Stage<'e, 'c>,
        vector: usize,
        next: Value<'c>,
        total: Value<'c>,
    ) -> Value<'c> {
        let (Some(axis), true) = (stage.axis, stage.reduces_lanes()) else {
            return next;
        };
        let valid = stage.vectors[vector];
        if valid == axis.lanes {
            return next;
        }
        let mask: Vec<bool> = (0..axis.lanes).map(|l| l < valid).collect();
        let mask = self.e.mask(&mask);
        self.e.select(mask, next, total)
    }

    /// Whether a point is known to be outside a read whose padding changes nothing.
    fn left_out(&mut self, stage: &Stage<'e, 'c>, row: usize, vector: usize) -> bool {
        let neutral: Vec<usize> = (0..stage.nest.reads.len())
            .filter(|&r| stage.pads.neutral[r])
            .collect();
        neutral.into_iter().any(|read| {
            let access = &stage.nest.reads[read];
            let point = stage.point_at(row as i64, vector as i64);
            let axis = if stage.moves(access).1 {
                stage.axis
            } else {
                None
            };
            let at = At {
                point: &point,
                axis,
                valid: stage.vectors[vector],
                safe: &stage.pads.safe[read],
            };
            self.outside(access, &at)
        })
    }

    /// Totals by result and row from the lanes and vectors along a reduced vector axis.
    fn combine_lanes(
        &mut self,
        stage: &Stage<'e, 'c>,
        totals: &[Value<'c>],
        width: usize,
    ) -> Vec<Value<'c>> {
        let types = register_types(&stage.nest.body);
        let rows = stage.rows as usize;
        let mut results = Vec::new();
        for (k, combine) in stage.nest.combines.iter().enumerate() {
            let ty = types[stage.nest.body.results[k]];
            for row in 0..rows {
                let first = (k * rows + row) * width;
                let total = self.tree(combine.function, ty, &totals[first..first + width]);
                let mut total = self.lane_tree(combine.function, ty, total);
                let init = combine.init.get();
                if init != Self::identity(combine.function, ty) {
                    let init = self.e.element(ty, init, None);
                    total = self.combine(combine.function, ty, init, total);
                }
                results.push(total);
            }
        }
        results
    }

    fn tree(&mut self, function: CombineFn, ty: ElementType, values: &[Value<'c>]) -> Value<'c> {
        match values {
            [one] => *one,
            many => {
                let (low, high) = many.split_at(many.len().div_ceil(2));
                let low = self.tree(function, ty, low);
                let high = self.tree(function, ty, high);
                self.combine(function, ty, low, high)
            }
        }
    }

    /// Combines lane `i` with lane `i + n/2`, again and again.
    fn lane_tree(&mut self, function: CombineFn, ty: ElementType, vector: Value<'c>) -> Value<'c> {
        let lanes = sinter_ir::emitter::lanes_of(sinter_ir::emitter::type_of(vector)).unwrap_or(1);
        if lanes == 1 {
            return self.e.extract(vector, 0);
        }
        let half = lanes / 2;
        let low: Vec<i64> = (0..half).collect();
        let high: Vec<i64> = (half..lanes).collect();
        let low = self.e.shuffle(vector, vector, &low);
        let high = self.e.shuffle(vector, vector, &high);
        let combined = self.combine(function, ty, low, high);
        self.lane_tree(function, ty, combined)
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
