//! Running pipelines on a module.

use std::time::{Duration, Instant};

use melior::ir::Module;
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use sinter_ir::diagnostic::{Capture, Diagnostics};

/// A pipeline that did not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The text names no passes, or unfit options.
    #[error("cannot parse pipeline '{step}': {cause}")]
    Parse {
        /// The step.
        step: String,
        /// What MLIR said.
        cause: String,
    },
    /// A pass failed.
    #[error("{}", with_step(step, &diagnostics.to_string()))]
    Failed {
        /// The step.
        step: String,
        /// What was said.
        diagnostics: Diagnostics,
    },
}

/// What was said, after the step where it does not name its pass by itself.
fn with_step(step: &str, said: &str) -> String {
    let pass = step.split('{').next().unwrap_or(step);
    if said.contains(&format!("{pass}: ")) {
        said.to_owned()
    } else {
        format!("{step}: {said}")
    }
}

/// Runs a textual pipeline (`canonicalize,graph-fuse{device=host}`) on a module. The passes must be
/// registered: see [`Registry::register`](crate::Registry::register).
///
/// # Errors
/// When the text is not a pipeline, or a pass fails.
pub fn run(
    context: &melior::Context,
    module: &mut Module<'_>,
    pipeline: &str,
) -> Result<(), RunError> {
    run_with(context, module, pipeline, true)
}

/// As [`run`], with a module that need not be valid afterwards.
///
/// # Errors
/// As [`run`].
pub fn run_unverified(
    context: &melior::Context,
    module: &mut Module<'_>,
    pipeline: &str,
) -> Result<(), RunError> {
    run_with(context, module, pipeline, false)
}

/// Reads a textual pipeline and runs nothing.
///
/// # Errors
/// When the text names no passes, or unfit options.
pub fn check(context: &melior::Context, pipeline: &str) -> Result<(), RunError> {
    parse(context, pipeline).map(|_| ())
}

fn parse<'c>(context: &'c melior::Context, pipeline: &str) -> Result<PassManager<'c>, RunError> {
    let manager = PassManager::new(context);
    let text = format!("builtin.module({pipeline})");
    parse_pass_pipeline(manager.as_operation_pass_manager(), &text).map_err(|e| {
        RunError::Parse {
            step: pipeline.to_owned(),
            cause: e.to_string(),
        }
    })?;
    Ok(manager)
}

fn run_with(
    context: &melior::Context,
    module: &mut Module<'_>,
    pipeline: &str,
    verify: bool,
) -> Result<(), RunError> {
    let manager = parse(context, pipeline)?;
    manager.enable_verifier(verify);
    let capture = Capture::start(context);
    let result = tracing::info_span!("pass", name = pipeline).in_scope(|| manager.run(module));
    let diagnostics = capture.finish();
    result.map_err(|_| RunError::Failed {
        step: pipeline.to_owned(),
        diagnostics,
    })
}

/// Runs steps one after the other, and returns how long each took.
///
/// # Errors
/// As [`run`], for the first step that fails.
pub fn run_steps(
    context: &melior::Context,
    module: &mut Module<'_>,
    steps: &[String],
) -> Result<Vec<(String, Duration)>, RunError> {
    let mut times = Vec::with_capacity(steps.len());
    for step in steps {
        let start = Instant::now();
        run(context, module, step)?;
        times.push((step.clone(), start.elapsed()));
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_run_in_order_and_are_timed() {
        sinter_sys::passes::register_upstream();
        let context = sinter_ir::Context::new();
        let mut module = context
            .parse("func.func private @f() func.func @g() { return }")
            .unwrap();
        let steps = ["canonicalize".to_owned(), "symbol-dce".to_owned()];
        let times = run_steps(&context, &mut module, &steps).unwrap();
        let names: Vec<_> = times.iter().map(|(step, _)| step.clone()).collect();
        assert_eq!(names, steps);
        assert!(!module.as_operation().to_string().contains("@f"));
    }

    #[test]
    fn a_pass_is_named_once() {
        let step = "npu-plan-memory{device=host}";
        let own = "conv: npu-plan-memory: no room";
        assert_eq!(with_step(step, own), own);
        assert_eq!(with_step("cse", "no room"), "cse: no room");
    }

    #[test]
    fn an_unknown_pass_is_named() {
        let context = sinter_ir::Context::new();
        let mut module = context.parse("").unwrap();
        let error = run(&context, &mut module, "no-such-pass").unwrap_err();
        assert!(error.to_string().contains("no-such-pass"), "{error}");
    }
}
