//! `npu-insert-sync`: from sequential order to order by tokens.
//!
//! Takes `npu.kernel`s in which operations run one after the other. Leaves kernels with a `npu.wait`
//! before the first operation that touches the target of a transfer or writes its source, and at the
//! end of a block for transfers that nothing in it needs. Transfers whose tokens are used already (a
//! loop carries them) are left alone. Refuses nothing.

use std::collections::BTreeSet;

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Value};
use sinter_ir::build::{Parts, operation, value_key};
use sinter_ir::rewrite::context_of;
use sinter_ir::{IrError, melior};
use sinter_pass::{Failure, NoOptions, Pass, PassInfo};

use crate::transfers::{Transfer, blocks, name, operations, touches};

/// The pass.
pub struct NpuInsertSync;

impl Pass for NpuInsertSync {
    type Options = NoOptions;

    const INFO: PassInfo = PassInfo {
        name: "npu-insert-sync",
        summary: "Waits for transfers",
        description: "Puts a `npu.wait` before the first operation that touches the target of a \
                      transfer or writes its source, and at the end of the block otherwise. Transfers \
                      whose tokens are used already are left alone.",
        anchor: Some("builtin.module"),
        dialects: &["npu"],
    };

    fn run(&self, op: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
        for block in blocks(op) {
            for kernel in operations(block)
                .into_iter()
                .filter(|op| name(*op) == "npu.kernel")
            {
                insert_sync(context_of(kernel), kernel)?;
            }
        }
        Ok(())
    }
}

/// Inserts the waits of one kernel.
///
/// # Errors
/// When `npu.wait` cannot be built.
pub fn insert_sync<'c>(
    context: &'c melior::Context,
    kernel: OperationRef<'c, '_>,
) -> Result<(), IrError> {
    let mut used = BTreeSet::new();
    tokens_in_use(kernel, &mut used);
    for block in blocks(kernel) {
        order(context, block, &used)?;
    }
    Ok(())
}

fn tokens_in_use(op: OperationRef<'_, '_>, used: &mut BTreeSet<usize>) {
    for block in blocks(op) {
        for inner in operations(block) {
            used.extend(inner.operands().map(value_key));
            tokens_in_use(inner, used);
        }
    }
}

fn order<'c>(
    context: &'c melior::Context,
    block: BlockRef<'c, '_>,
    used: &BTreeSet<usize>,
) -> Result<(), IrError> {
    let ops = operations(block);
    let mut open: Vec<(Transfer, Value<'c, '_>)> = Vec::new();
    for (i, &op) in ops.iter().enumerate() {
        let touched = touches(op);
        let last = i + 1 == ops.len();
        let (wait, rest): (Vec<_>, Vec<_>) = open
            .into_iter()
            .partition(|(t, _)| last || t.conflicts(&touched));
        open = rest;
        if !wait.is_empty() {
            let operands = wait.into_iter().map(|(_, token)| token).collect();
            let parts = Parts {
                operands,
                ..Parts::default()
            };
            block
                .insert_operation_before(op, operation(context, "npu.wait", op.location(), parts)?);
        }
        if name(op).starts_with("scf.") {
            for inner in blocks(op) {
                order(context, inner, used)?;
            }
        }
        if let Some(transfer) = Transfer::of(op)
            && let Ok(token) = op.result(0)
        {
            let token: Value<'c, '_> = token.into();
            if !used.contains(&value_key(token)) {
                open.push((transfer, token));
            }
        }
    }
    Ok(())
}
