//! Which ONNX nodes an operator performs, kept exact through rewriting.
//!
//! The origins of a class are kept per operator: ways to compute one value need not perform the same
//! ONNX nodes. What a rewrite makes takes over the origins of what it replaces, operator by operator
//! of the same name; operators that are gone go to the root of the replacement. So a transpose that
//! moves past an addition stays a transpose, and no origin spreads to operators that only pass by.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use egg::{Id, Language};
use sinter_ops::{Graph, NodeId, Op, Operator, ValueId};

use crate::egraph::{Term, Values};
use crate::rules::Expr;

/// How far inner classes that a rewrite replaces are looked for, from its root.
const REPLACED_DEPTH: usize = 7;

/// ONNX nodes by number.
pub(crate) type Origins = BTreeSet<u32>;

/// The operators that a rewrite replaces, the root first, each with its origins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replaced(Vec<(&'static str, Origins)>);

impl Replaced {
    /// The operators between a term of a class and the leaves of the expression that replaces it.
    pub(crate) fn between(egraph: &Values, class: Id, term: &Term, expr: &Expr) -> Self {
        let mut leaves = BTreeSet::new();
        collect_leaves(egraph, expr, &mut leaves);
        let mut out = Self::default();
        let mut seen = leaves.clone();
        let mut level = vec![(class, term)];
        let mut distances = Distances {
            egraph,
            leaves: &leaves,
            known: HashMap::new(),
        };
        for depth in (0..REPLACED_DEPTH).rev() {
            let mut next = Vec::new();
            for (class, term) in level {
                out.push(egraph, class, term);
                for &child in term.children() {
                    let child = egraph.find(child);
                    if egraph[child].data.constant.is_none()
                        && seen.insert(child)
                        && let Some((_, inner)) = distances.nearest(child, depth)
                    {
                        next.push((child, inner));
                    }
                }
            }
            level = next;
        }
        out
    }

    fn push(&mut self, egraph: &Values, class: Id, term: &Term) {
        if let Term::Apply(op, _) | Term::Opaque(_, op, _) = term {
            let origins = egraph[class].data.origins.get(op);
            self.0
                .push((op.mnemonic(), origins.cloned().unwrap_or_default()));
        }
    }

    /// The origins of all of them.
    pub(crate) fn origins(&self) -> Origins {
        self.named(|_| true)
    }

    fn named(&self, wanted: impl Fn(&str) -> bool) -> Origins {
        let named = self.0.iter().filter(|(name, _)| wanted(name));
        named.flat_map(|(_, origins)| origins).copied().collect()
    }
}

/// How far classes are from the nearest of some leaves.
struct Distances<'a> {
    egraph: &'a Values,
    leaves: &'a BTreeSet<Id>,
    /// By class and depth.
    known: HashMap<(Id, usize), Option<usize>>,
}

impl<'a> Distances<'a> {
    /// The term of a class that is closest to one of the leaves, with its distance.
    fn nearest(&mut self, class: Id, depth: usize) -> Option<(usize, &'a Term)> {
        let depth = depth.checked_sub(1)?;
        let terms = self.egraph[class].nodes.iter();
        let found = terms.filter_map(|t| Some((self.of_term(t, depth)?, t)));
        found.min()
    }

    fn of_term(&mut self, term: &Term, depth: usize) -> Option<usize> {
        let egraph = self.egraph;
        let children = || term.children().iter().map(|&c| egraph.find(c));
        if children().any(|c| self.leaves.contains(&c)) {
            return Some(1);
        }
        let inner = children().filter_map(|c| self.of_class(c, depth));
        inner.min().map(|distance| distance + 1)
    }

    fn of_class(&mut self, class: Id, depth: usize) -> Option<usize> {
        if let Some(&known) = self.known.get(&(class, depth)) {
            return known;
        }
        let found = depth.checked_sub(1).and_then(|inner| {
            let terms = self.egraph[class].nodes.iter();
            terms.filter_map(|t| self.of_term(t, inner)).min()
        });
        self.known.insert((class, depth), found);
        found
    }
}

fn collect_leaves(egraph: &Values, expr: &Expr, out: &mut BTreeSet<Id>) {
    match expr {
        Expr::Class(id) => {
            out.insert(egraph.find(*id));
        }
        Expr::Constant(_) => {}
        Expr::Op(_, operands) => operands.iter().for_each(|o| collect_leaves(egraph, o, out)),
    }
}

/// Adds an expression that replaces operators, and returns its class.
pub(crate) fn add_replacement(egraph: &mut Values, expr: &Expr, replaced: &Replaced) -> Id {
    let mut kept = BTreeSet::new();
    collect_names(expr, &mut kept);
    add(egraph, expr, replaced, &kept, true)
}

fn collect_names(expr: &Expr, out: &mut BTreeSet<&'static str>) {
    if let Expr::Op(op, operands) = expr {
        out.insert(op.mnemonic());
        operands.iter().for_each(|o| collect_names(o, out));
    }
}

fn add(
    egraph: &mut Values,
    expr: &Expr,
    replaced: &Replaced,
    kept: &BTreeSet<&'static str>,
    root: bool,
) -> Id {
    let (op, operands) = match expr {
        Expr::Class(id) => return *id,
        Expr::Constant(tensor) => {
            let number = egraph.analysis.constants.intern(tensor.clone());
            return egraph.add(Term::Constant(number));
        }
        Expr::Op(op, operands) => (op, operands),
    };
    let operands = operands
        .iter()
        .map(|o| add(egraph, o, replaced, kept, false))
        .collect();
    let id = egraph.add(Term::Apply(op.clone(), operands));
    let known = egraph[id].data.origins.get(op);
    if known.is_none_or(Origins::is_empty) {
        let name = op.mnemonic();
        let mut origins = replaced.named(|n| n == name || (root && !kept.contains(n)));
        if origins.is_empty() {
            origins = replaced
                .0
                .first()
                .map_or_else(Origins::new, |r| r.1.clone());
        }
        egraph[id].data.origins.insert(op.clone(), origins);
    }
    id
}

/// Makes sure that every ONNX node of the original is performed by some node of its rewritten form:
/// one that no chosen operator took over (a cancelled transpose, say) goes to whatever computes its
/// value, or else to the first of its users that is computed.
pub(crate) fn complete(
    graph: &mut Graph,
    original: &Graph,
    value_of: impl Fn(ValueId) -> Option<ValueId>,
) {
    let performed: BTreeSet<String> = graph
        .nodes
        .iter()
        .flat_map(|n| n.origins.iter().cloned())
        .collect();
    let producers = graph.producers();
    let computed = |v: &ValueId| producers[value_of(*v)?.0 as usize];
    let users = original.users();
    let mut missing: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
    for node in &original.nodes {
        let lost = |name: &&String| !performed.contains(*name);
        let lost: Vec<_> = node.origins.iter().filter(lost).cloned().collect();
        if lost.is_empty() {
            continue;
        }
        let mut seen = BTreeSet::new();
        let mut level = node.outputs.clone();
        while !level.is_empty() {
            if let Some(home) = level.iter().find_map(computed) {
                missing.entry(home).or_default().extend(lost);
                break;
            }
            level = level
                .iter()
                .flat_map(|v| &users[v.0 as usize])
                .filter(|n| seen.insert(**n))
                .flat_map(|n| original.nodes[n.0 as usize].outputs.clone())
                .collect();
        }
    }
    for (node, names) in missing {
        let origins = &mut graph.nodes[node.0 as usize].origins;
        for name in names {
            if !origins.contains(&name) {
                origins.push(name);
            }
        }
    }
}

/// The origins of an operator of a class, by name.
pub(crate) fn names(egraph: &Values, class: Id, op: &Op) -> Vec<String> {
    let origins = egraph[class].data.origins.get(op);
    let origins = origins.into_iter().flatten();
    origins
        .map(|&n| egraph.analysis.names[n as usize].clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use sinter_loops::scalar::BinaryFn;
    use sinter_ops::ops::transpose::Transpose;
    use sinter_ops::ops::unary::UnaryKind;

    use crate::options::Options;
    use crate::rules::Example;
    use crate::saturate::rewrite;

    /// Every node gets its own name.
    fn named(mut graph: sinter_ops::Graph) -> sinter_ops::Graph {
        for (n, node) in graph.nodes.iter_mut().enumerate() {
            node.origins = vec![format!("n{n}")];
        }
        graph
    }

    #[test]
    fn origins_do_not_spread_along_a_chain_under_transposes() {
        let mut e = Example::new(3);
        let mut x = e.input(&[2, 3, 4]);
        let perm = vec![0, 2, 1];
        x = e.apply(Transpose { perm: perm.clone() }, &[x]);
        for n in 0..12 {
            let c = e.input(&[2, 4, 3]);
            x = e.binary([BinaryFn::Add, BinaryFn::Mul][n % 2], x, c);
            x = e.unary(UnaryKind::Tanh, x);
        }
        x = e.apply(Transpose { perm }, &[x]);
        e.output(x);
        let original = named(e.graph);
        let graph = rewrite(&original, &Options::default(), None, false)
            .unwrap()
            .graph;
        let mut all: Vec<_> = graph.nodes.iter().flat_map(|n| &n.origins).collect();
        let most = graph.nodes.iter().map(|n| n.origins.len()).max();
        assert!(most <= Some(3), "{:?}", graph.nodes);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), original.nodes.len());
    }

    #[test]
    fn a_pattern_that_becomes_one_operator_keeps_all_its_nodes() {
        let graph = named(crate::rules::example("silu-from-product", 1).unwrap());
        let before = graph.nodes.len();
        let after = rewrite(&graph, &Options::default(), None, false)
            .unwrap()
            .graph;
        assert_eq!(after.nodes.len(), 1);
        assert_eq!(after.nodes[0].origins.len(), before);
    }
}
