//! Passes that do what they must not. They look for an operation that reads the result of another, so that the
//! smallest module that shows the fault has two.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Value, ValueLike};
use sinter_ir::build::{Parts, lasting, operation};
use sinter_ir::graph::op_name;
use sinter_ir::rewrite::{context_of, replace_all_uses};
use sinter_ir::walk::{blocks, operations};
use sinter_pass::{Entry, Failure, Pass, PassInfo, options};

/// All of them.
pub(crate) fn all() -> [Entry; 3] {
    [
        Entry::new(TestMiscompile),
        Entry::new(TestBreak),
        Entry::new(TestSlowDown),
    ]
}

options! {
    /// Where a fault is put.
    pub struct Where {
        /// The operation
        op: String = "graph.sub".to_owned(),
        /// One that it reads a result of
        after: String = "graph.mul".to_owned(),
    }
}

/// Swaps the operands of an operation.
pub struct TestMiscompile;

impl Pass for TestMiscompile {
    type Options = Where;

    const INFO: PassInfo = PassInfo {
        name: "test-miscompile",
        summary: "Swaps the operands of an operation that reads another's result",
        description: "A fault for tests of tools that look for wrong results.",
        anchor: None,
        dialects: &[],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Where) -> Result<(), Failure> {
        for op in found(op, options) {
            let mut operands: Vec<Value<'_, '_>> = op.operands().collect();
            if operands.len() > 1 {
                operands.swap(0, 1);
            }
            set_operands(op, &operands);
        }
        Ok(())
    }
}

/// Gives an operation an operand too many.
pub struct TestBreak;

impl Pass for TestBreak {
    type Options = Where;

    const INFO: PassInfo = PassInfo {
        name: "test-break",
        summary: "Gives an operation that reads another's result an operand too many",
        description: "A fault for tests of tools that look for IR that the verifier refuses.",
        anchor: None,
        dialects: &[],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Where) -> Result<(), Failure> {
        for op in found(op, options) {
            let mut operands: Vec<Value<'_, '_>> = op.operands().collect();
            operands.extend(operands.last().copied());
            set_operands(op, &operands);
        }
        Ok(())
    }
}

options! {
    /// Options of [`TestSlowDown`].
    pub struct SlowDown {
        /// The operation
        op: String = "graph.sub".to_owned(),
        /// One that it reads a result of
        after: String = "graph.mul".to_owned(),
        /// Hyperbolic tangents that are computed after it
        times: usize = 32,
    }
}

/// Computes much after an operation.
pub struct TestSlowDown;

impl Pass for TestSlowDown {
    type Options = SlowDown;

    const INFO: PassInfo = PassInfo {
        name: "test-slow-down",
        summary: "Computes hyperbolic tangents after an operation that reads another's result",
        description: "A fault for tests of tools that look for slow programs.",
        anchor: None,
        dialects: &["graph"],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &SlowDown) -> Result<(), Failure> {
        let place = Where {
            op: options.op.clone(),
            after: options.after.clone(),
        };
        for op in found(op, &place) {
            let Some(block) = op.block() else { continue };
            let first: Value<'_, '_> = lasting(op.result(0)?);
            let (mut last, mut behind) = (first, op);
            let mut reader = None;
            for _ in 0..options.times {
                let parts = Parts {
                    operands: vec![last],
                    results: vec![first.r#type()],
                    ..Parts::default()
                };
                let tanh = operation(context_of(op), "graph.tanh", op.location(), parts)?;
                behind = block.insert_operation_after(behind, tanh);
                reader.get_or_insert(behind);
                last = lasting(behind.result(0)?);
            }
            replace_all_uses(first, last);
            if let Some(reader) = reader {
                set_operands(reader, &[first]);
            }
        }
        Ok(())
    }
}

/// Operations of a name that read a result of one of the other name, at any depth.
fn found<'c, 'a>(inside: OperationRef<'c, 'a>, place: &Where) -> Vec<OperationRef<'c, 'a>> {
    let mut out = Vec::new();
    for op in blocks(inside).into_iter().flat_map(operations) {
        if op_name(op) == place.op && op.operands().any(|v| made_by(v, &place.after)) {
            out.push(op);
        }
        out.extend(found(op, place));
    }
    out
}

fn made_by(value: Value<'_, '_>, name: &str) -> bool {
    if !value.is_operation_result() {
        return false;
    }
    // SAFETY: the value is an operation's result, as was just asked; the owner is alive as it is.
    let owner = unsafe { OperationRef::from_raw(mlir_sys::mlirOpResultGetOwner(value.to_raw())) };
    op_name(owner) == name
}

fn set_operands(op: OperationRef<'_, '_>, operands: &[Value<'_, '_>]) {
    let raw: Vec<_> = operands.iter().map(|v| v.to_raw()).collect();
    // SAFETY: the operation and the values are alive.
    unsafe {
        mlir_sys::mlirOperationSetOperands(op.to_raw(), raw.len() as isize, raw.as_ptr());
    }
}
