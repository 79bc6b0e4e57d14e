//! Rewrite rules, one file per topic.
//!
//! A rule looks at one term of a class and gives expressions that compute the same value. It is
//! directional; there is no general associativity or distributivity. Every rule has a name, its law,
//! a numerics class, and an example generator with which a test checks it against the reference.
//!
//! Adding a rule: a function and an entry of `RULES` in the file of its topic. Nothing else; the test
//! runs by itself. Rules in text ([`TextRule`]) are checked in the same way when they are read.
//! Rules of other crates are the same data: [`register`](crate::extend::register).

mod activation;
mod batch_norm;
mod bias;
mod columns;
mod convolution;
mod halves;
mod identity;
mod matmul;
mod normalisation;
mod pattern;
mod short_products;
mod slice;
pub mod text;
mod transpose;
mod upsampling;

use std::sync::Arc;

use sinter_loops::tensor::Tensor;
use sinter_ops::{Graph, Op};

use crate::egraph::{Values, best, import, to_graph};
use crate::extend;
use crate::options::Numerics;
use crate::origins::{Replaced, add_replacement};

pub use crate::egraph::Term;
pub use egg::Id;
pub use pattern::{Example, View, binary, binary_of, sides, unary};
pub use text::{TextRule, load_rules, parse_rules};

/// What a rule gives.
#[derive(Clone, Debug)]
pub enum Expr {
    /// The value of a class.
    Class(Id),
    /// A constant.
    Constant(Tensor),
    /// An operator on operands.
    Op(Op, Vec<Expr>),
}

impl Expr {
    /// An operator on operands.
    pub fn op(op: impl Into<Op>, operands: Vec<Expr>) -> Self {
        Self::Op(op.into(), operands)
    }
}

/// A rewrite rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Name, kebab-case.
    pub name: &'static str,
    /// What it says, as an equation read from left to right.
    pub law: &'static str,
    /// How results may differ.
    pub numerics: Numerics,
    /// Applied before operators are counted, and everywhere: the left side is never wanted again.
    pub one_way: bool,
    /// Expressions equal to a term.
    pub find: fn(&View<'_>, &Term) -> Vec<Expr>,
    /// A graph with one output on which the rule applies to the output's class.
    pub example: fn(&mut Example),
}

/// Rules of one topic, and the topic's name.
type Topic = (&'static str, &'static [Rule]);

/// Rules by topic.
const TOPICS: &[Topic] = &[
    ("identity", identity::RULES),
    ("batch-norm", batch_norm::RULES),
    ("bias", bias::RULES),
    ("columns", columns::RULES),
    ("convolution", convolution::RULES),
    ("upsampling", upsampling::RULES),
    ("short-products", short_products::RULES),
    ("halves", halves::RULES),
    ("transpose", transpose::RULES),
    ("activation", activation::RULES),
    ("matmul", matmul::RULES),
    ("normalisation", normalisation::RULES),
    ("slice", slice::RULES),
];

/// The topic of rules in text.
const TEXT_TOPIC: &str = "text";

/// The topic of rules of other crates.
const OUTSIDE_TOPIC: &str = "outside";

/// The rules of this crate, by topic.
pub(crate) fn built_in() -> impl Iterator<Item = &'static Rule> {
    TOPICS.iter().flat_map(|t| t.1)
}

fn find_rule(name: &str) -> Option<Rule> {
    let mut all = built_in().copied().chain(extend::rules());
    all.find(|r| r.name == name)
}

/// A rule as it is applied, whether written in Rust or in text.
#[derive(Clone)]
pub(crate) struct Rewriter {
    pub(crate) name: String,
    pub(crate) topic: &'static str,
    pub(crate) numerics: Numerics,
    pub(crate) one_way: bool,
    find: Find,
}

#[derive(Clone)]
enum Find {
    Code(fn(&View<'_>, &Term) -> Vec<Expr>),
    Text(Arc<TextRule>),
}

impl Rewriter {
    fn of(topic: &'static str, rule: &Rule) -> Self {
        Self {
            name: rule.name.to_owned(),
            topic,
            numerics: rule.numerics,
            one_way: rule.one_way,
            find: Find::Code(rule.find),
        }
    }

    /// Expressions equal to a term. Laws that hold but for rounding are of real numbers: integers wrap and
    /// truncate. Laws in text are tried on integers when they are read.
    pub(crate) fn find(&self, view: &View<'_>, term: &Term) -> Vec<Expr> {
        match &self.find {
            Find::Code(_) if self.numerics > Numerics::Exact && view.is_integer(term) => vec![],
            Find::Code(find) => find(view, term),
            Find::Text(rule) => rule.find(view, term),
        }
    }

    /// What controls see of it.
    pub(crate) fn facts(&self) -> crate::control::RuleFacts<'_> {
        crate::control::RuleFacts {
            name: &self.name,
            topic: self.topic,
            numerics: self.numerics,
        }
    }
}

/// All rules by topic, then those of other crates, then those in text.
pub(crate) fn all(text: &[TextRule]) -> Vec<Rewriter> {
    let own = TOPICS
        .iter()
        .flat_map(|(topic, rules)| rules.iter().map(|r| Rewriter::of(topic, r)));
    let text = text.iter().map(|rule| Rewriter {
        name: rule.name().to_owned(),
        topic: TEXT_TOPIC,
        numerics: rule.numerics(),
        one_way: false,
        find: Find::Text(Arc::new(rule.clone())),
    });
    let outside = extend::rules();
    let outside = outside.iter().map(|r| Rewriter::of(OUTSIDE_TOPIC, r));
    own.chain(outside).chain(text).collect()
}

/// A rule as the documentation shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// Name.
    pub name: &'static str,
    /// Topic.
    pub topic: &'static str,
    /// What it says, as an equation read from left to right.
    pub law: &'static str,
    /// How results may differ.
    pub numerics: Numerics,
    /// Whether it runs before operators are counted.
    pub one_way: bool,
}

/// Every rule, by topic, then those of other crates.
pub fn catalogue() -> Vec<RuleInfo> {
    let info = |topic: &'static str, rule: &Rule| RuleInfo {
        name: rule.name,
        topic,
        law: rule.law,
        numerics: rule.numerics,
        one_way: rule.one_way,
    };
    let own = TOPICS
        .iter()
        .flat_map(|(topic, rules)| rules.iter().map(|r| info(topic, r)));
    let outside = extend::rules();
    own.chain(outside.iter().map(|r| info(OUTSIDE_TOPIC, r)))
        .collect()
}

/// A random graph of one output on which the rule applies, for checking it.
pub fn example(name: &str, seed: u64) -> Option<Graph> {
    let rule = find_rule(name)?;
    let mut example = Example::new(seed);
    (rule.example)(&mut example);
    Some(example.graph)
}

/// The graph whose first output is computed by what the rule, applied once, gives instead; `None`
/// when the rule does not apply there.
pub fn apply(name: &str, graph: &Graph) -> Option<Graph> {
    let rule = find_rule(name)?;
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

/// The tables of rules as Markdown, one per topic, for the documentation.
pub fn rule_table() -> String {
    let mut out = String::new();
    let mut topic = "";
    for rule in catalogue() {
        if rule.topic != topic {
            topic = rule.topic;
            out.push_str(&format!("\n### {topic}\n\n"));
            out.push_str("| rule | law | numerics | one-way |\n|---|---|---|---|\n");
        }
        let one_way = if rule.one_way { "yes" } else { "no" };
        out.push_str(&format!(
            "| `{}` | `{}` | {} | {one_way} |\n",
            rule.name, rule.law, rule.numerics
        ));
    }
    out
}
