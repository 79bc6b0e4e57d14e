//! Makes a module that shows a fault small; MLIR's reducer with Sinter's dialects, passes and patterns.

use std::process::ExitCode;

fn main() -> ExitCode {
    sinter_reducer::command::main(&[&sinter_test_passes::EXTENSION])
}
