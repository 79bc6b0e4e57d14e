//! Loads and stores at a point of a register tile.

use sinter_ir::emitter::{Emitter, IntPredicate, Value};
use sinter_loops::affine::Affine;
use sinter_loops::kernel::{Kernel, Role, Schedule};
use sinter_loops::nest::Access;
use sinter_loops::types::ElementType;

use super::grid::interval;
use super::stage::Stage;
use super::sym::{Lanes, Point, Sym, VectorAxis};
use super::{Generator, TileDim};

/// One slot in memory.
pub(super) struct SlotMemory<'c> {
    /// The memref, flattened.
    pub(super) memref: Value<'c>,
    element: ElementType,
    /// Extents that an index must keep to (of the whole slot).
    extents: Vec<i64>,
    /// Strides in elements (of the tile, for temporaries).
    strides: Vec<i64>,
    /// By dimension of a temporary, the part that a block holds.
    parts: Vec<Option<TileDim>>,
    pub(super) elements: i64,
    /// The caches do not hold it.
    pub(super) large: bool,
    /// Whole cache lines are stored past the caches.
    streamed: bool,
}

/// Bytes of a cache line. Stores past the caches that leave a line half full are slow.
pub(super) const LINE_BYTES: i64 = 64;

impl<'c> SlotMemory<'c> {
    /// The memory of slot `slot`, given as a contiguous memref. An output of `streamed_bytes` and more
    /// that the kernel does not read goes past the caches.
    pub(super) fn new(
        emitter: &mut Emitter<'c>,
        kernel: &Kernel,
        schedule: &Schedule,
        slot: usize,
        memref: Value<'c>,
        streamed_bytes: u64,
    ) -> Self {
        let tile = super::tile_type(kernel, schedule, slot);
        let is = &kernel.slots[slot];
        let mut stages = kernel.stages.iter();
        let read = stages.any(|nest| {
            let mut reads = nest.reads.iter().chain(&nest.finish_reads);
            reads.any(|a| a.operand == slot)
        });
        let large = is.ty.bytes().cast_unsigned() >= streamed_bytes;
        Self {
            memref: emitter.flatten(memref),
            element: tile.element,
            extents: kernel.slots[slot].ty.shape.clone(),
            strides: tile.strides(),
            parts: super::tile_dims(kernel, schedule, slot),
            elements: tile.elements(),
            large,
            streamed: large && is.role == Role::Output && !read,
        }
    }
}

impl SlotMemory<'_> {
    /// Bytes of one element.
    pub(super) fn bytes(&self) -> i64 {
        self.element.bytes() as i64
    }
}

/// A test that an index must pass: `0 <= sym + lane * step < extent`.
pub(super) struct Guard {
    sym: Sym,
    step: i64,
    extent: i64,
}

/// Where an access goes.
pub(super) struct Place {
    /// Flat index of the first lane.
    pub(super) index: Sym,
    /// Elements from lane to lane, where that is a constant.
    pub(super) step: Option<i64>,
    pub(super) guards: Vec<Guard>,
    /// The access is outside for every lane.
    pub(super) outside: bool,
}

/// What was read.
pub(super) enum Loaded<'c> {
    /// One value for all lanes.
    Scalar(Value<'c>),
    /// One value per lane.
    Vector(Value<'c>),
}

/// A point of a register tile as accesses see it.
pub(super) struct At<'p> {
    pub(super) point: &'p [Point],
    pub(super) axis: Option<VectorAxis>,
    /// Lanes that count; the others may hold anything.
    pub(super) valid: i64,
    /// Dimensions that need no test, by position; empty: none is known to be safe.
    pub(super) safe: &'p [bool],
}

/// Whether lanes are every other element of a row, also where they are tested.
fn alternates(place: &Place, lanes: i64) -> bool {
    lanes >= 4 && place.guards.iter().all(|g| g.step == 0 || g.step == 2)
}

impl<'c> Generator<'_, 'c> {
    /// Whether a padded read is outside its operand for all lanes of a vector.
    pub(super) fn outside(&mut self, access: &Access, at: &At<'_>) -> bool {
        access.pad.is_some() && self.place(access, at).outside
    }

    /// Reads at a point.
    pub(super) fn read(&mut self, access: &Access, at: &At<'_>) -> Loaded<'c> {
        let place = self.place(access, at);
        let element = self.slots[access.operand].element;
        let pad = access.pad.map_or(0.0, |p| p.get());
        if place.outside {
            return Loaded::Scalar(self.literal(element, pad, None));
        }
        let uniform = place.guards.iter().all(|g| g.step == 0);
        match (at.axis, place.step) {
            (None, _) => Loaded::Scalar(self.read_scalar(access.operand, &place, pad)),
            (Some(_), Some(0)) if uniform => {
                Loaded::Scalar(self.read_scalar(access.operand, &place, pad))
            }
            (Some(axis), Some(1)) => {
                Loaded::Vector(self.read_unit(access.operand, &place, pad, axis.lanes, at.valid))
            }
            (Some(axis), Some(2)) if alternates(&place, axis.lanes) => Loaded::Vector(
                self.read_alternate(access.operand, &place, pad, axis.lanes, at.valid),
            ),
            (Some(axis), _) => Loaded::Vector(self.read_lanes(access, at, axis)),
        }
    }

    /// Elements that a read moves by per point of an iterator, where that is known.
    pub(super) fn step(
        &mut self,
        access: &Access,
        point: &[Point],
        axis: VectorAxis,
    ) -> Option<i64> {
        let at = At {
            point,
            axis: Some(axis),
            valid: axis.lanes,
            safe: &[],
        };
        self.place(access, &at).step
    }

    fn read_scalar(&mut self, slot: usize, place: &Place, pad: f64) -> Value<'c> {
        let memref = self.slots[slot].memref;
        let element = self.slots[slot].element;
        let index = self.materialise(&place.index);
        let Some(inside) = self.scalar_test(&place.guards) else {
            let loaded = self.e.load(memref, index);
            return self.widened(element, loaded);
        };
        let zero = self.e.index(0);
        let safe = self.e.select(inside, index, zero);
        let loaded = self.e.load(memref, safe);
        let loaded = self.widened(element, loaded);
        let pad = self.literal(element, pad, None);
        self.e.select(inside, loaded, pad)
    }

    pub(super) fn scalar_test(&mut self, guards: &[Guard]) -> Option<Value<'c>> {
        let mut test: Option<Value<'c>> = None;
        for guard in guards {
            let one = self.in_range(&guard.sym, guard.extent);
            test = Some(match test {
                Some(all) => self.e.binary("arith.andi", all, one),
                None => one,
            });
        }
        test
    }

    /// A vector of consecutive elements.
    fn read_unit(
        &mut self,
        slot: usize,
        place: &Place,
        pad: f64,
        lanes: i64,
        valid: i64,
    ) -> Value<'c> {
        let element = self.slots[slot].element;
        let index = self.materialise(&place.index);
        let (_, last) = self.terms.range(&place.index);
        let overrun = valid < lanes && last + lanes > self.slots[slot].elements;
        let wanted = if overrun { valid } else { lanes };
        let loaded = self.load_lanes(slot, index, (&place.guards, wanted), pad, lanes);
        self.widened(element, loaded)
    }

    /// Consecutive elements as they are stored, `pad` for lanes that fail a guard or are not among the first `wanted`.
    fn load_lanes(
        &mut self,
        slot: usize,
        index: Value<'c>,
        (guards, wanted): (&[Guard], i64),
        pad: f64,
        lanes: i64,
    ) -> Value<'c> {
        let (memref, element) = (self.slots[slot].memref, self.slots[slot].element);
        match self.lane_mask(guards, lanes, wanted) {
            None => self.e.vector_load(memref, index, lanes),
            Some(mask) => {
                let storage = self.e.storage_type(element);
                let otherwise = self.storage_constant(element, storage, pad, lanes);
                self.e.masked_load(memref, index, mask, otherwise)
            }
        }
    }

    /// A vector of every other element: of two vectors of consecutive ones, the second of which ends with the last
    /// element that is wanted, so that nothing behind it is read.
    fn read_alternate(
        &mut self,
        slot: usize,
        place: &Place,
        pad: f64,
        lanes: i64,
        valid: i64,
    ) -> Value<'c> {
        let element = self.slots[slot].element;
        let from = |first: i64, wanted: i64| {
            let guards = place.guards.iter().map(|guard| Guard {
                sym: guard.sym.plus(&Sym::constant(first * guard.step / 2)),
                step: guard.step / 2,
                extent: guard.extent,
            });
            (first, wanted.clamp(0, lanes), guards.collect::<Vec<_>>())
        };
        let last = 2 * valid - 1;
        let mut halves = Vec::new();
        for (first, wanted, guards) in [from(0, last), from(lanes - 1, last - (lanes - 1))] {
            if wanted == 0 {
                halves.push(halves[0]);
                continue;
            }
            let index = self.materialise(&place.index.plus(&Sym::constant(first)));
            halves.push(self.load_lanes(slot, index, (&guards, wanted), pad, lanes));
        }
        let low = (0..lanes / 2).map(|n| 2 * n);
        let high = (0..lanes / 2).map(|n| lanes + 2 * n + 1);
        let chosen: Vec<i64> = low.chain(high).collect();
        let loaded = self.e.shuffle(halves[0], halves[1], &chosen);
        self.widened(element, loaded)
    }

    fn storage_constant(
        &mut self,
        element: ElementType,
        storage: melior::ir::Type<'c>,
        value: f64,
        lanes: i64,
    ) -> Value<'c> {
        if element == ElementType::Bool {
            let r#type = self.e.vector_type(lanes, storage);
            return self.e.int(r#type, i64::from(value != 0.0));
        }
        self.e.element(element, value, Some(lanes))
    }

    /// The lanes that pass all guards and are among the first `valid`; `None` when all do.
    fn lane_mask(&mut self, guards: &[Guard], lanes: i64, valid: i64) -> Option<Value<'c>> {
        let mut fixed: Vec<bool> = (0..lanes).map(|l| l < valid).collect();
        let mut mask: Option<Value<'c>> = None;
        for guard in guards {
            if let Some(first) = guard.sym.as_constant() {
                for (lane, keep) in fixed.iter_mut().enumerate() {
                    let index = first + lane as i64 * guard.step;
                    *keep &= (0..guard.extent).contains(&index);
                }
                continue;
            }
            let one = self.guard_mask(guard, lanes);
            mask = Some(match mask {
                Some(all) => self.e.binary("arith.andi", all, one),
                None => one,
            });
        }
        if fixed.iter().all(|&keep| keep) {
            return mask;
        }
        let fixed = self.e.mask(&fixed);
        Some(match mask {
            Some(all) => self.e.binary("arith.andi", all, fixed),
            None => fixed,
        })
    }

    fn guard_mask(&mut self, guard: &Guard, lanes: i64) -> Value<'c> {
        if guard.step == 0 {
            let inside = self.in_range(&guard.sym, guard.extent);
            return self.e.broadcast(inside, lanes);
        }
        let index = self.e.index_type();
        let first = self.materialise(&guard.sym);
        let first = self.e.broadcast(first, lanes);
        let steps: Vec<i64> = (0..lanes).map(|l| l * guard.step).collect();
        let steps = self.e.ints(index, &steps);
        let positions = self.e.addi(first, steps);
        let vector = self.e.vector_type(lanes, index);
        let extent = self.e.int(vector, guard.extent);
        self.e.cmpi(IntPredicate::UnsignedLt, positions, extent)
    }

    /// A vector whose lanes are read one by one.
    fn read_lanes(&mut self, access: &Access, at: &At<'_>, axis: VectorAxis) -> Value<'c> {
        let mut lanes = Vec::with_capacity(axis.lanes as usize);
        for lane in 0..at.valid {
            let point = shift(at.point, axis.iter, lane);
            let at = At {
                point: &point,
                axis: None,
                valid: 1,
                safe: at.safe,
            };
            if let Loaded::Scalar(value) = self.read(access, &at) {
                lanes.push(value);
            }
        }
        let first = lanes[0];
        lanes.resize(axis.lanes as usize, first);
        self.e.from_elements(&lanes)
    }

    /// Writes `value`, a vector when there is a vector axis, at a point; one of `vectors` that are
    /// written one after the other.
    pub(super) fn write(&mut self, access: &Access, at: &At<'_>, value: Value<'c>, vectors: i64) {
        let place = self.place(access, at);
        let slot = &self.slots[access.operand];
        let (memref, element) = (slot.memref, slot.element);
        let Some(axis) = at.axis else {
            let index = self.materialise(&place.index);
            let stored = self.narrowed(element, value);
            return self.e.store(stored, memref, index);
        };
        if place.step == Some(1) && at.valid == 1 && axis.lanes > 1 {
            // LLVM 22 stores four bytes where the mask of a vector of bytes keeps one.
            let index = self.materialise(&place.index);
            let first = self.e.extract(value, 0);
            let stored = self.narrowed(element, first);
            return self.e.store(stored, memref, index);
        }
        if place.step == Some(1) {
            let index = self.materialise(&place.index);
            let stored = self.narrowed(element, value);
            return match self.lane_mask(&[], axis.lanes, at.valid) {
                None if self.streams(access.operand, &place.index, axis.lanes, vectors) => {
                    let bytes = axis.lanes * element.bytes() as i64;
                    self.e
                        .vector_store_past_caches(stored, memref, index, bytes);
                }
                None => self.e.vector_store(stored, memref, index),
                Some(mask) => self.e.masked_store(stored, memref, index, mask),
            };
        }
        // LLVM 22 stores four bytes where the mask of a vector of bytes keeps one; halves were not tried.
        if place.step == Some(2) && axis.lanes >= 4 && at.valid > 1 && element.bytes() >= 4 {
            return self.write_alternate(access.operand, &place.index, value, axis.lanes, at.valid);
        }
        for lane in 0..at.valid {
            let point = shift(at.point, axis.iter, lane);
            let one = self.e.extract(value, lane);
            self.write(
                access,
                &At {
                    point: &point,
                    axis: None,
                    valid: 1,
                    safe: &[],
                },
                one,
                1,
            );
        }
    }

    /// Whether a vector of `lanes` elements at `index` goes past the caches: it is aligned, and with its
    /// neighbours fills cache lines.
    fn streams(&self, slot: usize, index: &Sym, lanes: i64, vectors: i64) -> bool {
        let slot = &self.slots[slot];
        let lines = lanes * vectors * slot.bytes() % LINE_BYTES == 0;
        slot.streamed && lines && self.terms.divides(lanes, index)
    }

    /// Writes the lanes of a vector to every other element: each half of them, spread, by a store that leaves out the
    /// elements between them.
    fn write_alternate(
        &mut self,
        slot: usize,
        index: &Sym,
        value: Value<'c>,
        lanes: i64,
        valid: i64,
    ) {
        let (memref, element) = (self.slots[slot].memref, self.slots[slot].element);
        let stored = self.narrowed(element, value);
        let half = lanes / 2;
        for first in [0, half] {
            let count = (valid - first).clamp(0, half);
            if count == 0 {
                continue;
            }
            let spread: Vec<i64> = (0..lanes).map(|n| first + n / 2).collect();
            let spread = self.e.shuffle(stored, stored, &spread);
            let kept: Vec<bool> = (0..lanes).map(|n| n % 2 == 0 && n / 2 < count).collect();
            let kept = self.e.mask(&kept);
            let at = self.materialise(&index.plus(&Sym::constant(2 * first)));
            self.e.masked_store(spread, memref, at, kept);
        }
    }

    /// Where an access goes at a point.
    pub(super) fn place(&mut self, access: &Access, at: &At<'_>) -> Place {
        let mut place = Place {
            index: Sym::default(),
            step: Some(0),
            guards: Vec::new(),
            outside: false,
        };
        for (dim, expr) in access.index.iter().enumerate() {
            let stride = self.slots[access.operand].strides[dim];
            let extent = self.slots[access.operand].extents[dim];
            let lanes = self.dimension(access.operand, dim, expr, at);
            let mut index = lanes.sym.clone();
            if let Some(part) = self.slots[access.operand].parts[dim].filter(|p| !p.alike) {
                let first = &self.span(part.axis, part.writer).base;
                index = index.plus(&first.times(-1));
            }
            place.index = place.index.plus(&index.times(stride));
            place.step = place.step.zip(lanes.step).map(|(a, b)| a + b * stride);
            let safe = at.safe.get(dim).copied().unwrap_or(false);
            if access.pad.is_none() || safe {
                continue;
            }
            let Some(step) = lanes.step else {
                // Each lane is tested by itself.
                place.step = None;
                continue;
            };
            let reach = step * (at.valid - 1);
            let (low, high) = self.terms.range(&lanes.sym);
            let (low, high) = (low + reach.min(0), high + reach.max(0));
            let within = interval(expr, &|i| self.in_domain(i, at));
            let (low, high) = (low.max(within.0), high.min(within.1));
            if high < 0 || low >= extent {
                place.outside = true;
            } else if low < 0 || high >= extent {
                place.guards.push(Guard {
                    sym: lanes.sym,
                    step,
                    extent,
                });
            }
        }
        place
    }

    /// The points of an iterator that lanes which count can stand at. A tile that the axis cuts short is
    /// run through as far as the axis goes, which the sum of its base and the position in it does not say.
    fn in_domain(&self, iter: usize, at: &At<'_>) -> (i64, i64) {
        let (low, high) = self.terms.range(&at.point[iter].full());
        let more = match at.axis {
            Some(axis) if axis.iter == iter => at.valid - 1,
            _ => 0,
        };
        (low.max(0), (high + more).min(self.domain[iter] - 1))
    }

    fn dimension(&mut self, slot: usize, dim: usize, expr: &Affine, at: &At<'_>) -> Lanes {
        match expr {
            Affine::Iter(i) if self.slots[slot].parts[dim].is_some_and(|p| p.alike) => Lanes {
                sym: at.point[*i].local.clone(),
                step: Some(i64::from(at.axis.is_some_and(|a| a.iter == *i))),
            },
            _ => self.evaluate(expr, at.point, at.axis),
        }
    }

    /// The value of an element from how it is stored.
    fn widened(&mut self, element: ElementType, stored: Value<'c>) -> Value<'c> {
        if element.is_half() {
            let single = self.e.value_type(ElementType::F32);
            return self.e.convert("arith.extf", stored, single);
        }
        if element != ElementType::Bool {
            return stored;
        }
        let zero = self.e.int(sinter_ir::emitter::type_of(stored), 0);
        self.e.cmpi(IntPredicate::Ne, stored, zero)
    }

    fn narrowed(&mut self, element: ElementType, value: Value<'c>) -> Value<'c> {
        if element.is_half() {
            let half = self.e.storage_type(element);
            return self.e.convert("arith.truncf", value, half);
        }
        if element != ElementType::Bool {
            return value;
        }
        let byte = self.e.int_type(8);
        self.e.convert("arith.extui", value, byte)
    }
}

fn shift(point: &[Point], iter: usize, by: i64) -> Vec<Point> {
    let mut point = point.to_vec();
    point[iter] = point[iter].shifted(by);
    point
}

impl<'e, 'c> Stage<'e, 'c> {
    /// Whether the value of an access changes along the rows and along the vectors.
    pub(super) fn moves(&self, access: &Access) -> (bool, bool) {
        let along = |iter: Option<usize>| iter.is_some_and(|i| access.uses(i));
        let rows = along(self.schedule.rows) || along(self.schedule.jam.map(|j| j.iter));
        (rows, along(self.axis.map(|a| a.iter)))
    }
}
