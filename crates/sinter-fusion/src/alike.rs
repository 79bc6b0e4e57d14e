//! Branches of a program that could change places.
//!
//! A *branch* is an operator with everything that is computed from it. Branches are alike when they
//! hold the same operators on the same values from outside (constants of the same kind that nothing else
//! reads count as the same), connected alike and stored alike, and nothing else reads them: to exchange
//! two of them changes no price. So of all programs that differ in such exchanges, one is looked at: the kernel
//! that first computes something of such branches takes the first of those of which nothing is
//! computed yet. A value that many operators read in the same way then has as many kernels as there
//! are runs of branches, not sets.

use std::collections::{BTreeMap, BTreeSet};

use sinter_ops::ValueId;

use crate::evaluate::Evaluator;
use crate::space::{Place, Space};

/// Operators of one branch at most.
const MOST_OPERATORS: usize = 16;

/// What branches that are alike have in common: the key of their structure, the values that they read
/// from outside, and which results have to be in memory.
type Kind = (Vec<u32>, Vec<ValueId>, Vec<bool>);

/// Branches that are alike, in the order of their first operators.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alike {
    /// By operator, its branch.
    of: BTreeMap<Place, usize>,
    /// By branch, the kind.
    kind: Vec<usize>,
    /// By branch, the one of its kind before it.
    before: Vec<Option<usize>>,
    /// By branch, its operators.
    members: Vec<Vec<Place>>,
}

impl Alike {
    /// The branches of a program. There are none where the user or a registered check or price tells
    /// operators apart that are alike otherwise.
    pub(crate) fn new(space: &Space, evaluator: &mut Evaluator<'_>) -> Self {
        let mut out = Self::default();
        if !evaluator.treats_alike() {
            return out;
        }
        let mut kinds: BTreeMap<Kind, Vec<Vec<Place>>> = BTreeMap::new();
        let mut inside = BTreeSet::new();
        for head in 0..space.len() as Place {
            if inside.contains(&head) {
                continue;
            }
            let Some(branch) = branch(head, space) else {
                continue;
            };
            let kind = kind(&branch, space, evaluator);
            let known = kinds.entry(kind).or_default();
            known.push(branch);
            // Branches within a branch that has its like change places with it.
            if known.len() > 1 {
                inside.extend(known.iter().flatten().copied());
            }
        }
        // A branch's operators come after its head: the outer branches first.
        let mut kinds: Vec<_> = kinds.into_values().filter(|b| b.len() > 1).collect();
        kinds.sort_unstable();
        for (number, branches) in kinds.into_iter().enumerate() {
            let free = |b: &Vec<Place>| b.iter().all(|n| !out.of.contains_key(n));
            let branches: Vec<_> = branches.into_iter().filter(free).collect();
            let mut before = None;
            for branch in branches {
                let this = out.members.len();
                out.of.extend(branch.iter().map(|&n| (n, this)));
                out.members.push(branch);
                out.kind.push(number);
                out.before.push(before);
                before = Some(this);
            }
        }
        out
    }

    /// Branches that sorted operators have a part in.
    fn touched(&self, nodes: &[Place]) -> BTreeSet<usize> {
        let branches = nodes.iter().filter_map(|n| self.of.get(n));
        branches.copied().collect()
    }

    /// Whether operators have a part in successive branches of each kind only.
    pub(crate) fn are_runs(&self, nodes: &[Place]) -> bool {
        let touched = self.touched(nodes);
        let mut begun = BTreeSet::new();
        touched.iter().all(|&branch| {
            let goes_on = self.before[branch].is_some_and(|b| touched.contains(&b));
            goes_on || begun.insert(self.kind[branch])
        })
    }

    /// For operators that a kernel computes, the branches of which something has to be computed before,
    /// each as its operators.
    pub(crate) fn earlier(&self, nodes: &[Place]) -> Vec<&[Place]> {
        let touched = self.touched(nodes);
        let before = touched.iter().filter_map(|&branch| self.before[branch]);
        before
            .filter(|b| !touched.contains(b))
            .map(|b| self.members[b].as_slice())
            .collect()
    }
}

/// An operator and all that is computed from it, sorted; `None` when that is much.
fn branch(head: Place, space: &Space) -> Option<Vec<Place>> {
    let mut found = BTreeSet::from([head]);
    let mut open = vec![head];
    while let Some(node) = open.pop() {
        for &user in &space.users[node as usize] {
            if found.insert(user) {
                open.push(user);
            }
        }
        if found.len() > MOST_OPERATORS {
            return None;
        }
    }
    Some(found.into_iter().collect())
}

fn kind(branch: &[Place], space: &Space, evaluator: &mut Evaluator<'_>) -> Kind {
    // All results are asked for: each may be stored by some kernel.
    let mut results = space.values(branch);
    results.sort_unstable();
    let structure = evaluator.structure(&space.ids(branch), &results);
    let outside = structure.values[..structure.values.len() - results.len()].iter();
    let ids = space.ids(branch);
    let graph = evaluator.graph;
    let read_here = |v: &ValueId| {
        let readers = &evaluator.users()[v.0 as usize];
        readers.iter().all(|n| ids.binary_search(n).is_ok())
    };
    let read = outside.filter(|v| graph.as_constant(**v).is_none() || !read_here(v));
    let required = branch.iter().map(|n| space.required[*n as usize]);
    (structure.key, read.copied().collect(), required.collect())
}

#[cfg(test)]
mod tests {
    use sinter_device::Device;
    use sinter_loops::scalar::BinaryFn;
    use sinter_ops::Graph;
    use sinter_ops::ops::unary::UnaryKind;

    use super::*;
    use crate::options::Limits;
    use crate::partition::Flow;
    use crate::rules::Example;

    fn alike(graph: &Graph) -> Alike {
        let flow = Flow::new(graph, &[], &[]);
        let device = Device::named("host").unwrap();
        let (limits, layouts) = (Limits::default(), BTreeMap::new());
        let mut evaluator = Evaluator::new(graph, &device, &limits, &layouts, &[]);
        Alike::new(&Space::new(&flow, &evaluator), &mut evaluator)
    }

    /// `e = exp x`, and from `e` twice `tanh (e * constant)` and once `tanh e`, in turns.
    #[test]
    fn branches_alike_are_found_and_follow_each_other() {
        let mut e = Example::new(1);
        let x = e.input(&[8]);
        let shared = e.unary(UnaryKind::Exp, x);
        let scaled = |e: &mut Example| {
            let c = e.constant(&[8], 0.0, 1.0);
            let y = e.binary(BinaryFn::Mul, shared, c);
            let y = e.unary(UnaryKind::Tanh, y);
            e.output(y);
        };
        scaled(&mut e);
        let other = e.unary(UnaryKind::Tanh, shared);
        e.output(other);
        scaled(&mut e);
        scaled(&mut e);
        let alike = alike(&e.graph);
        assert_eq!(alike.members, [[1, 2], [4, 5], [6, 7]]);
        assert!(alike.are_runs(&[0, 3]) && alike.are_runs(&[1, 3, 4, 5]));
        assert!(!alike.are_runs(&[1, 6]));
        assert_eq!(alike.earlier(&[0, 4]), [&[1, 2]]);
        assert!(alike.earlier(&[0, 1, 2, 3]).is_empty());
    }

    /// Products and sums of `x` and one constant each share the loads of the constants.
    #[test]
    fn what_else_reads_a_constant_tells_branches_apart() {
        let mut e = Example::new(1);
        let x = e.input(&[8]);
        for _ in 0..3 {
            let c = e.constant(&[8], 0.0, 1.0);
            for kind in [BinaryFn::Mul, BinaryFn::Add] {
                let y = e.binary(kind, x, c);
                e.output(y);
            }
        }
        assert!(alike(&e.graph).members.is_empty());
    }
}
