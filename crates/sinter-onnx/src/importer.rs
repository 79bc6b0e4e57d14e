//! Values by name, constant folding, and the walk over a graph's nodes.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::operator::Fold;
use sinter_ops::{Graph, Op, Operator, ValueId};

use crate::ImportOptions;
use crate::call::Call;
use crate::error::{Fault, ImportError};
use crate::file::Files;
use crate::ops;
use crate::order::{live_order, node_name, reads};
use crate::proto::{GraphProto, NodeProto, TensorProto};
use crate::shapes;
use crate::weights::{checked_type, tensor};

/// The largest result of evaluating an operator on constants, in bytes; larger ones stay operators.
const MAX_FOLDED_BYTES: i64 = 64 << 20;

/// What an ONNX name stands for.
#[derive(Clone, Debug)]
pub enum Value {
    /// Known now; enters the graph when a node needs it.
    Constant(Tensor),
    /// Known when the model runs.
    Graph(ValueId),
}

/// Builds the operator graph.
pub struct Importer<'f> {
    graph: Graph,
    opset: i64,
    files: &'f Files,
    /// Names, the innermost graph last.
    scopes: Vec<BTreeMap<String, Value>>,
    /// Constants in the graph; equal ones are one.
    constants: BTreeMap<(TensorType, Bytes), ValueId>,
    /// Name of the node being imported.
    origin: String,
}

impl<'f> Importer<'f> {
    /// An importer for a model of the given operator set.
    pub(crate) fn new(name: String, opset: i64, files: &'f Files) -> Self {
        Self {
            graph: Graph::new(name),
            opset,
            files,
            scopes: Vec::new(),
            constants: BTreeMap::new(),
            origin: String::new(),
        }
    }

    /// Imports a model's graph.
    ///
    /// # Errors
    /// See [`ImportError`].
    pub(crate) fn run(
        mut self,
        proto: &GraphProto,
        options: &ImportOptions,
    ) -> Result<Graph, ImportError> {
        let mut names = BTreeMap::new();
        for (name, ty) in shapes::inputs(proto, &options.shapes)? {
            let value = Value::Graph(self.graph.input(name.clone(), ty));
            names.insert(name, value);
        }
        let outputs = self.import_graph(proto, names)?;
        if outputs.is_empty() {
            let what = "the model has no outputs: export it again".into();
            return Err(ImportError::BadInterface { what });
        }
        for (info, value) in proto.output.iter().zip(&outputs) {
            shapes::check_output(info, &self.ty(value))?;
            let value = self.materialise(value);
            self.graph.output(info.name.clone(), value);
        }
        Ok(self.graph)
    }

    /// Imports a branch of `If` in place: it may use every name around it.
    ///
    /// # Errors
    /// See [`ImportError`].
    pub(crate) fn import_branch(&mut self, proto: &GraphProto) -> Result<Vec<Value>, ImportError> {
        let origin = self.origin.clone();
        let values = self.import_graph(proto, BTreeMap::new());
        self.origin = origin;
        values
    }

    fn import_graph(
        &mut self,
        proto: &GraphProto,
        mut names: BTreeMap<String, Value>,
    ) -> Result<Vec<Value>, ImportError> {
        let order = live_order(proto)?;
        let used = used(proto, &order);
        for weight in proto
            .initializer
            .iter()
            .filter(|w| used.contains(w.name.as_str()))
        {
            let value = tensor(weight, self.files).map_err(|cause| ImportError::BadWeight {
                weight: weight.name.clone(),
                cause,
            })?;
            names.insert(weight.name.clone(), Value::Constant(value));
        }
        self.scopes.push(names);
        for place in order {
            let node = &proto.node[place];
            self.import_node(node, &used)
                .map_err(|fault| fault.at(node_name(node), node.op_type.clone()))?;
        }
        let outputs = proto.output.iter().map(|info| {
            self.lookup(&info.name)
                .ok_or_else(|| ImportError::BadInterface {
                    what: format!(
                        "output '{}' is made by no node: export the model again",
                        info.name
                    ),
                })
        });
        let outputs = outputs.collect();
        self.scopes.pop();
        outputs
    }

    fn import_node(&mut self, node: &NodeProto, used: &BTreeSet<&str>) -> Result<(), Fault> {
        let handler = ops::handler(&node.domain, &node.op_type)?;
        ops::check_operands(node)?;
        let inputs = node
            .input
            .iter()
            .map(|name| match name.as_str() {
                "" => Ok(None),
                _ => self
                    .lookup(name)
                    .map(Some)
                    .ok_or_else(|| Fault::Missing(name.clone())),
            })
            .collect::<Result<_, _>>()?;
        self.origin = node_name(node);
        let call = Call::new(node, inputs, self.opset);
        let results = handler(self, &call)?;
        let mut results = results.into_iter();
        for name in &node.output {
            let result = results.next();
            if name.is_empty() || !used.contains(name.as_str()) {
                continue;
            }
            let value = result.ok_or_else(|| {
                Fault::unsupported(format!(
                    "its result '{name}' is not supported: export without it"
                ))
            })?;
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(name.clone(), value);
            }
        }
        Ok(())
    }

    fn lookup(&self, name: &str) -> Option<Value> {
        self.scopes
            .iter()
            .rev()
            .find_map(|names| names.get(name))
            .cloned()
    }

    /// A tensor attribute's value.
    ///
    /// # Errors
    /// When its type is not supported or its data does not fit.
    pub(crate) fn tensor(&self, proto: &TensorProto) -> Result<Tensor, String> {
        tensor(proto, self.files)
    }

    /// The type of a value.
    pub fn ty(&self, value: &Value) -> TensorType {
        match value {
            Value::Constant(tensor) => tensor.ty().clone(),
            Value::Graph(id) => self.graph.ty(*id).clone(),
        }
    }

    /// The extents of a value.
    pub fn shape(&self, value: &Value) -> Vec<i64> {
        self.ty(value).shape
    }

    /// The number of dimensions of a value.
    pub fn rank(&self, value: &Value) -> i64 {
        self.ty(value).rank() as i64
    }

    /// A scalar constant.
    pub fn scalar(&self, element: ElementType, value: f64) -> Value {
        Value::Constant(Tensor::from_f64s(TensorType::new(element, []), &[value]))
    }

    /// Applies an operator; what it gives for constants is a constant.
    ///
    /// # Errors
    /// When the operator does not take the operands.
    pub fn add(&mut self, op: impl Into<Op>, operands: &[Value]) -> Result<Value, Fault> {
        let op = op.into();
        let types: Vec<_> = operands.iter().map(|v| self.ty(v)).collect();
        let results = op.infer(&types)?;
        for ty in &results {
            checked_type(ty.element, &ty.shape).map_err(Fault::invalid)?;
        }
        match op.fold(&types) {
            Some(Fold::Operand(place)) => return Ok(operands[place].clone()),
            Some(Fold::Op(op, places)) => {
                let operands: Vec<_> = places.iter().map(|&p| operands[p].clone()).collect();
                return self.add(*op, &operands);
            }
            None => {}
        }
        if results.iter().all(|ty| ty.bytes() <= MAX_FOLDED_BYTES) {
            let constants: Option<Vec<_>> = operands.iter().map(as_constant).collect();
            if let Some(constants) = constants {
                let folded = op.eval(&constants)?.into_iter().next();
                return folded.map(Value::Constant).ok_or_else(no_result);
            }
        }
        let ids: Vec<_> = operands.iter().map(|v| self.materialise(v)).collect();
        let made = self.graph.add(op, &ids, vec![self.origin.clone()])?;
        made.first()
            .map(|&id| Value::Graph(id))
            .ok_or_else(no_result)
    }

    fn materialise(&mut self, value: &Value) -> ValueId {
        match value {
            Value::Graph(id) => *id,
            Value::Constant(tensor) => {
                let key = (tensor.ty().clone(), tensor.bytes().clone());
                *self
                    .constants
                    .entry(key)
                    .or_insert_with(|| self.graph.constant(tensor.clone()))
            }
        }
    }
}

/// The constant that a value is, if it is one.
pub fn as_constant(value: &Value) -> Option<Tensor> {
    match value {
        Value::Constant(tensor) => Some(tensor.clone()),
        Value::Graph(_) => None,
    }
}

fn no_result() -> Fault {
    Fault::invalid("the operator has no result")
}

/// The names that the live nodes and the outputs read.
fn used<'g>(graph: &'g GraphProto, order: &[usize]) -> BTreeSet<&'g str> {
    let read = order.iter().flat_map(|&place| reads(&graph.node[place]));
    read.chain(graph.output.iter().map(|o| o.name.as_str()))
        .collect()
}
