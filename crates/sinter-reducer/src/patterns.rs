//! The reductions as rewrite patterns, for MLIR's own reducer (`sinter-reduce --reduction-tree=...`).

use std::ffi::c_void;

use melior::ir::operation::OperationRef;
use mlir_sys::{
    MlirContext, MlirLogicalResult, MlirOperation, MlirPatternRewriter, MlirRewritePattern,
    MlirRewritePatternCallbacks, MlirRewritePatternSet, MlirStringRef,
};

use crate::reductions::{REDUCTIONS, Reduction, apply};

/// Adds the patterns of all reductions for operations of the given names to a set.
///
/// # Safety
/// Context and set are alive; `names` points to `count` names.
pub unsafe extern "C" fn populate(
    context: MlirContext,
    patterns: MlirRewritePatternSet,
    count: isize,
    names: *const MlirStringRef,
) {
    for i in 0..count {
        // SAFETY: by the contract above.
        let name = unsafe { *names.offset(i) };
        for reduction in REDUCTIONS {
            // SAFETY: the set takes the pattern over; the name is copied, and the reduction lives as long
            // as the process.
            unsafe {
                let pattern = pattern(context, name, reduction);
                mlir_sys::mlirRewritePatternSetAdd(patterns, pattern);
            }
        }
    }
}

/// # Safety
/// The context and the name are alive.
unsafe fn pattern(
    context: MlirContext,
    name: MlirStringRef,
    reduction: &'static Reduction,
) -> MlirRewritePattern {
    let callbacks = MlirRewritePatternCallbacks {
        construct: None,
        destruct: None,
        matchAndRewrite: Some(rewrite),
    };
    // SAFETY: by the contract above; `rewrite` only reads the reduction.
    unsafe {
        mlir_sys::mlirOpRewritePatternCreate(
            name,
            reduction.benefit,
            context,
            callbacks,
            std::ptr::from_ref(reduction).cast_mut().cast(),
            0,
            std::ptr::null_mut(),
        )
    }
}

unsafe extern "C" fn rewrite(
    _: MlirRewritePattern,
    op: MlirOperation,
    rewriter: MlirPatternRewriter,
    reduction: *mut c_void,
) -> MlirLogicalResult {
    // SAFETY: the operation and the rewriter are alive during the call; `reduction` is what `pattern` gave.
    let (op, base, reduction) = unsafe {
        (
            OperationRef::from_raw(op),
            mlir_sys::mlirPatternRewriterAsBase(rewriter),
            &*reduction.cast::<Reduction>(),
        )
    };
    let change = (0..reduction.choices).find_map(|choice| reduction.find(op, choice));
    let changed = change.is_some_and(|change| apply(op, change, base));
    MlirLogicalResult {
        value: i8::from(changed),
    }
}
