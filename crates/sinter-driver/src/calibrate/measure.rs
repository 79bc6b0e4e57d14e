//! Small programs, and how long they take.

use std::fmt::Write as _;

use sinter_model::Container;
use sinter_runtime::{Model, Profile};

use crate::error::Error;
use crate::load::compile_module;
use crate::options::CompileOptions;
use sinter_runner::RunOptions;

/// Seed of the inputs.
const SEED: u64 = 1;
/// Time that is spent on one program, about.
const BUDGET_NS: f64 = 1e8;
/// Least and most runs of one program.
const RUNS: (usize, usize) = (10, 2000);

/// A compiled program that is to be timed.
pub(super) struct Bench {
    model: Model,
    threads: usize,
}

impl Bench {
    /// Compiles a program, one kernel per operator.
    pub(super) fn new(source: &str, threads: usize) -> Result<Self, Error> {
        let options = CompileOptions {
            fusion: "none".into(),
            threads: Some(threads),
            ..CompileOptions::default()
        };
        let (bytes, _) = compile_module(source.as_bytes(), &options)?;
        let model = Model::from_container(Container::from_bytes(&bytes)?)?;
        Ok(Self { model, threads })
    }

    /// Least time of a whole run.
    pub(super) fn run_ns(&self) -> Result<f64, Error> {
        let runs = self.runs()?;
        let mut least = f64::INFINITY;
        self.with_buffers(|session, inputs, outputs| {
            for _ in 0..runs {
                let start = std::time::Instant::now();
                session.run(inputs, outputs)?;
                least = least.min(start.elapsed().as_nanos() as f64);
            }
            Ok(())
        })?;
        Ok(least)
    }

    /// Least time of the first launch.
    pub(super) fn launch_ns(&self) -> Result<f64, Error> {
        let runs = self.runs()?;
        let profile = self.profile(runs)?;
        let first = profile.launches.first().map_or(0, |l| l.ns.min);
        Ok((first as f64).max(1.0))
    }

    /// Runs that fit the budget.
    fn runs(&self) -> Result<usize, Error> {
        let once = self.profile(3)?.run_ns.min as f64;
        Ok(((BUDGET_NS / once.max(1.0)) as usize).clamp(RUNS.0, RUNS.1))
    }

    fn profile(&self, runs: usize) -> Result<Profile, Error> {
        self.with_buffers(|session, inputs, outputs| Ok(session.profile(inputs, outputs, runs)?))
    }

    fn with_buffers<T>(
        &self,
        run: impl FnOnce(&mut sinter_runtime::Session, &[&[u8]], &mut [&mut [u8]]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let options = RunOptions {
            random: Some(SEED),
            ..RunOptions::default()
        };
        let inputs = sinter_runner::inputs(&self.model, &options)?;
        let mut session = sinter_runner::session(&self.model, Some(self.threads), false)?;
        let outputs = self.model.manifest().outputs.len();
        let mut memory: Vec<Vec<u8>> = (0..outputs)
            .map(|i| vec![0; session.output_bytes(i)])
            .collect();
        let inputs: Vec<&[u8]> = inputs.iter().map(|t| &t.bytes()[..]).collect();
        let mut outputs: Vec<&mut [u8]> = memory.iter_mut().map(|m| &mut m[..]).collect();
        run(&mut session, &inputs, &mut outputs)
    }
}

/// A program of one function; `T` in its types is a tensor of so many elements.
fn program(elements: u64, inputs: &[&str], code: &str, result: &str) -> String {
    let arguments: Vec<_> = inputs
        .iter()
        .map(|name| format!("%{name}: T {{graph.name = \"{name}\"}}"))
        .collect();
    let text = format!(
        "func.func @main({}) -> (T {{graph.name = \"result\"}}) {{\n{code}  return {result} : T\n}}\n",
        arguments.join(", ")
    );
    text.replace(": T", &format!(": tensor<{elements}xf32>"))
        .replace("(T", &format!("(tensor<{elements}xf32>"))
        .replace(", T", &format!(", tensor<{elements}xf32>"))
        .replace("-> T", &format!("-> tensor<{elements}xf32>"))
}

/// A chain of additions of two tensors.
pub(super) fn additions(elements: u64, count: u64) -> String {
    let mut code = String::new();
    let mut last = "%x".to_owned();
    for n in 0..count {
        let _ = writeln!(code, "  %{n} = graph.add {last}, %y : (T, T) -> T");
        last = format!("%{n}");
    }
    program(elements, &["x", "y"], &code, &last)
}

/// One function of `%x` and perhaps `%y`.
pub(super) fn function(code: &str, elements: u64) -> String {
    program(elements, &["x", "y"], &format!("  %0 = {code}\n"), "%0")
}

/// A product of a matrix and a constant one, with the element types of both and of the result.
pub(super) fn product((m, n, k): (u64, u64, u64), [x, w, y]: [&str; 3]) -> String {
    let weight = if w.contains('f') { "0.5" } else { "1" };
    format!(
        "func.func @main(%x: tensor<{m}x{k}x{x}> {{graph.name = \"x\"}}) \
         -> (tensor<{m}x{n}x{y}> {{graph.name = \"result\"}}) {{\n\
         %w = graph.constant dense<{weight}> : tensor<{k}x{n}x{w}>\n\
         %0 = graph.matmul %x, %w : (tensor<{m}x{k}x{x}>, tensor<{k}x{n}x{w}>) -> tensor<{m}x{n}x{y}>\n\
         return %0 : tensor<{m}x{n}x{y}>\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_modules() {
        let context = sinter_ir::Context::new();
        for source in [
            additions(32, 3),
            function("graph.exp %x : T", 64),
            function("graph.div %x, %y : (T, T) -> T", 64),
            product((8, 16, 4), ["f32"; 3]),
            product((8, 16, 4), ["bf16"; 3]),
            product((8, 16, 4), ["ui8", "i8", "i32"]),
        ] {
            assert!(context.parse(source.as_bytes()).is_ok(), "{source}");
        }
    }
}
