//! Rewrite rules, one file per topic.
//!
//! A rule looks at one term of a class and gives expressions that compute the same value. It is
//! directional; there is no general associativity or distributivity. Every rule has a name, a
//! numerics class, and an example generator with which a test checks it against the reference.
//!
//! Adding a rule: a function and an entry of `RULES` in the file of its topic. Nothing else; the test
//! runs by itself.

mod activation;
mod batch_norm;
mod bias;
mod identity;
mod pattern;
mod transpose;

use egg::Id;
use sinter_loops::tensor::Tensor;
use sinter_ops::{Graph, Op};

use crate::egraph::{Term, Values, best, import, to_graph};
use crate::options::Numerics;
use crate::origins::{Replaced, add_replacement};

pub use pattern::Example;
pub(crate) use pattern::View;

/// What a rule gives.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// The value of a class.
    Class(Id),
    /// A constant.
    Constant(Tensor),
    /// An operator on operands.
    Op(Op, Vec<Expr>),
}

impl Expr {
    /// An operator on operands.
    pub(crate) fn op(op: impl Into<Op>, operands: Vec<Expr>) -> Self {
        Self::Op(op.into(), operands)
    }
}

/// A rewrite rule.
#[derive(Clone, Copy)]
pub(crate) struct Rule {
    /// Name, kebab-case.
    pub(crate) name: &'static str,
    /// How results may differ.
    pub(crate) numerics: Numerics,
    /// Applied before operators are counted, and everywhere: the left side is never wanted again.
    pub(crate) one_way: bool,
    /// Expressions equal to a term.
    pub(crate) find: fn(&View<'_>, &Term) -> Vec<Expr>,
    /// A graph with one output on which the rule applies to the output's class.
    pub(crate) example: fn(&mut Example),
}

/// All rules, by topic.
pub(crate) fn all() -> Vec<Rule> {
    [
        identity::RULES,
        batch_norm::RULES,
        bias::RULES,
        transpose::RULES,
        activation::RULES,
    ]
    .concat()
}

/// Name, numerics class and direction (whether one-way) of every rule.
pub fn catalogue() -> Vec<(&'static str, Numerics, bool)> {
    all()
        .into_iter()
        .map(|r| (r.name, r.numerics, r.one_way))
        .collect()
}

/// A random graph of one output on which the rule applies, for checking it.
pub fn example(name: &str, seed: u64) -> Option<Graph> {
    let rule = all().into_iter().find(|r| r.name == name)?;
    let mut example = Example::new(seed);
    (rule.example)(&mut example);
    Some(example.graph)
}

/// The graph whose first output is computed by what the rule, applied once, gives instead; `None`
/// when the rule does not apply there.
pub fn apply(name: &str, graph: &Graph) -> Option<Graph> {
    let rule = all().into_iter().find(|r| r.name == name)?;
    let mut imported = import(graph);
    let root = imported.classes[&graph.outputs.first()?.1];
    let before: Vec<Term> = imported.egraph[root].nodes.clone();
    let found: Vec<_> = before
        .iter()
        .flat_map(|term| (rule.find)(&View::new(&imported.egraph), term))
        .collect();
    for expr in found {
        let id = add_replacement(&mut imported.egraph, &expr, &Replaced::default());
        imported.egraph.union(root, id);
    }
    imported.egraph.rebuild();
    let canonical = |egraph: &Values, term: &Term| {
        let mut term = term.clone();
        egg::Language::update_children(&mut term, |c| egraph.find(c));
        term
    };
    let egraph = &imported.egraph;
    let old: Vec<_> = before.iter().map(|t| canonical(egraph, t)).collect();
    let root = egraph.find(root);
    let others = |id: Id, term: &Term| id != root || !old.contains(&canonical(egraph, term));
    let best = best(egraph, &others);
    best.get(&root)?;
    to_graph(&imported, &best, graph).ok()
}

/// The table of rules as Markdown, for the documentation.
pub fn rule_table() -> String {
    let mut out = String::from("| rule | numerics | one-way |\n|---|---|---|\n");
    for (name, numerics, one_way) in catalogue() {
        let one_way = if one_way { "yes" } else { "no" };
        out.push_str(&format!("| `{name}` | {numerics} | {one_way} |\n"));
    }
    out
}
