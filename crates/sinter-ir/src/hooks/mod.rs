//! Verifiers, folders and canonicalisation of our operations.
//!
//! TableGen declares the hooks, [`sinter_sys::hooks`] forwards them to the table installed here. What
//! an operator means is asked of `sinter-ops`; each constraint has one message.
//!
//! | module | holds |
//! |---|---|
//! | `operators` | operators of `sinter-ops`: types, folding, constant evaluation |
//! | `structure` | groups, loops, e-classes and other operations of `graph` with regions |
//! | `tloop` | kernels, nests, tiles, layout changes |
//! | `npu` | spaces, transfers, engines, launches |
//! | `attributes` | parameters of attributes, attributes of arguments and results |
//! | `wishes` | attributes `graph.*` of operations |

mod attributes;
mod npu;
mod operators;
mod shape;
mod structure;
mod tloop;
mod wishes;

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, AttributeLike, Value, ValueLike};
use mlir_sys::{MlirAttribute, MlirOperation, MlirRewriterBase};
use sinter_sys::hooks::{Folded, Hooks, Parameter};
use sinter_sys::shim::{sinterEmitOpError, string_ref};

use crate::graph::op_name;

/// A fault of an operation, without the operation's name and without a full stop.
pub(crate) type Checked = Result<(), String>;

/// What one result of an operation folds to.
pub(crate) enum FoldTo<'c, 'a> {
    Value(Value<'c, 'a>),
    Constant(Attribute<'c>),
}

struct Table;

/// Installs the hooks of our dialects. Making a [`Context`](crate::Context) does it.
pub fn install() {
    sinter_sys::hooks::install(&Table);
}

impl Hooks for Table {
    fn verify(&self, op: MlirOperation) -> bool {
        // SAFETY: the operation is alive during its hook.
        let op = unsafe { OperationRef::from_raw(op) };
        report(op, verify(op))
    }

    fn verify_symbol(&self, op: MlirOperation, symbol: MlirOperation) -> bool {
        // SAFETY: both operations are alive during the hook.
        let (op, symbol) = unsafe { (OperationRef::from_raw(op), OperationRef::from_raw(symbol)) };
        let checked = match op_name(op).as_str() {
            "npu.launch" => npu::launched(op, symbol),
            "tloop.launch" => tloop::launched(op, symbol),
            _ => tloop::called(op, symbol),
        };
        report(op, checked)
    }

    fn verify_argument(
        &self,
        op: MlirOperation,
        argument: usize,
        name: &str,
        value: MlirAttribute,
    ) -> bool {
        // SAFETY: both are alive during the hook.
        let (op, value) = unsafe { (OperationRef::from_raw(op), Attribute::from_raw(value)) };
        report(op, attributes::argument(op, argument, name, value))
    }

    fn verify_result(
        &self,
        op: MlirOperation,
        result: usize,
        name: &str,
        value: MlirAttribute,
    ) -> bool {
        // SAFETY: both are alive during the hook.
        let (op, value) = unsafe { (OperationRef::from_raw(op), Attribute::from_raw(value)) };
        report(op, attributes::result(result, name, value))
    }

    fn verify_discardable(&self, op: MlirOperation, name: &str, value: MlirAttribute) -> bool {
        // SAFETY: both are alive during the hook.
        let (op, value) = unsafe { (OperationRef::from_raw(op), Attribute::from_raw(value)) };
        report(op, wishes::verify(op, name, value))
    }

    fn verify_attribute(&self, name: &str, parameters: &[Parameter]) -> Checked {
        attributes::verify(name, parameters)
    }

    fn fold(&self, op: MlirOperation, operands: &[MlirAttribute]) -> Option<Vec<Folded>> {
        // SAFETY: the operation and the constants are alive during the hook; null ones are absent.
        let (op, constants) = unsafe {
            let constants: Vec<_> = operands
                .iter()
                .map(|&a| Attribute::from_option_raw(a))
                .collect();
            (OperationRef::from_raw(op), constants)
        };
        let folded = match op_name(op).as_str() {
            "graph.constant" => op
                .attribute("value")
                .ok()
                .map(|v| vec![FoldTo::Constant(v)]),
            "graph.dim" => structure::fold_dim(op),
            "graph.eclass" => structure::fold_eclass(op),
            "tloop.pack" | "tloop.unpack" => tloop::fold_pack(op, &constants),
            _ => operators::fold(op, &constants),
        };
        let raw = |to: FoldTo<'_, '_>| match to {
            FoldTo::Value(value) => Folded::Value(value.to_raw()),
            FoldTo::Constant(attribute) => Folded::Constant(attribute.to_raw()),
        };
        folded.map(|list| list.into_iter().map(raw).collect())
    }

    fn canonicalize(&self, op: MlirOperation, rewriter: MlirRewriterBase) -> bool {
        // SAFETY: the operation is alive until the rewriter erases it, which is the last thing done.
        let op = unsafe { OperationRef::from_raw(op) };
        match op_name(op).as_str() {
            "npu.wait" => npu::canonicalize_wait(op, rewriter),
            _ => operators::canonicalize(op, rewriter),
        }
    }
}

fn verify(op: OperationRef<'_, '_>) -> Checked {
    let name = op_name(op);
    match name.split_once('.') {
        Some(("graph", mnemonic)) => {
            structure::verify(op, mnemonic).unwrap_or_else(|| operators::verify(op))
        }
        Some(("tloop", mnemonic)) => tloop::verify(op, mnemonic),
        Some(("npu", mnemonic)) => npu::verify(op, mnemonic),
        Some(_) if sinter_ops::custom::is_registered(&name) => operators::verify(op),
        _ => Ok(()),
    }
}

fn report(op: OperationRef<'_, '_>, checked: Checked) -> bool {
    match checked {
        Ok(()) => true,
        Err(message) => {
            emit_op_error(op, &message);
            false
        }
    }
}

/// Emits `'dialect.op' op message` at an operation.
pub fn emit_op_error(op: OperationRef<'_, '_>, message: &str) {
    // SAFETY: the operation is alive, and the message is copied.
    unsafe { sinterEmitOpError(op.to_raw(), string_ref(message)) }
}

/// The memory space of a memref by its word; `gm` where none is named, `None` for a space of another
/// dialect.
pub fn space_of(ty: melior::ir::Type<'_>) -> Option<&'static str> {
    npu::space(ty)
}

/// `Err` with a message made only then.
pub(crate) fn ensure(holds: bool, message: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(message()) }
}

/// `3 maps for 2 inputs`-like messages.
pub(crate) fn same_count(what: &str, got: usize, of: &str, want: usize) -> Checked {
    ensure(got == want, || format!("has {got} {what} for {want} {of}"))
}
