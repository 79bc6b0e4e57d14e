//! Reductions as rewrite patterns, for MLIR's own reducer (`sinter-reduce --reduction-tree=...`).
//!
//! It takes operations away by itself, and then applies all patterns at once before it tries ranges of them. Where that
//! alone makes the module uninteresting, LLVM 22.1 goes on from a module that it has freed, so that only reductions that
//! keep what a program computes are patterns.

use std::ffi::c_void;

use melior::ir::operation::OperationRef;
use mlir_sys::{
    MlirContext, MlirLogicalResult, MlirOperation, MlirPatternRewriter, MlirRewritePattern,
    MlirRewritePatternCallbacks, MlirRewritePatternSet, MlirStringRef,
};

use crate::reductions::{REDUCTIONS, Reduction, apply};

/// Adds the patterns of all faithful reductions for operations of the given names to a set.
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
        for reduction in REDUCTIONS.iter().filter(|r| r.faithful) {
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
            1,
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
