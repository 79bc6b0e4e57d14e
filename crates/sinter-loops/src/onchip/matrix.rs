//! Stages that run on the matrix unit.
//!
//! A contraction is a product of matrices for every point of its *batch* iterators, which both
//! operands have: rows are the iterators of the left operand alone, columns those of the right one,
//! and the depth is what is summed. Boxes of the operands lie in L1 as they lie in device memory; the
//! transfers to the unit's own buffers take them apart into matrices, a step of the depth at a time.
//! For a convolution that is the image-to-column rearrangement: element `(oh, ow), (kh, kw, ci)` of
//! the left matrix is pixel `(oh * stride + kh, ow * stride + kw)`, channel `ci` of the box.
//!
//! The depth ascends as the reduction does, and each step continues the sums of the last one, so the
//! result does not depend on where the steps are cut.

use super::arrange::{Arrange, Dim, Place, Side};
use super::build::Builder;
use super::rank::TRANSFER_RANK;
use super::stage::{Boxed, Loads, Stage};
use super::{ALIGN, ChunkAxis, Machine, MatrixUnit, OnChipError, Space, Step, TileId, step_depth};
use crate::affine::Affine;
use crate::kernel::Role;
use crate::nest::Access;
use crate::scalar::{Body, Inst};
use crate::types::{ElementType, TensorType};

/// How a contraction is a product of matrices.
pub(super) struct Form {
    /// Number of the read that is the left operand; the other is the right one.
    left: usize,
    batch: Vec<usize>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    unit: MatrixUnit,
}

/// A reduction iterator within a chunk.
struct Depth {
    iter: usize,
    points: i64,
    /// Points of one step.
    step: i64,
}

impl Stage {
    /// How the stage is a product of matrices; `None` where it is work for the vector unit.
    ///
    /// # Errors
    /// When an operand's box is not one that can be loaded.
    pub(super) fn matrix_form(&self, builder: &Builder<'_>) -> Result<Option<Form>, OnChipError> {
        let (nest, Machine { matrix, .. }) = (&self.nest, builder.machine);
        // Factors that are computed on the way are the vector unit's work; halves are widened by the matrix unit.
        let factors = nest.body.product_of_arguments();
        let plain = nest.contract && nest.reads.len() == 2 && factors.is_some_and(|(a, b)| a != b);
        let widened = nest.body.insts.len() > 1;
        let plain = plain && (!widened || nest.body.result_types() == Ok(vec![ElementType::F32]));
        let (Some(unit), true) = (matrix, plain) else {
            return Ok(None);
        };
        let element = nest.body.args[0];
        let halves = [ElementType::F16, ElementType::Bf16];
        if nest.body.args[1] != element
            || !(halves.contains(&element) || element == ElementType::F32)
        {
            return Ok(None);
        }
        for read in &nest.reads {
            let computed = builder.kernel.slots[read.operand].role == Role::Temporary;
            if !linear(&self.boxed(read)?, nest.iters.len()) || (computed && read.pad.is_some()) {
                return Ok(None);
            }
        }
        let mut groups = [Vec::new(), Vec::new(), Vec::new()];
        for i in nest.parallels().filter(|&i| self.iters[i].points > 1) {
            let uses = |read: usize| nest.reads[read].index.iter().any(|e| e.uses(i));
            match (uses(0), uses(1)) {
                (true, true) => groups[0].push(i),
                (true, false) => groups[1].push(i),
                (false, true) => groups[2].push(i),
                (false, false) => return Ok(None),
            }
        }
        let [batch, mut rows, mut columns] = groups;
        let product = !rows.is_empty() && !columns.is_empty();
        let single = (!rows.is_empty() || !columns.is_empty()) && batch.is_empty();
        if !(product || single) || batch.len() + rows.len().max(columns.len()) > TRANSFER_RANK {
            return Ok(None);
        }
        // Columns are what the result has innermost, so that it leaves in long rows.
        let inner = nest.writes[0].index.last();
        let swapped = inner.is_some_and(|e| rows.iter().any(|&i| e.uses(i)));
        if swapped {
            std::mem::swap(&mut rows, &mut columns);
        }
        Ok(Some(Form {
            left: usize::from(swapped),
            batch,
            rows,
            columns,
            unit: *unit,
        }))
    }

    /// The stage on the matrix unit, and whether the vector unit finishes it.
    pub(super) fn matrix_steps(
        &self,
        form: &Form,
        builder: &mut Builder<'_>,
    ) -> Result<(Vec<Step>, bool), OnChipError> {
        let mut loads = Loads::default();
        let left = self.staged(&self.nest.reads[form.left], builder, &mut loads)?;
        let right = self.staged(&self.nest.reads[1 - form.left], builder, &mut loads)?;
        let element = self.nest.body.args[0];
        let depths = self.depths(form, element);
        let stepped = depths.iter().any(|d| d.step < d.points);
        let steps: Vec<usize> = depths.iter().map(|d| d.iter).collect();
        let accumulator = {
            let shape = self.extents(form, &form.rows, &form.columns, &depths);
            builder.tile(Space::L0c, ElementType::F32, shape)
        };
        let mut body = Vec::new();
        let sides = [
            (left, Space::L0a, [&form.rows, &steps]),
            (right, Space::L0b, [&steps, &form.columns]),
        ];
        let mut operands = Vec::new();
        for (access, space, [outer, inner]) in sides {
            let shape = self.extents(form, outer, inner, &depths);
            let tile = builder.tile(space, element, shape);
            builder.tiles[tile].double = stepped && builder.machine.double_buffer;
            let groups = [&form.batch, outer, inner];
            body.push(self.to_matrix(builder, &access, tile, groups, &depths));
            operands.push(tile);
        }
        let (mut steps, whole) = (loads.hoisted, !stepped && self.chunks.is_empty());
        body.push(Step::Multiply {
            left: operands[0],
            right: operands[1],
            accumulator,
            init: whole,
        });
        if !whole {
            let value = self.nest.combines[0].init;
            let tile = accumulator;
            steps.push(Step::Fill { tile, value });
        }
        if stepped {
            let axes = depths.iter().filter(|d| d.step < d.points);
            let axis = |d: &Depth| ChunkAxis {
                extent: d.points,
                chunk: d.step,
            };
            let axes = axes.map(axis).collect();
            body = vec![Step::Chunks { axes, body }];
        }
        if self.chunks.is_empty() {
            steps.extend(body);
        } else {
            let axes = self.chunks.clone();
            let body = loads.chunked.into_iter().chain(body).collect();
            steps.push(Step::Chunks { axes, body });
        }
        let (rest, finished) = self.leave_matrix(form, builder, accumulator)?;
        steps.extend(rest);
        Ok((steps, finished))
    }

    /// An operand's box in L1. What the vector unit made gets there through device memory.
    fn staged(
        &self,
        read: &Access,
        builder: &mut Builder<'_>,
        loads: &mut Loads,
    ) -> Result<Access, OnChipError> {
        let mut access = self.read(builder, read, Space::L1, loads)?;
        if builder.tiles[access.operand].space == Space::Ub {
            let TensorType { element, shape } = builder.tiles[access.operand].ty.clone();
            for space in [Space::Workspace, Space::L1] {
                let to = builder.tile(space, element, shape.clone());
                let from = std::mem::replace(&mut access.operand, to);
                loads.hoisted.push(Step::Move { from, to });
            }
        }
        Ok(access)
    }

    /// The reduction iterators in order, with as many points in a step as the unit's buffers hold:
    /// all of the innermost ones, then a part of one, then single points of the rest.
    fn depths(&self, form: &Form, element: ElementType) -> Vec<Depth> {
        let points =
            |iters: &[usize]| -> i64 { iters.iter().map(|&i| self.iters[i].points).product() };
        let batch = points(&form.batch) * element.bytes() as i64;
        let rows = batch * points(&form.rows);
        let columns = batch * points(&form.columns);
        // Both buffers of an operand are aligned.
        let part = |bytes: i64, share: i64| bytes / share / ALIGN * ALIGN;
        let room = |share: i64| {
            let unit = &form.unit;
            (part(unit.left_bytes, share) / rows).min(part(unit.right_bytes, share) / columns)
        };
        let depth: Vec<_> = self.nest.reductions().collect();
        let extents: Vec<i64> = depth.iter().map(|&r| self.iters[r].points).collect();
        let all: i64 = extents.iter().product();
        let outer = form.batch.len() + form.rows.len().max(form.columns.len());
        let grains = [
            step_depth(form.unit.k, element),
            (form.unit.block_bytes / element.bytes() as i64).max(1),
        ];
        let steps = step_depths(&extents, TRANSFER_RANK - outer, &grains);
        // Steps alternate between two buffers; a single one needs no second.
        let held = |step: &&Vec<i64>| {
            let points: i64 = step.iter().product();
            points <= room(if points == all { 1 } else { 2 })
        };
        let step = steps.iter().rev().find(held).or(steps.first());
        let of = |n: usize| step.map_or(1, |step| step[n]);
        let depths = depth.iter().zip(&extents).enumerate();
        depths
            .map(|(n, (&iter, &points))| Depth {
                iter,
                points,
                step: of(n),
            })
            .collect()
    }

    fn points(&self, iter: usize, depths: &[Depth]) -> i64 {
        let depth = depths.iter().find(|d| d.iter == iter);
        depth.map_or(self.iters[iter].points, |d| d.step)
    }

    /// Extents of a matrix tile: the batch where there is one, then two.
    fn extents(&self, form: &Form, outer: &[usize], inner: &[usize], depths: &[Depth]) -> Vec<i64> {
        let extent = |iters: &[usize]| iters.iter().map(|&i| self.points(i, depths)).product();
        let batch = (!form.batch.is_empty()).then(|| extent(&form.batch));
        batch
            .into_iter()
            .chain([extent(outer), extent(inner)])
            .collect()
    }

    /// The transfer from an operand's box to a matrix tile.
    fn to_matrix(
        &self,
        builder: &Builder<'_>,
        access: &Access,
        tile: TileId,
        groups: [&Vec<usize>; 3],
        depths: &[Depth],
    ) -> Step {
        let dims: Vec<Dim> = self.dims(&groups, depths);
        let first = builder.grid.len() + self.chunks.len();
        let stepped = depths.iter().filter(|d| d.step < d.points);
        let starts: Vec<(usize, usize)> = stepped
            .enumerate()
            .map(|(n, d)| (d.iter, first + n))
            .collect();
        Step::Arrange(Arrange {
            from: access.operand,
            to: Place::Tile(tile),
            extents: dims.iter().map(|d| d.extent).collect(),
            source: Side::along(&access.index, &dims, &starts, self.nest.iters.len()),
            target: self.matrix_side(&groups, &dims, depths),
        })
    }

    /// The iterators of some groups as dimensions of a transfer.
    fn dims(&self, groups: &[&Vec<usize>], depths: &[Depth]) -> Vec<Dim> {
        let iters = groups.iter().flat_map(|g| g.iter().copied());
        let dims = iters.map(|iter| Dim {
            iter,
            extent: self.points(iter, depths),
        });
        dims.filter(|d| d.extent > 1).collect()
    }

    /// Where the points of some dimensions lie in a matrix tile.
    fn matrix_side(&self, groups: &[&Vec<usize>], dims: &[Dim], depths: &[Depth]) -> Side {
        let index: Vec<_> = self.matrix_index(groups, depths);
        Side::along(&index, dims, &[], self.nest.iters.len())
    }

    /// Position in a matrix tile, over the stage's own iterators.
    fn matrix_index(&self, groups: &[&Vec<usize>], depths: &[Depth]) -> Vec<Affine> {
        let flat = |iters: &Vec<usize>| {
            let index: Vec<_> = iters.iter().map(|&i| Affine::Iter(i)).collect();
            let extents: Vec<_> = iters.iter().map(|&i| self.points(i, depths)).collect();
            Affine::flatten(&index, &extents)
        };
        let has_batch = !groups[0].is_empty();
        groups
            .iter()
            .skip(usize::from(!has_batch))
            .map(|g| flat(g))
            .collect()
    }

    /// The accumulator goes straight to device memory when nothing is left to do with it, else to
    /// the vector unit: on a route, or through the workspace.
    fn leave_matrix(
        &self,
        form: &Form,
        builder: &mut Builder<'_>,
        tile: TileId,
    ) -> Result<(Vec<Step>, bool), OnChipError> {
        let groups = [&form.batch, &form.rows, &form.columns];
        if let Some(step) = self.straight(&groups, builder, tile)? {
            return Ok((vec![step], false));
        }
        let TensorType { element, shape } = builder.tiles[tile].ty.clone();
        let mut from = tile;
        let mut steps = Vec::new();
        let through = (!form.unit.feeds_vector).then_some(Space::Workspace);
        for space in through.into_iter().chain([Space::Ub]) {
            let to = builder.tile(space, element, shape.clone());
            steps.push(Step::Move { from, to });
            from = to;
        }
        let accumulator = Access::new(from, self.matrix_index(&groups, &[]));
        let finish = rounded(&self.nest.finish);
        steps.extend(self.finish_steps(builder, &[accumulator], &finish)?);
        Ok((steps, true))
    }

    /// The transfer that stores the accumulator, where that is all there is to do.
    fn straight(
        &self,
        groups: &[&Vec<usize>],
        builder: &Builder<'_>,
        from: TileId,
    ) -> Result<Option<Step>, OnChipError> {
        let write = &self.nest.writes[0];
        let boxed = self.boxed(write)?;
        let dims = self.dims(groups, &[]);
        let alone = self.nest.writes.len() == 1 && self.nest.finish.is_identity();
        let slot = &builder.kernel.slots[write.operand];
        let stored = slot.role == Role::Output && slot.ty.element == ElementType::F32;
        if !(alone
            && stored
            && linear(&boxed, self.nest.iters.len())
            && dims.len() <= TRANSFER_RANK)
        {
            return Ok(None);
        }
        let mut target = Side::along(&boxed.local, &dims, &[], self.nest.iters.len());
        for (start, of_box) in target.start.iter_mut().zip(boxed.start) {
            *start = of_box + start.clone();
        }
        Ok(Some(Step::Arrange(Arrange {
            from,
            to: Place::Slot(write.operand),
            extents: dims.iter().map(|d| d.extent).collect(),
            source: self.matrix_side(groups, &dims, &[]),
            target,
        })))
    }
}

/// Steps of a depth worth taking, ascending: parts of each extent from the innermost outwards, of at most `ranks`
/// extents. Each step is rounded up to every grain; what rounding takes never grows from one to the next, so
/// that more memory makes no product dearer.
fn step_depths(extents: &[i64], ranks: usize, grains: &[i64]) -> Vec<Vec<i64>> {
    let all: i64 = extents.iter().product();
    let taken = |points: i64| -> Vec<i64> {
        let rounded = |g: &i64| (points + g - 1) / g * g;
        let steps = grains.iter().map(|g| all / points * rounded(g));
        steps.collect()
    };
    let mut step = vec![1; extents.len()];
    let mut least = taken(1);
    let mut out = vec![step.clone()];
    let longer = (0..extents.len()).rev().filter(|&n| extents[n] > 1);
    for n in longer.take(ranks) {
        for part in (2..=extents[n]).filter(|part| extents[n] % part == 0) {
            step[n] = part;
            let now = taken(step.iter().product());
            if now.iter().zip(&least).all(|(now, least)| now <= least) {
                out.push(step.clone());
                least = now;
            }
        }
    }
    out
}

fn linear(boxed: &Boxed, iters: usize) -> bool {
    boxed.local.iter().all(|e| e.linear(iters).is_some())
}

/// The finish of a sum that is held as f32: it is rounded to the element type first.
fn rounded(finish: &Body) -> Body {
    let element = finish.args[0];
    if element == ElementType::F32 {
        return finish.clone();
    }
    let count = finish.args.len();
    let number = |r: usize| match r {
        0 => count,
        r if r < count => r,
        r => r + 1,
    };
    let mut args = finish.args.clone();
    args[0] = ElementType::F32;
    let rest = finish.insts.iter().map(|inst| inst.map_operands(number));
    Body {
        args,
        insts: std::iter::once(Inst::Cast(element, 0))
            .chain(rest)
            .collect(),
        results: finish.results.iter().map(|&r| number(r)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::step_depths;

    #[test]
    fn deeper_steps_round_no_more() {
        let points = |extents: &[i64], ranks| -> Vec<i64> {
            let steps = step_depths(extents, ranks, &[8, 16]);
            steps.iter().map(|s| s.iter().product()).collect()
        };
        assert_eq!(points(&[24], 1), [1, 2, 3, 4, 6, 8, 24]);
        assert_eq!(points(&[3, 3, 3], 3), [1, 3, 9, 27]);
        assert_eq!(points(&[3, 3, 32], 2), [1, 2, 4, 8, 16, 32, 96]);
        assert_eq!(points(&[], 2), [1]);
        assert_eq!(points(&[1, 7], 0), [1]);
    }
}
