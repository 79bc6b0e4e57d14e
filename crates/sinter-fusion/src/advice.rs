//! What a model's author could change in the model, and what it would save.
//!
//! Every piece of advice is a changed graph that was fused and priced like the model itself, or the
//! threshold of a refusal, which was found by pricing. Nothing is advised that does not pay by the device
//! model; what it does to the model's accuracy is the author's to judge. Savings do not add up.

mod changed;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use sinter_device::{Device, Time};
use sinter_loops::scalar::FloatBits;
use sinter_ops::ops::clamp::Clamp;
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Graph, Mark, Node, Op, Operator, ValueId};

use crate::error::FusionError;
use crate::fuse::fuse;
use crate::fused::Fused;
use crate::legality::{LegalityCode, Refusal};
use crate::options::{Limits, Options};
use changed::{Boundary, given, rebuilt, resized};

/// Extents of which others are tried, those of the dearest kernels first.
const MOST_EXTENTS: usize = 8;
/// How many times smaller an extent may be advised to be.
const MOST_SHRINKING: i64 = 4;
/// Least saving worth a line, in parts of the program's price.
const LEAST_SAVING: f64 = 1e-3;

/// What is to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AdviceKind {
    /// The order in which an input is given or an output is returned.
    Layout,
    /// Some operators: others in their place, or fewer users of a value.
    Fragment,
    /// An extent.
    Size,
}

impl fmt::Display for AdviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Layout => "layout",
            Self::Fragment => "fragment",
            Self::Size => "size",
        })
    }
}

/// One change of the model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Advice {
    /// What is to be changed.
    pub kind: AdviceKind,
    /// ONNX nodes, or the input or output.
    pub nodes: Vec<String>,
    /// The change, as an instruction.
    pub change: String,
    /// What the price of the program would sink by.
    pub saved: Time,
}

/// What to change in a model so that its price sinks, what saves most first.
///
/// # Errors
/// When the model itself cannot be fused.
pub fn advice(
    graph: &Graph,
    device: &Device,
    options: &Options,
) -> Result<(Fused, Vec<Advice>), FusionError> {
    let fused = fuse(graph, device, options)?;
    let quick = Options {
        limits: Limits {
            thresholds: 0,
            ..options.limits.clone()
        },
        ..options.clone()
    };
    let search = Search {
        fused: &fused,
        device,
        options: &quick,
    };
    let mut found = search.layouts();
    found.extend(search.fragments());
    found.extend(search.extents());
    found.extend(fused.refusals.iter().filter_map(of_refusal));
    let least = fused.statistics.price.ns() * LEAST_SAVING;
    found.retain(|a| a.saved.ns() >= least);
    found.sort_by(|a, b| b.saved.cmp(&a.saved).then_with(|| a.cmp(b)));
    found.dedup();
    Ok((fused, found))
}

/// The program, and what changed ones are made with.
struct Search<'a> {
    fused: &'a Fused,
    device: &'a Device,
    options: &'a Options,
}

impl Search<'_> {
    /// What a changed program saves, where it is one and saves anything.
    fn saved(&self, changed: Option<Graph>) -> Option<Time> {
        let program = fuse(&changed?, self.device, self.options).ok()?;
        let saved = self
            .fused
            .statistics
            .price
            .saturating_sub(program.statistics.price);
        (saved > Time::ZERO).then_some(saved)
    }

    /// The best order of the dimensions of each input and output.
    fn layouts(&self) -> Vec<Advice> {
        let graph = &self.fused.graph;
        let inputs = graph.inputs.iter().enumerate();
        let inputs = inputs.map(|(n, (name, v))| (Boundary::Input(n), name, *v));
        let outputs = graph.outputs.iter().enumerate();
        let outputs = outputs.map(|(n, (name, v))| (Boundary::Output(n), name, *v));
        inputs
            .chain(outputs)
            .filter_map(|(place, name, value)| self.layout(place, name, value))
            .collect()
    }

    fn layout(&self, place: Boundary, name: &str, value: ValueId) -> Option<Advice> {
        let graph = &self.fused.graph;
        let ty = graph.ty(value);
        let mut best: Option<(Time, Vec<i64>)> = None;
        for order in orders(ty.rank()) {
            let saved = self.saved(given(graph, place, &order));
            if let Some(saved) = saved
                && best.as_ref().is_none_or(|(most, _)| saved > *most)
            {
                best = Some((saved, order));
            }
        }
        let (saved, order) = best?;
        let shape: Vec<_> = order
            .iter()
            .map(|&d| ty.shape[d as usize].to_string())
            .collect();
        let verb = match place {
            Boundary::Input(_) => "give input",
            Boundary::Output(_) => "return output",
        };
        Some(Advice {
            kind: AdviceKind::Layout,
            nodes: vec![name.to_owned()],
            change: format!(
                "{verb} {name} with its dimensions in the order {}: {}",
                list(&order),
                shape.join("x")
            ),
            saved,
        })
    }

    /// Functions that are dear, all of a kind replaced by a cheaper one of like shape.
    fn fragments(&self) -> Vec<Advice> {
        let graph = &self.fused.graph;
        let mut kinds: BTreeMap<String, (Vec<&Node>, Op)> = BTreeMap::new();
        for node in &graph.nodes {
            for cheaper in cheaper(&node.op) {
                let key = format!("{} -> {}", spelled(&node.op), spelled(&cheaper));
                let entry = kinds.entry(key).or_insert_with(|| (Vec::new(), cheaper));
                entry.0.push(node);
            }
        }
        let advise = |(nodes, to): (Vec<&Node>, Op)| {
            let from = nodes[0].op.clone();
            let replaced = |op: &Op| if *op == from { to.clone() } else { op.clone() };
            let saved = self.saved(rebuilt(graph, &Clone::clone, &replaced))?;
            Some(Advice {
                kind: AdviceKind::Fragment,
                nodes: names(&nodes),
                change: format!(
                    "compute {} instead of {} in {} place{}",
                    spelled(&to),
                    spelled(&from),
                    nodes.len(),
                    if nodes.len() == 1 { "" } else { "s" }
                ),
                saved,
            })
        };
        kinds.into_values().filter_map(advise).collect()
    }

    /// Extents of weights that fill no whole vectors or steps of the matrix unit: the next that does.
    fn extents(&self) -> Vec<Advice> {
        let tried = self.ragged();
        let advise = |extent: i64| {
            let mut best: Option<(Time, i64)> = None;
            for to in self.whole(extent) {
                if let Some(saved) = self.saved(resized(&self.fused.graph, extent, to))
                    && best.is_none_or(|(most, _)| saved > most)
                {
                    best = Some((saved, to));
                }
            }
            let (saved, to) = best?;
            Some(Advice {
                kind: AdviceKind::Size,
                nodes: names(&self.with_extent(extent)),
                change: format!("let the extent {extent} of these be {to}"),
                saved,
            })
        };
        tried
            .into_iter()
            .take(MOST_EXTENTS)
            .filter_map(advise)
            .collect()
    }

    /// The multiples of the device's steps around an extent.
    fn whole(&self, extent: i64) -> BTreeSet<i64> {
        let steps = self.steps();
        let around = steps
            .iter()
            .flat_map(|s| [extent / s * s, (extent / s + 1) * s]);
        around.filter(|&e| e > 0 && e != extent).collect()
    }

    fn steps(&self) -> Vec<i64> {
        let matrix = self.device.matrix.as_ref().map(|m| m.n);
        matrix.into_iter().chain([self.device.lanes(4)]).collect()
    }

    /// Extents of weights that are no multiples of every step and no extents of inputs and outputs, those
    /// of the dearest kernels first.
    fn ragged(&self) -> Vec<i64> {
        let graph = &self.fused.graph;
        let ends = graph.inputs.iter().chain(&graph.outputs);
        let fixed: BTreeSet<i64> = ends.flat_map(|(_, v)| graph.ty(*v).shape.clone()).collect();
        let steps = self.steps();
        let mut prices: BTreeMap<i64, Time> = BTreeMap::new();
        for group in &self.fused.groups {
            let nodes = group.nodes.iter().map(|n| &graph.nodes[n.0 as usize]);
            let contractions = nodes.filter(|n| n.op.traits().contraction);
            let weights = contractions
                .flat_map(|n| n.inputs.iter())
                .filter_map(|v| graph.as_constant(*v));
            let extents: BTreeSet<i64> = weights.flat_map(|w| w.ty().shape.clone()).collect();
            for extent in extents {
                let ragged = extent > 1 && steps.iter().any(|s| extent % s != 0);
                // The extent of a window is no size of the model.
                if ragged && extent > 7 && !fixed.contains(&extent) {
                    *prices.entry(extent).or_insert(Time::ZERO) += group.price.total;
                }
            }
        }
        let mut out: Vec<_> = prices.into_iter().collect();
        out.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        out.into_iter().map(|(extent, _)| extent).collect()
    }

    /// Nodes whose weights have an extent.
    fn with_extent(&self, extent: i64) -> Vec<&Node> {
        let graph = &self.fused.graph;
        let has = |v: &ValueId| {
            let weight = graph.as_constant(*v);
            weight.is_some_and(|w| w.ty().shape.contains(&extent))
        };
        let nodes = graph.nodes.iter();
        nodes
            .filter(|n| n.op.traits().contraction && n.inputs.iter().any(has))
            .collect()
    }
}

/// Orders of dimensions that are tried.
fn orders(rank: usize) -> Vec<Vec<i64>> {
    match rank {
        2 => vec![vec![1, 0]],
        3 => vec![vec![0, 2, 1], vec![1, 0, 2]],
        4 => vec![
            vec![0, 2, 3, 1],
            vec![0, 3, 1, 2],
            vec![0, 2, 1, 3],
            vec![0, 1, 3, 2],
        ],
        _ => Vec::new(),
    }
}

/// Functions of like shape that cost less on most devices.
fn cheaper(op: &Op) -> Vec<Op> {
    let Op::Unary(unary) = op else {
        return Vec::new();
    };
    let of = |kinds: &[UnaryKind]| -> Vec<Op> {
        kinds.iter().map(|&kind| Unary { kind }.into()).collect()
    };
    match unary.kind {
        UnaryKind::Gelu { approximate: false } => {
            of(&[UnaryKind::Gelu { approximate: true }, UnaryKind::HardSwish])
        }
        UnaryKind::Gelu { approximate: true } | UnaryKind::Silu => of(&[UnaryKind::HardSwish]),
        UnaryKind::Sigmoid => of(&[UnaryKind::HardSigmoid {
            alpha: FloatBits::new(1.0 / 6.0),
            beta: FloatBits::new(0.5),
        }]),
        UnaryKind::Softplus | UnaryKind::Elu { .. } => of(&[UnaryKind::Relu]),
        UnaryKind::Tanh => vec![
            Clamp {
                min: Some(FloatBits::new(-1.0)),
                max: Some(FloatBits::new(1.0)),
            }
            .into(),
        ],
        _ => Vec::new(),
    }
}

/// An operator's name, and what tells it from others of the name.
fn spelled(op: &Op) -> String {
    match op {
        Op::Unary(Unary {
            kind: UnaryKind::Gelu { approximate: true },
        }) => "gelu by tanh".to_owned(),
        Op::Clamp(Clamp {
            min: Some(min),
            max: Some(max),
        }) => format!("clamp to [{}, {}]", min.get(), max.get()),
        op => op.mnemonic().to_owned(),
    }
}

/// What a refusal says to the model's author, where he can do anything about it.
fn of_refusal(refusal: &Refusal) -> Option<Advice> {
    let flip = refusal.flip.as_deref()?;
    let (kind, change) = match refusal.code {
        LegalityCode::NotCheaper | LegalityCode::SharedTile | LegalityCode::Shapes => {
            // `.., or if dimension 2 of x (64) <= 14`
            let (_, threshold) = flip.rsplit_once("if dimension")?;
            let (dimensions, most) = threshold.split_once(" <= ")?;
            let extent: i64 = dimensions
                .rsplit_once('(')?
                .1
                .strip_suffix(')')?
                .parse()
                .ok()?;
            // Nobody makes a model so much smaller.
            let figure = most.strip_prefix("about ").unwrap_or(most);
            if figure.parse::<i64>().ok()? * MOST_SHRINKING < extent {
                return None;
            }
            let change = format!("let dimension{dimensions} be at most {most}");
            (AdviceKind::Size, change)
        }
        LegalityCode::Recompute => {
            let (value, rest) = flip.strip_prefix("if ")?.split_once(" had one user of ")?;
            let (users, _) = rest.rsplit_once(", or took")?;
            let change = format!("let {value} have one user of {users}");
            (AdviceKind::Fragment, change)
        }
        LegalityCode::View => {
            let (views, _) = flip.strip_prefix("if ")?.split_once(" were computed")?;
            (
                AdviceKind::Fragment,
                format!("do without {views} between them"),
            )
        }
        _ => return None,
    };
    Some(Advice {
        kind,
        nodes: refusal.nodes.clone(),
        change: format!("{change}, so that these are one kernel"),
        saved: refusal.saved,
    })
}

fn names(nodes: &[&Node]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let all = nodes.iter().flat_map(|n| &n.origins);
    all.filter(|o| !Mark::is(o) && seen.insert(*o))
        .cloned()
        .collect()
}

fn list(order: &[i64]) -> String {
    let texts: Vec<_> = order.iter().map(i64::to_string).collect();
    texts.join(", ")
}
