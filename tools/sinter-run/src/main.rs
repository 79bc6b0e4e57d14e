//! The `sinter-run` command: what `sinter` does with an offline model, where there is no compiler.
//!
//! Standard output is the result, standard error what went wrong. Exit codes: 0 done; 1 the input or request
//! was at fault; 2 a usage error.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};
use sinter_runner::terminal::{at_least_one, failure, print, summaries};
use sinter_runner::{RunOptions, bench, input_files, inspect, load, run, write_outputs};

/// Runs, measures and describes offline models, with neither LLVM nor MLIR
#[derive(Parser)]
#[command(name = "sinter-run", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a model once and write its outputs
    Run(Run),
    /// Measure the latency of a model
    Bench(Bench),
    /// Show what an offline model holds
    Inspect(Inspect),
}

#[derive(Args)]
struct Run {
    /// Offline model
    model: PathBuf,
    /// Value of an input from a NumPy file; may be given several times
    #[arg(long = "input", value_name = "NAME=FILE.npy")]
    inputs: Vec<String>,
    /// Fill the other inputs with random values from this seed
    #[arg(long, value_name = "SEED")]
    random_inputs: Option<u64>,
    /// Write each output as OUTPUT.npy into this directory
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Most threads that the run may use, of those that the processor runs at once
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    threads: Option<usize>,
    /// On a scratchpad device: complete each transfer as late as its wait allows
    #[arg(long)]
    adversarial: bool,
}

#[derive(Args)]
struct Bench {
    /// Offline model
    model: PathBuf,
    /// Most threads that a run may use, of those that the processor runs at once
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    threads: Option<usize>,
    /// Number of timed runs
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = at_least_one)]
    runs: usize,
    /// Time per kernel too
    #[arg(long)]
    kernels: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Inspect {
    /// Offline model
    model: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match execute(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure(&error),
    }
}

fn execute(command: Command) -> Result<()> {
    let text = match command {
        Command::Run(args) => {
            let options = RunOptions {
                inputs: input_files(&args.inputs)?,
                random: args.random_inputs,
                threads: args.threads,
                adversarial: args.adversarial,
            };
            let outputs = run(&load(&args.model)?, &options)?;
            if let Some(directory) = &args.output_dir {
                write_outputs(directory, &outputs)?;
            }
            summaries(&outputs)
        }
        Command::Bench(args) => {
            let report = bench(&load(&args.model)?, args.threads, args.runs)?;
            match (args.json, args.kernels) {
                (true, _) => serde_json::to_string_pretty(&report)?,
                (false, true) => format!("{report:#}"),
                (false, false) => report.to_string(),
            }
        }
        Command::Inspect(args) => {
            let report = inspect(&args.model)?;
            match args.json {
                true => serde_json::to_string_pretty(&report)?,
                false => report.to_string(),
            }
        }
    };
    Ok(print(&text)?)
}
