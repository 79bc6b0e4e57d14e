//! Simplifies a graph: constant operands are evaluated, identities folded, equal nodes merged, dead
//! nodes and constants dropped. Results without elements are constants.
//!
//! The result is a new graph with the same inputs and outputs (names, types, order) and the same
//! meaning bit for bit: constants are evaluated by the reference, identities change nothing.

use std::collections::BTreeMap;

use bytes::Bytes;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::graph::{Graph, Node, ValueId};
use crate::operator::{Fold, OpError, Operator};
use crate::ops::Op;

/// What may be evaluated at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Largest results of a node that are evaluated although they are bigger than its operands.
    pub grown_bytes: i64,
    /// Most multiplications and additions of a node that is evaluated.
    pub flops: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            grown_bytes: 1 << 16,
            flops: 1 << 30,
        }
    }
}

/// Folds of one node in a row; each makes it simpler, so the limit only guards against a cycle.
const MAX_FOLDS: usize = 16;

/// Constants up to this size are merged when they are equal.
const MERGED_CONSTANT_BYTES: usize = 1 << 10;

/// The simplified graph.
///
/// # Errors
/// When a node does not take its operands. Operators that refuse the *values* of constant operands
/// stay as they are.
pub fn simplify(graph: &Graph, options: &Options) -> Result<Graph, OpError> {
    let mut simplifier = Simplifier::new(graph, *options);
    for node in &graph.nodes {
        simplifier.add(node)?;
    }
    let mut simplified = simplifier.out;
    for (name, value) in &graph.outputs {
        let value = simplifier.values[value.0 as usize];
        simplified.output(name.clone(), value.ok_or_else(|| unmade(name))?);
    }
    live_part(&simplified)
}

fn unmade(user: &str) -> OpError {
    OpError(format!("'{user}' uses a value that is not made before it"))
}

struct Simplifier {
    out: Graph,
    options: Options,
    /// The new value of each old one.
    values: Vec<Option<ValueId>>,
    /// Nodes by operator and operands.
    known: BTreeMap<(Op, Vec<ValueId>), usize>,
    small: BTreeMap<(TensorType, Bytes), ValueId>,
}

impl Simplifier {
    fn new(graph: &Graph, options: Options) -> Self {
        let mut this = Self {
            out: Graph::new(graph.name.clone()),
            options,
            values: vec![None; graph.value_count()],
            known: BTreeMap::new(),
            small: BTreeMap::new(),
        };
        for (name, value) in &graph.inputs {
            let new = this.out.input(name.clone(), graph.ty(*value).clone());
            this.values[value.0 as usize] = Some(new);
        }
        for (value, tensor) in graph.constants() {
            let new = this.constant(tensor.clone());
            this.values[value.0 as usize] = Some(new);
        }
        this
    }

    fn constant(&mut self, tensor: Tensor) -> ValueId {
        if tensor.bytes().len() > MERGED_CONSTANT_BYTES {
            return self.out.constant(tensor);
        }
        let key = (tensor.ty().clone(), tensor.bytes().clone());
        let out = &mut self.out;
        *self
            .small
            .entry(key)
            .or_insert_with(|| out.constant(tensor))
    }

    fn add(&mut self, node: &Node) -> Result<(), OpError> {
        let name = node
            .origins
            .first()
            .map_or(node.op.mnemonic(), String::as_str);
        let inputs = node.inputs.iter().map(|v| self.values[v.0 as usize]);
        let inputs: Vec<_> = inputs.collect::<Option<_>>().ok_or_else(|| unmade(name))?;
        let results = self.results(node.op.clone(), inputs, &node.origins)?;
        for (old, new) in node.outputs.iter().zip(results) {
            self.values[old.0 as usize] = Some(new);
        }
        Ok(())
    }

    /// The results of an operator in the new graph.
    fn results(
        &mut self,
        mut op: Op,
        mut inputs: Vec<ValueId>,
        origins: &[String],
    ) -> Result<Vec<ValueId>, OpError> {
        for _ in 0..MAX_FOLDS {
            match op.fold(&self.types(&inputs)) {
                None => break,
                Some(Fold::Operand(i)) => return Ok(vec![inputs[i]]),
                Some(Fold::Op(simpler, operands)) => {
                    inputs = operands.into_iter().map(|i| inputs[i]).collect();
                    op = *simpler;
                }
            }
        }
        if let Some(tensors) = self
            .without_elements(&op, &inputs)
            .or_else(|| self.evaluated(&op, &inputs))
        {
            return Ok(tensors.into_iter().map(|t| self.constant(t)).collect());
        }
        if op.traits().effectful {
            return self.out.add(op, &inputs, origins.to_vec());
        }
        let mut operands = inputs.clone();
        if op.traits().commutative {
            operands.sort_unstable();
        }
        let key = (op, operands);
        if let Some(&known) = self.known.get(&key) {
            let node = &mut self.out.nodes[known];
            for origin in origins {
                if !node.origins.contains(origin) {
                    node.origins.push(origin.clone());
                }
            }
            return Ok(node.outputs.clone());
        }
        self.known.insert(key.clone(), self.out.nodes.len());
        self.out.add(key.0, &inputs, origins.to_vec())
    }

    fn types(&self, inputs: &[ValueId]) -> Vec<TensorType> {
        inputs.iter().map(|&v| self.out.ty(v).clone()).collect()
    }

    /// The elements of a value, where they are known: those of constants, and of tensors that have
    /// none.
    fn known_tensor(&self, value: ValueId) -> Option<Tensor> {
        let ty = self.out.ty(value);
        let empty = || (ty.elements() == 0).then(|| Tensor::from_bytes(ty.clone(), Bytes::new()));
        self.out.as_constant(value).cloned().or_else(empty)
    }

    /// The results, where none of them has an element.
    fn without_elements(&self, op: &Op, inputs: &[ValueId]) -> Option<Vec<Tensor>> {
        let types = op.infer(&self.types(inputs)).ok()?;
        let none = types.iter().all(|t| t.elements() == 0) && !op.traits().effectful;
        let empty = |ty| Tensor::from_bytes(ty, Bytes::new());
        none.then(|| types.into_iter().map(empty).collect())
    }

    /// The results, where all operands are constants and the limits allow it.
    fn evaluated(&self, op: &Op, inputs: &[ValueId]) -> Option<Vec<Tensor>> {
        let operands: Vec<Tensor> = inputs
            .iter()
            .map(|&v| self.known_tensor(v))
            .collect::<Option<_>>()?;
        let types = self.types(inputs);
        let given: i64 = types.iter().map(TensorType::bytes).sum();
        let made: i64 = op.infer(&types).ok()?.iter().map(TensorType::bytes).sum();
        let fits = made <= given.max(self.options.grown_bytes)
            && op.flops(&types) <= self.options.flops
            && !op.traits().effectful;
        fits.then(|| op.eval(&operands).ok())?
    }
}

/// The graph without nodes and constants that no output needs. Inputs stay.
fn live_part(graph: &Graph) -> Result<Graph, OpError> {
    let mut live = vec![false; graph.value_count()];
    for (_, value) in &graph.outputs {
        live[value.0 as usize] = true;
    }
    let mut needed = vec![false; graph.nodes.len()];
    for (i, node) in graph.nodes.iter().enumerate().rev() {
        let used = node.outputs.iter().any(|v| live[v.0 as usize]);
        if used || node.op.traits().effectful {
            needed[i] = true;
            node.inputs.iter().for_each(|v| live[v.0 as usize] = true);
        }
    }
    let mut out = Graph::new(graph.name.clone());
    let mut values: Vec<Option<ValueId>> = vec![None; graph.value_count()];
    for (name, value) in &graph.inputs {
        values[value.0 as usize] = Some(out.input(name.clone(), graph.ty(*value).clone()));
    }
    for (value, tensor) in graph.constants().filter(|(v, _)| live[v.0 as usize]) {
        values[value.0 as usize] = Some(out.constant(tensor.clone()));
    }
    for node in graph
        .nodes
        .iter()
        .zip(needed)
        .filter_map(|(n, needed)| needed.then_some(n))
    {
        let inputs: Vec<_> = node
            .inputs
            .iter()
            .filter_map(|v| values[v.0 as usize])
            .collect();
        let results = out.add(node.op.clone(), &inputs, node.origins.clone())?;
        for (old, new) in node.outputs.iter().zip(results) {
            values[old.0 as usize] = Some(new);
        }
    }
    for (name, value) in &graph.outputs {
        let value = values[value.0 as usize].ok_or_else(|| unmade(name))?;
        out.output(name.clone(), value);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use sinter_loops::scalar::BinaryFn;

    use super::*;
    use crate::ops::binary::Binary;
    use crate::ops::concat::Concat;
    use crate::ops::expand::Expand;
    use crate::ops::reduce::{Reduce, ReduceKind};
    use crate::ops::reshape::Reshape;
    use crate::ops::transpose::Transpose;

    fn add() -> Binary {
        Binary {
            kind: BinaryFn::Add,
        }
    }

    fn one(graph: &mut Graph, op: impl Into<Op>, inputs: &[ValueId], name: &str) -> ValueId {
        graph.add(op, inputs, vec![name.into()]).expect("fits")[0]
    }

    #[test]
    fn constants_are_evaluated_and_dead_ones_dropped() {
        let mut graph = Graph::new("g");
        let x = graph.input("x", TensorType::f32([2]));
        let a = graph.constant(Tensor::from_f32([2], &[1.0, 2.0]));
        let b = graph.constant(Tensor::from_f32([2], &[3.0, 4.0]));
        let sum = one(&mut graph, add(), &[a, b], "sum");
        let y = one(&mut graph, add(), &[x, sum], "y");
        one(&mut graph, add(), &[x, a], "dead");
        graph.output("y", y);
        let simple = simplify(&graph, &Options::default()).expect("fits");
        assert_eq!(simple.nodes.len(), 1);
        let constants: Vec<_> = simple.constants().map(|(_, t)| t.to_f32s()).collect();
        assert_eq!(constants, [[4.0, 6.0]]);
    }

    #[test]
    fn identities_vanish() {
        let mut graph = Graph::new("g");
        let x = graph.input("x", TensorType::f32([2, 3]));
        let same = one(&mut graph, Transpose { perm: vec![0, 1] }, &[x], "same");
        let kept = one(&mut graph, Reshape { shape: vec![2, 3] }, &[same], "kept");
        graph.output("y", kept);
        let simple = simplify(&graph, &Options::default()).expect("fits");
        assert!(simple.nodes.is_empty());
        assert_eq!(simple.outputs[0].1, simple.inputs[0].1);
    }

    #[test]
    fn equal_nodes_are_merged_and_keep_all_origins() {
        let mut graph = Graph::new("g");
        let x = graph.input("x", TensorType::f32([2]));
        let y = graph.input("y", TensorType::f32([2]));
        let first = one(&mut graph, add(), &[x, y], "first");
        let second = one(&mut graph, add(), &[y, x], "second");
        let z = one(
            &mut graph,
            Binary {
                kind: BinaryFn::Mul,
            },
            &[first, second],
            "z",
        );
        graph.output("z", z);
        let simple = simplify(&graph, &Options::default()).expect("fits");
        assert_eq!(simple.nodes.len(), 2);
        assert_eq!(simple.nodes[0].origins, ["first", "second"]);
    }

    #[test]
    fn tensors_without_elements_vanish() {
        let mut graph = Graph::new("g");
        let x = graph.input("x", TensorType::f32([2, 3]));
        let none = graph.input("none", TensorType::f32([2, 0]));
        let all = one(&mut graph, Concat { axis: 1 }, &[none, x], "all");
        let sum = Reduce {
            kind: ReduceKind::Sum,
            axes: vec![1],
            keep_dims: true,
        };
        let zero = one(&mut graph, sum, &[none], "zero");
        let y = one(&mut graph, add(), &[all, zero], "y");
        graph.output("y", y);
        let simple = simplify(&graph, &Options::default()).expect("fits");
        let ops: Vec<_> = simple.nodes.iter().map(|n| n.op.mnemonic()).collect();
        assert_eq!(ops, ["add"]);
        assert_eq!(simple.nodes[0].inputs[0], simple.inputs[0].1);
    }

    #[test]
    fn results_without_elements_are_constants() {
        let mut graph = Graph::new("g");
        let row = graph.input("row", TensorType::f32([1, 3]));
        let none = graph.input("none", TensorType::f32([0, 1]));
        let y = one(&mut graph, add(), &[row, none], "sum");
        graph.output("y", y);
        let simple = simplify(&graph, &Options::default()).expect("fits");
        assert!(simple.nodes.is_empty());
        assert_eq!(simple.constants().count(), 1);
        assert_eq!(simple.ty(simple.outputs[0].1), &TensorType::f32([0, 3]));
    }

    #[test]
    fn small_constants_do_not_grow_into_big_ones() {
        let mut graph = Graph::new("g");
        let one_value = graph.constant(Tensor::from_f32([1], &[1.0]));
        let wide = one(
            &mut graph,
            Expand {
                shape: vec![1 << 20],
            },
            &[one_value],
            "wide",
        );
        graph.output("y", wide);
        assert_eq!(
            simplify(&graph, &Options::default())
                .expect("fits")
                .nodes
                .len(),
            1
        );
    }
}
