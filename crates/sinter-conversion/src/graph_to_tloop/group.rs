//! A group as a graph, and the kernel that its operators form.

use melior::ir::Attribute;
use melior::ir::RegionLike;
use melior::ir::operation::{OperationLike, OperationRef};
use sinter_ir::graph::{BlockGraph, Placed, block_to_graph, placement_from_attribute};
use sinter_ir::kernel::{canonical, layout_from_attribute};
use sinter_ir::{IrError, attr, constant, location, melior};
use sinter_loops::kernel::{Kernel, Layout};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::form::{Placement, Storage, form};
use sinter_ops::{NodeId, OwnKernel, ValueId};

use super::{Base, Stored};

/// What a kernel reads.
pub(super) enum Argument {
    Operand(usize),
    /// A constant inside the group that stays a tensor.
    Constant(Tensor),
}

/// A group as plain data.
pub(super) struct Group {
    body: BlockGraph,
    pub(super) layouts: Vec<Option<Layout>>,
    pub(super) placements: Vec<Option<Placed>>,
}

impl Group {
    pub(super) fn read(
        op: OperationRef<'_, '_>,
        operands: &[Stored<'_, '_>],
    ) -> Result<Self, IrError> {
        let block = op
            .region(0)
            .ok()
            .and_then(|r| r.first_block())
            .ok_or_else(|| IrError::Missing("a group has no body".into()))?;
        let known = |i: usize| {
            operands[i]
                .constant
                .map(constant::from_attribute)
                .transpose()
        };
        let body = block_to_graph(block, known)?;
        let entries = |name: &str| -> Vec<Attribute<'_>> {
            op.attribute(name)
                .ok()
                .and_then(attr::as_array)
                .unwrap_or_default()
        };
        let (layouts, placements) = (entries("layouts"), entries("placements"));
        let results = 0..op.result_count();
        Ok(Self {
            body,
            layouts: results
                .clone()
                .map(|k| layouts.get(k).and_then(|&a| layout_from_attribute(a)))
                .collect(),
            placements: results
                .map(|k| placements.get(k).and_then(|&a| placement_from_attribute(a)))
                .collect(),
        })
    }

    /// The user's own kernels that are a part of it.
    pub(super) fn own_kernels(&self) -> impl Iterator<Item = &str> {
        let nodes = self.body.graph.nodes.iter();
        nodes.filter_map(|n| Some(OwnKernel::of(&n.op)?.kernel().name.as_str()))
    }

    /// The kernel in canonical order, and what its arguments are.
    pub(super) fn kernel(
        &self,
        op: OperationRef<'_, '_>,
        operands: &[Stored<'_, '_>],
    ) -> Result<(Kernel, Vec<Argument>), IrError> {
        let BlockGraph {
            graph,
            arguments,
            results,
        } = &self.body;
        let nodes: Vec<NodeId> = (0..graph.nodes.len() as u32).map(NodeId).collect();
        let storage = GroupStorage {
            group: self,
            operands,
        };
        let formed = form(graph, &nodes, results, &storage).map_err(|cause| IrError::Operator {
            operation: "graph.group".into(),
            location: location::origins(op.location()).join(", "),
            cause,
        })?;
        let mut kernel = formed.kernel;
        let symbol = op
            .attribute("kernel")
            .ok()
            .and_then(attr::as_str)
            .unwrap_or("kernel");
        kernel.name = symbol.to_owned();
        let given: Vec<Attribute<'_>> = op
            .attribute("graph.operand_layouts")
            .ok()
            .and_then(attr::as_array)
            .unwrap_or_default();
        let mut read = Vec::new();
        for slot in kernel.arguments().collect::<Vec<_>>() {
            let value = formed.values[slot]
                .ok_or_else(|| IrError::Missing("a kernel's argument has no value".into()))?;
            match arguments.iter().position(|&a| a == value) {
                Some(i) => {
                    if let Some(&layout) = given.get(i) {
                        kernel.slots[slot].layout = layout_from_attribute(layout);
                    }
                    read.push(Argument::Operand(i));
                }
                None => {
                    let tensor = graph.as_constant(value).cloned();
                    read.push(Argument::Constant(tensor.ok_or_else(|| {
                        IrError::Missing("a kernel reads what its group does not hold".into())
                    })?));
                }
            }
        }
        Ok((canonical(&kernel), read))
    }
}

struct GroupStorage<'g, 's, 'c, 'b> {
    group: &'g Group,
    operands: &'s [Stored<'c, 'b>],
}

impl GroupStorage<'_, '_, '_, '_> {
    fn operand(&self, value: ValueId) -> Option<&Stored<'_, '_>> {
        let i = self.group.body.arguments.iter().position(|&a| a == value)?;
        self.operands.get(i)
    }

    fn result(&self, value: ValueId) -> Option<usize> {
        self.group.body.results.iter().position(|&r| r == value)
    }
}

impl Storage for GroupStorage<'_, '_, '_, '_> {
    fn layout(&self, value: ValueId) -> Option<Layout> {
        match self.operand(value) {
            Some(stored) => stored.layout.clone(),
            None => self.group.layouts.get(self.result(value)?)?.clone(),
        }
    }

    fn placement(&self, value: ValueId) -> Option<Placement> {
        let ty = self.group.body.graph.ty(value);
        let placed = match self.operand(value) {
            Some(Stored {
                base: Base::Part(placed),
                ..
            }) => placed,
            Some(_) => return None,
            None => self.group.placements.get(self.result(value)?)?.as_ref()?,
        };
        (placed.shape != ty.shape).then(|| Placement {
            whole_type: TensorType::new(ty.element, placed.shape.clone()),
            offset: placed.offset.clone(),
        })
    }
}
