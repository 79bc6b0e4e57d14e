//! Candidate kernels: formed for real, placed, scheduled and priced, each structure once.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use sinter_device::{Device, Price, Time, cheapest_form, pack_constants, touched_bytes};
use sinter_loops::kernel::{Kernel, Layout, PhysicalDim, Role};
use sinter_loops::{apply_layouts, place_stages};
use sinter_ops::form::{Formed, form};
use sinter_ops::{Graph, NodeId, Operator, ValueId};

use crate::control::Resolved;
use crate::cost::Cost;
use crate::extend::{self, Candidate};
use crate::fused::Placement;
use crate::legality::{self, LegalityCode};
use crate::options::Limits;
use crate::stored::Stored;

/// Why a candidate is no kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Illegal {
    pub(crate) code: LegalityCode,
    pub(crate) message: String,
    pub(crate) flip: Option<String>,
}

/// What is known of a legal candidate.
#[derive(Clone, Debug)]
pub(crate) struct Priced {
    pub(crate) price: Price,
    /// Bytes touched of each of the formed kernel's values in device memory.
    pub(crate) touched: Vec<(ValueId, Role, u64)>,
}

/// The outcome of evaluating a candidate.
pub(crate) type Outcome = Rc<Result<Priced, Illegal>>;

/// A kernel ready to be lowered.
#[derive(Clone, Debug)]
pub(crate) struct Realised {
    pub(crate) formed: Formed,
    pub(crate) kernel: Kernel,
    pub(crate) price: Price,
}

/// Evaluates candidates of one graph on one device.
pub(crate) struct Evaluator<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) device: &'a Device,
    pub(crate) limits: &'a Limits,
    pub(crate) layouts: &'a BTreeMap<ValueId, Layout>,
    pub(crate) placements: &'a [Placement],
    /// Whether kernels may have forms of the numerics class `reassociating`.
    pub(crate) reassociate: bool,
    /// What extraction minimises.
    pub(crate) cost: &'a Cost,
    /// What the user insists on.
    pub(crate) control: Resolved,
    by_nodes: HashMap<(Vec<NodeId>, Vec<ValueId>), Outcome>,
    by_structure: HashMap<Kernel, Result<(Price, Vec<u64>), Illegal>>,
    /// Candidates formed.
    pub(crate) evaluated: usize,
    /// Candidates whose structure was known.
    pub(crate) memoised: usize,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(
        graph: &'a Graph,
        device: &'a Device,
        limits: &'a Limits,
        layouts: &'a BTreeMap<ValueId, Layout>,
        placements: &'a [Placement],
    ) -> Self {
        Self {
            graph,
            device,
            limits,
            layouts,
            placements,
            reassociate: false,
            cost: &Cost::Time,
            control: Resolved::default(),
            by_nodes: HashMap::new(),
            by_structure: HashMap::new(),
            evaluated: 0,
            memoised: 0,
        }
    }

    /// The price of the kernel that computes `outputs` with `nodes` (both sorted), or why there is
    /// none. Its total is the cost that extraction minimises.
    pub(crate) fn price(&mut self, nodes: &[NodeId], outputs: &[ValueId]) -> Outcome {
        match self.control.check(self.graph, nodes) {
            Ok(()) => self.unforbidden(nodes, outputs),
            Err(illegal) => Rc::new(Err(illegal)),
        }
    }

    /// The same whatever the user insists on.
    pub(crate) fn unforbidden(&mut self, nodes: &[NodeId], outputs: &[ValueId]) -> Outcome {
        let key = (nodes.to_vec(), outputs.to_vec());
        if let Some(known) = self.by_nodes.get(&key) {
            return known.clone();
        }
        let outcome = Rc::new(self.evaluate(nodes, outputs));
        self.by_nodes.insert(key, outcome.clone());
        outcome
    }

    /// Time of a kernel, none when it is illegal.
    pub(crate) fn time(&mut self, nodes: &[NodeId], outputs: &[ValueId]) -> Option<Time> {
        self.price(nodes, outputs)
            .as_ref()
            .as_ref()
            .ok()
            .map(|p| p.price.total)
    }

    /// Legal candidates so far, with the least price of each set of nodes.
    pub(crate) fn candidates(&self) -> BTreeMap<Vec<NodeId>, Time> {
        let mut out: BTreeMap<Vec<NodeId>, Time> = BTreeMap::new();
        for ((nodes, _), outcome) in &self.by_nodes {
            if let Ok(priced) = outcome.as_ref() {
                let least = out.entry(nodes.clone()).or_insert(Time::MAX);
                *least = priced.price.total.min(*least);
            }
        }
        out
    }

    fn evaluate(&mut self, nodes: &[NodeId], outputs: &[ValueId]) -> Result<Priced, Illegal> {
        self.check_limits(nodes, outputs)?;
        self.check_effects(nodes)?;
        legality::check_elements(self.graph, self.device, nodes)?;
        extend::check(&self.candidate(nodes, outputs))?;
        self.evaluated += 1;
        let formed = self.form(nodes, outputs)?;
        let mut structure = formed.kernel.clone();
        structure.stages.iter_mut().for_each(|s| s.origins.clear());
        let known = match self.by_structure.get(&structure) {
            Some(known) => {
                self.memoised += 1;
                known.clone()
            }
            None => {
                let found = realise(structure.clone(), self.device, self.reassociate)
                    .map(|(_, price)| (price, touched_bytes(&structure)));
                self.by_structure.insert(structure, found.clone());
                found
            }
        };
        let (mut price, touched) = known?;
        price.total += extend::time(&self.candidate(nodes, outputs));
        price.total = self.cost.of(&price, self.graph, nodes);
        let slots = formed.values.iter().zip(&formed.kernel.slots).zip(touched);
        let stored = |((value, slot), bytes): ((&Option<ValueId>, &_), u64)| {
            let slot: &sinter_loops::kernel::Slot = slot;
            (slot.role != Role::Temporary).then_some(((*value)?, slot.role, bytes))
        };
        Ok(Priced {
            price,
            touched: slots.filter_map(stored).collect(),
        })
    }

    fn candidate<'b>(&'b self, nodes: &'b [NodeId], outputs: &'b [ValueId]) -> Candidate<'b> {
        Candidate {
            graph: self.graph,
            nodes,
            outputs,
            device: self.device,
        }
    }

    fn check_limits(&self, nodes: &[NodeId], outputs: &[ValueId]) -> Result<(), Illegal> {
        let over = |what: &str, count: usize, limit: usize| {
            (count > limit).then(|| Illegal {
                code: LegalityCode::Limit,
                message: format!("the kernel would have {count} {what}"),
                flip: Some(format!("with a limit of {count} {what} instead of {limit}")),
            })
        };
        let operators = over("operators", nodes.len(), self.limits.kernel_operators);
        let outputs = over("outputs", outputs.len(), self.limits.kernel_outputs);
        operators.or(outputs).map_or(Ok(()), Err)
    }

    fn check_effects(&self, nodes: &[NodeId]) -> Result<(), Illegal> {
        let node = |n: &NodeId| &self.graph.nodes[n.0 as usize];
        let effectful = nodes.iter().map(node).find(|n| n.op.traits().effectful);
        match effectful.filter(|_| nodes.len() > 1) {
            None => Ok(()),
            Some(node) => Err(Illegal {
                code: LegalityCode::Effects,
                message: format!("{} has effects", node.op.mnemonic()),
                flip: None,
            }),
        }
    }

    fn form(&self, nodes: &[NodeId], outputs: &[ValueId]) -> Result<Formed, Illegal> {
        let storage = Stored::new(self.graph, self.layouts, self.placements);
        let mut formed = form(self.graph, nodes, outputs, &storage).map_err(|e| Illegal {
            code: LegalityCode::NoLoopForm,
            message: e.to_string(),
            flip: None,
        })?;
        let inputs = formed.kernel.arguments().count();
        if inputs > self.limits.kernel_inputs {
            let limit = self.limits.kernel_inputs;
            return Err(Illegal {
                code: LegalityCode::Limit,
                message: format!("the kernel would read {inputs} values"),
                flip: Some(format!(
                    "with a limit of {inputs} inputs instead of {limit}"
                )),
            });
        }
        pack_constants(&mut formed.kernel, self.device);
        follow_layouts(&mut formed.kernel);
        Ok(formed)
    }

    /// The kernel of a group, with the names of its nodes, ready to be lowered.
    pub(crate) fn realise(
        &self,
        nodes: &[NodeId],
        outputs: &[ValueId],
    ) -> Result<Realised, Illegal> {
        let formed = self.form(nodes, outputs)?;
        let (kernel, mut price) = realise(formed.kernel.clone(), self.device, self.reassociate)?;
        price.total += extend::time(&self.candidate(nodes, outputs));
        Ok(Realised {
            formed,
            kernel,
            price,
        })
    }
}

/// Applies layouts, places stages, and takes the cheapest of the forms that the numerics allow, its
/// iterators merged and scheduled.
fn realise(kernel: Kernel, device: &Device, reassociate: bool) -> Result<(Kernel, Price), Illegal> {
    let kernel = apply_layouts(kernel).map_err(legality::of_loops)?;
    let kernel = place_stages(kernel).map_err(legality::of_loops)?;
    cheapest_form(&kernel, device, reassociate).map_err(legality::of_schedule)
}

/// Gives constants that are read element by element beside a permuted activation its layout, so
/// that both are read alike.
fn follow_layouts(kernel: &mut Kernel) {
    let permuted = kernel
        .slots
        .iter()
        .filter(|s| s.role != Role::Constant)
        .filter_map(|s| {
            let layout = s.layout.clone()?;
            let plain = layout
                .dims
                .iter()
                .all(|d| matches!(d, PhysicalDim::Whole(_)));
            plain.then(|| (s.ty.rank(), layout))
        });
    let layouts: BTreeMap<usize, Layout> = permuted.collect();
    for slot in kernel.slots.iter_mut().filter(|s| s.role == Role::Constant) {
        if slot.layout.is_none()
            && let Some(layout) = layouts.get(&slot.ty.rank())
            && !layout.is_row_major(&slot.ty.shape)
        {
            slot.layout = Some(layout.clone());
        }
    }
}
