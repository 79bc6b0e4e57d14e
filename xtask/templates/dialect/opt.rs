//! `sinter-opt` with the `@snake@` dialect.

use std::process::ExitCode;

fn main() -> ExitCode {
    sinter_driver::extension::opt("@kebab@-opt", &[&@snake@::EXTENSION])
}
