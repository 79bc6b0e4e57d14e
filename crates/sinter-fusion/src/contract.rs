//! Values that are never worth storing, settled before the search: an operand whose only user is a
//! pointwise operator of the same size is computed in the user's kernel. The search then counts
//! super-nodes instead of operators.

use sinter_ops::{NodeId, Operator};

use crate::evaluate::Evaluator;
use crate::greedy;
use crate::partition::{Flow, Partition};

/// Merges every pointwise operator into the kernel of the latest producer that it alone uses, where
/// the kernel is legal and no dearer than both apart.
pub(crate) fn run(
    mut partition: Partition,
    flow: &Flow,
    evaluator: &mut Evaluator<'_>,
) -> Partition {
    for &user in &flow.nodes {
        let graph = evaluator.graph;
        let node = &graph.nodes[user.0 as usize];
        if !node.op.traits().elementwise {
            continue;
        }
        let shape = &graph.ty(node.outputs[0]).shape;
        let same_size = |producer: &NodeId| {
            let outputs = &graph.nodes[producer.0 as usize].outputs;
            outputs.len() == 1 && graph.ty(outputs[0]).shape == *shape
        };
        let producer = flow.needs[&user]
            .iter()
            .rev()
            .find(|&&p| flow.users(p) == [user] && !flow.is_stored(p) && same_size(&p));
        let Some(&producer) = producer else { continue };
        let (Some(a), Some(b)) = (partition.provider(producer), partition.provider(user)) else {
            continue;
        };
        if a == b || greedy::gain(a, b, &partition, flow, evaluator).is_none() {
            continue;
        }
        let mut merged = partition.clone();
        merged.merge(a, b);
        if merged.order(flow).is_some() {
            partition = merged;
        }
    }
    partition
}
