//! Runs and measurements of any model file: compiled first where it is not.

use std::path::Path;

use sinter_loops::tensor::Tensor;
use sinter_model::StageTime;
use sinter_runner::{BenchReport, RunOptions};

use crate::error::Error;
use crate::load::load;
use crate::options::CompileOptions;

/// What a run gave.
#[derive(Debug)]
pub struct Done {
    /// Outputs by name, in the model's order.
    pub outputs: Vec<(String, Tensor)>,
    /// Compile time per stage, when the model was compiled for this run.
    pub timing: Vec<StageTime>,
}

/// Runs a model once. `path` is an ONNX model, an offline model, or MLIR at any level.
///
/// # Errors
/// When the model cannot be compiled or loaded, an input has no value or one of another type, or a
/// transfer of a scratchpad device broke the rules.
pub fn run(path: &Path, compile: &CompileOptions, options: &RunOptions) -> Result<Done, Error> {
    let (model, timing) = load(path, compile)?;
    let outputs = sinter_runner::run(&model, options)?;
    Ok(Done { outputs, timing })
}

/// A benchmark's figures, and where compile time went.
#[derive(Debug)]
pub struct Bench {
    /// Figures.
    pub report: BenchReport,
    /// Compile time per stage.
    pub timing: Vec<StageTime>,
}

/// Measures a model on random inputs; the first runs are dropped.
///
/// # Errors
/// As [`run`].
pub fn bench(
    path: &Path,
    compile: &CompileOptions,
    threads: Option<usize>,
    runs: usize,
) -> Result<Bench, Error> {
    let (model, timing) = load(path, compile)?;
    let mut report = sinter_runner::bench(&model, threads, runs)?;
    // The sum of nothing is -0.0.
    report.compile_ms = timing.iter().fold(0.0, |ms, t| ms + t.ms);
    Ok(Bench { report, timing })
}
