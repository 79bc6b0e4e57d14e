//! What a fault is, and whether a module shows it.
//!
//! | fault | a module shows it when |
//! |---|---|
//! | `wrong-result` | it compiles and runs, and its outputs are not those of the reference evaluation |
//! | `slower-than-unfused` | it runs slower than with a kernel per operator, by more than a margin |
//! | `verifier-failure` | a pass leaves IR that the verifier refuses |
//! | `failure` | a pass, the compilation or the run fails or crashes |
//!
//! With passes, these run first: results and times are those of the module that they leave.

use std::path::Path;

use clap::{Args, ValueEnum};
use sinter_driver::{CompileOptions, RunOptions, bench, run};
use sinter_ir::melior::ir::Module;
use sinter_ir::{Context, IrError};
use sinter_loops::random;
use sinter_loops::tensor::Tensor;

/// What is wrong with a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fault {
    /// Its outputs are not those of the reference evaluation
    WrongResult,
    /// It is slower than with a kernel per operator
    SlowerThanUnfused,
    /// A pass of --passes leaves IR that the verifier refuses
    VerifierFailure,
    /// A pass, the compilation or the run fails or crashes
    Failure,
}

impl Fault {
    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::WrongResult => "wrong-result",
            Self::SlowerThanUnfused => "slower-than-unfused",
            Self::VerifierFailure => "verifier-failure",
            Self::Failure => "failure",
        }
    }
}

/// How a module is examined.
#[derive(Args, Clone, Debug)]
pub struct CheckOptions {
    /// Passes that run before the module is examined: a pipeline as sinter-opt takes it
    #[arg(long, value_name = "PIPELINE", default_value = "")]
    pub passes: String,
    /// Device to compile for
    #[arg(long, value_name = "NAME|FILE", default_value = "host")]
    pub device: String,
    /// How operators are grouped into kernels
    #[arg(long, value_name = "POLICY", default_value = "egraph")]
    pub fusion: String,
    /// How far rewrites and lowerings may change results
    #[arg(long, value_name = "CLASS", default_value = "reassociating")]
    pub numerics: String,
    /// Seed of the inputs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// wrong-result: the difference that is right, relative to the output's largest value
    #[arg(long, value_name = "R", default_value_t = 1e-3)]
    pub rtol: f64,
    /// slower-than-unfused: how many times slower is slower
    #[arg(long, value_name = "M", default_value_t = 1.2)]
    pub margin: f64,
    /// failure: a part of the message that is looked for; with it, crashes are another fault
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub message: String,
    /// failure: run the passes alone, and say why they fail
    #[arg(long, hide = true)]
    pub passes_only: bool,
}

/// Why a module could not be examined: it does not show the fault.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The compiler or the runtime failed.
    #[error(transparent)]
    Driver(#[from] sinter_driver::Error),
    /// The module cannot be read as what is needed.
    #[error(transparent)]
    Ir(#[from] IrError),
    /// A pass failed.
    #[error(transparent)]
    Pass(#[from] sinter_pass::run::RunError),
    /// The reference evaluation refused the graph.
    #[error(transparent)]
    Reference(#[from] sinter_reference::ReferenceError),
    /// A file could not be written.
    #[error("cannot write a file: {0}")]
    Io(#[from] std::io::Error),
}

/// Timed runs of each program.
const TIMED_RUNS: usize = 15;
/// Times that each program is compiled and timed, the two in turns.
const TIMED_ROUNDS: usize = 2;

/// Refuses options that are at fault with any module, so that what is wrong with them is not taken for
/// the fault that is looked for.
///
/// # Errors
/// When there is no such pipeline, device, policy or class.
pub fn check_options(options: &CheckOptions) -> Result<(), CheckError> {
    compile_options(options, &options.fusion).check()?;
    if !options.passes.is_empty() {
        sinter_pass::run::check(&Context::new(), &options.passes)?;
    }
    Ok(())
}

/// Whether the module of a file shows a fault. Passes have been registered.
///
/// # Errors
/// When it cannot be examined.
pub fn shows(fault: Fault, file: &Path, options: &CheckOptions) -> Result<bool, CheckError> {
    match fault {
        Fault::WrongResult => wrong_result(file, options),
        Fault::SlowerThanUnfused => slower(file, options),
        Fault::VerifierFailure => verifier_failure(file, options),
        Fault::Failure => Ok(failure(file, options)),
    }
}

fn wrong_result(file: &Path, options: &CheckOptions) -> Result<bool, CheckError> {
    let context = Context::new();
    let graph = sinter_ir::module_to_graph(&context.parse_file(file)?)?;
    let inputs: Vec<Tensor> = graph
        .inputs
        .iter()
        .map(|(name, value)| random::tensor(graph.ty(*value), name, options.seed))
        .collect();
    let expected = sinter_reference::evaluate(&graph, &inputs)?;
    let got = with_passes(file, options, |file| {
        Ok(run(
            file,
            &compile_options(options, &options.fusion),
            &run_options(options),
        )?)
    })?;
    let same = got.outputs.len() == expected.len()
        && got
            .outputs
            .iter()
            .zip(&expected)
            .all(|((_, got), expected)| agree(got, expected, options.rtol));
    Ok(!same)
}

/// Whether two tensors agree up to a difference relative to the largest value that is expected.
fn agree(got: &Tensor, expected: &Tensor, rtol: f64) -> bool {
    let (got, expected) = (got.to_f64s(), expected.to_f64s());
    let finite = expected.iter().copied().filter(|v| v.is_finite());
    let largest = finite.fold(0.0, |a: f64, v| a.max(v.abs()));
    let near = |(a, b): (&f64, &f64)| {
        a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= rtol * largest
    };
    got.len() == expected.len() && got.iter().zip(&expected).all(near)
}

fn slower(file: &Path, options: &CheckOptions) -> Result<bool, CheckError> {
    let mut fused = f64::INFINITY;
    let mut unfused = f64::INFINITY;
    let least = |file: &Path, policy: &str| -> Result<f64, CheckError> {
        let bench = bench(file, &compile_options(options, policy), Some(1), TIMED_RUNS)?;
        Ok(bench.report.min_ms)
    };
    for _ in 0..TIMED_ROUNDS {
        fused = fused.min(with_passes(file, options, |file| {
            least(file, &options.fusion)
        })?);
        unfused = unfused.min(least(file, "none")?);
    }
    Ok(fused > unfused * options.margin)
}

fn verifier_failure(file: &Path, options: &CheckOptions) -> Result<bool, CheckError> {
    let context = Context::new();
    let mut module = context.parse_file(file)?;
    for step in steps(&options.passes) {
        let result = sinter_pass::run::run_unverified(&context, &mut module, step);
        if sinter_ir::module::verify(&module.as_operation()).is_err() {
            return Ok(true);
        }
        result?;
    }
    Ok(false)
}

fn failure(file: &Path, options: &CheckOptions) -> bool {
    let result = with_passes(file, options, |file| {
        if !options.passes_only {
            run(
                file,
                &compile_options(options, &options.fusion),
                &run_options(options),
            )?;
        }
        Ok(())
    });
    let Err(error) = result.map_err(|e| e.to_string()) else {
        return false;
    };
    if options.passes_only {
        sinter_io::say!("{error}");
    }
    error.contains(&options.message)
}

/// What `examine` says of the module that the passes leave.
fn with_passes<T>(
    file: &Path,
    options: &CheckOptions,
    examine: impl FnOnce(&Path) -> Result<T, CheckError>,
) -> Result<T, CheckError> {
    if options.passes.is_empty() {
        return examine(file);
    }
    let context = Context::new();
    let mut module: Module<'_> = context.parse_file(file)?;
    sinter_pass::run::run(&context, &mut module, &options.passes)?;
    let left = tempfile::Builder::new().suffix(".mlirbc").tempfile()?;
    sinter_ir::module::write_bytecode(&module.as_operation(), left.path())?;
    examine(left.path())
}

fn compile_options(options: &CheckOptions, fusion: &str) -> CompileOptions {
    CompileOptions {
        device: options.device.clone(),
        fusion: fusion.to_owned(),
        numerics: options.numerics.clone(),
        ..CompileOptions::default()
    }
}

fn run_options(options: &CheckOptions) -> RunOptions {
    RunOptions {
        random: Some(options.seed),
        ..RunOptions::default()
    }
}

/// The passes of a pipeline that stand next to each other at its top.
fn steps(pipeline: &str) -> Vec<&str> {
    let (mut out, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in pipeline.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                out.push(pipeline[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    out.push(pipeline[start..].trim());
    out.retain(|step| !step.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_is_taken_apart_at_its_top() {
        assert_eq!(
            steps("func.func(cse,canonicalize), graph-fuse{device=a,b policy=none},inline"),
            [
                "func.func(cse,canonicalize)",
                "graph-fuse{device=a,b policy=none}",
                "inline"
            ]
        );
        assert!(steps("").is_empty());
    }

    #[test]
    fn tensors_agree_relative_to_the_largest_value() {
        let expected = Tensor::from_f32([2], &[0.0, 100.0]);
        assert!(agree(
            &Tensor::from_f32([2], &[0.05, 100.0]),
            &expected,
            1e-3
        ));
        assert!(!agree(
            &Tensor::from_f32([2], &[0.2, 100.0]),
            &expected,
            1e-3
        ));
        let broken = Tensor::from_f32([2], &[f32::NAN, 100.0]);
        assert!(!agree(&broken, &expected, 1e-3));
        assert!(agree(&broken, &broken, 1e-3));
    }
}
