//! `dsp-decompose`: `dsp` operators into operators of `graph`.
//!
//! Takes a module with a model function of operators. Leaves no `dsp` operator of the named kinds: each
//! becomes the operators of its definition, for tools that know `graph` only. Refuses names that are no
//! `dsp` operator.

use std::collections::BTreeMap;

use melior::ir::operation::OperationRef;
use sinter_ir::graph_to_module;
use sinter_ir::rewrite::context_of;
use sinter_loops::scalar::BinaryFn;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Graph, Node, Op, OpError, Operator, ValueId};
use sinter_pass::{Failure, Pass, PassInfo};
use sinter_transforms::model::{model, replace_model};

use crate::power::Power;
use crate::squareplus::Squareplus;

sinter_pass::options! {
    /// Options of [`DspDecompose`].
    pub struct DspDecomposeOptions {
        /// Operators that are decomposed
        only: Vec<String> = vec!["power".to_owned(), "squareplus".to_owned()],
    }
}

/// The pass.
pub struct DspDecompose;

impl Pass for DspDecompose {
    type Options = DspDecomposeOptions;

    const INFO: PassInfo = PassInfo {
        name: "dsp-decompose",
        summary: "`dsp` operators into operators of `graph`",
        description: "Each becomes the operators of its definition.",
        anchor: Some("builtin.module"),
        dialects: &["graph", "func"],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        if let Some(name) = options
            .only
            .iter()
            .find(|n| !["power", "squareplus"].contains(&n.as_str()))
        {
            return Err(Failure::message(format!("'dsp.{name}' is no operator")));
        }
        let decomposed = decompose(&model(op)?, &options.only)?;
        replace_model(op, &graph_to_module(context_of(op), &decomposed)?)
    }
}

/// The graph without the named operators.
fn decompose(graph: &Graph, only: &[String]) -> Result<Graph, OpError> {
    let mut out = Graph::new(graph.name.clone());
    let mut values: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    for (name, value) in &graph.inputs {
        values.insert(*value, out.input(name.clone(), graph.ty(*value).clone()));
    }
    for (value, tensor) in graph.constants() {
        values.insert(value, out.constant(tensor.clone()));
    }
    for node in &graph.nodes {
        let inputs: Vec<_> = node.inputs.iter().map(|v| values[v]).collect();
        let made = Parts {
            out: &mut out,
            node,
        }
        .node(&inputs, only)?;
        values.extend(node.outputs.iter().copied().zip(made));
    }
    for (name, value) in &graph.outputs {
        out.output(name.clone(), values[value]);
    }
    Ok(out)
}

/// The operators that stand for one node; they have its origins.
struct Parts<'a> {
    out: &'a mut Graph,
    node: &'a Node,
}

impl Parts<'_> {
    fn node(&mut self, inputs: &[ValueId], only: &[String]) -> Result<Vec<ValueId>, OpError> {
        let wanted = |name: &str| only.iter().any(|n| name.strip_prefix("dsp.") == Some(n));
        if let Op::Custom(op) = &self.node.op
            && wanted(op.mnemonic())
        {
            let (squareplus, power) = (op.downcast_ref(), op.downcast_ref());
            if let Some(squareplus) = squareplus {
                return Ok(vec![self.squareplus(inputs[0], squareplus)?]);
            }
            if let Some(power) = power {
                return Ok(vec![self.power(inputs[0], power)?]);
            }
        }
        self.out
            .add(self.node.op.clone(), inputs, self.node.origins.clone())
    }

    fn squareplus(&mut self, x: ValueId, op: &Squareplus) -> Result<ValueId, OpError> {
        let square = self.binary(BinaryFn::Mul, x, x)?;
        let roundness = self.literal(x, op.roundness.get());
        let inside = self.binary(BinaryFn::Add, square, roundness)?;
        let kind = UnaryKind::Sqrt;
        let root = self.one(Unary { kind }, &[inside])?;
        let sum = self.binary(BinaryFn::Add, x, root)?;
        let half = self.literal(x, 0.5);
        self.binary(BinaryFn::Mul, sum, half)
    }

    fn power(&mut self, x: ValueId, op: &Power) -> Result<ValueId, OpError> {
        let square = self.binary(BinaryFn::Mul, x, x)?;
        let mean = Reduce {
            kind: ReduceKind::Mean,
            axes: vec![op.axis],
            keep_dims: true,
        };
        self.one(mean, &[square])
    }

    fn one(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Result<ValueId, OpError> {
        let made = self.out.add(op, operands, self.node.origins.clone())?;
        Ok(made[0])
    }

    fn binary(&mut self, kind: BinaryFn, a: ValueId, b: ValueId) -> Result<ValueId, OpError> {
        self.one(Binary { kind }, &[a, b])
    }

    fn literal(&mut self, like: ValueId, value: f64) -> ValueId {
        let ty = TensorType::new(self.out.ty(like).element, []);
        self.out.constant(Tensor::from_f64s(ty, &[value]))
    }
}
