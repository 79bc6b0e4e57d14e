//! The layout of every stored value, and which nodes are views because of it.
//!
//! Activations around convolutions are stored channels-last: the channels are contiguous for the
//! vectors of every kernel of a convolution network. The choice spreads over operators that keep
//! dimensions apart (elementwise, pooling, concat, ...). Graph inputs and outputs are row-major.
//! Everything else inherits the layout of its operand, and a reshape or transpose whose result has a
//! layout in which its bytes are its operand's is a view that costs nothing.

use std::collections::{BTreeMap, BTreeSet};

use sinter_loops::affine::Affine;
use sinter_loops::kernel::{Layout, PhysicalDim};
use sinter_ops::{Graph, Node, Op, Operator, ValueId};

use crate::fused::View;

/// Ranks of which all permutations are tried for the result of a reshape.
const MOST_PERMUTED_RANK: usize = 5;

/// Layouts of stored values (row-major where absent), and views.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layouts {
    pub(crate) of: BTreeMap<ValueId, Layout>,
    pub(crate) views: Vec<View>,
}

/// Chooses the layouts of a graph's values.
pub(crate) fn choose(graph: &Graph) -> Layouts {
    choose_with(graph, &BTreeMap::new())
}

/// The same, with layouts of some values given; results of the graph stay row-major.
pub(crate) fn choose_with(graph: &Graph, given: &BTreeMap<ValueId, Layout>) -> Layouts {
    let outputs: BTreeSet<_> = graph.outputs.iter().map(|o| o.1).collect();
    let groups = channels_last_groups(graph);
    let channels_last: BTreeSet<_> = groups.into_iter().flatten().collect();
    let mut out = Layouts::default();
    for (number, node) in graph.nodes.iter().enumerate() {
        for &value in &node.outputs {
            let fixed = outputs.contains(&value);
            let wanted = if fixed {
                Some(Layout::row_major(graph.ty(value).rank()))
            } else if let Some(layout) = given.get(&value) {
                Some(layout.clone())
            } else if channels_last.contains(&value) {
                Some(Layout::channels_last(graph.ty(value).rank()))
            } else {
                None
            };
            let layout = match view_layout(graph, node, value, &out) {
                Some(view) if wanted.as_ref().is_none_or(|w| same(w, &view, graph, value)) => {
                    let node = sinter_ops::NodeId(number as u32);
                    out.views.push(View {
                        node,
                        value,
                        of: Some(node_operand(graph, node)),
                    });
                    view
                }
                _ => wanted.unwrap_or_else(|| inherited(graph, node, value, &out)),
            };
            if !layout.is_row_major(&graph.ty(value).shape) {
                out.of.insert(value, layout);
            }
        }
    }
    out
}

fn node_operand(graph: &Graph, node: sinter_ops::NodeId) -> ValueId {
    graph.nodes[node.0 as usize].inputs[0]
}

/// Whether two layouts give a value the same bytes.
fn same(a: &Layout, b: &Layout, graph: &Graph, value: ValueId) -> bool {
    let shape = &graph.ty(value).shape;
    position(a, shape) == position(b, shape)
}

/// The position in memory of a logical index.
fn position(layout: &Layout, shape: &[i64]) -> Affine {
    let iters: Vec<_> = (0..shape.len()).map(Affine::Iter).collect();
    let index = layout.physical_index(&iters);
    Affine::flatten(&index, &layout.physical_shape(shape)).simplify(shape)
}

/// Whether elements along the last dimension of a value lie next to each other.
pub(crate) fn is_contiguous(graph: &Graph, value: ValueId, known: &Layouts) -> bool {
    let shape = &graph.ty(value).shape;
    let row_major = || Layout::row_major(shape.len());
    let layout = known.of.get(&value).cloned().unwrap_or_else(row_major);
    let strides = position(&layout, shape).linear(shape.len());
    strides.is_some_and(|(strides, _)| strides.last() == Some(&1) || shape.last() == Some(&1))
}

/// Values stored channels-last: those connected to a convolution's activations by operators that keep
/// dimensions apart, together what is connected.
pub(crate) fn channels_last_groups(graph: &Graph) -> Vec<BTreeSet<ValueId>> {
    let outputs: BTreeSet<_> = graph.outputs.iter().map(|o| o.1).collect();
    let mut class: Vec<usize> = (0..graph.value_count()).collect();
    fn find(class: &mut [usize], mut v: usize) -> usize {
        while class[v] != v {
            class[v] = class[class[v]];
            v = class[v];
        }
        v
    }
    let rank = |v: ValueId| graph.ty(v).rank();
    let mut wanted = Vec::new();
    for node in &graph.nodes {
        let out = node.outputs[0];
        if rank(out) < 3 {
            continue;
        }
        if is_spatial(&node.op) {
            wanted.push(out);
            wanted.push(node.inputs[0]);
        }
        if keeps_dimensions(&node.op) {
            for &input in node.inputs.iter().filter(|&&v| rank(v) == rank(out)) {
                let bound = graph.as_constant(input).is_some() || outputs.contains(&input);
                if !bound && !outputs.contains(&out) {
                    let (a, b) = (input.0 as usize, out.0 as usize);
                    let (a, b) = (find(&mut class, a), find(&mut class, b));
                    class[a.max(b)] = a.min(b);
                }
            }
        }
    }
    let roots: BTreeSet<_> = wanted
        .iter()
        .map(|v| find(&mut class, v.0 as usize))
        .collect();
    let inputs: BTreeSet<_> = graph.inputs.iter().map(|i| i.1).collect();
    let mut groups: BTreeMap<usize, BTreeSet<ValueId>> = BTreeMap::new();
    for value in (0..graph.value_count() as u32).map(ValueId) {
        let root = find(&mut class, value.0 as usize);
        let bound = inputs.contains(&value) || outputs.contains(&value);
        if roots.contains(&root) && !bound && graph.as_constant(value).is_none() {
            groups.entry(root).or_default().insert(value);
        }
    }
    groups.into_values().collect()
}

/// Operators whose kernels want channels to be contiguous.
fn is_spatial(op: &Op) -> bool {
    matches!(
        op,
        Op::Conv(_)
            | Op::WinogradConv(_)
            | Op::ConvTranspose(_)
            | Op::Pool(_)
            | Op::Resize(_)
            | Op::BatchNorm(_)
    )
}

/// Operators whose result has the dimensions of their operands, in the same order.
fn keeps_dimensions(op: &Op) -> bool {
    let keeps = match op {
        Op::Reduce(reduce) => reduce.keep_dims,
        Op::Pool(_) | Op::Resize(_) | Op::Concat(_) | Op::Slice(_) | Op::Pad(_) => true,
        Op::BatchNorm(_) | Op::Expand(_) => true,
        _ => false,
    };
    keeps || op.traits().elementwise
}

/// The layout in which a reshape's or transpose's result has its operand's bytes.
pub(crate) fn view_layout(
    graph: &Graph,
    node: &Node,
    value: ValueId,
    known: &Layouts,
) -> Option<Layout> {
    let operand = *node.inputs.first()?;
    if graph.as_constant(operand).is_some() {
        return None;
    }
    let from = graph.ty(operand);
    let layout = known
        .of
        .get(&operand)
        .cloned()
        .unwrap_or_else(|| Layout::row_major(from.rank()));
    match &node.op {
        Op::Transpose(transpose) => {
            let place = |d: usize| transpose.perm.iter().position(|&p| p == d as i64);
            let dims: Option<Vec<_>> = layout
                .dims
                .iter()
                .map(|p| match *p {
                    PhysicalDim::Whole(d) => place(d).map(PhysicalDim::Whole),
                    PhysicalDim::Outer(..) | PhysicalDim::Inner(..) => None,
                })
                .collect();
            dims.map(|dims| Layout { dims })
        }
        Op::Reshape(_) => {
            let to = &graph.ty(value).shape;
            reshaped_layout(&layout, &from.shape, to)
        }
        _ => None,
    }
}

/// The layout of shape `to` whose bytes are those of `layout` of shape `from`, both read row-major.
fn reshaped_layout(layout: &Layout, from: &[i64], to: &[i64]) -> Option<Layout> {
    // The operand's position as a function of the result's logical index.
    let iters: Vec<_> = (0..to.len()).map(Affine::Iter).collect();
    let flat = Affine::flatten(&iters, to);
    let mut index = Vec::new();
    let mut below: i64 = from.iter().product();
    for &extent in from {
        below /= extent.max(1);
        index.push(flat.clone().floor_div(below.max(1)).modulo(extent.max(1)));
    }
    let physical = layout.physical_index(&index);
    let wanted = Affine::flatten(&physical, &layout.physical_shape(from)).simplify(to);
    // Only dimensions of more than one point can be told apart; the others stay where they are.
    let live: Vec<_> = (0..to.len()).filter(|&d| to[d] > 1).collect();
    if live.len() > MOST_PERMUTED_RANK {
        return None;
    }
    let (coefficients, 0) = wanted.linear(to.len())? else {
        return None;
    };
    let mut order: Vec<_> = (0..to.len()).collect();
    let stride = |d: usize| if to[d] > 1 { coefficients[d] } else { i64::MAX };
    order.sort_by_key(|&d| (std::cmp::Reverse(stride(d)), d));
    let found = Layout::permutation(&order);
    (position(&found, to) == wanted).then_some(found)
}

/// The layout of the operand from which a result inherits, row-major without one.
fn inherited(graph: &Graph, node: &Node, value: ValueId, known: &Layouts) -> Layout {
    let rank = graph.ty(value).rank();
    let inherits = keeps_dimensions(&node.op) || matches!(node.op, Op::Softmax(_));
    let from = node
        .inputs
        .iter()
        .find(|v| graph.as_constant(**v).is_none() && graph.ty(**v).shape == graph.ty(value).shape);
    from.filter(|_| inherits)
        .and_then(|v| known.of.get(v).cloned())
        .unwrap_or_else(|| Layout::row_major(rank))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reshapes_of_channels_last_values() {
        let last = Layout::channels_last(4);
        // [1, 8, 1, 5] -> [1, 8, 5]: bytes are [5, 8].
        let found = reshaped_layout(&last, &[1, 8, 1, 5], &[1, 8, 5]).unwrap();
        assert_eq!(position(&found, &[1, 8, 5]).to_string(), "d1 + d2 * 8");
        // [1, 8, 1, 1] -> [1, 8]
        let found = reshaped_layout(&last, &[1, 8, 1, 1], &[1, 8]).unwrap();
        assert!(found.is_row_major(&[1, 8]));
        // [1, 8, 2, 3] -> [1, 48] mixes channels and pixels.
        assert_eq!(reshaped_layout(&last, &[1, 8, 2, 3], &[1, 48]), None);
        // Row-major reshapes are always views.
        let found = reshaped_layout(&Layout::row_major(2), &[6, 4], &[2, 3, 4]).unwrap();
        assert!(found.is_row_major(&[2, 3, 4]));
    }
}
