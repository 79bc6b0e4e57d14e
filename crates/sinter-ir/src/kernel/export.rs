//! Plain kernel to `tloop.kernel`.

use std::collections::BTreeMap;

use melior::ir::attribute::{ArrayAttribute, TypeAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{
    Attribute, Block, BlockLike, Location, Operation, Region, RegionLike, Type, Value,
};
use sinter_loops::kernel::{Kernel, Role};
use sinter_loops::nest::{Access, CombineFn, IterKind, Nest};
use sinter_loops::scalar::{BinaryFn, Body, FloatBits, Inst};

use super::cover::destinations;
use super::schedule::{layout_to_attribute, schedule_to_attribute};
use super::{CONTRACT, body_export};
use crate::build::{Parts, lasting, operation};
use crate::error::IrError;
use crate::graph::missing;
use crate::{affine, attr, location, types};

/// The operation of a kernel.
///
/// # Errors
/// When a stage reads a slot that nothing has written, a body has no spelling, or an operation
/// refuses its attributes.
pub fn kernel_to_op<'c>(
    context: &'c melior::Context,
    kernel: &Kernel,
) -> Result<Operation<'c>, IrError> {
    let slots_of = |wanted: &dyn Fn(Role) -> bool| -> Vec<usize> {
        (0..kernel.slots.len())
            .filter(|&s| wanted(kernel.slots[s].role))
            .collect()
    };
    let read = slots_of(&|role| matches!(role, Role::Input | Role::Constant));
    let results = slots_of(&|role| role == Role::Output);
    let arguments: Vec<usize> = read.iter().copied().chain(destinations(kernel)).collect();
    let type_of = |slot: &usize| types::tensor_type(context, &kernel.slots[*slot].ty);
    let inputs: Vec<Type<'c>> = arguments.iter().map(type_of).collect();
    let outputs: Vec<Type<'c>> = results.iter().map(type_of).collect();

    let origins = all_origins(kernel);
    let whole = location::from_origins(context, &origins);
    let block = Block::new(&inputs.iter().map(|&ty| (ty, whole)).collect::<Vec<_>>());
    {
        let mut stages = Stages {
            context,
            kernel,
            block: &block,
            values: BTreeMap::new(),
        };
        for (i, &slot) in arguments.iter().enumerate() {
            stages
                .values
                .insert(slot, lasting(block.argument(i).map_err(missing)?));
        }
        for nest in &kernel.stages {
            stages.nest(nest)?;
        }
        let operands: Result<Vec<_>, _> = results.iter().map(|&s| stages.value(s)).collect();
        let parts = Parts {
            operands: operands?,
            ..Parts::default()
        };
        block.append_operation(operation(context, "tloop.return", whole, parts)?);
    }
    let region = Region::new();
    region.append_block(block);

    let function = FunctionType::new(context, &inputs, &outputs);
    let mut attributes = vec![
        ("sym_name", attr::string(context, &kernel.name)),
        ("function_type", TypeAttribute::new(function.into()).into()),
        ("roles", roles(context, kernel, &arguments)),
    ];
    let described: Vec<usize> = arguments.iter().chain(&results).copied().collect();
    if let Some(layouts) = layouts(context, kernel, &described)? {
        attributes.push(("layouts", layouts));
    }
    if let Some(schedule) = &kernel.schedule {
        attributes.push(("schedule", schedule_to_attribute(context, schedule)?));
    }
    let parts = Parts {
        attributes,
        regions: vec![region],
        ..Parts::default()
    };
    operation(context, "tloop.kernel", whole, parts)
}

fn all_origins(kernel: &Kernel) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for origin in kernel.stages.iter().flat_map(|nest| &nest.origins) {
        if !out.contains(origin) {
            out.push(origin.clone());
        }
    }
    out
}

fn roles<'c>(context: &'c melior::Context, kernel: &Kernel, arguments: &[usize]) -> Attribute<'c> {
    let words: Vec<Attribute<'c>> = arguments
        .iter()
        .map(|&slot| {
            attr::string(
                context,
                match kernel.slots[slot].role {
                    Role::Constant => "constant",
                    Role::Output => "output",
                    Role::Input | Role::Temporary => "input",
                },
            )
        })
        .collect();
    ArrayAttribute::new(context, &words).into()
}

fn layouts<'c>(
    context: &'c melior::Context,
    kernel: &Kernel,
    slots: &[usize],
) -> Result<Option<Attribute<'c>>, IrError> {
    if slots.iter().all(|&s| kernel.slots[s].layout.is_none()) {
        return Ok(None);
    }
    let entries: Result<Vec<_>, _> = slots
        .iter()
        .map(|&s| match &kernel.slots[s].layout {
            Some(layout) => layout_to_attribute(context, layout),
            None => Ok(Attribute::unit(context)),
        })
        .collect();
    Ok(Some(ArrayAttribute::new(context, &entries?).into()))
}

struct Stages<'c, 'k, 'b> {
    context: &'c melior::Context,
    kernel: &'k Kernel,
    block: &'b Block<'c>,
    values: BTreeMap<usize, Value<'c, 'b>>,
}

impl<'c, 'b> Stages<'c, '_, 'b> {
    fn value(&self, slot: usize) -> Result<Value<'c, 'b>, IrError> {
        self.values.get(&slot).copied().ok_or_else(|| {
            IrError::Missing(format!(
                "kernel '{}': slot {slot} is read before a stage writes it",
                self.kernel.name
            ))
        })
    }

    fn nest(&mut self, nest: &Nest) -> Result<(), IrError> {
        let context = self.context;
        let place = location::from_origins(context, &nest.origins);
        let outs = self.outs(nest, place)?;
        let mut parts = Parts {
            attributes: self.attributes(nest),
            ..Parts::default()
        };
        for access in nest.reads.iter().chain(&nest.finish_reads) {
            parts.operands.push(self.value(access.operand)?);
        }
        parts.operands.extend(&outs);
        let segments = [nest.reads.len(), nest.finish_reads.len(), outs.len()];
        parts
            .attributes
            .push(("operandSegmentSizes", segment_sizes(context, &segments)));
        parts.results = nest
            .writes
            .iter()
            .map(|w| types::tensor_type(context, &self.kernel.slots[w.operand].ty))
            .collect();
        let name = if implied(nest) {
            "tloop.contract"
        } else {
            if nest.contract {
                parts.attributes.push((CONTRACT, Attribute::unit(context)));
            }
            parts
                .regions
                .push(body_export::region(context, place, &nest.body)?);
            "tloop.nest"
        };
        parts.regions.push(if is_identity(nest) {
            Region::new()
        } else {
            body_export::region(context, place, &nest.finish)?
        });
        let made = self
            .block
            .append_operation(operation(context, name, place, parts)?);
        for (i, write) in nest.writes.iter().enumerate() {
            self.values
                .insert(write.operand, lasting(made.result(i).map_err(missing)?));
        }
        Ok(())
    }

    /// Destinations: none when every write is the only one of its slot and no other kernel's part is
    /// beside it; else what has been written so far, or an empty tensor.
    fn outs(&mut self, nest: &Nest, place: Location<'c>) -> Result<Vec<Value<'c, 'b>>, IrError> {
        let shared = |slot: usize| {
            self.values.contains_key(&slot)
                || self
                    .kernel
                    .stages
                    .iter()
                    .flat_map(|n| &n.writes)
                    .filter(|w| w.operand == slot)
                    .count()
                    > 1
        };
        if !nest.writes.iter().any(|w| shared(w.operand)) {
            return Ok(Vec::new());
        }
        let mut outs = Vec::new();
        for write in &nest.writes {
            outs.push(match self.values.get(&write.operand) {
                Some(&value) => value,
                None => {
                    let ty = types::tensor_type(self.context, &self.kernel.slots[write.operand].ty);
                    let parts = Parts {
                        results: vec![ty],
                        ..Parts::default()
                    };
                    let empty = operation(self.context, "tensor.empty", place, parts)?;
                    lasting(
                        self.block
                            .append_operation(empty)
                            .result(0)
                            .map_err(missing)?,
                    )
                }
            });
        }
        Ok(outs)
    }

    fn attributes(&self, nest: &Nest) -> Vec<(&'b str, Attribute<'c>)> {
        let context = self.context;
        let array = |list: Vec<Attribute<'c>>| -> Attribute<'c> {
            ArrayAttribute::new(context, &list).into()
        };
        let maps = |accesses: &[Access]| {
            array(
                accesses
                    .iter()
                    .map(|a| affine::to_map_attribute(context, nest.iters.len(), &a.index))
                    .collect(),
            )
        };
        let float = |value: FloatBits| attr::float(context, value.get());
        let extents: Vec<_> = nest.iters.iter().map(|i| i.extent).collect();
        let kinds = nest.iters.iter().map(|i| {
            attr::string(
                context,
                match i.kind {
                    IterKind::Parallel => "parallel",
                    IterKind::Reduction => "reduction",
                },
            )
        });
        let mut list = vec![
            ("domain", attr::ints(context, &extents)),
            ("kinds", array(kinds.collect())),
            ("maps", maps(&nest.reads)),
            ("finish_maps", maps(&nest.finish_reads)),
            ("writes", maps(&nest.writes)),
        ];
        if nest.reads.iter().any(|r| r.pad.is_some()) {
            let pads = nest
                .reads
                .iter()
                .map(|r| r.pad.map_or(Attribute::unit(context), float));
            list.push(("pads", array(pads.collect())));
        }
        if implied(nest) {
            if let Some(combine) = nest.combines.first() {
                list.push(("init", float(combine.init)));
            }
        } else {
            let combine = nest
                .combines
                .iter()
                .map(|c| attr::string(context, word(c.function)));
            list.push(("combine", array(combine.collect())));
            list.push((
                "init",
                array(nest.combines.iter().map(|c| float(c.init)).collect()),
            ));
        }
        list
    }
}

fn word(function: CombineFn) -> &'static str {
    match function {
        CombineFn::Add => "add",
        CombineFn::Mul => "mul",
        CombineFn::Max => "max",
        CombineFn::Min => "min",
    }
}

/// Whether the nest is a contraction of its two reads themselves.
fn implied(nest: &Nest) -> bool {
    let Body {
        args,
        insts,
        results,
    } = &nest.body;
    nest.contract
        && args.len() == 2
        && *insts == [Inst::Binary(BinaryFn::Mul, 0, 1)]
        && *results == [2]
        && nest.combines.len() == 1
        && nest.combines[0].function == CombineFn::Add
}

fn is_identity(nest: &Nest) -> bool {
    nest.finish_reads.is_empty()
        && nest.finish.insts.is_empty()
        && nest.finish.args.len() == nest.body.results.len()
        && nest
            .finish
            .results
            .iter()
            .copied()
            .eq(0..nest.finish.args.len())
}

fn segment_sizes<'c>(context: &'c melior::Context, sizes: &[usize]) -> Attribute<'c> {
    let sizes: Vec<i32> = sizes.iter().map(|&n| n as i32).collect();
    melior::ir::attribute::DenseI32ArrayAttribute::new(context, &sizes).into()
}
