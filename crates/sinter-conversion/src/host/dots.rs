//! Contractions by dot products: one instruction adds a group of products to every lane of an accumulator, four of
//! bytes, two of `bf16`.
//!
//! The right factors of a vector lie group by group, `[..][lanes][group]` (`sinter_loops::dot_products`); the left
//! ones, a group in a row, are the same for all lanes. Where the reduction ends within a group, packed weights are
//! zero, and so are the left factors of `bf16` that meet them.

use melior::ir::attribute::{DenseI32ArrayAttribute, StringAttribute};
use sinter_ir::emitter::{Value, memref_element};
use sinter_loops::affine::Affine;
use sinter_loops::dot_products::{DotKind, Factors, dot_factors};
use sinter_loops::kernel::{Kernel, Role, Schedule};
use sinter_loops::nest::{Access, IterKind};

use super::Generator;
use super::access::At;
use super::by_pages::Phase;
use super::clip::LoopPlan;
use super::stage::Stage;
use super::sym::{Sym, VectorAxis};

/// Bits of a lane, and of a group of factors.
const WORD_BITS: i64 = 32;

/// How a register tile is made of dot products.
#[derive(Clone, Copy)]
struct Dots {
    factors: Factors,
    axis: VectorAxis,
}

/// Whether a stage sums products of bytes across the lanes of a vector. LLVM makes dot products of such sums
/// where it may, wrong ones (`sinter_codegen`): it may not in kernels that have one.
pub(super) fn sums_across_lanes(kernel: &Kernel, schedule: &Schedule) -> bool {
    let mut stages = kernel.stages.iter().zip(&schedule.stages);
    stages.any(|(nest, stage)| {
        let reduced = |v: usize| nest.iters[v].kind == IterKind::Reduction;
        let factors = dot_factors(nest, &kernel.slots);
        let bytes = factors.is_some_and(|f| f.kind == DotKind::Bytes);
        bytes && stage.vector.is_some_and(reduced)
    })
}

impl Dots {
    fn group(self) -> i64 {
        self.factors.kind.group()
    }
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
        if !innermost || stage.phase != Phase::Whole {
            return None;
        }
        let iter = stage.schedule.order[level];
        let dots = self.dots(stage, iter)?;
        let group = dots.group();
        let extent = stage.nest.iters[iter].extent;
        let factor = (stage.unroll[iter] / group).max(1);
        let groups = extent / group;
        let looped = groups / factor * factor;
        let mut totals = totals.to_vec();
        let mut first = 0;
        if looped > factor {
            let (lower, upper) = (self.e.index(0), self.e.index(looped * group));
            let open = self.open_loop(lower, upper, factor * group, &totals);
            totals = open.args.clone();
            let last = (looped - factor) * group;
            let position = self.terms.value(open.iv, factor * group, 0, last);
            stage.point[iter].local = position.clone();
            self.prefetch_next_panel(stage, factor * group);
            for n in 0..factor {
                let local = position.plus(&Sym::constant(n * group));
                totals = self.add_group(stage, dots, (iter, local), group, totals, width);
            }
            totals = self.close_loop(open, &totals);
            first = looped * group;
        }
        while first < extent {
            let count = group.min(extent - first);
            let local = Sym::constant(first);
            totals = self.add_group(stage, dots, (iter, local), count, totals, width);
            first += group;
        }
        Some(totals)
    }

    /// The factors of the current register tile, if dot products along `iter` multiply them.
    fn dots(&mut self, stage: &mut Stage<'e, 'c>, iter: usize) -> Option<Dots> {
        let nest = stage.nest;
        let factors = dot_factors(nest, &self.kernel.slots);
        let factors = factors.filter(|f| self.dots.has(f.kind))?;
        let group = factors.kind.group();
        let axis = stage.axis?;
        let parallel = nest.iters[axis.iter].kind == IterKind::Parallel;
        let whole = matches!(self.plan_loop(stage, iter), LoopPlan::Whole);
        if !parallel || !whole || ![4, 8, 16].contains(&axis.lanes) {
            return None;
        }
        let (a, b) = (&nest.reads[factors.left], &nest.reads[factors.right]);
        let neutral = a.pad.is_none_or(|p| p.get() == 0.0) && b.pad.is_none();
        let extent = nest.iters[iter].extent;
        let padded = extent % group == 0 || self.kernel.slots[b.operand].role == Role::Constant;
        let extents = nest.extents();
        let step = |access: &Access| {
            let position = Affine::flatten(&access.index, &stage.types[access.operand].shape);
            position.stride_in_tiles(iter, group, &extents)
        };
        let dense = step(a) == Some(1) && step(b) == Some(1);
        let moves = (stage.moves(a), stage.moves(b));
        let split = !moves.0.1 && !moves.1.0;
        if !(neutral && padded && dense && split) {
            return None;
        }
        stage.bound[iter] = true;
        // The last group of the last vectors lies furthest behind.
        stage.point[iter].local = Sym::constant((extent - 1) / group * group);
        let fits = (0..stage.vectors.len() as i64).all(|vector| {
            let point = stage.point_at(0, vector);
            let at = At {
                point: &point,
                axis: Some(axis),
                valid: axis.lanes,
                safe: &[],
            };
            let place = self.place(b, &at);
            let end = self.terms.range(&place.index).1 + axis.lanes * group;
            place.step == Some(group) && end <= self.slots[b.operand].elements
        });
        stage.bound[iter] = false;
        fits.then_some(Dots { factors, axis })
    }

    /// Adds the products of one group, of which the first so many count.
    fn add_group(
        &mut self,
        stage: &mut Stage<'e, 'c>,
        dots: Dots,
        (iter, local): (usize, Sym),
        count: i64,
        mut totals: Vec<Value<'c>>,
        width: usize,
    ) -> Vec<Value<'c>> {
        stage.bound[iter] = true;
        stage.point[iter].local = local;
        let moves = stage.moves(&stage.nest.reads[dots.factors.left]).0;
        let mut rights = vec![None; stage.vectors.len()];
        let mut left = None;
        for row in 0..stage.all_rows() as usize {
            if row == 0 || moves {
                left = self.left_group(stage, dots, row as i64, count);
            }
            let Some(left) = left else { continue };
            for (vector, known) in rights.iter_mut().enumerate() {
                let right = match *known {
                    Some(right) => right,
                    None => self.right_group(stage, dots, vector as i64),
                };
                *known = Some(right);
                let slot = row * width + vector;
                totals[slot] = self.add_dots(totals[slot], left, right, dots);
            }
        }
        totals
    }

    /// A group of left factors for all lanes, those that do not count zero; `None` outside of the operand.
    fn left_group(
        &mut self,
        stage: &Stage<'e, 'c>,
        dots: Dots,
        row: i64,
        count: i64,
    ) -> Option<Value<'c>> {
        let access = &stage.nest.reads[dots.factors.left];
        let point = stage.point_at(row, 0);
        let at = At {
            point: &point,
            axis: None,
            valid: 1,
            safe: &stage.pads.safe[dots.factors.left],
        };
        let place = self.place(access, &at);
        if place.outside {
            return None;
        }
        let inside = self.scalar_test(&place.guards);
        let slot = &self.slots[access.operand];
        let (memref, elements) = (slot.memref, slot.elements);
        let (_, last) = self.terms.range(&place.index);
        let mut index = self.materialise(&place.index);
        if let Some(inside) = inside {
            let zero = self.e.index(0);
            index = self.e.select(inside, index, zero);
        }
        let word = self.e.int_type(32);
        let group = dots.group();
        // What meets a weight of zero may be any byte, but no infinity.
        let any = dots.factors.kind == DotKind::Bytes && last + group <= elements;
        let mut factors = if count < group && !any {
            self.one_by_one(memref, index, count, WORD_BITS / group)
        } else {
            let loaded = self.e.vector_load(memref, index, group);
            let one = self.e.vector_type(1, word);
            let cast = self.e.op1("vector.bitcast", &[loaded], one, &[]);
            self.e.extract(cast, 0)
        };
        if let Some(inside) = inside {
            let zero = self.e.int(word, 0);
            factors = self.e.select(inside, factors, zero);
        }
        let spread = self.e.broadcast(factors, dots.axis.lanes);
        let element = memref_element(memref);
        let all = self.e.vector_type(dots.axis.lanes * group, element);
        Some(self.e.op1("vector.bitcast", &[spread], all, &[]))
    }

    /// The first elements of so many bits from an index on as a word, the others 0.
    fn one_by_one(
        &mut self,
        memref: Value<'c>,
        index: Value<'c>,
        count: i64,
        bits: i64,
    ) -> Value<'c> {
        let word = self.e.int_type(32);
        let mut all = self.e.int(word, 0);
        for n in 0..count {
            let offset = self.e.index(n);
            let at = self.e.addi(index, offset);
            let loaded = self.e.load(memref, at);
            let raw = self.e.int_type(bits as u32);
            let raw = self.e.bitcast(loaded, raw);
            let wide = self.e.convert("arith.extui", raw, word);
            let shift = self.e.int(word, bits * n);
            let moved = self.e.binary("arith.shli", wide, shift);
            all = self.e.binary("arith.ori", all, moved);
        }
        all
    }

    /// A group of right factors for each lane of a vector.
    fn right_group(&mut self, stage: &Stage<'e, 'c>, dots: Dots, vector: i64) -> Value<'c> {
        let access = &stage.nest.reads[dots.factors.right];
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
        self.e
            .vector_load(memref, index, dots.axis.lanes * dots.group())
    }

    /// `total + left . right`, in every lane.
    fn add_dots(
        &mut self,
        total: Value<'c>,
        left: Value<'c>,
        right: Value<'c>,
        dots: Dots,
    ) -> Value<'c> {
        let context = self.e.context();
        let bits = WORD_BITS * dots.axis.lanes;
        let name = match dots.factors.kind {
            DotKind::Bytes => format!("llvm.x86.avx512.vpdpbusd.{bits}"),
            DotKind::Bf16 => format!("llvm.x86.avx512bf16.dpbf16ps.{bits}"),
        };
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
