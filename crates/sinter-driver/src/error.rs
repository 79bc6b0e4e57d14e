//! What can go wrong in a command. Every message is one line that says what to do.

use std::path::PathBuf;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The ONNX model cannot be imported.
    #[error(transparent)]
    Import(#[from] sinter_onnx::ImportError),
    /// The device file cannot be used.
    #[error(transparent)]
    Device(#[from] sinter_device::DeviceError),
    /// The search for groups failed.
    #[error(transparent)]
    Fusion(#[from] sinter_fusion::FusionError),
    /// IR is not what it should be.
    #[error(transparent)]
    Ir(#[from] sinter_ir::IrError),
    /// A pass failed.
    #[error(transparent)]
    Pass(#[from] sinter_pass::run::RunError),
    /// Machine code cannot be made.
    #[error(transparent)]
    Codegen(#[from] sinter_codegen::CodegenError),
    /// The container cannot be read or written.
    #[error(transparent)]
    Model(#[from] sinter_model::Error),
    /// The model cannot be loaded or run.
    #[error(transparent)]
    Runtime(#[from] sinter_runtime::Error),
    /// The offline model is not usable, or its run failed.
    #[error(transparent)]
    Run(#[from] sinter_runner::Error),
    /// There is no such report.
    #[error(transparent)]
    Report(#[from] sinter_explain::ReportError),
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
