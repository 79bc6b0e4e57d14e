//! What was found out about kernels, by their structure: nodes, how they are connected, and how what
//! they read and write lies in memory. Equal parts of a program, and of several forms of a program,
//! are formed and priced once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use sinter_device::Price;
use sinter_loops::kernel::{Kernel, Layout, Role};
use sinter_loops::types::TensorType;
use sinter_ops::form::{Placement, Storage};
use sinter_ops::{Graph, NodeId, Op, ValueId};

use crate::evaluate::Illegal;

/// A memo that several evaluators of one device share.
pub(crate) type Shared = Rc<RefCell<Memo>>;

/// What is known of a structure, or why it is no kernel.
pub(crate) type Known = Result<Rc<Scheduled>, Illegal>;

/// A structure as a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Scheduled {
    pub(crate) price: Price,
    /// Bytes touched of each of its values, by local number.
    pub(crate) touched: Vec<(usize, Role, u64)>,
    /// The scheduled kernel; origins of its stages are the places of their nodes, as text.
    pub(crate) kernel: Kernel,
}

/// Outcomes by structure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    operators: HashMap<(Op, Vec<TensorType>), u32>,
    values: HashMap<ValueKey, u32>,
    outcomes: HashMap<Vec<u32>, Known>,
}

/// What a kernel depends on of a value that it reads or writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ValueKey {
    ty: TensorType,
    layout: Option<Layout>,
    placement: Option<Placement>,
    /// For constants, the bits of the value that all elements have, if they have one.
    constant: Option<Option<u64>>,
}

/// Numbers of a graph's operators and values in a memo.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    operators: Vec<u32>,
    values: Vec<u32>,
}

/// A structure, and the values behind its local numbers: those read from outside in the order of
/// their first use, then those written.
#[derive(Clone, Debug)]
pub(crate) struct Structure {
    pub(crate) key: Vec<u32>,
    pub(crate) values: Vec<ValueId>,
}

/// Tags of the words of a structure's key.
const INSIDE: u32 = 1 << 30;
const OUTSIDE: u32 = 2 << 30;
const WRITTEN: u32 = 3 << 30;

impl Memo {
    /// Numbers the operators and values of a graph.
    pub(crate) fn number(&mut self, graph: &Graph, storage: &dyn Storage) -> Numbers {
        let operators = graph.nodes.iter().map(|node| {
            let types = node.inputs.iter().map(|&v| graph.ty(v).clone()).collect();
            let next = self.operators.len() as u32;
            *self
                .operators
                .entry((node.op.clone(), types))
                .or_insert(next)
        });
        let operators = operators.collect();
        let values = (0..graph.value_count() as u32).map(|value| {
            let value = ValueId(value);
            let key = ValueKey {
                ty: graph.ty(value).clone(),
                layout: storage.layout(value),
                placement: storage.placement(value),
                constant: graph
                    .as_constant(value)
                    .map(|t| t.splat().map(f64::to_bits)),
            };
            let next = self.values.len() as u32;
            *self.values.entry(key).or_insert(next)
        });
        let values = values.collect();
        Numbers { operators, values }
    }

    pub(crate) fn get(&self, key: &[u32]) -> Option<&Known> {
        self.outcomes.get(key)
    }

    pub(crate) fn insert(&mut self, key: Vec<u32>, known: Known) {
        self.outcomes.insert(key, known);
    }
}

impl Numbers {
    /// The structure of the kernel that computes `outputs` with `nodes`, both sorted.
    pub(crate) fn structure(
        &self,
        graph: &Graph,
        nodes: &[NodeId],
        outputs: &[ValueId],
    ) -> Structure {
        let mut key = Vec::with_capacity(nodes.len() * 4 + outputs.len() * 2);
        let mut outside: Vec<ValueId> = Vec::new();
        let mut inside: Vec<ValueId> = Vec::with_capacity(nodes.len());
        let place = |list: &[ValueId], v: ValueId| list.iter().position(|&x| x == v);
        for node in nodes {
            key.push(self.operators[node.0 as usize]);
            let node = &graph.nodes[node.0 as usize];
            for &input in &node.inputs {
                match place(&inside, input) {
                    Some(n) => key.push(INSIDE | n as u32),
                    None => {
                        let known = place(&outside, input).unwrap_or_else(|| {
                            outside.push(input);
                            outside.len() - 1
                        });
                        key.push(OUTSIDE | known as u32);
                    }
                }
            }
            inside.extend(&node.outputs);
        }
        key.extend(outside.iter().map(|v| self.values[v.0 as usize]));
        for output in outputs {
            key.push(WRITTEN | place(&inside, *output).unwrap_or(inside.len()) as u32);
            key.push(self.values[output.0 as usize]);
        }
        outside.extend(outputs);
        Structure {
            key,
            values: outside,
        }
    }
}
