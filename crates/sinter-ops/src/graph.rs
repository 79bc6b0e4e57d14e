//! A graph of operators as plain data: what the importer builds, fusion searches and the reference
//! walks. `sinter-ir` converts it to and from `graph` dialect functions.

use std::collections::BTreeMap;

use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::operator::{OpError, Operator};
use crate::ops::Op;

/// A value: graph input, constant or result of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

/// A node, by its place in [`Graph::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// One operator application.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Operator with its attributes.
    pub op: Op,
    /// Operands.
    pub inputs: Vec<ValueId>,
    /// Results.
    pub outputs: Vec<ValueId>,
    /// Names of the ONNX nodes it stems from.
    pub origins: Vec<String>,
}

/// A graph in topological order: a node's operands are inputs, constants, or results of earlier nodes.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Name of the model.
    pub name: String,
    types: Vec<TensorType>,
    /// Named inputs, in order.
    pub inputs: Vec<(String, ValueId)>,
    /// Named outputs, in order. An output may be an input or a constant.
    pub outputs: Vec<(String, ValueId)>,
    /// Nodes in topological order.
    pub nodes: Vec<Node>,
    constants: BTreeMap<ValueId, Tensor>,
}

impl Graph {
    /// An empty graph.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Adds a named input.
    pub fn input(&mut self, name: impl Into<String>, ty: TensorType) -> ValueId {
        let value = self.fresh(ty);
        self.inputs.push((name.into(), value));
        value
    }

    /// Adds a constant.
    pub fn constant(&mut self, tensor: Tensor) -> ValueId {
        let value = self.fresh(tensor.ty().clone());
        self.constants.insert(value, tensor);
        value
    }

    /// Appends a node and returns its results.
    ///
    /// # Errors
    /// When the operator does not take these operands.
    pub fn add(
        &mut self,
        op: impl Into<Op>,
        inputs: &[ValueId],
        origins: Vec<String>,
    ) -> Result<Vec<ValueId>, OpError> {
        let op = op.into();
        let types: Vec<_> = inputs.iter().map(|&v| self.ty(v).clone()).collect();
        let outputs: Vec<_> = op
            .infer(&types)?
            .into_iter()
            .map(|t| self.fresh(t))
            .collect();
        self.nodes.push(Node {
            op,
            inputs: inputs.to_vec(),
            outputs: outputs.clone(),
            origins,
        });
        Ok(outputs)
    }

    /// Names an output.
    pub fn output(&mut self, name: impl Into<String>, value: ValueId) {
        self.outputs.push((name.into(), value));
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> &TensorType {
        &self.types[value.0 as usize]
    }

    /// The constant that a value is, if it is one.
    pub fn as_constant(&self, value: ValueId) -> Option<&Tensor> {
        self.constants.get(&value)
    }

    /// All constants.
    pub fn constants(&self) -> impl Iterator<Item = (ValueId, &Tensor)> {
        self.constants.iter().map(|(&v, t)| (v, t))
    }

    /// Number of values made so far; value ids are below it.
    pub fn value_count(&self) -> usize {
        self.types.len()
    }

    /// The node that makes each value, by value id.
    pub fn producers(&self) -> Vec<Option<NodeId>> {
        let mut out = vec![None; self.types.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            for &v in &node.outputs {
                out[v.0 as usize] = Some(NodeId(i as u32));
            }
        }
        out
    }

    /// The nodes that use each value, by value id, once per operand place; graph outputs not counted.
    pub fn users(&self) -> Vec<Vec<NodeId>> {
        let mut out = vec![Vec::new(); self.types.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            for &v in &node.inputs {
                out[v.0 as usize].push(NodeId(i as u32));
            }
        }
        out
    }

    fn fresh(&mut self, ty: TensorType) -> ValueId {
        let id = ValueId(self.types.len() as u32);
        self.types.push(ty);
        id
    }
}
