//! Module to plain graph.

use std::collections::BTreeMap;

use melior::ir::attribute::DictionaryAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Module, RegionLike, Value, ValueLike};
use sinter_loops::tensor::Tensor;
use sinter_ops::{Attr, Graph, Mark, Op, OpError, OwnKernel, ValueId};

use super::missing;
use super::{MAIN, NAME, PREFIX};
use crate::build::value_key;
use crate::error::IrError;
use crate::kernel::op_to_kernel;
use crate::walk::symbol;
use crate::{attr, constant, location, types};

/// The graph of a module's model function. Groups and composites are dissolved into their operators, but
/// for composites with a kernel, which are one node each; e-classes into the chosen member.
///
/// # Errors
/// When there is no model function, or it holds what [`function_to_graph`] refuses.
pub fn module_to_graph(module: &Module<'_>) -> Result<Graph, IrError> {
    read(module, Reader::default())
}

/// As [`module_to_graph`], with a name for every operator: without one of its own, `file:line`. For
/// what people read, not for what is kept.
///
/// # Errors
/// As [`module_to_graph`].
pub fn module_to_named_graph(module: &Module<'_>) -> Result<Graph, IrError> {
    let reader = Reader {
        places: true,
        ..Reader::default()
    };
    read(module, reader)
}

fn read(module: &Module<'_>, mut reader: Reader) -> Result<Graph, IrError> {
    let name = module
        .as_operation()
        .attribute("sym_name")
        .ok()
        .and_then(attr::as_str);
    let mut graph = reader.function(main_function(module)?)?;
    if let Some(name) = name {
        graph.name = name.to_string();
    }
    Ok(graph)
}

/// The model function: `@main`, or the only function.
///
/// # Errors
/// When there is neither.
pub fn main_function<'c, 'a>(module: &'a Module<'c>) -> Result<OperationRef<'c, 'a>, IrError> {
    let mut functions = Vec::new();
    let mut next = module.body().first_operation();
    while let Some(op) = next {
        if op_name(op) == "func.func" {
            functions.push(op);
        }
        next = op.next_in_block();
    }
    let named = functions
        .iter()
        .find(|op| op.attribute("sym_name").ok().and_then(attr::as_str) == Some(MAIN));
    match (named, functions.as_slice()) {
        (Some(main), _) => Ok(*main),
        (None, [only]) => Ok(*only),
        _ => Err(IrError::Missing(format!(
            "the module has no function '@{MAIN}'"
        ))),
    }
}

/// The graph of one function of `graph` operations.
///
/// # Errors
/// When an operation is not an operator, an operator does not take its attributes or operands, a
/// result has another type than the operator infers, or an extent is unknown.
pub fn function_to_graph(function: OperationRef<'_, '_>) -> Result<Graph, IrError> {
    Reader::default().function(function)
}

/// A block of operators as a graph of its own.
pub struct BlockGraph {
    /// The graph; it has no named inputs or outputs.
    pub graph: Graph,
    /// What the block's arguments are.
    pub arguments: Vec<ValueId>,
    /// What the terminator gives.
    pub results: Vec<ValueId>,
}

/// The graph of a block of operators. `constant` says which arguments are known.
///
/// # Errors
/// As [`function_to_graph`].
pub fn block_to_graph(
    block: BlockRef<'_, '_>,
    constant: impl Fn(usize) -> Result<Option<Tensor>, IrError>,
) -> Result<BlockGraph, IrError> {
    let mut reader = Reader::default();
    let mut arguments = Vec::new();
    for i in 0..block.argument_count() {
        let argument = block.argument(i).map_err(missing)?;
        let ty = types::from_shaped_type(argument.r#type())?;
        let id = match constant(i)? {
            Some(tensor) => reader.graph.constant(tensor),
            None => reader.graph.input(format!("arg{i}"), ty),
        };
        reader.values.insert(value_key(argument.into()), id);
        arguments.push(id);
    }
    let results = reader.block(block)?;
    Ok(BlockGraph {
        graph: reader.graph,
        arguments,
        results,
    })
}

fn entry_name(function: OperationRef<'_, '_>, list: &str, index: usize) -> Option<String> {
    let entry = *attr::as_array(function.attribute(list).ok()?)?.get(index)?;
    let name = DictionaryAttribute::try_from(entry)
        .ok()?
        .element_by_name(NAME)?;
    attr::as_str(name).map(str::to_string)
}

/// The name of an operation, with its dialect.
pub fn op_name(op: OperationRef<'_, '_>) -> String {
    op.name()
        .as_string_ref()
        .as_str()
        .unwrap_or_default()
        .to_string()
}

/// The operator that an operation of the `graph` dialect, or of a dialect with registered operators
/// ([`sinter_ops::custom`]), is.
///
/// # Errors
/// When the operation is no operator, an attribute has no counterpart, or the operator does
/// not take its attributes.
pub fn op_from_operation(op: OperationRef<'_, '_>) -> Result<Op, IrError> {
    let name = op_name(op);
    let mnemonic = match name.strip_prefix(PREFIX) {
        Some(mnemonic) => mnemonic,
        None if sinter_ops::custom::is_registered(&name) => &name,
        None => return Err(IrError::Unsupported(format!("operation '{name}'"))),
    };
    let mut attributes: Vec<(String, Attr)> = Vec::new();
    for (key, value) in op.attributes() {
        let key = key.as_string_ref().as_str().unwrap_or_default().to_string();
        if !key.contains('.') {
            attributes.push((key, attr::from_attribute(value)?));
        }
    }
    Op::from_parts(mnemonic, &attributes).map_err(|cause| at(op, cause))
}

/// An operator's error with the operation's name and origin.
pub(crate) fn at(op: OperationRef<'_, '_>, cause: OpError) -> IrError {
    IrError::Operator {
        operation: op_name(op),
        location: location::origins(op.location()).join(", "),
        cause,
    }
}

/// The kernel that a composite names.
fn own_kernel<'c, 'a>(op: OperationRef<'c, 'a>) -> Result<OperationRef<'c, 'a>, IrError> {
    let name = op.attribute("kernel").ok().and_then(attr::as_symbol);
    let name = name.unwrap_or_default();
    let text = match symbol(op, name) {
        None => format!("there is no kernel '@{name}'"),
        Some(found) if op_name(found) == "tloop.kernel" => return Ok(found),
        Some(other) => format!(
            "kernel '@{name}' is a '{}'; only a 'tloop.kernel' can be compiled",
            op_name(other)
        ),
    };
    Err(at(op, OpError(text)))
}

#[derive(Default)]
struct Reader {
    graph: Graph,
    values: BTreeMap<usize, ValueId>,
    /// Composites around the operation, outermost first.
    composites: Vec<String>,
    /// Composites so far.
    composite_count: usize,
    /// Whether operators without a name are called by their place in the file.
    places: bool,
}

impl Reader {
    fn function(&mut self, function: OperationRef<'_, '_>) -> Result<Graph, IrError> {
        let block = function
            .region(0)
            .ok()
            .and_then(|region| region.first_block())
            .ok_or_else(|| IrError::Missing("the function has no body".to_string()))?;
        for i in 0..block.argument_count() {
            let argument = block.argument(i).map_err(missing)?;
            let ty = types::from_shaped_type(argument.r#type())?;
            let name = entry_name(function, "arg_attrs", i).unwrap_or_else(|| format!("arg{i}"));
            let id = self.graph.input(name, ty);
            self.values.insert(value_key(argument.into()), id);
        }
        let results = self.block(block)?;
        for (i, value) in results.into_iter().enumerate() {
            let name = entry_name(function, "res_attrs", i).unwrap_or_else(|| format!("result{i}"));
            self.graph.output(name, value);
        }
        Ok(std::mem::take(&mut self.graph))
    }

    /// Reads a block to its terminator and returns the terminator's operands.
    fn block(&mut self, block: BlockRef<'_, '_>) -> Result<Vec<ValueId>, IrError> {
        let mut next = block.first_operation();
        while let Some(op) = next {
            match op_name(op).as_str() {
                "func.return" | "graph.yield" => return self.operands(op),
                "graph.constant" => self.constant(op)?,
                "graph.composite" if op.has_attribute("kernel") => self.own(op)?,
                "graph.group" | "graph.composite" => self.nested(op)?,
                "graph.eclass" => self.eclass(op)?,
                _ => self.node(op)?,
            }
            next = op.next_in_block();
        }
        Err(IrError::Missing("a block has no terminator".to_string()))
    }

    fn operands(&self, op: OperationRef<'_, '_>) -> Result<Vec<ValueId>, IrError> {
        op.operands().map(|value| self.value(value)).collect()
    }

    fn value(&self, value: Value<'_, '_>) -> Result<ValueId, IrError> {
        self.values
            .get(&value_key(value))
            .copied()
            .ok_or_else(|| IrError::Missing(format!("'{value}' is not defined in this function")))
    }

    fn constant(&mut self, op: OperationRef<'_, '_>) -> Result<(), IrError> {
        let value = op.attribute("value").map_err(missing)?;
        let id = self.graph.constant(constant::from_attribute(value)?);
        self.values
            .insert(value_key(op.result(0).map_err(missing)?.into()), id);
        Ok(())
    }

    /// A class is its chosen member, or the first.
    fn eclass(&mut self, op: OperationRef<'_, '_>) -> Result<(), IrError> {
        let chosen = op
            .attribute("chosen")
            .ok()
            .and_then(attr::as_int)
            .unwrap_or(0);
        let member = self.value(op.operand(chosen.max(0) as usize).map_err(missing)?)?;
        self.values
            .insert(value_key(op.result(0).map_err(missing)?.into()), member);
        Ok(())
    }

    fn nested(&mut self, op: OperationRef<'_, '_>) -> Result<(), IrError> {
        let block = op
            .region(0)
            .ok()
            .and_then(|r| r.first_block())
            .ok_or_else(|| IrError::Missing(format!("'{}' has no body", op_name(op))))?;
        for (i, id) in self.operands(op)?.into_iter().enumerate() {
            let argument = block.argument(i).map_err(missing)?;
            self.values.insert(value_key(argument.into()), id);
        }
        let composite = op_name(op) == "graph.composite";
        if composite {
            let name = op.attribute("name").ok().and_then(attr::as_str);
            let name = format!("{}#{}", name.unwrap_or_default(), self.composite_count);
            self.composites.push(name);
            self.composite_count += 1;
        }
        let results = self.block(block)?;
        if composite {
            self.composites.pop();
        }
        for (i, id) in results.into_iter().enumerate() {
            self.values
                .insert(value_key(op.result(i).map_err(missing)?.into()), id);
        }
        Ok(())
    }

    /// A composite whose kernel is the user's own.
    fn own(&mut self, op: OperationRef<'_, '_>) -> Result<(), IrError> {
        let name = op.attribute("name").ok().and_then(attr::as_str);
        let kernel = op_to_kernel(own_kernel(op)?)?;
        let block = op.region(0).ok().and_then(|r| r.first_block());
        let block =
            block.ok_or_else(|| IrError::Missing(format!("'{}' has no body", op_name(op))))?;
        let body = block_to_graph(block, |_| Ok(None))?;
        let mut meaning = body.graph;
        for (i, &value) in body.results.iter().enumerate() {
            meaning.output(format!("result{i}"), value);
        }
        let own = OwnKernel::new(name.unwrap_or_default(), kernel, meaning);
        self.add(op, own.map_err(|cause| at(op, cause))?.into())
    }

    /// What attributes and composites ask of an operation's grouping.
    fn marks(&self, op: OperationRef<'_, '_>) -> Vec<Mark> {
        let text = |name: &str| op.attribute(name).ok().and_then(attr::as_str);
        let mut out = Vec::new();
        out.extend(
            op.has_attribute("graph.never_fuse")
                .then_some(Mark::NeverFuse),
        );
        out.extend(op.has_attribute("graph.boundary").then_some(Mark::Boundary));
        out.extend(text("graph.must_fuse").map(|n| Mark::MustFuse(n.to_owned())));
        out.extend(text("graph.numerics").map(|n| Mark::Numerics(n.to_owned())));
        let disabled = op.attribute("graph.disable").ok().and_then(attr::as_array);
        for rule in disabled.into_iter().flatten().filter_map(attr::as_str) {
            out.push(Mark::Disable(rule.to_owned()));
        }
        out.extend(self.composites.iter().cloned().map(Mark::Unit));
        out
    }

    fn node(&mut self, op: OperationRef<'_, '_>) -> Result<(), IrError> {
        self.add(op, op_from_operation(op)?)
    }

    fn add(&mut self, op: OperationRef<'_, '_>, operator: Op) -> Result<(), IrError> {
        let operands = self.operands(op)?;
        let mut origins = location::origins(op.location());
        if self.places && origins.is_empty() {
            let place = location::file_line(op.location());
            let name = place.map(|p| p.rsplit('/').next().unwrap_or_default().to_owned());
            origins.extend(name);
        }
        origins.extend(self.marks(op).iter().map(Mark::to_string));
        let outputs = self
            .graph
            .add(operator, &operands, origins)
            .map_err(|cause| at(op, cause))?;
        for (i, id) in outputs.into_iter().enumerate() {
            let result = op.result(i).map_err(missing)?;
            let stated = types::from_shaped_type(result.r#type())?;
            let inferred = self.graph.ty(id);
            if stated != *inferred {
                let text = format!("result {i} is {stated}, but the operator gives {inferred}");
                return Err(at(op, OpError(text)));
            }
            self.values.insert(value_key(result.into()), id);
        }
        Ok(())
    }
}
