//! `sinter` with the `dsp` extension.

use std::process::ExitCode;

fn main() -> ExitCode {
    sinter_cli::run(&[&dsp::EXTENSION])
}
