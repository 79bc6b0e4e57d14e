//! Equality saturation with the registered rules, within deterministic limits, and back to a graph.

use std::collections::BTreeSet;
use std::time::Duration;

use egg::{
    Applier, Id, Language, PatternAst, Rewrite, Runner, SearchMatches, Searcher, StopReason, Subst,
    Symbol, Var,
};
use sinter_ops::Graph;

use crate::egraph::{Facts, Imported, Term, Values, best, import, to_graph};
use crate::error::FusionError;
use crate::options::Options;
use crate::rules::{self, Expr, Rule, View};

/// How far inner classes that a rewrite replaces are looked for, from its root.
const ABSORBED_DEPTH: usize = 4;

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

/// Adds an expression and returns its class.
pub(crate) fn add_expr(egraph: &mut Values, expr: &Expr) -> Id {
    match expr {
        Expr::Class(id) => *id,
        Expr::Constant(tensor) => {
            let number = egraph.analysis.constants.intern(tensor.clone());
            egraph.add(Term::Constant(number))
        }
        Expr::Op(op, operands) => {
            let operands = operands.iter().map(|o| add_expr(egraph, o)).collect();
            egraph.add(Term::Apply(op.clone(), operands))
        }
    }
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
            let absorbed = absorbed_origins(egraph, &term, &expr);
            let id = add_expr(egraph, &expr);
            // A new operator stems from all the nodes that it replaces.
            if matches!(expr, Expr::Op(..)) {
                let root = egraph.find(eclass);
                egraph[root].data.origins.extend(absorbed);
            }
            if egraph.union(eclass, id) {
                changed.push(eclass);
            }
        }
        changed
    }
}

/// Origins of the classes between a term and the leaves of what replaces it.
fn absorbed_origins(egraph: &Values, term: &Term, expr: &Expr) -> BTreeSet<u32> {
    let mut leaves = BTreeSet::new();
    collect_leaves(egraph, expr, &mut leaves);
    let mut origins = BTreeSet::new();
    let mut seen = leaves;
    let mut level: Vec<Id> = term.children().to_vec();
    for _ in 0..ABSORBED_DEPTH {
        let mut next = Vec::new();
        for id in level {
            let id = egraph.find(id);
            if egraph[id].data.constant.is_some() || !seen.insert(id) {
                continue;
            }
            origins.extend(&egraph[id].data.origins);
            next.extend(egraph[id].nodes.iter().flat_map(|n| n.children().to_vec()));
        }
        level = next;
    }
    origins
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
