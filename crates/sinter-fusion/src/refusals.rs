//! Why operators stayed apart, what that costs, and what would flip it.
//!
//! Looked at are all pairs of kernels of which one reads the other or both read the same value, and
//! all values that several kernels need. The refusals that cost most come first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use sinter_device::{Price, Time};
use sinter_loops::kernel::Role;
use sinter_ops::{NodeId, Operator, ValueId};

use crate::error::origin_of;
use crate::evaluate::{Evaluator, Illegal, Priced};
use crate::legality::{LegalityCode, Refusal, exp_difference};
use crate::partition::{Flow, GroupId, Partition};
use crate::what_if::{self, Sides};

/// Readers of one value that are looked at in pairs.
const MOST_SIBLINGS: usize = 4;

/// Why neighbouring groups were not merged, and values not computed again. The thresholds of the first
/// `limits.thresholds` are searched for.
pub(crate) fn refusals(
    partition: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Vec<Refusal> {
    let order = partition.order(flow).unwrap_or_default();
    let view = Chosen {
        partition,
        flow,
        order,
    };
    let mut found = Vec::new();
    for &b in partition.groups.keys() {
        for a in partition.predecessors(b, flow) {
            found.extend(view.pair(a, b, evaluator));
        }
    }
    for (a, b) in view.siblings(evaluator) {
        found.extend(view.pair(a, b, evaluator).filter(|f| f.sides.is_some()));
    }
    for &node in &flow.nodes {
        found.extend(view.recomputation(node, evaluator));
    }
    found.sort_by(|x, y| {
        let key = |f: &Found| (Reverse(f.refusal.saved), f.refusal.clone());
        key(x).cmp(&key(y))
    });
    let searched = evaluator.limits.thresholds;
    for found in found.iter_mut().take(searched) {
        found.refine(evaluator);
    }
    found.into_iter().map(|f| f.refusal).collect()
}

/// A refusal, and for two kernels that could be one, what they are.
struct Found {
    refusal: Refusal,
    sides: Option<Sides>,
}

impl Found {
    /// Searches for the threshold that flips the decision.
    fn refine(&mut self, evaluator: &Evaluator<'_>) {
        let Some(sides) = &self.sides else { return };
        let found = match self.refusal.code {
            LegalityCode::Footprint => what_if::least_space(evaluator, sides),
            LegalityCode::SharedTile
            | LegalityCode::Shapes
            | LegalityCode::NotCheaper
            | LegalityCode::IndexMap => what_if::largest_extent(evaluator, sides),
            _ => return,
        };
        let flip = &mut self.refusal.flip;
        match (found, self.refusal.code) {
            (Some(found), LegalityCode::Footprint) => *flip = Some(found),
            (Some(found), _) => *flip = Some(or(flip.take(), found)),
            // A bigger space alone would make it legal, not cheaper.
            (None, LegalityCode::Footprint) => {
                *flip = flip.take().map(|f| format!("{f}, and less work"));
            }
            (None, _) => {}
        }
    }
}

fn or(known: Option<String>, further: String) -> String {
    match known {
        Some(known) => format!("{known}, or {further}"),
        None => further,
    }
}

/// Microseconds.
pub(crate) fn us(time: Time) -> String {
    format!("{:.1} us", time.ns() / 1e3)
}

/// The groups that were chosen.
struct Chosen<'p> {
    partition: &'p Partition,
    flow: &'p Flow,
    order: Vec<GroupId>,
}

/// Code, message and flip.
type Verdict = (LegalityCode, String, Option<String>);

impl Chosen<'_> {
    fn place(&self, group: GroupId) -> usize {
        self.order.iter().position(|&g| g == group).unwrap_or(0)
    }

    fn priced(&self, group: GroupId, evaluator: &mut Evaluator<'_>) -> Option<Priced> {
        let outputs = self.partition.outputs(group, self.flow);
        let outcome = evaluator.price(&self.partition.groups[&group], &outputs);
        outcome.as_ref().as_ref().ok().cloned()
    }

    /// Groups that read one value, in pairs.
    fn siblings(&self, evaluator: &Evaluator<'_>) -> BTreeSet<(GroupId, GroupId)> {
        let graph = evaluator.graph;
        let mut readers: BTreeMap<ValueId, BTreeSet<GroupId>> = BTreeMap::new();
        for (&id, nodes) in &self.partition.groups {
            let read = nodes.iter().flat_map(|n| &graph.nodes[n.0 as usize].inputs);
            for &value in read.filter(|v| graph.as_constant(**v).is_none()) {
                readers.entry(value).or_default().insert(id);
            }
        }
        let tied = |a: GroupId, b: GroupId| {
            self.partition.predecessors(b, self.flow).contains(&a)
                || self.partition.predecessors(a, self.flow).contains(&b)
        };
        let mut out = BTreeSet::new();
        for groups in readers.values() {
            let groups: Vec<_> = groups.iter().copied().take(MOST_SIBLINGS).collect();
            for (i, &a) in groups.iter().enumerate() {
                let others = groups[i + 1..].iter().filter(|&&b| !tied(a, b));
                out.extend(others.map(|&b| (a, b)));
            }
        }
        out
    }

    /// Why two groups are not one.
    fn pair(&self, a: GroupId, b: GroupId, evaluator: &mut Evaluator<'_>) -> Option<Found> {
        let (first, second) = (self.priced(a, evaluator)?, self.priced(b, evaluator)?);
        let mut merged = self.partition.clone();
        let id = merged.merge(a, b);
        let outputs = merged.outputs(id, self.flow);
        let sides = Sides {
            first: self.side(a),
            second: self.side(b),
            merged: (merged.groups[&id].clone(), outputs),
        };
        let acyclic = merged.order(self.flow).is_some();
        let apart = first.price.total + second.price.total;
        let (code, message, flip) = if !acyclic {
            self.between((a, b), &sides, apart, evaluator)
        } else {
            let outcome = evaluator.price(&sides.merged.0, &sides.merged.1);
            match outcome.as_ref() {
                Err(illegal) => illegal_verdict(illegal, &sides, evaluator),
                Ok(merged) => self.dearer(merged.price.total, apart, &sides, evaluator),
            }
        };
        let (saved_bytes, saved) = self.saving(&first, &second, &sides.merged.1, evaluator);
        let (last, next) = self.border(&sides, evaluator);
        let refusal = Refusal {
            code,
            nodes: vec![last, next],
            message,
            flip,
            saved_bytes,
            saved,
            kernels: vec![self.place(a), self.place(b)],
        };
        Some(Found {
            refusal,
            sides: acyclic.then_some(sides),
        })
    }

    fn side(&self, group: GroupId) -> (Vec<NodeId>, Vec<ValueId>) {
        let nodes = self.partition.groups[&group].clone();
        (nodes, self.partition.outputs(group, self.flow))
    }

    /// Names of the nodes on both sides of what would be merged.
    fn border(&self, sides: &Sides, evaluator: &Evaluator<'_>) -> (String, String) {
        let (before, after) = (&sides.first.0, &sides.second.0);
        let needs = |n: &NodeId| self.flow.needs.get(n);
        let pair = after.iter().find_map(|n| {
            let needed = needs(n)?.iter().rev().find(|m| before.contains(m))?;
            Some((*needed, *n))
        });
        let siblings = || Some((*before.first()?, *after.first()?));
        match pair.or_else(siblings) {
            Some((m, n)) => (name(m, evaluator), name(n, evaluator)),
            None => (String::new(), String::new()),
        }
    }

    /// Two groups that other groups, or views, lie between.
    fn between(
        &self,
        (a, b): (GroupId, GroupId),
        sides: &Sides,
        apart: Time,
        evaluator: &mut Evaluator<'_>,
    ) -> Verdict {
        let (from, to) = (self.place(a), self.place(b));
        let before = |g: GroupId| self.partition.predecessors(g, self.flow);
        let mut reached = BTreeSet::from([a]);
        for &g in self.order.get(from + 1..to).unwrap_or_default() {
            if !before(g).is_disjoint(&reached) {
                reached.insert(g);
            }
        }
        let mut needed = before(b);
        let mut inner = Vec::new();
        for &g in self
            .order
            .get(from + 1..to)
            .unwrap_or_default()
            .iter()
            .rev()
        {
            if needed.contains(&g) && reached.contains(&g) {
                needed.extend(before(g));
                inner.push(g);
            }
        }
        inner.reverse();
        if inner.is_empty() {
            return self.through_view(sides, apart, evaluator);
        }
        let nodes = |g: &GroupId| self.partition.groups[g].clone();
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
        let producers = graph.producers();
        let kept = |v: &&ValueId| {
            let inside = |n: NodeId| {
                self.flow
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
    fn roots(
        &self,
        value: ValueId,
        evaluator: &Evaluator<'_>,
    ) -> (BTreeSet<ValueId>, BTreeSet<NodeId>) {
        let producers = evaluator.graph.producers();
        let (mut roots, mut views) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match producers[value.0 as usize] {
                Some(node) if self.flow.nodes.binary_search(&node).is_err() => {
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
    fn dearer(
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
        if self.flow.is_stored(*node) || alone.is_empty() {
            return None;
        }
        let single = evaluator.time(&sides.merged.0, &alone)?;
        let others: Vec<_> = self
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

    /// Why a value that several kernels need is not computed again in each.
    fn recomputation(&self, node: NodeId, evaluator: &mut Evaluator<'_>) -> Option<Found> {
        let graph = evaluator.graph;
        let traits = graph.nodes[node.0 as usize].op.traits();
        if traits.reduction || traits.contraction || traits.effectful {
            return None;
        }
        let homes: BTreeSet<_> = self.partition.homes(node).collect();
        let readers: BTreeSet<_> = self
            .flow
            .users(node)
            .iter()
            .flat_map(|u| self.partition.homes(*u))
            .collect();
        let outside: Vec<_> = readers.difference(&homes).copied().collect();
        if outside.is_empty() || readers.len() < 2 {
            return None;
        }
        let mut again = self.partition.clone();
        for &reader in &outside {
            let mut nodes = again.remove(reader);
            nodes.push(node);
            nodes.sort_unstable();
            nodes.dedup();
            again.insert(nodes);
        }
        again.prune(self.flow);
        again.order(self.flow)?;
        let before = self.partition.time(self.flow, evaluator)?;
        let after = again.time(self.flow, evaluator)?;
        let users: Vec<_> = self
            .flow
            .users(node)
            .iter()
            .map(|u| name(*u, evaluator))
            .collect();
        let (me, users_list) = (name(node, evaluator), list(&users));
        let excess = after.saturating_sub(before);
        let (code, message, flip) = match exp_difference(graph, node) {
            Some((maximum, exponential)) => (
                LegalityCode::ExpDifference,
                format!(
                    "{me} would be computed for {} and again for {}",
                    name(maximum, evaluator),
                    name(exponential, evaluator)
                ),
                format!(
                    "if one kernel held {} and {}",
                    name(maximum, evaluator),
                    name(exponential, evaluator)
                ),
            ),
            None if excess == Time::ZERO => return None,
            None => (
                LegalityCode::Recompute,
                format!(
                    "computing {me} again for {users_list} takes {} more than a reload",
                    us(excess)
                ),
                format!(
                    "if {me} had one user of {users_list}, or took {} less",
                    us(excess)
                ),
            ),
        };
        let groups: Vec<_> = homes.iter().chain(&outside).copied().collect();
        let (saved_bytes, saved) = self.relief(node, &groups, evaluator);
        let refusal = Refusal {
            code,
            nodes: std::iter::once(me).chain(users).collect(),
            message,
            flip: Some(flip),
            saved_bytes,
            saved,
            kernels: groups.iter().map(|g| self.place(*g)).collect(),
        };
        Some(Found {
            refusal,
            sides: None,
        })
    }

    /// Bytes and time of storing and loading a node's results.
    fn relief(
        &self,
        node: NodeId,
        groups: &[GroupId],
        evaluator: &mut Evaluator<'_>,
    ) -> (u64, Time) {
        let values = evaluator.graph.nodes[node.0 as usize].outputs.clone();
        let (mut bytes, mut time) = (0, Time::ZERO);
        for &group in groups {
            let Some(priced) = self.priced(group, evaluator) else {
                continue;
            };
            let touched = priced.touched.iter().filter(|(v, ..)| values.contains(v));
            let own: u64 = touched.map(|t| t.2).sum();
            let p = &priced.price;
            let busiest = p.vector.max(p.matrix).max(less(p.memory, own, moved(p)));
            time += p.total.saturating_sub(p.launch + busiest + p.fill_drain);
            bytes += own;
        }
        (bytes, time)
    }

    /// Bytes and time that two kernels would save as one that computes nothing twice and stores `kept`.
    fn saving(
        &self,
        first: &Priced,
        second: &Priced,
        kept: &[ValueId],
        evaluator: &Evaluator<'_>,
    ) -> (u64, Time) {
        let of = |p: &Priced, role: Role| -> BTreeMap<ValueId, u64> {
            let touched = p.touched.iter().filter(|t| t.1 == role);
            touched.map(|&(v, _, b)| (v, b)).collect()
        };
        let (made, also_read) = (of(first, Role::Output), of(first, Role::Input));
        let mut bytes = 0;
        for (value, loaded) in of(second, Role::Input) {
            let (roots, views) = self.roots(value, evaluator);
            let stored: u64 = roots.iter().filter_map(|v| made.get(v)).sum();
            let kept = !views.is_empty() || kept.contains(&value);
            match also_read.get(&value) {
                _ if stored > 0 && !kept => bytes += loaded + stored,
                _ if stored > 0 => bytes += loaded.min(stored),
                Some(other) => bytes += loaded.min(*other),
                None => {}
            }
        }
        let (p, q) = (&first.price, &second.price);
        let memory = less(p.memory + q.memory, bytes, moved(p) + moved(q));
        let busiest = (p.vector + q.vector).max(p.matrix + q.matrix).max(memory);
        let together = p.launch.max(q.launch) + busiest + p.fill_drain.max(q.fill_drain);
        (bytes, (p.total + q.total).saturating_sub(together))
    }
}

/// Operators that are no kernel together.
fn illegal_verdict(illegal: &Illegal, sides: &Sides, evaluator: &Evaluator<'_>) -> Verdict {
    let (code, message) = (illegal.code, &illegal.message);
    let conversion = matches!(code, LegalityCode::Footprint | LegalityCode::NoLoopForm);
    if conversion && let Some(values) = what_if::row_major(evaluator, sides) {
        return (
            LegalityCode::LayoutScratch,
            format!("in the layouts that are stored, {message}"),
            Some(format!("if {} were stored row-major", list(&values))),
        );
    }
    (code, message.clone(), illegal.flip.clone())
}

/// Name of a node in messages.
fn name(node: NodeId, evaluator: &Evaluator<'_>) -> String {
    origin_of(&evaluator.graph.nodes[node.0 as usize].origins)
}

/// Names as a list, the first few.
pub(crate) fn list(names: &[String]) -> String {
    const MOST: usize = 4;
    let mut seen = BTreeSet::new();
    let names: Vec<_> = names.iter().filter(|n| seen.insert(*n)).collect();
    let shown: Vec<_> = names.iter().take(MOST).map(|n| n.as_str()).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn moved(price: &Price) -> u64 {
    price.read_bytes + price.written_bytes
}

/// The time of moving all but `saved` of `all` bytes.
fn less(time: Time, saved: u64, all: u64) -> Time {
    match all {
        0 => time,
        all => time.scale(all.saturating_sub(saved) as f64 / all as f64),
    }
}
