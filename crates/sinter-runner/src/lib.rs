//! Runs, measures and describes offline models, with neither LLVM nor MLIR in the process: what `sinter-run`
//! is made of, and what `sinter` does once it has compiled.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use sinter_runner::{RunOptions, load, run};
//!
//! let model = load("model.sinter".as_ref())?;
//! let options = RunOptions { random: Some(1), ..RunOptions::default() };
//! for (name, tensor) in run(&model, &options)? {
//!     println!("{name}: {}", tensor.ty());
//! }
//! # Ok(())
//! # }
//! ```

mod bench;
mod error;
mod execute;
mod inspect;
pub mod terminal;

use std::path::Path;

use sinter_runtime::Model;

pub use bench::{BenchReport, KernelTime, bench};
pub use error::Error;
pub use execute::{
    RunOptions, TensorSummary, cores, input_files, inputs, port_type, run, run_session, session,
    write_outputs,
};
pub use inspect::{Inspection, inspect};

/// Loads an offline model.
///
/// # Errors
/// When the file is no offline model of this version, is damaged, or is for another processor.
pub fn load(path: &Path) -> Result<Model, Error> {
    Model::load(path).map_err(|error| Error::offline(path, error))
}
