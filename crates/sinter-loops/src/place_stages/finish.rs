//! A stage without reduction joins the stage whose points it runs over.

use crate::affine::{Affine, Interval};
use crate::invert::invert;
use crate::kernel::Kernel;
use crate::nest::{Access, IterKind, Nest};
use crate::place_stages::inline::add_origins;
use crate::place_stages::{clean, depends, needs, replace_pair, writes_slot};
use crate::scalar::{BodyBuilder, Reg};

/// Merges one consumer into its latest possible producer; whether there was one.
pub(super) fn merge_into_producer(kernel: &mut Kernel) -> bool {
    for consumer in 1..kernel.stages.len() {
        if kernel.stages[consumer].has_reduction() {
            continue;
        }
        for producer in (0..consumer).rev() {
            if !depends(&kernel.stages[consumer], &kernel.stages[producer])
                || needs(kernel, consumer, producer, true)
            {
                continue;
            }
            if let Some(mut merged) = merged(kernel, producer, consumer) {
                clean::flatten(&mut merged);
                clean::tidy(&mut merged, &kernel.slots);
                replace_pair(kernel, producer, consumer, merged);
                return true;
            }
        }
    }
    false
}

/// Whether a stage without reduction can become part of a reduction that it reads.
pub(super) fn joins_reduction(kernel: &Kernel, consumer: usize) -> bool {
    (0..consumer).any(|producer| {
        kernel.stages[producer].has_reduction()
            && depends(&kernel.stages[consumer], &kernel.stages[producer])
            && !needs(kernel, consumer, producer, true)
            && merged(kernel, producer, consumer).is_some()
    })
}

/// A read of the producer's results.
struct Link {
    read: usize,
    write: usize,
}

fn merged(kernel: &Kernel, producer: usize, consumer: usize) -> Option<Nest> {
    let (p, c) = (&kernel.stages[producer], &kernel.stages[consumer]);
    // A nest writes a slot once: parts of a concatenation of one value stay stages of their own.
    if p.parallel_points() != c.points() || c.writes.iter().any(|w| writes_slot(p, w.operand)) {
        return None;
    }
    let links = links(kernel, producer, c)?;
    let extents = parallel_extents(p);
    let ranges: Vec<_> = extents.iter().map(|&e| Interval::of_extent(e)).collect();
    let map = consumer_iterators(kernel, p, c, links.first()?)?;
    let over_p = |access: &Access| Access {
        index: access
            .index
            .iter()
            .map(|e| e.substitute(&map).simplified_in(&ranges))
            .collect(),
        ..access.clone()
    };
    let same_point = |link: &Link| {
        let write = p.writes[link.write]
            .index
            .iter()
            .map(|e| e.simplify_in(&ranges));
        write.eq(over_p(&c.reads[link.read]).index)
    };
    if !links.iter().all(same_point) {
        return None;
    }
    let body = c.body.substitute_index(&map, &ranges)?;

    let mut out = p.clone();
    let values = p.finish.args.len();
    let mut args = p.finish.args.clone();
    let others: Vec<usize> = (0..c.reads.len())
        .filter(|&r| links.iter().all(|l| l.read != r))
        .collect();
    args.extend(others.iter().map(|&r| c.body.args[r]));
    let mut builder = BodyBuilder::new(args);
    let own: Vec<Reg> = (0..values).collect();
    let mut results = builder.inline(&p.finish, &own);
    let reg = |r: usize| match links.iter().find(|l| l.read == r) {
        Some(link) => results[link.write],
        None => values + others.iter().position(|&o| o == r).unwrap_or_default(),
    };
    let regs: Vec<Reg> = (0..c.reads.len()).map(reg).collect();
    results.extend(builder.inline(&body, &regs));
    out.finish = builder.finish(results);
    out.finish_reads
        .extend(others.iter().map(|&r| over_p(&c.reads[r])));
    out.writes.extend(c.writes.iter().map(over_p));
    out.origins = c.origins.clone();
    add_origins(&mut out, p);
    Some(out)
}

/// All reads of the producer's results; `None` where one is padded, or of a slot that has another
/// writer too.
fn links(kernel: &Kernel, producer: usize, c: &Nest) -> Option<Vec<Link>> {
    let p = &kernel.stages[producer];
    let mut links = Vec::new();
    for (n, read) in c.reads.iter().enumerate() {
        let writers = kernel
            .stages
            .iter()
            .filter(|s| writes_slot(s, read.operand))
            .count();
        let Some(write) = p.writes.iter().position(|w| w.operand == read.operand) else {
            continue;
        };
        if writers != 1 || read.pad.is_some() {
            return None;
        }
        links.push(Link { read: n, write });
    }
    Some(links)
}

fn parallel_extents(nest: &Nest) -> Vec<i64> {
    let extent = |i: &crate::nest::Iter| {
        if i.kind == IterKind::Parallel {
            i.extent
        } else {
            1
        }
    };
    nest.iters.iter().map(extent).collect()
}

/// The consumer's iterators in terms of the producer's, if the read pairs their points one to one.
fn consumer_iterators(kernel: &Kernel, p: &Nest, c: &Nest, link: &Link) -> Option<Vec<Affine>> {
    let shape = &kernel.slots[c.reads[link.read].operand].ty.shape;
    if p.parallel_points() != shape.iter().product::<i64>() {
        return None;
    }
    let extents = parallel_extents(p);
    let write = &p.writes[link.write].index;
    invert(write, &extents)?;
    let inverse = invert(&c.reads[link.read].index, &c.extents())?;
    Some(
        inverse
            .iter()
            .map(|e| e.substitute(write).simplify(&extents))
            .collect(),
    )
}
