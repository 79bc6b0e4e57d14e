//! The log of the tools: events and spans of `tracing`, on standard error.
//!
//! A filter is a level or targets with levels: `info`, `sinter_fusion=debug`, `sinter_pass=info,warn`. Targets
//! are crates and their modules; `[fuse]=debug` is a span. A word that is neither is refused, for it would filter
//! everything out without a word; targets of crates outside are taken with a level.
//!
//! | target | says |
//! |---|---|
//! | `sinter_pass` | a span per pass (`info`), with its time |
//! | `sinter_driver` | a span per stage of a compilation (`info`) |
//! | `sinter_fusion` | a span per stage of fusion, and every refusal with its code and nodes (`debug`) |
//! | `sinter_onnx` | what was imported (`debug`) |

mod filter;

use std::cell::RefCell;
use std::io::IsTerminal;

use melior::ir::operation::{OperationLike, OperationRef};
use mlir_sys::{MlirOperation, MlirStringRef};
use sinter_ir::attr;
use sinter_ir::graph::op_name;
use sinter_sys::shim::{SinterTrace, text};
use tracing::span::EnteredSpan;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

pub use filter::{SPANS, TARGETS};

/// The environment variable that tools take a filter from, where none is given.
pub const VARIABLE: &str = "SINTER_LOG";

/// Starts the log. Spans are written when they end.
///
/// # Errors
/// When the text is no filter, or names what does not log.
pub fn start(filter: &str) -> Result<(), String> {
    let refused = |why: String| format!("--log '{filter}' is no filter: {why}");
    filter::check(filter).map_err(refused)?;
    let filter = EnvFilter::try_new(filter).map_err(|error| refused(error.to_string()))?;
    // A second start would be another tool's main in the same process; the first log stays.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(|| sinter_io::Log)
        .log_internal_errors(false)
        .try_init();
    Ok(())
}

/// The filter of `--log FILTER` or `--log=FILTER` among arguments, or of the environment.
pub fn requested(arguments: impl Iterator<Item = String>) -> Option<String> {
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        let flag = argument.strip_prefix("--").or(argument.strip_prefix('-'));
        match flag.and_then(|f| f.strip_prefix("log")) {
            Some("") => return arguments.next(),
            Some(rest) if rest.starts_with('=') => return Some(rest[1..].to_owned()),
            _ => {}
        }
    }
    std::env::var(VARIABLE).ok()
}

/// A span around every pass that MLIR's pass manager runs.
pub static PASSES: SinterTrace = SinterTrace { enter, leave };

thread_local! {
    /// Spans of the passes that run on this thread, the innermost last.
    static RUNNING: RefCell<Vec<EnteredSpan>> = const { RefCell::new(Vec::new()) };
}

unsafe extern "C" fn enter(pass: MlirStringRef, op: MlirOperation) {
    // SAFETY: both are alive during the call.
    let (pass, op) = unsafe { (text(pass), OperationRef::from_raw(op)) };
    let symbol = op.attribute("sym_name").ok().and_then(attr::as_str);
    let on = match symbol {
        Some(symbol) => format!("{} @{symbol}", op_name(op)),
        None => op_name(op),
    };
    let span = tracing::info_span!(target: "sinter_pass", "pass", name = pass, on);
    RUNNING.with_borrow_mut(|running| running.push(span.entered()));
}

unsafe extern "C" fn leave() {
    let ended = RUNNING.with_borrow_mut(Vec::pop);
    drop(ended);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> Option<String> {
        requested(arguments.iter().map(|a| (*a).to_owned()))
    }

    #[test]
    fn the_filter_is_found_in_each_spelling() {
        let expected = Some("debug".to_owned());
        assert_eq!(of(&["a.mlir", "--log", "debug"]), expected);
        assert_eq!(of(&["--log=debug", "a.mlir"]), expected);
        assert_eq!(of(&["-log=debug"]), expected);
    }

    #[test]
    fn other_flags_of_the_prefix_are_not_it() {
        assert_eq!(
            of(&["--log-actions-to=a", "--log=info"]),
            Some("info".to_owned())
        );
    }

    #[test]
    fn a_text_that_is_no_filter_is_refused() {
        let error = start("nonsense===").unwrap_err();
        assert!(
            error.starts_with("--log 'nonsense===' is no filter"),
            "{error}"
        );
    }
}
