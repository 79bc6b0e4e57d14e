//! MLIR's reducer with Sinter's dialects and passes.

use std::process::{ExitCode, exit};

use sinter_pass::{Registry, pipelines};

fn main() -> ExitCode {
    sinter_ir::hooks::install();
    let passes = sinter_transforms::passes()
        .into_iter()
        .chain(sinter_conversion::passes());
    match Registry::new(passes, pipelines::ALL.iter().copied()) {
        Ok(registry) => registry.register(),
        Err(error) => {
            eprintln!("sinter-reduce: {error}");
            return ExitCode::FAILURE;
        }
    }
    exit(sinter_sys::tools::reduce());
}
