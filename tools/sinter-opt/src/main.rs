//! MLIR's opt driver with Sinter's dialects and passes: every `mlir-opt` flag works.
//!
//! `--list-passes` prints Sinter's passes with their options, and the named pipelines with their
//! numbered steps; after it, upstream's own list.

mod test_passes;

use std::process::{ExitCode, exit};

use sinter_pass::{Registry, RegistryError, pipelines};

fn main() -> ExitCode {
    sinter_ir::hooks::install();
    match registry() {
        Ok(registry) => {
            if std::env::args().any(|a| a == "--list-passes" || a == "-list-passes") {
                print!("{}", registry.list());
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

fn registry() -> Result<Registry, RegistryError> {
    let passes = sinter_transforms::passes()
        .into_iter()
        .chain(sinter_conversion::passes())
        .chain(test_passes::all());
    Registry::new(passes, pipelines::ALL.iter().copied())
}
