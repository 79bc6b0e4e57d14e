//! What can go wrong with an offline model. Every message is one line that says what to do.

use std::path::{Path, PathBuf};

/// Why a model was not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The container cannot be read or written.
    #[error(transparent)]
    Model(#[from] sinter_model::Error),
    /// The model cannot be loaded or run.
    #[error(transparent)]
    Runtime(#[from] sinter_runtime::Error),
    /// The file is no usable offline model.
    #[error("'{}': {source}", path.display())]
    Offline {
        /// The file.
        path: PathBuf,
        /// Why.
        source: sinter_runtime::Error,
    },
    /// A NumPy file cannot be read or written.
    #[error(transparent)]
    Npy(#[from] sinter_loops::npy::NpyError),
    /// A request that does not fit the model.
    #[error("{0}")]
    Request(String),
    /// The file system said no.
    #[error("cannot {action} '{path}': {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// File or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Error {
    /// Names the file that is no usable offline model, where the message does not name it by itself.
    pub fn offline(path: &Path, error: impl Into<sinter_runtime::Error>) -> Self {
        match error.into() {
            source @ sinter_runtime::Error::Container(sinter_model::Error::Io { .. }) => {
                Self::Runtime(source)
            }
            source => Self::Offline {
                path: path.to_owned(),
                source,
            },
        }
    }
}
