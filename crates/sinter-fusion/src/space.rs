//! The operators of a program by position, and candidate kernels over them.

use std::collections::BTreeMap;

use sinter_device::Time;
use sinter_ops::{NodeId, Operator, ValueId};

use crate::evaluate::Evaluator;
use crate::foresee::Wanted;
use crate::legality::exp_difference;
use crate::partition::Flow;

/// Position of an operator among those that need kernels, in topological order.
pub(crate) type Place = u32;

/// The operators that need kernels, by position.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    pub(crate) nodes: Vec<NodeId>,
    /// Operators whose results each needs, directly or through views.
    pub(crate) needs: Vec<Vec<Place>>,
    /// Operators that read each within a kernel, when they are in one.
    pub(crate) readers: Vec<Vec<Place>>,
    /// Operators that use each, directly or through views.
    pub(crate) users: Vec<Vec<Place>>,
    /// Values that each gives.
    results: Vec<Vec<ValueId>>,
    /// Values that each reads, constants left out.
    operands: Vec<Vec<ValueId>>,
    /// By value, operators that read it, constants left out.
    of_value: BTreeMap<ValueId, Vec<Place>>,
    /// Those that have to be in device memory in any case.
    pub(crate) required: Vec<bool>,
    /// Those that may be computed in several kernels.
    pub(crate) repeatable: Vec<bool>,
    /// Bytes of all results of each.
    pub(crate) bytes: Vec<u64>,
    /// By operator, everything it needs, as bits.
    ancestors: Vec<Vec<u64>>,
}

/// A legal kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Its operators, sorted.
    pub(crate) nodes: Vec<Place>,
    /// Those that it computes for good; the others are computed again, here or elsewhere.
    pub(crate) homed: Vec<Place>,
    /// Operators whose results it reads from memory.
    pub(crate) leaves: Vec<Place>,
    /// Operators whose results it writes.
    pub(crate) stored: Vec<Place>,
    pub(crate) time: u64,
}

impl Space {
    pub(crate) fn new(flow: &Flow, evaluator: &Evaluator<'_>) -> Self {
        let place: BTreeMap<NodeId, Place> = flow.nodes.iter().copied().zip(0..).collect();
        let places = |nodes: &[NodeId]| {
            let mut out: Vec<_> = nodes.iter().map(|n| place[n]).collect();
            out.sort_unstable();
            out.dedup();
            out
        };
        let repeatable = |n: &NodeId| repeatable(evaluator, *n);
        let mut out = Self {
            needs: flow.nodes.iter().map(|n| places(&flow.needs[n])).collect(),
            readers: flow
                .nodes
                .iter()
                .map(|n| places(flow.readers(*n)))
                .collect(),
            users: flow.nodes.iter().map(|n| places(flow.users(*n))).collect(),
            results: flow.nodes.iter().map(|n| flow.results(*n)).collect(),
            operands: flow.nodes.iter().map(|n| operands(evaluator, *n)).collect(),
            of_value: BTreeMap::new(),
            required: flow.nodes.iter().map(|n| flow.is_stored(*n)).collect(),
            repeatable: flow.nodes.iter().map(repeatable).collect(),
            bytes: flow
                .nodes
                .iter()
                .map(|n| bytes(evaluator, flow, *n))
                .collect(),
            ancestors: Vec::new(),
            nodes: flow.nodes.clone(),
        };
        out.ancestors = out.closures();
        for (place, operands) in (0..).zip(&out.operands) {
            for &value in operands {
                out.of_value.entry(value).or_default().push(place);
            }
        }
        out
    }

    fn closures(&self) -> Vec<Vec<u64>> {
        let words = self.len().div_ceil(64);
        let mut out: Vec<Vec<u64>> = Vec::with_capacity(self.len());
        for needs in &self.needs {
            let mut bits = vec![0; words];
            for &need in needs {
                let above = &out[need as usize];
                bits.iter_mut().zip(above).for_each(|(a, b)| *a |= b);
                bits[need as usize / 64] |= 1 << (need % 64);
            }
            out.push(bits);
        }
        out
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether `a` needs `b`, directly or not.
    pub(crate) fn depends(&self, a: Place, b: Place) -> bool {
        self.ancestors[a as usize][b as usize / 64] >> (b % 64) & 1 == 1
    }

    /// What a set of operators needs from outside.
    pub(crate) fn leaves(&self, nodes: &[Place]) -> Vec<Place> {
        let mut out: Vec<_> = nodes
            .iter()
            .flat_map(|n| &self.needs[*n as usize])
            .filter(|n| nodes.binary_search(n).is_err())
            .copied()
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Whether no operator outside depends on one of the set and is needed by another.
    pub(crate) fn is_convex(&self, nodes: &[Place]) -> bool {
        let leaves = self.leaves(nodes);
        !leaves
            .iter()
            .any(|&l| nodes.iter().any(|&n| n < l && self.depends(l, n)))
    }

    /// Whether one of the operators uses another's result through a view: they cannot be one kernel.
    fn meets_through_memory(&self, nodes: &[Place]) -> bool {
        nodes.iter().any(|&n| {
            self.needs[n as usize].iter().any(|need| {
                nodes.binary_search(need).is_ok()
                    && self.readers[*need as usize].binary_search(&n).is_err()
            })
        })
    }

    /// By value that an operator reads, all operators that read it.
    pub(crate) fn siblings(&self, node: Place) -> impl Iterator<Item = &[Place]> {
        let operands = self.operands[node as usize].iter();
        operands.map(|v| self.of_value[v].as_slice())
    }

    /// Whether operators hang together by values that they pass on or read alike.
    pub(crate) fn is_connected(&self, nodes: &[Place]) -> bool {
        let mut reached = vec![nodes[0]];
        let mut at = 0;
        while let Some(&node) = reached.get(at) {
            at += 1;
            let met = |&&n: &&Place| {
                let passes = |a: Place, b: Place| self.readers[a as usize].contains(&b);
                let alike = || {
                    let others = &self.operands[n as usize];
                    self.operands[node as usize]
                        .iter()
                        .any(|v| others.contains(v))
                };
                !reached.contains(&n) && (passes(node, n) || passes(n, node) || alike())
            };
            let more: Vec<_> = nodes.iter().filter(met).copied().collect();
            reached.extend(more);
        }
        reached.len() == nodes.len()
    }

    /// Values that the given operators give, sorted.
    pub(crate) fn values(&self, stored: &[Place]) -> Vec<ValueId> {
        let values = stored.iter().flat_map(|s| &self.results[*s as usize]);
        values.copied().collect()
    }

    pub(crate) fn ids(&self, places: &[Place]) -> Vec<NodeId> {
        places.iter().map(|p| self.nodes[*p as usize]).collect()
    }

    /// Whether someone outside a set reads an operator of it.
    pub(crate) fn is_read_outside(&self, node: Place, nodes: &[Place]) -> bool {
        let readers = &self.readers[node as usize];
        readers.iter().any(|r| nodes.binary_search(r).is_err())
    }

    pub(crate) fn is_read_inside(&self, node: Place, nodes: &[Place]) -> bool {
        let readers = &self.readers[node as usize];
        readers.iter().any(|r| nodes.binary_search(r).is_ok())
    }

    /// The candidate of sorted operators, of which `again` (sorted) are not computed for good, and
    /// `also` are stored although nobody else reads them. `None` when it is no kernel.
    pub(crate) fn candidate(
        &self,
        nodes: &[Place],
        again: &[Place],
        also: &[Place],
        evaluator: &mut Evaluator<'_>,
    ) -> Option<Candidate> {
        let (homed, stored) = self.homed_and_stored(nodes, again, also)?;
        let time = evaluator.time(&self.ids(nodes), &self.values(&stored))?;
        Some(Candidate {
            leaves: self.leaves(nodes),
            nodes: nodes.to_vec(),
            homed,
            stored,
            time: time.0,
        })
    }

    /// The kernel that such a candidate is priced by.
    pub(crate) fn kernel(&self, nodes: &[Place], again: &[Place]) -> Option<Wanted> {
        let (_, stored) = self.homed_and_stored(nodes, again, &[])?;
        Some((self.ids(nodes), self.values(&stored)))
    }

    /// What a kernel computes for good, and what of it it stores; `None` where it cannot be one.
    fn homed_and_stored(
        &self,
        nodes: &[Place],
        again: &[Place],
        also: &[Place],
    ) -> Option<(Vec<Place>, Vec<Place>)> {
        if self.meets_through_memory(nodes) {
            return None;
        }
        let homed: Vec<_> = nodes
            .iter()
            .filter(|n| again.binary_search(n).is_err())
            .copied()
            .collect();
        let is_stored = |n: &Place| {
            self.required[*n as usize] || self.is_read_outside(*n, nodes) || also.contains(n)
        };
        let stored: Vec<_> = homed.iter().copied().filter(is_stored).collect();
        let is_dead =
            |n: &Place| !self.is_read_inside(*n, nodes) && stored.binary_search(n).is_err();
        let is_kernel = !stored.is_empty() && !nodes.iter().any(is_dead);
        is_kernel.then_some((homed, stored))
    }

    /// Time of a group without recomputation.
    pub(crate) fn time(&self, nodes: &[Place], evaluator: &mut Evaluator<'_>) -> Option<Time> {
        self.candidate(nodes, &[], &[], evaluator)
            .map(|c| Time(c.time))
    }
}

fn operands(evaluator: &Evaluator<'_>, node: NodeId) -> Vec<ValueId> {
    let graph = evaluator.graph;
    let mut out: Vec<_> = graph.nodes[node.0 as usize]
        .inputs
        .iter()
        .copied()
        .filter(|v| graph.as_constant(*v).is_none())
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

fn bytes(evaluator: &Evaluator<'_>, flow: &Flow, node: NodeId) -> u64 {
    let results = flow.results(node);
    let bytes = results.iter().map(|v| evaluator.graph.ty(*v).bytes());
    bytes.sum::<i64>().unsigned_abs()
}

/// Whether an operator may be computed in several kernels. Reductions are not: repeated under another
/// schedule they could give other last bits. Nor is what `x` in `exp(x - max(x))` comes from.
fn repeatable(evaluator: &Evaluator<'_>, node: NodeId) -> bool {
    let traits = evaluator.graph.nodes[node.0 as usize].op.traits();
    !traits.reduction
        && !traits.contraction
        && !traits.effectful
        && exp_difference(evaluator.graph, evaluator.users(), node).is_none()
}
