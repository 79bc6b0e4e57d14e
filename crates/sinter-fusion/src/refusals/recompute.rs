//! Why a value that several kernels need is not computed again in each.

use std::collections::BTreeSet;

use sinter_device::Time;
use sinter_ops::{NodeId, Operator};

use super::{Chosen, Found, list, name, unique, us};
use crate::arranged::Trial;
use crate::evaluate::Evaluator;
use crate::flip::{Flip, us_above};
use crate::legality::{LegalityCode, Refusal, exp_difference};

impl Chosen<'_> {
    /// Why a value that several kernels need is not computed again in each.
    pub(super) fn recomputation(
        &self,
        node: NodeId,
        trial: &mut Trial,
        evaluator: &mut Evaluator<'_>,
    ) -> Option<Found> {
        let graph = evaluator.graph;
        let traits = graph.nodes[node.0 as usize].op.traits();
        if traits.reduction || traits.contraction || traits.effectful {
            return None;
        }
        let homes: BTreeSet<_> = self.arranged.partition.homes(node).collect();
        let readers: BTreeSet<_> = self
            .arranged
            .flow
            .users(node)
            .iter()
            .flat_map(|u| self.arranged.partition.homes(*u))
            .collect();
        let outside: Vec<_> = readers.difference(&homes).copied().collect();
        if outside.is_empty() || readers.len() < 2 {
            return None;
        }
        let (before, after) = trial.repeated(node, &outside, self.arranged, evaluator)?;
        let users: Vec<_> = self
            .arranged
            .flow
            .users(node)
            .iter()
            .map(|u| name(*u, evaluator))
            .collect();
        let (me, users_list) = (name(node, evaluator), list(&users));
        let excess = after.saturating_sub(before);
        let (code, message, flip) = match exp_difference(graph, evaluator.users(), node) {
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
                    us_above(excess)
                ),
            ),
        };
        let groups: Vec<_> = homes.iter().chain(&outside).copied().collect();
        let (saved_bytes, saved) = self.relief(node, &groups, evaluator);
        let refusal = Refusal {
            code,
            nodes: unique(std::iter::once(me).chain(users)),
            message,
            flip: None,
            saved_bytes,
            saved,
            kernels: groups.iter().map(|g| self.arranged.place(*g)).collect(),
            flips: vec![Flip::Said(flip)],
        };
        Some(Found {
            refusal,
            sides: None,
        })
    }
}
