//! Why two kernels are not one: what lies between them, what makes them illegal, what makes them dear.

use std::collections::BTreeSet;

use sinter_device::Time;
use sinter_ops::{NodeId, Operator, ValueId};

use super::{Chosen, Found, Verdict, list, name, unique, us};
use crate::evaluate::{Evaluator, Illegal};
use crate::flip::{Change, Flip, tenths_above, us_above};
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
            said(format!("if {names} were in the kernel too")),
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
                // A bigger space or limit does not take the view away.
                match illegal.code {
                    LegalityCode::Limit | LegalityCode::Footprint => Vec::new(),
                    _ => illegal.flip.clone().map(Flip::Said).into_iter().collect(),
                },
            ),
            Ok(priced) => {
                let together = priced.price.total;
                let message = format!(
                    "{message}; computed in the kernel, together they would take {}, apart {}",
                    us(together),
                    us(apart)
                );
                let flip = match together < apart {
                    true => format!("if {names} were computed in the kernel"),
                    false => less(together.saturating_sub(apart)),
                };
                (message, said(flip))
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
            return (LegalityCode::NoRoute, message, said(route));
        }
        // Elsewhere a layout costs loads, not space for tiles.
        if evaluator.device.is_scratchpad()
            && let Some(values) = what_if::row_major(evaluator, sides, apart)
        {
            return (
                LegalityCode::LayoutScratch,
                format!("in the layouts that are stored, {message}"),
                said(format!("if {} were stored row-major", list(&values))),
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
        let mut flips = Vec::new();
        let message = match together < apart {
            // Other kernels of the same operators are cheaper still, or were not tried.
            true => format!("{message}, but not in the program that was found"),
            false => {
                let excess = together.saturating_sub(apart);
                let launch = Time::from_ns(evaluator.device.launch_ns) + excess;
                flips.push(Flip::Said(less(excess)));
                if evaluator.cost.is_time() {
                    flips.push(Flip::Change(Change::Launch(tenths_above(launch))));
                }
                message
            }
        };
        flips.extend(self.single_user(apart, sides, evaluator).map(Flip::Said));
        (code, message, flips)
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
            nodes: unique(side.0.iter().map(|n| name(*n, evaluator))),
            message: format!(
                "the matrix unit's result passes through device memory within the kernel, which takes {}; \
                 on chip it would take {}",
                us(now),
                us(routed)
            ),
            flip: None,
            saved_bytes: bytes.map(|b| 2 * b).sum(),
            saved: now.saturating_sub(routed),
            kernels: vec![self.arranged.place(group)],
            flips: said(route),
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

    /// Operators that are no kernel together.
    pub(super) fn illegal_verdict(
        &self,
        illegal: &Illegal,
        sides: &Sides,
        evaluator: &Evaluator<'_>,
    ) -> Verdict {
        let (mut code, message) = (illegal.code, &illegal.message);
        let tiles = evaluator.device.is_scratchpad() && code == LegalityCode::SharedTile;
        let conversion =
            matches!(code, LegalityCode::Footprint | LegalityCode::NoLoopForm) || tiles;
        if conversion && let Some(values) = what_if::row_major(evaluator, sides, Time::MAX) {
            return (
                LegalityCode::LayoutScratch,
                format!("in the layouts that are stored, {message}"),
                said(format!("if {} were stored row-major", list(&values))),
            );
        }
        if code == LegalityCode::Limit {
            let exceeded = evaluator.exceeded(&sides.merged.0, &sides.merged.1);
            let flips = vec![Flip::Change(Change::Limits(exceeded))];
            return (code, message.clone(), flips);
        }
        if code == LegalityCode::SharedTile
            && let Some(verdict) = self.across(illegal, sides, evaluator)
        {
            return verdict;
        }
        // Each by itself has loops: they do not go together.
        if code == LegalityCode::NoLoopForm {
            code = LegalityCode::Shapes;
        }
        let flip = illegal
            .flip
            .as_deref()
            .map(|flip| match flip.split_once(" >= ") {
                // What the smallest tile needs is enough to be legal, not to be cheaper.
                Some((space, _)) if code == LegalityCode::Footprint => {
                    format!("{space} were larger")
                }
                _ => flip.to_owned(),
            });
        (
            code,
            message.clone(),
            flip.map(Flip::Said).into_iter().collect(),
        )
    }

    /// What operators that share no tile are to each other where the loops' own words are about two of the
    /// same kernel, which go together.
    fn across(
        &self,
        illegal: &Illegal,
        sides: &Sides,
        evaluator: &Evaluator<'_>,
    ) -> Option<Verdict> {
        let (said_first, rest) = illegal.message.split_once(", ")?;
        let speaks_of = |nodes: &[NodeId]| {
            let mut names = nodes.iter().map(|n| name(*n, evaluator));
            names.any(|name| said_first.split(' ').any(|word| word == name))
        };
        if speaks_of(&sides.first.0) && speaks_of(&sides.second.0) {
            return None;
        }
        let (last, next) = self.border(sides, evaluator);
        let reads = |n: &NodeId| {
            let needed = self.arranged.flow.needs.get(n);
            needed.is_some_and(|m| m.iter().any(|m| sides.first.0.contains(m)))
        };
        let (message, flip) = match sides.second.0.iter().any(reads) {
            true => (
                format!("{next} needs the result of {last} in another shape than its tile, {rest}"),
                Some(format!(
                    "if {next} read the result of {last} element by element"
                )),
            ),
            false => (
                format!("{last} and {next} have no tile in common, {rest}"),
                None,
            ),
        };
        Some((
            illegal.code,
            message,
            flip.map(Flip::Said).into_iter().collect(),
        ))
    }
}

fn said(flip: String) -> Vec<Flip> {
    vec![Flip::Said(flip)]
}

/// A kernel that is dearer by `excess` would have to take less than that less.
fn less(excess: Time) -> String {
    format!("if it took {} less", us_above(excess))
}
