//! What LLVM 22's C API lacks: the functions of cpp/Shim.h.
//!
//! # Safety
//! Handles must be live MLIR objects; string references must be UTF-8 and outlive the call (those of
//! [`SinterPass`] the process).

#![allow(non_snake_case)]

use std::ffi::{c_char, c_int, c_void};

use mlir_sys::{
    MlirAttribute, MlirContext, MlirDialectRegistry, MlirLocation, MlirOperation, MlirPass,
    MlirRewritePatternSet, MlirStringRef,
};

/// A string reference to Rust text; valid as long as the text.
pub fn string_ref(text: &str) -> MlirStringRef {
    MlirStringRef {
        data: text.as_ptr().cast(),
        length: text.len(),
    }
}

/// The text of a string reference.
///
/// # Safety
/// The reference is valid for the result's lifetime. Text that is not UTF-8 reads as empty.
pub unsafe fn text<'a>(reference: MlirStringRef) -> &'a str {
    // SAFETY: by the contract above.
    let bytes =
        unsafe { crate::hooks::slice(reference.data.cast::<u8>(), reference.length as isize) };
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// Severity of a diagnostic.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Severity {
    Error,
    Warning,
    Note,
    Remark,
}

/// Kind of an optimisation remark.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RemarkKind {
    Passed,
    Missed,
    Failed,
    Analysis,
}

/// Text of an optimisation remark.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RemarkText {
    /// Stable name of the remark.
    pub name: MlirStringRef,
    /// What `--remarks-filter` matches: the pass, usually.
    pub category: MlirStringRef,
    /// Function that it is about.
    pub function: MlirStringRef,
    /// The message.
    pub message: MlirStringRef,
    /// Why, or empty.
    pub reason: MlirStringRef,
    /// What would change it, or empty.
    pub suggestion: MlirStringRef,
}

/// How the value of a pass option is parsed and shown.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum OptionKind {
    Bool,
    Integer,
    Text,
}

/// An option of a pass or pipeline.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinterOption {
    /// Name on the command line.
    pub name: MlirStringRef,
    /// Help text.
    pub help: MlirStringRef,
    /// Value where none is given.
    pub initial: MlirStringRef,
    /// Kind.
    pub kind: OptionKind,
}

/// Takes a message; the first argument is passed through.
pub type Report = unsafe extern "C" fn(*mut c_void, MlirStringRef);

/// A pass or pipeline as the C++ side sees it. It lives as long as the process.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinterPass {
    /// Name on the command line and in textual pipelines.
    pub name: MlirStringRef,
    /// One line of help.
    pub summary: MlirStringRef,
    /// Operation that it runs on, or empty for any.
    pub anchor: MlirStringRef,
    /// Number of `dialects`.
    pub dialect_count: isize,
    /// Dialects that must be loaded before it runs.
    pub dialects: *const MlirStringRef,
    /// Number of `options`.
    pub option_count: isize,
    /// Options in order; values are handed over in the same order.
    pub options: *const SinterOption,
    /// First argument of the functions.
    pub data: *mut c_void,
    /// Whether the values are acceptable; reports why not.
    pub check:
        unsafe extern "C" fn(*mut c_void, isize, *const MlirStringRef, Report, *mut c_void) -> bool,
    /// Runs a pass.
    pub run: unsafe extern "C" fn(*mut c_void, MlirOperation, isize, *const MlirStringRef) -> bool,
    /// Reports a pipeline's steps as a textual pipeline.
    pub expand:
        unsafe extern "C" fn(*mut c_void, isize, *const MlirStringRef, Report, *mut c_void) -> bool,
}

/// Called around every pass, on the thread that runs it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinterTrace {
    /// Before a pass, with its name and the operation that it runs on.
    pub enter: unsafe extern "C" fn(MlirStringRef, MlirOperation),
    /// After it, also when it failed.
    pub leave: unsafe extern "C" fn(),
}

/// Adds reduction patterns for the named operations, all of one dialect, to a set.
pub type Populate =
    unsafe extern "C" fn(MlirContext, MlirRewritePatternSet, isize, *const MlirStringRef);

unsafe extern "C" {
    /// Adds the `graph` dialect to a registry.
    pub fn sinterInsertGraphDialect(registry: MlirDialectRegistry);
    /// Adds the `tloop` dialect to a registry.
    pub fn sinterInsertTloopDialect(registry: MlirDialectRegistry);
    /// Adds the `npu` dialect to a registry.
    pub fn sinterInsertNpuDialect(registry: MlirDialectRegistry);
    /// Remembers a dialect of another crate for the functions below.
    pub fn sinterAddDialect(insert: unsafe extern "C" fn(MlirDialectRegistry));
    /// Adds all upstream dialects with their extensions and LLVM translations, ours, and those of other
    /// crates.
    pub fn sinterInsertAllDialects(registry: MlirDialectRegistry);
    /// Adds those of other crates, and ours where the registry has none of the name.
    pub fn sinterInsertPluginDialects(registry: MlirDialectRegistry);

    /// Emits a diagnostic with notes.
    pub fn sinterEmit(
        severity: Severity,
        location: MlirLocation,
        message: MlirStringRef,
        note_count: isize,
        note_locations: *const MlirLocation,
        notes: *const MlirStringRef,
    );
    /// Emits an error at an operation, with "'dialect.op' op " before it.
    pub fn sinterEmitOpError(op: MlirOperation, message: MlirStringRef);
    /// Emits an optimisation remark, if the context has remarks enabled for its category.
    pub fn sinterEmitRemark(
        kind: RemarkKind,
        location: MlirLocation,
        text: *const RemarkText,
        metric_count: isize,
        metric_keys: *const MlirStringRef,
        metric_values: *const MlirStringRef,
    );

    /// Whether an operation has no effects and may be speculated.
    pub fn sinterOperationIsPure(op: MlirOperation) -> bool;
    /// Whether an operation, and all within it, has no memory effects.
    pub fn sinterOperationIsMemoryEffectFree(op: MlirOperation) -> bool;
    /// Whether an operation has no uses and may be erased.
    pub fn sinterOperationIsTriviallyDead(op: MlirOperation) -> bool;

    /// The bytes of a dense resource; null if it has none.
    pub fn sinterDenseResourceData(attribute: MlirAttribute, size: *mut isize) -> *const c_void;

    /// Adds a pass to MLIR's global registry.
    pub fn sinterRegisterPass(pass: *const SinterPass);
    /// Adds a pipeline to MLIR's global registry.
    pub fn sinterRegisterPipeline(pipeline: *const SinterPass);
    /// Makes a pass with options given as `name=value`; null if one is not acceptable.
    pub fn sinterCreatePass(
        pass: *const SinterPass,
        count: isize,
        values: *const MlirStringRef,
    ) -> MlirPass;
    /// Adds all upstream passes to MLIR's global registry.
    pub fn sinterRegisterUpstreamPasses();
    /// Whether MLIR's global registry has a pass or pipeline of the name.
    pub fn sinterIsPassRegistered(name: MlirStringRef) -> bool;

    /// `mlir-opt` with all dialects and the registered passes.
    pub fn sinterOptMain(
        argc: c_int,
        argv: *mut *mut c_char,
        name: MlirStringRef,
        trace: *const SinterTrace,
    ) -> c_int;
    /// `mlir-lsp-server` with all dialects.
    pub fn sinterLspServerMain(argc: c_int, argv: *mut *mut c_char) -> c_int;
    /// `mlir-reduce` with all dialects, and with the patterns that `populate` adds for the dialects of kernels.
    pub fn sinterReduceMain(argc: c_int, argv: *mut *mut c_char, populate: Populate) -> c_int;
}
