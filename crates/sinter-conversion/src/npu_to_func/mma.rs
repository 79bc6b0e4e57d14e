//! Matrix steps as loops.
//!
//! A step becomes loops over tiles of rows and columns whose sums stay in vectors while the depth is
//! gone through: sums are loaded (or start from zero), get a fused multiply-add for each point of the
//! depth in ascending order, and are stored.

use melior::ir::Type;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{TypeLike, ValueLike};
use sinter_ir::build::lasting;
use sinter_ir::emitter::{Emitter, Value, element_of, type_of};
use sinter_ir::error::IrError;
use sinter_ir::rewrite::erase;
use sinter_ir::types;

use super::{Lowering, missing};

/// Lanes of the widest vector of sums.
const LANES: i64 = 16;
/// Most rows of a tile of sums.
const ROWS: i64 = 6;

impl<'c> Lowering<'c> {
    /// Replaces a matrix step.
    pub(super) fn mma(&self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        let mut emitter = Emitter::before(self.context, op)
            .ok_or_else(|| IrError::Missing("a matrix step without a block".into()))?;
        let mut flat = Vec::new();
        let mut shapes = Vec::new();
        for i in 0..3 {
            let operand = op.operand(i).map_err(missing)?;
            shapes.push(types::from_memref_type(operand.r#type())?);
            flat.push(emitter.flatten(lasting(operand)));
        }
        let rank = shapes[2].len();
        let step = Step {
            operands: [flat[0], flat[1], flat[2]],
            batch: shapes[2][..rank - 2].iter().product(),
            rows: shapes[2][rank - 2],
            columns: shapes[2][rank - 1],
            depth: shapes[0][rank - 1],
            init: op.has_attribute("init"),
        };
        step.emit(&mut emitter);
        erase(op);
        Ok(())
    }
}

/// Operands as memrefs of one dimension, and extents.
struct Step<'c> {
    operands: [Value<'c>; 3],
    batch: i64,
    rows: i64,
    columns: i64,
    depth: i64,
    init: bool,
}

/// A range of tiles: `count` of them, of `size` points each, from `first` on.
#[derive(Clone, Copy)]
struct Tiles {
    first: i64,
    size: i64,
    count: i64,
}

/// An extent in tiles of at most `most` points: whole ones, then what is left.
fn tiles(extent: i64, most: i64) -> Vec<Tiles> {
    let size = most.min(extent).max(1);
    let (count, rest) = (extent / size, extent % size);
    let whole = Tiles {
        first: 0,
        size,
        count,
    };
    let last = Tiles {
        first: count * size,
        size: rest,
        count: 1,
    };
    [whole, last]
        .into_iter()
        .filter(|t| t.count > 0 && t.size > 0)
        .collect()
}

/// Rows of a tile: a divisor where a large one exists.
fn row_tile(rows: i64) -> i64 {
    let divides = |r: &i64| rows % r == 0;
    (ROWS / 2..=ROWS).rev().find(divides).unwrap_or(ROWS)
}

impl<'c> Step<'c> {
    fn emit(&self, e: &mut Emitter<'c>) {
        let rows = tiles(self.rows, row_tile(self.rows));
        let vectors = tiles(self.columns, LANES);
        let bounds = [0, self.batch, 1].map(|n| e.index(n));
        let each = e.begin_for(bounds[0], bounds[1], bounds[2], &[]);
        for &columns in &vectors {
            for &rows in &rows {
                let (i, j) = (begin(e, rows), begin(e, columns));
                self.tile(e, each.iv, (i.iv, rows.size), (j.iv, columns.size));
                e.end_for(j, &[]);
                e.end_for(i, &[]);
            }
        }
        e.end_for(each, &[]);
    }

    /// The sums of a tile at a row and a column.
    fn tile(
        &self,
        e: &mut Emitter<'c>,
        batch: Value<'c>,
        (row, rows): (Value<'c>, i64),
        (column, lanes): (Value<'c>, i64),
    ) {
        let [left, right, sums] = self.operands;
        let float = Type::float32(e.context());
        let first_row = at(e, batch, self.rows, row);
        let places: Vec<_> = (0..rows)
            .map(|r| {
                let r = e.index(r);
                let row = e.addi(first_row, r);
                (row, at(e, row, self.columns, column))
            })
            .collect();
        let mut old = Vec::new();
        for &(_, place) in &places {
            old.push(if self.init {
                let zero = e.float(float, 0.0);
                e.broadcast(zero, lanes)
            } else {
                e.vector_load(sums, place, lanes)
            });
        }
        let bounds = [0, self.depth, 1].map(|n| e.index(n));
        let each = e.begin_for(bounds[0], bounds[1], bounds[2], &old);
        let depth_row = at(e, batch, self.depth, each.iv);
        let place = at(e, depth_row, self.columns, column);
        let loaded = e.vector_load(right, place, lanes);
        let other = widened(e, loaded);
        let mut new = Vec::new();
        for (&(row, _), &sum) in places.iter().zip(&each.args) {
            let place = at(e, row, self.depth, each.iv);
            let loaded = e.load(left, place);
            let factor = widened(e, loaded);
            let factor = e.broadcast(factor, lanes);
            new.push(e.fma(factor, other, sum));
        }
        let new = e.end_for(each, &new);
        for (&(_, place), value) in places.iter().zip(new) {
            e.vector_store(value, sums, place);
        }
    }
}

/// Opens a loop over the first points of tiles.
fn begin<'c>(e: &mut Emitter<'c>, tiles: Tiles) -> sinter_ir::emitter::For<'c> {
    let end = tiles.first + tiles.count * tiles.size;
    let bounds = [tiles.first, end, tiles.size].map(|n| e.index(n));
    e.begin_for(bounds[0], bounds[1], bounds[2], &[])
}

/// `outer * extent + inner`.
fn at<'c>(e: &mut Emitter<'c>, outer: Value<'c>, extent: i64, inner: Value<'c>) -> Value<'c> {
    let extent = e.index(extent);
    let shifted = e.muli(outer, extent);
    e.addi(shifted, inner)
}

/// A value, or each lane of a vector, as f32.
fn widened<'c>(e: &mut Emitter<'c>, value: Value<'c>) -> Value<'c> {
    if element_of(type_of(value)).is_f32() {
        return value;
    }
    let float = Type::float32(e.context());
    e.convert("arith.extf", value, float)
}

#[cfg(test)]
mod tests {
    use super::{row_tile, tiles};

    #[test]
    fn tiles_cover_an_extent_once() {
        for (extent, most) in [(1, 6), (49, 5), (64, 16), (10, 16), (17, 16)] {
            let all = tiles(extent, most);
            let covered: i64 = all.iter().map(|t| t.size * t.count).sum();
            assert_eq!(covered, extent);
            assert!(all.iter().all(|t| t.size <= most));
            assert_eq!(all.last().map(|t| t.first + t.size * t.count), Some(extent));
        }
    }

    #[test]
    fn rows_prefer_divisors() {
        let rows = [1, 4, 6, 7, 25, 49, 56].map(row_tile);
        assert_eq!(rows, [6, 4, 6, 6, 5, 6, 4]);
    }
}
