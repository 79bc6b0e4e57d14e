//! The row chunk by chunk.

use super::find::{aligned, inst, inverse, only_reduction, same_value};
use super::late::late_normalisation;
use super::{plain_dims, reads_of, temporary, writer_of};
use crate::affine::{Affine, Interval};
use crate::kernel::{Kernel, Role};
use crate::nest::{Access, CombineFn, Nest};
use crate::place_stages::without_unused_slots;
use crate::scalar::{BinaryFn, BodyBuilder, Inst, Reg, UnaryFn};
use crate::types::{ElementType::F32, TensorType};

/// The least finite value: a chunk whose scores are all minus infinity has weights 0, not NaN.
const LOWEST: f64 = f32::MIN as f64;

/// The kernel with a `softmax(s) v` computed in chunks of `chunk` columns of `s`; `None` where there
/// is none, or the chunk does not divide them.
///
/// The result's numerics class against the kernel's is `reassociating`.
pub fn online_softmax(kernel: &Kernel, chunk: i64) -> Option<Kernel> {
    let late = late_normalisation(kernel);
    let kernel = late.as_ref().unwrap_or(kernel);
    let row = (0..kernel.stages.len()).find_map(|n| Row::of_mix(kernel, n))?;
    let length = kernel.stages[row.mix].iters[row.along.mix].extent;
    let divides = chunk > 0 && chunk < length && length % chunk == 0;
    let out = divides.then(|| row.in_chunks(kernel, chunk, length / chunk))??;
    let out = without_unused_slots(out);
    out.verify().ok()?;
    Some(out)
}

/// Points of the row of a `softmax(s) v`; `None` where there is none.
pub fn row_length(kernel: &Kernel) -> Option<i64> {
    let late = late_normalisation(kernel);
    let kernel = late.as_ref().unwrap_or(kernel);
    let row = (0..kernel.stages.len()).find_map(|n| Row::of_mix(kernel, n))?;
    Some(kernel.stages[row.mix].iters[row.along.mix].extent)
}

/// An iterator along the row, by stage.
struct Along {
    largest: usize,
    exponentials: usize,
    sum: usize,
    mix: usize,
}

/// The stages of a row.
struct Row {
    /// Where the scores are computed here.
    scores: Option<Scores>,
    largest: usize,
    exponentials: usize,
    sum: usize,
    mix: usize,
    along: Along,
    /// Slots of the maximum, the exponentials and their sum.
    m: usize,
    e: usize,
    l: usize,
    /// The exponentials' dimension along the row.
    e_dim: usize,
    /// The exponentials' iterators in terms of the sum's.
    in_sum: Vec<Affine>,
}

/// The stage that computes scores, for one row's maximum and exponentials only.
struct Scores {
    stage: usize,
    slot: usize,
    /// The iterator along the row, and the slot's dimension.
    along: usize,
    dim: usize,
}

impl Scores {
    /// What the exponentials read along the row, if it is a temporary; `None` where there is more than
    /// one, or others read it.
    fn of(
        kernel: &Kernel,
        reader: &Nest,
        along: usize,
        readers: [usize; 2],
    ) -> Option<Option<Self>> {
        let along_row = |r: &&Access| {
            kernel.slots[r.operand].role == Role::Temporary && r.index.iter().any(|e| e.uses(along))
        };
        let mut reads = reader.reads.iter().filter(along_row);
        let Some(read) = reads.next() else {
            return Some(None);
        };
        let (stage, 0) = writer_of(kernel, read.operand)? else {
            return None;
        };
        let nest = &kernel.stages[stage];
        let dim = dim_of(&read.index, along)?;
        let own = plain_dims(nest, &nest.writes[0])?[dim]?;
        let alone = nest.writes.len() == 1
            && reads.next().is_none()
            && reads_of(kernel, read.operand).all(|(n, _)| readers.contains(&n));
        alone.then_some(Some(Self {
            stage,
            slot: read.operand,
            along: own,
            dim,
        }))
    }
}

/// The only dimension of an index that uses an iterator, where it is nothing else.
fn dim_of(index: &[Affine], iter: usize) -> Option<usize> {
    let mut users = (0..index.len()).filter(|&d| index[d].uses(iter));
    let (dim, None) = (users.next()?, users.next()) else {
        return None;
    };
    (index[dim] == Affine::Iter(iter)).then_some(dim)
}

impl Row {
    fn of_mix(kernel: &Kernel, mix: usize) -> Option<Self> {
        let stage = &kernel.stages[mix];
        let mut reductions = stage.reductions();
        let (along_mix, None) = (reductions.next()?, reductions.next()) else {
            return None;
        };
        if !stage.contract || stage.body.result_types().ok()? != [F32] {
            return None;
        }
        stage
            .reads
            .iter()
            .find_map(|read| Self::of_read(kernel, mix, along_mix, read))
    }

    fn of_read(kernel: &Kernel, mix: usize, along_mix: usize, read: &Access) -> Option<Self> {
        let e = read.operand;
        let (exponentials, 0) = writer_of(kernel, e)? else {
            return None;
        };
        let stage = &kernel.stages[exponentials];
        let pure = !stage.has_reduction() && stage.finish.is_identity();
        if !pure || stage.writes.len() != 1 || read.pad.is_some() {
            return None;
        }
        let dims = plain_dims(stage, &stage.writes[0])?;
        let e_dim = dim_of(&read.index, along_mix)?;
        let along_e = dims[e_dim]?;
        let mut others = reads_of(kernel, e).filter(|&(n, _)| n != mix);
        let ((sum, of_sum), None) = (others.next()?, others.next()) else {
            return None;
        };
        let added = &kernel.stages[sum];
        let along_sum = only_reduction(added, CombineFn::Add)?;
        let plain_sum = added.body.is_identity() && of_sum.pad.is_none();
        let same_row = plain_sum && dim_of(&of_sum.index, along_sum) == Some(e_dim);
        let (shifted, m_read) = difference(stage)?;
        let (m, l) = (m_read.operand, added.writes[0].operand);
        let (largest, 0) = writer_of(kernel, m)? else {
            return None;
        };
        let maximum = &kernel.stages[largest];
        let along_max = only_reduction(maximum, CombineFn::Max)?;
        let in_max = aligned((maximum, along_max), (stage, along_e), m_read)?;
        let mut mix_reads = kernel.stages[mix].finish_reads.iter();
        let known = mix_reads.any(|r| r.operand == l)
            && writer_of(kernel, l)?.0 == sum
            && reads_of(kernel, l).count() == 1
            && reads_of(kernel, m).count() == 1;
        if !same_row || !known || !same_value(maximum, stage, shifted, &in_max) {
            return None;
        }
        let scores = Scores::of(kernel, stage, along_e, [exponentials, largest])?;
        Some(Self {
            along: Along {
                largest: along_max,
                exponentials: along_e,
                sum: along_sum,
                mix: along_mix,
            },
            scores,
            largest,
            exponentials,
            sum,
            mix,
            m,
            e,
            l,
            e_dim,
            in_sum: inverse(stage, &dims, &of_sum.index),
        })
    }

    fn in_chunks(&self, kernel: &Kernel, chunk: i64, count: i64) -> Option<Kernel> {
        let mut out = kernel.clone();
        let part = |slot: usize, dim: usize| {
            let mut ty = kernel.slots[slot].ty.clone();
            ty.shape[dim] = chunk;
            ty
        };
        if let Some(scores) = &self.scores {
            out.slots[scores.slot].ty = part(scores.slot, scores.dim);
        }
        out.slots[self.e].ty = part(self.e, self.e_dim);
        let both = |out: &mut Kernel, slot: usize| {
            let ty = kernel.slots[slot].ty.clone();
            [slot, temporary(out, ty)]
        };
        let (m, l) = (both(&mut out, self.m), both(&mut out, self.l));
        let scale = temporary(&mut out, kernel.slots[self.l].ty.clone());
        let mix = &kernel.stages[self.mix];
        let parallel: Vec<usize> = mix.parallels().collect();
        let shape: Vec<i64> = parallel.iter().map(|&i| mix.iters[i].extent).collect();
        let tile = TensorType::new(F32, shape);
        let state = State {
            m,
            l,
            scale,
            results: [temporary(&mut out, tile.clone()), temporary(&mut out, tile)],
            tile: parallel.into_iter().map(Affine::Iter).collect(),
        };
        let mut made = Vec::new();
        for c in 0..count {
            let piece = Piece {
                row: self,
                kernel,
                start: c * chunk,
                chunk,
                now: (c % 2) as usize,
                first: c == 0,
                last: c + 1 == count,
            };
            made.extend(piece.stages(&state)?);
        }
        let scores = self.scores.as_ref().map(|s| s.stage);
        let own = [
            Some(self.largest),
            Some(self.exponentials),
            Some(self.sum),
            scores,
        ];
        let mut stages = Vec::new();
        for (n, stage) in kernel.stages.iter().enumerate() {
            if n == self.mix {
                stages.append(&mut made);
            } else if !own.contains(&Some(n)) {
                stages.push(stage.clone());
            }
        }
        out.stages = stages;
        Some(out)
    }
}

/// `exp(s - m)`: the register of `s` and the read of `m`.
fn difference(stage: &Nest) -> Option<(Reg, &Access)> {
    let body = &stage.body;
    let Inst::Unary(UnaryFn::Exp, d) = inst(body, *body.results.first()?)? else {
        return None;
    };
    let Inst::Binary(BinaryFn::Sub, s, m) = inst(body, *d)? else {
        return None;
    };
    Some((*s, stage.reads.get(*m)?))
}

/// What one chunk leaves for the next, in turns.
struct State {
    m: [usize; 2],
    l: [usize; 2],
    /// `exp(m - m')`.
    scale: usize,
    results: [usize; 2],
    /// Where a result is in its temporary.
    tile: Vec<Affine>,
}

/// One chunk.
struct Piece<'a> {
    row: &'a Row,
    kernel: &'a Kernel,
    start: i64,
    chunk: i64,
    now: usize,
    first: bool,
    last: bool,
}

impl Piece<'_> {
    fn stages(&self, state: &State) -> Option<Vec<Nest>> {
        let mut out = Vec::new();
        if let Some(scores) = &self.row.scores {
            out.push(self.part(scores.stage, scores.along)?);
        }
        out.push(self.largest(state)?);
        let mut exponentials = self.part(self.row.exponentials, self.row.along.exponentials)?;
        for read in &mut exponentials.reads {
            if read.operand == self.row.m {
                read.operand = state.m[self.now];
            }
        }
        out.push(exponentials);
        out.push(self.sum(state)?);
        out.push(self.mix(state)?);
        Some(out)
    }

    /// A stage over the chunk's part of an iterator.
    fn part(&self, stage: usize, along: usize) -> Option<Nest> {
        let mut out = self.kernel.stages[stage].clone();
        out.iters[along].extent = self.chunk;
        let extents = out.extents();
        let mut with: Vec<Affine> = (0..extents.len()).map(Affine::Iter).collect();
        with[along] = Affine::Iter(along) + self.start;
        let scores = self.row.scores.as_ref().map(|s| s.slot);
        let chunked = |slot: usize| slot == self.row.e || Some(slot) == scores;
        for read in out.reads.iter_mut().chain(&mut out.finish_reads) {
            if !chunked(read.operand) {
                for index in &mut read.index {
                    *index = index.substitute(&with).simplify(&extents);
                }
            }
        }
        let ranges: Vec<_> = extents.iter().map(|&e| Interval::of_extent(e)).collect();
        out.body = out.body.substitute_index(&with, &ranges)?;
        out.finish = out.finish.substitute_index(&with, &ranges)?;
        Some(out)
    }

    fn largest(&self, state: &State) -> Option<Nest> {
        let mut out = self.part(self.row.largest, self.row.along.largest)?;
        out.writes[0].operand = state.m[self.now];
        let mut finish = BodyBuilder::new(vec![F32; if self.first { 1 } else { 2 }]);
        let before = match self.first {
            true => finish.constant(F32, LOWEST),
            false => {
                let index = out.writes[0].index.clone();
                out.finish_reads = vec![Access::new(state.m[1 - self.now], index)];
                1
            }
        };
        let largest = finish.binary(BinaryFn::Max, 0, before);
        out.finish = finish.finish(vec![largest]);
        Some(out)
    }

    fn sum(&self, state: &State) -> Option<Nest> {
        let mut out = self.part(self.row.sum, self.row.along.sum)?;
        out.writes[0].operand = state.l[self.now];
        if self.first {
            return Some(out);
        }
        let extents = out.extents();
        let (_, m_read) = difference(&self.kernel.stages[self.row.exponentials])?;
        let m = m_read.index.iter();
        let m = m.map(|e| e.substitute(&self.row.in_sum).simplify(&extents));
        let m: Vec<Affine> = m.collect();
        let row = out.writes[0].index.clone();
        out.finish_reads = vec![
            Access::new(state.l[1 - self.now], row.clone()),
            Access::new(state.m[1 - self.now], m.clone()),
            Access::new(state.m[self.now], m),
        ];
        let mut finish = BodyBuilder::new(vec![F32; 4]);
        let grown = finish.binary(BinaryFn::Sub, 2, 3);
        let scale = finish.unary(UnaryFn::Exp, grown);
        let before = finish.binary(BinaryFn::Mul, 1, scale);
        let sum = finish.binary(BinaryFn::Add, 0, before);
        out.finish = finish.finish(vec![sum, scale]);
        out.writes.push(Access::new(state.scale, row));
        Some(out)
    }

    fn mix(&self, state: &State) -> Option<Nest> {
        let mut out = self.part(self.row.mix, self.row.along.mix)?;
        let reads = match self.last {
            true => out.finish_reads.len(),
            false => 0,
        };
        let mut l = out.finish_reads.iter().filter(|r| r.operand == self.row.l);
        let row = l.next()?.index.clone();
        let mut args = out.finish.args[..=reads].to_vec();
        args.extend([F32; 2]);
        let mut finish = BodyBuilder::new(args);
        out.finish_reads.truncate(reads);
        let total = match self.first {
            true => 0,
            false => {
                let before = Access::new(state.results[1 - self.now], state.tile.clone());
                out.finish_reads.push(before);
                out.finish_reads.push(Access::new(state.scale, row));
                let scaled = finish.binary(BinaryFn::Mul, reads + 1, reads + 2);
                finish.binary(BinaryFn::Add, 0, scaled)
            }
        };
        let results = match self.last {
            true => {
                let own: Vec<usize> = [total].into_iter().chain(1..=reads).collect();
                finish.inline(&out.finish, &own)
            }
            false => {
                out.writes = vec![Access::new(state.results[self.now], state.tile.clone())];
                vec![total]
            }
        };
        out.finish = finish.finish(results);
        if self.first {
            let args = out.finish.args[..=reads].to_vec();
            let to: Vec<usize> = (0..=reads).chain([0, 0]).collect();
            out.finish = out.finish.with_args(args, &to);
        }
        for read in &mut out.finish_reads {
            if read.operand == self.row.l {
                read.operand = state.l[self.now];
            }
        }
        Some(out)
    }
}
