//! The block's coordinates, and variants of its body.
//!
//! Register tiles need static extents, and border tiles static positions. Where a grid axis carries
//! rows or vectors, the body is emitted once per kind of tile along it (full ones; the last, smaller
//! one; those at a padded border) under a test of the block's coordinate.

use sinter_ir::emitter::{IntPredicate, Value};
use sinter_loops::affine::Affine;
use sinter_loops::nest::Nest;
use sinter_loops::place_stages::{Region, is_tile};

use super::sym::Sym;
use super::tile::ceil_div;
use super::{Generator, stage};

/// More border tiles than this along one grid axis are tested at run time instead.
const BORDER_VARIANTS: usize = 4;

/// What one block computes along an iterator.
#[derive(Clone, Debug)]
pub(super) struct Span<'c> {
    /// First point.
    pub(super) base: Sym,
    /// Number of points, or the greatest number where `dynamic` holds the actual one.
    pub(super) extent: i64,
    pub(super) dynamic: Option<Value<'c>>,
}

impl Span<'_> {
    /// The whole of an iterator that is not on the grid.
    pub(super) fn whole(extent: i64) -> Self {
        Self {
            base: Sym::default(),
            extent,
            dynamic: None,
        }
    }
}

/// Tiles `first..=last` along an axis, each of `extent` points.
struct Variant {
    first: i64,
    last: i64,
    extent: i64,
}

impl<'c> Generator<'_, 'c> {
    /// Emits the whole body for block number `block`.
    pub(super) fn kernel(&mut self, block: Value<'c>) {
        self.scopes.push(Default::default());
        let coordinates = self.coordinates(block);
        self.variants(&coordinates, &mut Vec::new());
        self.scopes.pop();
    }

    /// The block's coordinate along each axis, the last axis running fastest.
    fn coordinates(&mut self, block: Value<'c>) -> Vec<Value<'c>> {
        let counts: Vec<i64> = self
            .schedule
            .grid
            .iter()
            .map(|a| ceil_div(a.extent, a.tile))
            .collect();
        let mut rest = block;
        let mut found = Vec::with_capacity(counts.len());
        for (n, &count) in counts.iter().enumerate().rev() {
            let outermost = counts[..n].iter().all(|&c| c == 1);
            found.push(if count == 1 {
                self.e.index(0)
            } else if outermost {
                rest
            } else {
                let count = self.e.index(count);
                let coordinate = self.e.binary("arith.remui", rest, count);
                rest = self.e.binary("arith.divui", rest, count);
                coordinate
            });
        }
        found.reverse();
        found
    }

    /// Fixes the span of one axis after the other, then emits the stages.
    fn variants(&mut self, coordinates: &[Value<'c>], spans: &mut Vec<Span<'c>>) {
        let n = spans.len();
        let Some(axis) = self.schedule.grid.get(n) else {
            return self.stages(spans);
        };
        let (extent, tile) = (axis.extent, axis.tile);
        let count = ceil_div(extent, tile);
        let variants = self.axis_variants(n);
        let mut open = Vec::new();
        for (position, variant) in variants.iter().enumerate() {
            let last = position + 1 == variants.len();
            if !last {
                let wanted = self.e.index(variant.first);
                let test = self.e.cmpi(IntPredicate::Eq, coordinates[n], wanted);
                open.push(self.e.begin_if(test, &[]));
                self.scopes.push(Default::default());
            }
            let base = if variant.first == variant.last {
                Sym::constant(variant.first * tile)
            } else {
                let (low, high) = (variant.first, variant.last);
                self.terms.value(coordinates[n], 1, low, high).times(tile)
            };
            let ragged = variant.extent == tile && variant.last * tile + tile > extent;
            let dynamic = (ragged && count > 1).then(|| {
                let (whole, tile) = (self.e.index(extent), self.e.index(tile));
                let base = self.materialise(&base);
                let left = self.e.subi(whole, base);
                self.e.binary("arith.minsi", left, tile)
            });
            spans.push(Span {
                base,
                extent: variant.extent.min(extent),
                dynamic,
            });
            self.variants(coordinates, spans);
            spans.pop();
            if !last {
                self.scopes.pop();
                if let Some(open) = open.last_mut() {
                    self.e.begin_else(open, &[]);
                    self.scopes.push(Default::default());
                }
            }
        }
        while let Some(open) = open.pop() {
            self.scopes.pop();
            self.e.end_if(open, &[]);
        }
    }

    /// Emits all stages of a block whose tiles are fixed.
    fn stages(&mut self, tiles: &[Span<'c>]) {
        self.tiles = tiles.to_vec();
        self.halos.clear();
        for axis in 0..tiles.len() {
            for stage in 0..self.kernel.stages.len() {
                if let Some((region, extent)) = self.halo(axis, stage) {
                    let span = self.region_span(axis, region, extent);
                    self.halos.insert((axis, stage), span);
                }
            }
        }
        for stage in 0..self.kernel.stages.len() {
            self.stage(stage);
        }
    }

    /// The region of a stage along an axis and the extent of its iterator, where it is not the tile.
    fn halo(&self, axis: usize, stage: usize) -> Option<(Region, i64)> {
        let grid = &self.schedule.grid[axis];
        let extent = self.kernel.stages[stage].iters[grid.iters[stage]?].extent;
        let region = (*self.regions[axis].get(stage)?)?;
        (!is_tile(region, extent, grid.extent)).then_some((region, extent))
    }

    /// What a stage computes along its iterator on an axis.
    pub(super) fn span(&self, axis: usize, stage: usize) -> &Span<'c> {
        self.halos.get(&(axis, stage)).unwrap_or(&self.tiles[axis])
    }

    /// A region of static size, moved inside the domain.
    fn region_span(&mut self, axis: usize, region: Region, extent: i64) -> Span<'c> {
        let points = region.points(self.schedule.grid[axis].tile, extent);
        let last = extent - points;
        let first = self.tiles[axis].base.times(region.scale);
        let first = first.plus(&Sym::constant(region.low));
        let (low, high) = self.terms.range(&first);
        let base = if low >= 0 && high <= last {
            first
        } else if high <= 0 {
            Sym::constant(0)
        } else if low >= last {
            Sym::constant(last)
        } else {
            let (zero, last_value) = (self.e.index(0), self.e.index(last));
            let value = self.materialise(&first);
            let value = self.e.binary("arith.maxsi", value, zero);
            let value = self.e.binary("arith.minsi", value, last_value);
            self.terms.value(value, 1, low.max(0), high.min(last))
        };
        Span {
            base,
            extent: points,
            dynamic: None,
        }
    }

    /// The variants along a grid axis; every one but the last is a single tile.
    fn axis_variants(&self, axis: usize) -> Vec<Variant> {
        let grid = &self.schedule.grid[axis];
        let count = ceil_div(grid.extent, grid.tile);
        let extent_of = |n: i64| grid.tile.min(grid.extent - n * grid.tile);
        let all = || {
            vec![Variant {
                first: 0,
                last: count - 1,
                extent: grid.tile,
            }]
        };
        let tiled = |stage: usize| {
            let schedule = &self.schedule.stages[stage];
            let tiles = |i: usize| schedule.tiles_rows(i) || schedule.vector == Some(i);
            grid.iters[stage].is_some_and(tiles)
        };
        if count == 1 || !(0..self.kernel.stages.len()).any(tiled) {
            return all();
        }
        let types: Vec<_> = self.kernel.slots.iter().map(|s| s.ty.clone()).collect();
        let inside = |n: i64| {
            extent_of(n) == grid.tile
                && self.kernel.stages.iter().enumerate().all(|(stage, nest)| {
                    let (low, high) = match self.halo(axis, stage) {
                        Some((region, extent)) => {
                            let first = region.start(n * grid.tile, grid.tile, extent);
                            (first, first + region.points(grid.tile, extent) - 1)
                        }
                        None => (n * grid.tile, (n + 1) * grid.tile - 1),
                    };
                    !tiled(stage)
                        || grid.iters[stage]
                            .is_none_or(|i| stage::padded_inside(nest, &types, i, low, high))
                })
        };
        let lone: Vec<i64> = (0..count).filter(|&n| !inside(n)).collect();
        let first = (0..count).find(|&n| inside(n));
        let last = (0..count).rev().find(|&n| inside(n));
        let lone = if lone.len() <= BORDER_VARIANTS {
            lone
        } else {
            (0..count).filter(|&n| extent_of(n) != grid.tile).collect()
        };
        let single = |&n: &i64| Variant {
            first: n,
            last: n,
            extent: extent_of(n),
        };
        let mut variants: Vec<Variant> = lone.iter().map(single).collect();
        let remaining: Vec<i64> = (0..count).filter(|n| !lone.contains(n)).collect();
        if let (Some(&low), Some(&high)) = (remaining.first(), remaining.last()) {
            let (low, high) = (
                first.unwrap_or(low).min(low),
                last.unwrap_or(high).max(high),
            );
            variants.push(Variant {
                first: low,
                last: high,
                extent: grid.tile,
            });
        }
        variants
    }
}

/// The least and greatest value of an expression, from those of the iterators.
pub(super) fn interval(expr: &Affine, of: &dyn Fn(usize) -> (i64, i64)) -> (i64, i64) {
    match expr {
        Affine::Const(c) => (*c, *c),
        Affine::Iter(i) => of(*i),
        Affine::Add(a, b) => {
            let (a, b) = (interval(a, of), interval(b, of));
            (a.0 + b.0, a.1 + b.1)
        }
        Affine::Mul(a, c) => {
            let (low, high) = interval(a, of);
            ((low * c).min(high * c), (low * c).max(high * c))
        }
        Affine::FloorDiv(a, b) => {
            let (low, high) = interval(a, of);
            (low.div_euclid(*b), high.div_euclid(*b))
        }
        Affine::Mod(a, b) => {
            let (low, high) = interval(a, of);
            if low.div_euclid(*b) == high.div_euclid(*b) {
                (low.rem_euclid(*b), high.rem_euclid(*b))
            } else {
                (0, b - 1)
            }
        }
    }
}

/// The extent of an iterator as an interval.
pub(super) fn whole_range(nest: &Nest, iter: usize) -> (i64, i64) {
    (0, nest.iters[iter].extent - 1)
}
