//! `convert-graph-to-tloop`: groups to kernels and their launches.
//!
//! Takes a module whose model function holds `graph.group`s, constants, and operators that cost nothing
//! (reshapes, transposes, concatenations stored in place). Leaves a `tloop.kernel` per group, with one
//! nest per operator stage, logical shapes and the layouts of its operands; the function launches them.
//! A composite's own kernel becomes a part of its group's, and is dropped.
//! Refuses operators outside groups, and operators without a loop form.
//!
//! Between launches a tensor stands for its bytes in memory. A view is the same tensor, or a
//! `graph.reshape` where the type changes. Kernels that write a part of a buffer take it as their
//! destination, beginning with a `tensor.empty`.

mod group;

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{
    Attribute, Block, BlockLike, Location, Operation, Region, RegionLike, Type, Value, ValueLike,
};
use sinter_ir::build::{Parts, lasting, operation, value_key};
use sinter_ir::error::missing;
use sinter_ir::graph::{Placed, op_name, placement_from_attribute};
use sinter_ir::kernel::{FORM, PLANNED, destinations, kernel_to_op, layout_from_attribute};
use sinter_ir::rewrite::{context_of, erase};
use sinter_ir::{IrError, attr, constant, location, melior, types};
use sinter_loops::kernel::{Kernel, Layout, Role};
use sinter_loops::types::TensorType;
use sinter_pass::{Failure, NoOptions, Pass, PassInfo};

use group::{Argument, Group};

/// The pass.
pub struct ConvertGraphToTloop;

impl Pass for ConvertGraphToTloop {
    type Options = NoOptions;

    const INFO: PassInfo = PassInfo {
        name: "convert-graph-to-tloop",
        summary: "Groups to kernels and their launches",
        description: "A `tloop.kernel` with one nest per operator stage for every `graph.group`. \
                      Refuses operators outside groups: run `graph-fuse` first.",
        anchor: Some("builtin.module"),
        dialects: &["tloop", "graph", "func", "tensor", "arith", "math"],
    };

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        let Some(body) = op.region(0).ok().and_then(|r| r.first_block()) else {
            return Ok(());
        };
        let mut functions = Vec::new();
        let mut next = body.first_operation();
        while let Some(op) = next {
            let has_body = op.region(0).is_ok_and(|r| r.first_block().is_some());
            if op_name(op) == "func.func" && has_body {
                functions.push(op);
            }
            next = op.next_in_block();
        }
        let mut own = BTreeSet::new();
        for function in functions {
            let converted = convert(context_of(function), function)?;
            for made in converted.kernels.into_iter().chain([converted.launcher]) {
                body.insert_operation_before(function, made);
            }
            own.extend(converted.own);
            erase(function);
        }
        let is_own = |op: &OperationRef<'_, '_>| {
            let symbol = op.attribute("sym_name").ok().and_then(attr::as_str);
            op_name(*op) == "tloop.kernel" && symbol.is_some_and(|name| own.contains(name))
        };
        let mut next = body.first_operation();
        while let Some(op) = next {
            next = op.next_in_block();
            if is_own(&op) {
                erase(op);
            }
        }
        Ok(())
    }
}

/// What a function becomes.
struct Converted<'c> {
    /// The kernels of its groups.
    kernels: Vec<Operation<'c>>,
    /// The function that launches them.
    launcher: Operation<'c>,
    /// The user's own kernels that are in them now.
    own: BTreeSet<String>,
}

fn convert<'c>(
    context: &'c melior::Context,
    function: OperationRef<'c, '_>,
) -> Result<Converted<'c>, IrError> {
    let old = function
        .region(0)
        .ok()
        .and_then(|r| r.first_block())
        .ok_or_else(|| IrError::Missing("the function has no body".into()))?;
    let mut arguments = Vec::new();
    for i in 0..old.argument_count() {
        let argument = old.argument(i).map_err(missing)?;
        arguments.push((argument.r#type(), function.location()));
    }
    let block = Block::new(&arguments);
    let (kernels, own) = {
        let mut walk = Walk {
            context,
            block: &block,
            values: BTreeMap::new(),
            buffers: BTreeMap::new(),
            kernels: Vec::new(),
            own: BTreeSet::new(),
        };
        for i in 0..arguments.len() {
            let new = lasting(block.argument(i).map_err(missing)?);
            walk.define(
                old.argument(i).map_err(missing)?.into(),
                Base::Value(new),
                None,
            )?;
        }
        let mut next = old.first_operation();
        while let Some(op) = next {
            walk.operation(op)?;
            next = op.next_in_block();
        }
        (walk.kernels, walk.own)
    };
    let region = Region::new();
    region.append_block(block);
    let attributes: Vec<_> = function
        .attributes()
        .map(|(name, value)| {
            (
                name.as_string_ref().as_str().unwrap_or_default().to_owned(),
                value,
            )
        })
        .collect();
    let parts = Parts {
        attributes: attributes
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect(),
        regions: vec![region],
        ..Parts::default()
    };
    Ok(Converted {
        kernels,
        launcher: operation(context, "func.func", function.location(), parts)?,
        own,
    })
}

/// What holds a value's bytes.
#[derive(Clone)]
enum Base<'c, 'b> {
    Value(Value<'c, 'b>),
    Part(Placed),
}

#[derive(Clone)]
struct Stored<'c, 'b> {
    base: Base<'c, 'b>,
    layout: Option<Layout>,
    ty: TensorType,
    constant: Option<Attribute<'c>>,
}

struct Walk<'c, 'b> {
    context: &'c melior::Context,
    block: &'b Block<'c>,
    values: BTreeMap<usize, Stored<'c, 'b>>,
    /// What has been written of each buffer so far.
    buffers: BTreeMap<String, Value<'c, 'b>>,
    kernels: Vec<Operation<'c>>,
    own: BTreeSet<String>,
}

impl<'c, 'b> Walk<'c, 'b> {
    fn define(
        &mut self,
        old: Value<'c, '_>,
        base: Base<'c, 'b>,
        layout: Option<Layout>,
    ) -> Result<(), IrError> {
        let ty = types::from_shaped_type(old.r#type())?;
        self.values.insert(
            value_key(old),
            Stored {
                base,
                layout,
                ty,
                constant: None,
            },
        );
        Ok(())
    }

    fn stored(&self, old: Value<'c, '_>) -> Result<Stored<'c, 'b>, IrError> {
        self.values
            .get(&value_key(old))
            .cloned()
            .ok_or_else(|| IrError::Missing(format!("'{old}' is not stored anywhere")))
    }

    fn operation(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        match op_name(op).as_str() {
            "graph.constant" => self.constant(op),
            "graph.group" => self.group(op),
            "graph.concat" => self.concat(op),
            "graph.reshape" | "graph.transpose" => self.view(op),
            "func.return" => self.returned(op),
            name => Err(IrError::Unsupported(format!(
                "'{name}'{} outside a group (run graph-fuse first)",
                place(op)
            ))),
        }
    }

    fn constant(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        let value = op.attribute("value").map_err(missing)?;
        let old = op.result(0).map_err(missing)?;
        let parts = Parts {
            results: vec![old.r#type()],
            attributes: vec![("value", value)],
            ..Parts::default()
        };
        let new = self.append("graph.constant", op.location(), parts)?;
        self.define(old.into(), Base::Value(new), None)?;
        if let Some(stored) = self.values.get_mut(&value_key(old.into())) {
            stored.constant = Some(value);
        }
        Ok(())
    }

    /// A concatenation whose parts lie in its buffer already.
    fn concat(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        let placed = op
            .attribute("graph.placement")
            .ok()
            .and_then(placement_from_attribute);
        let placed = placed.ok_or_else(|| {
            IrError::Unsupported(format!(
                "'graph.concat'{} outside a group, whose parts are not stored in place,",
                place(op)
            ))
        })?;
        self.define(
            op.result(0).map_err(missing)?.into(),
            Base::Part(placed),
            view_layout(op),
        )
    }

    fn view(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        let of = self.stored(op.operand(0).map_err(missing)?)?;
        let layout = view_layout(op);
        let result = op.result(0).map_err(missing)?;
        let ty = types::from_shaped_type(result.r#type())?;
        if op_name(op) == "graph.transpose" && !keeps_bytes(op, &of, layout.as_ref()) {
            return Err(IrError::Unsupported(format!(
                "'graph.transpose'{} outside a group, which would move its elements,",
                place(op)
            )));
        }
        let base = match of.base {
            Base::Value(value) if of.ty != ty => {
                Base::Value(self.reshape(value, &ty, op.location())?)
            }
            Base::Part(placed) if of.ty != ty && is_whole(&placed, &of.ty) => {
                let whole = self.buffer(&placed, ty.element, op.location())?;
                Base::Value(self.reshape(whole, &ty, op.location())?)
            }
            Base::Part(placed) if of.ty != ty => {
                return Err(IrError::Unsupported(format!(
                    "a view{} of a part of buffer '{}'",
                    place(op),
                    placed.buffer
                )));
            }
            base => base,
        };
        self.define(result.into(), base, layout)
    }

    fn reshape(
        &mut self,
        value: Value<'c, 'b>,
        ty: &TensorType,
        location: Location<'c>,
    ) -> Result<Value<'c, 'b>, IrError> {
        let parts = Parts {
            operands: vec![value],
            results: vec![types::tensor_type(self.context, ty)],
            attributes: vec![("shape", attr::ints(self.context, &ty.shape))],
            regions: Vec::new(),
        };
        self.append("graph.reshape", location, parts)
    }

    fn returned(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        let mut operands = Vec::new();
        for old in op.operands() {
            let stored = self.stored(old)?;
            operands.push(self.bytes(&stored, op.location())?);
        }
        let parts = Parts {
            operands,
            ..Parts::default()
        };
        let made = operation(self.context, "func.return", op.location(), parts)?;
        self.block.append_operation(made);
        Ok(())
    }

    /// The tensor that holds a value's bytes at this point: the value itself, or its whole buffer.
    fn bytes(
        &mut self,
        stored: &Stored<'c, 'b>,
        location: Location<'c>,
    ) -> Result<Value<'c, 'b>, IrError> {
        match &stored.base {
            Base::Value(value) => Ok(*value),
            Base::Part(placed) => self.buffer(placed, stored.ty.element, location),
        }
    }

    fn buffer(
        &mut self,
        placed: &Placed,
        element: sinter_loops::types::ElementType,
        location: Location<'c>,
    ) -> Result<Value<'c, 'b>, IrError> {
        if let Some(&value) = self.buffers.get(&placed.buffer) {
            return Ok(value);
        }
        let ty = TensorType::new(element, placed.shape.clone());
        let results = vec![types::tensor_type(self.context, &ty)];
        let parts = Parts {
            results,
            ..Parts::default()
        };
        let value = self.append("tensor.empty", location, parts)?;
        self.buffers.insert(placed.buffer.clone(), value);
        Ok(value)
    }

    fn append(
        &self,
        name: &str,
        location: Location<'c>,
        parts: Parts<'c, '_>,
    ) -> Result<Value<'c, 'b>, IrError> {
        let made = self
            .block
            .append_operation(operation(self.context, name, location, parts)?);
        Ok(lasting(made.result(0).map_err(missing)?))
    }

    fn group(&mut self, op: OperationRef<'c, '_>) -> Result<(), IrError> {
        let operands: Vec<Stored<'c, 'b>> = op
            .operands()
            .map(|old| self.stored(old))
            .collect::<Result<_, _>>()?;
        let group = Group::read(op, &operands)?;
        let (kernel, arguments) = group.kernel(op, &operands)?;

        let mut made = kernel_to_op(self.context, &kernel)?;
        if let Ok(schedule) = op.attribute("schedule") {
            made.set_attribute(PLANNED, schedule);
        }
        if let Ok(form) = op.attribute("form") {
            made.set_attribute(FORM, form);
        }
        self.kernels.push(made);
        self.own.extend(group.own_kernels().map(str::to_owned));
        self.launch(op, &kernel, &arguments, &operands, &group)
    }

    fn launch(
        &mut self,
        op: OperationRef<'c, '_>,
        kernel: &Kernel,
        arguments: &[Argument],
        operands: &[Stored<'c, 'b>],
        group: &Group,
    ) -> Result<(), IrError> {
        let at = op.location();
        let mut given = Vec::new();
        for argument in arguments {
            given.push(match argument {
                Argument::Operand(i) => self.bytes(&operands[*i], at)?,
                Argument::Constant(tensor) => {
                    let value = constant::to_attribute(self.context, tensor, &kernel.name);
                    let parts = Parts {
                        results: vec![types::tensor_type(self.context, tensor.ty())],
                        attributes: vec![("value", value)],
                        ..Parts::default()
                    };
                    self.append("graph.constant", at, parts)?
                }
            });
        }
        let outputs: Vec<usize> = kernel.slots_of(Role::Output).collect();
        for slot in destinations(kernel) {
            let k = outputs.iter().position(|&o| o == slot).unwrap_or(0);
            let placed = group.placements[k].as_ref().ok_or_else(|| {
                IrError::Missing(format!(
                    "result {k} of '{}' is written in part",
                    kernel.name
                ))
            })?;
            given.push(self.buffer(placed, kernel.slots[slot].ty.element, at)?);
        }
        let results: Vec<Type<'c>> = outputs
            .iter()
            .map(|&slot| types::tensor_type(self.context, &kernel.slots[slot].ty))
            .collect();
        let symbol = FlatSymbolRefAttribute::new(self.context, &kernel.name).into();
        let parts = Parts {
            operands: given,
            results,
            attributes: vec![("kernel", symbol)],
            regions: Vec::new(),
        };
        let launch =
            self.block
                .append_operation(operation(self.context, "tloop.launch", at, parts)?);
        for k in 0..outputs.len() {
            let new: Value<'c, 'b> = lasting(launch.result(k).map_err(missing)?);
            let base = match &group.placements[k] {
                Some(placed) => {
                    self.buffers.insert(placed.buffer.clone(), new);
                    Base::Part(placed.clone())
                }
                None => Base::Value(new),
            };
            let old = op.result(k).map_err(missing)?;
            self.define(old.into(), base, group.layouts[k].clone())?;
        }
        Ok(())
    }
}

fn view_layout(op: OperationRef<'_, '_>) -> Option<Layout> {
    op.attribute("graph.layout")
        .ok()
        .and_then(layout_from_attribute)
}

/// Whether a value is all of the buffer that it is stored in, as a concatenation of placed parts is.
fn is_whole(placed: &Placed, ty: &TensorType) -> bool {
    placed.shape == ty.shape && placed.offset.iter().all(|&o| o == 0)
}

/// Whether a transposition's result, in its layout, is its operand's bytes: both have the same
/// dimensions in the same physical order, those of extent one left out.
fn keeps_bytes(op: OperationRef<'_, '_>, of: &Stored<'_, '_>, layout: Option<&Layout>) -> bool {
    let perm = op
        .attribute("perm")
        .ok()
        .and_then(attr::as_ints)
        .unwrap_or_default();
    let order = |layout: Option<&Layout>| -> Vec<usize> {
        match layout {
            Some(layout) => layout.dims.iter().map(|d| d.logical()).collect(),
            None => (0..of.ty.rank()).collect(),
        }
    };
    let long = |d: &usize| of.ty.shape.get(*d).is_some_and(|&extent| extent != 1);
    let source: Vec<usize> = order(of.layout.as_ref()).into_iter().filter(long).collect();
    let result: Vec<usize> = order(layout)
        .into_iter()
        .filter_map(|d| perm.get(d).map(|&p| p as usize))
        .filter(long)
        .collect();
    source == result
}

/// ` at node 'NAME'`, or nothing.
fn place(op: OperationRef<'_, '_>) -> String {
    match location::origins(op.location()).as_slice() {
        [] => String::new(),
        names => format!(" at node '{}'", names.join(", ")),
    }
}
