//! MLIR's reducer with Sinter's dialects and passes.

use std::process::{ExitCode, exit};

fn main() -> ExitCode {
    sinter_ir::hooks::install();
    match sinter_pass::Registry::new([], sinter_pass::pipelines::ALL.iter().copied()) {
        Ok(registry) => registry.register(),
        Err(error) => {
            eprintln!("sinter-reduce: {error}");
            return ExitCode::FAILURE;
        }
    }
    exit(sinter_sys::tools::reduce());
}
