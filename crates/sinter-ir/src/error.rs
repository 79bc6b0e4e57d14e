//! Errors of this crate.

use std::path::PathBuf;

use sinter_ops::OpError;

use crate::diagnostic::Diagnostics;

/// Why something could not be read, written or converted. Messages carry the location where one is
/// known, and no full stop.
#[derive(Debug, thiserror::Error)]
pub enum IrError {
    /// A file could not be read or written.
    #[error("{path}: {cause}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: std::io::Error,
    },
    /// Text or bytecode that MLIR could not parse, or IR that does not verify.
    #[error("{0}")]
    Invalid(Diagnostics),
    /// IR that is valid but has no counterpart in the plain data.
    #[error("{0} is not supported here")]
    Unsupported(String),
    /// IR that lacks something.
    #[error("{0}")]
    Missing(String),
    /// Plain data that an algorithm refuses, with its reason.
    #[error("{0}")]
    Refused(String),
    /// An operator that does not take its attributes or operands.
    #[error("'{operation}'{at}: {cause}", at = place(location))]
    Operator {
        /// Name of the operation, with its dialect.
        operation: String,
        /// Names of the ONNX nodes, separated by commas; empty when there is none.
        location: String,
        /// The cause.
        cause: OpError,
    },
}

fn place(location: &str) -> String {
    if location.is_empty() {
        String::new()
    } else {
        format!(" at node '{location}'")
    }
}

/// What melior says of an operand, result, argument or attribute that is not there.
pub fn missing(error: melior::Error) -> IrError {
    IrError::Missing(error.to_string())
}
