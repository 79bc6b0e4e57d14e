//! The decisions as data. Times are nanoseconds, sizes bytes, as the names say.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sinter_device::{Price, Time};
use sinter_fusion::{Fused, Group};
use sinter_ops::{Mark, NodeId, Operator, ValueId};

use crate::author::{AdviceReport, OwnKernelReport};

/// The version of the report's fields. It grows when a field is renamed, removed, or changes its
/// meaning; new fields alone do not change it.
pub const REPORT_VERSION: u32 = 1;

/// Everything that was decided for one program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`REPORT_VERSION`] of the writer.
    pub version: u32,
    /// Name of the model.
    pub model: String,
    /// Name of the device.
    pub device: String,
    /// How kernels were chosen among the candidates.
    pub policy: String,
    /// The limit that rewrites kept to.
    pub numerics: String,
    /// Figures of the whole program.
    pub summary: Summary,
    /// Kernels that the user wrote, and whether they were taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_kernels: Vec<OwnKernelReport>,
    /// Kernels in launch order.
    pub groups: Vec<GroupReport>,
    /// What was not fused, what costs most first.
    pub refusals: Vec<RefusalReport>,
    /// What to change in the model, what saves most first; where it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<AdviceReport>,
}

/// Figures of the whole program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Live operators after folding, constants and views not counted.
    pub operators: u64,
    /// Launches of one run.
    pub kernels: u64,
    /// Bytes that kernels write for, plus read from, other kernels of the run.
    pub intermediate_bytes: u64,
    /// The same with one kernel per operator.
    pub unfused_intermediate_bytes: u64,
    /// Kernels that do nothing but put elements in another order in memory.
    #[serde(default)]
    pub conversion_kernels: u64,
    /// Layout conversions by kernels that compute something too.
    #[serde(default)]
    pub merged_conversions: u64,
    /// Bytes of the values that are converted.
    #[serde(default)]
    pub conversion_bytes: u64,
    /// Price of a run by the device model.
    pub price_ns: f64,
    /// The same with one kernel per operator.
    pub unfused_price_ns: f64,
    /// No choice among the candidates is cheaper than this.
    pub lower_bound_ns: Option<f64>,
    /// `price_ns / lower_bound_ns - 1`.
    pub gap: Option<f64>,
    /// Candidate kernels that were formed and priced.
    pub candidates: u64,
    /// Where a limit cut the enumeration short.
    pub truncated: u64,
    /// Iterations of equality saturation.
    pub egraph_iterations: u64,
    /// E-nodes at its end.
    pub egraph_nodes: u64,
    /// Why it ended: `saturated`, `iterations`, `nodes`; empty where it did not run.
    pub egraph_stop: String,
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupReport {
    /// Symbol of the kernel.
    pub kernel: String,
    /// `fused`, or `single` for a kernel of one operator.
    pub code: String,
    /// ONNX nodes.
    pub nodes: Vec<String>,
    /// Operators in topological order.
    pub operators: Vec<OperatorReport>,
    /// Why it is a kernel.
    pub message: String,
    /// Kernels whose results it reads, by their place in [`Report::groups`].
    pub reads: Vec<Edge>,
    /// Bytes to and from device memory that its operators would move as kernels of their own, less
    /// those that it moves.
    pub saved_bytes: u64,
    /// Time that its operators would take as kernels of their own, less its price.
    pub saved_ns: f64,
    /// Price of the kernel.
    pub price_ns: f64,
    /// What the price is made of.
    pub price: PriceReport,
    /// Bytes read from device memory, each operand once.
    pub read_bytes: u64,
    /// Bytes written to device memory.
    pub written_bytes: u64,
    /// Most on-chip bytes that one block holds at once: temporaries, and operand tiles on scratchpad
    /// devices.
    pub scratchpad_peak_bytes: u64,
    /// Blocks of the grid.
    pub blocks: u64,
    /// The best alternative that was considered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<RunnerUpReport>,
}

/// One operator of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorReport {
    /// Name in the `graph` dialect.
    pub operator: String,
    /// ONNX nodes that it performs.
    pub nodes: Vec<String>,
    /// Type of its first result.
    pub result: String,
    /// `contraction`, `reduction`, `index_map`, `elementwise` or `other`.
    pub kind: String,
}

/// A value that passes from one kernel to another through device memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge {
    /// The kernel that makes it, by its place in [`Report::groups`].
    pub from: usize,
    /// ONNX node that makes it.
    pub node: String,
    /// Its type.
    pub value: String,
    /// Its size.
    pub bytes: u64,
}

/// What a price is made of; engines run beside each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceReport {
    /// Launch and entering of blocks.
    pub launch_ns: f64,
    /// Vector and scalar work.
    pub vector_ns: f64,
    /// Work of the matrix unit.
    pub matrix_ns: f64,
    /// Transfers between device memory and the cores.
    pub memory_ns: f64,
    /// First transfer in and last transfer out.
    pub fill_drain_ns: f64,
}

/// The best alternative to a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunnerUpReport {
    /// What would be different.
    pub change: String,
    /// Price of the changed kernels.
    pub price_ns: f64,
    /// Price of the chosen kernels of the same operators.
    pub instead_of_ns: f64,
}

/// Operators that were not fused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefusalReport {
    /// Stable code; `sinter explain --codes` lists them.
    pub code: String,
    /// ONNX nodes on both sides.
    pub nodes: Vec<String>,
    /// What happened, with figures.
    pub message: String,
    /// What would flip the decision, to be read after `would fuse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flip: Option<String>,
    /// Bytes that would not move if the operators were one kernel.
    pub saved_bytes: u64,
    /// Time that they would save as one kernel that computes nothing twice.
    pub saved_ns: f64,
    /// The kernels that stayed apart, by their place in [`Report::groups`].
    pub kernels: Vec<usize>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// An offline model that was not made of a graph.
    #[error("the model keeps no decisions: it was not compiled from a graph of operators")]
    Missing,
    /// Another version.
    #[error(
        "the decisions have version {0}, this sinter reads {REPORT_VERSION}; compile the model again"
    )]
    Version(u64),
    /// Damaged.
    #[error("the decisions are malformed: {0}")]
    Malformed(#[from] serde_json::Error),
    /// A glob that is none.
    #[error("'{glob}' is not a pattern: {cause}")]
    Pattern {
        /// What was given.
        glob: String,
        /// Why.
        cause: String,
    },
    /// No node has the name.
    #[error("no ONNX node matches '{glob}'; {hint}")]
    NoMatch {
        /// What was given.
        glob: String,
        /// What there is.
        hint: String,
    },
}

impl Report {
    /// The report of a fused program.
    pub fn new(fused: &Fused) -> Self {
        let s = &fused.statistics;
        let bound = s.lower_bound.map(Time::ns);
        let summary = Summary {
            operators: s.operators as u64,
            kernels: s.kernels as u64,
            intermediate_bytes: s.intermediate_bytes,
            unfused_intermediate_bytes: s.unfused_intermediate_bytes,
            conversion_kernels: s.conversions.kernels as u64,
            merged_conversions: s.conversions.merged as u64,
            conversion_bytes: s.conversions.bytes,
            price_ns: s.price.ns(),
            unfused_price_ns: s.unfused_price.ns(),
            lower_bound_ns: bound,
            gap: bound.filter(|b| *b > 0.0).map(|b| s.price.ns() / b - 1.0),
            candidates: s.candidates as u64,
            truncated: s.truncated as u64,
            egraph_iterations: s.egraph_iterations as u64,
            egraph_nodes: s.egraph_nodes as u64,
            egraph_stop: s.egraph_stop.clone(),
        };
        let makers = Makers::new(fused);
        let refusals = fused.refusals.iter().map(|r| RefusalReport {
            code: r.code.code().to_owned(),
            nodes: r.nodes.clone(),
            message: r.message.clone(),
            flip: r.flip.clone(),
            saved_bytes: r.saved_bytes,
            saved_ns: r.saved.ns(),
            kernels: r.kernels.clone(),
        });
        Self {
            version: REPORT_VERSION,
            model: fused.graph.name.clone(),
            device: fused.device.clone(),
            policy: fused.policy.to_string(),
            numerics: fused.numerics.to_string(),
            summary,
            own_kernels: fused.own_kernels.iter().map(OwnKernelReport::new).collect(),
            groups: fused.groups.iter().map(|g| makers.group(g)).collect(),
            refusals: refusals.collect(),
            advice: Vec::new(),
        }
    }

    /// The report that an offline model keeps.
    ///
    /// # Errors
    /// When it keeps none, or one of another version, or a damaged one.
    pub fn from_json(value: &serde_json::Value) -> Result<Self, ReportError> {
        if value.is_null() {
            return Err(ReportError::Missing);
        }
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(v) if v == u64::from(REPORT_VERSION) => Ok(Self::deserialize(value)?),
            other => Err(ReportError::Version(other.unwrap_or(0))),
        }
    }
}

/// The group that makes each value, views looked through.
struct Makers<'f> {
    fused: &'f Fused,
    makers: BTreeMap<ValueId, BTreeSet<(usize, ValueId)>>,
}

impl<'f> Makers<'f> {
    fn new(fused: &'f Fused) -> Self {
        let mut makers: BTreeMap<ValueId, BTreeSet<(usize, ValueId)>> = BTreeMap::new();
        for (place, group) in fused.groups.iter().enumerate() {
            for &value in &group.outputs {
                makers.insert(value, BTreeSet::from([(place, value)]));
            }
        }
        let views: BTreeSet<NodeId> = fused.views.iter().map(|v| v.node).collect();
        for &NodeId(view) in &views {
            let node = &fused.graph.nodes[view as usize];
            let from = node.inputs.iter().filter_map(|v| makers.get(v));
            let from: BTreeSet<_> = from.flatten().copied().collect();
            for &value in &node.outputs {
                makers.insert(value, from.clone());
            }
        }
        Self { fused, makers }
    }

    fn group(&self, group: &Group) -> GroupReport {
        let graph = &self.fused.graph;
        let operators = group.nodes.iter().map(|n| {
            let node = &graph.nodes[n.0 as usize];
            OperatorReport {
                operator: node.op.mnemonic().to_owned(),
                nodes: node
                    .origins
                    .iter()
                    .filter(|o| !Mark::is(o))
                    .cloned()
                    .collect(),
                result: graph.ty(node.outputs[0]).to_string(),
                kind: kind(node.op.traits()).to_owned(),
            }
        });
        let runner_up = group.runner_up.as_ref().map(|r| RunnerUpReport {
            change: r.change.clone(),
            price_ns: r.price.ns(),
            instead_of_ns: r.instead_of.ns(),
        });
        let p = &group.price;
        GroupReport {
            kernel: group.kernel.name.clone(),
            code: if group.nodes.len() > 1 {
                "fused"
            } else {
                "single"
            }
            .to_owned(),
            nodes: group.origins.clone(),
            operators: operators.collect(),
            message: group.decision.clone(),
            reads: self.reads(group),
            saved_bytes: group.bytes_saved,
            saved_ns: group.saved.ns(),
            price_ns: p.total.ns(),
            price: parts(p),
            read_bytes: p.read_bytes,
            written_bytes: p.written_bytes,
            scratchpad_peak_bytes: p.chip_bytes,
            blocks: p.blocks,
            runner_up,
        }
    }

    fn reads(&self, group: &Group) -> Vec<Edge> {
        let graph = &self.fused.graph;
        let producers = graph.producers();
        let from = group.inputs.iter().filter_map(|v| self.makers.get(v));
        let from: BTreeSet<_> = from.flatten().collect();
        let edge = |&&(from, value): &&(usize, ValueId)| {
            let ty = graph.ty(value);
            let maker = producers[value.0 as usize].map(|n| &graph.nodes[n.0 as usize]);
            let named = |n: &sinter_ops::Node| n.origins.iter().find(|o| !Mark::is(o)).cloned();
            let node = maker.and_then(named);
            Edge {
                from,
                node: node.unwrap_or_default(),
                value: ty.to_string(),
                bytes: ty.bytes().unsigned_abs(),
            }
        };
        from.iter().map(edge).collect()
    }
}

fn kind(traits: sinter_ops::Traits) -> &'static str {
    if traits.contraction {
        "contraction"
    } else if traits.reduction {
        "reduction"
    } else if traits.index_map {
        "index_map"
    } else if traits.elementwise {
        "elementwise"
    } else {
        "other"
    }
}

fn parts(price: &Price) -> PriceReport {
    PriceReport {
        launch_ns: price.launch.ns(),
        vector_ns: price.vector.ns(),
        matrix_ns: price.matrix.ns(),
        memory_ns: price.memory.ns(),
        fill_drain_ns: price.fill_drain.ns(),
    }
}
