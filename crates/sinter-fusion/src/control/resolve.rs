//! Wishes as facts about the nodes of one graph, and legality by them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use sinter_ops::{Graph, Mark, NodeId};

use super::{Control, selector};
use crate::error::FusionError;
use crate::evaluate::{Evaluator, Illegal};
use crate::fused::Fused;
use crate::legality::LegalityCode;
use crate::partition::{Flow, Partition};

/// Operators that are wished to be one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The operators, ascending.
    pub(crate) nodes: Vec<NodeId>,
    /// No program rather than one without this kernel.
    pub(crate) firm: bool,
    /// The wish, for messages.
    pub(crate) wish: String,
}

/// Operators kept apart from others.
#[derive(Clone, Debug)]
struct Apart {
    these: BTreeSet<NodeId>,
    /// All others where `None`.
    those: Option<BTreeSet<NodeId>>,
    wish: String,
}

impl Apart {
    /// Two of the nodes that are kept apart: any operator of `these` and another one of `those`.
    fn pair(&self, nodes: &[NodeId]) -> Option<(NodeId, NodeId)> {
        let others = |n: &&NodeId| self.those.as_ref().is_none_or(|those| those.contains(n));
        let mut others = nodes.iter().filter(others);
        // Whatever the first is, one of two others is another one.
        let (one, two) = (others.next()?, others.next());
        let mut these = nodes.iter().filter(|n| self.these.contains(n));
        these.find_map(|this| {
            let that = if this == one { two } else { Some(one) };
            that.map(|that| (*this, *that))
        })
    }
}

/// The wishes of a [`Control`] and of marks, for the nodes of one graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resolved {
    units: Vec<Unit>,
    unit_of: BTreeMap<NodeId, usize>,
    apart: Vec<Apart>,
    /// Nodes that are not in a kernel with their users, with the wish.
    after: BTreeMap<NodeId, String>,
    /// Nodes that are not in a kernel with the makers of their operands.
    before: BTreeMap<NodeId, String>,
    /// By node: the nodes that make its operands.
    makers: BTreeMap<NodeId, Vec<NodeId>>,
}

impl Resolved {
    /// The wishes for the operators of a flow.
    ///
    /// # Errors
    /// When a pattern is no glob.
    pub(crate) fn new(control: &Control, graph: &Graph, flow: &Flow) -> Result<Self, FusionError> {
        let mut out = Self::default();
        let named = |patterns: &[String]| named(graph, flow, patterns);
        for never in &control.never_fuse {
            let with = match never.with.as_slice() {
                [] => String::new(),
                with => format!(" with {}", listed(with)),
            };
            out.apart.push(Apart {
                these: named(&never.nodes)?,
                those: (!never.with.is_empty())
                    .then(|| named(&never.with))
                    .transpose()?,
                wish: format!("never-fuse {}{with}", listed(&never.nodes)),
            });
        }
        for border in &control.boundary {
            for (patterns, side, of) in [
                (&border.after, "after", &mut out.after),
                (&border.before, "before", &mut out.before),
            ] {
                let wish = format!("boundary {side} {}", listed(patterns));
                of.extend(named(patterns)?.into_iter().map(|n| (n, wish.clone())));
            }
        }
        for must in &control.must_fuse {
            let wish = format!("must-fuse {}", listed(&must.nodes));
            out.unite(named(&must.nodes)?, true, wish);
        }
        out.marks(graph, flow);
        let producers = graph.producers();
        for &node in &flow.nodes {
            let operands = graph.nodes[node.0 as usize].inputs.iter();
            let makers = operands.filter_map(|v| producers[v.0 as usize]).collect();
            out.makers.insert(node, makers);
        }
        Ok(out)
    }

    fn marks(&mut self, graph: &Graph, flow: &Flow) {
        let mut units: BTreeMap<(bool, String), BTreeSet<NodeId>> = BTreeMap::new();
        for &node in &flow.nodes {
            for mark in Mark::of(&graph.nodes[node.0 as usize].origins) {
                match mark {
                    Mark::NeverFuse => self.apart.push(Apart {
                        these: BTreeSet::from([node]),
                        those: None,
                        wish: "attribute graph.never_fuse".to_owned(),
                    }),
                    Mark::Boundary => {
                        let wish = "attribute graph.boundary".to_owned();
                        self.after.insert(node, wish);
                    }
                    Mark::MustFuse(name) => {
                        units.entry((true, name)).or_default().insert(node);
                    }
                    Mark::Unit(name) => {
                        units.entry((false, name)).or_default().insert(node);
                    }
                    Mark::Numerics(_) | Mark::Disable(_) => {}
                }
            }
        }
        for ((firm, name), nodes) in units {
            let wish = match firm {
                true => format!("attribute graph.must_fuse = \"{name}\""),
                false => format!("composite \"{name}\""),
            };
            self.unite(nodes, firm, wish);
        }
    }

    /// Adds a unit; units that share a node are one.
    fn unite(&mut self, mut nodes: BTreeSet<NodeId>, mut firm: bool, mut wish: String) {
        let mut kept = Vec::new();
        for unit in std::mem::take(&mut self.units) {
            if unit.nodes.iter().any(|n| nodes.contains(n)) {
                nodes.extend(&unit.nodes);
                firm |= unit.firm;
                wish = format!("{}, {wish}", unit.wish);
            } else {
                kept.push(unit);
            }
        }
        if !nodes.is_empty() {
            let nodes = nodes.into_iter().collect();
            kept.push(Unit { nodes, firm, wish });
        }
        self.units = kept;
        self.number();
    }

    fn number(&mut self) {
        self.units.sort_by(|a, b| a.nodes.cmp(&b.nodes));
        let numbers = self.units.iter().enumerate();
        self.unit_of = numbers
            .flat_map(|(number, unit)| unit.nodes.iter().map(move |&n| (n, number)))
            .collect();
    }

    /// Whether nothing is wished.
    pub(crate) fn is_empty(&self) -> bool {
        let units = self.units.is_empty() && self.apart.is_empty();
        units && self.after.is_empty() && self.before.is_empty()
    }

    /// Whether the user allows a kernel of these nodes.
    ///
    /// # Errors
    /// [`LegalityCode::Forbidden`] with the wish.
    pub(crate) fn check(&self, graph: &Graph, nodes: &[NodeId]) -> Result<(), Illegal> {
        for unit in nodes.iter().filter_map(|n| self.unit_of.get(n)) {
            let unit = &self.units[*unit];
            let missing = unit.nodes.iter().find(|n| nodes.binary_search(n).is_err());
            if let Some(missing) = missing {
                let name = name(graph, *missing);
                return Err(forbidden(
                    &unit.wish,
                    &format!("wants {name} in the same kernel"),
                ));
            }
        }
        if nodes.len() < 2 {
            return Ok(());
        }
        for apart in &self.apart {
            if let Some((this, that)) = apart.pair(nodes) {
                let (this, that) = (name(graph, this), name(graph, that));
                return Err(forbidden(
                    &apart.wish,
                    &format!("keeps {this} apart from {that}"),
                ));
            }
        }
        self.check_borders(graph, nodes)
    }

    fn check_borders(&self, graph: &Graph, nodes: &[NodeId]) -> Result<(), Illegal> {
        if self.after.is_empty() && self.before.is_empty() {
            return Ok(());
        }
        for &user in nodes {
            for &maker in self.makers.get(&user).into_iter().flatten() {
                if nodes.binary_search(&maker).is_err() {
                    continue;
                }
                if let Some(wish) = self.after.get(&maker).or(self.before.get(&user)) {
                    let (maker, user) = (name(graph, maker), name(graph, user));
                    return Err(forbidden(wish, &format!("parts {maker} from {user}")));
                }
            }
        }
        Ok(())
    }

    /// The partition to start from: one operator per kernel, but for units.
    ///
    /// # Errors
    /// When a kernel that must be has no legal form on the device.
    pub(crate) fn start(
        flow: &Flow,
        evaluator: &mut Evaluator<'_>,
    ) -> Result<Partition, FusionError> {
        let mut partition = Partition::singles(flow);
        let mut number = 0;
        while let Some(unit) = evaluator.control.units.get(number).cloned() {
            let mut united = partition.clone();
            for &node in &unit.nodes {
                united
                    .homes(node)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|g| {
                        united.remove(g);
                    });
            }
            let id = united.insert(unit.nodes.clone());
            let illegal = match united.order(flow) {
                None => Some(out_of_order(&unit, flow)),
                Some(_) => {
                    let outputs = united.outputs(id, flow);
                    let outcome = evaluator.price(&unit.nodes, &outputs);
                    outcome.as_ref().as_ref().err().cloned()
                }
            };
            match illegal {
                None => {
                    partition = united;
                    number += 1;
                }
                Some(illegal) if unit.firm => return Err(must_fuse(&unit, &illegal, evaluator)),
                Some(illegal) => {
                    tracing::warn!("{} is taken apart: {}", unit.wish, illegal.message);
                    let control = Rc::make_mut(&mut evaluator.control);
                    control.units.remove(number);
                    control.number();
                }
            }
        }
        Ok(partition)
    }
}

/// Why kernels have no order once a unit is one of them.
fn out_of_order(unit: &Unit, flow: &Flow) -> Illegal {
    let viewed = |n: &NodeId| flow.reads_own_memory(&unit.nodes, *n);
    let (code, message) = match unit.nodes.iter().any(viewed) {
        true => (
            LegalityCode::IndexMap,
            "one of them reads another through a view, whose operand is stored",
        ),
        false => (
            LegalityCode::Cycle,
            "another kernel would have to run between them",
        ),
    };
    Illegal {
        code,
        message: message.to_owned(),
        flip: None,
    }
}

fn must_fuse(unit: &Unit, illegal: &Illegal, evaluator: &Evaluator<'_>) -> FusionError {
    let flip = illegal.flip.as_ref();
    FusionError::MustFuse {
        wish: unit.wish.clone(),
        device: evaluator.device.name.clone(),
        code: illegal.code,
        cause: illegal.message.clone(),
        flip: flip.map_or_else(String::new, |f| format!("; would be one kernel {f}")),
    }
}

fn forbidden(wish: &str, does: &str) -> Illegal {
    Illegal {
        code: LegalityCode::Forbidden,
        message: format!("{wish} {does}"),
        flip: Some(format!("if '{wish}' were dropped")),
    }
}

fn name(graph: &Graph, node: NodeId) -> String {
    let origins = &graph.nodes[node.0 as usize].origins;
    let name = origins.iter().find(|o| !Mark::is(o));
    name.cloned().unwrap_or_else(|| {
        sinter_ops::Operator::mnemonic(&graph.nodes[node.0 as usize].op).to_owned()
    })
}

fn listed(patterns: &[String]) -> String {
    let quoted: Vec<_> = patterns.iter().map(|p| format!("'{p}'")).collect();
    quoted.join(", ")
}

/// The nodes of a flow that perform a matching ONNX node.
fn named(graph: &Graph, flow: &Flow, patterns: &[String]) -> Result<BTreeSet<NodeId>, FusionError> {
    let selectors: Result<Vec<_>, _> = patterns.iter().map(|p| selector(p)).collect();
    let selectors = selectors?;
    let wanted = |n: &&NodeId| {
        let origins = &graph.nodes[n.0 as usize].origins;
        origins
            .iter()
            .any(|o| selectors.iter().any(|s| s.matches(o)))
    };
    Ok(flow.nodes.iter().filter(wanted).copied().collect())
}

/// Whether an operator of a graph has a mark.
pub(crate) fn is_marked(graph: &Graph) -> bool {
    graph
        .nodes
        .iter()
        .any(|n| Mark::of(&n.origins).next().is_some())
}

/// A graph without its marks.
pub(crate) fn unmarked(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    for node in &mut graph.nodes {
        drop_marks(&mut node.origins);
    }
    graph
}

/// Takes the marks out of what reports show.
pub(crate) fn unmark(fused: &mut Fused) {
    fused.graph = unmarked(&fused.graph);
    fused
        .groups
        .iter_mut()
        .for_each(|g| drop_marks(&mut g.origins));
    fused
        .refusals
        .iter_mut()
        .for_each(|r| drop_marks(&mut r.nodes));
}

fn drop_marks(origins: &mut Vec<String>) {
    origins.retain(|o| !Mark::is(o));
}
