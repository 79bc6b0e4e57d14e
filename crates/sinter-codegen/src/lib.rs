//! Machine code from MLIR: upstream conversions to the LLVM dialect, LLVM through inkwell, and a
//! shared object through lld.
//!
//! ```text
//! func.func per kernel block --lower--> LLVM dialect --translate--> Bitcode (with the ABI wrapper)
//!     --object, per module, in parallel--> objects --link--> shared object
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`lower`](mod@lower) | the upstream conversions, as one pass pipeline |
//! | [`target`] | target triple, CPU and features |
//! | [`translate`](mod@translate) | LLVM dialect to LLVM bitcode, with the kernel ABI's entry point |
//! | [`object`](mod@object) | optimisation, objects and assembly |
//! | [`mod@link`] | the shared object |
//!
//! The result has no undefined symbol, and the same input gives the same bytes: nothing depends on
//! the number of threads, on paths or on the time.

mod dots;
pub mod link;
pub mod lower;
pub mod object;
mod support;
pub mod target;
pub mod translate;

pub use link::shared_object;
pub use lower::lower;
pub use object::{assembly, ir_text, object, objects};
pub use target::Target;
pub use translate::{Bitcode, KernelAbi, translate};

/// Why no machine code came out.
#[derive(Debug, thiserror::Error)]
pub enum CodegenError {
    /// An upstream conversion failed; the diagnostics say why.
    #[error("lowering to LLVM failed: {0}")]
    Lower(String),
    /// MLIR could not translate a module to LLVM IR.
    #[error("translation to LLVM IR failed")]
    Translate,
    /// A kernel's function is not in the module.
    #[error("the module has no function {0}")]
    NoFunction(String),
    /// Code of instructions that the target has not.
    #[error(
        "the code has dot products of {1}, which {0} has not: compile for a device whose name ends in +avx512 or +avx2"
    )]
    NoDots(String, &'static str),
    /// LLVM refused the module or the target.
    #[error("LLVM: {0}")]
    Llvm(String),
    /// The linker failed.
    #[error("ld.lld: {0}")]
    Link(String),
    /// The linker could not be found or run, or a temporary file could not be written.
    #[error("linking: {0}")]
    Io(#[from] std::io::Error),
}

/// Optimises and compiles modules on up to `threads` threads and links them.
///
/// # Errors
/// See [`CodegenError`].
pub fn compile(
    modules: &[Bitcode],
    target: &Target,
    threads: usize,
) -> Result<Vec<u8>, CodegenError> {
    link(objects(modules, target, threads)?, &[], target)
}

/// Links objects of kernels. `aliases` are further symbols, each with the kernel that it names too.
///
/// # Errors
/// See [`CodegenError`].
pub fn link(
    mut objects: Vec<Vec<u8>>,
    aliases: &[(String, String)],
    target: &Target,
) -> Result<Vec<u8>, CodegenError> {
    objects.push(support::object(target)?);
    shared_object(&objects, aliases)
}
