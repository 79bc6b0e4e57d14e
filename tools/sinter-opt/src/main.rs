//! MLIR's opt driver with Sinter's dialects and passes: every `mlir-opt` flag works.
//!
//! `--list-passes` prints Sinter's passes with their options, and the named pipelines with their
//! numbered steps; after it, upstream's own list. `--passes-markdown` prints their documentation page.

mod test_passes;

use std::process::{ExitCode, exit};

use sinter_pass::{Registry, RegistryError, pipelines};

fn main() -> ExitCode {
    sinter_ir::hooks::install();
    match registry() {
        Ok(registry) => {
            if has_flag("list-passes") {
                print!("{}", registry.list());
            }
            if has_flag("passes-markdown") {
                print!("{}", registry.markdown());
                return ExitCode::SUCCESS;
            }
            registry.register();
        }
        Err(error) => {
            eprintln!("sinter-opt: {error}");
            return ExitCode::FAILURE;
        }
    }
    exit(sinter_sys::tools::opt("sinter-opt"));
}

/// Whether a flag was given, with one dash or two, as LLVM's command line takes it.
fn has_flag(name: &str) -> bool {
    std::env::args()
        .skip(1)
        .any(|a| a.trim_start_matches('-') == name && a.starts_with('-'))
}

fn registry() -> Result<Registry, RegistryError> {
    let passes = sinter_transforms::passes()
        .into_iter()
        .chain(sinter_conversion::passes())
        .chain(test_passes::all());
    Registry::new(passes, pipelines::ALL.iter().copied())
}
