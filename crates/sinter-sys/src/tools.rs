//! The mains of MLIR's tools, with every dialect and the registered passes.

use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStringExt;

use crate::shim::{
    Populate, SinterTrace, sinterLspServerMain, sinterOptMain, sinterReduceMain, string_ref,
};

/// `mlir-opt` under another name, on the process's arguments, with every pass told to `trace`. Returns the
/// exit code.
pub fn opt(name: &str, trace: Option<&'static SinterTrace>) -> i32 {
    let trace = trace.map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the arguments are those of a C main; the name outlives the call, the trace the process.
    with_arguments(|argc, argv| unsafe { sinterOptMain(argc, argv, string_ref(name), trace) })
}

/// `mlir-lsp-server` on the process's arguments. Returns the exit code.
pub fn lsp_server() -> i32 {
    // SAFETY: the arguments are those of a C main.
    with_arguments(|argc, argv| unsafe { sinterLspServerMain(argc, argv) })
}

/// `mlir-reduce` on the process's arguments, with the reduction patterns that `populate` adds for each
/// dialect that kernels are made of. Returns the exit code.
pub fn reduce(populate: Populate) -> i32 {
    // SAFETY: the arguments are those of a C main.
    with_arguments(|argc, argv| unsafe { sinterReduceMain(argc, argv, populate) })
}

/// The process's arguments as a C main gets them; they stay alive, for MLIR keeps some.
fn with_arguments(main: impl FnOnce(c_int, *mut *mut c_char) -> c_int) -> i32 {
    let mut argv: Vec<*mut c_char> = std::env::args_os()
        .filter_map(|argument| CString::new(argument.into_vec()).ok())
        .map(CString::into_raw)
        .collect();
    let argc = argv.len() as c_int;
    argv.push(std::ptr::null_mut());
    main(argc, Vec::leak(argv).as_mut_ptr())
}
