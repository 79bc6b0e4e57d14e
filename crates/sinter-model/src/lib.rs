//! The offline model container.
//!
//! `MODEL.sinter` holds everything that a run needs: a manifest (what the model takes and gives, its
//! memory, its kernels and its program), a shared object with the kernels, and the weights, ready to
//! be mapped. The format is described in `docs/container.md`.
//!
//! | module | holds |
//! |---|---|
//! | [`manifest`] | what the container says about the model |
//! | [`program`] | launches, barriers, loops and the buffers they name |
//! | [`extent`] | sizes and offsets, affine over the model's symbols |
//! | [`container`] | the reader: maps a file and checks all of it |
//! | [`writer`] | the writer, and the packer for weights |
//! | [`validate`] | what a manifest must satisfy, for reader and writer alike |
//! | [`hazard`] | launches that are not independent though no barrier parts them |
//! | [`error`] | what can go wrong, with the way out |
//!
//! A checksum protects against damage, not against malice: a model holds machine code, and running
//! a model is running its code.

pub mod container;
pub mod error;
pub mod extent;
mod format;
pub mod hazard;
pub mod manifest;
pub mod program;
pub mod validate;
pub mod writer;

pub use container::Container;
pub use error::Error;
pub use extent::Extent;
pub use manifest::{
    Disjoint, InPlace, Kernel, Manifest, Port, Space, StageTime, Statistics, Symbol, Target,
    element_bytes,
};
pub use program::{BufferRef, Record};
pub use writer::{Weights, check_writable, to_bytes, write, write_bytes};

/// The version of the container format that this crate writes and reads.
pub const FORMAT_VERSION: u32 = 1;

/// Alignment of every weight, every arena offset and every buffer handed to a kernel, in bytes.
pub const BUFFER_ALIGN: u64 = 64;
