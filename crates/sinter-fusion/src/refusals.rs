//! Why operators stayed apart, what that costs, and what would flip it.
//!
//! Looked at are all pairs of kernels of which one reads the other or both read the same value, and
//! all values that several kernels need. The refusals that cost most come first.

mod apart;
mod recompute;
mod saving;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use sinter_device::Time;
use sinter_ops::{NodeId, ValueId};

use crate::arranged::{Arranged, Trial};
use crate::error::origin_of;
use crate::evaluate::{Evaluator, Priced};
use crate::flip::{self, Flip};
use crate::legality::{LegalityCode, Refusal};
use crate::partition::GroupId;
use crate::what_if::{self, Sides};

/// Readers of one value that are looked at in pairs.
const MOST_SIBLINGS: usize = 4;

/// Why neighbouring groups were not merged, and values not computed again. The thresholds of the first
/// `limits.thresholds` are searched for.
pub(crate) fn refusals(arranged: &Arranged<'_>, evaluator: &mut Evaluator<'_>) -> Vec<Refusal> {
    let view = Chosen { arranged };
    let mut found = Vec::new();
    for &b in arranged.partition.groups.keys() {
        for &a in arranged.before(b) {
            found.extend(view.pair(a, b, evaluator));
        }
    }
    for (a, b) in view.siblings(evaluator) {
        found.extend(view.pair(a, b, evaluator).filter(|f| f.sides.is_some()));
    }
    let mut trial = Trial::new(arranged.partition);
    for &node in &arranged.flow.nodes {
        found.extend(view.recomputation(node, &mut trial, evaluator));
    }
    for &group in &arranged.order {
        found.extend(view.detour(group, evaluator));
    }
    found.sort_by(|x, y| {
        let key = |f: &Found| (Reverse(f.refusal.saved), f.refusal.clone());
        key(x).cmp(&key(y))
    });
    let searched = evaluator.limits.thresholds;
    for found in found.iter_mut().take(searched) {
        found.refine(evaluator);
    }
    let refusals: Vec<_> = found.into_iter().map(Found::said).collect();
    for refusal in &refusals {
        tracing::debug!(
            code = refusal.code.code(),
            nodes = ?refusal.nodes,
            "apart: {}",
            refusal.message
        );
    }
    refusals
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
        let flips = &mut self.refusal.flips;
        match self.refusal.code {
            LegalityCode::Footprint => match what_if::least_space(evaluator, sides) {
                Some(found) => *flips = vec![found],
                // A bigger space alone would make it legal, not cheaper.
                None => {
                    for flip in flips {
                        *flip = Flip::Said(format!("{}, and with less work", flip.text()));
                    }
                }
            },
            LegalityCode::SharedTile
            | LegalityCode::Shapes
            | LegalityCode::NotCheaper
            | LegalityCode::IndexMap => flips.extend(what_if::largest_extent(evaluator, sides)),
            _ => {}
        }
    }

    /// The refusal with its flips as text.
    fn said(mut self) -> Refusal {
        self.refusal.flip = flip::joined(&self.refusal.flips);
        self.refusal
    }
}

/// Microseconds.
pub(crate) fn us(time: Time) -> String {
    format!("{:.1} us", time.ns() / 1e3)
}

/// The groups that were chosen.
struct Chosen<'p> {
    arranged: &'p Arranged<'p>,
}

/// Code, message and flips.
type Verdict = (LegalityCode, String, Vec<Flip>);

impl Chosen<'_> {
    fn priced(&self, group: GroupId, evaluator: &mut Evaluator<'_>) -> Option<Priced> {
        let (nodes, outputs) = self.arranged.side(group);
        let outcome = evaluator.price(&nodes, &outputs);
        outcome.as_ref().as_ref().ok().cloned()
    }

    /// Groups that read one value, in pairs.
    fn siblings(&self, evaluator: &Evaluator<'_>) -> BTreeSet<(GroupId, GroupId)> {
        let graph = evaluator.graph;
        let mut readers: BTreeMap<ValueId, BTreeSet<GroupId>> = BTreeMap::new();
        for (&id, nodes) in &self.arranged.partition.groups {
            let read = nodes.iter().flat_map(|n| &graph.nodes[n.0 as usize].inputs);
            for &value in read.filter(|v| graph.as_constant(**v).is_none()) {
                readers.entry(value).or_default().insert(id);
            }
        }
        let before = |g: GroupId| self.arranged.before(g);
        let tied = |a: GroupId, b: GroupId| before(b).contains(&a) || before(a).contains(&b);
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
        let sides = Sides {
            first: self.arranged.side(a),
            second: self.arranged.side(b),
            merged: self.arranged.merged(a, b),
        };
        let acyclic = !self.arranged.closes_circle(a, b, &sides.merged.0);
        let apart = first.price.total + second.price.total;
        let (code, message, flips) = if !acyclic {
            self.between((a, b), &sides, apart, evaluator)
        } else {
            let outcome = evaluator.price(&sides.merged.0, &sides.merged.1);
            match outcome.as_ref() {
                Err(illegal) => self.illegal_verdict(illegal, &sides, evaluator),
                Ok(merged) => self.dearer(merged.price.total, apart, &sides, evaluator),
            }
        };
        let (saved_bytes, saved) = self.saving(&first, &second, &sides.merged.1, evaluator);
        let (last, next) = self.border(&sides, evaluator);
        let refusal = Refusal {
            code,
            nodes: vec![last, next],
            message,
            flip: None,
            saved_bytes,
            saved,
            kernels: vec![self.arranged.place(a), self.arranged.place(b)],
            flips,
        };
        Some(Found {
            refusal,
            sides: acyclic.then_some(sides),
        })
    }

    /// Names of the nodes on both sides of what would be merged.
    fn border(&self, sides: &Sides, evaluator: &Evaluator<'_>) -> (String, String) {
        let (before, after) = (&sides.first.0, &sides.second.0);
        let needs = |n: &NodeId| self.arranged.flow.needs.get(n);
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
}

/// Name of a node in messages.
fn name(node: NodeId, evaluator: &Evaluator<'_>) -> String {
    origin_of(&evaluator.graph.nodes[node.0 as usize].origins)
}

/// Names, each once.
fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.filter(|n| seen.insert(n.clone())).collect()
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
