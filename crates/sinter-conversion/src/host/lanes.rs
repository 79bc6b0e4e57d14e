//! Vectors along a reduction iterator: the loop over them, and the combination of their lanes.

use sinter_ir::emitter::{Value, lanes_of, type_of};
use sinter_loops::nest::CombineFn;
use sinter_loops::types::ElementType;

use super::Generator;
use super::body::register_types;
use super::stage::Stage;
use super::sym::Sym;
use super::tile::ceil_div;

impl<'e, 'c> Generator<'e, 'c> {
    /// The loop over the vector axis when that is a reduction: whole register tiles, then single
    /// vectors, then the lanes that are left under a mask.
    pub(super) fn reduce_vectors(
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
            let count = ceil_div(left, lanes);
            stage.bound[iter] = true;
            stage.vectors = (0..count).map(|v| lanes.min(left - v * lanes)).collect();
            stage.point[iter].local = Sym::constant(looped);
            totals = self.reduce(stage, level + 1, totals, width);
        }
        stage.vectors = vec![1];
        totals
    }

    /// Lanes past the end of a reduced vector axis keep their total.
    pub(super) fn keep_tail(
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

    /// Totals by result and row from the lanes and vectors along a reduced vector axis.
    pub(super) fn combine_lanes(
        &mut self,
        stage: &Stage<'e, 'c>,
        totals: &[Value<'c>],
        width: usize,
    ) -> Vec<Value<'c>> {
        let types = register_types(&stage.nest.body);
        let rows = stage.all_rows() as usize;
        let mut results = Vec::new();
        for (k, combine) in stage.nest.combines.iter().enumerate() {
            let ty = types[stage.nest.body.results[k]];
            for row in 0..rows {
                let first = (k * rows + row) * width;
                let total = self.tree(combine.function, ty, &totals[first..first + width]);
                let mut total = self.lane_tree(combine.function, ty, total);
                let init = combine.init.get();
                if init != Self::identity(combine.function, ty) {
                    let init = self.literal(ty, init, None);
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
        let lanes = lanes_of(type_of(vector)).unwrap_or(1);
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
