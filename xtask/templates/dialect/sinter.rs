//! `sinter` with the `@snake@` dialect.

use std::process::ExitCode;

fn main() -> ExitCode {
    sinter_cli::run(&[&@snake@::EXTENSION])
}
