//! Optimisation remarks, diagnostics with notes, and effect queries, safely.

use melior::ir::Location;
use melior::ir::operation::OperationRef;
use mlir_sys::MlirStringRef;

use crate::shim::{
    RemarkKind, RemarkText, Severity, sinterEmit, sinterEmitRemark,
    sinterOperationIsMemoryEffectFree, sinterOperationIsPure, sinterOperationIsTriviallyDead,
    string_ref,
};

/// An optimisation remark: what `--remarks-filter` and its kin show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remark<'a> {
    /// Stable code.
    pub name: &'a str,
    /// The pass, usually; what filters match.
    pub category: &'a str,
    /// Function that it is about.
    pub function: &'a str,
    /// One line.
    pub message: &'a str,
    /// Why, if there is more to say.
    pub reason: &'a str,
    /// What would change it.
    pub suggestion: &'a str,
    /// Named figures.
    pub metrics: &'a [(&'a str, String)],
}

/// Emits a remark, if the context has remarks of its category enabled.
pub fn emit_remark(kind: RemarkKind, location: Location<'_>, remark: &Remark<'_>) {
    let text = RemarkText {
        name: string_ref(remark.name),
        category: string_ref(remark.category),
        function: string_ref(remark.function),
        message: string_ref(remark.message),
        reason: string_ref(remark.reason),
        suggestion: string_ref(remark.suggestion),
    };
    let keys: Vec<MlirStringRef> = remark
        .metrics
        .iter()
        .map(|(key, _)| string_ref(key))
        .collect();
    let values: Vec<MlirStringRef> = remark.metrics.iter().map(|(_, v)| string_ref(v)).collect();
    // SAFETY: the location is alive, texts outlive the call, both arrays have the given length.
    unsafe {
        sinterEmitRemark(
            kind,
            location.to_raw(),
            &raw const text,
            keys.len() as isize,
            keys.as_ptr(),
            values.as_ptr(),
        );
    }
}

/// Emits a diagnostic with notes.
pub fn emit(
    severity: Severity,
    location: Location<'_>,
    message: &str,
    notes: &[(Location<'_>, &str)],
) {
    let locations: Vec<_> = notes
        .iter()
        .map(|(location, _)| location.to_raw())
        .collect();
    let texts: Vec<_> = notes.iter().map(|(_, text)| string_ref(text)).collect();
    // SAFETY: locations are alive, texts outlive the call, both arrays have the given length.
    unsafe {
        sinterEmit(
            severity,
            location.to_raw(),
            string_ref(message),
            notes.len() as isize,
            locations.as_ptr(),
            texts.as_ptr(),
        );
    }
}

/// Whether an operation has no effects and may be speculated.
pub fn is_pure(op: OperationRef<'_, '_>) -> bool {
    // SAFETY: the operation is alive.
    unsafe { sinterOperationIsPure(op.to_raw()) }
}

/// Whether an operation, and all within it, has no memory effects.
pub fn is_memory_effect_free(op: OperationRef<'_, '_>) -> bool {
    // SAFETY: the operation is alive.
    unsafe { sinterOperationIsMemoryEffectFree(op.to_raw()) }
}

/// Whether an operation has no uses and may be erased.
pub fn is_trivially_dead(op: OperationRef<'_, '_>) -> bool {
    // SAFETY: the operation is alive.
    unsafe { sinterOperationIsTriviallyDead(op.to_raw()) }
}
