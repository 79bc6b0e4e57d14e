//! The result of fusion: which operators make one kernel, where values lie, and why.

use std::collections::BTreeMap;

use serde::Serialize;
use sinter_device::{Price, Time};
use sinter_loops::kernel::{Kernel, Layout};
use sinter_ops::{Graph, NodeId, ValueId};

use crate::conversions::Conversions;
use crate::legality::Refusal;
use crate::options::{Numerics, Policy};
use crate::statistics::Saturation;

/// One kernel to be launched.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its operators, in topological order.
    pub nodes: Vec<NodeId>,
    /// Values it reads, constants included, in the order of the kernel's input and constant slots.
    pub inputs: Vec<ValueId>,
    /// Values it writes, in the order of the kernel's output slots.
    pub outputs: Vec<ValueId>,
    /// The kernel as formed: one nest per operator stage, logical shapes, layouts on the slots.
    pub formed: Kernel,
    /// The kernel with layouts applied, stages placed, iterators coalesced, and its schedule.
    pub kernel: Kernel,
    /// Which of the forms of the placed kernel it is: its place in [`sinter_device::forms`].
    pub form: usize,
    /// What it costs with that schedule.
    pub price: Price,
    /// Names of the ONNX nodes it computes.
    pub origins: Vec<String>,
    /// Bytes to and from device memory that its operators would move as kernels of their own, less
    /// those that the group moves.
    pub bytes_saved: u64,
    /// Time that its operators would take as kernels of their own, less what the group takes.
    pub saved: Time,
    /// Why the group is as it is, in one line.
    pub decision: String,
    /// The best alternative that was considered.
    pub runner_up: Option<RunnerUp>,
}

/// The best alternative to a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunnerUp {
    /// What would be different: `cut after Relu_3`, `merged with the kernel of Conv_4`.
    pub change: String,
    /// Price of the changed kernels.
    pub price: Time,
    /// Price of the chosen kernels of the same operators.
    pub instead_of: Time,
}

/// Whether a kernel that the user wrote for a unit is a part of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OwnChoice {
    /// Symbol of the kernel.
    pub kernel: String,
    /// Name of the unit.
    pub unit: String,
    /// ONNX nodes of the units that it computes.
    pub nodes: Vec<String>,
    /// Whether it computes them; else their operators do.
    pub taken: bool,
    /// Price of the program with it, where there is such a program.
    pub price: Option<Time>,
    /// Price of the program with the operators in its place.
    pub instead_of: Time,
    /// Why, in one line.
    pub message: String,
}

/// A value that is another value's bytes under another shape: it costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct View {
    /// The node (a reshape, or a concat whose parts are all placed).
    pub node: NodeId,
    /// The value.
    pub value: ValueId,
    /// The value whose bytes it is; `None` for a concat whose parts were stored in place.
    pub of: Option<ValueId>,
}

/// A value that is stored as a part of a bigger one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    /// The part.
    pub part: ValueId,
    /// The whole.
    pub whole: ValueId,
    /// Where the part starts in the whole, per logical dimension.
    pub offset: Vec<i64>,
}

/// Figures of one fusion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// Live operators after folding, constants and views not counted.
    pub operators: usize,
    /// Launches per run.
    pub kernels: usize,
    /// Bytes that kernels write for, plus read from, other kernels of the same run.
    pub intermediate_bytes: u64,
    /// The same with one kernel per operator.
    pub unfused_intermediate_bytes: u64,
    /// Where elements are put in another order in memory.
    pub conversions: Conversions,
    /// Price of one run.
    pub price: Time,
    /// Price of one run with one kernel per operator.
    pub unfused_price: Time,
    /// No choice among the candidates is cheaper than this, where known.
    pub lower_bound: Option<Time>,
    /// Whether the price is proven to be the lower bound: no choice among the candidates is cheaper.
    pub optimal: bool,
    /// Candidate kernels over which the bound holds.
    pub pool: usize,
    /// Candidate kernels that were formed and priced.
    pub candidates: usize,
    /// Candidates whose kernel structure had been priced before.
    pub memoised: usize,
    /// Where a limit cut the enumeration short.
    pub truncated: usize,
    /// Iterations of equality saturation.
    pub egraph_iterations: usize,
    /// E-nodes at its end.
    pub egraph_nodes: usize,
    /// E-classes at its end.
    pub egraph_classes: usize,
    /// Why it ended: `saturated`, `iterations`, `nodes`.
    pub egraph_stop: String,
}

impl Statistics {
    /// How far the price is above the lower bound, as a fraction of the bound.
    pub fn gap(&self) -> Option<f64> {
        let bound = self.lower_bound.filter(|b| *b > Time::ZERO)?;
        Some(self.price.ns() / bound.ns() - 1.0)
    }
}

/// A fused program.
#[derive(Clone, Debug)]
pub struct Fused {
    /// The program after rewriting; groups, views and placements speak of its nodes and values.
    pub graph: Graph,
    /// Kernels in launch order.
    pub groups: Vec<Group>,
    /// Nodes outside groups that cost nothing.
    pub views: Vec<View>,
    /// Values stored inside others.
    pub placements: Vec<Placement>,
    /// Layouts of stored values; row-major where absent.
    pub layouts: BTreeMap<ValueId, Layout>,
    /// What was not fused, and why.
    pub refusals: Vec<Refusal>,
    /// The user's own kernels, and whether they were taken.
    pub own_kernels: Vec<OwnChoice>,
    /// Figures.
    pub statistics: Statistics,
    /// What equality saturation did, with times; no part of the decisions.
    pub saturation: Vec<Saturation>,
    /// The policy that chose the groups.
    pub policy: Policy,
    /// The limit that rewrites kept to.
    pub numerics: Numerics,
    /// Device name.
    pub device: String,
}

/// A group as reports show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupDecision {
    /// Symbol of the kernel.
    pub kernel: String,
    /// `fused`, or `single` for a kernel of one operator.
    pub code: &'static str,
    /// ONNX nodes.
    pub nodes: Vec<String>,
    /// Operators by name.
    pub operators: Vec<&'static str>,
    /// Why.
    pub message: String,
    /// Bytes that the group does not move.
    pub bytes_saved: u64,
    /// Price.
    pub price: Price,
}

/// Everything that was decided, for reports and JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decisions {
    /// Device name.
    pub device: String,
    /// Policy.
    pub policy: Policy,
    /// Numerics limit.
    pub numerics: Numerics,
    /// Kernels in launch order.
    pub groups: Vec<GroupDecision>,
    /// What was not fused.
    pub refusals: Vec<Refusal>,
    /// Figures.
    pub statistics: Statistics,
}

impl Fused {
    /// The decisions, serialisable.
    pub fn decisions(&self) -> Decisions {
        use sinter_ops::Operator;
        let groups = self.groups.iter().map(|g| GroupDecision {
            kernel: g.kernel.name.clone(),
            code: if g.nodes.len() > 1 { "fused" } else { "single" },
            nodes: g.origins.clone(),
            operators: g
                .nodes
                .iter()
                .map(|n| self.graph.nodes[n.0 as usize].op.mnemonic())
                .collect(),
            message: g.decision.clone(),
            bytes_saved: g.bytes_saved,
            price: g.price.clone(),
        });
        Decisions {
            device: self.device.clone(),
            policy: self.policy,
            numerics: self.numerics,
            groups: groups.collect(),
            refusals: self.refusals.clone(),
            statistics: self.statistics.clone(),
        }
    }
}
