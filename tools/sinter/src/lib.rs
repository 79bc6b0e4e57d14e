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
        eprintln!("error: {error}");
        return ExitCode::from(1);
    }
    let matches = args::Cli::command().get_matches();
    let cli = match args::Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    if let Err(error) = sinter_driver::log::start(&cli.log) {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    match commands::dispatch(cli.command, &matches) {
        Ok(code) => code,
        Err(error) => {
            // A closed pipe on standard output is the reader's choice, not a failure of ours.
            let closed = error
                .downcast_ref::<std::io::Error>()
                .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe);
            if closed {
                return ExitCode::SUCCESS;
            }
            eprintln!("error: {}", one_line(&with_causes(&error)));
            ExitCode::from(1)
        }
    }
}

/// A message with those of its causes that it does not already repeat.
fn with_causes(error: &anyhow::Error) -> String {
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !message.contains(&cause) {
            message += &format!(": {cause}");
        }
    }
    message
}

/// A message in one line that does nothing to a terminal: names in a model may hold any character.
fn one_line(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    for c in message.chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    #[test]
    fn causes_are_named_once() {
        let cause = std::io::Error::other("disk full");
        let error = anyhow::Error::from(cause).context("cannot write 'a': disk full");
        assert_eq!(super::with_causes(&error), "cannot write 'a': disk full");
        let cause = std::io::Error::other("disk full");
        let error = anyhow::Error::from(cause).context("cannot write 'a'");
        assert_eq!(super::with_causes(&error), "cannot write 'a': disk full");
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(super::one_line("'a\n\u{1b}b' 模型"), "'a\\n\\u{1b}b' 模型");
    }
}
