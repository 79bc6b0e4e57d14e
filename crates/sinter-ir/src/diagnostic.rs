//! Diagnostics: captured into data, and emitted from Rust.

use std::cell::RefCell;
use std::ffi::CString;
use std::fmt;
use std::rc::Rc;

use melior::diagnostic::{Diagnostic as RawDiagnostic, DiagnosticHandlerId, DiagnosticSeverity};
use melior::ir::Location;

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Severity {
    Error,
    Warning,
    Note,
    Remark,
}

/// A diagnostic with its place and notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How grave.
    pub severity: Severity,
    /// The location as MLIR prints it: `file.mlir:3:5`, `"conv1"`, ...
    pub location: String,
    /// Message.
    pub message: String,
    /// Attached notes.
    pub notes: Vec<Diagnostic>,
}

impl Diagnostic {
    fn from_raw(raw: &RawDiagnostic<'_>) -> Self {
        let severity = match raw.severity() {
            DiagnosticSeverity::Error => Severity::Error,
            DiagnosticSeverity::Warning => Severity::Warning,
            DiagnosticSeverity::Note => Severity::Note,
            DiagnosticSeverity::Remark => Severity::Remark,
        };
        Self {
            severity,
            location: plain_location(&raw.location().to_string()),
            message: raw.to_string(),
            notes: (0..raw.note_count())
                .filter_map(|i| raw.note(i).ok())
                .map(|note| Self::from_raw(&note))
                .collect(),
        }
    }
}

/// `loc("a.mlir":3:5)` as `a.mlir:3:5`, `loc("conv1")` as `conv1`, `loc(unknown)` as an empty text.
fn plain_location(text: &str) -> String {
    let inner = text
        .strip_prefix("loc(")
        .and_then(|t| t.strip_suffix(')'))
        .unwrap_or(text);
    if inner == "unknown" {
        return String::new();
    }
    match inner.strip_prefix('"').and_then(|t| t.split_once('"')) {
        Some((name, rest)) => format!("{name}{rest}"),
        None => inner.to_string(),
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.location.is_empty() {
            write!(f, "{}: ", self.location)?;
        }
        f.write_str(&self.message)?;
        for note in &self.notes {
            write!(f, "; note: {note}")?;
        }
        Ok(())
    }
}

/// What was said while something failed: every diagnostic, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// The errors among them.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter().filter(|d| d.severity == Severity::Error)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut errors = self.errors();
        match errors.next() {
            None => f.write_str("no diagnostic was given"),
            Some(first) => {
                write!(f, "{first}")?;
                let more = errors.count();
                if more > 0 {
                    write!(f, " (and {more} more)")
                } else {
                    Ok(())
                }
            }
        }
    }
}

/// Collects the diagnostics of a context from its making until [`Capture::finish`].
pub struct Capture<'c> {
    context: &'c melior::Context,
    id: DiagnosticHandlerId,
    seen: Rc<RefCell<Vec<Diagnostic>>>,
}

impl<'c> Capture<'c> {
    /// Starts to collect; other handlers of the context see nothing meanwhile.
    pub fn start(context: &'c melior::Context) -> Self {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let sink = Rc::clone(&seen);
        let id = context.attach_diagnostic_handler(move |raw| {
            sink.borrow_mut().push(Diagnostic::from_raw(&raw));
            true
        });
        Self { context, id, seen }
    }

    /// Stops and returns what was said.
    pub fn finish(self) -> Diagnostics {
        Diagnostics(self.seen.take())
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        self.context.detach_diagnostic_handler(self.id);
    }
}

/// Emits an error at a location.
pub fn emit_error(location: Location<'_>, message: &str) {
    let text = CString::new(message.replace('\0', " ")).unwrap_or_default();
    // SAFETY: the location is alive and the text is a terminated string that MLIR copies.
    unsafe { mlir_sys::mlirEmitError(location.to_raw(), text.as_ptr()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_printed_plainly() {
        assert_eq!(plain_location("loc(\"a.mlir\":3:5)"), "a.mlir:3:5");
        assert_eq!(plain_location("loc(\"conv1\")"), "conv1");
        assert_eq!(plain_location("loc(unknown)"), "");
        assert_eq!(
            plain_location("loc(fused[\"a\", \"b\"])"),
            "fused[\"a\", \"b\"]"
        );
    }

    #[test]
    fn a_capture_sees_errors_with_their_place() {
        let context = melior::Context::new();
        let capture = Capture::start(&context);
        emit_error(
            Location::name(&context, "conv1", Location::unknown(&context)),
            "too large",
        );
        let seen = capture.finish();
        assert_eq!(seen.to_string(), "conv1: too large");
        assert_eq!(seen.errors().count(), 1);
    }
}
