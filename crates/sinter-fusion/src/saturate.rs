//! Equality saturation with the registered rules, within deterministic limits, and back to a graph.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use egg::{
    Applier, Id, PatternAst, Rewrite, Runner, SearchMatches, Searcher, StopReason, Subst, Symbol,
    Var,
};
use sinter_device::Device;
use sinter_ops::{Graph, Node, Op};

use crate::control::Scope;
use crate::egraph::{Facts, Imported, Term, Values, best, import, imported, to_graph};
use crate::error::FusionError;
use crate::options::Options;
use crate::origins::{Replaced, add_replacement};
use crate::priced_terms::PricedTerms;
use crate::rules::{self, Expr, Rewriter, View};
use crate::statistics::{Counter, Iteration, Saturation};

/// A rewritten graph, and what became of the e-graph.
#[derive(Clone, Debug)]
pub(crate) struct Rewritten {
    pub(crate) graph: Graph,
    /// The same without short products, where there are some.
    pub(crate) direct: Option<Graph>,
    pub(crate) nodes: usize,
    pub(crate) classes: usize,
    pub(crate) run: Saturation,
}

/// The cheapest graph that the rules find; only one-way rules where `one_way_only`. Short products stand
/// where they pay on the device, if there is one.
///
/// # Errors
/// When a rule is named that does not exist, or a rule made an operator that does not take its operands.
pub(crate) fn rewrite(
    graph: &Graph,
    options: &Options,
    device: Option<&Device>,
    one_way_only: bool,
) -> Result<Rewritten, FusionError> {
    let _span = tracing::debug_span!("rewrite", one_way_only).entered();
    let (imported, run) = saturated(graph, options, one_way_only)?;
    let egraph = &imported.egraph;
    let chosen_on = |device: Option<&Device>| {
        let priced = PricedTerms::on(device, options);
        let chosen = best(egraph, &|class, term| priced.allow(egraph, class, term));
        to_graph(&imported, &chosen, graph)
    };
    let rewritten = chosen_on(device)?;
    let is_short = |n: &Node| matches!(n.op, Op::WinogradConv(_));
    let direct = match rewritten.nodes.iter().any(is_short) {
        true => Some(chosen_on(None)?),
        false => None,
    };
    Ok(Rewritten {
        graph: rewritten,
        direct,
        nodes: imported.egraph.total_number_of_nodes(),
        classes: imported.egraph.number_of_classes(),
        run,
    })
}

/// The e-graph after saturation.
///
/// # Errors
/// When a rule is named that does not exist.
pub(crate) fn saturated(
    graph: &Graph,
    options: &Options,
    one_way_only: bool,
) -> Result<(Imported, Saturation), FusionError> {
    run(import(graph), options, one_way_only)
}

/// The e-graph after saturation, which can say why two terms are equal.
///
/// # Errors
/// As [`saturated`].
pub(crate) fn explained(
    graph: &Graph,
    options: &Options,
    one_way_only: bool,
) -> Result<Imported, FusionError> {
    Ok(run(imported(graph, true), options, one_way_only)?.0)
}

fn run(
    mut imported: Imported,
    options: &Options,
    one_way_only: bool,
) -> Result<(Imported, Saturation), FusionError> {
    let rules = wanted(options, one_way_only, &imported.egraph.analysis.names)?;
    let rewrites: Result<Vec<_>, String> = rules
        .iter()
        .map(|r| Rewrite::new(r.rule.name.as_str(), r.clone(), r.clone()))
        .collect();
    let rewrites = rewrites.map_err(|cause| FusionError::Rewrite {
        origin: "the rules".to_owned(),
        cause,
    })?;
    let runner = Runner::<Term, Facts>::new(Facts::default())
        .with_egraph(std::mem::take(&mut imported.egraph))
        .with_iter_limit(options.limits.iterations)
        .with_node_limit(options.limits.nodes)
        .with_time_limit(Duration::MAX)
        .run(&rewrites);
    let stop = match runner.stop_reason {
        Some(StopReason::IterationLimit(_)) => "iterations",
        Some(StopReason::NodeLimit(_)) => "nodes",
        _ => "saturated",
    };
    let steps = runner.iterations.iter().map(|i| Iteration {
        nodes: i.egraph_nodes,
        classes: i.egraph_classes,
        applied: i.applied.values().sum(),
    });
    let run = Saturation {
        stage: if one_way_only {
            "folding"
        } else {
            "saturation"
        },
        stop,
        iterations: steps.collect(),
        rules: rules.iter().map(Tried::statistics).collect(),
    };
    imported.egraph = runner.egraph;
    Ok((imported, run))
}

/// The wanted rules, for a graph whose ONNX nodes and marks have these names.
fn wanted(
    options: &Options,
    one_way_only: bool,
    names: &[String],
) -> Result<Vec<Tried>, FusionError> {
    let all = rules::all(&options.text_rules);
    let facts: Vec<_> = all.iter().map(Rewriter::facts).collect();
    let scope = Scope::new(options, &facts, names)?;
    let mut out = Vec::new();
    for rule in &all {
        if (one_way_only && !rule.one_way) || !scope.allows(&rule.facts())? {
            continue;
        }
        out.push(Tried {
            exempt: Arc::new(scope.exempt(&rule.facts(), names)?),
            rule: Arc::new(rule.clone()),
            counter: Arc::default(),
        });
    }
    Ok(out)
}

/// A rule as egg's searcher and applier.
#[derive(Clone)]
struct Tried {
    rule: Arc<Rewriter>,
    /// Numbers of names to whose operators it is not applied.
    exempt: Arc<BTreeSet<u32>>,
    counter: Arc<Counter>,
}

impl Tried {
    fn statistics(&self) -> crate::statistics::RuleStatistics {
        self.counter.statistics(&self.rule.name, self.rule.topic)
    }

    fn found(&self, egraph: &Values, class: Id) -> Vec<(Term, Expr)> {
        if egraph[class].data.constant.is_some() {
            return vec![];
        }
        let view = View::new(egraph);
        let terms = egraph[class].nodes.iter();
        terms
            .flat_map(|t| self.rule.find(&view, t).into_iter().map(|e| (t.clone(), e)))
            .filter(|(term, expr)| self.may_replace(egraph, class, term, expr))
            .collect()
    }

    fn may_replace(&self, egraph: &Values, class: Id, term: &Term, expr: &Expr) -> bool {
        self.exempt.is_empty()
            || Replaced::between(egraph, class, term, expr)
                .origins()
                .is_disjoint(&self.exempt)
    }
}

impl Searcher<Term, Facts> for Tried {
    fn search_eclass_with_limit(
        &self,
        egraph: &Values,
        eclass: Id,
        _: usize,
    ) -> Option<SearchMatches<'_, Term>> {
        let start = Instant::now();
        let found = !self.found(egraph, eclass).is_empty();
        self.counter.searched(start, found);
        found.then(|| SearchMatches {
            eclass,
            substs: vec![Subst::with_capacity(0)],
            ast: None,
        })
    }

    fn vars(&self) -> Vec<Var> {
        vec![]
    }
}

impl Applier<Term, Facts> for Tried {
    fn apply_one(
        &self,
        egraph: &mut Values,
        eclass: Id,
        _: &Subst,
        _: Option<&PatternAst<Term>>,
        _: Symbol,
    ) -> Vec<Id> {
        let start = Instant::now();
        let mut changed = Vec::new();
        for (term, expr) in self.found(egraph, eclass) {
            let replaced = Replaced::between(egraph, eclass, &term, &expr);
            let id = add_replacement(egraph, &expr, &replaced);
            let merged = if egraph.are_explanations_enabled() {
                let (from, to) = (egraph.add_uncanonical(term), exact(egraph, &expr, id));
                egraph.union_trusted(from, to, self.rule.name.as_str())
            } else {
                egraph.union(eclass, id)
            };
            if merged {
                changed.push(eclass);
            }
        }
        self.counter.applied(start, changed.len());
        changed
    }
}

/// The term that an expression of class `class` is, rather than an equal one.
fn exact(egraph: &mut Values, expr: &Expr, class: Id) -> Id {
    match expr {
        Expr::Op(op, operands) => {
            let none = Replaced::default();
            let operands = operands
                .iter()
                .map(|o| add_replacement(egraph, o, &none))
                .collect();
            egraph.add_uncanonical(Term::Apply(op.clone(), operands))
        }
        Expr::Class(_) | Expr::Constant(_) => class,
    }
}
