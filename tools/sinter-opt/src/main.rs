//! MLIR's opt driver with Sinter's dialects and passes: every `mlir-opt` flag works.
//!
//! `--list-passes` prints Sinter's passes with their options, and the named pipelines with their
//! numbered steps; after it, upstream's own list. `--passes-markdown` prints their documentation page.

use std::process::ExitCode;

fn main() -> ExitCode {
    sinter_driver::extension::opt("sinter-opt", &[&sinter_test_passes::EXTENSION])
}
