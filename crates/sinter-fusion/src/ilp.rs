//! The integer program of the candidates, solved by HiGHS with one thread and a limit on nodes.
//!
//! One binary `x_c` per candidate. Every operator is computed for good once (at most once where its
//! users may all compute it again): these coverage rows are what makes the relaxation tight. For every
//! operator and every value that it may load: the candidates that compute the operator and load the
//! value are no more than those that store the value. Kernels that wait for each other in a circle
//! are cut off when they turn up.
//!
//! What the solver returns is not trusted: prices are summed again in integers, and the program is
//! checked like every extraction's. It starts from the best heuristic, without presolve: the two
//! together have given wrong objectives.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use highs::{Col, HighsModelStatus, RowProblem, Sense};
use sinter_device::Time;

use crate::enumerate::Pool;
use crate::extraction::{Extraction, Grouping, Problem};
use crate::policies::{pool_with, started_pool};
use crate::search;
use crate::space::{Candidate, Place};

/// Nodes of one branch-and-bound tree.
const MOST_NODES: i32 = 20_000;
/// Rounds of cutting off circles.
const MOST_ROUNDS: usize = 64;
/// Relative difference up to which the solver's bound counts as the price.
const TOLERANCE: f64 = 1e-7;

/// The policy `ilp`.
pub(crate) struct Ilp;

impl Extraction for Ilp {
    fn extract(&self, problem: &mut Problem<'_, '_>) -> Grouping {
        let (mut pool, start, ceiling) = started_pool(problem);
        let known = pool_with(&mut pool, &start, problem);
        let mut program = Program::new(problem, &pool);
        let mut start = Grouping {
            lower_bound: None,
            pool: pool.candidates.len(),
            truncated: pool.truncated,
            ..start
        };
        for _ in 0..MOST_ROUNDS {
            let Some(answer) = program.solve(&known) else {
                break;
            };
            start.lower_bound = Some(Time(answer.bound).min(ceiling));
            match in_order(&answer.chosen, &pool) {
                Ok(order) => {
                    let time: u64 = order.iter().map(|&c| pool.candidates[c].time).sum();
                    if Time(time) <= ceiling {
                        let kernels = order.iter().map(|&c| &pool.candidates[c]);
                        start.kernels = kernels.map(|c| problem.chosen(c)).collect();
                    }
                    break;
                }
                Err(circle) => program.circles.push(circle),
            }
        }
        start
    }
}

/// Rows of the program.
struct Program<'a> {
    candidates: &'a [Candidate],
    /// Exactly one of these; at most one where the flag is unset.
    covers: Vec<(Vec<usize>, bool)>,
    /// No more of the first than of the second.
    loads: Vec<(Vec<usize>, Vec<usize>)>,
    /// Not all of these.
    circles: Vec<Vec<usize>>,
}

struct Answer {
    chosen: Vec<usize>,
    bound: u64,
}

impl<'a> Program<'a> {
    fn new(problem: &Problem<'_, '_>, pool: &'a Pool) -> Self {
        let candidates = &pool.candidates;
        let count = problem.space.len();
        let optional = search::optional(&problem.space, candidates);
        let mut homes = vec![Vec::new(); count];
        let mut stores = vec![Vec::new(); count];
        let mut loads: BTreeMap<(Place, Place), Vec<usize>> = BTreeMap::new();
        for (number, c) in candidates.iter().enumerate() {
            c.homed.iter().for_each(|n| homes[*n as usize].push(number));
            c.stored
                .iter()
                .for_each(|n| stores[*n as usize].push(number));
            let root = c.homed.last().copied().unwrap_or(0);
            for &leaf in &c.leaves {
                loads.entry((root, leaf)).or_default().push(number);
            }
        }
        let always_stored =
            |leaf: Place| !optional[leaf as usize] && stores[leaf as usize] == homes[leaf as usize];
        let loads = loads
            .into_iter()
            .filter(|((_, leaf), _)| !always_stored(*leaf))
            .map(|((_, leaf), list)| (list, stores[leaf as usize].clone()))
            .collect();
        let covers = homes.into_iter().zip(optional.iter().map(|o| !o)).collect();
        Self {
            candidates,
            covers,
            loads,
            circles: Vec::new(),
        }
    }

    /// The best choice that the solver finds, starting from a known one.
    fn solve(&self, known: &[usize]) -> Option<Answer> {
        let mut rows = RowProblem::default();
        let columns: Vec<Col> = self
            .candidates
            .iter()
            .map(|c| rows.add_integer_column(Time(c.time).ns(), 0..=1))
            .collect();
        let ones = |list: &[usize]| -> Vec<(Col, f64)> {
            list.iter().map(|&c| (columns[c], 1.0)).collect()
        };
        for (list, exactly) in &self.covers {
            match exactly {
                true => rows.add_row(1.0..=1.0, ones(list)),
                false => rows.add_row(..=1.0, ones(list)),
            }
        }
        for (readers, stores) in &self.loads {
            // A kernel that stores what another form of it loads stands on one side only.
            let mut row: BTreeMap<usize, f64> = BTreeMap::new();
            readers
                .iter()
                .for_each(|&c| *row.entry(c).or_default() += 1.0);
            stores
                .iter()
                .for_each(|&c| *row.entry(c).or_default() -= 1.0);
            rows.add_row(..=0.0, row.into_iter().map(|(c, x)| (columns[c], x)));
        }
        for circle in &self.circles {
            rows.add_row(..=circle.len() as f64 - 1.0, ones(circle));
        }
        let mut model = rows.optimise(Sense::Minimise);
        model.make_quiet();
        model.set_threads(NonZeroU32::MIN);
        model.set_option("mip_max_nodes", MOST_NODES);
        model.set_option("mip_rel_gap", 0.0);
        model.set_option("presolve", "off");
        model.set_option("random_seed", 0);
        let mut start = vec![0.0; self.candidates.len()];
        known.iter().for_each(|&c| start[c] = 1.0);
        model.set_solution(Some(&start), None, None, None);
        let solved = model.try_solve().ok()?;
        let values = solved.get_solution();
        let chosen: Vec<usize> = values
            .columns()
            .iter()
            .enumerate()
            .filter(|(_, x)| **x > 0.5)
            .map(|(c, _)| c)
            .collect();
        let time: u64 = chosen.iter().map(|&c| self.candidates[c].time).sum();
        let bound = solved.double_info_value(c"mip_dual_bound").ok()?;
        let close = (Time(time).ns() - bound).abs() <= TOLERANCE * Time(time).ns();
        let proven = solved.status() == HighsModelStatus::Optimal && close;
        Some(Answer {
            bound: match proven {
                true => time,
                false => Time::from_ns(bound * (1.0 - TOLERANCE)).0.min(time),
            },
            chosen,
        })
    }
}

/// The kernels in an order in which they can run, or those of them that wait for each other.
fn in_order(chosen: &[usize], pool: &Pool) -> Result<Vec<usize>, Vec<usize>> {
    let mut available: BTreeSet<Place> = BTreeSet::new();
    let mut waiting = chosen.to_vec();
    let mut order = Vec::new();
    loop {
        let ready = |c: &usize| {
            let leaves = &pool.candidates[*c].leaves;
            leaves.iter().all(|l| available.contains(l))
        };
        let Some(at) = waiting.iter().position(ready) else {
            break;
        };
        let next = waiting.remove(at);
        available.extend(&pool.candidates[next].stored);
        order.push(next);
    }
    match waiting.is_empty() {
        true => Ok(order),
        false => Err(circle(&waiting, pool)),
    }
}

/// Kernels that wait for each other in a circle, out of some that all wait.
fn circle(waiting: &[usize], pool: &Pool) -> Vec<usize> {
    let blocker = |c: usize| {
        let needs = |other: &&usize| {
            let stored = &pool.candidates[**other].stored;
            let leaves = &pool.candidates[c].leaves;
            **other != c && leaves.iter().any(|l| stored.contains(l))
        };
        waiting.iter().find(needs).copied()
    };
    let mut path = Vec::new();
    let mut at = waiting.first().copied();
    while let Some(c) = at {
        if let Some(start) = path.iter().position(|&p| p == c) {
            return path.split_off(start);
        }
        path.push(c);
        at = blocker(c);
    }
    // Nobody stores what the last one waits for: it cannot be chosen beside the others.
    waiting.to_vec()
}
