//! How the accesses of a nest move along its iterators, worked out once per nest: the register tiles of
//! a stage are compared by it many times.

use std::cell::RefCell;

use sinter_loops::affine::Affine;
use sinter_loops::kernel::Slot;
use sinter_loops::nest::Access;

use crate::device::FirstCache;
use crate::tile_cost::div_ceil;

/// Loads that one gathered or scattered element costs.
const GATHER_LOADS: f64 = 1.5;
/// Loads that one shuffle of two vectors costs.
const SHUFFLE_LOADS: f64 = 2.0;
/// Loads that a vector of every other element costs: two, and their shuffle; stores cost about the same.
const ALTERNATE_LOADS: f64 = 3.0;
/// Loads that the mask of a padded read along the vector costs.
const MASK_LOADS: f64 = 2.0;

/// Loads that crowded lines cost, by the square of how many lines of a set are too many. [Measured with products of
/// 1024 x 1024 on a Zen 4 core: 10 rows of 4 KiB take 2 % longer than 8, 12 take 7 %, 13 take 13 %, 14 take 24 %.]
const CROWDED_LOADS: f64 = 0.17;

/// How an access moves along the vector iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// The same element for all lanes.
    Broadcast,
    /// Consecutive elements.
    Unit,
    /// Every other element, which is read and written as two vectors of consecutive ones.
    Alternate,
    /// Anything else.
    Gather,
}

/// An access as far as its price goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traffic {
    pub(crate) along: Move,
    /// Squares of elements are loaded along the rows and turned in registers.
    pub(crate) turned: bool,
    pub(crate) rows: bool,
    /// Whether it moves along the jammed iterator.
    pub(crate) jammed: bool,
    pub(crate) masked: bool,
    /// Of rows whose lines are used again at the next step.
    pub(crate) crowding: Option<Crowding>,
}

/// Where the lines of rows lie in the first-level cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crowding {
    /// Sets that rows fall into, in turn.
    sets: i64,
    /// Lines that a set holds.
    ways: i64,
}

impl Crowding {
    /// Of rows that are so many bytes apart, at least one.
    pub(crate) fn new(bytes: i64, cache: FirstCache) -> Self {
        let shared = 1 << bytes.trailing_zeros().min(cache.way_bytes.trailing_zeros());
        Self {
            sets: cache.way_bytes / shared,
            ways: cache.ways,
        }
    }

    /// Load operations of one step that lines of other rows, which were evicted, cost.
    fn loads(self, rows: i64) -> f64 {
        let over = (div_ceil(rows, self.sets) - self.ways).max(0);
        CROWDED_LOADS * (over * over) as f64 * self.sets.min(rows) as f64
    }
}

impl Traffic {
    /// Load operations that come on top of those for rows whose lines do not stay in the first-level cache.
    pub(crate) fn crowded_loads(self, rows: i64) -> f64 {
        self.crowding.map_or(0.0, |c| c.loads(rows))
    }

    /// Load operations on a register tile.
    pub(crate) fn loads(self, [rows, jammed]: [i64; 2], vectors: i64, lanes: i64) -> f64 {
        if self.turned {
            let shuffles = lanes as f64 * f64::from(lanes.unsigned_abs().ilog2());
            return vectors as f64 * (lanes as f64 + SHUFFLE_LOADS * shuffles);
        }
        let each = match self.along {
            Move::Broadcast => 1.0,
            Move::Unit if self.masked => vectors as f64 * MASK_LOADS,
            Move::Unit => vectors as f64,
            Move::Alternate if self.masked => vectors as f64 * (ALTERNATE_LOADS + 2.0 * MASK_LOADS),
            Move::Alternate => vectors as f64 * ALTERNATE_LOADS,
            Move::Gather => (vectors * lanes) as f64 * GATHER_LOADS,
        };
        let times = |moves: bool, points: i64| if moves { points as f64 } else { 1.0 };
        each * times(self.rows, rows) * times(self.jammed, jammed)
    }
}

/// An access with its movement along every iterator of its nest.
#[derive(Clone, Debug)]
pub(crate) struct Movement<'a> {
    pub(crate) access: &'a Access,
    uses: Vec<bool>,
    padded: Vec<bool>,
    position: Position,
}

/// The element that an access is at.
#[derive(Clone, Debug)]
enum Position {
    /// Elements per step of each iterator.
    Sum(Vec<i64>),
    /// With quotients or remainders; and the strides that were asked for, by iterator and tile.
    Divided(Affine, RefCell<Vec<(usize, i64, Option<i64>)>>),
}

impl<'a> Movement<'a> {
    pub(crate) fn new(access: &'a Access, slots: &[Slot], extents: &[i64]) -> Self {
        let shape = &slots[access.operand].ty.shape;
        let iters = 0..extents.len();
        let mut padded = vec![false; extents.len()];
        if access.pad.is_some() {
            for (e, &extent) in access.index.iter().zip(shape) {
                if !e.range(extents).is_inside(extent) {
                    padded
                        .iter_mut()
                        .zip(iters.clone())
                        .for_each(|(p, i)| *p |= e.uses(i));
                }
            }
        }
        let position = match sum(&access.index, shape, extents.len()) {
            Some(strides) => Position::Sum(strides),
            None => Position::Divided(Affine::flatten(&access.index, shape), RefCell::default()),
        };
        Self {
            access,
            uses: iters.map(|i| access.uses(i)).collect(),
            padded,
            position,
        }
    }

    /// Elements that the access moves by per step of an iterator, inside tiles of `tile` steps, if that
    /// is the same everywhere.
    pub(crate) fn stride(&self, iter: usize, tile: i64, extents: &[i64]) -> Option<i64> {
        if !self.uses[iter] {
            return Some(0);
        }
        let (position, known) = match &self.position {
            Position::Sum(strides) => return Some(strides[iter]),
            Position::Divided(position, known) => (position, known),
        };
        let found = |k: &&(usize, i64, Option<i64>)| (k.0, k.1) == (iter, tile);
        if let Some(&(.., stride)) = known.borrow().iter().find(found) {
            return stride;
        }
        let stride = position.stride_in_tiles(iter, tile, extents);
        known.borrow_mut().push((iter, tile, stride));
        stride
    }

    /// Whether the access depends on an iterator.
    pub(crate) fn uses(&self, iter: usize) -> bool {
        self.uses[iter]
    }

    /// Whether the iterator occurs in a dimension of the access that can be outside the operand.
    pub(crate) fn padded_along(&self, iter: usize) -> bool {
        self.padded[iter]
    }
}

/// Elements per step of each iterator, where the indices are plain sums.
fn sum(index: &[Affine], shape: &[i64], iters: usize) -> Option<Vec<i64>> {
    let (mut strides, mut constant) = (vec![0; iters], 0);
    let mut stride = 1;
    for (e, &extent) in index.iter().zip(shape).rev() {
        e.add_linear(stride, &mut strides, &mut constant)?;
        stride *= extent;
    }
    Some(strides)
}

#[cfg(test)]
mod tests {
    use sinter_loops::kernel::Role;
    use sinter_loops::types::TensorType;

    use super::*;

    #[test]
    fn strides_are_those_of_the_flattened_index() {
        let d = Affine::Iter;
        let extents = [4, 3, 20];
        let slots = [Slot::new(TensorType::f32([7, 40, 32]), Role::Input)];
        let plain = vec![d(0) + d(1), d(2) * 2 + Affine::Const(1), d(1)];
        let blocked = vec![d(0), d(2).floor_div(16), d(2).modulo(16)];
        for (index, strides) in [(plain, [1280, 1281, 64]), (blocked, [1280, 0, 1])] {
            let access = Access::new(0, index);
            let movement = Movement::new(&access, &slots, &extents);
            let found = [0, 1, 2].map(|i| movement.stride(i, 4, &extents));
            assert_eq!(found, strides.map(Some));
            assert_eq!(found, [0, 1, 2].map(|i| movement.stride(i, 4, &extents)));
        }
        let across = Access::new(0, vec![d(0), d(2).floor_div(16), d(2).modulo(16)]);
        let movement = Movement::new(&across, &slots, &extents);
        assert_eq!(movement.stride(2, 32, &extents), None);
    }

    #[test]
    fn rows_a_way_apart_crowd_one_set() {
        let cache = FirstCache {
            way_bytes: 4096,
            ways: 8,
        };
        let loads = |bytes, rows| Crowding::new(bytes, cache).loads(rows);
        for bytes in [4096, -4096, 12288] {
            assert_eq!(loads(bytes, 8), 0.0);
            assert_eq!(loads(bytes, 10), 4.0 * CROWDED_LOADS);
        }
        assert_eq!(loads(2048, 16), 0.0);
        assert_eq!(loads(2048, 18), 2.0 * CROWDED_LOADS);
        assert_eq!(loads(4096 + 64, 60), 0.0);
        assert_eq!(loads(4, 14), 0.0);
    }

    #[test]
    fn padding_is_along_the_iterators_of_what_leaves_the_operand() {
        let d = Affine::Iter;
        let slots = [Slot::new(TensorType::f32([8, 8]), Role::Input)];
        let window = d(0) + d(1) - Affine::Const(1);
        let access = Access::padded(0, vec![window, d(2)], 0.0);
        let movement = Movement::new(&access, &slots, &[8, 3, 8]);
        assert_eq!(
            [0, 1, 2].map(|i| movement.padded_along(i)),
            [true, true, false]
        );
    }
}
