//! From a graph to a fused program.

use std::collections::BTreeSet;
use std::rc::Rc;

use sinter_device::{ChosenForm, Device, Time};
use sinter_ops::{Graph, Node, NodeId, Operator};

use crate::arranged::Arranged;
use crate::blocked_layouts;
use crate::control::{self, Control, Resolved};
use crate::conversions::Conversions;
use crate::cost::Cost;
use crate::error::{FusionError, origin_of};
use crate::evaluate::{Evaluator, Illegal};
use crate::extraction::{self, Extraction, Grouping, Problem};
use crate::follow::{Followed, follow};
use crate::fused::{Fused, Group, Placement, Statistics};
use crate::layouts::{self, Layouts};
use crate::legality::LegalityCode;
use crate::memo::Shared;
use crate::options::{Numerics, Options, Policy};
use crate::own;
use crate::partition::{Flow, GroupId, Partition};
use crate::placements;
use crate::policies::Apart;
use crate::priced_layouts::{self, Prices};
use crate::refusals::refusals;
use crate::runner_up::runner_up;
use crate::saturate::rewrite;
use crate::traffic::intermediate_bytes;

/// Longest part of a kernel's name that tells its operators.
const NAME_LENGTH: usize = 40;

/// Rewrites a graph, chooses layouts, and groups its operators into kernels.
///
/// # Errors
/// When an operator has no kernel on the device, not even by itself, or the policy is not built in.
pub fn fuse(graph: &Graph, device: &Device, options: &Options) -> Result<Fused, FusionError> {
    let extraction = extraction::of_policy(options.policy)?;
    let wanted = options.policy != Policy::None;
    run(
        graph,
        device,
        options,
        wanted.then_some(extraction.as_ref()),
    )
}

/// Like [`fuse`](fn@fuse), with an extraction of the caller's own instead of the policy's.
///
/// # Errors
/// When an operator has no kernel on the device, not even by itself, or the extraction's grouping is
/// no program.
pub fn fuse_with(
    graph: &Graph,
    device: &Device,
    options: &Options,
    extraction: &dyn Extraction,
) -> Result<Fused, FusionError> {
    run(graph, device, options, Some(extraction))
}

/// One kernel per operator without an extraction. Own kernels are weighed against their units' operators,
/// and the flips of refusals tried.
fn run(
    graph: &Graph,
    device: &Device,
    options: &Options,
    extraction: Option<&dyn Extraction>,
) -> Result<Fused, FusionError> {
    let weighs = extraction.is_some();
    let fuse = |graph: &Graph, device: &Device, options: &Options| {
        own::weighed(graph, options, weighs, &|graph| {
            grouped(graph, device, options, extraction)
        })
    };
    let mut fused = fuse(graph, device, options)?;
    let followed = Followed {
        graph,
        device,
        options,
        fuse: &fuse,
    };
    follow(&mut fused, &followed);
    Ok(fused)
}

/// The program of a graph whose own kernels stay.
fn grouped(
    graph: &Graph,
    device: &Device,
    options: &Options,
    extraction: Option<&dyn Extraction>,
) -> Result<Fused, FusionError> {
    let _span = tracing::debug_span!("fuse", nodes = graph.nodes.len()).entered();
    options.control.check(graph)?;
    let options = &options.controlled();
    let device = &device
        .clone()
        .with_fixed_reductions(options.numerics_limit() == Numerics::Exact);
    let memo = Shared::default();
    let context = |options| Context {
        device,
        options,
        memo: &memo,
    };
    let folded = rewrite(graph, options, None, true)?;
    let plain = Options {
        policy: Policy::None,
        control: Control::default(),
        cost: Cost::Time,
        ..options.clone()
    };
    let unmarked = control::unmarked(&folded.graph);
    let unfused = Program::plain(&unmarked).fused(&Apart, &context(&plain))?;
    let wishes = !options.control.is_empty() || control::is_marked(&folded.graph);
    let context = context(options);
    let mut fused = match extraction {
        None if !wishes => unfused.clone(),
        None => Program::plain(&folded.graph).fused(&Apart, &context)?,
        Some(extraction) => {
            let saturated = rewrite(&folded.graph, options, Some(device), false)?;
            // Rewriting and placing may lose by price: the cheapest form is kept.
            let mut forms = Program::placed(&saturated.graph, &context);
            let direct = saturated.direct.as_ref();
            forms.extend(direct.map_or(Vec::new(), |graph| Program::placed(graph, &context)));
            let rewritten = direct.unwrap_or(&saturated.graph);
            if !same_operators(rewritten, &folded.graph) {
                forms.extend(Program::placed(&folded.graph, &context));
            }
            let mut best = cheapest(forms, extraction, &context)?;
            if options.cost.is_time() && best.1.cost > unfused.statistics.price {
                let plain = cheapest(vec![Program::plain(&folded.graph)], extraction, &context)?;
                if plain.1.cost < best.1.cost {
                    best = plain;
                }
            }
            let mut fused = best.0.finish(best.1, &context)?;
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

/// What all forms of a program are grouped with.
struct Context<'a> {
    device: &'a Device,
    options: &'a Options,
    memo: &'a Shared,
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

    /// Layouts by price, and parts of concats stored in place where that is possible; with all activations
    /// channels-last, and with blocks of channels where kernels are cheaper by them.
    fn placed(graph: &'a Graph, context: &Context<'_>) -> Vec<Self> {
        let layouts = layouts::choose(graph);
        if context.options.fixed_layouts {
            return vec![Self::in_place(graph, layouts)];
        }
        let prices = Prices {
            device: context.device,
            limits: &context.options.limits,
            memo: context.memo,
            reassociate: context.options.numerics_limit() >= Numerics::Reassociating,
        };
        let priced = priced_layouts::choose(graph, layouts, &prices);
        let blocked = blocked_layouts::choose(graph, &priced[0], &prices);
        let all = priced.into_iter().chain(blocked);
        all.map(|layouts| Self::in_place(graph, layouts)).collect()
    }

    /// With parts of concats stored in place where that is possible.
    fn in_place(graph: &'a Graph, mut layouts: Layouts) -> Self {
        let placed = placements::choose(graph, &layouts);
        layouts.views.extend(placed.views);
        layouts.views.sort_unstable();
        Self {
            graph,
            layouts,
            placements: placed.placements,
        }
    }

    /// What an operator's kernels are priced by.
    fn evaluator<'p>(&'p self, context: &Context<'p>) -> Evaluator<'p> {
        let (device, options) = (context.device, context.options);
        let (of, placements) = (&self.layouts.of, &self.placements);
        let limits = &options.limits;
        let mut evaluator =
            Evaluator::with_memo(self.graph, device, limits, of, placements, context.memo);
        evaluator.reassociate = options.numerics_limit() >= Numerics::Reassociating;
        evaluator.threads = options.threads();
        evaluator.cost = &options.cost;
        evaluator
    }

    /// Chooses kernels.
    fn search(
        &self,
        extraction: &dyn Extraction,
        context: &Context<'_>,
    ) -> Result<Searched, FusionError> {
        let _span =
            tracing::debug_span!("extract", policy = context.options.policy.name()).entered();
        let flow = Flow::new(self.graph, &self.layouts.views, &self.placements);
        let mut evaluator = self.evaluator(context);
        check_singles(&Partition::singles(&flow), &flow, &mut evaluator)?;
        let control = &context.options.control;
        evaluator.control = Rc::new(Resolved::new(control, self.graph, &flow)?);
        let start = Resolved::start(&flow, &mut evaluator)?;
        let mut problem = Problem::new(&flow, &start, &mut evaluator, &context.options.limits);
        let grouping = extraction.extract(&mut problem);
        let partition = problem.partition(&grouping)?;
        Ok(Searched {
            cost: partition.time(&flow, &mut evaluator).unwrap_or(Time::MAX),
            evaluated: evaluator.evaluated,
            memoised: evaluator.memoised,
            control: evaluator.control,
            partition,
            grouping,
            flow,
        })
    }

    /// The program with the kernels that were chosen.
    fn finish(&self, searched: Searched, context: &Context<'_>) -> Result<Fused, FusionError> {
        let _span = tracing::debug_span!("decide").entered();
        let options = context.options;
        let Searched {
            partition,
            grouping,
            flow,
            cost,
            ..
        } = searched;
        let mut evaluator = self.evaluator(context);
        evaluator.control = searched.control;
        let arranged = Arranged::new(&partition, &flow);
        let refusals = match options.policy {
            Policy::None => Vec::new(),
            _ => refusals(&arranged, &mut evaluator),
        };
        let mut groups = groups(&arranged, &mut evaluator)?;
        if options.policy != Policy::None {
            for (group, &id) in groups.iter_mut().zip(&arranged.order) {
                group.runner_up = runner_up(id, &arranged, &mut evaluator);
            }
        }
        let price: Time = groups.iter().map(|g| g.price.total).sum();
        let bound = grouping.lower_bound;
        let statistics = Statistics {
            operators: flow.nodes.len(),
            kernels: groups.len(),
            intermediate_bytes: intermediate_bytes(
                self.graph,
                &self.layouts.views,
                &self.placements,
                &partition,
                &flow,
                &mut evaluator,
            ),
            conversions: Conversions::of(self.graph, &self.layouts.of, &groups),
            price,
            optimal: bound.is_some_and(|b| b >= cost),
            lower_bound: bound
                .filter(|_| options.cost.is_time())
                .map(|b| b.min(price)),
            pool: grouping.pool,
            truncated: grouping.truncated,
            candidates: searched.evaluated,
            memoised: searched.memoised,
            ..Statistics::default()
        };
        let singles = Partition::singles(&flow);
        Ok(Fused {
            graph: self.graph.clone(),
            groups: with_savings(groups, &singles, &flow, &mut evaluator),
            views: self.layouts.views.clone(),
            placements: self.placements.clone(),
            layouts: self.layouts.of.clone(),
            refusals,
            own_kernels: Vec::new(),
            statistics,
            saturation: Vec::new(),
            policy: options.policy,
            numerics: options.numerics_limit(),
            device: context.device.name.clone(),
        })
    }

    fn fused(
        self,
        extraction: &dyn Extraction,
        context: &Context<'_>,
    ) -> Result<Fused, FusionError> {
        let searched = self.search(extraction, context)?;
        self.finish(searched, context)
    }
}

/// Kernels that were chosen for a program.
struct Searched {
    flow: Flow,
    partition: Partition,
    grouping: Grouping,
    control: Rc<Resolved>,
    cost: Time,
    evaluated: usize,
    memoised: usize,
}

/// The form of a program that an extraction makes cheapest, the first of equals. A form whose operators
/// have no kernel is none, as long as there is another.
fn cheapest<'a>(
    forms: Vec<Program<'a>>,
    extraction: &dyn Extraction,
    context: &Context<'_>,
) -> Result<(Program<'a>, Searched), FusionError> {
    let mut best: Option<(Program<'a>, Searched)> = None;
    let (mut evaluated, mut memoised) = (0, 0);
    let mut refused = None;
    for form in forms {
        let searched = match form.search(extraction, context) {
            Err(error @ FusionError::NoKernel { .. }) => {
                tracing::debug!(%error, "a form of the program has no kernels");
                refused = Some(error);
                continue;
            }
            searched => searched?,
        };
        evaluated += searched.evaluated;
        memoised += searched.memoised;
        if best.as_ref().is_none_or(|(_, b)| searched.cost < b.cost) {
            best = Some((form, searched));
        }
    }
    let none = || FusionError::Extraction {
        cause: "there is no form of the program".to_owned(),
    };
    let (form, searched) = best.ok_or_else(|| refused.unwrap_or_else(none))?;
    let searched = Searched {
        evaluated,
        memoised,
        ..searched
    };
    Ok((form, searched))
}

/// Whether two graphs have the same operators, connected alike.
fn same_operators(a: &Graph, b: &Graph) -> bool {
    let alike = |(a, b): (&Node, &Node)| (&a.op, &a.inputs) == (&b.op, &b.inputs);
    a.nodes.len() == b.nodes.len() && a.nodes.iter().zip(&b.nodes).all(alike)
}

/// Every operator must have a kernel by itself, so that there is a program at all.
fn check_singles(
    singles: &Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Result<(), FusionError> {
    let groups = singles.groups.iter();
    evaluator.foresee(groups.map(|(&id, nodes)| (nodes.clone(), singles.outputs(id, flow))));
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
    let lowered = evaluator.limits.kernels_lowered();
    let way_out = illegal.flip.as_ref().and_then(|flip| match illegal.code {
        LegalityCode::Footprint => Some(format!("; it would have one {flip}")),
        LegalityCode::Limit if lowered => Some(format!("; it has one {flip}")),
        _ => None,
    });
    FusionError::NoKernel {
        origin: origin_of(&node.origins),
        operator: node.op.mnemonic(),
        device: evaluator.device.name.clone(),
        cause: illegal.message.clone() + &way_out.unwrap_or_default(),
    }
}

/// The kernels of a partition, in launch order.
fn groups(
    arranged: &Arranged<'_>,
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<Group>, FusionError> {
    let make = |(number, id): (usize, &GroupId)| {
        let (nodes, outputs) = arranged.side(*id);
        let realised = match evaluator.realise(&nodes, &outputs) {
            Ok(realised) => realised,
            Err(illegal) => return Err(no_kernel(nodes[0], &illegal, evaluator)),
        };
        let graph = evaluator.graph;
        let name = kernel_name(number, &nodes, graph);
        let mut formed = realised.formed.kernel;
        let ChosenForm {
            mut kernel,
            number: form,
            price,
        } = realised.chosen;
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
            form,
            kernel,
            price,
            bytes_saved: 0,
            saved: Time::ZERO,
            decision: String::new(),
            runner_up: None,
            nodes,
        })
    };
    arranged.order.iter().enumerate().map(make).collect()
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
