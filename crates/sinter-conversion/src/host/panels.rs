//! Weights that are asked for while those before them are multiplied.
//!
//! All rows of a block go through a panel of weights, one register tile after the other. The first tile waits for the panel to come
//! from the last-level cache or from memory, and the others, which find it in the second-level cache, leave memory
//! idle. So every tile asks for its share of the next panel.

use sinter_loops::affine::Affine;
use sinter_loops::dot_products::DotKind;
use sinter_loops::kernel::Role;
use sinter_loops::nest::Access;

use super::Generator;
use super::access::{At, LINE_BYTES};
use super::memory::SECOND;
use super::stage::Stage;
use super::sym::Sym;
use super::tile::ceil_div;

/// Weights of so many bytes and more are asked for: fewer stay in the first-level cache.
const LEAST_BYTES: i64 = 32 << 10;

impl<'e, 'c> Generator<'e, 'c> {
    /// Asks for the part of the next panel that falls to this step of the innermost reduction, of which the tile
    /// makes `factor` points at a time.
    pub(super) fn prefetch_next_panel(&mut self, stage: &Stage<'e, 'c>, factor: i64) {
        let Some((access, iter, points)) = self.next_panel(stage) else {
            return;
        };
        let nest = stage.nest;
        let line = LINE_BYTES / self.slots[access.operand].bytes();
        let width: i64 = stage
            .axis
            .map_or(1, |a| a.lanes * stage.vectors.len() as i64);
        let lines = nest.reduction_points() * width / line;
        let (order, first) = (&stage.schedule.order, stage.first_reduction());
        let (mut done, mut all) = (Sym::default(), 1);
        for &i in order[..first].iter().filter(|&&i| !access.uses(i)) {
            done = done
                .times(nest.iters[i].extent)
                .plus(&stage.point[i].full());
            all *= nest.iters[i].extent;
        }
        let mut step = Sym::default();
        for &i in &order[first..] {
            step = step.times(nest.iters[i].extent).plus(&stage.point[i].local);
        }
        // Lines for each point of the rows, and for each step of this tile.
        let share = if lines < all { 0 } else { ceil_div(lines, all) };
        let steps = nest.reduction_points() / factor;
        let each = ceil_div(share * stage.all_rows(), steps);
        // One panel after the other, but for the zeros that fill up groups of dot products.
        let panel = nest.reduction_points() * width;
        let position = Affine::flatten(&access.index, &stage.types[access.operand].shape);
        let mut next = vec![0; nest.iters.len()];
        next[iter] = points;
        if !(panel..panel + width * DotKind::Bytes.group()).contains(&position.eval(&next)) {
            return;
        }
        let mut point = stage.point.clone();
        point[iter] = point[iter].shifted(points);
        for i in nest.reductions() {
            point[i].local = Sym::default();
        }
        let at = At {
            point: &point,
            axis: None,
            valid: 1,
            safe: &[],
        };
        let next = self.place(access, &at).index;
        let part = done.times(share * line);
        let part = part.plus(&step.times(each * line / factor));
        for n in 0..each {
            let ahead = next.plus(&part).plus(&Sym::constant(n * line));
            self.prefetch_at(access.operand, &ahead, SECOND);
        }
    }

    /// The weights of which all rows of the block take one panel, where they go through it several times; the iterator
    /// along which the next one lies, and how far.
    fn next_panel(&self, stage: &Stage<'e, 'c>) -> Option<(&'e Access, usize, i64)> {
        let nest = stage.nest;
        let axis = stage
            .axis
            .filter(|_| nest.contract && !stage.reduces_lanes())?;
        let constant = |a: &&Access| self.kernel.slots[a.operand].role == Role::Constant;
        let mut weights = nest.reads.iter().filter(constant);
        let access = weights.next().filter(|a| stage.moves(a) == (false, true))?;
        let bytes = self.slots[access.operand].elements * self.slots[access.operand].bytes();
        if weights.next().is_some() || bytes < LEAST_BYTES {
            return None;
        }
        let order = &stage.schedule.order[..stage.first_reduction()];
        let points = axis.lanes * stage.vectors.len() as i64;
        let loops = |i: usize| stage.spans[i].extent > if i == axis.iter { points } else { 1 };
        let along_grid = self.schedule.grid.iter();
        let along_grid = along_grid.filter(|a| ceil_div(a.extent, a.tile) > 1);
        let along_grid = along_grid.filter_map(|a| a.iters[stage.index]);
        let in_block = order.iter().copied().filter(|&i| loops(i));
        let inner_first: Vec<usize> = along_grid.chain(in_block).rev().collect();
        let rows_inside = inner_first.iter().skip_while(|&&i| !access.uses(i));
        if rows_inside.clone().any(|&i| !access.uses(i)) {
            return None;
        }
        let rows: i64 = order
            .iter()
            .filter(|&&i| !access.uses(i))
            .map(|&i| nest.iters[i].extent)
            .product();
        if rows <= stage.all_rows() {
            return None;
        }
        if nest.iters[axis.iter].extent > points {
            return Some((access, axis.iter, points));
        }
        let mut others = order.iter().rev().copied();
        let next =
            others.find(|&i| i != axis.iter && access.uses(i) && nest.iters[i].extent > 1)?;
        Some((access, next, 1))
    }
}
