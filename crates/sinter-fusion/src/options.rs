//! What the caller may choose.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::control::Control;
use crate::cost::Cost;
use crate::rules::TextRule;

/// How kernels are chosen among the candidates.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// One kernel per operator.
    None,
    /// Merge the pair that saves the most time, again and again.
    Greedy,
    /// Merge with the operator through which everything that is computed has to pass.
    Postdom,
    /// Dynamic programming over the candidates with few states.
    Dp,
    /// Exact search over the candidates within deterministic limits. Never above another policy but
    /// `ilp` by its own price.
    #[default]
    Egraph,
    /// The integer program of the candidates, solved by HiGHS; the cargo feature `ilp`.
    Ilp,
}

impl Policy {
    /// All policies, in the order of `--help`.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::Greedy,
        Self::Postdom,
        Self::Dp,
        Self::Egraph,
        Self::Ilp,
    ];

    /// Policies that were built in: `ilp` needs the cargo feature of that name.
    pub fn built() -> impl Iterator<Item = Self> {
        let built = |p: &Self| *p != Self::Ilp || cfg!(feature = "ilp");
        Self::ALL.into_iter().filter(built)
    }

    /// The spelling on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Greedy => "greedy",
            Self::Postdom => "postdom",
            Self::Dp => "dp",
            Self::Egraph => "egraph",
            Self::Ilp => "ilp",
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Policy {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|p| p.name() == text);
        found.ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|p| p.name()).collect();
            format!(
                "no fusion policy is called '{text}'; use one of {}",
                names.join(", ")
            )
        })
    }
}

/// How far a rewrite or lowering may change results, from least to most.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Numerics {
    /// Bit for bit.
    Exact,
    /// Error within twice the operator's own forward bound: batch-norm and scale folding.
    Rounding,
    /// Another order of a reduction, its sums also distributed over products.
    #[default]
    Reassociating,
    /// Functions and algorithms of lower accuracy.
    Approximate,
}

impl Numerics {
    /// All classes, from least to most.
    pub const ALL: [Self; 4] = [
        Self::Exact,
        Self::Rounding,
        Self::Reassociating,
        Self::Approximate,
    ];

    /// The spelling on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Rounding => "rounding",
            Self::Reassociating => "reassociating",
            Self::Approximate => "approximate",
        }
    }
}

impl fmt::Display for Numerics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Numerics {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|n| n.name() == text);
        found.ok_or_else(|| {
            format!(
                "no numerics class is called '{text}'; use exact, rounding, reassociating or \
                 approximate"
            )
        })
    }
}

/// Bounds on the search. None of them is a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Iterations of equality saturation.
    pub iterations: usize,
    /// E-nodes of equality saturation.
    pub nodes: usize,
    /// Operators of one kernel.
    pub kernel_operators: usize,
    /// Operands that one kernel reads from device memory, constants included.
    pub kernel_inputs: usize,
    /// Values that one kernel writes to device memory.
    pub kernel_outputs: usize,
    /// Matrix products and convolutions of one kernel.
    pub kernel_anchors: usize,
    /// Candidate kernels that end in one operator.
    pub candidates: usize,
    /// Operators of a program of which all kernels are candidates.
    pub window: usize,
    /// States of the search with equally many operators done.
    pub states: usize,
    /// Steps of the search from state to state, after which it keeps few of them. It bounds the time of
    /// programs with many grounds for doubt, whatever their size.
    pub steps: usize,
    /// Refusals, the dearest first, whose thresholds are searched for.
    pub thresholds: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            iterations: 12,
            nodes: 200_000,
            kernel_operators: 32,
            kernel_inputs: 24,
            kernel_outputs: 4,
            kernel_anchors: 4,
            candidates: 64,
            window: 12,
            states: 4096,
            steps: 1 << 19,
            thresholds: 0,
        }
    }
}

impl Limits {
    /// Whether a kernel may have less of something than by default: a control's wish.
    pub(crate) fn kernels_lowered(&self) -> bool {
        let default = Self::default();
        self.kernel_operators < default.kernel_operators
            || self.kernel_inputs < default.kernel_inputs
            || self.kernel_outputs < default.kernel_outputs
            || self.kernel_anchors < default.kernel_anchors
    }
}

/// Everything that a caller may choose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How kernels are chosen.
    pub policy: Policy,
    /// What rewrites and lowerings may change.
    pub numerics: Numerics,
    /// Bounds on the search.
    pub limits: Limits,
    /// Rules (names or globs) or topics that are not applied.
    pub disabled_rules: Vec<String>,
    /// Rules or topics that alone are applied; all where empty.
    pub only_rules: Vec<String>,
    /// Further rules.
    pub text_rules: Vec<TextRule>,
    /// Layouts of stored values by rule alone, none by price.
    pub fixed_layouts: bool,
    /// What extraction minimises.
    pub cost: Cost,
    /// What the user insists on.
    pub control: Control,
    /// Threads that price kernels, as many as can run at once where absent. Results do not depend on
    /// them.
    pub threads: Option<usize>,
}

impl Options {
    /// Threads that price kernels.
    pub(crate) fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(all)
    }
}
