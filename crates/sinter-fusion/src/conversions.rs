//! Where a program changes the order in which elements lie in memory, and how many bytes that concerns.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use sinter_loops::kernel::{Layout, PhysicalDim};
use sinter_ops::{Graph, Node, NodeId, Op, Operator, ValueId};

use crate::fused::Group;

/// Layout conversions of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Conversions {
    /// Kernels that do nothing else: they only move elements, and at least one result in another order.
    pub kernels: usize,
    /// Conversions by kernels that compute something too.
    pub merged: usize,
    /// Bytes of the converted values.
    pub bytes: u64,
}

impl Conversions {
    /// Those of some kernels. `layouts` are those of stored values, row-major where absent.
    pub(crate) fn of(graph: &Graph, layouts: &BTreeMap<ValueId, Layout>, groups: &[Group]) -> Self {
        let mut out = Self::default();
        for group in groups {
            let converted = Orders::new(graph, layouts).converted(group);
            if converted.is_empty() {
                continue;
            }
            let moves = |n: &NodeId| graph.nodes[n.0 as usize].op.traits().index_map;
            match group.nodes.iter().all(moves) {
                true => out.kernels += 1,
                false => out.merged += converted.len(),
            }
            let bytes = converted
                .iter()
                .map(|v| graph.ty(*v).bytes().unsigned_abs());
            out.bytes += bytes.sum::<u64>();
        }
        out
    }
}

/// Dimensions in the order in which they lie in memory, outermost first, those of one element left out.
type Order = Vec<PhysicalDim>;

/// The orders in which one kernel's values come.
struct Orders<'a> {
    graph: &'a Graph,
    layouts: &'a BTreeMap<ValueId, Layout>,
    /// Of values that the kernel computes; none where dimensions were joined or cut.
    inside: BTreeMap<ValueId, Option<Order>>,
}

impl<'a> Orders<'a> {
    fn new(graph: &'a Graph, layouts: &'a BTreeMap<ValueId, Layout>) -> Self {
        Self {
            graph,
            layouts,
            inside: BTreeMap::new(),
        }
    }

    /// Values that a kernel takes in another order than the operator's first operand, and results that it
    /// stores in another order than that in which they come.
    fn converted(mut self, group: &Group) -> BTreeSet<ValueId> {
        let mut out = BTreeSet::new();
        for id in &group.nodes {
            let node = &self.graph.nodes[id.0 as usize];
            let order = self.handed_on(node, &mut out);
            for &value in &node.outputs {
                let order = order.clone().and_then(|o| self.fitted(o, value));
                self.inside.insert(value, order);
            }
        }
        for &value in &group.outputs {
            let comes = self.inside.get(&value).cloned().flatten();
            if comes.is_some_and(|order| order != self.stored(value)) {
                out.insert(value);
            }
        }
        out
    }

    /// An order of the dimensions that a value has; none where one is missing.
    fn fitted(&self, mut order: Order, value: ValueId) -> Option<Order> {
        order.retain(|d| self.varies(value, d.logical()));
        let mut dims = 0..self.graph.ty(value).rank();
        let has = |d: usize| order.iter().any(|o| o.logical() == d);
        dims.all(|d| !self.varies(value, d) || has(d))
            .then_some(order)
    }

    /// The order in which an operator gives its results, after that of its first operand.
    fn handed_on(&self, node: &Node, converted: &mut BTreeSet<ValueId>) -> Option<Order> {
        let result = self.graph.ty(*node.outputs.first()?);
        let alike = |v: &&ValueId| {
            let ty = self.graph.ty(**v);
            self.graph.as_constant(**v).is_none() && ty.rank() == result.rank()
        };
        let mut operands = node.inputs.iter().filter(alike);
        let first = self.order(*operands.next()?)?;
        match &node.op {
            Op::Transpose(t) => {
                let to = |d: usize| t.perm.iter().position(|&p| p as usize == d);
                let moved = |d: PhysicalDim| Some(with_logical(d, to(d.logical())?));
                first.into_iter().map(moved).collect()
            }
            Op::Reshape(_) => None,
            op if op.traits().elementwise => {
                let shape = &self.graph.ty(node.inputs[0]).shape;
                let others = operands.filter(|v| self.graph.ty(**v).shape == *shape);
                let unlike = others.filter(|v| self.order(**v).is_some_and(|o| o != first));
                converted.extend(unlike);
                Some(first)
            }
            _ => Some(first),
        }
    }

    fn order(&self, value: ValueId) -> Option<Order> {
        match self.inside.get(&value) {
            Some(order) => order.clone(),
            None => Some(self.stored(value)),
        }
    }

    /// The order in which a value is stored.
    fn stored(&self, value: ValueId) -> Order {
        let row_major = || Layout::row_major(self.graph.ty(value).rank());
        let layout = self.layouts.get(&value).cloned().unwrap_or_else(row_major);
        let dims = layout.dims.into_iter();
        dims.filter(|d| self.varies(value, d.logical())).collect()
    }

    fn varies(&self, value: ValueId, dim: usize) -> bool {
        self.graph.ty(value).shape.get(dim).is_some_and(|&n| n > 1)
    }
}

fn with_logical(dim: PhysicalDim, logical: usize) -> PhysicalDim {
    match dim {
        PhysicalDim::Whole(_) => PhysicalDim::Whole(logical),
        PhysicalDim::Outer(_, block) => PhysicalDim::Outer(logical, block),
        PhysicalDim::Inner(_, block) => PhysicalDim::Inner(logical, block),
    }
}

#[cfg(test)]
mod tests {
    use sinter_device::{Device, HostCpu};
    use sinter_ops::ops::transpose::Transpose;
    use sinter_ops::ops::unary::UnaryKind;

    use super::*;
    use crate::rules::Example;
    use crate::{Options, Policy, fuse};

    /// A transpose of a 64 x 96 matrix between two functions.
    fn conversions(policy: Policy) -> Conversions {
        let mut e = Example::new(1);
        let x = e.input(&[64, 96]);
        let x = e.unary(UnaryKind::Exp, x);
        let x = e.apply(Transpose { perm: vec![1, 0] }, &[x]);
        let x = e.unary(UnaryKind::Tanh, x);
        e.output(x);
        let device = Device::named("host").unwrap().with_host_cpu(HostCpu::AVX2);
        let options = Options {
            policy,
            ..Options::default()
        };
        let fused = fuse(&e.graph, &device, &options).unwrap();
        fused.statistics.conversions
    }

    #[test]
    fn a_transpose_is_a_conversion_by_itself_or_within_a_kernel() {
        let bytes = 64 * 96 * 4;
        let merged = Conversions {
            kernels: 0,
            merged: 1,
            bytes,
        };
        assert_eq!(conversions(Policy::Egraph), merged);
        let unfused = conversions(Policy::None);
        assert_eq!(
            (unfused.kernels + unfused.merged, unfused.bytes),
            (1, bytes)
        );
    }
}
