//! How values lie in device memory: layouts and placements.

use std::collections::BTreeMap;

use sinter_loops::kernel::Layout;
use sinter_ops::form::{Placement as FormPlacement, Storage};
use sinter_ops::{Graph, ValueId};

use crate::fused::Placement;

/// Layouts and placements of a graph's values.
#[derive(Clone, Debug)]
pub struct Stored<'a> {
    graph: &'a Graph,
    layouts: &'a BTreeMap<ValueId, Layout>,
    placements: BTreeMap<ValueId, &'a Placement>,
}

impl<'a> Stored<'a> {
    /// A view of the decisions on a graph.
    pub fn new(
        graph: &'a Graph,
        layouts: &'a BTreeMap<ValueId, Layout>,
        placements: &'a [Placement],
    ) -> Self {
        let placements = placements.iter().map(|p| (p.part, p)).collect();
        Self {
            graph,
            layouts,
            placements,
        }
    }

    /// Where a value is stored that is a part of another.
    pub(crate) fn placed(&self, value: ValueId) -> Option<&'a Placement> {
        self.placements.get(&value).copied()
    }
}

impl Storage for Stored<'_> {
    fn layout(&self, value: ValueId) -> Option<Layout> {
        let stored = self.placements.get(&value).map_or(value, |p| p.whole);
        self.layouts.get(&stored).cloned()
    }

    fn placement(&self, value: ValueId) -> Option<FormPlacement> {
        let placement = self.placements.get(&value)?;
        Some(FormPlacement {
            whole_type: self.graph.ty(placement.whole).clone(),
            offset: placement.offset.clone(),
        })
    }
}
