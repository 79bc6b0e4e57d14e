//! `npu-check-races`: every transfer is waited for before its memory is touched.
//!
//! Takes `npu.kernel`s ordered by tokens, and leaves them as they are. Follows the transfers that may
//! be under way through loops (to a fixed point) and branches, by the tokens that they carry. Refuses a
//! kernel in which an operation touches the target, or writes the source, of a transfer that may be
//! under way, and one that ends before a transfer does. Faults come in the order of the operations.

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Location, Value};
use sinter_ir::build::value_key;
use sinter_ir::diagnostic::emit_error;
use sinter_ir::melior;
use sinter_pass::{Failure, NoOptions, Pass, PassInfo};

use crate::transfers::{Transfer, blocks, name, operations, touches};

/// The pass.
pub struct NpuCheckRaces;

impl Pass for NpuCheckRaces {
    type Options = NoOptions;

    const INFO: PassInfo = PassInfo {
        name: "npu-check-races",
        summary: "Every transfer is waited for before its memory is touched",
        description: "Changes nothing. Fails with an error at each operation that touches memory of a \
                      transfer which may be under way, and at each transfer that may outlive its \
                      kernel.",
        anchor: Some("builtin.module"),
        dialects: &[],
    };

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        let mut clean = true;
        for block in blocks(op) {
            for kernel in operations(block)
                .into_iter()
                .filter(|op| name(*op) == "npu.kernel")
            {
                for race in races(kernel) {
                    emit_error(race.location, &race.message);
                    clean = false;
                }
            }
        }
        if clean {
            Ok(())
        } else {
            Err(Failure::Reported)
        }
    }
}

/// A transfer and an operation that may run at the same time.
pub struct Race<'c> {
    /// Where.
    pub location: Location<'c>,
    /// What, in one line.
    pub message: String,
}

/// All races of one kernel.
pub fn races<'c>(kernel: OperationRef<'c, '_>) -> Vec<Race<'c>> {
    let mut checker = Checker::default();
    let mut open = Transfers::new();
    for block in blocks(kernel) {
        open = checker.block(block, open).0;
    }
    let mut found = checker.races;
    found.sort_by_key(|(at, _)| *at);
    let ended = open.into_iter().map(|id| Race {
        location: checker.transfers[id].1,
        message: "transfer may still be under way when the kernel ends".into(),
    });
    found
        .into_iter()
        .map(|(_, race)| race)
        .chain(ended)
        .collect()
}

/// Transfers, each by its number.
type Transfers = BTreeSet<usize>;

/// Transfers and other operations are numbered as they are met, which is the order of the kernel.
#[derive(Default)]
struct Checker<'c> {
    transfers: Vec<(Transfer, Location<'c>)>,
    numbers: BTreeMap<usize, usize>,
    /// What a token stands for.
    tokens: BTreeMap<usize, Transfers>,
    /// Races by operation and transfer.
    reported: BTreeSet<(usize, usize)>,
    races: Vec<((usize, usize), Race<'c>)>,
}

impl<'c> Checker<'c> {
    /// What is under way after a block, and what its terminator's operands stand for.
    fn block(
        &mut self,
        block: BlockRef<'c, '_>,
        mut open: Transfers,
    ) -> (Transfers, Vec<Transfers>) {
        let mut yielded = Vec::new();
        for op in operations(block) {
            match name(op).as_str() {
                "npu.wait" => {
                    for token in op.operands() {
                        let done = self.meaning(token);
                        open.retain(|t| !done.contains(t));
                    }
                }
                "scf.for" => open = self.repeated(op, open),
                "scf.if" => open = self.either(op, open),
                "scf.yield" => yielded = op.operands().map(|v| self.meaning(v)).collect(),
                _ => self.plain(op, &mut open),
            }
        }
        (open, yielded)
    }

    fn meaning(&self, token: Value<'_, '_>) -> Transfers {
        self.tokens
            .get(&value_key(token))
            .cloned()
            .unwrap_or_default()
    }

    fn plain(&mut self, op: OperationRef<'c, '_>, open: &mut Transfers) {
        let touched = touches(op);
        let number = self.number(key(op));
        for &id in open.iter() {
            if self.transfers[id].0.conflicts(&touched) && self.reported.insert((number, id)) {
                let message = format!(
                    "'{}' touches memory of a transfer that may be under way",
                    name(op)
                );
                let location = op.location();
                self.races.push(((number, id), Race { location, message }));
            }
        }
        if let Some(transfer) = Transfer::of(op)
            && let Ok(token) = op.result(0)
        {
            let token = value_key(token.into());
            let id = match self.tokens.get(&token).and_then(BTreeSet::first) {
                Some(&known) => known,
                None => {
                    self.transfers.push((transfer, op.location()));
                    self.transfers.len() - 1
                }
            };
            self.tokens.insert(token, Transfers::from([id]));
            open.insert(id);
        }
    }

    /// The number of an operation.
    fn number(&mut self, key: usize) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(key).or_insert(next)
    }

    fn repeated(&mut self, op: OperationRef<'c, '_>, before: Transfers) -> Transfers {
        let Some(body) = blocks(op).into_iter().next() else {
            return before;
        };
        let mut carried: Vec<Transfers> = op.operands().skip(3).map(|v| self.meaning(v)).collect();
        let mut open = before;
        loop {
            for (i, meaning) in carried.iter().enumerate() {
                if let Ok(argument) = body.argument(i + 1) {
                    self.tokens
                        .insert(value_key(argument.into()), meaning.clone());
                }
            }
            let (after, yielded) = self.block(body, open.clone());
            let wider: Transfers = open.union(&after).copied().collect();
            let next: Vec<Transfers> = carried
                .iter()
                .zip(&yielded)
                .map(|(a, b)| a.union(b).copied().collect())
                .collect();
            if wider == open && next == carried {
                break;
            }
            (open, carried) = (wider, next);
        }
        self.results(op, carried);
        open
    }

    fn either(&mut self, op: OperationRef<'c, '_>, before: Transfers) -> Transfers {
        let mut after = Transfers::new();
        let mut merged = vec![Transfers::new(); op.result_count()];
        let branches = blocks(op);
        if branches.len() < 2 {
            after.clone_from(&before);
        }
        for branch in branches {
            let (open, yielded) = self.block(branch, before.clone());
            after.extend(open);
            for (all, meaning) in merged.iter_mut().zip(yielded) {
                all.extend(meaning);
            }
        }
        self.results(op, merged);
        after
    }

    fn results(&mut self, op: OperationRef<'c, '_>, meanings: Vec<Transfers>) {
        for (i, meaning) in meanings.into_iter().enumerate() {
            if let Ok(result) = op.result(i) {
                self.tokens.insert(value_key(result.into()), meaning);
            }
        }
    }
}

fn key(op: OperationRef<'_, '_>) -> usize {
    op.to_raw().ptr as usize
}
