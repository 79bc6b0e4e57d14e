//! What two kernels would be on another device, in other layouts, with other extents: the thresholds
//! of refusals, found by pricing the changed kernels for real.

use std::collections::{BTreeMap, BTreeSet};

use sinter_device::device::Route;
use sinter_device::{Device, Time};
use sinter_loops::kernel::Layout;
use sinter_ops::{Graph, NodeId, Operator, ValueId};

use crate::arranged::Side;
use crate::error::origin_of;
use crate::evaluate::Evaluator;
use crate::flip::{Change, Flip, replace, resized_op};
use crate::fused::Placement;

/// How many times bigger a space is tried.
const MOST_GROWTH: u64 = 1024;
/// Sizes are found to so many bytes.
const SIZE_STEP: u64 = 1024;

/// Two kernels, and the one that they would be.
#[derive(Clone, Debug)]
pub(crate) struct Sides {
    pub(crate) first: Side,
    pub(crate) second: Side,
    pub(crate) merged: Side,
}

impl Sides {
    /// Time together and apart, `None` when a kernel is illegal.
    fn times(&self, evaluator: &mut Evaluator<'_>) -> Option<(Time, Time)> {
        let mut time = |side: &Side| evaluator.time(&side.0, &side.1);
        Some((
            time(&self.merged)?,
            time(&self.first)? + time(&self.second)?,
        ))
    }

    fn times_on(&self, device: &Device, known: &Evaluator<'_>) -> Option<(Time, Time)> {
        let Nearby {
            layouts,
            placements,
        } = nearby(known, &self.merged.0);
        let (graph, limits) = (known.graph, known.limits);
        let mut evaluator = Evaluator::new(graph, device, limits, &layouts, &placements);
        evaluator.uses = known.uses.clone();
        evaluator.cost = known.cost;
        evaluator.reassociate = known.reassociate;
        evaluator.control = known.control.clone();
        self.times(&mut evaluator)
    }
}

/// Layouts and placements of the values that some nodes touch.
struct Nearby {
    layouts: BTreeMap<ValueId, Layout>,
    placements: Vec<Placement>,
}

fn nearby(known: &Evaluator<'_>, nodes: &[NodeId]) -> Nearby {
    let mut out = Nearby {
        layouts: BTreeMap::new(),
        placements: Vec::new(),
    };
    for value in touched(known.graph, nodes) {
        let placement = known.placement(value);
        out.placements.extend(placement.cloned());
        let stored = placement.map_or(value, |p| p.whole);
        let layout = known.layouts.get(&stored);
        out.layouts.extend(layout.map(|l| (stored, l.clone())));
    }
    out
}

/// Values that nodes take or give.
fn touched(graph: &Graph, nodes: &[NodeId]) -> BTreeSet<ValueId> {
    let nodes = nodes.iter().map(|n| &graph.nodes[n.0 as usize]);
    nodes
        .flat_map(|n| n.inputs.iter().chain(&n.outputs).copied())
        .collect()
}

fn pays((together, apart): (Time, Time)) -> bool {
    together < apart
}

/// The least size of an on-chip space with which the kernels would be one, in whole KiB.
pub(crate) fn least_space(evaluator: &Evaluator<'_>, sides: &Sides) -> Option<Flip> {
    let device = evaluator.device;
    let chip = device
        .spaces
        .iter()
        .enumerate()
        .filter(|(_, s)| s.name != "gm");
    chip.clone().find_map(|(n, space)| {
        let fits = |bytes: u64| {
            let mut grown = device.clone();
            grown.spaces[n].bytes = bytes;
            sides.times_on(&grown, evaluator).is_some_and(pays)
        };
        let (mut low, mut high) = (space.bytes, space.bytes.saturating_mul(MOST_GROWTH));
        if !fits(high) {
            return None;
        }
        while high - low > SIZE_STEP {
            let middle = (low + (high - low) / 2).next_multiple_of(SIZE_STEP);
            if middle >= high {
                break;
            }
            match fits(middle) {
                true => high = middle,
                false => low = middle,
            }
        }
        Some(Flip::Change(Change::Space {
            name: space.name.clone(),
            bytes: high,
        }))
    })
}

/// The route that the device lacks between its units and the time of the kernels as one with it,
/// where they would then be one.
pub(crate) fn routed(evaluator: &Evaluator<'_>, sides: &Sides) -> Option<(String, Time)> {
    let (with, text) = with_route(evaluator, &sides.merged.0)?;
    let times = sides.times_on(&with, evaluator)?;
    pays(times).then_some((text, times.0))
}

/// The route that the device lacks between its units and the time of a kernel with it.
pub(crate) fn routed_kernel(evaluator: &Evaluator<'_>, side: &Side) -> Option<(String, Time)> {
    let (with, text) = with_route(evaluator, &side.0)?;
    let sides = Sides {
        first: side.clone(),
        second: side.clone(),
        merged: side.clone(),
    };
    Some((text, sides.times_on(&with, evaluator)?.0))
}

/// The device with a route from its matrix unit to its vector unit, where it lacks one and the nodes
/// have work for the former.
fn with_route(evaluator: &Evaluator<'_>, nodes: &[NodeId]) -> Option<(Device, String)> {
    let device = evaluator.device;
    let unit = device.matrix.as_ref()?;
    let contracts = |n: &NodeId| evaluator.graph.nodes[n.0 as usize].op.traits().contraction;
    if device.matrix_feeds_vector() || !nodes.iter().any(contracts) {
        return None;
    }
    let out = device.route(&unit.accumulator, "gm")?;
    let mut with = device.clone();
    with.routes.push(Route {
        to: "ub".to_owned(),
        ..out.clone()
    });
    let text = format!("with a route from {} to ub", unit.accumulator);
    Some((with, text))
}

/// The values whose layout keeps the kernels from being one: stored row-major they would take less
/// than `most`.
pub(crate) fn row_major(
    evaluator: &Evaluator<'_>,
    sides: &Sides,
    most: Time,
) -> Option<Vec<String>> {
    let graph = evaluator.graph;
    let touched: BTreeSet<ValueId> = touched(graph, &sides.merged.0)
        .into_iter()
        .filter(|v| evaluator.layouts.contains_key(v))
        .collect();
    if touched.is_empty() {
        return None;
    }
    let Nearby {
        mut layouts,
        placements,
    } = nearby(evaluator, &sides.merged.0);
    layouts.retain(|v, _| !touched.contains(v));
    let (device, limits) = (evaluator.device, evaluator.limits);
    let mut plain = Evaluator::new(graph, device, limits, &layouts, &placements);
    plain.uses = evaluator.uses.clone();
    plain.cost = evaluator.cost;
    plain.reassociate = evaluator.reassociate;
    plain.control = evaluator.control.clone();
    let time = plain.time(&sides.merged.0, &sides.merged.1)?;
    if time >= most {
        return None;
    }
    let named = |v: &ValueId| match evaluator.producers()[v.0 as usize] {
        Some(n) => origin_of(&graph.nodes[n.0 as usize].origins),
        None => "an input".to_owned(),
    };
    Some(touched.iter().map(named).collect())
}

/// The largest extent with which the kernels would be one, as far as they go by themselves: of what the
/// first gives to the second, else of what they read.
pub(crate) fn largest_extent(evaluator: &Evaluator<'_>, sides: &Sides) -> Option<Flip> {
    let graph = evaluator.graph;
    let outside = read(graph, &sides.merged)
        .into_iter()
        .filter(|v| graph.as_constant(*v).is_none());
    let mut tried = BTreeSet::new();
    for value in handed(graph, sides).into_iter().chain(outside) {
        let shape = &graph.ty(value).shape;
        let mut extents: Vec<i64> = shape.iter().copied().filter(|&e| e > 1).collect();
        extents.sort_unstable_by_key(|&e| std::cmp::Reverse(e));
        for extent in extents {
            if !tried.insert(extent) {
                continue;
            }
            if let Some(most) = largest(evaluator, sides, extent) {
                return Some(Flip::Change(Change::Extent {
                    what: dimensions(evaluator, value, extent),
                    from: extent,
                    to: most,
                }));
            }
        }
    }
    None
}

/// The largest extent in the place of another with which the kernels would be one.
fn largest(evaluator: &Evaluator<'_>, sides: &Sides, extent: i64) -> Option<i64> {
    let at = |to: i64| resized(evaluator, sides, extent, to).is_some_and(pays);
    let mut low = extent / 2;
    while low > 0 && !at(low) {
        low /= 2;
    }
    let mut high = (2 * low + 1).min(extent);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match at(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    (low > 0).then_some(low)
}

/// The dimensions of a value that have an extent, in words: `dimension 1 of x (512)`.
fn dimensions(evaluator: &Evaluator<'_>, value: ValueId, extent: i64) -> String {
    let graph = evaluator.graph;
    let shape = &graph.ty(value).shape;
    let dims: Vec<_> = (0..shape.len())
        .filter(|&d| shape[d] == extent)
        .map(|d| d.to_string())
        .collect();
    let dims = match dims.split_last() {
        Some((last, [])) => format!("dimension {last}"),
        Some((last, first)) => format!("dimensions {} and {last}", first.join(", ")),
        None => String::new(),
    };
    let name = match evaluator.producers()[value.0 as usize] {
        Some(n) => origin_of(&graph.nodes[n.0 as usize].origins),
        None => {
            let input = graph.inputs.iter().find(|i| i.1 == value);
            input.map_or_else(|| "the input".to_owned(), |i| i.0.clone())
        }
    };
    format!("{dims} of {name} ({extent})")
}

/// Values that the nodes of a kernel take.
fn read(graph: &Graph, side: &Side) -> Vec<ValueId> {
    let nodes = side.0.iter().map(|n| &graph.nodes[n.0 as usize]);
    nodes.flat_map(|n| n.inputs.clone()).collect()
}

/// A value that the first kernel gives to the second, or that both read.
fn handed(graph: &Graph, sides: &Sides) -> Option<ValueId> {
    let taken = read(graph, &sides.second);
    let made = sides.first.1.iter().find(|v| taken.contains(v)).copied();
    made.or_else(|| {
        let also = read(graph, &sides.first);
        let shared = |v: &ValueId| also.contains(v) && graph.as_constant(*v).is_none();
        taken.into_iter().find(shared)
    })
}

/// Times of the kernels when every extent `from` of what they read is `to`.
fn resized(known: &Evaluator<'_>, sides: &Sides, from: i64, to: i64) -> Option<(Time, Time)> {
    let graph = known.graph;
    let mut small = Graph::new("");
    let mut values: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    let mut numbers: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for &id in &sides.merged.0 {
        let node = &graph.nodes[id.0 as usize];
        for &input in &node.inputs {
            if values.contains_key(&input) {
                continue;
            }
            let value = match graph.as_constant(input) {
                Some(tensor) => small.constant(tensor.clone()),
                None => {
                    let mut ty = graph.ty(input).clone();
                    replace(&mut ty.shape, from, to);
                    small.input("", ty)
                }
            };
            values.insert(input, value);
        }
        let op = resized_op(&node.op, from, to);
        let inputs: Vec<_> = node.inputs.iter().map(|v| values[v]).collect();
        let outputs = small.add(op, &inputs, node.origins.clone()).ok()?;
        numbers.insert(id, NodeId(numbers.len() as u32));
        values.extend(node.outputs.iter().copied().zip(outputs));
    }
    let layout = |(&old, &new): (&ValueId, &ValueId)| Some((new, known.layouts.get(&old)?.clone()));
    let layouts = values.iter().filter_map(layout).collect();
    let side = |side: &Side| -> Option<Side> {
        let nodes: Option<Vec<_>> = side.0.iter().map(|n| numbers.get(n).copied()).collect();
        let outputs: Option<Vec<_>> = side.1.iter().map(|v| values.get(v).copied()).collect();
        let mut outputs = outputs?;
        outputs.sort_unstable();
        Some((nodes?, outputs))
    };
    let sides = Sides {
        first: side(&sides.first)?,
        second: side(&sides.second)?,
        merged: side(&sides.merged)?,
    };
    let mut evaluator = Evaluator::new(&small, known.device, known.limits, &layouts, &[]);
    evaluator.cost = known.cost;
    evaluator.reassociate = known.reassociate;
    sides.times(&mut evaluator)
}
