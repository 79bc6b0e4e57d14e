//! How kernels are chosen: the problem, the answer, and the trait that outside crates can implement.
//!
//! ```
//! use sinter_device::Device;
//! use sinter_fusion::extraction::{Chosen, Extraction, Grouping, Problem};
//! use sinter_fusion::{Options, fuse_with, rules};
//!
//! /// One kernel per operator.
//! struct Apart;
//!
//! impl Extraction for Apart {
//!     fn extract(&self, problem: &mut Problem<'_, '_>) -> Grouping {
//!         let kernels = problem.operators().iter().map(|&n| Chosen::all(vec![n]));
//!         Grouping::of(kernels.collect())
//!     }
//! }
//!
//! let graph = rules::example("silu-from-product", 1).unwrap();
//! let device = Device::named("host").unwrap();
//! let fused = fuse_with(&graph, &device, &Options::default(), &Apart).unwrap();
//! assert_eq!(fused.statistics.kernels, fused.groups.len());
//! ```

use std::collections::BTreeSet;

use sinter_device::{Device, Price, Time};
use sinter_ops::{Graph, NodeId};

use crate::alike::Alike;
use crate::enumerate::Pool;
use crate::error::FusionError;
use crate::evaluate::Evaluator;
use crate::legality::LegalityCode;
use crate::options::{Limits, Policy};
use crate::partition::{Flow, Partition};
use crate::space::{Candidate, Place, Space};
use crate::{policies, search};

/// Chooses kernels for a program.
pub trait Extraction {
    /// Kernels that compute all operators. The answer is checked: it is an error of the fusion when it
    /// leaves an operator out, when kernels wait for each other in a circle, or when one is illegal.
    fn extract(&self, problem: &mut Problem<'_, '_>) -> Grouping;
}

/// A kernel that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Its operators, sorted.
    pub nodes: Vec<NodeId>,
    /// Those of them that it computes for good, sorted: their results are given to other kernels by
    /// this one. The others are computed again here, and for good elsewhere or nowhere.
    pub homed: Vec<NodeId>,
}

impl Chosen {
    /// A kernel that computes all its operators for good.
    pub fn all(nodes: Vec<NodeId>) -> Self {
        Self {
            homed: nodes.clone(),
            nodes,
        }
    }
}

/// The kernels that were chosen, and how good they are known to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    /// Kernels, in an order in which they can run.
    pub kernels: Vec<Chosen>,
    /// No program made of the candidates is cheaper, where that is known.
    pub lower_bound: Option<Time>,
    /// Candidate kernels over which the bound holds.
    pub pool: usize,
    /// How often a limit cut the enumeration of candidates short.
    pub truncated: usize,
}

impl Grouping {
    /// Kernels without a bound.
    pub fn of(kernels: Vec<Chosen>) -> Self {
        Self {
            kernels,
            ..Self::default()
        }
    }
}

/// A legal kernel, as extractions see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateKernel {
    /// The kernel.
    pub kernel: Chosen,
    /// Operators whose results it reads from memory.
    pub leaves: Vec<NodeId>,
    /// Operators whose results it writes to memory.
    pub stored: Vec<NodeId>,
    /// What it costs.
    pub time: Time,
}

/// A program to be grouped: its operators, how values flow, and prices of kernels.
pub struct Problem<'p, 'a> {
    pub(crate) space: Space,
    pub(crate) alike: Alike,
    pub(crate) flow: &'p Flow,
    pub(crate) evaluator: &'p mut Evaluator<'a>,
    pub(crate) limits: Limits,
    /// Groups to start from: one operator each, but for those that the user wants in one kernel.
    pub(crate) start: Vec<Vec<Place>>,
}

impl<'p, 'a> Problem<'p, 'a> {
    pub(crate) fn new(
        flow: &'p Flow,
        start: &Partition,
        evaluator: &'p mut Evaluator<'a>,
        limits: &Limits,
    ) -> Self {
        let space = Space::new(flow, evaluator);
        let mut problem = Self {
            alike: Alike::new(&space, evaluator),
            space,
            flow,
            evaluator,
            limits: limits.clone(),
            start: Vec::new(),
        };
        let groups = start.order(flow).unwrap_or_default();
        let groups = groups.iter().map(|id| problem.places(&start.groups[id]));
        problem.start = groups.collect();
        problem
    }

    /// The groups to start from: one operator each, but for those that the user wants in one kernel.
    pub fn start(&self) -> Vec<Vec<NodeId>> {
        self.start.iter().map(|g| self.space.ids(g)).collect()
    }

    /// The graph.
    pub fn graph(&self) -> &'a Graph {
        self.evaluator.graph
    }

    /// The device.
    pub fn device(&self) -> &'a Device {
        self.evaluator.device
    }

    /// Bounds that the search keeps to.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Operators that need kernels, in topological order: nodes that are neither views nor concats
    /// whose parts are stored in place.
    pub fn operators(&self) -> &[NodeId] {
        &self.space.nodes
    }

    /// Operators whose results an operator needs, directly or through views.
    pub fn needs(&self, operator: NodeId) -> &[NodeId] {
        self.flow.needs.get(&operator).map_or(&[], Vec::as_slice)
    }

    /// Operators that use an operator's results, directly or through views.
    pub fn users(&self, operator: NodeId) -> &[NodeId] {
        self.flow.users(operator)
    }

    /// Operators that read an operator's results within a kernel, when they are in one.
    pub fn readers(&self, operator: NodeId) -> &[NodeId] {
        self.flow.readers(operator)
    }

    /// Operators that may be in a kernel with an operator because of a value that one passes to the
    /// other or that both read. The operators of a kernel hang together by such values.
    pub fn connected(&self, operator: NodeId) -> Vec<NodeId> {
        let Some(place) = self.place(operator) else {
            return Vec::new();
        };
        let siblings = self.space.siblings(place).flatten().copied();
        let readers = &self.space.readers;
        let after = readers[place as usize].iter().copied();
        let before = (0..place).filter(|&p| readers[p as usize].contains(&place));
        let all: BTreeSet<_> = siblings.chain(after).chain(before).collect();
        let all: Vec<_> = all.into_iter().filter(|&p| p != place).collect();
        self.space.ids(&all)
    }

    /// Whether an operator's results have to be in memory in any case.
    pub fn must_be_stored(&self, operator: NodeId) -> bool {
        self.flow.is_stored(operator)
    }

    /// Whether an operator may be computed in several kernels.
    pub fn may_be_repeated(&self, operator: NodeId) -> bool {
        self.place(operator)
            .is_some_and(|p| self.space.repeatable[p as usize])
    }

    /// The price of a kernel that writes the results of the `stored` ones of its operators.
    ///
    /// # Errors
    /// The code and the message of the refusal, when that is no legal kernel.
    pub fn price(
        &mut self,
        kernel: &[NodeId],
        stored: &[NodeId],
    ) -> Result<Price, (LegalityCode, String)> {
        let outputs: BTreeSet<_> = stored.iter().flat_map(|n| self.flow.results(*n)).collect();
        let outputs: Vec<_> = outputs.into_iter().collect();
        let nodes: BTreeSet<_> = kernel.iter().copied().collect();
        let nodes: Vec<_> = nodes.into_iter().collect();
        match self.evaluator.price(&nodes, &outputs).as_ref() {
            Ok(priced) => Ok(priced.price.clone()),
            Err(illegal) => Err((illegal.code, illegal.message.clone())),
        }
    }

    /// The time of a whole grouping; `None` when it is no program.
    pub fn time(&mut self, grouping: &Grouping) -> Option<Time> {
        let partition = self.partition(grouping).ok()?;
        partition.time(self.flow, self.evaluator)
    }

    /// The candidate kernels that the built-in policies choose among, for use by others.
    pub fn candidates(&mut self) -> Vec<CandidateKernel> {
        let pool = policies::pool(self);
        let ids = |p: &[Place]| self.space.ids(p);
        let candidates = pool.candidates.iter();
        candidates
            .map(|c| CandidateKernel {
                kernel: Chosen {
                    nodes: ids(&c.nodes),
                    homed: ids(&c.homed),
                },
                leaves: ids(&c.leaves),
                stored: ids(&c.stored),
                time: Time(c.time),
            })
            .collect()
    }

    fn place(&self, operator: NodeId) -> Option<Place> {
        let place = self.space.nodes.binary_search(&operator).ok()?;
        Some(place as Place)
    }

    /// Positions of operators.
    pub(crate) fn places(&self, operators: &[NodeId]) -> Vec<Place> {
        operators.iter().filter_map(|n| self.place(*n)).collect()
    }

    /// The cheapest program of a pool's candidates that is no dearer than `ceiling`.
    ///
    /// # Errors
    /// What a program costs at least, when none was found.
    pub(crate) fn cheapest(
        &self,
        pool: &Pool,
        ceiling: Time,
        states: usize,
    ) -> Result<Grouping, Time> {
        let optional = search::optional(&self.space, &pool.candidates);
        let shares = crate::bound::shares(&pool.candidates, &optional);
        let task = search::Task {
            space: &self.space,
            candidates: &pool.candidates,
            alike: &self.alike,
            optional: &optional,
            shares: &shares,
            ceiling: ceiling.0,
            states,
            steps: self.limits.steps,
        };
        let found = search::run(&task).map_err(Time)?;
        let chosen = found.chosen.iter().map(|&c| &pool.candidates[c]);
        Ok(Grouping {
            kernels: chosen.map(|c| self.chosen(c)).collect(),
            lower_bound: Some(Time(found.bound)),
            pool: pool.candidates.len(),
            truncated: pool.truncated,
        })
    }

    pub(crate) fn chosen(&self, candidate: &Candidate) -> Chosen {
        Chosen {
            nodes: self.space.ids(&candidate.nodes),
            homed: self.space.ids(&candidate.homed),
        }
    }

    /// A grouping as a partition.
    ///
    /// # Errors
    /// When it is no program.
    pub(crate) fn partition(&mut self, grouping: &Grouping) -> Result<Partition, FusionError> {
        let fault = |cause: String| Err(FusionError::Extraction { cause });
        let mut partition = Partition::empty();
        let mut homed = BTreeSet::new();
        for kernel in &grouping.kernels {
            for node in &kernel.homed {
                let inside = kernel.nodes.contains(node) && self.place(*node).is_some();
                if !inside || !homed.insert(*node) {
                    return fault(format!("node {} is computed for good twice", node.0));
                }
            }
            let mut nodes = kernel.nodes.clone();
            nodes.sort_unstable();
            nodes.dedup();
            partition.insert_home(nodes, &kernel.homed);
        }
        let lost = |n: &&NodeId| partition.provider(**n).is_none();
        if let Some(node) = self.space.nodes.iter().find(lost) {
            return fault(format!("node {} is in no kernel", node.0));
        }
        partition.prune(self.flow);
        if partition.order(self.flow).is_none() {
            return fault("its kernels wait for each other".to_owned());
        }
        for (&id, nodes) in &partition.groups {
            let outputs = partition.outputs(id, self.flow);
            if let Err(illegal) = self.evaluator.price(nodes, &outputs).as_ref() {
                return fault(format!(
                    "one of its kernels is illegal: {}",
                    illegal.message
                ));
            }
        }
        Ok(partition)
    }
}

/// The extraction of a policy.
///
/// # Errors
/// When the policy was not built in.
pub fn of_policy(policy: Policy) -> Result<Box<dyn Extraction>, FusionError> {
    Ok(match policy {
        Policy::None => Box::new(policies::Apart),
        Policy::Greedy => Box::new(policies::Greedy),
        Policy::Postdom => Box::new(policies::Postdom),
        Policy::Dp => Box::new(policies::Dp),
        Policy::Egraph => Box::new(policies::Best),
        Policy::Ilp => return ilp(),
    })
}

#[cfg(feature = "ilp")]
fn ilp() -> Result<Box<dyn Extraction>, FusionError> {
    Ok(Box::new(crate::ilp::Ilp))
}

#[cfg(not(feature = "ilp"))]
fn ilp() -> Result<Box<dyn Extraction>, FusionError> {
    Err(FusionError::NotBuilt(Policy::Ilp, "ilp"))
}
