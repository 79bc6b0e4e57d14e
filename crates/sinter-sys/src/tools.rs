//! The mains of MLIR's tools, with every dialect and the registered passes.

use std::ffi::{CString, c_char, c_int};
use std::io::Write;
use std::os::unix::ffi::OsStringExt;

use crate::lsp;
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

/// `mlir-lsp-server` on the process's arguments, under our name and with the documentation of our
/// operations. Returns the exit code.
pub fn lsp_server() -> i32 {
    // SAFETY: the arguments are those of a C main.
    let main = || with_arguments(|argc, argv| unsafe { sinterLspServerMain(argc, argv) });
    // Help is no message, and the process ends with it.
    let asks = |a: std::ffi::OsString| {
        let text = a.to_string_lossy().trim_start_matches('-').to_owned();
        ["h", "help", "version"].iter().any(|w| text == *w) || text.starts_with("help-")
    };
    match std::env::args_os().skip(1).any(asks) {
        true => main(),
        false => lsp::serve(main).unwrap_or_else(|error| {
            // Said, since nothing else says why there is no server.
            let _ = writeln!(std::io::stderr(), "sinter-lsp-server: {error}");
            1
        }),
    }
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
