//! From a graph to a fused program.

use std::collections::BTreeSet;

use sinter_device::{Device, Time};
use sinter_ops::{Graph, NodeId, Operator};

use crate::control::{self, Control, Resolved};
use crate::cost::Cost;
use crate::error::{FusionError, origin_of};
use crate::evaluate::{Evaluator, Illegal};
use crate::fused::{Fused, Group, Placement, Statistics};
use crate::layouts::{self, Layouts};
use crate::options::{Numerics, Options, Policy};
use crate::partition::{Flow, GroupId, Partition};
use crate::refusals::refusals;
use crate::runner_up::runner_up;
use crate::saturate::rewrite;
use crate::traffic::intermediate_bytes;
use crate::{bound, contract, greedy, improve, placements};

/// Longest part of a kernel's name that tells its operators.
const NAME_LENGTH: usize = 40;

/// Rewrites a graph, chooses layouts, and groups its operators into kernels.
///
/// # Errors
/// When an operator has no kernel on the device, not even by itself.
pub fn fuse(graph: &Graph, device: &Device, options: &Options) -> Result<Fused, FusionError> {
    options.control.check(graph)?;
    let device = &device
        .clone()
        .with_fixed_reductions(options.numerics_limit() == Numerics::Exact);
    let folded = rewrite(graph, options, true)?;
    let plain = Options {
        control: Control::default(),
        cost: Cost::Time,
        ..options.clone()
    };
    let unmarked = control::unmarked(&folded.graph);
    let unfused = Program::plain(&unmarked).grouped(Policy::None, device, &plain)?;
    let wishes = !options.control.is_empty() || control::is_marked(&folded.graph);
    let mut fused = match options.policy {
        Policy::None if !wishes => unfused.clone(),
        Policy::None => Program::plain(&folded.graph).grouped(Policy::None, device, options)?,
        policy => {
            let saturated = rewrite(&folded.graph, options, false)?;
            let mut fused = Program::placed(&saturated.graph).grouped(policy, device, options)?;
            let dearer = fused.statistics.price > unfused.statistics.price;
            if options.cost.is_time() && dearer {
                // The rewritten program lost against its original: keep that.
                fused = Program::placed(&folded.graph).grouped(policy, device, options)?;
            }
            let statistics = &mut fused.statistics;
            statistics.egraph_iterations = saturated.run.iterations.len();
            statistics.egraph_nodes = saturated.nodes;
            statistics.egraph_classes = saturated.classes;
            statistics.egraph_stop = saturated.run.stop.to_owned();
            fused.saturation.push(saturated.run);
            fused
        }
    };
    fused.statistics.operators = unfused.statistics.kernels;
    fused.statistics.unfused_intermediate_bytes = unfused.statistics.intermediate_bytes;
    fused.statistics.unfused_price = unfused.statistics.price;
    fused.saturation.insert(0, folded.run);
    control::unmark(&mut fused);
    Ok(fused)
}

/// A graph with its layouts, views and placements.
struct Program<'a> {
    graph: &'a Graph,
    layouts: Layouts,
    placements: Vec<Placement>,
}

impl<'a> Program<'a> {
    /// Every value in a buffer of its own.
    fn plain(graph: &'a Graph) -> Self {
        Self {
            graph,
            layouts: layouts::choose(graph),
            placements: Vec::new(),
        }
    }

    /// Parts of concats stored in place where that is possible.
    fn placed(graph: &'a Graph) -> Self {
        let mut layouts = layouts::choose(graph);
        let placed = placements::choose(graph, &layouts);
        layouts.views.extend(placed.views);
        layouts.views.sort_unstable();
        Self {
            graph,
            layouts,
            placements: placed.placements,
        }
    }

    fn grouped(
        self,
        policy: Policy,
        device: &Device,
        options: &Options,
    ) -> Result<Fused, FusionError> {
        let Self {
            graph,
            layouts,
            placements,
        } = self;
        let flow = Flow::new(graph, &layouts.views, &placements);
        let limits = &options.limits;
        let mut evaluator = Evaluator::new(graph, device, limits, &layouts.of, &placements);
        evaluator.reassociate = options.numerics_limit() >= Numerics::Reassociating;
        evaluator.cost = &options.cost;
        let singles = Partition::singles(&flow);
        check_singles(&singles, &flow, &mut evaluator)?;
        evaluator.control = Resolved::new(&options.control, graph, &flow)?;
        let start = Resolved::start(&flow, &mut evaluator)?;
        let chosen = match policy {
            Policy::None => start,
            Policy::Greedy => greedily(start, &flow, &mut evaluator),
            Policy::Egraph => {
                let greedy = greedily(start, &flow, &mut evaluator);
                let ceiling = greedy.time(&flow, &mut evaluator);
                let better = improve::run(greedy, limits.rounds, &flow, &mut evaluator);
                let time = better.time(&flow, &mut evaluator);
                assert!(
                    time <= ceiling,
                    "the search made its start worse: {time:?} {ceiling:?}"
                );
                better
            }
        };
        let refusals = match policy {
            Policy::None => Vec::new(),
            _ => refusals(&chosen, &flow, &mut evaluator),
        };
        let mut groups = groups(&chosen, &flow, &evaluator)?;
        if policy != Policy::None {
            let order = chosen.order(&flow).unwrap_or_default();
            for (group, id) in groups.iter_mut().zip(order) {
                group.runner_up = runner_up(id, &chosen, &flow, &mut evaluator);
            }
        }
        let statistics = Statistics {
            operators: flow.nodes.len(),
            kernels: groups.len(),
            intermediate_bytes: intermediate_bytes(
                graph,
                &layouts.views,
                &placements,
                &chosen,
                &flow,
                &mut evaluator,
            ),
            price: groups.iter().map(|g| g.price.total).sum(),
            lower_bound: options
                .cost
                .is_time()
                .then(|| bound(&singles, &flow, &mut evaluator)),
            candidates: evaluator.evaluated,
            memoised: evaluator.memoised,
            ..Statistics::default()
        };
        Ok(Fused {
            graph: graph.clone(),
            groups: with_savings(groups, &singles, &flow, &mut evaluator),
            views: layouts.views.clone(),
            placements: placements.clone(),
            layouts: layouts.of.clone(),
            refusals,
            statistics,
            saturation: Vec::new(),
            policy,
            numerics: options.numerics_limit(),
            device: device.name.clone(),
        })
    }
}

/// No program made of the candidates formed so far is cheaper.
fn bound(singles: &Partition, flow: &Flow, evaluator: &mut Evaluator<'_>) -> Time {
    let alone = singles.groups.iter().filter_map(|(&id, nodes)| {
        let outcome = evaluator.unforbidden(nodes, &singles.outputs(id, flow));
        Some((nodes[0], outcome.as_ref().as_ref().ok()?.price.total))
    });
    let alone = alone.collect();
    bound::lower_bound(&evaluator.candidates(), &alone)
}

fn greedily(singles: Partition, flow: &Flow, evaluator: &mut Evaluator<'_>) -> Partition {
    greedy::run(contract::run(singles, flow, evaluator), flow, evaluator)
}

/// Every operator must have a kernel by itself, so that there is a program at all.
fn check_singles(
    singles: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Result<(), FusionError> {
    for (&id, nodes) in &singles.groups {
        let outcome = evaluator.price(nodes, &singles.outputs(id, flow));
        if let Err(illegal) = outcome.as_ref() {
            return Err(no_kernel(nodes[0], illegal, evaluator));
        }
    }
    Ok(())
}

fn no_kernel(node: NodeId, illegal: &Illegal, evaluator: &Evaluator<'_>) -> FusionError {
    let node = &evaluator.graph.nodes[node.0 as usize];
    FusionError::NoKernel {
        origin: origin_of(&node.origins),
        operator: node.op.mnemonic(),
        device: evaluator.device.name.clone(),
        cause: illegal.message.clone(),
    }
}

/// The kernels of a partition, in launch order.
fn groups(
    partition: &Partition,
    flow: &Flow,
    evaluator: &Evaluator<'_>,
) -> Result<Vec<Group>, FusionError> {
    let order = partition.order(flow).unwrap_or_default();
    let make = |(number, id): (usize, GroupId)| {
        let nodes = partition.groups[&id].clone();
        let outputs = partition.outputs(id, flow);
        let realised = evaluator
            .realise(&nodes, &outputs)
            .map_err(|illegal| no_kernel(nodes[0], &illegal, evaluator))?;
        let graph = evaluator.graph;
        let name = kernel_name(number, &nodes, graph);
        let (mut formed, mut kernel) = (realised.formed.kernel, realised.kernel);
        formed.name.clone_from(&name);
        kernel.name = name;
        let inputs = formed
            .arguments()
            .filter_map(|s| realised.formed.values[s])
            .collect();
        Ok(Group {
            origins: origins(&nodes, graph),
            inputs,
            outputs,
            formed,
            kernel,
            price: realised.price,
            bytes_saved: 0,
            saved: Time::ZERO,
            decision: String::new(),
            runner_up: None,
            nodes,
        })
    };
    order.into_iter().enumerate().map(make).collect()
}

fn origins(nodes: &[NodeId], graph: &Graph) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let all = nodes
        .iter()
        .flat_map(|n| &graph.nodes[n.0 as usize].origins);
    all.filter(|name| seen.insert(*name)).cloned().collect()
}

fn kernel_name(number: usize, nodes: &[NodeId], graph: &Graph) -> String {
    let mut name = format!("k{number}");
    for node in nodes {
        let part = graph.nodes[node.0 as usize].op.mnemonic().replace('.', "_");
        if name.len() + part.len() >= NAME_LENGTH {
            break;
        }
        name.push('_');
        name.push_str(&part);
    }
    name
}

/// Writes into each group what it saves against kernels of one operator each.
fn with_savings(
    mut groups: Vec<Group>,
    singles: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Vec<Group> {
    for group in &mut groups {
        let mut time = Time::ZERO;
        let mut bytes = 0;
        for &node in &group.nodes {
            let Some(id) = singles.provider(node) else {
                continue;
            };
            let outcome = evaluator.unforbidden(&[node], &singles.outputs(id, flow));
            if let Ok(priced) = outcome.as_ref() {
                time += priced.price.total;
                bytes += priced.price.read_bytes + priced.price.written_bytes;
            }
        }
        let moved = group.price.read_bytes + group.price.written_bytes;
        group.bytes_saved = bytes.saturating_sub(moved);
        group.saved = time.saturating_sub(group.price.total);
        group.decision = match group.nodes.len() {
            1 => "one operator".to_owned(),
            n => format!(
                "{n} operators in {:.1} us instead of {:.1} us, {} bytes saved",
                group.price.total.ns() / 1e3,
                time.ns() / 1e3,
                group.bytes_saved
            ),
        };
    }
    groups
}
