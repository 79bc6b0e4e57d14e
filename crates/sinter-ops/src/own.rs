//! A user's own unit whose kernel is written by hand.
//!
//! `graph.composite` with a kernel is one node: an operator whose loops are the kernel's and whose
//! evaluation is what its region means. Fusion weighs it against the operators of the region
//! ([`inlined`]), and checks that both compute the same before it does. A graph that holds such operators
//! without saying so is searched for them ([`adopt`]).

mod occurrences;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sinter_loops::kernel::{Kernel, Role};
use sinter_loops::nest::Nest;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::Attr;
use crate::custom::Custom;
use crate::graph::{Graph, Node, ValueId};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::ops::Op;

pub use occurrences::adopt;

/// A composite with its kernel.
#[derive(Clone, Debug)]
pub struct OwnKernel {
    unit: String,
    kernel: Kernel,
    meaning: Graph,
    /// What tells two of them apart beyond their names.
    digest: String,
}

impl OwnKernel {
    /// Name in IR.
    pub const MNEMONIC: &'static str = "graph.composite";

    /// The unit that `kernel` computes and `meaning` defines. The kernel's slots are its inputs, its
    /// temporaries and its outputs, over logical shapes.
    ///
    /// # Errors
    /// When the kernel is malformed or scheduled, or takes or gives other types than its meaning does.
    pub fn new(unit: impl Into<String>, kernel: Kernel, meaning: Graph) -> Result<Self, OpError> {
        let fault = |text: String| OpError(format!("kernel '@{}' {text}", kernel.name));
        if kernel.schedule.is_some() || kernel.slots.iter().any(|s| s.layout.is_some()) {
            return Err(fault(
                "has a schedule or layouts, which are the device model's to choose".to_owned(),
            ));
        }
        kernel
            .verify()
            .map_err(|cause| fault(format!("is malformed: {cause}")))?;
        let of_slots = |slots: &mut dyn Iterator<Item = usize>| -> Vec<TensorType> {
            slots.map(|s| kernel.slots[s].ty.clone()).collect()
        };
        let of_values = |values: &[(String, ValueId)]| -> Vec<TensorType> {
            values.iter().map(|(_, v)| meaning.ty(*v).clone()).collect()
        };
        let sides = [
            (
                "takes",
                of_slots(&mut kernel.arguments()),
                of_values(&meaning.inputs),
            ),
            (
                "gives",
                of_slots(&mut kernel.slots_of(Role::Output)),
                of_values(&meaning.outputs),
            ),
        ];
        for (verb, of_kernel, of_unit) in sides {
            if of_kernel != of_unit {
                return Err(fault(format!(
                    "{verb} {}, but the unit {}",
                    listed(&of_kernel),
                    listed(&of_unit)
                )));
            }
        }
        let mut text = String::new();
        for stage in &kernel.stages {
            let origins = Vec::new();
            let _ = write!(
                text,
                "{:?}",
                Nest {
                    origins,
                    ..stage.clone()
                }
            );
        }
        for node in &meaning.nodes {
            let _ = write!(text, "{:?} {:?} {:?}", node.op, node.inputs, node.outputs);
        }
        let _ = write!(text, "{:?}", meaning.outputs);
        for (_, tensor) in meaning.constants() {
            let _ = write!(text, " {} {:?}", tensor.ty(), tensor.to_f64s());
        }
        let digest = format!("{:016x}", fnv1a(&text));
        Ok(Self {
            unit: unit.into(),
            kernel,
            meaning,
            digest,
        })
    }

    /// Name of the unit.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// What it computes, as operators.
    pub fn meaning(&self) -> &Graph {
        &self.meaning
    }

    /// The own kernel that an operator is, if it is one.
    pub fn of(op: &Op) -> Option<&Self> {
        match op {
            Op::Custom(op) => op.downcast_ref(),
            _ => None,
        }
    }
}

impl From<OwnKernel> for Op {
    fn from(own: OwnKernel) -> Self {
        Self::Custom(Custom::new(own))
    }
}

impl Operator for OwnKernel {
    fn mnemonic(&self) -> &'static str {
        Self::MNEMONIC
    }

    fn attributes(&self) -> Vec<(&'static str, Attr)> {
        vec![
            ("name", Attr::Str(self.unit.clone())),
            ("kernel", Attr::Str(self.kernel.name.clone())),
            ("digest", Attr::Str(self.digest.clone())),
        ]
    }

    fn traits(&self) -> Traits {
        let stages = &self.kernel.stages;
        Traits {
            contraction: stages.iter().any(|s| s.contract),
            reduction: stages.iter().any(|s| !s.combines.is_empty()),
            ..Traits::default()
        }
    }

    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        let inputs = &self.meaning.inputs;
        let fits = operands
            .iter()
            .eq(inputs.iter().map(|(_, v)| self.meaning.ty(*v)));
        if !fits {
            let wanted: Vec<_> = inputs
                .iter()
                .map(|(_, v)| self.meaning.ty(*v).clone())
                .collect();
            let text = format!("takes {}, not {}", listed(&wanted), listed(operands));
            return Err(OpError(text));
        }
        let outputs = self.meaning.outputs.iter();
        Ok(outputs.map(|(_, v)| self.meaning.ty(*v).clone()).collect())
    }

    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let mut values: BTreeMap<ValueId, Tensor> = self
            .meaning
            .constants()
            .map(|(v, t)| (v, t.clone()))
            .collect();
        let inputs = self.meaning.inputs.iter().map(|(_, v)| *v);
        values.extend(inputs.zip(operands.iter().cloned()));
        let value = |values: &BTreeMap<ValueId, Tensor>, v: &ValueId| {
            let known = values.get(v).cloned();
            known.ok_or_else(|| OpError("uses a value that is not made before it".to_owned()))
        };
        for node in &self.meaning.nodes {
            let operands: Result<Vec<_>, _> =
                node.inputs.iter().map(|v| value(&values, v)).collect();
            let results = node.op.eval(&operands?)?;
            values.extend(node.outputs.iter().copied().zip(results));
        }
        let outputs = self.meaning.outputs.iter();
        outputs.map(|(_, v)| value(&values, v)).collect()
    }

    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        self.infer(operands)?;
        let temporaries = self.kernel.slots_of(Role::Temporary);
        Ok(Loops {
            temporaries: temporaries
                .map(|s| self.kernel.slots[s].ty.clone())
                .collect(),
            stages: self.kernel.stages.clone(),
        })
    }

    fn flops(&self, _: &[TensorType]) -> u64 {
        self.kernel.flops()
    }
}

/// The graph with the operators of each unit in the place of its kernel, but for kernels that `keep`
/// names. A unit's operators perform the nodes that they are said to, or else those of the unit.
///
/// # Errors
/// When an operator does not take its operands.
pub fn inlined(graph: &Graph, keep: &dyn Fn(&str) -> bool) -> Result<Graph, OpError> {
    let mut out = Graph::new(graph.name.clone());
    let mut values: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    for (name, value) in &graph.inputs {
        values.insert(*value, out.input(name.clone(), graph.ty(*value).clone()));
    }
    for (value, tensor) in graph.constants() {
        values.insert(value, out.constant(tensor.clone()));
    }
    for node in &graph.nodes {
        let inputs = mapped(&values, &node.inputs)?;
        let results = match OwnKernel::of(&node.op).filter(|own| !keep(&own.kernel.name)) {
            Some(own) => own.inline(node, &inputs, &mut out)?,
            None => out.add(node.op.clone(), &inputs, node.origins.clone())?,
        };
        values.extend(node.outputs.iter().copied().zip(results));
    }
    for (name, value) in &graph.outputs {
        let value = mapped(&values, &[*value])?[0];
        out.output(name.clone(), value);
    }
    Ok(out)
}

impl OwnKernel {
    /// Appends the operators; the results.
    fn inline(
        &self,
        at: &Node,
        inputs: &[ValueId],
        out: &mut Graph,
    ) -> Result<Vec<ValueId>, OpError> {
        let parameters = self.meaning.inputs.iter().map(|(_, v)| *v);
        let mut values: BTreeMap<_, _> = parameters.zip(inputs.iter().copied()).collect();
        for (value, tensor) in self.meaning.constants() {
            values.insert(value, out.constant(tensor.clone()));
        }
        for node in &self.meaning.nodes {
            let inputs = mapped(&values, &node.inputs)?;
            let origins = match node.origins.is_empty() {
                true => at.origins.clone(),
                false => node.origins.clone(),
            };
            let results = out.add(node.op.clone(), &inputs, origins)?;
            values.extend(node.outputs.iter().copied().zip(results));
        }
        let outputs: Vec<_> = self.meaning.outputs.iter().map(|(_, v)| *v).collect();
        mapped(&values, &outputs)
    }
}

fn mapped(values: &BTreeMap<ValueId, ValueId>, of: &[ValueId]) -> Result<Vec<ValueId>, OpError> {
    let value = |v: &ValueId| {
        let known = values.get(v).copied();
        known.ok_or_else(|| OpError("uses a value that is not made before it".to_owned()))
    };
    of.iter().map(value).collect()
}

fn listed(types: &[TensorType]) -> String {
    let texts: Vec<_> = types.iter().map(ToString::to_string).collect();
    match texts.is_empty() {
        true => "nothing".to_owned(),
        false => texts.join(", "),
    }
}

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use sinter_loops::scalar::BinaryFn;

    use super::*;
    use crate::form::{RowMajor, kernel};
    use crate::graph::NodeId;
    use crate::ops::binary::Binary;

    /// `x + x`, and a kernel that computes it.
    fn doubling() -> (Graph, Kernel) {
        let mut graph = Graph::new("");
        let x = graph.input("x", TensorType::f32([2, 3]));
        let add = Binary {
            kind: BinaryFn::Add,
        };
        let y = graph.add(add, &[x, x], Vec::new()).expect("fits")[0];
        graph.output("y", y);
        let mut made = kernel(&graph, &[NodeId(0)], &[y], &RowMajor).expect("has loops");
        made.name = "twice".to_owned();
        (graph, made)
    }

    fn used() -> Graph {
        let (meaning, kernel) = doubling();
        let own = OwnKernel::new("my.twice", kernel, meaning).expect("fits");
        let mut graph = Graph::new("g");
        let x = graph.input("x", TensorType::f32([2, 3]));
        let y = graph.add(own, &[x], vec!["unit".to_owned()]).expect("fits");
        graph.output("y", y[0]);
        graph
    }

    #[test]
    fn loops_and_meaning_agree() {
        let graph = used();
        let x = Tensor::from_f32([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let meant = graph.nodes[0]
            .op
            .eval(std::slice::from_ref(&x))
            .expect("fits");
        let made =
            kernel(&graph, &[NodeId(0)], &[graph.outputs[0].1], &RowMajor).expect("has loops");
        assert_eq!(sinter_loops::interp::run(&made, &[x]), meant);
    }

    #[test]
    fn the_meaning_takes_the_place_of_the_kernel_unless_it_is_kept() {
        let graph = used();
        let kept = inlined(&graph, &|name| name == "twice").expect("fits");
        assert!(OwnKernel::of(&kept.nodes[0].op).is_some());
        let plain = inlined(&graph, &|_| false).expect("fits");
        assert_eq!(plain.nodes.len(), 1);
        assert!(matches!(plain.nodes[0].op, Op::Binary(_)));
        assert_eq!(plain.nodes[0].origins, ["unit"]);
    }

    #[test]
    fn a_kernel_of_other_types_is_refused() {
        let (_, kernel) = doubling();
        let mut other = Graph::new("");
        let x = other.input("x", TensorType::f32([3]));
        other.output("y", x);
        let error = OwnKernel::new("u", kernel, other).expect_err("other types");
        assert_eq!(
            error.0,
            "kernel '@twice' takes tensor<2x3xf32>, but the unit tensor<3xf32>"
        );
    }
}
