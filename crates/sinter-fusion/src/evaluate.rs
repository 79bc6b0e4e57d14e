//! Candidate kernels: formed for real, placed, scheduled and priced, each structure once.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use sinter_device::{
    ChosenForm, Device, Price, Time, cheapest_form, pack_constants, touched_bytes,
};
use sinter_loops::kernel::{Kernel, Layout, PhysicalDim, Role};
use sinter_loops::{apply_layouts, place_stages};
use sinter_ops::form::{Formed, form};
use sinter_ops::{Graph, NodeId, Op, Operator, ValueId};

use crate::control::Resolved;
use crate::cost::Cost;
use crate::error::origin_of;
use crate::extend::{self, Candidate};
use crate::flip::KernelLimit;
use crate::fused::Placement;
use crate::legality::{self, LegalityCode};
use crate::memo::{Known, Numbered, Numbers, Scheduled, Shared, Structure};
use crate::options::Limits;
use crate::stored::Stored;
use crate::unplaced::{self, Hands};

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
    pub(crate) chosen: ChosenForm,
}

/// Who makes and who uses a graph's values, once it was asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses {
    producers: OnceCell<Vec<Option<NodeId>>>,
    users: OnceCell<Vec<Vec<NodeId>>>,
}

/// Evaluates candidates of one graph on one device.
pub(crate) struct Evaluator<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) device: &'a Device,
    pub(crate) limits: &'a Limits,
    pub(crate) layouts: &'a BTreeMap<ValueId, Layout>,
    /// Whether kernels may have forms of the numerics class `reassociating`.
    pub(crate) reassociate: bool,
    /// Threads that find out about kernels; what they find does not depend on it.
    pub(crate) threads: usize,
    /// What extraction minimises.
    pub(crate) cost: &'a Cost,
    /// What the user insists on.
    pub(crate) control: Rc<Resolved>,
    /// Shared among evaluators of one graph.
    pub(crate) uses: Rc<Uses>,
    by_nodes: HashMap<(Vec<NodeId>, Vec<ValueId>), Outcome>,
    pub(crate) stored: Stored<'a>,
    pub(crate) memo: Shared,
    numbers: Numbers,
    /// Candidates formed.
    pub(crate) evaluated: usize,
    /// Candidates whose structure was known.
    pub(crate) memoised: usize,
}

impl<'a> Evaluator<'a> {
    /// An evaluator by itself.
    pub(crate) fn new(
        graph: &'a Graph,
        device: &'a Device,
        limits: &'a Limits,
        layouts: &'a BTreeMap<ValueId, Layout>,
        placements: &'a [Placement],
    ) -> Self {
        let memo = Shared::default();
        Self::with_memo(graph, device, limits, layouts, placements, &memo)
    }

    /// An evaluator that shares what it finds out with others of the same device and limits.
    pub(crate) fn with_memo(
        graph: &'a Graph,
        device: &'a Device,
        limits: &'a Limits,
        layouts: &'a BTreeMap<ValueId, Layout>,
        placements: &'a [Placement],
        memo: &Shared,
    ) -> Self {
        Self {
            graph,
            device,
            limits,
            layouts,
            reassociate: false,
            threads: 1,
            cost: &Cost::Time,
            control: Rc::default(),
            uses: Rc::default(),
            by_nodes: HashMap::new(),
            stored: Stored::new(graph, layouts, placements),
            memo: memo.clone(),
            numbers: Numbers::default(),
            evaluated: 0,
            memoised: 0,
        }
    }

    /// Whether kernels that are alike have one price: neither the user nor what another crate registered
    /// tells them apart.
    pub(crate) fn treats_alike(&self) -> bool {
        self.control.is_empty() && !extend::judges_kernels()
    }

    /// The node that makes each value, by value id.
    pub(crate) fn producers(&self) -> &[Option<NodeId>] {
        self.uses.producers.get_or_init(|| self.graph.producers())
    }

    /// Where a value is stored that is a part of another.
    pub(crate) fn placement(&self, value: ValueId) -> Option<&'a Placement> {
        self.stored.placed(value)
    }

    /// The nodes that use each value, by value id.
    pub(crate) fn users(&self) -> &[Vec<NodeId>] {
        self.uses.users.get_or_init(|| self.graph.users())
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
        if let Err(illegal) = outcome.as_ref() {
            self.log_refusal(nodes, illegal);
        }
        self.by_nodes.insert(key, outcome.clone());
        outcome
    }

    fn log_refusal(&self, nodes: &[NodeId], illegal: &Illegal) {
        let origins = |n: &NodeId| &self.graph.nodes[n.0 as usize].origins;
        tracing::trace!(
            code = illegal.code.code(),
            nodes = ?nodes.iter().flat_map(origins).collect::<Vec<_>>(),
            "no kernel: {}",
            illegal.message
        );
    }

    /// Time of a kernel, none when it is illegal.
    pub(crate) fn time(&mut self, nodes: &[NodeId], outputs: &[ValueId]) -> Option<Time> {
        self.price(nodes, outputs)
            .as_ref()
            .as_ref()
            .ok()
            .map(|p| p.price.total)
    }

    fn evaluate(&mut self, nodes: &[NodeId], outputs: &[ValueId]) -> Result<Priced, Illegal> {
        self.check(nodes, outputs)?;
        extend::check(&self.candidate(nodes, outputs))?;
        self.evaluated += 1;
        let structure = self.structure(nodes, outputs);
        let known = self.known(nodes, outputs, &structure);
        let known = known.map_err(|illegal| self.named(illegal, nodes))?;
        let mut price = known.chosen.price.clone();
        price.total += extend::time(&self.candidate(nodes, outputs));
        price.total = self.cost.of(&price, self.graph, nodes);
        let touched = known.touched.iter();
        Ok(Priced {
            price,
            touched: touched
                .map(|&(n, role, bytes)| (structure.values[n], role, bytes))
                .collect(),
        })
    }

    /// What can be said of a kernel before it is formed.
    pub(crate) fn check(&self, nodes: &[NodeId], outputs: &[ValueId]) -> Result<(), Illegal> {
        self.check_limits(nodes, outputs)?;
        self.check_effects(nodes)?;
        self.check_views(nodes)?;
        legality::check_elements(self.graph, self.device, nodes)
    }

    fn candidate<'b>(&'b self, nodes: &'b [NodeId], outputs: &'b [ValueId]) -> Candidate<'b> {
        Candidate {
            graph: self.graph,
            nodes,
            outputs,
            device: self.device,
        }
    }

    pub(crate) fn structure(&mut self, nodes: &[NodeId], outputs: &[ValueId]) -> Structure {
        let mut memo = self.memo.borrow_mut();
        let numbered = Numbered {
            graph: self.graph,
            storage: &self.stored,
            numbers: &mut self.numbers,
        };
        memo.structure(numbered, nodes, outputs)
    }

    fn known(&mut self, nodes: &[NodeId], outputs: &[ValueId], structure: &Structure) -> Known {
        let known = self.memo.borrow_mut().get(&structure.key);
        if let Some((known, asked)) = known {
            self.memoised += usize::from(asked);
            return known;
        }
        let found = self.find_out(nodes, outputs, &structure.values);
        let key = structure.key.clone();
        self.memo.borrow_mut().insert(key, found.clone());
        found
    }

    /// Forms, schedules and prices a kernel. Of the values that it touches, those are told that it
    /// reads from outside or writes, by their places in `values`.
    pub(crate) fn find_out(
        &self,
        nodes: &[NodeId],
        outputs: &[ValueId],
        values: &[ValueId],
    ) -> Known {
        let mut formed = self.form(nodes, outputs)?;
        let makers = self.makers(nodes);
        for (stage, place) in formed.kernel.stages.iter_mut().zip(makers) {
            stage.origins = vec![place.to_string()];
        }
        let bytes = touched_bytes(&formed.kernel);
        let slots = formed.values.iter().zip(&formed.kernel.slots).zip(bytes);
        let touched = slots.filter_map(|((value, slot), bytes)| {
            let stored = slot.role != Role::Temporary;
            let place = values.iter().position(|v| stored && Some(*v) == *value)?;
            Some((place, slot.role, bytes))
        });
        let touched = touched.collect();
        let chosen = realise(formed.kernel, self.device, self.reassociate)?;
        Ok(Arc::new(Scheduled { chosen, touched }))
    }

    /// By stage of the formed kernel, the place of its node.
    fn makers(&self, nodes: &[NodeId]) -> Vec<usize> {
        let mut out = Vec::new();
        for (place, node) in nodes.iter().enumerate() {
            let node = &self.graph.nodes[node.0 as usize];
            let types: Vec<_> = node.inputs.iter().map(|v| self.graph.ty(*v)).collect();
            let types: Vec<_> = types.into_iter().cloned().collect();
            let stages = node.op.loops(&types).map_or(0, |l| l.stages.len());
            out.extend(std::iter::repeat_n(place, stages));
        }
        out
    }

    /// No node may read another one's result through a view that is not in the kernel: the view is of
    /// bytes that are there once the kernel has run.
    fn check_views(&self, nodes: &[NodeId]) -> Result<(), Illegal> {
        let node = |n: NodeId| &self.graph.nodes[n.0 as usize];
        let makers = |n: NodeId| {
            let inputs = node(n).inputs.iter();
            inputs.filter_map(|v| self.producers()[v.0 as usize])
        };
        let inside = |n: &NodeId| nodes.binary_search(n).is_ok();
        let is_view = |n: NodeId| {
            matches!(
                node(n).op,
                Op::Transpose(_) | Op::Reshape(_) | Op::Concat(_)
            )
        };
        let mut seen = BTreeSet::new();
        let mut open: Vec<NodeId> = nodes.iter().flat_map(|&n| makers(n)).collect();
        open.retain(|n| !inside(n));
        while let Some(outside) = open.pop() {
            if !is_view(outside) || !seen.insert(outside) {
                continue;
            }
            if makers(outside).any(|n| inside(&n)) {
                return Err(Illegal {
                    code: LegalityCode::View,
                    message: "a result is read through a view of its stored bytes".to_owned(),
                    flip: None,
                });
            }
            open.extend(makers(outside));
        }
        Ok(())
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
        let mut formed = form(self.graph, nodes, outputs, &self.stored).map_err(|e| Illegal {
            code: LegalityCode::NoLoopForm,
            message: e.to_string(),
            flip: None,
        })?;
        let inputs = formed.kernel.arguments().count();
        if inputs > self.limits.kernel_inputs {
            return Err(self.over(&[(KernelLimit::Inputs, inputs)]));
        }
        pack_constants(&mut formed.kernel, self.device);
        follow_layouts(&mut formed.kernel);
        Ok(formed)
    }

    /// The kernel of a group, with the names of its nodes, ready to be lowered.
    pub(crate) fn realise(
        &mut self,
        nodes: &[NodeId],
        outputs: &[ValueId],
    ) -> Result<Realised, Illegal> {
        let formed = self.form(nodes, outputs)?;
        let structure = self.structure(nodes, outputs);
        let known = self.known(nodes, outputs, &structure);
        let known = known.map_err(|illegal| self.named(illegal, nodes))?;
        let mut chosen = known.chosen.clone();
        for stage in &mut chosen.kernel.stages {
            stage.origins = self.names(nodes, &stage.origins);
        }
        chosen.price.total += extend::time(&self.candidate(nodes, outputs));
        Ok(Realised { formed, chosen })
    }

    /// A refusal with the names of the kernel's nodes.
    fn named(&self, illegal: Illegal, nodes: &[NodeId]) -> Illegal {
        illegal.named(|place| match nodes.get(place) {
            Some(n) => origin_of(&self.graph.nodes[n.0 as usize].origins),
            None => "an operator".to_owned(),
        })
    }

    /// Names of the nodes at places that are given as text, each once.
    fn names(&self, nodes: &[NodeId], places: &[String]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for place in places {
            let node = place.parse().ok().and_then(|p: usize| nodes.get(p));
            let origins = node.map(|n| &self.graph.nodes[n.0 as usize].origins);
            for name in origins.into_iter().flatten() {
                if !out.contains(name) {
                    out.push(name.clone());
                }
            }
        }
        out
    }
}

/// Applies layouts, places stages, and takes the cheapest of the forms that the numerics allow, its
/// iterators merged and scheduled.
fn realise(kernel: Kernel, device: &Device, reassociate: bool) -> Result<ChosenForm, Illegal> {
    // Layouts and placing leave the numbers of values.
    let hands = Hands::of(&kernel);
    let laid_out = apply_layouts(kernel).map_err(|e| unplaced::of_loops(e, &hands))?;
    let placed = place_stages(laid_out).map_err(|e| unplaced::of_loops(e, &hands))?;
    cheapest_form(&placed, device, reassociate)
        .map_err(|e| unplaced::of_schedule(e, &placed, device))
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
