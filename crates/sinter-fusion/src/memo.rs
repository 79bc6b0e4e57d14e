//! What was found out about kernels, by their structure: nodes, how they are connected, and how what
//! they read and write lies in memory. Equal parts of a program, and of several forms of a program,
//! are formed and priced once.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use sinter_device::ChosenForm;
use sinter_loops::kernel::{Layout, Role};
use sinter_loops::types::TensorType;
use sinter_ops::form::{Placement, Storage};
use sinter_ops::{Graph, NodeId, Op, ValueId};

use crate::evaluate::Illegal;

/// A memo that several evaluators of one device share.
pub(crate) type Shared = Rc<RefCell<Memo>>;

/// What is known of a structure, or why it is no kernel.
pub(crate) type Known = Result<Arc<Scheduled>, Illegal>;

/// A structure as a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Scheduled {
    /// What is launched; origins of its stages are the places of their nodes, as text.
    pub(crate) chosen: ChosenForm,
    /// Bytes touched of each of its values, by local number.
    pub(crate) touched: Vec<(usize, Role, u64)>,
}

/// Outcomes by structure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    operators: HashMap<(Op, Vec<TensorType>), u32>,
    values: HashMap<ValueKey, u32>,
    outcomes: HashMap<Vec<u32>, Known>,
    /// Structures that were found out about before they were asked for.
    foreseen: HashSet<Vec<u32>>,
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

/// Numbers of a graph's operators and values in a memo, as far as they were asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    operators: HashMap<NodeId, u32>,
    values: HashMap<ValueId, u32>,
}

/// A graph, how its values lie in memory, and their numbers.
pub(crate) struct Numbered<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) storage: &'a dyn Storage,
    pub(crate) numbers: &'a mut Numbers,
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
    /// The number of an operator on operands of its types.
    fn operator(&mut self, of: &mut Numbered<'_>, node: NodeId) -> u32 {
        if let Some(known) = of.numbers.operators.get(&node) {
            return *known;
        }
        let made = &of.graph.nodes[node.0 as usize];
        let types = made.inputs.iter().map(|&v| of.graph.ty(v).clone());
        let key = (made.op.clone(), types.collect());
        let next = self.operators.len() as u32;
        let number = *self.operators.entry(key).or_insert(next);
        of.numbers.operators.insert(node, number);
        number
    }

    /// The number of what a kernel depends on of a value.
    fn value(&mut self, of: &mut Numbered<'_>, value: ValueId) -> u32 {
        if let Some(known) = of.numbers.values.get(&value) {
            return *known;
        }
        let constant = of.graph.as_constant(value);
        let key = ValueKey {
            ty: of.graph.ty(value).clone(),
            layout: of.storage.layout(value),
            placement: of.storage.placement(value),
            constant: constant.map(|t| t.splat().map(f64::to_bits)),
        };
        let next = self.values.len() as u32;
        let number = *self.values.entry(key).or_insert(next);
        of.numbers.values.insert(value, number);
        number
    }

    /// What is known of a structure, and whether it was asked for before.
    pub(crate) fn get(&mut self, key: &[u32]) -> Option<(Known, bool)> {
        let known = self.outcomes.get(key)?.clone();
        Some((known, !self.foreseen.remove(key)))
    }

    /// Whether a structure is known, asked for or not.
    pub(crate) fn has(&self, key: &[u32]) -> bool {
        self.outcomes.contains_key(key)
    }

    /// Adds what was found out about a structure that may be asked for later.
    pub(crate) fn foresee(&mut self, key: Vec<u32>, known: Known) {
        self.foreseen.insert(key.clone());
        self.outcomes.insert(key, known);
    }

    pub(crate) fn insert(&mut self, key: Vec<u32>, known: Known) {
        self.outcomes.insert(key, known);
    }

    /// The structure of the kernel that computes `outputs` with `nodes`, both sorted.
    pub(crate) fn structure(
        &mut self,
        mut of: Numbered<'_>,
        nodes: &[NodeId],
        outputs: &[ValueId],
    ) -> Structure {
        let mut key = Vec::with_capacity(nodes.len() * 4 + outputs.len() * 2);
        let mut outside: Vec<ValueId> = Vec::new();
        let mut inside: Vec<ValueId> = Vec::with_capacity(nodes.len());
        let place = |list: &[ValueId], v: ValueId| list.iter().position(|&x| x == v);
        for &node in nodes {
            key.push(self.operator(&mut of, node));
            let node = &of.graph.nodes[node.0 as usize];
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
        for &value in &outside {
            key.push(self.value(&mut of, value));
        }
        for output in outputs {
            key.push(WRITTEN | place(&inside, *output).unwrap_or(inside.len()) as u32);
            key.push(self.value(&mut of, *output));
        }
        outside.extend(outputs);
        Structure {
            key,
            values: outside,
        }
    }
}
