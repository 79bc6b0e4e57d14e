//! One file per command.

mod bench;
mod calibrate;
mod compile;
mod devices;
mod doctor;
mod explain;
mod inspect;
mod run;

use std::process::ExitCode;

use crate::args::Command;

pub(crate) fn dispatch(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Compile(args) => compile::execute(&args)?,
        Command::Run(args) => run::execute(&args)?,
        Command::Bench(args) => bench::execute(&args)?,
        Command::Explain(args) => explain::execute(&args)?,
        Command::Inspect(args) => inspect::execute(&args)?,
        Command::Devices => devices::execute()?,
        Command::Calibrate(args) => calibrate::execute(&args)?,
        Command::Doctor(args) => return doctor::execute(&args),
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes text to standard output; a closed pipe is an error that `main` knows.
fn print(text: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Prints the compile time per stage to standard error.
fn print_timing(timing: &[sinter_driver::StageTime]) {
    let total: f64 = timing.iter().map(|t| t.ms).sum();
    eprintln!("{:<28} {:>10}  {:>6}", "stage", "ms", "share");
    for t in timing {
        eprintln!(
            "{:<28} {:>10.2}  {:>5.1} %",
            t.stage,
            t.ms,
            100.0 * t.ms / total
        );
    }
    eprintln!("{:<28} {total:>10.2}", "total");
}
