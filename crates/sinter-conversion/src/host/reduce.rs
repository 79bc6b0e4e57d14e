//! The register tile: accumulators, loops over reduction iterators, finish and stores.

use sinter_ir::emitter::Value;
use sinter_loops::scalar::Reg;

use super::Generator;
use super::access::At;
use super::body::{Evaluation, Input, register_types};
use super::by_pages::Phase;
use super::clip::LoopPlan;
use super::stage::Stage;
use super::sym::Sym;

/// Reductions of so many points hide the wait for what the finish reads.
const PREFETCHED_REDUCTION: i64 = 32;

impl<'e, 'c> Generator<'e, 'c> {
    /// One register tile: all parallel iterators are fixed.
    pub(super) fn tile(&mut self, stage: &mut Stage<'e, 'c>) {
        if stage.nest.combines.is_empty() {
            return self.pointwise(stage);
        }
        if stage.phase != Phase::Whole {
            return self.partial_tile(stage);
        }
        let width = if stage.reduces_lanes() {
            stage.schedule.vectors.max(1) as usize
        } else {
            stage.vectors.len()
        };
        if stage.nest.reduction_points() >= PREFETCHED_REDUCTION {
            self.prefetch_finish(stage);
        }
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
        self.prefetch_next_block(stage);
        let width = stage.vectors.len();
        let nest = stage.nest;
        let inputs = nest.reads.iter().map(|a| Input::Read(a, &[])).collect();
        let mut body = Evaluation::new(stage, &nest.body, inputs, width);
        self.turn_reads(stage, &mut body);
        let mut results = vec![Vec::new(); nest.body.results.len()];
        for row in 0..stage.all_rows() as usize {
            for vector in 0..width {
                for (result, &reg) in results.iter_mut().zip(&nest.body.results) {
                    result.push(self.register_spread(stage, &mut body, reg, row, vector));
                }
            }
        }
        self.finish(stage, results.concat(), width);
    }

    /// `values`: by result of the body, row and vector.
    pub(super) fn finish(&mut self, stage: &Stage<'e, 'c>, values: Vec<Value<'c>>, width: usize) {
        let nest = stage.nest;
        let points = stage.all_rows() as usize * width;
        let mut inputs: Vec<Input<'_, 'c>> = values
            .chunks(points)
            .map(|v| Input::Values(v.to_vec()))
            .collect();
        inputs.extend(nest.finish_reads.iter().map(|a| Input::Read(a, &[])));
        let mut finish = Evaluation::new(stage, &nest.finish, inputs, width);
        for row in 0..stage.all_rows() as usize {
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
                    self.write(access, &at, value, width as i64);
                }
            }
        }
    }

    /// Initial accumulators by result, row and vector.
    pub(super) fn initial(&mut self, stage: &Stage<'e, 'c>, width: usize) -> Vec<Value<'c>> {
        let types = register_types(&stage.nest.body);
        let lanes = stage.axis.map(|a| a.lanes);
        let points = stage.all_rows() as usize * width;
        let mut inits = Vec::new();
        for (combine, &reg) in stage.nest.combines.iter().zip(&stage.nest.body.results) {
            let value = if stage.reduces_lanes() {
                Self::identity(combine.function, types[reg])
            } else {
                combine.init.get()
            };
            let value = self.literal(types[reg], value, lanes);
            inits.extend(std::iter::repeat_n(value, points));
        }
        inits
    }

    /// Loops over the reduction iterators from position `level` of the order on.
    pub(super) fn reduce(
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
        let totals = if let Some(index) = stage.selected(iter) {
            self.reduce_selected(stage, level, index, totals, width)
        } else if let Some(totals) = self.reduce_dots(stage, level, &totals, width) {
            totals
        } else if stage.schedule.vector == Some(iter) {
            self.reduce_vectors(stage, level, totals, width)
        } else {
            match self.plan_loop(stage, iter) {
                LoopPlan::Unrolled => self.reduce_border(stage, level, extent, totals, width),
                LoopPlan::Whole => self.reduce_unrolled(stage, level, totals, width),
                LoopPlan::Clipped(escapes) => {
                    self.reduce_clipped(stage, level, &escapes, totals, width)
                }
            }
        };
        stage.bound[iter] = false;
        totals
    }

    /// The one point that the register `index` of the body says; none where that is out of range.
    fn reduce_selected(
        &mut self,
        stage: &mut Stage<'e, 'c>,
        level: usize,
        index: Reg,
        totals: Vec<Value<'c>>,
        width: usize,
    ) -> Vec<Value<'c>> {
        let iter = stage.schedule.order[level];
        let extent = stage.nest.iters[iter].extent;
        let nest = stage.nest;
        let inputs = nest.reads.iter().map(|a| Input::Read(a, &[])).collect();
        let mut body = Evaluation::new(stage, &nest.body, inputs, width);
        let (index, _) = self.register(stage, &mut body, index, 0, 0);
        let index_type = self.e.index_type();
        let index = self.e.convert("arith.index_cast", index, index_type);
        let (zero, one, end) = (self.e.index(0), self.e.index(1), self.e.index(extent));
        let after = self.e.addi(index, one);
        let lower = self.e.binary("arith.maxsi", index, zero);
        let upper = self.e.binary("arith.minsi", after, end);
        let open = self.open_loop(lower, upper, 1, &totals);
        stage.bound[iter] = true;
        stage.point[iter].local = self.terms.value(open.iv, 1, 0, extent - 1);
        let totals = self.reduce(stage, level + 1, open.args.clone(), width);
        self.close_loop(open, &totals)
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

    /// One statement per tap of a window at the border. Windows of neighbouring rows overlap: elements that
    /// one tap has loaded are wanted by the next, by another row. There are more of them than registers,
    /// and to load them again is cheaper than to spill them.
    fn reduce_border(
        &mut self,
        stage: &mut Stage<'e, 'c>,
        level: usize,
        extent: i64,
        mut totals: Vec<Value<'c>>,
        width: usize,
    ) -> Vec<Value<'c>> {
        for tap in 0..extent {
            if tap > 0 {
                self.forget_loads();
            }
            totals = self.reduce_statically(stage, level, (tap, tap + 1), totals, width);
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
        if level + 1 == stage.schedule.order.len() {
            stage.point[iter].local = position.clone();
            self.prefetch_next_panel(stage, factor);
        }
        for n in 0..factor {
            stage.bound[iter] = true;
            stage.point[iter].local = position.plus(&Sym::constant(n));
            totals = self.reduce(stage, level + 1, totals, width);
        }
        totals = self.close_loop(open, &totals);
        self.reduce_statically(stage, level, (looped, extent), totals, width)
    }

    /// `acc = combine(acc, body)` at every point of the tile.
    fn accumulate(
        &mut self,
        stage: &Stage<'e, 'c>,
        mut totals: Vec<Value<'c>>,
        width: usize,
    ) -> Vec<Value<'c>> {
        let nest = stage.nest;
        let points = stage.all_rows() as usize * width;
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
        for row in 0..stage.all_rows() as usize {
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
}
