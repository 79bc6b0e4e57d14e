//! `func.func @main` of `tloop.launch`es to `npu.program`.
//!
//! Every tensor becomes a flat buffer: program argument, constant of the model file, or virtual buffer
//! of the arena. Reshapes, and destinations that a kernel writes a part of, are other names of the same
//! buffer. Barriers stand wherever a launch needs what one since the last barrier has written, or
//! writes what one has read.

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::{FunctionType, MemRefType};
use melior::ir::{
    Attribute, AttributeLike, Block, BlockLike, Location, Operation, Region, RegionLike, Type,
    Value, ValueLike,
};
use sinter_ir::build::{Parts, lasting, operation, value_key};
use sinter_ir::error::{IrError, missing};
use sinter_ir::graph::op_name;
use sinter_ir::kernel::{destinations, layout_to_attribute};
use sinter_ir::{attr, types};
use sinter_loops::kernel::{Kernel, Layout, Role, Schedule};
use sinter_loops::types::ElementType;

/// Attribute of `npu.constant`: the layout that its value is packed to in the model file.
pub const LAYOUT: &str = "layout";

/// Number of blocks of a launch.
pub fn blocks(schedule: &Schedule) -> i64 {
    schedule
        .grid
        .iter()
        .map(|a| (a.extent + a.tile - 1) / a.tile)
        .product()
}

/// Converts the function. `kernels` are the scheduled kernels by symbol.
///
/// # Errors
/// When the function holds anything but launches, constants, empty tensors and reshapes.
pub(super) fn program<'c>(
    context: &'c melior::Context,
    function: OperationRef<'c, '_>,
    kernels: &BTreeMap<String, Kernel>,
) -> Result<Operation<'c>, IrError> {
    let body = function
        .region(0)
        .ok()
        .and_then(|r| r.first_block())
        .ok_or_else(|| IrError::Missing("the function has no body".into()))?;
    let mut values = Values::default();
    for i in 0..body.argument_count() {
        let argument = body.argument(i).map_err(missing)?;
        let ty = types::from_shaped_type(argument.r#type())?;
        values.define(
            argument.into(),
            Kind::Argument(i),
            ty.element,
            ty.elements(),
        );
    }
    let mut launches = Vec::new();
    let mut results = Vec::new();
    let mut next = body.first_operation();
    while let Some(op) = next {
        match op_name(op).as_str() {
            "graph.constant" => values.constant(op)?,
            "tensor.empty" => {
                let result = op.result(0).map_err(missing)?;
                let ty = types::from_shaped_type(result.r#type())?;
                values.define(result.into(), Kind::Buffer, ty.element, ty.elements());
            }
            "graph.reshape" => {
                let of = values.get(op.operand(0).map_err(missing)?)?;
                values
                    .names
                    .insert(value_key(op.result(0).map_err(missing)?.into()), of);
            }
            "tloop.launch" => launches.push(values.launch(op, kernels)?),
            "func.return" => {
                results = op
                    .operands()
                    .map(|v| values.get(v))
                    .collect::<Result<_, _>>()?;
            }
            other => return Err(IrError::Unsupported(format!("'{other}' between launches"))),
        }
        next = op.next_in_block();
    }
    emit(context, function, &values.storages, &launches, &results)
}

/// Where a tensor lies.
enum Kind<'c> {
    Argument(usize),
    Constant(Attribute<'c>),
    Buffer,
}

struct Storage<'c> {
    kind: Kind<'c>,
    element: ElementType,
    elements: i64,
}

#[derive(Default)]
struct Values<'c> {
    storages: Vec<Storage<'c>>,
    names: BTreeMap<usize, usize>,
}

/// A launch with its buffers by storage number.
struct Launch<'c> {
    kernel: String,
    blocks: i64,
    /// Storage, and the layout of a constant.
    reads: Vec<(usize, Option<Layout>)>,
    /// Storage, and whether only a part of it is written.
    writes: Vec<(usize, bool)>,
    location: Location<'c>,
}

impl<'c> Values<'c> {
    fn define(
        &mut self,
        value: Value<'_, '_>,
        kind: Kind<'c>,
        element: ElementType,
        elements: i64,
    ) {
        self.names.insert(value_key(value), self.storages.len());
        self.storages.push(Storage {
            kind,
            element,
            elements,
        });
    }

    fn get(&self, value: Value<'_, '_>) -> Result<usize, IrError> {
        self.names
            .get(&value_key(value))
            .copied()
            .ok_or_else(|| IrError::Missing(format!("'{value}' has no buffer")))
    }

    fn constant(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        let result = op.result(0).map_err(missing)?;
        let ty = types::from_shaped_type(result.r#type())?;
        let value = op.attribute("value").map_err(missing)?;
        self.define(
            result.into(),
            Kind::Constant(value),
            ty.element,
            ty.elements(),
        );
        Ok(())
    }

    fn launch(
        &mut self,
        op: OperationRef<'c, '_>,
        kernels: &BTreeMap<String, Kernel>,
    ) -> Result<Launch<'c>, IrError> {
        let symbol = op.attribute("kernel").map_err(missing)?.to_string();
        let symbol = symbol.trim_start_matches('@').trim_matches('"').to_owned();
        let kernel = kernels
            .get(&symbol)
            .ok_or_else(|| IrError::Missing(format!("kernel '@{symbol}' is not in the module")))?;
        let schedule = kernel.schedule.as_ref().ok_or_else(|| {
            IrError::Missing(format!(
                "kernel '@{symbol}' has no schedule: run tloop-schedule"
            ))
        })?;
        let slots = |role: &dyn Fn(Role) -> bool| -> Vec<usize> {
            (0..kernel.slots.len())
                .filter(|&s| role(kernel.slots[s].role))
                .collect()
        };
        let read = slots(&|r| matches!(r, Role::Input | Role::Constant));
        let written = slots(&|r| r == Role::Output);
        let parts = destinations(kernel);
        let operands: Vec<_> = op.operands().collect();
        if operands.len() != read.len() + parts.len() || op.result_count() != written.len() {
            return Err(IrError::Unsupported(format!(
                "a launch of '@{symbol}' with {} operands and {} results",
                operands.len(),
                op.result_count()
            )));
        }
        let mut launch = Launch {
            kernel: symbol,
            blocks: blocks(schedule),
            reads: Vec::new(),
            writes: Vec::new(),
            location: op.location(),
        };
        for (&slot, &operand) in read.iter().zip(&operands) {
            let storage = self.get(operand)?;
            self.grow(storage, kernel.slots[slot].ty.elements());
            let layout = kernel.slots[slot].layout.clone();
            launch.reads.push((storage, layout));
        }
        for (k, &slot) in written.iter().enumerate() {
            let ty = &kernel.slots[slot].ty;
            let result: Value<'_, '_> = op.result(k).map_err(missing)?.into();
            match parts.iter().position(|&d| d == slot) {
                Some(d) => {
                    let storage = self.get(operands[read.len() + d])?;
                    self.grow(storage, ty.elements());
                    self.names.insert(value_key(result), storage);
                    launch.writes.push((storage, true));
                }
                None => {
                    self.define(result, Kind::Buffer, ty.element, ty.elements());
                    launch.writes.push((self.storages.len() - 1, false));
                }
            }
        }
        Ok(launch)
    }

    /// A physical tensor may be larger than the logical one.
    fn grow(&mut self, storage: usize, elements: i64) {
        if matches!(self.storages[storage].kind, Kind::Buffer) {
            let storage = &mut self.storages[storage];
            storage.elements = storage.elements.max(elements);
        }
    }
}

fn flat<'c>(context: &'c melior::Context, element: ElementType, elements: i64) -> Type<'c> {
    MemRefType::new(
        types::memory_type(context, element),
        &[elements],
        None,
        None,
    )
    .into()
}

fn emit<'c>(
    context: &'c melior::Context,
    function: OperationRef<'c, '_>,
    storages: &[Storage<'c>],
    launches: &[Launch<'c>],
    results: &[usize],
) -> Result<Operation<'c>, IrError> {
    let place = function.location();
    let type_of = |s: usize| flat(context, storages[s].element, storages[s].elements);
    let arguments: Vec<usize> = (0..storages.len())
        .filter(|&s| matches!(storages[s].kind, Kind::Argument(_)))
        .collect();
    let inputs: Vec<Type<'c>> = arguments.iter().map(|&s| type_of(s)).collect();
    let outputs: Vec<Type<'c>> = results.iter().map(|&s| type_of(s)).collect();
    let block = Block::new(&inputs.iter().map(|&t| (t, place)).collect::<Vec<_>>());
    {
        let mut emitter = Emitter {
            context,
            block: &block,
            storages,
            made: BTreeMap::new(),
            packed: Vec::new(),
        };
        for &s in &arguments {
            if let Kind::Argument(i) = storages[s].kind {
                emitter
                    .made
                    .insert(s, lasting(block.argument(i).map_err(missing)?));
            }
        }
        let (mut read, mut written) = (BTreeSet::new(), BTreeMap::new());
        for launch in launches {
            let waits = launch.reads.iter().any(|(s, _)| written.contains_key(s))
                || launch.writes.iter().any(|(s, part)| {
                    read.contains(s) || written.get(s).is_some_and(|w| !(*w && *part))
                });
            if waits {
                let barrier = operation(context, "npu.barrier", launch.location, Parts::default())?;
                block.append_operation(barrier);
                read.clear();
                written.clear();
            }
            read.extend(launch.reads.iter().map(|(s, _)| *s));
            written.extend(launch.writes.iter().copied());
            emitter.launch(launch)?;
        }
        let operands: Result<Vec<_>, _> = results
            .iter()
            .map(|&s| emitter.buffer(s, None, place))
            .collect();
        let parts = Parts {
            operands: operands?,
            ..Parts::default()
        };
        block.append_operation(operation(context, "npu.return", place, parts)?);
    }
    let region = Region::new();
    region.append_block(block);
    let mut attributes = vec![
        ("sym_name", function.attribute("sym_name").map_err(missing)?),
        (
            "function_type",
            TypeAttribute::new(FunctionType::new(context, &inputs, &outputs).into()).into(),
        ),
    ];
    for key in ["arg_attrs", "res_attrs"] {
        if let Ok(value) = function.attribute(key) {
            attributes.push((key, value));
        }
    }
    let parts = Parts {
        attributes,
        regions: vec![region],
        ..Parts::default()
    };
    operation(context, "npu.program", place, parts)
}

struct Emitter<'c, 's, 'b> {
    context: &'c melior::Context,
    block: &'b Block<'c>,
    storages: &'s [Storage<'c>],
    made: BTreeMap<usize, Value<'c, 'b>>,
    /// Constants by storage and layout.
    packed: Vec<(usize, Option<Layout>, Value<'c, 'b>)>,
}

impl<'c, 'b> Emitter<'c, '_, 'b> {
    fn buffer(
        &mut self,
        storage: usize,
        layout: Option<&Layout>,
        place: Location<'c>,
    ) -> Result<Value<'c, 'b>, IrError> {
        if let Kind::Constant(value) = self.storages[storage].kind {
            return self.constant(storage, value, layout, place);
        }
        if let Some(&value) = self.made.get(&storage) {
            return Ok(value);
        }
        let Storage {
            element, elements, ..
        } = self.storages[storage];
        let results = vec![flat(self.context, element, elements)];
        let parts = Parts {
            results,
            ..Parts::default()
        };
        let made = self.append("npu.buffer", place, parts)?;
        self.made.insert(storage, made);
        Ok(made)
    }

    fn constant(
        &mut self,
        storage: usize,
        value: Attribute<'c>,
        layout: Option<&Layout>,
        place: Location<'c>,
    ) -> Result<Value<'c, 'b>, IrError> {
        let found = self
            .packed
            .iter()
            .find(|(s, l, _)| *s == storage && l.as_ref() == layout);
        if let Some((_, _, value)) = found {
            return Ok(*value);
        }
        let Storage {
            element, elements, ..
        } = self.storages[storage];
        let mut attributes = vec![("value", value)];
        let mut physical = elements;
        if let Some(layout) = layout {
            let logical = types::from_shaped_type(value.r#type())?;
            physical = layout.physical_shape(&logical.shape).iter().product();
            attributes.push((LAYOUT, layout_to_attribute(self.context, layout)?));
        }
        let results = vec![flat(self.context, element, physical)];
        let parts = Parts {
            results,
            attributes,
            ..Parts::default()
        };
        let made = self.append("npu.constant", place, parts)?;
        self.packed.push((storage, layout.cloned(), made));
        Ok(made)
    }

    fn append(
        &self,
        name: &str,
        place: Location<'c>,
        parts: Parts<'c, '_>,
    ) -> Result<Value<'c, 'b>, IrError> {
        let made = self
            .block
            .append_operation(operation(self.context, name, place, parts)?);
        Ok(lasting(made.result(0).map_err(missing)?))
    }

    fn launch(&mut self, launch: &Launch<'c>) -> Result<(), IrError> {
        let mut operands = Vec::new();
        for (storage, layout) in &launch.reads {
            operands.push(self.buffer(*storage, layout.as_ref(), launch.location)?);
        }
        for (storage, _) in &launch.writes {
            operands.push(self.buffer(*storage, None, launch.location)?);
        }
        let symbol = format!("@{}", launch.kernel);
        let symbol = Attribute::parse(self.context, &symbol)
            .ok_or_else(|| IrError::Unsupported(format!("kernel name '{symbol}'")))?;
        let attributes = vec![
            ("kernel", symbol),
            ("blocks", attr::int(self.context, launch.blocks)),
        ];
        let parts = Parts {
            operands,
            attributes,
            ..Parts::default()
        };
        let made = operation(self.context, "npu.launch", launch.location, parts)?;
        self.block.append_operation(made);
        Ok(())
    }
}
