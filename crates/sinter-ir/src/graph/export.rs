//! Plain graph to module.

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::attribute::{
    ArrayAttribute, DictionaryAttribute, FlatSymbolRefAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::operation::OperationMutLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{
    Attribute, Block, BlockLike, Identifier, Location, Module, Operation, Region, RegionLike, Type,
    Value,
};
use sinter_ops::{Graph, Node, Operator, OwnKernel, ValueId};

use super::missing;
use super::{MAIN, NAME};
use crate::build::{Parts, lasting, operation};
use crate::error::IrError;
use crate::kernel::kernel_to_op;
use crate::{attr, constant, location, types};

/// The module of a graph: `func.func @main` of `graph` operations. Inputs and outputs keep their
/// names as `graph.name`, nodes their origins as locations; constants stand before their first user.
///
/// # Errors
/// When an operation refuses its attributes, or the result does not verify.
pub fn graph_to_module<'c>(
    context: &'c melior::Context,
    graph: &Graph,
) -> Result<Module<'c>, IrError> {
    module_with(context, graph, |nodes| {
        graph.nodes.iter().try_for_each(|n| nodes.node(n))
    })
}

/// The module of a graph's inputs and outputs, whose function is filled by the caller. Kernels that
/// composites of the graph name stand before it.
///
/// # Errors
/// When the caller fails, an output is left undefined, or the result does not verify.
pub fn module_with<'c>(
    context: &'c melior::Context,
    graph: &Graph,
    fill: impl FnOnce(&mut NodeBuilder<'c, '_, '_>) -> Result<(), IrError>,
) -> Result<Module<'c>, IrError> {
    let mut module = Module::new(Location::unknown(context));
    if !graph.name.is_empty() {
        let name = StringAttribute::new(context, &graph.name).into();
        module.as_operation_mut().set_attribute("sym_name", name);
    }
    let mut kernels = BTreeSet::new();
    for own in graph.nodes.iter().filter_map(|n| OwnKernel::of(&n.op)) {
        if kernels.insert(own.kernel().name.as_str()) {
            module
                .body()
                .append_operation(kernel_to_op(context, own.kernel())?);
        }
    }
    module
        .body()
        .append_operation(function(context, graph, fill)?);
    crate::module::verify(&module.as_operation())?;
    Ok(module)
}

fn function<'c>(
    context: &'c melior::Context,
    graph: &Graph,
    fill: impl FnOnce(&mut NodeBuilder<'c, '_, '_>) -> Result<(), IrError>,
) -> Result<Operation<'c>, IrError> {
    let unknown = Location::unknown(context);
    let types = |values: &[(String, ValueId)]| -> Vec<Type<'c>> {
        values
            .iter()
            .map(|(_, v)| types::tensor_type(context, graph.ty(*v)))
            .collect()
    };
    let (inputs, outputs) = (types(&graph.inputs), types(&graph.outputs));
    let arguments: Vec<_> = inputs.iter().map(|&ty| (ty, unknown)).collect();
    let block = Block::new(&arguments);
    {
        let mut nodes = NodeBuilder::new(context, graph, &block);
        for (i, (_, value)) in graph.inputs.iter().enumerate() {
            nodes.define(*value, lasting(block.argument(i).map_err(missing)?));
        }
        fill(&mut nodes)?;
        let results: Result<Vec<_>, _> =
            graph.outputs.iter().map(|(_, v)| nodes.value(*v)).collect();
        let parts = Parts {
            operands: results?,
            ..Parts::default()
        };
        block.append_operation(operation(context, "func.return", unknown, parts)?);
    }
    let region = Region::new();
    region.append_block(block);
    let ty = FunctionType::new(context, &inputs, &outputs);
    let parts = Parts {
        attributes: vec![
            ("sym_name", attr::string(context, MAIN)),
            ("function_type", TypeAttribute::new(ty.into()).into()),
            ("arg_attrs", names(context, &graph.inputs)),
            ("res_attrs", names(context, &graph.outputs)),
        ],
        regions: vec![region],
        ..Parts::default()
    };
    operation(context, "func.func", unknown, parts)
}

fn names<'c>(context: &'c melior::Context, values: &[(String, ValueId)]) -> Attribute<'c> {
    let name = Identifier::new(context, NAME);
    let entries: Vec<Attribute<'c>> = values
        .iter()
        .map(|(text, _)| {
            DictionaryAttribute::new(context, &[(name, attr::string(context, text))]).into()
        })
        .collect();
    ArrayAttribute::new(context, &entries).into()
}

/// Attributes with their names.
type Named<'c> = Vec<(&'static str, Attribute<'c>)>;

/// Appends nodes of a graph to a block, with the constants that they use.
pub struct NodeBuilder<'c, 'g, 'b> {
    context: &'c melior::Context,
    graph: &'g Graph,
    block: &'b Block<'c>,
    values: BTreeMap<ValueId, Value<'c, 'b>>,
}

impl<'c, 'g, 'b> NodeBuilder<'c, 'g, 'b> {
    /// A builder that appends to `block`.
    pub fn new(context: &'c melior::Context, graph: &'g Graph, block: &'b Block<'c>) -> Self {
        Self {
            context,
            graph,
            block,
            values: BTreeMap::new(),
        }
    }

    /// The context.
    pub fn context(&self) -> &'c melior::Context {
        self.context
    }

    /// Whether something stands for a value already, or it is a constant.
    pub fn is_defined(&self, value: ValueId) -> bool {
        self.values.contains_key(&value) || self.graph.as_constant(value).is_some()
    }

    /// Appends an operation made by the caller, whose results stand for these values.
    ///
    /// # Errors
    /// When the operation has fewer results.
    pub fn append(&mut self, op: Operation<'c>, results: &[ValueId]) -> Result<(), IrError> {
        let made = self.block.append_operation(op);
        for (i, &value) in results.iter().enumerate() {
            self.values
                .insert(value, lasting(made.result(i).map_err(missing)?));
        }
        Ok(())
    }

    /// Says what stands for a value: a block argument, or the result of an operation appended
    /// otherwise.
    pub fn define(&mut self, value: ValueId, is: Value<'c, 'b>) {
        self.values.insert(value, is);
    }

    /// Lets a constant of zeros stand for a value that is an operand without being read: one of a transposed
    /// convolution that is cropped to where no input reaches.
    ///
    /// # Errors
    /// When the operation is refused.
    pub fn define_zeros(&mut self, value: ValueId) -> Result<(), IrError> {
        let attribute = constant::zeros(self.context, self.graph.ty(value));
        let parts = Parts {
            results: vec![types::tensor_type(self.context, self.graph.ty(value))],
            attributes: vec![("value", attribute)],
            ..Parts::default()
        };
        let unknown = Location::unknown(self.context);
        let op = operation(self.context, "graph.constant", unknown, parts)?;
        self.append(op, &[value])
    }

    /// What stands for a value; a constant is appended when it is first asked for.
    ///
    /// # Errors
    /// When the value is neither a constant nor defined.
    pub fn value(&mut self, value: ValueId) -> Result<Value<'c, 'b>, IrError> {
        self.operand(value, || format!("c{}", value.0))
    }

    fn operand(
        &mut self,
        value: ValueId,
        name: impl FnOnce() -> String,
    ) -> Result<Value<'c, 'b>, IrError> {
        if let Some(&known) = self.values.get(&value) {
            return Ok(known);
        }
        let tensor = self.graph.as_constant(value).ok_or_else(|| {
            IrError::Missing(format!("value {} is used before it is defined", value.0))
        })?;
        let attribute = constant::to_attribute(self.context, tensor, &name());
        let parts = Parts {
            results: vec![types::tensor_type(self.context, tensor.ty())],
            attributes: vec![("value", attribute)],
            ..Parts::default()
        };
        let unknown = Location::unknown(self.context);
        let made =
            self.block
                .append_operation(operation(self.context, "graph.constant", unknown, parts)?);
        let result = lasting(made.result(0).map_err(missing)?);
        self.values.insert(value, result);
        Ok(result)
    }

    /// Appends a node.
    ///
    /// # Errors
    /// When an operand is not defined, or the operation refuses its attributes.
    pub fn node(&mut self, node: &Node) -> Result<(), IrError> {
        self.node_with(node, &[])
    }

    /// Appends a node with further attributes.
    ///
    /// # Errors
    /// As [`NodeBuilder::node`].
    pub fn node_with(
        &mut self,
        node: &Node,
        further: &[(&str, Attribute<'c>)],
    ) -> Result<(), IrError> {
        let owner = node
            .origins
            .first()
            .map_or(node.op.mnemonic(), String::as_str);
        let operands: Result<Vec<_>, _> = node
            .inputs
            .iter()
            .enumerate()
            .map(|(i, &v)| self.operand(v, || format!("{owner}.{i}")))
            .collect();
        let own = OwnKernel::of(&node.op);
        let attributes = match own {
            Some(_) => Vec::new(),
            None => node.op.attributes(),
        };
        let composite = own.map(|own| self.composite(own)).transpose()?;
        let (named, region) = composite.unzip();
        let parts = Parts {
            operands: operands?,
            results: node
                .outputs
                .iter()
                .map(|&v| types::tensor_type(self.context, self.graph.ty(v)))
                .collect(),
            attributes: attributes
                .iter()
                .map(|(name, value)| (*name, attr::to_attribute(self.context, value)))
                .chain(named.into_iter().flatten())
                .chain(further.iter().copied())
                .collect(),
            regions: region.into_iter().collect(),
        };
        let name = node.op.full_name();
        let location = location::from_origins(self.context, &node.origins);
        self.append(
            operation(self.context, &name, location, parts)?,
            &node.outputs,
        )
    }

    /// Attributes and region of a composite with a kernel.
    fn composite(&self, own: &OwnKernel) -> Result<(Named<'c>, Region<'c>), IrError> {
        let (context, meaning) = (self.context, own.meaning());
        let unknown = Location::unknown(context);
        let inputs = meaning.inputs.iter();
        let arguments: Vec<_> = inputs
            .map(|(_, v)| (types::tensor_type(context, meaning.ty(*v)), unknown))
            .collect();
        let block = Block::new(&arguments);
        {
            let mut inner = NodeBuilder::new(context, meaning, &block);
            for (i, (_, value)) in meaning.inputs.iter().enumerate() {
                inner.define(*value, lasting(block.argument(i).map_err(missing)?));
            }
            meaning.nodes.iter().try_for_each(|node| inner.node(node))?;
            let outputs = meaning.outputs.iter();
            let operands: Result<Vec<_>, _> = outputs.map(|(_, v)| inner.value(*v)).collect();
            let parts = Parts {
                operands: operands?,
                ..Parts::default()
            };
            block.append_operation(operation(context, "graph.yield", unknown, parts)?);
        }
        let region = Region::new();
        region.append_block(block);
        let kernel = FlatSymbolRefAttribute::new(context, &own.kernel().name).into();
        let attributes = vec![
            ("name", attr::string(context, own.unit())),
            ("kernel", kernel),
        ];
        Ok((attributes, region))
    }
}
