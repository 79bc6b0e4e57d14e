//! Rules, legality codes and cost terms of other crates.
//!
//! They are code, not configuration: registered once for the process, before the first graph is fused,
//! and looked at in the order of their names, so that the order of registration cannot be observed.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use sinter_device::{Device, Time};
use sinter_ops::{Graph, NodeId, ValueId};

use crate::evaluate::Illegal;
use crate::legality::{LegalityCode, OutsideCode};
use crate::rules::{self, Rule};

/// Operators that might become one kernel.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The operators, in topological order.
    pub nodes: &'a [NodeId],
    /// Values that the kernel writes to device memory.
    pub outputs: &'a [ValueId],
    /// The device.
    pub device: &'a Device,
}

/// Why a candidate may not be a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// What is in the way, with figures.
    pub message: String,
    /// What would flip the decision, where known.
    pub flip: Option<String>,
}

/// A condition that kernels of several operators have to meet; an operator by itself always may.
#[derive(Clone, Copy, Debug)]
pub struct LegalityCheck {
    /// The code of its refusals.
    pub code: &'static OutsideCode,
    /// An objection to a candidate.
    pub find: fn(&Candidate<'_>) -> Option<Objection>,
}

/// Time that the device model leaves out.
#[derive(Clone, Copy, Debug)]
pub struct CostTerm {
    /// Name, kebab-case.
    pub name: &'static str,
    /// Time to add to a kernel's price. It depends on nothing but the candidate.
    pub time: fn(&Candidate<'_>) -> Time,
}

/// A name that is taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two {kind} are called '{name}'")]
pub struct DuplicateError {
    kind: &'static str,
    name: &'static str,
}

#[derive(Default)]
struct Extensions {
    rules: BTreeMap<&'static str, Rule>,
    checks: BTreeMap<&'static str, LegalityCheck>,
    costs: BTreeMap<&'static str, CostTerm>,
}

static EXTENSIONS: RwLock<Extensions> = RwLock::new(Extensions {
    rules: BTreeMap::new(),
    checks: BTreeMap::new(),
    costs: BTreeMap::new(),
});

/// Adds rules, legality checks and cost terms, for the rest of the process.
///
/// # Errors
/// When a name is taken. What comes before it is registered.
pub fn register(
    rules: &[Rule],
    checks: &[LegalityCheck],
    costs: &[CostTerm],
) -> Result<(), DuplicateError> {
    let mut known = EXTENSIONS.write().unwrap_or_else(PoisonError::into_inner);
    let duplicate = |kind, name| Err(DuplicateError { kind, name });
    for rule in rules {
        let built_in = rules::built_in().any(|r| r.name == rule.name);
        if built_in || known.rules.insert(rule.name, *rule).is_some() {
            return duplicate("rules", rule.name);
        }
    }
    for check in checks {
        let code = check.code.code;
        let built_in = LegalityCode::ALL.iter().any(|c| c.code() == code);
        if built_in || known.checks.insert(code, *check).is_some() {
            return duplicate("legality codes", code);
        }
    }
    for cost in costs {
        if known.costs.insert(cost.name, *cost).is_some() {
            return duplicate("cost terms", cost.name);
        }
    }
    Ok(())
}

fn read<T>(what: impl FnOnce(&Extensions) -> T) -> T {
    what(&EXTENSIONS.read().unwrap_or_else(PoisonError::into_inner))
}

/// The registered rules, by name.
pub(crate) fn rules() -> Vec<Rule> {
    read(|known| known.rules.values().copied().collect())
}

/// The registered legality codes, by name.
pub fn codes() -> Vec<OutsideCode> {
    read(|known| known.checks.values().map(|c| *c.code).collect())
}

/// Whether any check or cost term is registered.
pub(crate) fn judges_kernels() -> bool {
    read(|known| !known.checks.is_empty() || !known.costs.is_empty())
}

/// The first objection to a candidate.
pub(crate) fn check(candidate: &Candidate<'_>) -> Result<(), Illegal> {
    if candidate.nodes.len() < 2 {
        return Ok(());
    }
    let checks: Vec<_> = read(|known| known.checks.values().copied().collect());
    match checks
        .into_iter()
        .find_map(|c| Some((c.code, (c.find)(candidate)?)))
    {
        None => Ok(()),
        Some((code, objection)) => Err(Illegal {
            code: LegalityCode::Outside(code),
            message: objection.message,
            flip: objection.flip,
        }),
    }
}

/// What the registered terms add to a candidate's price.
pub(crate) fn time(candidate: &Candidate<'_>) -> Time {
    let costs: Vec<_> = read(|known| known.costs.values().copied().collect());
    costs.into_iter().map(|c| (c.time)(candidate)).sum()
}
