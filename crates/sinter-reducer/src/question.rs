//! The question that a search asks of every module.

use std::path::Path;
use std::process::{Command, Stdio};

use sinter_ir::Context;
use sinter_ir::melior::ir::Module;

use crate::check::Fault;
use crate::command::{Cli, INTERESTING, write};

/// Modules that hold nothing that could be at fault: some passes need a program.
const TRIVIAL: [&str; 2] = [
    "module {}",
    "func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> { return %x : tensor<1xf32> }",
];

/// Asks a process of its own whether a module is interesting.
pub(crate) struct Question<'a> {
    pub(crate) cli: &'a Cli,
    /// Where modules are written.
    pub(crate) folder: &'a Path,
}

/// What it says.
pub(crate) struct Answer {
    pub(crate) interesting: bool,
    crashed: bool,
    pub(crate) said: String,
}

impl Question<'_> {
    /// Refuses passes that fail for the same reason whatever they are given: a file that their options name
    /// is not there, or a device. That would be taken for the fault, and every module would show it.
    ///
    /// # Errors
    /// With what they say.
    pub(crate) fn check_passes(
        &self,
        context: &Context,
        module: &Module<'_>,
    ) -> Result<(), String> {
        let options = &self.cli.options;
        if self.cli.interesting != Some(Fault::Failure) || options.passes.is_empty() {
            return Ok(());
        }
        let Some(reason) = self.why_passes_fail(module)? else {
            return Ok(());
        };
        for source in TRIVIAL {
            let trivial = context.parse(source).map_err(|e| e.to_string())?;
            if self.why_passes_fail(&trivial)?.as_ref() == Some(&reason) {
                return Err(format!(
                    "the passes fail on an empty module too, so there is nothing to make smaller: {reason}"
                ));
            }
        }
        Ok(())
    }

    /// What the passes say of a module that they fail on, without its place; `None` where they crash.
    fn why_passes_fail(&self, module: &Module<'_>) -> Result<Option<String>, String> {
        let file = self.folder.join("passes.mlirbc");
        write(module, Some(&file))?;
        let mut command = self.built_in(Fault::Failure, &file)?;
        let answer = self.answer(command.arg("--passes-only"))?;
        let last = answer.said.trim().lines().last().unwrap_or_default();
        let reason = last.split_once(": ").map_or(last, |(_, reason)| reason);
        let known = answer.interesting && !answer.crashed && !reason.is_empty();
        Ok(known.then(|| reason.to_owned()))
    }

    /// Whether a module is interesting.
    ///
    /// # Errors
    /// When it cannot be written, or the program not run.
    pub(crate) fn ask(&self, module: &Module<'_>) -> Result<Answer, String> {
        let mut command = match (&self.cli.test, self.cli.interesting) {
            (Some(program), _) => {
                let file = self.folder.join("module.mlir");
                write(module, Some(&file))?;
                let mut command = Command::new(program);
                command.arg(file);
                command
            }
            (None, fault) => {
                let file = self.folder.join("module.mlirbc");
                write(module, Some(&file))?;
                self.built_in(fault.unwrap_or(Fault::Failure), &file)?
            }
        };
        self.answer(&mut command)
    }

    fn answer(&self, command: &mut Command) -> Result<Answer, String> {
        let output = command
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("cannot run {:?}: {e}", command.get_program()))?;
        let crash_counts =
            self.cli.interesting == Some(Fault::Failure) && self.cli.options.message.is_empty();
        Ok(Answer {
            interesting: match output.status.code() {
                Some(code) => code == i32::from(INTERESTING),
                None => crash_counts,
            },
            crashed: output.status.code().is_none(),
            said: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// This program, as the test of a fault.
    fn built_in(&self, fault: Fault, file: &Path) -> Result<Command, String> {
        let program =
            std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
        let options = &self.cli.options;
        let mut command = Command::new(program);
        command.arg(file).args(["--check", fault.word()]);
        for (name, value) in [
            ("passes", options.passes.clone()),
            ("device", options.device.clone()),
            ("fusion", options.fusion.clone()),
            ("numerics", options.numerics.clone()),
            ("seed", options.seed.to_string()),
            ("rtol", options.rtol.to_string()),
            ("margin", options.margin.to_string()),
            ("message", options.message.clone()),
        ] {
            command.arg(format!("--{name}={value}"));
        }
        Ok(command)
    }
}
