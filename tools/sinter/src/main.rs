//! The `sinter` command: compiles, runs, measures and explains models.

use std::process::ExitCode;

fn main() -> ExitCode {
    sinter_cli::run(&[])
}
