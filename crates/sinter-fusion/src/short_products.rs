//! Which convolutions are computed by short products: those whose kernel is the cheaper one by itself.
//! Counting operations does not say so, because the sums around the products pass through memory.

use std::cell::RefCell;
use std::collections::BTreeMap;

use egg::Id;
use sinter_device::{Device, Time};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Graph, NodeId, Op};

use crate::egraph::{Term, Values};
use crate::evaluate::Evaluator;
use crate::layouts;
use crate::options::{Numerics, Options};

/// By operator and types of its operands, the price of its kernel; none where it has no kernel.
type Times = BTreeMap<(Op, Vec<TensorType>), Option<Time>>;

/// What decides about short products.
pub(crate) struct ShortProducts<'a> {
    device: Option<&'a Device>,
    options: &'a Options,
    known: RefCell<Times>,
}

impl<'a> ShortProducts<'a> {
    /// By the prices on a device; none without one.
    pub(crate) fn on(device: Option<&'a Device>, options: &'a Options) -> Self {
        // Steps over tiles of a scratchpad take contractions of matrices, which the matrix unit does.
        Self {
            device: device.filter(|d| !d.is_scratchpad()),
            options,
            known: RefCell::default(),
        }
    }

    /// Whether a term may compute its class. Of several forms by short products it is the one whose kernel
    /// is the cheapest, where that is cheaper than every direct one; any other term may.
    pub(crate) fn allow(&self, egraph: &Values, class: Id, term: &Term) -> bool {
        let form = |term: &Term| match term {
            Term::Apply(op @ (Op::Conv(_) | Op::WinogradConv(_)), operands) => {
                Some((op.clone(), operands.clone()))
            }
            _ => None,
        };
        let Some((op @ Op::WinogradConv(_), operands)) = form(term) else {
            return true;
        };
        let forms = egraph[class].nodes.iter().filter_map(form);
        let (direct, short): (Vec<_>, Vec<_>) =
            forms.partition(|(op, _)| matches!(op, Op::Conv(_)));
        if direct.is_empty() {
            return true;
        }
        let time = |(op, operands): &(Op, Vec<Id>)| {
            // Weights too big to be made beforehand would be made at every run.
            if matches!(op, Op::WinogradConv(_)) && egraph[operands[1]].data.constant.is_none() {
                return None;
            }
            let types = operands.iter().map(|o| egraph[*o].data.types[0].clone());
            self.time(op, types.collect())
        };
        let Some(own) = time(&(op, operands)) else {
            return false;
        };
        let least = |forms: &[_]| forms.iter().filter_map(time).min();
        least(&short) == Some(own) && least(&direct).is_none_or(|direct| own < direct)
    }

    /// Time of the kernel of one convolution between pointwise operators, with constant weights.
    fn time(&self, op: &Op, types: Vec<TensorType>) -> Option<Time> {
        let key = (op.clone(), types);
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let time = self.priced(op, &key.1);
        self.known.borrow_mut().insert(key, time);
        time
    }

    fn priced(&self, op: &Op, types: &[TensorType]) -> Option<Time> {
        let mut graph = Graph::new("one");
        let mut operands = Vec::new();
        let kind = UnaryKind::Relu;
        for (number, ty) in types.iter().enumerate() {
            operands.push(match number {
                0 => {
                    let x = graph.input("x", ty.clone());
                    graph.add(Unary { kind }, &[x], Vec::new()).ok()?[0]
                }
                _ => {
                    // Constants of one value could become literals.
                    let values: Vec<f64> = (0..ty.elements()).map(|n| (n % 2) as f64).collect();
                    graph.constant(Tensor::from_f64s(ty.clone(), &values))
                }
            });
        }
        let y = graph.add(op.clone(), &operands, Vec::new()).ok()?[0];
        let end = graph.add(Unary { kind }, &[y], Vec::new()).ok()?[0];
        graph.output("y", end);
        let layouts = layouts::choose(&graph);
        let limits = &self.options.limits;
        let mut evaluator = Evaluator::new(&graph, self.device?, limits, &layouts.of, &[]);
        evaluator.reassociate = self.options.numerics_limit() >= Numerics::Reassociating;
        evaluator.time(&[NodeId(1)], &[y])
    }
}
