//! Kernels that will be asked for, found out about on several threads. What is found is a function of
//! each kernel alone and goes to the memo, so that neither prices nor counts depend on the threads;
//! one thread does the same work.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use sinter_ops::{NodeId, ValueId};

use crate::evaluate::Evaluator;
use crate::memo::{Known, Structure};

/// Kernels of one thread at least; fewer are not worth its start.
const LEAST: usize = 4;

/// Nodes and outputs of a kernel, both sorted.
pub(crate) type Wanted = (Vec<NodeId>, Vec<ValueId>);

impl Evaluator<'_> {
    /// Finds out about kernels of which nothing is known yet, equal structures once.
    pub(crate) fn foresee(&mut self, kernels: impl IntoIterator<Item = Wanted>) {
        let mut seen = HashSet::new();
        let mut work = Vec::new();
        for (nodes, outputs) in kernels {
            let may = self.control.check(self.graph, &nodes).is_ok();
            if !may || self.check(&nodes, &outputs).is_err() {
                continue;
            }
            let structure = self.structure(&nodes, &outputs);
            let known = self.memo.borrow().has(&structure.key);
            if !known && seen.insert(structure.key.clone()) {
                work.push((nodes, outputs, structure));
            }
        }
        let found = self.in_parallel(&work);
        let mut memo = self.memo.borrow_mut();
        for ((_, _, structure), known) in work.into_iter().zip(found) {
            if let Some(known) = known {
                memo.foresee(structure.key, known);
            }
        }
    }

    fn in_parallel(&self, work: &[(Vec<NodeId>, Vec<ValueId>, Structure)]) -> Vec<Option<Known>> {
        let threads = self.threads.min(work.len() / LEAST);
        let found = Mutex::new(vec![None; work.len()]);
        let next = AtomicUsize::new(0);
        let (graph, device, limits, layouts) = (self.graph, self.device, self.limits, self.layouts);
        let (stored, reassociate) = (&self.stored, self.reassociate);
        let run = || {
            let mut evaluator = Evaluator::new(graph, device, limits, layouts, &[]);
            evaluator.stored = stored.clone();
            evaluator.reassociate = reassociate;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some((nodes, outputs, structure)) = work.get(number) else {
                    return;
                };
                let known = evaluator.find_out(nodes, outputs, &structure.values);
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                found[number] = Some(known);
            }
        };
        std::thread::scope(|scope| {
            (1..threads).for_each(|_| {
                scope.spawn(run);
            });
            run();
        });
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
