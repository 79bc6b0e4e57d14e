//! What equality saturation did, for researchers: sizes per iteration, the stop reason, and per rule how
//! often it matched, what it added and how long it took.
//!
//! Times are measured and differ from run to run; nothing that is decided or stored depends on them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

/// One run of equality saturation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Saturation {
    /// `folding` for the one-way rules that come first, then `saturation`.
    pub stage: &'static str,
    /// Why it ended: `saturated`, `iterations`, `nodes`.
    pub stop: &'static str,
    /// Every iteration.
    pub iterations: Vec<Iteration>,
    /// Every rule that was tried.
    pub rules: Vec<RuleStatistics>,
}

/// One iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Iteration {
    /// E-nodes at its end.
    pub nodes: usize,
    /// E-classes at its end.
    pub classes: usize,
    /// Merges that rules made.
    pub applied: usize,
}

/// What one rule did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RuleStatistics {
    /// Name.
    pub name: String,
    /// Topic.
    pub topic: &'static str,
    /// Classes in which it was found, summed over iterations.
    pub matches: u64,
    /// Matches that merged two classes.
    pub applied: u64,
    /// Time to search for it.
    pub search: Duration,
    /// Time to apply it.
    pub apply: Duration,
}

impl fmt::Display for Saturation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.iterations.len();
        writeln!(
            f,
            "{}: {count} iterations, stopped: {}",
            self.stage, self.stop
        )?;
        for (number, step) in self.iterations.iter().enumerate() {
            writeln!(
                f,
                "  iteration {number}: {} nodes, {} classes, {} merged",
                step.nodes, step.classes, step.applied
            )?;
        }
        writeln!(
            f,
            "  {:<32} {:>8} {:>8} {:>10} {:>10}",
            "rule", "matches", "applied", "search us", "apply us"
        )?;
        for rule in &self.rules {
            writeln!(
                f,
                "  {:<32} {:>8} {:>8} {:>10} {:>10}",
                rule.name,
                rule.matches,
                rule.applied,
                rule.search.as_micros(),
                rule.apply.as_micros()
            )?;
        }
        Ok(())
    }
}

/// Counts what one rule does while it runs.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    matches: AtomicU64,
    applied: AtomicU64,
    search_ns: AtomicU64,
    apply_ns: AtomicU64,
}

impl Counter {
    pub(crate) fn searched(&self, start: Instant, found: bool) {
        self.matches.fetch_add(u64::from(found), Ordering::Relaxed);
        self.search_ns
            .fetch_add(nanoseconds(start), Ordering::Relaxed);
    }

    pub(crate) fn applied(&self, start: Instant, merged: usize) {
        self.applied.fetch_add(merged as u64, Ordering::Relaxed);
        self.apply_ns
            .fetch_add(nanoseconds(start), Ordering::Relaxed);
    }

    pub(crate) fn statistics(&self, name: &str, topic: &'static str) -> RuleStatistics {
        let get = |n: &AtomicU64| n.load(Ordering::Relaxed);
        RuleStatistics {
            name: name.to_owned(),
            topic,
            matches: get(&self.matches),
            applied: get(&self.applied),
            search: Duration::from_nanos(get(&self.search_ns)),
            apply: Duration::from_nanos(get(&self.apply_ns)),
        }
    }
}

fn nanoseconds(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
