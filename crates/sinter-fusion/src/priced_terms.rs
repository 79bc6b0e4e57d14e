//! Which terms are taken only where their kernel is the cheaper one by itself, since to count bytes and operations does
//! not say so: convolutions by short products, whose sums pass through memory, and sums of halves, which processors
//! without such products convert again and again.

use std::cell::RefCell;
use std::collections::BTreeMap;

use egg::Id;
use sinter_device::{Device, Time};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Graph, NodeId, Op};

use crate::egraph::{Term, Values};
use crate::evaluate::Evaluator;
use crate::layouts;
use crate::options::{Numerics, Options};

/// An operator, and of every operand the type and whether it is constant.
type Form = (Op, Vec<(TensorType, bool)>);

/// By form, the price of its kernel; none where it has no kernel.
type Times = BTreeMap<Form, Option<Time>>;

/// What decides about such terms.
pub(crate) struct PricedTerms<'a> {
    device: Option<&'a Device>,
    options: &'a Options,
    known: RefCell<Times>,
}

impl<'a> PricedTerms<'a> {
    /// By the prices on a device; without one neither short products nor widened factors.
    pub(crate) fn on(device: Option<&'a Device>, options: &'a Options) -> Self {
        // Steps over tiles of a scratchpad take contractions of matrices, which the matrix unit does.
        Self {
            device: device.filter(|d| !d.is_scratchpad()),
            options,
            known: RefCell::default(),
        }
    }

    /// Whether a term may compute its class.
    pub(crate) fn allow(&self, egraph: &Values, class: Id, term: &Term) -> bool {
        match term {
            Term::Apply(op @ Op::WinogradConv(_), operands) => {
                self.allow_short(egraph, class, (op, operands))
            }
            Term::Apply(Op::Cast(_), operands) => {
                let mut all = egraph[class].nodes.iter().filter_map(sum);
                all.all(|sum| !is_widened(egraph, sum, operands[0]) || self.widens(egraph, sum))
            }
            Term::Apply(op, operands) if is_sum(op) => {
                let sum = (op, &operands[..]);
                let casts = egraph[class].nodes.iter().filter_map(|term| match term {
                    Term::Apply(Op::Cast(_), from) => Some(from[0]),
                    _ => None,
                });
                let mut widened = casts.filter(|from| is_widened(egraph, sum, *from));
                widened.next().is_none() || !self.widens(egraph, sum)
            }
            _ => true,
        }
    }

    /// Of several forms by short products the one is allowed whose kernel is the cheapest, where that is cheaper than
    /// every direct one.
    fn allow_short(&self, egraph: &Values, class: Id, own: Sum<'_>) -> bool {
        let form =
            |term| sum(term).filter(|(op, _)| matches!(op, Op::Conv(_) | Op::WinogradConv(_)));
        let forms = egraph[class].nodes.iter().filter_map(form);
        let (direct, short): (Vec<_>, Vec<_>) =
            forms.partition(|(op, _)| matches!(op, Op::Conv(_)));
        if direct.is_empty() {
            return true;
        }
        let time = |&(op, operands): &Sum<'_>| {
            // Weights too big to be made beforehand would be made at every run.
            if matches!(op, Op::WinogradConv(_)) && egraph[operands[1]].data.constant.is_none() {
                return None;
            }
            self.time(op, types(egraph, operands))
        };
        let Some(own) = time(&own) else {
            return false;
        };
        let least = |forms: &[_]| forms.iter().filter_map(time).min();
        least(&short) == Some(own) && least(&direct).is_none_or(|direct| own < direct)
    }

    /// Whether a sum of products of halves takes longer than that of the widened factors.
    fn widens(&self, egraph: &Values, (op, operands): Sum<'_>) -> bool {
        let halves = types(egraph, operands);
        let float = |(ty, constant): &(TensorType, bool)| {
            (
                TensorType::new(ElementType::F32, ty.shape.clone()),
                *constant,
            )
        };
        let widened = halves.iter().map(float).collect();
        match (self.time(op, halves), self.time(op, widened)) {
            (Some(halves), Some(widened)) => widened < halves,
            (halves, widened) => halves.is_none() && widened.is_some(),
        }
    }

    /// Time of the kernel of one operator between pointwise ones.
    fn time(&self, op: &Op, types: Vec<(TensorType, bool)>) -> Option<Time> {
        let key = (op.clone(), types);
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let time = self.priced(op, &key.1);
        self.known.borrow_mut().insert(key, time);
        time
    }

    fn priced(&self, op: &Op, types: &[(TensorType, bool)]) -> Option<Time> {
        let mut graph = Graph::new("one");
        let mut operands = Vec::new();
        let kind = UnaryKind::Relu;
        for (number, (ty, constant)) in types.iter().enumerate() {
            operands.push(match constant {
                false => {
                    let x = graph.input(format!("x{number}"), ty.clone());
                    graph.add(Unary { kind }, &[x], Vec::new()).ok()?[0]
                }
                true => {
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
        let node = NodeId(graph.nodes.len() as u32 - 2);
        evaluator.time(&[node], &[y])
    }
}

/// An operator that adds up products, with the classes of its operands.
type Sum<'a> = (&'a Op, &'a [Id]);

fn is_sum(op: &Op) -> bool {
    matches!(
        op,
        Op::Conv(_) | Op::WinogradConv(_) | Op::ConvTranspose(_) | Op::Matmul(_)
    )
}

fn sum(term: &Term) -> Option<Sum<'_>> {
    match term {
        Term::Apply(op, operands) if is_sum(op) => Some((op, operands)),
        _ => None,
    }
}

/// Whether a class is what a sum of products of halves is with widened factors.
fn is_widened(egraph: &Values, (op, operands): Sum<'_>, class: Id) -> bool {
    let element = |class: Id| egraph[class].data.types[0].element;
    let halves = element(operands[0]).is_half();
    let mut sums = egraph[class].nodes.iter().filter_map(sum);
    halves && element(class) == ElementType::F32 && sums.any(|(other, _)| other == op)
}

fn types(egraph: &Values, operands: &[Id]) -> Vec<(TensorType, bool)> {
    let data = operands.iter().map(|o| &egraph[*o].data);
    data.map(|d| (d.types[0].clone(), d.constant.is_some()))
        .collect()
}
