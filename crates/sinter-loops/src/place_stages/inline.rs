//! Stages without reduction are computed where they are read.

use crate::affine::{Affine, Interval};
use crate::invert::invert;
use crate::kernel::{Kernel, Role, Slot};
use crate::nest::{Access, Nest};
use crate::place_stages::{clean, finish, writes_slot};
use crate::scalar::{BodyBuilder, FloatBits, Reg, Scalar};
use crate::types::ElementType;

/// What may be inlined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    /// Also where dear work is repeated.
    pub(super) repeat_work: bool,
    /// Also stages that compute, into contracts.
    pub(super) into_contracts: bool,
}

/// The largest body that inlining makes.
const MAX_BODY_OPS: usize = 400;

/// Where a stage reads a value.
#[derive(Clone, Copy)]
enum Site {
    Read(usize),
    Finish(usize),
}

/// A stage without reduction that fills a temporary by itself: the value at every index of it.
struct Definition<'a> {
    stage: &'a Nest,
    /// The body's result that is written.
    result: usize,
    /// The stage's iterators in terms of the temporary's index.
    inverse: Vec<Affine>,
    shape: &'a [i64],
    ranges: Vec<Interval>,
}

/// Inlines stages into their readers as long as the policy and the padding allow. Whether some were kept
/// out of contracts by the policy.
pub(super) fn inline_stages(kernel: &mut Kernel, policy: Policy) -> bool {
    let temporaries: Vec<usize> = kernel.slots_of(Role::Temporary).collect();
    let mut kept_out = false;
    let mut changed = true;
    while changed {
        changed = false;
        for &slot in &temporaries {
            changed |= inline_slot(kernel, slot, policy, &mut kept_out);
        }
    }
    kept_out
}

fn inline_slot(kernel: &mut Kernel, slot: usize, policy: Policy, kept_out: &mut bool) -> bool {
    let Some(writer) = sole_writer(kernel, slot) else {
        return false;
    };
    let sites: usize = kernel
        .stages
        .iter()
        .map(|s| sites_of(s, slot).count())
        .sum();
    if sites == 0 || kernel.stages[writer].has_reduction() {
        return false;
    }
    let producer = kernel.stages[writer].clone();
    let shape = kernel.slots[slot].ty.shape.clone();
    let Some(definition) = Definition::of(&producer, slot, &shape) else {
        return false;
    };
    let once = sites == 1 && producer.writes.len() == 1;
    // Work that several readers would repeat is done once where its operand is made.
    let computes = definition.stage.body.results[definition.result] >= producer.body.args.len();
    if sites > 1 && computes && !policy.repeat_work && finish::joins_reduction(kernel, writer) {
        return false;
    }
    let mut changed = false;
    for reader in writer + 1..kernel.stages.len() {
        let mut better = |stage: &Nest, slots: &[Slot]| {
            sites_of(stage, slot).find_map(|site| {
                let wanted = wants(&definition, stage, site, once, policy, kept_out);
                let inlined = || inlined(&definition, stage, site, slots);
                wanted.then(inlined).flatten()
            })
        };
        while let Some(stage) = better(&kernel.stages[reader], &kernel.slots) {
            kernel.stages[reader] = stage;
            changed = true;
        }
    }
    changed
}

fn sole_writer(kernel: &Kernel, slot: usize) -> Option<usize> {
    let mut writers = (0..kernel.stages.len()).filter(|&n| writes_slot(&kernel.stages[n], slot));
    let writer = writers.next()?;
    writers.next().is_none().then_some(writer)
}

fn sites_of(stage: &Nest, slot: usize) -> impl Iterator<Item = Site> + '_ {
    let reads = stage.reads.iter().enumerate();
    let finish = stage.finish_reads.iter().enumerate();
    let reads = reads.filter(move |(_, r)| r.operand == slot);
    let finish = finish.filter(move |(_, r)| r.operand == slot);
    let reads = reads.map(|(n, _)| Site::Read(n));
    reads.chain(finish.map(|(n, _)| Site::Finish(n)))
}

fn wants(
    definition: &Definition,
    reader: &Nest,
    site: Site,
    once: bool,
    policy: Policy,
    kept_out: &mut bool,
) -> bool {
    let body = &definition.stage.body;
    let value = body.results[definition.result];
    let moves_only = value < body.args.len();
    if reader.body.ops() + reader.finish.ops() + body.ops() > MAX_BODY_OPS {
        return false;
    }
    if matches!(site, Site::Read(_)) && reader.contract && !moves_only {
        *kept_out |= !policy.into_contracts;
        return policy.into_contracts;
    }
    let points = match site {
        Site::Read(_) => reader.points(),
        Site::Finish(_) => reader.parallel_points(),
    };
    policy.repeat_work
        || moves_only
        || !body.has_transcendental()
        || (once && points <= definition.stage.points())
}

impl<'a> Definition<'a> {
    fn of(stage: &'a Nest, slot: usize, shape: &'a [i64]) -> Option<Self> {
        let mut writes = stage
            .writes
            .iter()
            .enumerate()
            .filter(|(_, w)| w.operand == slot);
        let (result, write) = writes.next()?;
        let fills = stage.points() == shape.iter().product::<i64>();
        if stage.has_reduction() || writes.next().is_some() || !fills {
            return None;
        }
        Some(Self {
            stage,
            result,
            inverse: invert(&write.index, &stage.extents())?,
            shape,
            ranges: shape.iter().map(|&e| Interval::of_extent(e)).collect(),
        })
    }

    /// A read of the stage in terms of the temporary's index.
    fn composed(&self, read: &Access) -> Vec<Affine> {
        let composed = |e: &Affine| e.substitute(&self.inverse).simplified_in(&self.ranges);
        read.index.iter().map(composed).collect()
    }

    /// Whether the value is `pad` wherever the index leaves the temporary along `leaving`, if all of
    /// the stage's reads are padded with `pad`: they leave their operands exactly there, and the body
    /// maps the padding to itself.
    fn keeps_padding(
        &self,
        leaving: &[usize],
        pad: FloatBits,
        slots: &[Slot],
        ty: ElementType,
    ) -> bool {
        let body = &self.stage.body;
        let leaves_too = |read: &Access| {
            let index = self.composed(read);
            let shape = &slots[read.operand].ty.shape;
            let same_pad = read.pad.is_none_or(|p| p == pad);
            same_pad
                && leaving.iter().all(|&j| {
                    let users: Vec<usize> =
                        (0..index.len()).filter(|&q| index[q].uses(j)).collect();
                    matches!(users[..], [q] if index[q] == Affine::Iter(j)
                        && shape[q] == self.shape[j])
                })
        };
        if body.uses_index() || !self.stage.reads.iter().all(leaves_too) {
            return false;
        }
        let args: Vec<_> = body
            .args
            .iter()
            .map(|&ty| Scalar::literal(ty, pad))
            .collect();
        let value = body.eval(&args, &[])[self.result].to_f64();
        value.to_bits() == Scalar::literal(ty, pad).to_f64().to_bits()
    }
}

/// The reader with one of its reads replaced by the definition. `None` where padding or an index in
/// the body forbids it.
fn inlined(definition: &Definition, reader: &Nest, site: Site, slots: &[Slot]) -> Option<Nest> {
    let access = match site {
        Site::Read(n) => &reader.reads[n],
        Site::Finish(n) => &reader.finish_reads[n],
    };
    let extents = reader.extents();
    let ranges: Vec<_> = extents.iter().map(|&e| Interval::of_extent(e)).collect();
    if let Some(pad) = access.pad {
        let leaving: Vec<usize> = (0..access.index.len())
            .filter(|&j| {
                !access.index[j]
                    .range_in(&ranges)
                    .is_inside(definition.shape[j])
            })
            .collect();
        let ty = slots[access.operand].ty.element;
        if !definition.keeps_padding(&leaving, pad, slots, ty) {
            return None;
        }
    }
    let with: Vec<Affine> = definition
        .inverse
        .iter()
        .map(|e| e.substitute(&access.index))
        .collect();
    let producer = definition.stage.body.substitute_index(&with, &ranges)?;
    let reads: Vec<Access> = definition
        .stage
        .reads
        .iter()
        .map(|read| Access {
            operand: read.operand,
            index: definition
                .composed(read)
                .iter()
                .map(|e| e.substitute(&access.index).simplified_in(&ranges))
                .collect(),
            pad: read.pad.or(access.pad),
        })
        .collect();

    let mut out = reader.clone();
    let (list, body, first, n) = match site {
        Site::Read(n) => (&mut out.reads, &mut out.body, 0, n),
        Site::Finish(n) => {
            let values = out.body.results.len();
            (&mut out.finish_reads, &mut out.finish, values, n)
        }
    };
    let old = body.args.len();
    let mut args = body.args.clone();
    args.extend_from_slice(&producer.args);
    let mut builder = BodyBuilder::new(args);
    let own: Vec<Reg> = (old..old + reads.len()).collect();
    let value = builder.inline(&producer, &own)[definition.result];
    let mut map: Vec<Reg> = (0..old).collect();
    map[first + n] = value;
    let results = builder.inline(body, &map);
    *body = builder.finish(results);
    list.extend(reads);
    add_origins(&mut out, definition.stage);
    if matches!(site, Site::Finish(_)) {
        drop_finish_read(&mut out, n);
    } else {
        drop_read(&mut out, n);
    }
    clean::tidy(&mut out, slots);
    Some(out)
}

/// Removes a read whose argument nothing uses.
fn drop_read(stage: &mut Nest, n: usize) {
    stage.reads.remove(n);
    stage.body = without_arg(&stage.body, n);
}

fn drop_finish_read(stage: &mut Nest, n: usize) {
    stage.finish_reads.remove(n);
    stage.finish = without_arg(&stage.finish, stage.body.results.len() + n);
}

fn without_arg(body: &crate::scalar::Body, n: usize) -> crate::scalar::Body {
    let mut args = body.args.clone();
    args.remove(n);
    let map: Vec<Reg> = (0..body.args.len())
        .map(|r| if r > n { r - 1 } else { r })
        .collect();
    body.with_args(args, &map)
}

/// Adds the names of another stage's operators, in front, without repetition.
pub(super) fn add_origins(stage: &mut Nest, from: &Nest) {
    let mut origins = from.origins.clone();
    origins.extend(
        stage
            .origins
            .iter()
            .filter(|o| !from.origins.contains(o))
            .cloned(),
    );
    stage.origins = origins;
}
