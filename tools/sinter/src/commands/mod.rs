//! One file per command.

mod bench;
mod calibrate;
mod compile;
mod devices;
mod doctor;
mod explain;
mod inspect;
mod run;

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use sinter_runner::terminal::print;

use crate::args::{Command, CompileArgs};

pub(crate) fn dispatch(command: Command, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    match command {
        Command::Compile(args) => compile::execute(&args)?,
        Command::Run(args) => {
            refuse_compile_options(&args.model, matches)?;
            run::execute(&args)?;
        }
        Command::Bench(args) => {
            refuse_compile_options(&args.model, matches)?;
            bench::execute(&args)?;
        }
        Command::Explain(args) => {
            if let Some(model) = &args.model {
                refuse_compile_options(model, matches)?;
            }
            explain::execute(&args)?;
        }
        Command::Inspect(args) => inspect::execute(&args)?,
        Command::Devices => devices::execute()?,
        Command::Calibrate(args) => calibrate::execute(&args)?,
        Command::Doctor(args) => return doctor::execute(&args),
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses options that say how to compile a model that is compiled already.
fn refuse_compile_options(model: &Path, matches: &ArgMatches) -> anyhow::Result<()> {
    if model.extension().is_none_or(|e| e != "sinter") {
        return Ok(());
    }
    let Some((command, given)) = matches.subcommand() else {
        return Ok(());
    };
    let options = CompileArgs::augment_args(clap::Command::new("options"));
    let on_the_command_line = |option: &&clap::Arg| {
        given.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let option = options.get_arguments().find(on_the_command_line);
    match option.and_then(clap::Arg::get_long) {
        Some(option) => bail!(
            "'{}' is compiled already, --{option} comes too late: give it to `sinter compile`, or the ONNX model to \
             `sinter {command}`",
            model.display()
        ),
        None => Ok(()),
    }
}

/// Prints the compile time per stage to standard error.
fn print_timing(timing: &[sinter_driver::StageTime]) {
    let total: f64 = timing.iter().map(|t| t.ms).sum();
    sinter_io::say!("{:<28} {:>10}  {:>6}", "stage", "ms", "share");
    for t in timing {
        sinter_io::say!(
            "{:<28} {:>10.2}  {:>5.1} %",
            t.stage,
            t.ms,
            100.0 * t.ms / total
        );
    }
    sinter_io::say!("{:<28} {total:>10.2}", "total");
}
