//! The cheapest way to compute the outputs, shared parts counted once, and back to a graph.

use std::collections::BTreeMap;

use egg::{Id, Language};
use sinter_loops::types::TensorType;
use sinter_ops::{Graph, Mark, Op, Operator, ValueId};

use super::build::Imported;
use super::language::{Term, Values};
use crate::error::{FusionError, origin_of};
use crate::origins;

/// Price of an operator besides the bytes it moves and what it computes.
const OPERATOR_COST: u64 = 4096;
/// Operations that cost as much as moving one byte.
const FLOPS_PER_BYTE: u64 = 4;
/// Passes over all classes; each settles at least one more level of a circle of rewrites.
const MOST_PASSES: usize = 64;

/// A set of classes, with what they cost together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cover {
    bits: Vec<u64>,
    cost: u64,
}

/// The chosen term of every class that has a finite one.
pub(crate) type Best = BTreeMap<Id, Term>;

/// Chooses a term for every class such that what its value needs costs the least in all, each class
/// counted once (a greedy choice by class, as exact sharing is hard).
///
/// `allowed` can forbid terms.
pub(crate) fn best(egraph: &Values, allowed: &dyn Fn(Id, &Term) -> bool) -> Best {
    let ids: Vec<Id> = {
        let mut ids: Vec<_> = egraph.classes().map(|c| c.id).collect();
        ids.sort_unstable();
        ids
    };
    let place: BTreeMap<Id, usize> = ids.iter().enumerate().map(|(n, &id)| (id, n)).collect();
    let words = ids.len().div_ceil(64);
    let mut own = vec![0u64; ids.len()];
    let mut covers: Vec<Option<Cover>> = vec![None; ids.len()];
    let mut chosen: Vec<Option<Term>> = vec![None; ids.len()];
    for _ in 0..MOST_PASSES {
        let mut changed = false;
        for (n, &id) in ids.iter().enumerate() {
            let mut terms: Vec<_> = egraph[id].nodes.iter().filter(|t| allowed(id, t)).collect();
            terms.sort_unstable();
            for term in terms {
                let children: Vec<usize> = term
                    .children()
                    .iter()
                    .map(|&c| place[&egraph.find(c)])
                    .collect();
                let cost = term_cost(egraph, id, term);
                let Some(cover) = cover_of(n, cost, &children, &covers, &own, words) else {
                    continue;
                };
                if covers[n]
                    .as_ref()
                    .is_none_or(|known| cover.cost < known.cost)
                {
                    own[n] = cost;
                    covers[n] = Some(cover);
                    chosen[n] = Some(term.clone());
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    ids.into_iter()
        .zip(chosen)
        .filter_map(|(id, t)| Some((id, t?)))
        .collect()
}

/// What a term needs: its operands' covers together and itself; `None` while an operand has no cover
/// or needs the class itself.
fn cover_of(
    class: usize,
    cost: u64,
    children: &[usize],
    covers: &[Option<Cover>],
    own: &[u64],
    words: usize,
) -> Option<Cover> {
    let mut bits = vec![0u64; words];
    for &child in children {
        let cover = covers[child].as_ref()?;
        bits.iter_mut().zip(&cover.bits).for_each(|(a, b)| *a |= b);
    }
    if bits[class / 64] >> (class % 64) & 1 == 1 {
        return None;
    }
    let mut total = match children {
        [] => 0,
        [child] => covers[*child].as_ref()?.cost,
        _ => members(&bits).map(|n| own[n]).sum(),
    };
    total += cost;
    bits[class / 64] |= 1 << (class % 64);
    Some(Cover { bits, cost: total })
}

fn members(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
    bits.iter().enumerate().flat_map(|(word, &b)| {
        (0..64)
            .filter(move |i| b >> i & 1 == 1)
            .map(move |i| word * 64 + i)
    })
}

/// What a term costs by itself: bytes moved if it were a kernel, arithmetic, and a constant.
pub(crate) fn term_cost(egraph: &Values, id: Id, term: &Term) -> u64 {
    let (op, operands) = match term {
        Term::Input(_) | Term::Constant(_) | Term::Result(..) => return 0,
        Term::Apply(op, operands) | Term::Opaque(_, op, operands) => (op, operands),
    };
    let ty = |o: &Id| &egraph[*o].data.types[0];
    let types: Vec<TensorType> = operands.iter().map(|o| ty(o).clone()).collect();
    let bytes: i64 = types
        .iter()
        .chain(&egraph[id].data.types)
        .map(TensorType::bytes)
        .sum();
    OPERATOR_COST + bytes.unsigned_abs() + flops(op, &types) / FLOPS_PER_BYTE
}

fn flops(op: &Op, types: &[TensorType]) -> u64 {
    op.flops(types)
}

/// The graph of the chosen terms, with the inputs and outputs of the graph that was imported.
///
/// # Errors
/// When an operator does not take its operands.
pub(crate) fn to_graph(
    imported: &Imported,
    best: &Best,
    original: &Graph,
) -> Result<Graph, FusionError> {
    let mut graph = Graph::new(original.name.clone());
    let mut builder = Builder {
        imported,
        best,
        made: BTreeMap::new(),
        inputs: Vec::new(),
    };
    for (name, value) in &original.inputs {
        builder
            .inputs
            .push(graph.input(name.clone(), original.ty(*value).clone()));
    }
    for (name, value) in &original.outputs {
        let class = imported.classes[value];
        let value = builder.value(&mut graph, class)?;
        graph.output(name.clone(), value);
    }
    let made = |value: ValueId| {
        let class = imported.egraph.find(*imported.classes.get(&value)?);
        builder.made.get(&class)?.first().copied()
    };
    origins::complete(&mut graph, original, made);
    Ok(graph)
}

struct Builder<'a> {
    imported: &'a Imported,
    best: &'a Best,
    made: BTreeMap<Id, Vec<ValueId>>,
    inputs: Vec<ValueId>,
}

impl Builder<'_> {
    /// The value of a class; operands are made first, with a stack of their own so that deep graphs do
    /// not overflow the thread's.
    fn value(&mut self, graph: &mut Graph, class: Id) -> Result<ValueId, FusionError> {
        let egraph = &self.imported.egraph;
        let class = egraph.find(class);
        let mut stack = vec![(class, Vec::new())];
        while let Some((id, of_user)) = stack.last().cloned() {
            if self.made.contains_key(&id) {
                stack.pop();
                continue;
            }
            let Some(term) = self.best.get(&id) else {
                let cause = "its class has no finite term".to_owned();
                return Err(FusionError::Rewrite {
                    origin: origin_of(&of_user),
                    cause,
                });
            };
            let missing: Vec<_> = term
                .children()
                .iter()
                .map(|&c| egraph.find(c))
                .filter(|c| !self.made.contains_key(c))
                .collect();
            let origins = self.origins(id, term, &of_user);
            if missing.is_empty() {
                let values = self.make(graph, term, &origins)?;
                self.made.insert(id, values);
                stack.pop();
            } else {
                stack.extend(missing.into_iter().rev().map(|c| (c, origins.clone())));
            }
        }
        Ok(self.made[&class][0])
    }

    /// The ONNX nodes that a term of a class performs; one that has none of its own has its user's, but
    /// not what was asked of its user.
    fn origins(&self, class: Id, term: &Term, of_user: &[String]) -> Vec<String> {
        let own = match term {
            Term::Apply(op, _) | Term::Opaque(_, op, _) => {
                origins::names(&self.imported.egraph, class, op)
            }
            _ => Vec::new(),
        };
        match own.is_empty() {
            true => of_user.iter().filter(|o| !Mark::is(o)).cloned().collect(),
            false => own,
        }
    }

    fn make(
        &self,
        graph: &mut Graph,
        term: &Term,
        origins: &[String],
    ) -> Result<Vec<ValueId>, FusionError> {
        let egraph = &self.imported.egraph;
        match term {
            Term::Input(n) => Ok(vec![self.inputs[*n as usize]]),
            Term::Constant(n) => Ok(vec![
                graph.constant(egraph.analysis.constants.get(*n).clone()),
            ]),
            Term::Result(n, [of]) => Ok(vec![self.made[&egraph.find(*of)][*n as usize]]),
            Term::Apply(op, operands) | Term::Opaque(_, op, operands) => {
                let operands: Vec<_> = operands
                    .iter()
                    .map(|&o| self.made[&egraph.find(o)][0])
                    .collect();
                graph
                    .add(op.clone(), &operands, origins.to_vec())
                    .map_err(|e| FusionError::Rewrite {
                        origin: origin_of(origins),
                        cause: e.to_string(),
                    })
            }
        }
    }
}
