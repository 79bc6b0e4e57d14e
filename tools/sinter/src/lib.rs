//! The `sinter` command as a library, for tools that install extensions before it.
//!
//! Standard output is the result, standard error the log. Exit codes: 0 done; 1 the input or request
//! was at fault; 2 a usage error; 3 results differ.

mod args;
mod commands;

use std::process::ExitCode;

use clap::Parser;
use sinter_driver::extension::Extension;
use tracing_subscriber::EnvFilter;

/// The command, with extensions, on the process's arguments.
pub fn run(extensions: &[&'static Extension]) -> ExitCode {
    if let Err(error) = extensions.iter().try_for_each(|e| e.install()) {
        eprintln!("error: {error}");
        return ExitCode::from(1);
    }
    let cli = args::Cli::parse();
    let filter = EnvFilter::try_new(&cli.log).unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    match commands::dispatch(cli.command) {
        Ok(code) => code,
        Err(error) => {
            // A closed pipe on standard output is the reader's choice, not a failure of ours.
            let closed = error
                .downcast_ref::<std::io::Error>()
                .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe);
            if closed {
                return ExitCode::SUCCESS;
            }
            eprintln!("error: {error:#}");
            ExitCode::from(1)
        }
    }
}
