//! The part of a report that speaks of some ONNX nodes.

use std::collections::BTreeSet;

use glob::Pattern;

use crate::report::{Report, ReportError};

/// Names that a message about an unmatched glob shows.
const MOST_HINTS: usize = 3;

impl Report {
    /// The kernels that hold nodes whose names match, and the refusals about such nodes. Kernels keep
    /// their numbers.
    ///
    /// # Errors
    /// When the pattern is malformed or matches no node.
    pub fn select(&self, glob: &str) -> Result<Selection, ReportError> {
        let pattern = Pattern::new(glob).map_err(|e| ReportError::Pattern {
            glob: glob.to_owned(),
            cause: e.to_string(),
        })?;
        let any = |nodes: &[String]| nodes.iter().any(|n| pattern.matches(n));
        let groups = (0..self.groups.len()).filter(|&g| any(&self.groups[g].nodes));
        let refusals = (0..self.refusals.len()).filter(|&r| any(&self.refusals[r].nodes));
        let selection = Selection {
            groups: groups.collect(),
            refusals: refusals.collect(),
        };
        if selection.groups.is_empty() && selection.refusals.is_empty() {
            let names: BTreeSet<_> = self.groups.iter().flat_map(|g| &g.nodes).collect();
            let some: Vec<_> = names
                .iter()
                .take(MOST_HINTS)
                .map(|n| format!("'{n}'"))
                .collect();
            return Err(ReportError::NoMatch {
                glob: glob.to_owned(),
                hint: format!(
                    "there are {} nodes, such as {}",
                    names.len(),
                    some.join(", ")
                ),
            });
        }
        Ok(selection)
    }

    /// All kernels and refusals.
    pub fn all(&self) -> Selection {
        Selection {
            groups: (0..self.groups.len()).collect(),
            refusals: (0..self.refusals.len()).collect(),
        }
    }

    /// The report with the selected kernels and refusals only. Numbers of kernels are those of the
    /// smaller report; refusals keep only the kernels that are in it.
    #[must_use]
    pub fn only(&self, selection: &Selection) -> Self {
        let place = |g: usize| selection.groups.iter().position(|&s| s == g);
        let groups = selection.groups.iter().map(|&g| {
            let mut group = self.groups[g].clone();
            group.reads.retain_mut(|edge| match place(edge.from) {
                Some(from) => {
                    edge.from = from;
                    true
                }
                None => false,
            });
            group
        });
        let refusals = selection.refusals.iter().map(|&r| {
            let mut refusal = self.refusals[r].clone();
            refusal.kernels = refusal.kernels.iter().filter_map(|&k| place(k)).collect();
            refusal
        });
        Self {
            groups: groups.collect(),
            refusals: refusals.collect(),
            ..self.clone()
        }
    }
}

/// Places in [`Report::groups`] and [`Report::refusals`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Kernels, ascending.
    pub groups: Vec<usize>,
    /// Refusals, what costs most first.
    pub refusals: Vec<usize>,
}
