//! Why two kernels are not one: what lies between them, what makes them illegal, what makes them dear.

use std::collections::BTreeSet;

use sinter_device::Time;
use sinter_ops::{NodeId, Operator, ValueId};

use super::{Chosen, Found, Verdict, list, name, or, us};
use crate::evaluate::{Evaluator, Illegal};
use crate::legality::{LegalityCode, Refusal};
use crate::partition::GroupId;
use crate::what_if::{self, Sides};

impl Chosen<'_> {
    /// Two groups that other groups, or views, lie between.
    pub(super) fn between(
        &self,
        (a, b): (GroupId, GroupId),
        sides: &Sides,
        apart: Time,
        evaluator: &mut Evaluator<'_>,
    ) -> Verdict {
        let (from, to) = (self.arranged.place(a), self.arranged.place(b));
        let before = |g: GroupId| self.arranged.before(g);
        let between = self.arranged.order.get(from + 1..to).unwrap_or_default();
        let mut reached = BTreeSet::from([a]);
        for &g in between {
            if !before(g).is_disjoint(&reached) {
                reached.insert(g);
            }
        }
        let mut needed = before(b).clone();
        let mut inner = Vec::new();
        for &g in between.iter().rev() {
            if needed.contains(&g) && reached.contains(&g) {
                needed.extend(before(g));
                inner.push(g);
            }
        }
        inner.reverse();
        if inner.is_empty() {
            return self.through_view(sides, apart, evaluator);
        }
        let nodes = |g: &GroupId| self.arranged.partition.groups[g].clone();
        let names: Vec<_> = inner
            .iter()
            .flat_map(nodes)
            .map(|n| name(n, evaluator))
            .collect();
        let names = list(&names);
        (
            LegalityCode::Cycle,
            format!("{names} would have to run between them"),
            Some(format!("if {names} were in the kernel too")),
        )
    }

    /// Two groups of which one reads the other's result under another shape.
    fn through_view(&self, sides: &Sides, apart: Time, evaluator: &mut Evaluator<'_>) -> Verdict {
        let graph = evaluator.graph;
        let (mut roots, mut views) = (BTreeSet::new(), BTreeSet::new());
        for node in &sides.second.0 {
            for &input in &graph.nodes[node.0 as usize].inputs {
                let (from, through) = self.roots(input, evaluator);
                if from.iter().any(|v| sides.first.1.contains(v)) {
                    roots.extend(from);
                    views.extend(through);
                }
            }
        }
        let mut nodes = sides.merged.0.clone();
        nodes.extend(&views);
        nodes.sort_unstable();
        let producers = evaluator.producers();
        let kept = |v: &&ValueId| {
            let inside = |n: NodeId| {
                self.arranged
                    .flow
                    .users(n)
                    .iter()
                    .all(|u| sides.merged.0.contains(u))
            };
            let named = graph.outputs.iter().any(|o| o.1 == **v);
            named || !roots.contains(*v) || !producers[v.0 as usize].is_some_and(inside)
        };
        let outputs: Vec<_> = sides.merged.1.iter().filter(kept).copied().collect();
        let names: Vec<_> = views.iter().map(|n| name(*n, evaluator)).collect();
        let names = list(&names);
        let message = format!("the result is read through {names}, a view of its stored bytes");
        let outcome = evaluator.price(&nodes, &outputs);
        let (message, flip) = match outcome.as_ref() {
            Err(illegal) => (
                format!("{message}; computed in the kernel: {}", illegal.message),
                illegal.flip.clone(),
            ),
            Ok(priced) => {
                let together = priced.price.total;
                let message = format!(
                    "{message}; computed in the kernel, together they would take {}, apart {}",
                    us(together),
                    us(apart)
                );
                let flip = match together.saturating_sub(apart) {
                    Time::ZERO => format!("if {names} were computed in the kernel"),
                    excess => format!("if it took {} less", us(excess)),
                };
                (message, Some(flip))
            }
        };
        (LegalityCode::View, message, flip)
    }

    /// The stored values behind a value, and the views between.
    pub(super) fn roots(
        &self,
        value: ValueId,
        evaluator: &Evaluator<'_>,
    ) -> (BTreeSet<ValueId>, BTreeSet<NodeId>) {
        let producers = evaluator.producers();
        let (mut roots, mut views) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match producers[value.0 as usize] {
                Some(node) if self.arranged.flow.nodes.binary_search(&node).is_err() => {
                    if views.insert(node) {
                        open.extend(&evaluator.graph.nodes[node.0 as usize].inputs);
                    }
                }
                _ => {
                    roots.insert(value);
                }
            }
        }
        (roots, views)
    }

    /// Two groups that are cheaper apart.
    pub(super) fn dearer(
        &self,
        together: Time,
        apart: Time,
        sides: &Sides,
        evaluator: &mut Evaluator<'_>,
    ) -> Verdict {
        let message = format!(
            "together they would take {}, apart {}",
            us(together),
            us(apart)
        );
        if let Some((route, routed)) = what_if::routed(evaluator, sides) {
            let message = format!(
                "the matrix unit's result passes through device memory: {message}, with a route {}",
                us(routed)
            );
            return (LegalityCode::NoRoute, message, Some(route));
        }
        // Elsewhere a layout costs loads, not space for tiles.
        if evaluator.device.is_scratchpad()
            && let Some(values) = what_if::row_major(evaluator, sides, apart)
        {
            return (
                LegalityCode::LayoutScratch,
                format!("in the layouts that are stored, {message}"),
                Some(format!("if {} were stored row-major", list(&values))),
            );
        }
        let graph = evaluator.graph;
        let moves = |nodes: &[NodeId]| {
            let op = |n: &NodeId| &graph.nodes[n.0 as usize].op;
            nodes.iter().all(|n| op(n).traits().index_map)
        };
        let code = if moves(&sides.first.0) || moves(&sides.second.0) {
            LegalityCode::IndexMap
        } else {
            LegalityCode::NotCheaper
        };
        let excess = together.saturating_sub(apart);
        let launch = Time::from_ns(evaluator.device.launch_ns) + excess;
        let mut flip = format!(
            "if it took {} less, or a launch cost {} or more",
            us(excess),
            us(launch)
        );
        if let Some(users) = self.single_user(apart, sides, evaluator) {
            flip = or(Some(flip), users);
        }
        (code, message, Some(flip))
    }

    /// A kernel in which what the matrix unit computes reaches the vector unit through device memory.
    pub(super) fn detour(&self, group: GroupId, evaluator: &mut Evaluator<'_>) -> Option<Found> {
        let side = self.arranged.side(group);
        let now = evaluator.time(&side.0, &side.1)?;
        let (route, routed) = what_if::routed_kernel(evaluator, &side)?;
        if routed >= now {
            return None;
        }
        let graph = evaluator.graph;
        let node = |n: &NodeId| &graph.nodes[n.0 as usize];
        let products = side.0.iter().filter(|n| node(n).op.traits().contraction);
        let bytes = products.map(|n| graph.ty(node(n).outputs[0]).bytes().unsigned_abs());
        let refusal = Refusal {
            code: LegalityCode::NoRoute,
            nodes: side.0.iter().map(|n| name(*n, evaluator)).collect(),
            message: format!(
                "the matrix unit's result passes through device memory within the kernel, which takes {}; \
                 on chip it would take {}",
                us(now),
                us(routed)
            ),
            flip: Some(route),
            saved_bytes: bytes.map(|b| 2 * b).sum(),
            saved: now.saturating_sub(routed),
            kernels: vec![self.arranged.place(group)],
        };
        Some(Found {
            refusal,
            sides: None,
        })
    }

    /// Whether the pair would be one kernel if nobody else read what it passes on.
    fn single_user(
        &self,
        apart: Time,
        sides: &Sides,
        evaluator: &mut Evaluator<'_>,
    ) -> Option<String> {
        let graph = evaluator.graph;
        let made = |n: &NodeId| graph.nodes[n.0 as usize].outputs.clone();
        let handed: BTreeSet<ValueId> = sides
            .second
            .0
            .iter()
            .flat_map(|n| &graph.nodes[n.0 as usize].inputs)
            .copied()
            .collect();
        let (shared, alone): (Vec<ValueId>, Vec<ValueId>) = sides
            .merged
            .1
            .iter()
            .partition(|v| handed.contains(v) && sides.first.1.contains(v));
        let node = sides
            .first
            .0
            .iter()
            .find(|n| made(n).iter().any(|v| shared.contains(v)))?;
        if self.arranged.flow.is_stored(*node) || alone.is_empty() {
            return None;
        }
        let single = evaluator.time(&sides.merged.0, &alone)?;
        let others: Vec<_> = self
            .arranged
            .flow
            .users(*node)
            .iter()
            .filter(|u| !sides.merged.0.contains(u))
            .map(|u| name(*u, evaluator))
            .collect();
        (single < apart).then(|| {
            format!(
                "if {} had one user (not {})",
                name(*node, evaluator),
                list(&others)
            )
        })
    }
}

/// Operators that are no kernel together.
pub(super) fn illegal_verdict(
    illegal: &Illegal,
    sides: &Sides,
    evaluator: &Evaluator<'_>,
) -> Verdict {
    let (code, message) = (illegal.code, &illegal.message);
    let conversion = matches!(code, LegalityCode::Footprint | LegalityCode::NoLoopForm);
    if conversion && let Some(values) = what_if::row_major(evaluator, sides, Time::MAX) {
        return (
            LegalityCode::LayoutScratch,
            format!("in the layouts that are stored, {message}"),
            Some(format!("if {} were stored row-major", list(&values))),
        );
    }
    (code, message.clone(), illegal.flip.clone())
}
