//! Forms a kernel from nodes of a graph: their loops, one after another, over shared slots.
//!
//! The kernel is *unplaced*: one or more nests per operator in topological order, over logical
//! shapes, linked by temporaries that hold whole values. Slots are the values read from outside and
//! the constants in the order of their first use, then temporaries, then outputs in the order asked
//! for. What may be fused, laid out and placed is decided on this kernel by `sinter-loops`.
//!
//! - A constant whose elements are all the same becomes a literal of the bodies that read it, unless
//!   it is a factor of a contraction (whose body is one product of two reads) or is read with padding.
//! - A value that is an output and is used inside too is written twice by its nests: to a temporary
//!   and to its output slot. No stage reads an output slot.
//! - A value placed within a bigger buffer has a slot of the bigger type; its accesses are shifted.

mod literals;

use std::collections::BTreeMap;

use sinter_loops::kernel::{Kernel, Layout, Role, Slot};
use sinter_loops::nest::{Access, Nest};
use sinter_loops::types::TensorType;

use crate::graph::{Graph, Node, NodeId, ValueId};
use crate::operator::{Loops, OpError, Operator};
use crate::support::{err, require, with_offset};

/// Where a value lies within a bigger one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    /// The type of the value that the buffer holds, of the same rank and element type.
    pub whole_type: TensorType,
    /// The index of the part's first element, per dimension.
    pub offset: Vec<i64>,
}

/// How values that a kernel reads from and writes to device memory are stored.
pub trait Storage {
    /// The layout of the buffer that holds the value; row-major where absent. For a placed value this
    /// is the layout of the whole.
    fn layout(&self, value: ValueId) -> Option<Layout>;

    /// The bigger value that the value is a part of, if it is.
    fn placement(&self, value: ValueId) -> Option<Placement>;
}

/// Every value by itself, row-major.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowMajor;

impl Storage for RowMajor {
    fn layout(&self, _: ValueId) -> Option<Layout> {
        None
    }
    fn placement(&self, _: ValueId) -> Option<Placement> {
        None
    }
}

/// A kernel and the values that its slots stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formed {
    /// The kernel; its name is `kernel`.
    pub kernel: Kernel,
    /// The value of each slot; `None` for temporaries between the stages of one operator.
    pub values: Vec<Option<ValueId>>,
}

/// The kernel that computes `outputs` with exactly the given nodes.
///
/// # Errors
/// See [`form`].
pub fn kernel(
    graph: &Graph,
    nodes: &[NodeId],
    outputs: &[ValueId],
    storage: &dyn Storage,
) -> Result<Kernel, OpError> {
    form(graph, nodes, outputs, storage).map(|f| f.kernel)
}

/// The kernel that computes `outputs` with exactly the given nodes, and what its slots stand for.
///
/// # Errors
/// When an operator has no loop form (the message starts with the operator's name), an output is made
/// by none of the nodes, a tensor has no elements, or a placed value is read with padding where the
/// part has neighbours.
pub fn form(
    graph: &Graph,
    nodes: &[NodeId],
    outputs: &[ValueId],
    storage: &dyn Storage,
) -> Result<Formed, OpError> {
    let mut nodes = nodes.to_vec();
    nodes.sort_unstable();
    nodes.dedup();
    let mut former = Former::new(graph, &nodes, outputs, storage);
    for &id in &nodes {
        let node = &graph.nodes[id.0 as usize];
        former
            .add(node)
            .map_err(|e| OpError(format!("{}: {e}", node.op.mnemonic())))?;
    }
    former.finish()
}

/// What a stage reads or writes, before slots are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A value made outside, or a constant.
    Outside(ValueId),
    /// A value made and used inside.
    Inside(ValueId),
    /// Between the stages of the `n`-th operator.
    Between(usize, usize),
    /// An output.
    Output(ValueId),
}

struct Former<'a> {
    graph: &'a Graph,
    storage: &'a dyn Storage,
    outputs: &'a [ValueId],
    /// Values made inside, and whether a node inside uses them.
    inside: BTreeMap<ValueId, bool>,
    /// Places in the order in which they are met; stages refer to them by number.
    places: Vec<(Place, TensorType)>,
    numbers: BTreeMap<Place, usize>,
    stages: Vec<Nest>,
    operators: usize,
}

impl<'a> Former<'a> {
    fn new(
        graph: &'a Graph,
        nodes: &[NodeId],
        outputs: &'a [ValueId],
        storage: &'a dyn Storage,
    ) -> Self {
        let node = |id: &NodeId| &graph.nodes[id.0 as usize];
        let mut inside: BTreeMap<_, _> = nodes
            .iter()
            .flat_map(|id| node(id).outputs.iter().map(|&v| (v, false)))
            .collect();
        for input in nodes.iter().flat_map(|id| &node(id).inputs) {
            if let Some(used) = inside.get_mut(input) {
                *used = true;
            }
        }
        Self {
            graph,
            storage,
            outputs,
            inside,
            places: Vec::new(),
            numbers: BTreeMap::new(),
            stages: Vec::new(),
            operators: 0,
        }
    }

    fn number(&mut self, place: Place, ty: &TensorType) -> usize {
        *self.numbers.entry(place).or_insert_with(|| {
            self.places.push((place, ty.clone()));
            self.places.len() - 1
        })
    }

    fn add(&mut self, node: &Node) -> Result<(), OpError> {
        let graph = self.graph;
        let types: Vec<_> = node.inputs.iter().map(|&v| graph.ty(v).clone()).collect();
        let loops = node.op.loops(&types)?;
        let numbers = self.operator_places(node, &loops);
        for mut stage in loops.stages {
            require(stage.iters.iter().all(|i| i.extent > 0), || {
                "a tensor without elements has no loop form".into()
            })?;
            literals::inline(&mut stage, |operand| {
                let constant = graph.as_constant(*node.inputs.get(operand)?)?;
                constant.splat()
            });
            for access in stage.reads.iter_mut().chain(&mut stage.finish_reads) {
                access.operand = numbers[access.operand][0];
            }
            self.spread_writes(&mut stage, &numbers);
            self.shift_placed(&mut stage)?;
            stage.origins.clone_from(&node.origins);
            self.stages.push(stage);
        }
        self.operators += 1;
        Ok(())
    }

    /// The places of an operator's slots. A result that is an output and used inside has two.
    fn operator_places(&mut self, node: &Node, loops: &Loops) -> Vec<Vec<usize>> {
        let graph = self.graph;
        let mut numbers = Vec::new();
        for &value in &node.inputs {
            let place = match self.inside.contains_key(&value) {
                true => Place::Inside(value),
                false => Place::Outside(value),
            };
            numbers.push(vec![self.number(place, graph.ty(value))]);
        }
        for (i, ty) in loops.temporaries.iter().enumerate() {
            numbers.push(vec![self.number(Place::Between(self.operators, i), ty)]);
        }
        for &value in &node.outputs {
            let is_output = self.outputs.contains(&value);
            let is_used = self.inside.get(&value) == Some(&true);
            let mut both = Vec::new();
            if is_used || !is_output {
                both.push(self.number(Place::Inside(value), graph.ty(value)));
            }
            if is_output {
                both.push(self.number(Place::Output(value), graph.ty(value)));
            }
            numbers.push(both);
        }
        numbers
    }

    /// Renumbers the writes; one to a slot with two places becomes two writes of the same result.
    fn spread_writes(&self, stage: &mut Nest, numbers: &[Vec<usize>]) {
        let mut writes = Vec::new();
        let mut results = Vec::new();
        for (write, &result) in stage.writes.iter().zip(&stage.finish.results) {
            for &operand in &numbers[write.operand] {
                writes.push(Access {
                    operand,
                    ..write.clone()
                });
                results.push(result);
            }
        }
        stage.writes = writes;
        stage.finish.results = results;
    }

    /// Shifts the accesses of placed values.
    fn shift_placed(&self, stage: &mut Nest) -> Result<(), OpError> {
        let extents = stage.extents();
        for access in stage.accesses_mut() {
            let (place, ty) = &self.places[access.operand];
            let (Place::Outside(value) | Place::Output(value)) = place else {
                continue;
            };
            let Some(placement) = self.storage.placement(*value) else {
                continue;
            };
            let (whole, offset) = (&placement.whole_type, &placement.offset);
            check_placement(ty, &placement)?;
            for (d, index) in access.index.iter_mut().enumerate() {
                let alone = ty.shape[d] == whole.shape[d];
                let padded = access.pad.is_some() && !index.range(&extents).is_inside(ty.shape[d]);
                require(alone || !padded, || {
                    format!("dimension {d} of a part of {whole} is read with padding")
                })?;
                *index = with_offset(index.clone(), offset[d]);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Formed, OpError> {
        let mut slots = Vec::new();
        let mut values = Vec::new();
        let mut numbers = vec![None; self.places.len()];
        let read: Vec<usize> = self
            .stages
            .iter()
            .flat_map(reads)
            .map(|a| a.operand)
            .collect();
        let arguments = read.iter().copied().filter(|&n| self.is_outside(n));
        let temporaries = (0..self.places.len())
            .filter(|&n| matches!(self.places[n].0, Place::Inside(_) | Place::Between(..)));
        let mut results = Vec::new();
        for &value in self.outputs {
            match self.numbers.get(&Place::Output(value)) {
                Some(&n) => results.push(n),
                None => return err(format!("no node of the group makes its output {}", value.0)),
            }
        }
        for n in arguments.chain(temporaries).chain(results) {
            if numbers[n].is_none() {
                numbers[n] = Some(slots.len());
                let (slot, value) = self.slot(n);
                slots.push(slot);
                values.push(value);
            }
        }
        for access in self.stages.iter_mut().flat_map(Nest::accesses_mut) {
            if let Some(slot) = numbers[access.operand] {
                access.operand = slot;
            }
        }
        let kernel = Kernel {
            name: "kernel".into(),
            slots,
            stages: self.stages,
            schedule: None,
        };
        Ok(Formed { kernel, values })
    }

    fn is_outside(&self, number: usize) -> bool {
        matches!(self.places[number].0, Place::Outside(_))
    }

    fn slot(&self, number: usize) -> (Slot, Option<ValueId>) {
        let (place, ty) = &self.places[number];
        let stored = |value: ValueId, role| {
            let placement = self.storage.placement(value);
            let ty = placement.map_or_else(|| ty.clone(), |p| p.whole_type);
            (
                Slot {
                    ty,
                    role,
                    layout: self.storage.layout(value),
                },
                Some(value),
            )
        };
        match *place {
            Place::Outside(value) if self.graph.as_constant(value).is_some() => {
                stored(value, Role::Constant)
            }
            Place::Outside(value) => stored(value, Role::Input),
            Place::Output(value) => stored(value, Role::Output),
            Place::Inside(value) => (Slot::new(ty.clone(), Role::Temporary), Some(value)),
            Place::Between(..) => (Slot::new(ty.clone(), Role::Temporary), None),
        }
    }
}

fn reads(stage: &Nest) -> impl Iterator<Item = &Access> {
    stage.reads.iter().chain(&stage.finish_reads)
}

fn check_placement(part: &TensorType, placement: &Placement) -> Result<(), OpError> {
    let (whole, offset) = (&placement.whole_type, &placement.offset);
    let fits = whole.element == part.element
        && whole.rank() == part.rank()
        && offset.len() == part.rank()
        && (0..part.rank()).all(|d| offset[d] >= 0 && offset[d] + part.shape[d] <= whole.shape[d]);
    require(fits, || {
        format!("{part} does not lie within {whole} at {offset:?}")
    })
}
