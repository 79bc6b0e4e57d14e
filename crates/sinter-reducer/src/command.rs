//! The command line of `sinter-reduce`, and of tools like it with extensions.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgGroup, CommandFactory, Parser};
use sinter_driver::extension::{self, Extension};
use sinter_ir::Context;
use sinter_ir::melior::ir::Module;
use sinter_ir::module::{PrintOptions, print, write_bytecode};

use crate::check::{CheckOptions, Fault, check_options, shows};
use crate::patterns;
use crate::question::Question;
use crate::search::reduce;

/// Makes a module that shows a fault small.
///
/// With --interesting or --test, operations, functions, results and arguments go as long as the module still
/// shows the fault. Without them, this is mlir-reduce with Sinter's dialects and reduction patterns.
#[derive(Parser, Debug)]
#[command(name = "sinter-reduce", max_term_width = 100,
          group = ArgGroup::new("question").required(true).args(["interesting", "test", "check"]))]
pub(crate) struct Cli {
    /// Module, as text or bytecode
    #[arg(value_name = "FILE.mlir")]
    module: PathBuf,
    /// What makes a module interesting
    #[arg(long, value_enum, value_name = "FAULT")]
    pub(crate) interesting: Option<Fault>,
    /// A program that is given a module's file and says with exit code 1 that it is interesting
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) test: Option<PathBuf>,
    /// Only say, with exit code 1, whether the module shows the fault: a test for mlir-reduce
    #[arg(long, value_enum, value_name = "FAULT")]
    check: Option<Fault>,
    #[command(flatten)]
    pub(crate) options: CheckOptions,
    /// Most modules that are examined
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_runs: usize,
    /// Where to write the small module; standard output without it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What goes to the log on standard error: a level, or targets with levels
    #[arg(
        long,
        env = "SINTER_LOG",
        default_value = "warn",
        value_name = "FILTER"
    )]
    log: String,
}

/// Exit code that says that a module is interesting, as `mlir-reduce` has it.
pub(crate) const INTERESTING: u8 = 1;

/// The command, with extensions, on the process's arguments.
pub fn main(extensions: &[&'static Extension]) -> ExitCode {
    match run(extensions) {
        Ok(code) => code,
        Err(error) => {
            sinter_io::say!("sinter-reduce: {error}");
            // Not the code that says 'interesting'.
            ExitCode::from(2)
        }
    }
}

fn run(extensions: &[&'static Extension]) -> Result<ExitCode, String> {
    sinter_ir::hooks::install();
    extensions
        .iter()
        .try_for_each(|e| e.install())
        .map_err(|e| e.to_string())?;
    extension::register_passes().map_err(|e| e.to_string())?;
    let asks =
        |flag: &str| std::env::args().any(|a| a == flag || a.starts_with(&format!("{flag}=")));
    if asks("--help") {
        let help = format!("{}\nAs mlir-reduce:\n\n", Cli::command().render_help());
        // Whoever does not read it does not want it.
        let _ = std::io::stdout().write_all(help.as_bytes());
    }
    if !["--interesting", "--test", "--check"].into_iter().any(asks) {
        std::process::exit(sinter_sys::tools::reduce(patterns::populate));
    }
    let cli = Cli::parse();
    sinter_driver::log::start(&cli.log)?;
    if cli.test.is_none() {
        check_options(&cli.options).map_err(|e| e.to_string())?;
    }
    if let Some(fault) = cli.check {
        return Ok(check(fault, &cli));
    }
    search(&cli)?;
    Ok(ExitCode::SUCCESS)
}

fn check(fault: Fault, cli: &Cli) -> ExitCode {
    match shows(fault, &cli.module, &cli.options) {
        Ok(true) => ExitCode::from(INTERESTING),
        Ok(false) => ExitCode::SUCCESS,
        Err(error) => {
            sinter_io::say!("{}: {error}", cli.module.display());
            ExitCode::SUCCESS
        }
    }
}

fn search(cli: &Cli) -> Result<(), String> {
    // Now rather than after the search, whose result would be lost.
    if let Some(output) = &cli.output {
        sinter_driver::check_writable(output).map_err(|e| e.to_string())?;
    }
    let context = Context::new();
    let module = context.parse_file(&cli.module).map_err(|e| e.to_string())?;
    let folder = tempfile::tempdir().map_err(|e| format!("cannot make a folder: {e}"))?;
    let question = Question {
        cli,
        folder: folder.path(),
    };
    question.check_passes(&context, &module)?;
    let start = question.ask(&module)?;
    if !start.interesting {
        let said = match start.said.trim() {
            "" => String::new(),
            said => format!(": {said}"),
        };
        return Err(format!(
            "'{}' is not interesting{said}",
            cli.module.display()
        ));
    }
    let mut fault = None;
    let (small, statistics) = reduce(module, cli.max_runs, |module| {
        if fault.is_some() {
            return false;
        }
        question
            .ask(module)
            .map(|a| a.interesting)
            .unwrap_or_else(|error| {
                fault = Some(error);
                false
            })
    });
    if let Some(error) = fault {
        return Err(error);
    }
    let stopped = if statistics.stopped { " (limit)" } else { "" };
    sinter_io::say!(
        "{} operations instead of {}, {} modules examined{stopped}",
        statistics.after,
        statistics.before,
        statistics.runs
    );
    write(&small, cli.output.as_deref())
}

/// Writes a module to a file, as bytecode where its name says so, or to standard output.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn write(module: &Module<'_>, output: Option<&Path>) -> Result<(), String> {
    if let Some(path) = output.filter(|p| p.extension().is_some_and(|e| e == "mlirbc")) {
        return write_bytecode(&module.as_operation(), path).map_err(|e| e.to_string());
    }
    let text = print(&module.as_operation(), PrintOptions::default()).map_err(|e| e.to_string())?;
    match output {
        Some(path) => sinter_driver::write_bytes(path, text.as_bytes()).map_err(|e| e.to_string()),
        None => {
            let mut out = std::io::stdout().lock();
            match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
                // Whoever read wants no more.
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
                written => written.map_err(|e| format!("cannot write to standard output: {e}")),
            }
        }
    }
}
