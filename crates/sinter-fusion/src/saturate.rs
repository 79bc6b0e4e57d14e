//! Equality saturation with the registered rules, within deterministic limits, and back to a graph.

use std::time::Duration;

use egg::{
    Applier, Id, PatternAst, Rewrite, Runner, SearchMatches, Searcher, StopReason, Subst, Symbol,
    Var,
};
use sinter_ops::Graph;

use crate::egraph::{Facts, Imported, Term, Values, best, import, to_graph};
use crate::error::FusionError;
use crate::options::Options;
use crate::origins::{Replaced, add_replacement};
use crate::rules::{self, Expr, Rule, View};

/// A rewritten graph, and what became of the e-graph.
#[derive(Clone, Debug)]
pub(crate) struct Rewritten {
    pub(crate) graph: Graph,
    pub(crate) iterations: usize,
    pub(crate) nodes: usize,
    pub(crate) classes: usize,
    pub(crate) stop: String,
}

/// The cheapest graph that the rules find; only one-way rules where `one_way_only`.
///
/// # Errors
/// When a disabled rule does not exist, or a rule made an operator that does not take its operands.
pub(crate) fn rewrite(
    graph: &Graph,
    options: &Options,
    one_way_only: bool,
) -> Result<Rewritten, FusionError> {
    let (imported, run) = saturated(graph, options, one_way_only)?;
    let chosen = best(&imported.egraph, &|_, _| true);
    let graph = to_graph(&imported, &chosen, graph)?;
    Ok(Rewritten {
        graph,
        iterations: run.iterations,
        nodes: imported.egraph.total_number_of_nodes(),
        classes: imported.egraph.number_of_classes(),
        stop: run.stop,
    })
}

/// How saturation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) iterations: usize,
    pub(crate) stop: String,
}

/// The e-graph after saturation.
///
/// # Errors
/// When a disabled rule does not exist.
pub(crate) fn saturated(
    graph: &Graph,
    options: &Options,
    one_way_only: bool,
) -> Result<(Imported, Run), FusionError> {
    let rewrites = rewrites(options, one_way_only)?;
    let mut imported = import(graph);
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
    let run = Run {
        iterations: runner.iterations.len(),
        stop: stop.to_owned(),
    };
    imported.egraph = runner.egraph;
    Ok((imported, run))
}

/// The wanted rules.
fn rewrites(
    options: &Options,
    one_way_only: bool,
) -> Result<Vec<Rewrite<Term, Facts>>, FusionError> {
    let all = rules::all();
    for name in &options.disabled_rules {
        if all.iter().all(|r| r.name != name) {
            return Err(FusionError::UnknownRule(name.clone()));
        }
    }
    let wanted = |rule: &Rule| {
        rule.numerics <= options.numerics
            && (rule.one_way || !one_way_only)
            && !options.disabled_rules.iter().any(|d| d == rule.name)
    };
    all.into_iter()
        .filter(wanted)
        .map(|rule| Rewrite::new(rule.name, Dynamic(rule), Dynamic(rule)))
        .collect::<Result<_, _>>()
        .map_err(FusionError::UnknownRule)
}

/// A rule as egg's searcher and applier.
#[derive(Clone, Copy)]
struct Dynamic(Rule);

impl Dynamic {
    fn found(&self, egraph: &Values, class: Id) -> Vec<(Term, Expr)> {
        if egraph[class].data.constant.is_some() {
            return vec![];
        }
        let view = View::new(egraph);
        let terms = egraph[class].nodes.iter();
        terms
            .flat_map(|t| (self.0.find)(&view, t).into_iter().map(|e| (t.clone(), e)))
            .collect()
    }
}

impl Searcher<Term, Facts> for Dynamic {
    fn search_eclass_with_limit(
        &self,
        egraph: &Values,
        eclass: Id,
        _: usize,
    ) -> Option<SearchMatches<'_, Term>> {
        (!self.found(egraph, eclass).is_empty()).then(|| SearchMatches {
            eclass,
            substs: vec![Subst::with_capacity(0)],
            ast: None,
        })
    }

    fn vars(&self) -> Vec<Var> {
        vec![]
    }
}

impl Applier<Term, Facts> for Dynamic {
    fn apply_one(
        &self,
        egraph: &mut Values,
        eclass: Id,
        _: &Subst,
        _: Option<&PatternAst<Term>>,
        _: Symbol,
    ) -> Vec<Id> {
        let mut changed = Vec::new();
        for (term, expr) in self.found(egraph, eclass) {
            let replaced = Replaced::between(egraph, eclass, &term, &expr);
            let id = add_replacement(egraph, &expr, &replaced);
            if egraph.union(eclass, id) {
                changed.push(eclass);
            }
        }
        changed
    }
}
