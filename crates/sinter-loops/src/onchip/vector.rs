//! Stages that run on the vector unit, and what is left to do with accumulators.

use super::build::Builder;
use super::stage::{Loads, Stage};
use super::{OnChipError, Space, Step};
use crate::affine::Affine;
use crate::nest::{Access, CombineFn, IterKind, Nest};
use crate::scalar::{BinaryFn, Body, Inst};

impl Stage {
    /// The stage on the vector unit.
    pub(super) fn vector_steps(&self, builder: &mut Builder<'_>) -> Result<Vec<Step>, OnChipError> {
        if self.nest.combines.is_empty() || self.chunks.is_empty() {
            let mut loads = Loads::default();
            let mut nest = self.nest.clone();
            nest.iters = self.local_iters();
            for read in nest.reads.iter_mut().chain(&mut nest.finish_reads) {
                *read = self.read(builder, read, Space::Ub, &mut loads)?;
            }
            let (writes, stores) = self.writes(builder)?;
            nest.writes = writes;
            let mut steps = loads.hoisted;
            let mut body = loads.chunked;
            body.extend(loads.inside);
            body.push(Step::Compute(nest));
            body.extend(stores);
            if self.chunks.is_empty() {
                steps.extend(body);
            } else {
                let axes = self.chunks.clone();
                steps.push(Step::Chunks { axes, body });
            }
            return Ok(steps);
        }
        let accumulators = self.accumulators(builder);
        let mut steps: Vec<_> = accumulators
            .iter()
            .zip(&self.nest.combines)
            .map(|(a, c)| Step::Fill {
                tile: a.operand,
                value: c.init,
            })
            .collect();
        let mut loads = Loads::default();
        let partials = self.accumulators(builder);
        let mut chunk = self.nest.clone();
        chunk.iters = self.local_iters();
        for read in &mut chunk.reads {
            *read = self.read(builder, read, Space::Ub, &mut loads)?;
        }
        chunk.finish_reads.clear();
        chunk.finish = Body::identity(&chunk.finish.args[..chunk.combines.len()]);
        chunk.writes.clone_from(&partials);
        let mut body = loads.chunked;
        body.extend(loads.inside);
        body.push(Step::Compute(chunk));
        body.push(Step::Compute(self.add_partials(&accumulators, &partials)));
        steps.extend(loads.hoisted);
        steps.push(Step::Chunks {
            axes: self.chunks.clone(),
            body,
        });
        steps.extend(self.finish_steps(builder, &accumulators, &self.nest.finish)?);
        Ok(steps)
    }

    /// One tile per accumulator, in the order of the dimensions that the first write has, so that a
    /// plain copy can store it.
    fn accumulators(&self, builder: &mut Builder<'_>) -> Vec<Access> {
        let local = self.local_iters();
        let parallel: Vec<_> = (0..local.len())
            .filter(|&i| local[i].kind == IterKind::Parallel)
            .collect();
        let extents: Vec<_> = local.iter().map(|i| i.extent).collect();
        let plain = self.boxed(&self.nest.writes[0]).ok().filter(|b| {
            b.shape.iter().product::<i64>() == parallel.iter().map(|&i| extents[i]).product()
        });
        let (index, shape) = match plain {
            Some(b) => (b.local, b.shape),
            None => (
                parallel.iter().map(|&i| Affine::Iter(i)).collect(),
                parallel.iter().map(|&i| extents[i]).collect(),
            ),
        };
        let elements = &self.nest.finish.args[..self.nest.combines.len()];
        elements
            .iter()
            .map(|&element| {
                let operand = builder.tile(Space::Ub, element, shape.clone());
                Access {
                    operand,
                    index: index.clone(),
                    pad: None,
                }
            })
            .collect()
    }

    /// `accumulator = combine(accumulator, partial)` for every accumulator.
    fn add_partials(&self, accumulators: &[Access], partials: &[Access]) -> Nest {
        let n = accumulators.len();
        let elements = &self.nest.finish.args[..n];
        let body = Body {
            args: elements.repeat(2),
            insts: Vec::new(),
            results: (0..2 * n).collect(),
        };
        let insts = self.nest.combines.iter().enumerate();
        let finish = Body {
            args: elements.repeat(2),
            insts: insts
                .map(|(k, c)| Inst::Binary(binary(c.function), k, n + k))
                .collect(),
            results: (2 * n..3 * n).collect(),
        };
        self.pointwise(
            body,
            [accumulators, partials].concat(),
            finish,
            accumulators.to_vec(),
        )
    }

    /// The finish of the nest over accumulator tiles.
    pub(super) fn finish_steps(
        &self,
        builder: &mut Builder<'_>,
        accumulators: &[Access],
        finish: &Body,
    ) -> Result<Vec<Step>, OnChipError> {
        let mut loads = Loads::default();
        let mut reads = accumulators.to_vec();
        for read in &self.nest.finish_reads {
            reads.push(self.read(builder, read, Space::Ub, &mut loads)?);
        }
        let (writes, stores) = self.writes(builder)?;
        let args = finish.args.clone();
        let body = Body {
            results: (0..args.len()).collect(),
            args,
            insts: Vec::new(),
        };
        let nest = self.pointwise(body, reads, finish.clone(), writes);
        let mut steps = loads.hoisted;
        steps.push(Step::Compute(nest));
        steps.extend(stores);
        Ok(steps)
    }

    /// A nest over the parallel iterators of a tile. Accesses name the stage's own iterators.
    fn pointwise(
        &self,
        body: Body,
        mut reads: Vec<Access>,
        mut finish: Body,
        mut writes: Vec<Access>,
    ) -> Nest {
        let local = self.local_iters();
        let parallel: Vec<_> = (0..local.len())
            .filter(|&i| local[i].kind == IterKind::Parallel)
            .collect();
        let number = |i: usize| parallel.iter().position(|&p| p == i).unwrap_or(0);
        for access in reads.iter_mut().chain(&mut writes) {
            access.index = access.index.iter().map(|e| e.renumber(&number)).collect();
        }
        for inst in &mut finish.insts {
            if let Inst::Index(iter) = inst {
                *iter = number(*iter);
            }
        }
        Nest {
            iters: parallel.iter().map(|&i| local[i].clone()).collect(),
            reads,
            body,
            combines: Vec::new(),
            finish_reads: Vec::new(),
            finish,
            writes,
            contract: false,
            origins: self.nest.origins.clone(),
        }
    }
}

fn binary(function: CombineFn) -> BinaryFn {
    match function {
        CombineFn::Add => BinaryFn::Add,
        CombineFn::Mul => BinaryFn::Mul,
        CombineFn::Max => BinaryFn::Max,
        CombineFn::Min => BinaryFn::Min,
    }
}
