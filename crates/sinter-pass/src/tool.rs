//! The main of `sinter-opt` and of tools like it.

use std::io::Write;
use std::process::{ExitCode, exit};

use crate::log;
use crate::registry::Registry;

/// `mlir-opt` under another name with every dialect and the registry's passes, on the process's
/// arguments; does not return once MLIR has taken over.
///
/// `--list-passes` prints the registry's passes with their options, and the named pipelines with their
/// numbered steps; after it, upstream's own list. `--passes-markdown` prints their documentation page.
/// `--log FILTER` starts the [`log`](mod@crate::log), with a span per pass.
pub fn opt(name: &str, registry: Registry) -> ExitCode {
    sinter_ir::hooks::install();
    if has_flag("list-passes")
        && let Err(code) = print(name, &registry.list())
    {
        return code;
    }
    if has_flag("passes-markdown") {
        return print(name, &registry.markdown()).map_or_else(|code| code, |()| ExitCode::SUCCESS);
    }
    let filter = log::requested(std::env::args().skip(1));
    if let Some(Err(error)) = filter.as_deref().map(log::start) {
        sinter_io::say!("{name}: {error}");
        return ExitCode::FAILURE;
    }
    registry.register();
    exit(sinter_sys::tools::opt(name, filter.map(|_| &log::PASSES)));
}

/// Writes text to standard output; a reader that closed it wants no more, and is no failure.
fn print(name: &str, text: &str) -> Result<(), ExitCode> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        _ => {
            sinter_io::say!("{name}: cannot write to standard output: {error}");
            ExitCode::FAILURE
        }
    })
}

/// Whether a flag was given, with one dash or two, as LLVM's command line takes it.
fn has_flag(name: &str) -> bool {
    std::env::args()
        .skip(1)
        .any(|a| a.trim_start_matches('-') == name && a.starts_with('-'))
}
