//! Which activations are stored in blocks of channels instead of channels-last: `[n, c / b, h, w, b]`, with the
//! block of the device file.
//!
//! Values that operators tie together lie alike. Each group of them is tried in both layouts, with what is priced
//! being the kernels that make and read its values, operator by operator; the others stay as they are. That is
//! repeated until nothing changes, once from all groups channels-last and once from all in blocks. What it leads to and all
//! groups in blocks are forms of the program from which the whole price chooses: kernels of several operators may
//! win where single ones lose.

use std::collections::{BTreeMap, BTreeSet};

use sinter_device::Time;
use sinter_loops::kernel::Layout;
use sinter_ops::{Graph, NodeId, ValueId};

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
    /// Nodes that make or read a value.
    around: Vec<Vec<NodeId>>,
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
    let choice = Choice {
        graph,
        prices,
        block,
        groups,
        given,
        around: around(graph),
    };
    let all: Blocked = (0..choice.groups.len()).collect();
    let ends = [Blocked::new(), all.clone()].map(|start| choice.descended(start));
    let timed = ends.into_iter().filter_map(|end| {
        let all: BTreeSet<_> = (0..graph.nodes.len() as u32).map(NodeId).collect();
        Some((choice.time(&all, &choice.layouts(&end))?, end))
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

fn around(graph: &Graph) -> Vec<Vec<NodeId>> {
    let mut around = vec![Vec::new(); graph.value_count()];
    for (number, node) in graph.nodes.iter().enumerate() {
        for value in node.inputs.iter().chain(&node.outputs) {
            around[value.0 as usize].push(NodeId(number as u32));
        }
    }
    around
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
            for group in 0..self.groups.len() {
                let mut other = blocked.clone();
                if !other.remove(&group) {
                    other.insert(group);
                }
                let then = self.layouts(&other);
                let nodes = self.differing(&now, &then);
                let time = |layouts| self.time(&nodes, layouts);
                let cheaper = match (time(&now), time(&then)) {
                    (Some(now), Some(then)) => then < now,
                    (now, then) => now.is_none() && then.is_some(),
                };
                if cheaper {
                    (blocked, now, changed) = (other, then, true);
                }
            }
            if !changed {
                break;
            }
        }
        blocked
    }

    /// Nodes that make or read what lies differently.
    fn differing(&self, a: &Layouts, b: &Layouts) -> BTreeSet<NodeId> {
        let values = a.of.keys().chain(b.of.keys());
        let differing = values.filter(|v| a.of.get(v) != b.of.get(v));
        differing
            .flat_map(|v| self.around[v.0 as usize].iter().copied())
            .collect()
    }

    /// Time of the nodes, each a kernel of its own but for views; none where one has no kernel.
    fn time(&self, nodes: &BTreeSet<NodeId>, layouts: &Layouts) -> Option<Time> {
        let views: BTreeSet<_> = layouts.views.iter().map(|view| view.node).collect();
        let mut evaluator = self.prices.evaluator(self.graph, layouts);
        let stored = nodes.iter().filter(|node| !views.contains(node));
        stored
            .map(|&node| evaluator.time(&[node], &self.graph.nodes[node.0 as usize].outputs))
            .try_fold(Time::ZERO, |sum, time| Some(sum + time?))
    }
}
