//! What is said to the memory system beside loads and stores: what will be read, and what must not be kept.

use melior::ir::attribute::{BoolAttribute, IntegerAttribute, StringAttribute};
use melior::ir::r#type::IntegerType;
use sinter_loops::kernel::{GridAxis, Role};
use sinter_loops::nest::{Access, Nest};

use super::Generator;
use super::access::At;
use super::stage::Stage;
use super::sym::Sym;
use super::tile::ceil_div;

/// `acq_rel` of `llvm.fence`.
const ACQUIRE_RELEASE: i64 = 6;

/// A prefetch into all caches.
const NEAREST: i64 = 3;

/// A prefetch into the second-level cache: what is at work now keeps the first.
pub(super) const SECOND: i64 = 2;

impl<'e, 'c> Generator<'e, 'c> {
    /// Asks for the activations that the finish will read, so that they arrive during the reduction:
    /// a processor does not look far enough ahead to load them by itself.
    pub(super) fn prefetch_finish(&mut self, stage: &Stage<'e, 'c>) {
        if stage.axis.is_none() || stage.reduces_lanes() {
            return;
        }
        let slots = &self.kernel.slots;
        let activation = |a: &&Access| slots[a.operand].role == Role::Input;
        for access in stage.nest.finish_reads.iter().filter(activation) {
            self.prefetch_tile(stage, access, None, NEAREST);
        }
    }

    /// Asks for what the next block begins with, while this one computes. The first of several stages that
    /// read the same waits for memory, and the others leave memory idle; so the last one that reads an
    /// operand greater than the caches asks for its part in the next block.
    pub(super) fn prefetch_next_block(&mut self, stage: &Stage<'e, 'c>) {
        let several = |a: &GridAxis| ceil_div(a.extent, a.tile) > 1;
        let Some(next) = self.schedule.grid.iter().rfind(|a| several(a)) else {
            return;
        };
        let (Some(iter), Some(_)) = (next.iters[stage.index], stage.axis) else {
            return;
        };
        let last_of_several = |slot: usize| {
            let reads = |n: &Nest| n.reads.iter().any(|a| a.operand == slot);
            let (before, after) = self.kernel.stages.split_at(stage.index);
            before.iter().any(reads) && !after[1..].iter().any(reads)
        };
        let large =
            |slot: usize| self.kernel.slots[slot].role == Role::Input && self.slots[slot].large;
        let mut wanted: Vec<&Access> = Vec::new();
        for access in &stage.nest.reads {
            let counts = large(access.operand) && last_of_several(access.operand);
            if counts && !wanted.contains(&access) {
                wanted.push(access);
            }
        }
        for access in wanted {
            self.prefetch_tile(stage, access, Some((iter, next.tile)), SECOND);
        }
    }

    /// Asks for what a register tile reads, or would read so many points further along an iterator.
    fn prefetch_tile(
        &mut self,
        stage: &Stage<'e, 'c>,
        access: &Access,
        ahead: Option<(usize, i64)>,
        locality: i64,
    ) {
        let (along_rows, along_vectors) = stage.moves(access);
        let rows = if along_rows { stage.all_rows() } else { 1 };
        let vectors = if along_vectors {
            stage.vectors.len()
        } else {
            1
        };
        for row in 0..rows {
            for (vector, &valid) in (0..).zip(&stage.vectors[..vectors]) {
                let mut point = stage.point_at(row, vector);
                if let Some((iter, points)) = ahead {
                    point[iter] = point[iter].shifted(points);
                }
                let at = At {
                    point: &point,
                    axis: stage.axis,
                    valid,
                    safe: &[],
                };
                self.prefetch(access, &at, locality);
            }
        }
    }

    /// Asks for the memory of a vector that will be read at a point. Does nothing where the read is not
    /// one of consecutive elements inside the operand.
    fn prefetch(&mut self, access: &Access, at: &At<'_>, locality: i64) {
        let place = self.place(access, at);
        if place.step == Some(1) && !place.outside && place.guards.is_empty() {
            self.prefetch_at(access.operand, &place.index, locality);
        }
    }

    /// Asks for an element of an operand; for its last one instead of one behind it.
    pub(super) fn prefetch_at(&mut self, slot: usize, index: &Sym, locality: i64) {
        let last = self.slots[slot].elements - 1;
        let beyond = self.terms.range(index).1 > last;
        let mut index = self.materialise(index);
        if beyond {
            let last = self.e.index(last);
            index = self.e.binary("arith.minsi", index, last);
        }
        let context = self.e.context();
        let locality = IntegerAttribute::new(IntegerType::new(context, 32).into(), locality);
        let attributes = [
            ("isWrite", BoolAttribute::new(context, false).into()),
            ("localityHint", locality.into()),
            ("isDataCache", BoolAttribute::new(context, true).into()),
        ];
        let memref = self.slots[slot].memref;
        self.e
            .op("memref.prefetch", &[memref, index], &[], &attributes);
    }

    /// What was loaded before is loaded again after: a fence between this thread and itself, which costs
    /// no instruction, and over which nothing is kept in registers for later.
    pub(super) fn forget_loads(&mut self) {
        let context = self.e.context();
        let ordering = IntegerAttribute::new(IntegerType::new(context, 64).into(), ACQUIRE_RELEASE);
        let attributes = [
            ("ordering", ordering.into()),
            (
                "syncscope",
                StringAttribute::new(context, "singlethread").into(),
            ),
        ];
        self.e.op("llvm.fence", &[], &[], &attributes);
    }
}
