//! All legal groupings, one by one: which results are in memory, which of them one kernel writes
//! together, and what else each kernel computes.

use std::collections::BTreeMap;

use sinter_device::Time;
use sinter_fusion::extraction::{Chosen, Extraction, Grouping, Problem};
use sinter_ops::NodeId;

/// Sets of operators, as bits.
type Set = u32;

/// The optimum by enumeration.
pub(crate) struct BruteForce;

impl Extraction for BruteForce {
    fn extract(&self, problem: &mut Problem<'_, '_>) -> Grouping {
        let mut search = Search::new(problem);
        let count = search.count;
        assert!(count <= 12, "{count} operators");
        for memory in 0..1 << count {
            if search.required & !memory == 0 {
                search.memory = memory;
                search.place(memory, 0);
            }
        }
        let nodes = |set: Set| {
            bits(set)
                .map(|n| problem.operators()[n])
                .collect::<Vec<_>>()
        };
        let best = search
            .best
            .expect("kernels of one operator are a program")
            .1;
        let kernels = best.iter().map(|k| Chosen {
            nodes: nodes(k.nodes),
            homed: nodes(k.nodes & !k.elsewhere),
        });
        Grouping {
            kernels: kernels.collect(),
            lower_bound: None,
            ..Grouping::default()
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Kernel {
    nodes: Set,
    leaves: Set,
    written: Set,
    elsewhere: Set,
    time: Time,
}

struct Search {
    count: usize,
    required: Set,
    repeatable: Set,
    /// Legal kernels by what they write.
    kernels: BTreeMap<Set, Vec<Kernel>>,
    memory: Set,
    chosen: Vec<Kernel>,
    best: Option<(Time, Vec<Kernel>)>,
}

fn bits(set: Set) -> impl Iterator<Item = usize> {
    (0..Set::BITS as usize).filter(move |i| set >> i & 1 == 1)
}

impl Search {
    fn new(problem: &mut Problem<'_, '_>) -> Self {
        let operators: Vec<NodeId> = problem.operators().to_vec();
        let set = |nodes: &[NodeId]| -> Set {
            let place = |n: &NodeId| operators.binary_search(n).unwrap();
            nodes.iter().map(|n| 1 << place(n)).fold(0, |a, b| a | b)
        };
        let all = |f: &dyn Fn(NodeId) -> bool| -> Set {
            let chosen: Vec<_> = operators.iter().copied().filter(|&n| f(n)).collect();
            set(&chosen)
        };
        let required = all(&|n| problem.must_be_stored(n));
        let repeatable = all(&|n| problem.may_be_repeated(n));
        let needs: Vec<Set> = operators.iter().map(|&n| set(problem.needs(n))).collect();
        let readers: Vec<Set> = operators.iter().map(|&n| set(problem.readers(n))).collect();
        let connected: Vec<Set> = operators
            .iter()
            .map(|&n| set(&problem.connected(n)))
            .collect();
        let count = operators.len();
        let mut kernels: BTreeMap<Set, Vec<Kernel>> = BTreeMap::new();
        for nodes in 1..1 << count {
            let leaves = bits(nodes).map(|n| needs[n]).fold(0, |a, b| a | b) & !nodes;
            // A result inside that a view reads has to come from memory.
            let viewed =
                bits(nodes).any(|n| bits(needs[n] & nodes).any(|m| readers[m] >> n & 1 == 0));
            if viewed || !is_connected(nodes, &connected) {
                continue;
            }
            let read_inside = bits(nodes)
                .filter(|&n| readers[n] & nodes != 0)
                .fold(0, |a, n| a | 1 << n);
            // What is not read inside is written; of the rest, any part is.
            let free = read_inside;
            let mut part = free;
            loop {
                let written = nodes & !read_inside | part;
                let ids = |s: Set| bits(s).map(|n| operators[n]).collect::<Vec<_>>();
                if written != 0
                    && let Ok(price) = problem.price(&ids(nodes), &ids(written))
                {
                    kernels.entry(written).or_default().push(Kernel {
                        nodes,
                        leaves,
                        written,
                        elsewhere: 0,
                        time: price.total,
                    });
                }
                if part == 0 {
                    break;
                }
                part = (part - 1) & free;
            }
        }
        Self {
            count,
            required,
            repeatable,
            kernels,
            memory: 0,
            chosen: Vec::new(),
            best: None,
        }
    }

    /// Tries all kernels that write the first of the results that are still to be written, with any
    /// of the others.
    fn place(&mut self, left: Set, time: u64) {
        if self.best.as_ref().is_some_and(|(best, _)| time >= best.0) {
            return;
        }
        if left == 0 {
            self.finish(time);
            return;
        }
        let first = left & left.wrapping_neg();
        let rest = left & !first;
        let mut part = rest;
        loop {
            let written = first | part;
            for k in 0..self.kernels.get(&written).map_or(0, Vec::len) {
                let kernel = self.kernels[&written][k];
                if kernel.leaves & !self.memory == 0 && self.may_join(&kernel) {
                    self.chosen.push(kernel);
                    self.place(left & !written, time + kernel.time.0);
                    self.chosen.pop();
                }
            }
            if part == 0 {
                return;
            }
            part = (part - 1) & rest;
        }
    }

    /// Whether what may not be repeated is not.
    fn may_join(&self, kernel: &Kernel) -> bool {
        let before = self.chosen.iter().fold(0, |a, k| a | k.nodes);
        before & kernel.nodes & !self.repeatable == 0
    }

    /// Keeps the program when its kernels can run in some order.
    fn finish(&mut self, time: u64) {
        let mut available: Set = 0;
        let mut order: Vec<Kernel> = Vec::new();
        let mut waiting = self.chosen.clone();
        while let Some(ready) = waiting.iter().position(|k| k.leaves & !available == 0) {
            let kernel = waiting.remove(ready);
            available |= kernel.written;
            order.push(kernel);
        }
        // Nothing is written that nobody reads.
        let needed = order.iter().fold(self.required, |a, k| a | k.leaves);
        if !waiting.is_empty() || self.memory & !needed != 0 {
            return;
        }
        // A kernel computes for good what it writes, and what nobody writes the first that has it.
        let mut homed: Set = 0;
        for kernel in &mut order {
            let others = self.memory & !kernel.written;
            kernel.elsewhere = kernel.nodes & (others | homed);
            homed |= kernel.nodes & !others;
        }
        self.best = Some((Time(time), order));
    }
}

fn is_connected(nodes: Set, connected: &[Set]) -> bool {
    let mut reached = nodes & nodes.wrapping_neg();
    loop {
        let more = bits(reached)
            .map(|n| connected[n])
            .fold(reached, |a, b| a | b)
            & nodes;
        if more == reached {
            return reached == nodes;
        }
        reached = more;
    }
}
