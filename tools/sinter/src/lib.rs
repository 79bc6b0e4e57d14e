//! The `sinter` command as a library, for tools that install extensions before it.
//!
//! Standard output is the result, standard error the log. Exit codes: 0 done; 1 the input or request
//! was at fault; 2 a usage error.

mod args;
mod commands;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use sinter_driver::extension::Extension;

/// The command, with extensions, on the process's arguments.
pub fn run(extensions: &[&'static Extension]) -> ExitCode {
    if let Err(error) = extensions.iter().try_for_each(|e| e.install()) {
        sinter_io::say!("error: {error}");
        return ExitCode::from(1);
    }
    let matches = args::Cli::command().get_matches();
    let cli = match args::Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    if let Err(error) = sinter_driver::log::start(&cli.log) {
        sinter_io::say!("error: {error}");
        return ExitCode::from(2);
    }
    match commands::dispatch(cli.command, &matches) {
        Ok(code) => code,
        Err(error) => sinter_runner::terminal::failure(&error),
    }
}
