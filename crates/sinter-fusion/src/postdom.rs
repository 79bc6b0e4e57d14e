//! Grouping by post-dominators, as TVM does: an operator joins the operator through which everything
//! that it computes has to pass, with all operators in between, where that is one legal kernel of at
//! most one matrix product or convolution and no dearer than its parts.

use sinter_ops::Operator;

use crate::clusters::Clusters;
use crate::evaluate::Evaluator;
use crate::space::{Place, Space};

/// Merges along immediate post-dominators, in topological order.
pub(crate) fn run(
    mut clusters: Clusters,
    space: &Space,
    evaluator: &mut Evaluator<'_>,
) -> Clusters {
    let dominators = post_dominators(space);
    for node in 0..space.len() as Place {
        let Some(dominator) = dominators[node as usize] else {
            continue;
        };
        let mut group: Vec<usize> = (node..=dominator)
            .filter(|&n| {
                let after = n == node || space.depends(n, node);
                after && (n == dominator || space.depends(dominator, n))
            })
            .map(|n| clusters.of[n as usize])
            .collect();
        group.sort_unstable();
        group.dedup();
        if group.len() > 1
            && anchors(&clusters.union(&group), space, evaluator) <= 1
            && clusters.gain(&group, space, evaluator).is_some()
            && !clusters.closes_circle(&group, space)
        {
            clusters.merge(&group, space, evaluator);
        }
    }
    clusters
}

/// Matrix products and convolutions among operators.
pub(crate) fn anchors(nodes: &[Place], space: &Space, evaluator: &Evaluator<'_>) -> usize {
    let ids = space.ids(nodes);
    let ops = ids
        .iter()
        .map(|id| &evaluator.graph.nodes[id.0 as usize].op);
    ops.filter(|op| op.traits().contraction).count()
}

/// The operator through which all uses of each operator lead, the nearest; none where there are
/// several ends.
fn post_dominators(space: &Space) -> Vec<Option<Place>> {
    let count = space.len();
    let mut out: Vec<Option<Place>> = vec![None; count];
    for node in (0..count).rev() {
        if space.required[node] {
            continue;
        }
        let mut users = space.users[node].iter().copied();
        let mut meet = users.next();
        for user in users {
            meet = common(meet, Some(user), &out);
        }
        out[node] = meet;
    }
    out
}

/// The nearest common operator of two ways down the tree of post-dominators.
fn common(mut a: Option<Place>, mut b: Option<Place>, tree: &[Option<Place>]) -> Option<Place> {
    while let (Some(x), Some(y)) = (a, b) {
        match x.cmp(&y) {
            std::cmp::Ordering::Equal => return a,
            std::cmp::Ordering::Less => a = tree[x as usize],
            std::cmp::Ordering::Greater => b = tree[y as usize],
        }
    }
    None
}
