//! The registry: an explicit list of passes and pipelines.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use melior::ir::operation::{OperationLike, OperationRef};
use sinter_sys::passes::{OptionText, PassText, RawPass, RawPipeline};
use sinter_sys::remark;
use sinter_sys::shim::Severity;

use crate::options::{OptionInfo, OptionSet};
use crate::pass::{Failure, Pass, PassInfo};
use crate::pipeline::Pipeline;

/// A list of passes and pipelines that is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// Two of a name.
    #[error("two passes or pipelines are called '{0}'")]
    Duplicate(String),
    /// A step refers to an option that its pipeline does not have.
    #[error("pipeline '{pipeline}' refers to option '{option}', which it does not have")]
    UnknownOption {
        /// The pipeline.
        pipeline: String,
        /// The option.
        option: String,
    },
}

/// A pass on a list: its help, and how to run it.
pub struct Entry {
    /// Names and help.
    pub info: PassInfo,
    /// Options in order.
    pub options: Vec<OptionInfo>,
    raw: Box<dyn RawPass>,
}

impl Entry {
    /// A list entry for a pass.
    pub fn new<P: Pass>(pass: P) -> Self {
        Self {
            info: P::INFO,
            options: P::Options::infos(),
            raw: Box::new(Erased(pass)),
        }
    }
}

struct Erased<P>(P);

impl<P: Pass> RawPass for Erased<P> {
    fn check(&self, values: &[&str]) -> Result<(), String> {
        P::Options::parse(values).map(drop)
    }

    fn run(&self, op: OperationRef<'_, '_>, values: &[&str]) -> bool {
        let result = match P::Options::parse(values) {
            Ok(options) => self.0.run(op, &options),
            Err(message) => Err(Failure::Message(message)),
        };
        match result {
            Ok(()) => true,
            Err(Failure::Reported) => false,
            Err(Failure::Message(message)) => {
                let text = format!("{}: {message}", P::INFO.name);
                remark::emit(Severity::Error, op.location(), &text, &[]);
                false
            }
        }
    }
}

impl RawPipeline for Pipeline {
    fn check(&self, _: &[&str]) -> Result<(), String> {
        Ok(())
    }

    fn expand(&self, values: &[&str]) -> String {
        Pipeline::expand(self, values).join(",")
    }
}

/// Passes and pipelines by name.
#[derive(Default)]
pub struct Registry {
    passes: BTreeMap<&'static str, Entry>,
    pipelines: BTreeMap<&'static str, Pipeline>,
}

impl Registry {
    /// A registry of these passes and pipelines.
    ///
    /// # Errors
    /// When two have the same name, or a pipeline refers to an option that it does not have.
    pub fn new(
        passes: impl IntoIterator<Item = Entry>,
        pipelines: impl IntoIterator<Item = Pipeline>,
    ) -> Result<Self, RegistryError> {
        let mut out = Self::default();
        for pass in passes {
            let name = pass.info.name;
            if out.passes.insert(name, pass).is_some() {
                return Err(RegistryError::Duplicate(name.to_owned()));
            }
        }
        for pipeline in pipelines {
            let name = pipeline.name;
            if let Some(option) = pipeline.unknown_references().into_iter().next() {
                return Err(RegistryError::UnknownOption {
                    pipeline: name.to_owned(),
                    option,
                });
            }
            if out.passes.contains_key(name) || out.pipelines.insert(name, pipeline).is_some() {
                return Err(RegistryError::Duplicate(name.to_owned()));
            }
        }
        Ok(out)
    }

    /// The passes, by name.
    pub fn passes(&self) -> impl Iterator<Item = &Entry> {
        self.passes.values()
    }

    /// The pipelines, by name.
    pub fn pipelines(&self) -> impl Iterator<Item = &Pipeline> {
        self.pipelines.values()
    }

    /// Puts everything, and all upstream passes, into MLIR's global registry, for the rest of the
    /// process: textual pipelines and tools see it from then on.
    pub fn register(self) {
        sinter_sys::passes::register_upstream();
        self.register_missing();
    }

    /// Puts what MLIR's global registry does not have yet into it, as a plugin does in the process of a
    /// tool that may have the same passes already.
    pub fn register_missing(mut self) {
        let known = sinter_sys::passes::is_registered;
        self.passes.retain(|name, _| !known(name));
        self.pipelines.retain(|name, _| !known(name));
        for (_, entry) in self.passes {
            let anchor = entry.info.anchor.unwrap_or_default();
            let mut names = text(entry.info.name, entry.info.summary, anchor, &entry.options);
            names.dialects = entry.info.dialects.iter().map(|&d| d.to_owned()).collect();
            sinter_sys::passes::register_pass(names, entry.raw);
        }
        for (_, pipeline) in self.pipelines {
            let names = text(pipeline.name, pipeline.summary, "", &pipeline.infos());
            sinter_sys::passes::register_pipeline(names, Box::new(pipeline));
        }
    }

    /// The documentation page of the passes and pipelines, in Markdown.
    pub fn markdown(&self) -> String {
        let mut out = String::from("# Passes\n");
        for Entry { info, options, .. } in self.passes() {
            document(&mut out, info.name, info.summary, info.description, options);
        }
        out.push_str("\n# Pipelines\n");
        for pipeline in self.pipelines() {
            let steps: String = pipeline
                .steps
                .iter()
                .enumerate()
                .map(|(i, step)| format!("{}. `{}`: {}\n", i + 1, step.run, step.why))
                .collect();
            document(
                &mut out,
                pipeline.name,
                pipeline.summary,
                &steps,
                &pipeline.infos(),
            );
        }
        out
    }

    /// The list that `--list-passes` prints: passes with their options, then pipelines with their
    /// numbered steps.
    pub fn list(&self) -> String {
        let mut out = String::from("passes:\n");
        for Entry { info, options, .. } in self.passes() {
            entry(&mut out, info.name, info.anchor, info.summary, options);
        }
        out.push_str("pipelines:\n");
        for pipeline in self.pipelines() {
            entry(
                &mut out,
                pipeline.name,
                None,
                pipeline.summary,
                &pipeline.infos(),
            );
            for (i, step) in pipeline.steps.iter().enumerate() {
                let _ = writeln!(out, "    {:2}. {}  ({})", i + 1, step.run, step.why);
            }
        }
        out
    }
}

fn document(out: &mut String, name: &str, summary: &str, body: &str, options: &[OptionInfo]) {
    let _ = write!(out, "\n## `{name}`\n\n{summary}.\n");
    if !body.is_empty() {
        let _ = write!(out, "\n{}\n", body.trim());
    }
    if !options.is_empty() {
        out.push_str("\n| option | default | expects | |\n|---|---|---|---|\n");
    }
    for OptionInfo {
        name,
        help,
        expects,
        initial,
        ..
    } in options
    {
        let _ = writeln!(out, "| `{name}` | `{initial}` | {expects} | {help} |");
    }
}

fn text(name: &str, summary: &str, anchor: &str, options: &[OptionInfo]) -> PassText {
    let option = |o: &OptionInfo| OptionText {
        name: o.name.clone(),
        help: o.help.clone(),
        initial: o.initial.clone(),
        kind: o.kind,
    };
    PassText {
        name: name.to_owned(),
        summary: summary.to_owned(),
        anchor: anchor.to_owned(),
        dialects: Vec::new(),
        options: options.iter().map(option).collect(),
    }
}

fn entry(
    out: &mut String,
    name: &str,
    anchor: Option<&str>,
    summary: &str,
    options: &[OptionInfo],
) {
    let on = anchor.map(|a| format!(" (on {a})")).unwrap_or_default();
    let _ = writeln!(out, "  {name}{on}: {summary}");
    for OptionInfo {
        name,
        help,
        expects,
        initial,
        ..
    } in options
    {
        let _ = writeln!(out, "    {name}={initial}: {help} ({expects})");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::NoOptions;
    use crate::pipeline::Step;

    struct Nothing;

    impl Pass for Nothing {
        type Options = NoOptions;
        const INFO: PassInfo = PassInfo {
            name: "nothing",
            summary: "does nothing",
            description: "",
            anchor: Some("func.func"),
            dialects: &[],
        };
        fn run(&self, _: OperationRef<'_, '_>, _: &NoOptions) -> Result<(), Failure> {
            Ok(())
        }
    }

    const TWICE: Pipeline = Pipeline {
        name: "twice",
        summary: "does nothing, twice",
        options: &[],
        steps: &[
            Step {
                run: "func.func(nothing)",
                why: "once",
            },
            Step {
                run: "func.func(nothing)",
                why: "again",
            },
        ],
    };

    #[test]
    fn the_list_numbers_steps() {
        let registry = Registry::new([Entry::new(Nothing)], [TWICE]).unwrap();
        insta::assert_snapshot!(registry.list(), @r"
        passes:
          nothing (on func.func): does nothing
        pipelines:
          twice: does nothing, twice
             1. func.func(nothing)  (once)
             2. func.func(nothing)  (again)
        ");
    }

    #[test]
    fn the_page_has_passes_and_steps() {
        let registry = Registry::new([Entry::new(Nothing)], [TWICE]).unwrap();
        insta::assert_snapshot!(registry.markdown(), @r"
        # Passes

        ## `nothing`

        does nothing.

        # Pipelines

        ## `twice`

        does nothing, twice.

        1. `func.func(nothing)`: once
        2. `func.func(nothing)`: again
        ");
    }

    #[test]
    fn names_are_unique() {
        let again = Registry::new([Entry::new(Nothing), Entry::new(Nothing)], []);
        assert_eq!(
            again.err(),
            Some(RegistryError::Duplicate("nothing".into()))
        );
        let clash = Pipeline {
            name: "nothing",
            ..TWICE
        };
        let again = Registry::new([Entry::new(Nothing)], [clash]);
        assert_eq!(
            again.err(),
            Some(RegistryError::Duplicate("nothing".into()))
        );
    }
}
