//! A fused program as a module: one `graph.group` per kernel.
//!
//! Around the groups stand the constants they read and the operators that cost nothing: reshapes and
//! transposes that only rename bytes, and concatenations whose parts are stored in place.
//!
//! | attribute | on | says |
//! |---|---|---|
//! | `layouts` | group | layout of each result in memory |
//! | `placements` | group | the buffer that each result is a part of |
//! | `graph.operand_layouts` | group | layout of each operand in memory, packed constants included |
//! | `schedule`, `form`, `price_ns` | group | the schedule that the price assumes, the number of the form that it is of, and the price |
//! | `decision` | group | why it is a kernel |
//! | `graph.layout`, `graph.placement` | view | how the view's bytes lie |
//! | `graph.refusals` | function | what was not fused, and why |

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use melior::ir::operation::{OperationMutLike, OperationRefMut};
use melior::ir::{Attribute, Block, BlockLike, Module, Region, RegionLike, ValueLike};
use sinter_fusion::{Fused, Group, View};
use sinter_ir::build::{Parts, lasting, operation};
use sinter_ir::graph::{
    Decision, NodeBuilder, Placed, decision_to_attribute, main_function, module_with,
    placement_to_attribute,
};
use sinter_ir::kernel::{graph_layout_to_attribute, schedule_to_attribute};
use sinter_ir::{IrError, attr, location, types};
use sinter_loops::kernel::{Layout, Role};
use sinter_ops::{NodeId, ValueId};

/// Attribute of a group: a layout per operand.
pub const OPERAND_LAYOUTS: &str = "graph.operand_layouts";
/// Attribute of a view: its layout.
pub const VIEW_LAYOUT: &str = "graph.layout";
/// Attribute of a view: its place in a bigger buffer.
pub const VIEW_PLACEMENT: &str = "graph.placement";
/// Attribute of the function: what was not fused.
pub const REFUSALS: &str = "graph.refusals";

/// The module of a fused program.
///
/// # Errors
/// When the program is not one: a group reads what no group or view makes.
pub fn fused_to_module<'c>(
    context: &'c melior::Context,
    fused: &Fused,
) -> Result<Module<'c>, IrError> {
    let export = Export::new(context, fused);
    let module = module_with(context, &fused.graph, |nodes| {
        for group in &fused.groups {
            for &input in &group.inputs {
                export.define(nodes, input)?;
            }
            export.group(nodes, group)?;
        }
        fused
            .graph
            .outputs
            .iter()
            .try_for_each(|(_, v)| export.define(nodes, *v))
    })?;
    let refusals: Result<Vec<_>, _> = fused.refusals.iter().map(|r| export.refusal(r)).collect();
    let refusals = refusals?;
    if !refusals.is_empty() {
        let function = main_function(&module)?;
        // SAFETY: nothing else refers to the function while its attribute is set.
        let mut function = unsafe { OperationRefMut::from_raw(function.to_raw()) };
        function.set_attribute(REFUSALS, ArrayAttribute::new(context, &refusals).into());
    }
    Ok(module)
}

struct Export<'c, 'f> {
    context: &'c melior::Context,
    fused: &'f Fused,
    views: BTreeMap<ValueId, &'f View>,
    placed: BTreeMap<ValueId, Placed>,
}

impl<'c, 'f> Export<'c, 'f> {
    fn new(context: &'c melior::Context, fused: &'f Fused) -> Self {
        let wholes: BTreeSet<ValueId> = fused.placements.iter().map(|p| p.whole).collect();
        let name = |whole: ValueId| {
            let number = wholes.iter().position(|&w| w == whole).unwrap_or(0);
            format!("buffer{number}")
        };
        let placed = fused.placements.iter().map(|p| {
            let shape = fused.graph.ty(p.whole).shape.clone();
            (
                p.part,
                Placed {
                    buffer: name(p.whole),
                    offset: p.offset.clone(),
                    shape,
                },
            )
        });
        let mut placed: BTreeMap<_, _> = placed.collect();
        for &whole in &wholes {
            let shape = fused.graph.ty(whole).shape.clone();
            let offset = vec![0; shape.len()];
            placed.entry(whole).or_insert(Placed {
                buffer: name(whole),
                offset,
                shape,
            });
        }
        Self {
            context,
            fused,
            views: fused.views.iter().map(|v| (v.value, v)).collect(),
            placed,
        }
    }

    /// Appends the views behind a value that is not there yet.
    fn define(&self, nodes: &mut NodeBuilder<'c, '_, '_>, value: ValueId) -> Result<(), IrError> {
        if nodes.is_defined(value) {
            return Ok(());
        }
        let view = self
            .views
            .get(&value)
            .ok_or_else(|| IrError::Missing(format!("value {} is made by no kernel", value.0)))?;
        let node = &self.fused.graph.nodes[view.node.0 as usize];
        for &input in &node.inputs {
            self.define(nodes, input)?;
        }
        let mut further = Vec::new();
        if let Some(layout) = self.fused.layouts.get(&value) {
            further.push((
                VIEW_LAYOUT,
                graph_layout_to_attribute(self.context, layout)?,
            ));
        }
        if let Some(placed) = self.placed.get(&value) {
            further.push((
                VIEW_PLACEMENT,
                placement_to_attribute(self.context, placed)?,
            ));
        }
        nodes.node_with(node, &further)
    }

    fn group(&self, nodes: &mut NodeBuilder<'c, '_, '_>, group: &Group) -> Result<(), IrError> {
        let context = self.context;
        let graph = &self.fused.graph;
        let place = location::from_origins(context, &group.origins);
        let operands: Result<Vec<_>, _> = group.inputs.iter().map(|&v| nodes.value(v)).collect();
        let operands = operands?;
        let arguments: Vec<_> = operands.iter().map(|v| (v.r#type(), place)).collect();
        let block = Block::new(&arguments);
        {
            let mut inner = NodeBuilder::new(context, graph, &block);
            for (i, &input) in group.inputs.iter().enumerate() {
                let argument = block
                    .argument(i)
                    .map_err(|e| IrError::Missing(e.to_string()))?;
                inner.define(input, lasting(argument));
            }
            for &NodeId(node) in &group.nodes {
                let node = &graph.nodes[node as usize];
                for &input in &node.inputs {
                    if !inner.is_defined(input) {
                        inner.define_zeros(input)?;
                    }
                }
                inner.node(node)?;
            }
            let yielded: Result<Vec<_>, _> =
                group.outputs.iter().map(|&v| inner.value(v)).collect();
            let parts = Parts {
                operands: yielded?,
                ..Parts::default()
            };
            block.append_operation(operation(context, "graph.yield", place, parts)?);
        }
        let region = Region::new();
        region.append_block(block);
        let parts = Parts {
            operands,
            results: group
                .outputs
                .iter()
                .map(|&v| types::tensor_type(context, graph.ty(v)))
                .collect(),
            attributes: self.attributes(group)?,
            regions: vec![region],
        };
        nodes.append(
            operation(context, "graph.group", place, parts)?,
            &group.outputs,
        )
    }

    fn attributes(&self, group: &Group) -> Result<Vec<(&'static str, Attribute<'c>)>, IrError> {
        let context = self.context;
        let kernel = StringAttribute::new(context, &group.kernel.name).into();
        let mut list = vec![("kernel", kernel)];
        let layouts = |role: &dyn Fn(Role) -> bool| -> Vec<Option<&Layout>> {
            let slots = group.formed.slots.iter().filter(|s| role(s.role));
            slots.map(|s| s.layout.as_ref()).collect()
        };
        let stored = layouts(&|role| role == Role::Output);
        let read = layouts(&|role| matches!(role, Role::Input | Role::Constant));
        for (name, layouts) in [("layouts", stored), (OPERAND_LAYOUTS, read)] {
            if layouts.iter().any(Option::is_some) {
                list.push((name, self.layouts(&layouts)?));
            }
        }
        if group.outputs.iter().any(|v| self.placed.contains_key(v)) {
            let entries: Result<Vec<_>, _> = group
                .outputs
                .iter()
                .map(|v| match self.placed.get(v) {
                    Some(placed) => placement_to_attribute(context, placed),
                    None => Ok(Attribute::unit(context)),
                })
                .collect();
            list.push(("placements", ArrayAttribute::new(context, &entries?).into()));
        }
        if let Some(schedule) = &group.kernel.schedule {
            list.push(("schedule", schedule_to_attribute(context, schedule)?));
        }
        if group.form > 0 {
            list.push(("form", attr::int(context, group.form as i64)));
        }
        list.push(("price_ns", attr::float(context, group.price.total.ns())));
        let decision = Decision {
            code: if group.nodes.len() > 1 {
                "fused"
            } else {
                "single"
            }
            .to_string(),
            nodes: group.origins.clone(),
            message: group.decision.clone(),
            saved_bytes: group.bytes_saved as i64,
            flip: None,
        };
        list.push(("decision", decision_to_attribute(context, &decision)?));
        Ok(list)
    }

    fn layouts(&self, layouts: &[Option<&Layout>]) -> Result<Attribute<'c>, IrError> {
        let entries: Result<Vec<_>, _> = layouts
            .iter()
            .map(|layout| match layout {
                Some(layout) => graph_layout_to_attribute(self.context, layout),
                None => Ok(Attribute::unit(self.context)),
            })
            .collect();
        Ok(ArrayAttribute::new(self.context, &entries?).into())
    }

    fn refusal(&self, refusal: &sinter_fusion::Refusal) -> Result<Attribute<'c>, IrError> {
        let decision = Decision {
            code: refusal.code.code().to_string(),
            nodes: refusal.nodes.clone(),
            message: refusal.message.clone(),
            saved_bytes: refusal.saved_bytes as i64,
            flip: refusal.flip.clone(),
        };
        decision_to_attribute(self.context, &decision)
    }
}
