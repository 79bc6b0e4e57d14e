//! What a command writes: the result to standard output, one line for what went wrong to standard error.

use std::io::Write;
use std::process::ExitCode;

use sinter_io::one_line;
use sinter_loops::tensor::Tensor;

use crate::execute::TensorSummary;

/// Writes text to standard output; a closed pipe is an error that [`failure`] knows.
///
/// # Errors
/// When standard output cannot be written.
pub fn print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// A line for each output.
pub fn summaries(outputs: &[(String, Tensor)]) -> String {
    let line = |(name, tensor): &(String, Tensor)| {
        format!("{}: {}", one_line(name), TensorSummary(tensor))
    };
    outputs.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A number of threads or runs, from the command line.
///
/// # Errors
/// When the text is no number of at least one.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("give at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

/// Says why a command failed, in one line, and gives its exit code.
pub fn failure(error: &anyhow::Error) -> ExitCode {
    // A closed pipe on standard output is the reader's choice, not a failure of ours.
    let closed = error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe);
    if closed {
        return ExitCode::SUCCESS;
    }
    sinter_io::say!("error: {}", one_line(&with_causes(error)));
    ExitCode::from(1)
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
}
