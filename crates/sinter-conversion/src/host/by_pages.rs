//! Reductions from page to page of a large operand: a few steps at a time for all columns of the block,
//! with the sums so far in the output. See [`sinter_loops::page_steps`].

use sinter_ir::emitter::Value;
use sinter_loops::nest::Access;
use sinter_loops::page_steps::page_steps;
use sinter_loops::types::ElementType;

use super::Generator;
use super::access::{At, Loaded};
use super::body::register_types;
use super::clip::LoopPlan;
use super::stage::Stage;
use super::sym::Sym;
use super::tile::ceil_div;

/// Steps that are taken for all columns before the next ones: as many streams as a processor foresees.
const STEPS: i64 = 8;

/// What a register tile does of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// All of it.
    Whole,
    /// Stores the start values.
    Start,
    /// Adds so many steps of an iterator, from where it stands, to what is stored.
    Some { level: usize, steps: i64 },
    /// Finishes what is stored.
    End,
}

impl<'e, 'c> Generator<'e, 'c> {
    /// The reduction iterator that steps from page to page, where the vector tiles at `level` of the order
    /// are innermost and several.
    pub(super) fn steps_by_pages(&self, stage: &Stage<'e, 'c>, level: usize) -> Option<usize> {
        let vector = stage.schedule.vector?;
        let iter = page_steps(stage.nest, &self.kernel.slots, vector, self.large_bytes)?;
        let tile = stage.schedule.lanes.max(1) * stage.schedule.vectors.max(1);
        let sums = register_types(&stage.nest.body)[stage.nest.body.results[0]];
        let stored = self.kernel.slots[stage.nest.writes[0].operand].ty.element;
        let fits = stage.phase == Phase::Whole
            && stage.schedule.rows.is_none()
            && stage.schedule.jam.is_none()
            && level + 1 == stage.first_reduction()
            && stage.schedule.order.get(level + 1) == Some(&iter)
            && ceil_div(stage.spans[vector].extent, tile) > 1
            && stage.nest.iters[iter].extent > STEPS
            && sums == stored
            && !sums.is_half()
            && sums != ElementType::Bool;
        let plain = matches!(self.plan_loop(stage, iter), LoopPlan::Whole);
        (fits && plain).then_some(iter)
    }

    /// All vector tiles, with the reduction along `iter` outside of them.
    pub(super) fn sums_in_memory(&mut self, stage: &mut Stage<'e, 'c>, level: usize, iter: usize) {
        let Some(vector) = stage.schedule.vector else {
            return;
        };
        let extent = stage.nest.iters[iter].extent;
        let looped = extent / STEPS * STEPS;
        stage.phase = Phase::Start;
        self.vector_tiles(stage, level, vector);
        let some = |steps| Phase::Some {
            level: level + 1,
            steps,
        };
        let (lower, upper) = (self.e.index(0), self.e.index(looped));
        let open = self.open_loop(lower, upper, STEPS, &[]);
        stage.point[iter].local = self.terms.value(open.iv, STEPS, 0, looped - STEPS);
        stage.phase = some(STEPS);
        self.vector_tiles(stage, level, vector);
        self.close_loop(open, &[]);
        if looped < extent {
            stage.point[iter].local = Sym::constant(looped);
            stage.phase = some(extent - looped);
            self.vector_tiles(stage, level, vector);
        }
        stage.point[iter].local = Sym::default();
        stage.phase = Phase::End;
        self.vector_tiles(stage, level, vector);
        stage.phase = Phase::Whole;
    }

    /// What a register tile does in a phase that is not the whole.
    pub(super) fn partial_tile(&mut self, stage: &mut Stage<'e, 'c>) {
        let width = stage.vectors.len();
        match stage.phase {
            Phase::Whole => {}
            Phase::Start => {
                let sums = self.initial(stage, width);
                self.store_sums(stage, &sums);
            }
            Phase::Some { level, steps } => {
                let iter = stage.schedule.order[level];
                let from = stage.point[iter].local.clone();
                let mut sums = self.stored_sums(stage);
                for step in 0..steps {
                    stage.bound[iter] = true;
                    stage.point[iter].local = from.plus(&Sym::constant(step));
                    sums = self.reduce(stage, level + 1, sums, width);
                }
                stage.bound[iter] = false;
                stage.point[iter].local = from;
                self.store_sums(stage, &sums);
            }
            Phase::End => {
                let sums = self.stored_sums(stage);
                self.finish(stage, sums, width);
            }
        }
    }

    fn store_sums(&mut self, stage: &Stage<'e, 'c>, sums: &[Value<'c>]) {
        let write = &stage.nest.writes[0];
        for (vector, &sum) in (0..).zip(sums) {
            let point = stage.point_at(0, vector);
            let at = at_vector(stage, &point, vector);
            self.write(write, &at, sum, sums.len() as i64);
        }
    }

    fn stored_sums(&mut self, stage: &Stage<'e, 'c>) -> Vec<Value<'c>> {
        let write = &stage.nest.writes[0];
        let read = Access::new(write.operand, write.index.clone());
        let vectors = 0..stage.vectors.len() as i64;
        let sums = vectors.map(|vector| {
            let point = stage.point_at(0, vector);
            let at = at_vector(stage, &point, vector);
            match self.read(&read, &at) {
                Loaded::Scalar(value) | Loaded::Vector(value) => value,
            }
        });
        sums.collect()
    }
}

fn at_vector<'p>(stage: &Stage<'_, '_>, point: &'p [super::sym::Point], vector: i64) -> At<'p> {
    At {
        point,
        axis: stage.axis,
        valid: stage.vectors[vector as usize],
        safe: &[],
    }
}
