//! Values that are never worth storing, settled before the search: an operand whose only user is a
//! pointwise operator of the same size is computed in the user's kernel. The search then counts
//! units instead of operators.

use sinter_ops::Operator;

use crate::clusters::Clusters;
use crate::evaluate::Evaluator;
use crate::space::{Place, Space};

/// Merges every pointwise operator into the kernel of the latest producer that it alone uses, where
/// the kernel is legal and no dearer than both apart.
pub(crate) fn run(mut units: Clusters, space: &Space, evaluator: &mut Evaluator<'_>) -> Clusters {
    for user in 0..space.len() as Place {
        let graph = evaluator.graph;
        let node = |p: Place| &graph.nodes[space.nodes[p as usize].0 as usize];
        if !node(user).op.traits().elementwise {
            continue;
        }
        let shape = &graph.ty(node(user).outputs[0]).shape;
        let same_size = |producer: Place| {
            let outputs = &node(producer).outputs;
            outputs.len() == 1 && graph.ty(outputs[0]).shape == *shape
        };
        let alone = |p: Place| space.users[p as usize] == [user] && !space.required[p as usize];
        let producers = space.needs[user as usize].iter().rev().copied();
        let Some(producer) = producers.into_iter().find(|&p| alone(p) && same_size(p)) else {
            continue;
        };
        let pair = [units.of[producer as usize], units.of[user as usize]];
        if pair[0] != pair[1]
            && units.gain(&pair, space, evaluator).is_some()
            && !units.closes_circle(&pair, space)
        {
            units.merge(&pair, space, evaluator);
        }
    }
    units
}
