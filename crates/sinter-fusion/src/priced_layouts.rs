//! Layouts that are chosen by price: of an activation that is the right operand of a matrix product, the
//! keys of an attention, vectors lie along its columns. Its producer may store it so that columns are
//! contiguous; whether that is cheaper than to read it lane by lane the prices of both kernels say. Where it is the view of a
//! value that nothing makes, or that others read too, the view may be a kernel that moves it.

use std::collections::{BTreeMap, BTreeSet};

use sinter_device::{Device, Time};
use sinter_loops::kernel::{Layout, PhysicalDim};
use sinter_ops::{Graph, NodeId, Op, Operator, ValueId};

use crate::evaluate::Evaluator;
use crate::layouts::{self, Layouts};
use crate::memo::Shared;
use crate::options::Limits;

/// A stored value, how it could lie, and the kernels by which that is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wish {
    value: ValueId,
    layout: Layout,
    producer: Vec<NodeId>,
    /// Whether there is no such kernel now, but a view.
    moves: bool,
    product: NodeId,
}

/// What kernels are priced with.
pub(crate) struct Prices<'a> {
    pub(crate) device: &'a Device,
    pub(crate) limits: &'a Limits,
    pub(crate) memo: &'a Shared,
    /// Whether kernels may have forms of the numerics class `reassociating`.
    pub(crate) reassociate: bool,
}

impl Prices<'_> {
    pub(crate) fn evaluator<'l>(&'l self, graph: &'l Graph, layouts: &'l Layouts) -> Evaluator<'l> {
        let (device, limits) = (self.device, self.limits);
        let mut evaluator =
            Evaluator::with_memo(graph, device, limits, &layouts.of, &[], self.memo);
        evaluator.reassociate = self.reassociate;
        evaluator
    }
}

impl Wish {
    /// Time of the kernels that make and read the value as it lies now.
    fn time_now(&self, evaluator: &mut Evaluator<'_>) -> Option<Time> {
        if self.moves {
            return self.product_time(evaluator);
        }
        self.time_then(evaluator)
    }

    /// The same with the layout that is wished for.
    fn time_then(&self, evaluator: &mut Evaluator<'_>) -> Option<Time> {
        let made = evaluator.time(&self.producer, &[self.value])?;
        Some(made + self.product_time(evaluator)?)
    }

    fn product_time(&self, evaluator: &mut Evaluator<'_>) -> Option<Time> {
        let product = &evaluator.graph.nodes[self.product.0 as usize].outputs;
        evaluator.time(&[self.product], product)
    }
}

/// The layouts with those changes that are cheaper; where views are moved for it, also without that, since kernels
/// of several operators may be cheaper with the view.
pub(crate) fn choose(graph: &Graph, by_rule: Layouts, prices: &Prices<'_>) -> Vec<Layouts> {
    let wishes = wishes(graph, &by_rule);
    if wishes.is_empty() {
        return vec![by_rule];
    }
    let with = |wishes: &[Wish]| {
        let given = wishes.iter().map(|w| (w.value, w.layout.clone()));
        layouts::choose_with(graph, &given.collect())
    };
    let all = with(&wishes);
    let cheaper: Vec<Wish> = {
        let mut now = prices.evaluator(graph, &by_rule);
        let mut then = prices.evaluator(graph, &all);
        let mut is_cheaper = |w: &Wish| match (w.time_now(&mut now), w.time_then(&mut then)) {
            (Some(now), Some(then)) => then < now,
            _ => false,
        };
        wishes.iter().filter(|w| is_cheaper(w)).cloned().collect()
    };
    let stored: Vec<Wish> = cheaper.iter().filter(|w| !w.moves).cloned().collect();
    let mut out = vec![with(&cheaper)];
    if stored.len() < cheaper.len() {
        out.push(with(&stored));
    }
    out
}

fn wishes(graph: &Graph, known: &Layouts) -> Vec<Wish> {
    let (producers, users) = (graph.producers(), graph.users());
    let views: BTreeMap<ValueId, NodeId> = known.views.iter().map(|v| (v.value, v.node)).collect();
    let bound: BTreeSet<ValueId> = graph.outputs.iter().map(|o| o.1).collect();
    let alone = |v: ValueId| users[v.0 as usize].len() == 1 && !bound.contains(&v);
    let mut out = Vec::new();
    for (number, node) in graph.nodes.iter().enumerate() {
        let (Op::Matmul(_), Some(&operand)) = (&node.op, node.inputs.get(1)) else {
            continue;
        };
        let mut chain = Vec::new();
        let mut value = operand;
        while let Some(&view) = views.get(&value) {
            chain.push((view, value));
            value = graph.nodes[view.0 as usize].inputs[0];
        }
        chain.reverse();
        let stored = chain.iter().map(|c| c.1).chain([value]).all(alone);
        if graph.ty(operand).rank() < 2 || layouts::is_contiguous(graph, operand, known) {
            continue;
        }
        let product = NodeId(number as u32);
        let stored = producers[value.0 as usize].filter(|_| stored);
        let by_producer = stored.and_then(|producer| {
            let layout = with_columns_last(graph, value, &chain, known)?;
            Some(Wish {
                value,
                layout,
                producer: with_operands(graph, producer, &producers, &users),
                moves: false,
                product,
            })
        });
        let by_view = || {
            let &(view, value) = chain.last()?;
            Some(Wish {
                value,
                layout: Layout::row_major(graph.ty(value).rank()),
                producer: vec![view],
                moves: true,
                product,
            })
        };
        out.extend(by_producer.or_else(by_view));
    }
    out
}

/// The layout of a stored value with one dimension moved innermost by which the last of a chain of views
/// has contiguous columns, all of them still views.
fn with_columns_last(
    graph: &Graph,
    value: ValueId,
    chain: &[(NodeId, ValueId)],
    known: &Layouts,
) -> Option<Layout> {
    let rank = graph.ty(value).rank();
    let now = known.of.get(&value).cloned();
    let dims = now.unwrap_or_else(|| Layout::row_major(rank)).dims;
    let moved = |d: usize| {
        let mut dims = dims.clone();
        let innermost = dims.remove(d);
        dims.push(innermost);
        let layout = Layout { dims };
        let mut under = Layouts::default();
        under.of.insert(value, layout.clone());
        for &(view, of) in chain {
            let node = &graph.nodes[view.0 as usize];
            let found = layouts::view_layout(graph, node, of, &under)?;
            under.of.insert(of, found);
        }
        let last = chain.last().map_or(value, |c| c.1);
        layouts::is_contiguous(graph, last, &under).then_some(layout)
    };
    let whole = dims.iter().all(|d| matches!(d, PhysicalDim::Whole(_)));
    (0..rank.saturating_sub(1))
        .filter(|_| whole)
        .find_map(moved)
}

/// The kernel that would make a value: its operator, with the contraction whose result pointwise
/// operators alone pass on to it.
fn with_operands(
    graph: &Graph,
    producer: NodeId,
    producers: &[Option<NodeId>],
    users: &[Vec<NodeId>],
) -> Vec<NodeId> {
    let mut nodes = vec![producer];
    let mut at = producer;
    while graph.nodes[at.0 as usize].op.traits().elementwise {
        let node = &graph.nodes[at.0 as usize];
        let shape = &graph.ty(node.outputs[0]).shape;
        let only = |v: &&ValueId| users[v.0 as usize].len() == 1 && graph.ty(**v).shape == *shape;
        let operands = node.inputs.iter().filter(only);
        let Some(next) = operands.filter_map(|v| producers[v.0 as usize]).next() else {
            break;
        };
        nodes.push(next);
        at = next;
    }
    // Without a contraction behind them, pointwise operators are judged by the last one.
    if !graph.nodes[at.0 as usize].op.traits().contraction {
        nodes.truncate(1);
    }
    nodes.sort_unstable();
    nodes
}
