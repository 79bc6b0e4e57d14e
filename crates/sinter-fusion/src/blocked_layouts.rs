//! Which activations are stored in blocks of channels instead of channels-last: `[n, c / b, h, w, b]`, with the
//! block of the device file.
//!
//! Values that operators tie together lie alike. Each group of them is tried in both layouts, with what is priced
//! being the kernels that make and read its values, operator by operator; groups that no operator has in common are tried
//! at the same time, so that this takes time in proportion to the program. It is repeated until nothing changes, once from all
//! groups channels-last and once from all in blocks. What it leads to and all groups in blocks are forms of the
//! program from which the whole price chooses: kernels of several operators may win where single ones lose.

use std::collections::{BTreeMap, BTreeSet};

use sinter_device::Time;
use sinter_loops::kernel::Layout;
use sinter_ops::{Graph, NodeId, Op, ValueId};

use crate::evaluate::Evaluator;
use crate::layouts::{self, Layouts};
use crate::priced_layouts::Prices;

/// Most times that all groups are tried.
const MOST_SWEEPS: usize = 3;

/// Numbers of the groups that are in blocks.
type Blocked = BTreeSet<usize>;

struct Choice<'a> {
    graph: &'a Graph,
    prices: &'a Prices<'a>,
    block: i64,
    groups: Vec<BTreeSet<ValueId>>,
    /// Layouts that are fixed by something else.
    given: BTreeMap<ValueId, Layout>,
    /// By group, the nodes that make or read its values, or views of them.
    nodes: Vec<BTreeSet<NodeId>>,
    /// Groups of which no two have a node in common.
    rounds: Vec<Vec<usize>>,
}

/// The layouts with blocks of channels where that is cheaper, and those with all that can be; none where the device has
/// no block.
pub(crate) fn choose(graph: &Graph, known: &Layouts, prices: &Prices<'_>) -> Vec<Layouts> {
    let Some(block) = prices.device.channel_block else {
        return Vec::new();
    };
    let divides = |v: &ValueId| {
        let shape = &graph.ty(*v).shape;
        shape.len() > 2 && shape[1] % block == 0
    };
    let mut groups = layouts::channels_last_groups(graph);
    groups.retain(|group| group.iter().all(divides));
    let plain = layouts::choose(graph);
    let mut given = known.of.clone();
    given.retain(|value, layout| plain.of.get(value) != Some(layout));
    let nodes = around(graph, &groups);
    let choice = Choice {
        graph,
        prices,
        block,
        rounds: rounds(&nodes),
        nodes,
        groups,
        given,
    };
    let all: Blocked = (0..choice.groups.len()).collect();
    let ends = [Blocked::new(), all.clone()].map(|start| choice.descended(start));
    let timed = ends.into_iter().filter_map(|end| {
        let all: BTreeSet<_> = (0..graph.nodes.len() as u32).map(NodeId).collect();
        let layouts = choice.layouts(&end);
        Some((Pricing::new(&choice, &layouts).time(&all)?, end))
    });
    let cheapest = timed.min_by_key(|(time, _)| *time).map(|(_, end)| end);
    let mut forms: Vec<_> = cheapest.into_iter().chain([all]).collect();
    forms.dedup();
    forms.retain(|blocked| !blocked.is_empty());
    forms
        .iter()
        .map(|blocked| choice.layouts(blocked))
        .collect()
}

/// By group, the nodes that make or read its values, or what reshapes and transposes make of them.
fn around(graph: &Graph, groups: &[BTreeSet<ValueId>]) -> Vec<BTreeSet<NodeId>> {
    let (producers, users) = (graph.producers(), graph.users());
    let of = |group: &BTreeSet<ValueId>| {
        let mut nodes = BTreeSet::new();
        let mut values: Vec<ValueId> = group.iter().copied().collect();
        while let Some(value) = values.pop() {
            nodes.extend(producers[value.0 as usize]);
            for &user in &users[value.0 as usize] {
                let node = &graph.nodes[user.0 as usize];
                if nodes.insert(user) && matches!(node.op, Op::Reshape(_) | Op::Transpose(_)) {
                    values.extend(&node.outputs);
                }
            }
        }
        nodes
    };
    groups.iter().map(of).collect()
}

/// The groups with these nodes, each in the first round that has none of its nodes.
fn rounds(nodes: &[BTreeSet<NodeId>]) -> Vec<Vec<usize>> {
    let mut rounds: Vec<(BTreeSet<NodeId>, Vec<usize>)> = Vec::new();
    for (group, nodes) in nodes.iter().enumerate() {
        match rounds
            .iter_mut()
            .find(|(taken, _)| taken.is_disjoint(nodes))
        {
            Some((taken, groups)) => {
                taken.extend(nodes);
                groups.push(group);
            }
            None => rounds.push((nodes.clone(), vec![group])),
        }
    }
    rounds.into_iter().map(|(_, groups)| groups).collect()
}

impl Choice<'_> {
    fn layouts(&self, blocked: &Blocked) -> Layouts {
        let mut given = self.given.clone();
        for &value in blocked.iter().flat_map(|&group| &self.groups[group]) {
            let layout = Layout::channels_blocked(self.graph.ty(value).rank(), self.block);
            given.insert(value, layout);
        }
        layouts::choose_with(self.graph, &given)
    }

    /// From a choice on, groups change where that alone is cheaper.
    fn descended(&self, mut blocked: Blocked) -> Blocked {
        let mut now = self.layouts(&blocked);
        for _ in 0..MOST_SWEEPS {
            let mut changed = false;
            for round in &self.rounds {
                let then = self.layouts(&changing(&blocked, round));
                let cheaper = self.cheaper(round, &now, &then);
                if !cheaper.is_empty() {
                    blocked = changing(&blocked, &cheaper);
                    now = self.layouts(&blocked);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        blocked
    }

    /// The groups of a round whose nodes take less time with the second layouts.
    fn cheaper(&self, round: &[usize], now: &Layouts, then: &Layouts) -> Vec<usize> {
        let times = |layouts| {
            let mut pricing = Pricing::new(self, layouts);
            let times = round.iter().map(|&group| pricing.time(&self.nodes[group]));
            times.collect::<Vec<_>>()
        };
        let both = times(now).into_iter().zip(times(then));
        let cheaper = both.map(|times| match times {
            (Some(now), Some(then)) => then < now,
            (now, then) => now.is_none() && then.is_some(),
        });
        let groups = round.iter().zip(cheaper);
        groups
            .filter(|(_, cheaper)| *cheaper)
            .map(|(&group, _)| group)
            .collect()
    }
}

/// A choice with some groups in the other layout.
fn changing(blocked: &Blocked, groups: &[usize]) -> Blocked {
    let groups: Blocked = groups.iter().copied().collect();
    blocked.symmetric_difference(&groups).copied().collect()
}

/// Times of operators by themselves.
struct Pricing<'a> {
    evaluator: Evaluator<'a>,
    views: BTreeSet<NodeId>,
}

impl<'a> Pricing<'a> {
    fn new(choice: &'a Choice<'_>, layouts: &'a Layouts) -> Self {
        Self {
            evaluator: choice.prices.evaluator(choice.graph, layouts),
            views: layouts.views.iter().map(|view| view.node).collect(),
        }
    }

    /// Time of nodes, each a kernel of its own but for views; none where one has no kernel.
    fn time(&mut self, nodes: &BTreeSet<NodeId>) -> Option<Time> {
        let graph = self.evaluator.graph;
        let stored = nodes.iter().filter(|node| !self.views.contains(node));
        stored
            .map(|&node| {
                let outputs = &graph.nodes[node.0 as usize].outputs;
                self.evaluator.time(&[node], outputs)
            })
            .try_fold(Time::ZERO, |sum, time| Some(sum + time?))
    }
}
