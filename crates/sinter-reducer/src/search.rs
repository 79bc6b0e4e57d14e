//! The search: delta debugging over all reductions.
//!
//! For each kind of change, ranges of the places where it applies are tried, from all at once down to single
//! ones; what keeps the module interesting stays. The kinds are gone through until none helps any more.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Module, Operation};
use sinter_ir::rewrite::erase;
use sinter_ir::walk::{blocks, operations};
use sinter_sys::remark::is_trivially_dead;

use crate::reductions::{REDUCTIONS, Reduction, apply, is_structure};
use crate::symbols;

/// What a search did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Operations at the start, without functions, kernels and the ends of blocks.
    pub before: usize,
    /// Operations at the end.
    pub after: usize,
    /// Times that a module was asked for.
    pub runs: usize,
    /// Whether the limit on `runs` ended the search.
    pub stopped: bool,
}

/// The smallest module found that is still interesting, with at most `most_runs` questions.
pub fn reduce<'c, F>(
    module: Module<'c>,
    most_runs: usize,
    interesting: F,
) -> (Module<'c>, Statistics)
where
    F: FnMut(&Module<'c>) -> bool,
{
    let before = size(&module);
    let mut search = Search {
        best: module,
        tried: BTreeSet::new(),
        runs: 0,
        most_runs,
        interesting,
    };
    while search.round() {}
    let statistics = Statistics {
        before,
        after: size(&search.best),
        runs: search.runs,
        stopped: search.runs >= most_runs,
    };
    (search.best, statistics)
}

/// All operations of a module, outer ones before what is in them.
pub(crate) fn all_operations<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let mut out = Vec::new();
    for op in operations(module.body()) {
        collect(op, &mut out);
    }
    out
}

fn collect<'c, 'a>(op: OperationRef<'c, 'a>, out: &mut Vec<OperationRef<'c, 'a>>) {
    out.push(op);
    for block in blocks(op) {
        for inner in operations(block) {
            collect(inner, out);
        }
    }
}

/// How many operations a module has, without functions, kernels and the ends of blocks.
pub fn size(module: &Module<'_>) -> usize {
    let counted = |op: &OperationRef<'_, '_>| !is_structure(*op);
    all_operations(module).into_iter().filter(counted).count()
}

struct Search<'c, F> {
    best: Module<'c>,
    /// Hashes of the modules that were asked for.
    tried: BTreeSet<u64>,
    runs: usize,
    most_runs: usize,
    interesting: F,
}

impl<'c, F: FnMut(&Module<'c>) -> bool> Search<'c, F> {
    /// Every kind of change once. Returns whether one helped.
    fn round(&mut self) -> bool {
        let mut helped = self.shrink(|m| symbols::unreferenced(m).len(), symbols::drop_symbols);
        helped |= self.end_early();
        helped |= self.shrink(symbols::source_count, symbols::to_arguments);
        helped |= self.shrink(symbols::results, symbols::drop_results);
        for reduction in REDUCTIONS {
            for choice in 0..reduction.choices {
                helped |= self.shrink(
                    |m| sites(m, reduction, choice),
                    |m, range| reduce_sites(m, reduction, choice, range),
                );
            }
        }
        helped | self.shrink(symbols::unused_arguments, symbols::drop_arguments)
    }

    /// The first value that a function can end with, by bisection.
    fn end_early(&mut self) -> bool {
        let (mut helped, mut low) = (false, 0);
        loop {
            let high = symbols::ends(&self.best).saturating_sub(1);
            if low >= high {
                return helped;
            }
            let middle = low + (high - low) / 2;
            if self.attempt(|m| symbols::end_at(m, middle)) {
                helped = true;
            } else {
                low = middle + 1;
            }
        }
    }

    /// Tries a change at ranges of its places, from the last to the first and from long ranges to single
    /// places.
    fn shrink(
        &mut self,
        places: impl Fn(&Module<'c>) -> usize,
        change: impl Fn(&Module<'c>, Range<usize>) -> bool,
    ) -> bool {
        let mut helped = false;
        let mut length = places(&self.best);
        while length > 0 {
            let mut end = places(&self.best);
            while end > 0 {
                let start = end.saturating_sub(length);
                if self.attempt(|m| change(m, start..end)) {
                    helped = true;
                    end = start.min(places(&self.best));
                } else {
                    end = start;
                }
            }
            length /= 2;
        }
        helped
    }

    /// Changes a copy of the best module; it becomes the best if it is valid and interesting.
    fn attempt(&mut self, change: impl FnOnce(&Module<'c>) -> bool) -> bool {
        if self.runs >= self.most_runs {
            return false;
        }
        let Some(copy) = copy(&self.best) else {
            return false;
        };
        if !change(&copy) {
            return false;
        }
        drop_dead(&copy);
        if sinter_ir::module::verify(&copy.as_operation()).is_err() {
            return false;
        }
        let mut hasher = DefaultHasher::new();
        copy.as_operation().write_bytecode().hash(&mut hasher);
        if !self.tried.insert(hasher.finish()) {
            return false;
        }
        self.runs += 1;
        if !(self.interesting)(&copy) {
            return false;
        }
        tracing::debug!(operations = size(&copy), run = self.runs, "smaller");
        self.best = copy;
        true
    }
}

fn copy<'c>(module: &Module<'c>) -> Option<Module<'c>> {
    // SAFETY: the module is alive; the copy is owned from here on.
    let copy = unsafe {
        Operation::from_raw(mlir_sys::mlirOperationClone(module.as_operation().to_raw()))
    };
    Module::from_operation(copy)
}

/// Erases what has no effect and no use.
fn drop_dead(module: &Module<'_>) {
    for op in all_operations(module).into_iter().rev() {
        if is_trivially_dead(op) {
            erase(op);
        }
    }
}

/// How many operations a reduction applies to.
fn sites(module: &Module<'_>, reduction: &Reduction, choice: usize) -> usize {
    let all = all_operations(module).into_iter();
    all.filter(|op| reduction.find(*op, choice).is_some())
        .count()
}

/// Applies a reduction to a range of the operations that it applies to, the last first.
fn reduce_sites(
    module: &Module<'_>,
    reduction: &Reduction,
    choice: usize,
    range: Range<usize>,
) -> bool {
    let mut found = all_operations(module);
    found.retain(|op| reduction.find(*op, choice).is_some());
    let range = range.start.min(found.len())..range.end.min(found.len());
    let raw = module.as_operation().to_raw();
    // SAFETY: the module is alive, and so is its context.
    let rewriter =
        unsafe { mlir_sys::mlirIRRewriterCreate(mlir_sys::mlirOperationGetContext(raw)) };
    let mut changed = false;
    for op in found[range].iter().rev() {
        // An earlier change may have changed what is found here.
        if let Some(change) = reduction.find(*op, choice) {
            changed |= apply(*op, change, rewriter);
        }
    }
    // SAFETY: the rewriter was made above and is not used again.
    unsafe { mlir_sys::mlirIRRewriterDestroy(rewriter) };
    changed
}
