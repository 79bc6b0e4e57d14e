//! `sinter-opt` with the `dsp` extension.

use std::process::ExitCode;

fn main() -> ExitCode {
    sinter_driver::extension::opt("my-opt", &[&dsp::EXTENSION])
}
