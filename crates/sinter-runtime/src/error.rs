//! What can go wrong when a model is loaded or run, with the way out.

use crate::dma;

/// Why a model cannot be loaded or run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The container is not fit to use.
    #[error(transparent)]
    Container(#[from] sinter_model::Error),
    /// The model is for another processor.
    #[error("the model was compiled for {wanted}, {missing}: compile it again on this machine")]
    Processor {
        /// Architecture and processor of the model.
        wanted: String,
        /// What this processor lacks.
        missing: String,
    },
    /// The kernels cannot be loaded.
    #[error("the model's kernels cannot be loaded, {detail}")]
    Object {
        /// The cause.
        detail: String,
    },
    /// A kernel is not in the shared object.
    #[error(
        "the model has no code for kernel `{symbol}`: compile it again, and report this if it stays"
    )]
    Kernel {
        /// The missing symbol.
        symbol: String,
    },
    /// Memory or threads cannot be had.
    #[error("cannot get {what}: {source}")]
    Resource {
        /// What was asked for.
        what: String,
        /// The cause.
        source: std::io::Error,
    },
    /// No or wrong values for the model's unknown sizes.
    #[error("the model needs values for its sizes: {expected}")]
    Symbols {
        /// Names and ranges.
        expected: String,
    },
    /// A run was given a wrong number of inputs or outputs.
    #[error("the model has {expected} {what}, the run was given {found}")]
    Count {
        /// `inputs` or `outputs`.
        what: &'static str,
        /// How many there are.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// An input or output has a wrong size.
    #[error("{what} `{name}` has {expected} bytes, the run was given {found}")]
    Size {
        /// `input` or `output`.
        what: &'static str,
        /// Name.
        name: String,
        /// Size that the model says.
        expected: usize,
        /// Size that was given.
        found: usize,
    },
    /// A kernel broke the rules of its device.
    #[error("kernel `{kernel}` (launch {launch}, block {block}; {origins}): {fault}")]
    Fault {
        /// The kernel's symbol.
        kernel: String,
        /// Number of the launch within the run.
        launch: u64,
        /// The block.
        block: u64,
        /// ONNX nodes of the kernel.
        origins: String,
        /// What it did.
        fault: Fault,
    },
}

/// What a kernel of a scratchpad device did wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A copy was still under way at the end of the block.
    #[error("the transfer with token {token} is never waited for")]
    NotWaited {
        /// The transfer.
        token: i64,
    },
    /// A wait for a transfer that was not issued.
    #[error("a wait for token {token}, which no transfer has")]
    NotIssued {
        /// The token.
        token: i64,
    },
    /// A token was used again before it was waited for.
    #[error("token {token} is used again before its transfer was waited for")]
    Reissued {
        /// The token.
        token: i64,
    },
    /// A copy or release reaches outside of the memory it may touch.
    #[error("{what} of {bytes} bytes reaches outside of the memory that it may touch")]
    OutOfBounds {
        /// `a read`, `a write` or `a release`.
        what: &'static str,
        /// From the first to the last byte.
        bytes: u64,
    },
    /// The extents of a descriptor make no sense.
    #[error(
        "a transfer descriptor has a negative size or more than {} dimensions",
        dma::MAX_RANK
    )]
    Descriptor,
    /// More transfers at once than any device has.
    #[error("more than {} transfers are under way", dma::MAX_PENDING)]
    TooMany,
    /// Bytes around a memory space were changed.
    #[error("a write outside of memory space `{space}`")]
    Guard {
        /// The space.
        space: String,
    },
}
