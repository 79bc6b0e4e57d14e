//! Contractions of bytes by dot products: one instruction adds four products to every lane of an accumulator.
//!
//! The signed factors of a vector lie four by four, `[..][lanes][4]` (`sinter_loops::byte_products`); the
//! unsigned ones, four in a row, are the same for all lanes. Where the reduction ends within a group, packed
//! weights are zero, so that it does not matter which bytes meet them.

use melior::ir::attribute::{DenseI32ArrayAttribute, StringAttribute};
use sinter_ir::emitter::Value;
use sinter_loops::affine::Affine;
use sinter_loops::byte_products::{GROUP, byte_factors};
use sinter_loops::kernel::{Kernel, Role, Schedule};
use sinter_loops::nest::{Access, IterKind};

use super::Generator;
use super::access::At;
use super::by_pages::Phase;
use super::clip::LoopPlan;
use super::stage::Stage;
use super::sym::{Sym, VectorAxis};

/// How a register tile is made of dot products.
#[derive(Clone, Copy)]
struct Dots {
    /// The read of unsigned factors, the same for all lanes.
    left: usize,
    /// The read of signed factors.
    right: usize,
    axis: VectorAxis,
}

/// Whether a stage sums products of bytes across the lanes of a vector. LLVM makes dot products of such sums
/// where it may, wrong ones (`sinter_codegen`): it may not in kernels that have one.
pub(super) fn sums_across_lanes(kernel: &Kernel, schedule: &Schedule) -> bool {
    let mut stages = kernel.stages.iter().zip(&schedule.stages);
    stages.any(|(nest, stage)| {
        let reduced = |v: usize| nest.iters[v].kind == IterKind::Reduction;
        byte_factors(nest).is_some() && stage.vector.is_some_and(reduced)
    })
}

impl<'e, 'c> Generator<'e, 'c> {
    /// The loop over `iter`, the innermost reduction, by dot products; `None` where they do not do for this
    /// register tile.
    pub(super) fn reduce_dots(
        &mut self,
        stage: &mut Stage<'e, 'c>,
        level: usize,
        totals: &[Value<'c>],
        width: usize,
    ) -> Option<Vec<Value<'c>>> {
        let innermost = level + 1 == stage.schedule.order.len();
        if !self.byte_dots || !innermost || stage.phase != Phase::Whole {
            return None;
        }
        let iter = stage.schedule.order[level];
        let dots = self.dots(stage, iter)?;
        let extent = stage.nest.iters[iter].extent;
        let factor = (stage.unroll[iter] / GROUP).max(1);
        let groups = extent / GROUP;
        let looped = groups / factor * factor;
        let mut totals = totals.to_vec();
        let mut first = 0;
        if looped > factor {
            let (lower, upper) = (self.e.index(0), self.e.index(looped * GROUP));
            let open = self.open_loop(lower, upper, factor * GROUP, &totals);
            totals = open.args.clone();
            let last = (looped - factor) * GROUP;
            let position = self.terms.value(open.iv, factor * GROUP, 0, last);
            for group in 0..factor {
                let local = position.plus(&Sym::constant(group * GROUP));
                totals = self.add_group(stage, dots, (iter, local), GROUP, totals, width);
            }
            totals = self.close_loop(open, &totals);
            first = looped * GROUP;
        }
        while first < extent {
            let bytes = GROUP.min(extent - first);
            totals = self.add_group(
                stage,
                dots,
                (iter, Sym::constant(first)),
                bytes,
                totals,
                width,
            );
            first += GROUP;
        }
        Some(totals)
    }

    /// The factors of the current register tile, if dot products along `iter` multiply them.
    fn dots(&mut self, stage: &mut Stage<'e, 'c>, iter: usize) -> Option<Dots> {
        let (left, right) = byte_factors(stage.nest)?;
        let axis = stage.axis?;
        let nest = stage.nest;
        let parallel = nest.iters[axis.iter].kind == IterKind::Parallel;
        let whole = matches!(self.plan_loop(stage, iter), LoopPlan::Whole);
        if !parallel || !whole || ![4, 8, 16].contains(&axis.lanes) {
            return None;
        }
        let (a, b) = (&nest.reads[left], &nest.reads[right]);
        let neutral = a.pad.is_none_or(|p| p.get() == 0.0) && b.pad.is_none();
        let extent = nest.iters[iter].extent;
        let padded = extent % GROUP == 0 || self.kernel.slots[b.operand].role == Role::Constant;
        let extents = nest.extents();
        let step = |access: &Access| {
            let position = Affine::flatten(&access.index, &stage.types[access.operand].shape);
            position.stride_in_tiles(iter, GROUP, &extents)
        };
        let dense = step(a) == Some(1) && step(b) == Some(1);
        let moves = (stage.moves(a), stage.moves(b));
        let split = !moves.0.1 && !moves.1.0;
        if !(neutral && padded && dense && split) {
            return None;
        }
        stage.bound[iter] = true;
        // The last group of the last vectors lies furthest behind.
        stage.point[iter].local = Sym::constant((extent - 1) / GROUP * GROUP);
        let fits = (0..stage.vectors.len() as i64).all(|vector| {
            let point = stage.point_at(0, vector);
            let at = At {
                point: &point,
                axis: Some(axis),
                valid: axis.lanes,
                safe: &[],
            };
            let place = self.place(b, &at);
            let end = self.terms.range(&place.index).1 + axis.lanes * GROUP;
            place.step == Some(GROUP) && end <= self.slots[b.operand].elements
        });
        stage.bound[iter] = false;
        fits.then_some(Dots { left, right, axis })
    }

    /// Adds the products of one group, of which so many bytes count.
    fn add_group(
        &mut self,
        stage: &mut Stage<'e, 'c>,
        dots: Dots,
        (iter, local): (usize, Sym),
        bytes: i64,
        mut totals: Vec<Value<'c>>,
        width: usize,
    ) -> Vec<Value<'c>> {
        stage.bound[iter] = true;
        stage.point[iter].local = local;
        let moves = stage.moves(&stage.nest.reads[dots.left]).0;
        let mut rights = vec![None; stage.vectors.len()];
        let mut left = None;
        for row in 0..stage.all_rows() as usize {
            if row == 0 || moves {
                left = self.left_group(stage, dots, row as i64, bytes);
            }
            let Some(left) = left else { continue };
            for (vector, known) in rights.iter_mut().enumerate() {
                let right = match *known {
                    Some(right) => right,
                    None => self.right_group(stage, dots, vector as i64),
                };
                *known = Some(right);
                let slot = row * width + vector;
                totals[slot] = self.add_dots(totals[slot], left, right, dots.axis.lanes);
            }
        }
        totals
    }

    /// Four unsigned factors for all lanes, those that do not count anything; `None` outside of the operand.
    fn left_group(
        &mut self,
        stage: &Stage<'e, 'c>,
        dots: Dots,
        row: i64,
        bytes: i64,
    ) -> Option<Value<'c>> {
        let access = &stage.nest.reads[dots.left];
        let point = stage.point_at(row, 0);
        let at = At {
            point: &point,
            axis: None,
            valid: 1,
            safe: &stage.pads.safe[dots.left],
        };
        let place = self.place(access, &at);
        if place.outside {
            return None;
        }
        let inside = self.scalar_test(&place.guards);
        let (_, last) = self.terms.range(&place.index);
        let memref = self.slots[access.operand].memref;
        let overruns = last + GROUP > self.slots[access.operand].elements;
        let mut index = self.materialise(&place.index);
        if let Some(inside) = inside {
            let zero = self.e.index(0);
            index = self.e.select(inside, index, zero);
        }
        let word = self.e.int_type(32);
        let mut four = if overruns {
            self.bytes_one_by_one(memref, index, bytes)
        } else {
            let loaded = self.e.vector_load(memref, index, GROUP);
            let one = self.e.vector_type(1, word);
            let cast = self.e.op1("vector.bitcast", &[loaded], one, &[]);
            self.e.extract(cast, 0)
        };
        if let Some(inside) = inside {
            let zero = self.e.int(word, 0);
            four = self.e.select(inside, four, zero);
        }
        let spread = self.e.broadcast(four, dots.axis.lanes);
        let byte = self.e.int_type(8);
        let all = self.e.vector_type(dots.axis.lanes * GROUP, byte);
        Some(self.e.op1("vector.bitcast", &[spread], all, &[]))
    }

    /// The first bytes from an index on as a word, the others 0.
    fn bytes_one_by_one(&mut self, memref: Value<'c>, index: Value<'c>, bytes: i64) -> Value<'c> {
        let word = self.e.int_type(32);
        let mut all = self.e.int(word, 0);
        for n in 0..bytes {
            let offset = self.e.index(n);
            let at = self.e.addi(index, offset);
            let loaded = self.e.load(memref, at);
            let wide = self.e.convert("arith.extui", loaded, word);
            let shift = self.e.int(word, 8 * n);
            let moved = self.e.binary("arith.shli", wide, shift);
            all = self.e.binary("arith.ori", all, moved);
        }
        all
    }

    /// Four signed factors for each lane of a vector.
    fn right_group(&mut self, stage: &Stage<'e, 'c>, dots: Dots, vector: i64) -> Value<'c> {
        let access = &stage.nest.reads[dots.right];
        let point = stage.point_at(0, vector);
        let at = At {
            point: &point,
            axis: Some(dots.axis),
            valid: dots.axis.lanes,
            safe: &[],
        };
        let place = self.place(access, &at);
        let index = self.materialise(&place.index);
        let memref = self.slots[access.operand].memref;
        self.e.vector_load(memref, index, dots.axis.lanes * GROUP)
    }

    /// `total + left . right`, in every lane.
    fn add_dots(
        &mut self,
        total: Value<'c>,
        left: Value<'c>,
        right: Value<'c>,
        lanes: i64,
    ) -> Value<'c> {
        let context = self.e.context();
        let name = format!("llvm.x86.avx512.vpdpbusd.{}", 32 * lanes);
        let attributes = [
            ("intrin", StringAttribute::new(context, &name).into()),
            (
                "operandSegmentSizes",
                DenseI32ArrayAttribute::new(context, &[3, 0]).into(),
            ),
            (
                "op_bundle_sizes",
                DenseI32ArrayAttribute::new(context, &[]).into(),
            ),
        ];
        let operands = [total, left, right];
        let r#type = sinter_ir::emitter::type_of(total);
        self.e
            .op1("llvm.call_intrinsic", &operands, r#type, &attributes)
    }
}
