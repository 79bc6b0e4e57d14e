//! What the operations of a `npu.kernel` touch, for the passes that order transfers.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{TypeLike, Value, ValueLike};
use sinter_ir::build::value_key;
pub(crate) use sinter_ir::graph::op_name as name;
use sinter_ir::melior;
pub(crate) use sinter_ir::walk::{blocks, operations};

/// One memory touched by an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Touch {
    /// The allocation or argument.
    pub(crate) base: usize,
    /// Whether it is (also) written.
    pub(crate) writes: bool,
}

/// A transfer under way: nobody may touch its target, or write its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) source: usize,
    pub(crate) target: usize,
}

impl Transfer {
    /// Of a `npu.copy`.
    pub(crate) fn of(op: OperationRef<'_, '_>) -> Option<Self> {
        (name(op) == "npu.copy").then_some(())?;
        Some(Self {
            source: base(op.operand(0).ok()?),
            target: base(op.operand(1).ok()?),
        })
    }

    /// Whether an operation that touches these memories has to wait for the transfer.
    pub(crate) fn conflicts(&self, touches: &[Touch]) -> bool {
        let hits = |t: &Touch| t.base == self.target || (t.writes && t.base == self.source);
        touches.iter().any(hits)
    }
}

/// The allocation or argument that a memref is a view of.
pub(crate) fn base(value: Value<'_, '_>) -> usize {
    let mut value = value;
    loop {
        // Asked first, as below: an error of melior's holds the printed operation, which takes as
        // long as printing the whole function.
        if !value.is_operation_result() {
            return value_key(value);
        }
        let Ok(result) = melior::ir::operation::OperationResult::try_from(value) else {
            return value_key(value);
        };
        let owner = result.owner();
        let views = [
            "memref.subview",
            "memref.collapse_shape",
            "memref.expand_shape",
            "memref.cast",
        ];
        if !views.contains(&name(owner).as_str()) {
            return value_key(value);
        }
        match owner.operand(0) {
            Ok(of) => value = of,
            Err(_) => return value_key(value),
        }
    }
}

/// Everything that an operation touches, regions included.
pub(crate) fn touches(op: OperationRef<'_, '_>) -> Vec<Touch> {
    let mut out = Vec::new();
    collect(op, &mut out);
    out.sort_unstable();
    out.dedup();
    out
}

fn collect(op: OperationRef<'_, '_>, out: &mut Vec<Touch>) {
    let name = name(op);
    for (i, operand) in op
        .operands()
        .enumerate()
        .filter(|(_, v)| v.r#type().is_mem_ref())
    {
        let writes = match name.as_str() {
            "npu.copy" => i == 1,
            "npu.mma" => i == 2,
            "vector.load" | "memref.load" | "vector.maskedload" | "vector.gather" => false,
            "vector.transfer_read" | "memref.subview" | "memref.collapse_shape" => false,
            "memref.expand_shape" | "memref.cast" => false,
            _ => true,
        };
        out.push(Touch {
            base: base(operand),
            writes,
        });
    }
    for block in blocks(op) {
        for inner in operations(block) {
            collect(inner, out);
        }
    }
}
