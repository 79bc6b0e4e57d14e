//! MLIR's opt driver with Sinter's dialects and passes: every `mlir-opt` flag works.
//!
//! `--list-passes` prints Sinter's passes with their options, and the named pipelines with their
//! numbered steps; after it, upstream's own list. `--passes-markdown` prints their documentation page.

mod test_passes;

use std::process::ExitCode;

use sinter_pass::{Registry, RegistryError, pipelines, tool};

fn main() -> ExitCode {
    match registry() {
        Ok(registry) => tool::opt("sinter-opt", registry),
        Err(error) => {
            eprintln!("sinter-opt: {error}");
            ExitCode::FAILURE
        }
    }
}

fn registry() -> Result<Registry, RegistryError> {
    let passes = sinter_transforms::passes()
        .into_iter()
        .chain(sinter_conversion::passes())
        .chain(test_passes::all());
    Registry::new(passes, pipelines::ALL.iter().copied())
}
