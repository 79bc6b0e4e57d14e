//! What can go wrong with a container, with the way out.

use std::io;
use std::path::PathBuf;

use crate::FORMAT_VERSION;

/// Why a container cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened, read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// `open`, `map` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is something else.
    #[error(
        "not a Sinter model: it does not start with the container's magic; compile one with `sinter compile MODEL.onnx -o MODEL.sinter`"
    )]
    NotAModel,
    /// The file is of another format version.
    #[error(
        "the model has container format {found}, this Sinter reads format {FORMAT_VERSION}: compile the model again with this version"
    )]
    Version {
        /// The file's version.
        found: u32,
    },
    /// The file is shorter than it says.
    #[error(
        "the model is truncated, {found} of {expected} bytes are there: copy or compile it again"
    )]
    Truncated {
        /// Bytes that should be there.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// A checksum or the section table is wrong.
    #[error("the model is corrupt, {detail}: copy or compile it again")]
    Corrupt {
        /// What is wrong.
        detail: String,
    },
    /// The manifest does not fit its sections or itself.
    #[error("the model is inconsistent, {detail}: compile it again, and report this if it stays")]
    Invalid {
        /// What is wrong.
        detail: String,
    },
}

impl Error {
    pub(crate) fn corrupt(detail: impl Into<String>) -> Self {
        Self::Corrupt {
            detail: detail.into(),
        }
    }

    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::Invalid {
            detail: detail.into(),
        }
    }
}
