//! Concats whose parts are stored in place by their producers: the concat then costs nothing.

use std::collections::BTreeSet;

use sinter_loops::kernel::Layout;
use sinter_ops::form::{self, RowMajor, Storage};
use sinter_ops::{Graph, NodeId, Op, ValueId};

use crate::fused::{Placement, View};
use crate::layouts::Layouts;

/// Parts stored in place, and the concats that become views by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) placements: Vec<Placement>,
    pub(crate) views: Vec<View>,
}

/// Places the parts of every concat where each part is made by one kernel, for this concat alone. A
/// part may also be read elsewhere; it is then read from its place.
pub(crate) fn choose(graph: &Graph, layouts: &Layouts) -> Placed {
    let (producers, users) = (graph.producers(), graph.users());
    let mut out = Placed::default();
    // Outer concats first, so that an inner one's parts go straight to the outer one's buffer.
    for (number, node) in graph.nodes.iter().enumerate().rev() {
        let Op::Concat(concat) = &node.op else {
            continue;
        };
        let whole = node.outputs[0];
        let axis = concat.axis as usize;
        if !can_be_placed(graph, &producers, &node.inputs, layouts, &out) {
            continue;
        }
        let outer = out.placements.iter().find(|p| p.part == whole).cloned();
        let (root, mut offset) = match outer {
            Some(p) => (p.whole, p.offset),
            None => (whole, vec![0; graph.ty(whole).rank()]),
        };
        let mut parts = Vec::new();
        for &part in &node.inputs {
            parts.push(Placement {
                part,
                whole: root,
                offset: offset.clone(),
            });
            offset[axis] += graph.ty(part).shape[axis];
        }
        if !parts.iter().all(|part| can_be_read(graph, &users, part)) {
            continue;
        }
        out.placements.extend(parts);
        let node = NodeId(number as u32);
        out.views.push(View {
            node,
            value: whole,
            of: None,
        });
    }
    out.placements.sort_unstable();
    out
}

fn can_be_placed(
    graph: &Graph,
    producers: &[Option<NodeId>],
    parts: &[ValueId],
    layouts: &Layouts,
    placed: &Placed,
) -> bool {
    let distinct: BTreeSet<_> = parts.iter().collect();
    if distinct.len() != parts.len() {
        return false;
    }
    let is_view = |node: NodeId| layouts.views.iter().any(|v| v.node == node);
    let is_viewed = |value: ValueId| layouts.views.iter().any(|v| v.of == Some(value));
    parts.iter().all(|&part| {
        let made = producers[part.0 as usize].is_some_and(|n| !is_view(n));
        let output = graph.outputs.iter().any(|o| o.1 == part);
        let taken = placed.placements.iter().any(|p| p.part == part);
        made && !output && !taken && !is_viewed(part)
    })
}

/// Whether each operator that reads the part can read it from its place: padding would reach the
/// neighbours.
fn can_be_read(graph: &Graph, users: &[Vec<NodeId>], part: &Placement) -> bool {
    let forms = |node: NodeId, storage: &dyn Storage| {
        let outputs = &graph.nodes[node.0 as usize].outputs;
        form::form(graph, &[node], outputs, storage).is_ok()
    };
    let place = InPlace { graph, part };
    let readers = users[part.part.0 as usize].iter();
    readers
        .copied()
        .all(|n| forms(n, &place) || !forms(n, &RowMajor))
}

/// One part in its place, everything else by itself.
struct InPlace<'a> {
    graph: &'a Graph,
    part: &'a Placement,
}

impl Storage for InPlace<'_> {
    fn layout(&self, _: ValueId) -> Option<Layout> {
        None
    }

    fn placement(&self, value: ValueId) -> Option<form::Placement> {
        (value == self.part.part).then(|| form::Placement {
            whole_type: self.graph.ty(self.part.whole).clone(),
            offset: self.part.offset.clone(),
        })
    }
}
