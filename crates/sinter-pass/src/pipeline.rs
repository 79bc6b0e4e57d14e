//! Named pipelines: numbered steps, as text.

use crate::options::{OptionInfo, OptionKind};

/// One step of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// A pass, or another pipeline, with its options: `graph-fuse{device=${device}}`. `${name}` is
    /// replaced with the value of the pipeline's option.
    pub run: &'static str,
    /// Why it stands here.
    pub why: &'static str,
}

/// An option of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipelineOption {
    /// Name, in kebab-case.
    pub name: &'static str,
    /// Help, without a full stop.
    pub help: &'static str,
    /// Value where none is given.
    pub initial: &'static str,
}

/// A named pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Name in pipelines and on the command line, in kebab-case.
    pub name: &'static str,
    /// One line, without a full stop.
    pub summary: &'static str,
    /// Options that its steps refer to.
    pub options: &'static [PipelineOption],
    /// Steps in order.
    pub steps: &'static [Step],
}

impl Pipeline {
    /// Its options, as passes have them.
    pub fn infos(&self) -> Vec<OptionInfo> {
        let info = |o: &PipelineOption| OptionInfo {
            name: o.name.to_owned(),
            help: o.help.to_owned(),
            expects: "text".to_owned(),
            initial: o.initial.to_owned(),
            kind: OptionKind::Text,
        };
        self.options.iter().map(info).collect()
    }

    /// The steps with the options' values put in; missing values are the defaults.
    pub fn expand(&self, values: &[&str]) -> Vec<String> {
        self.steps
            .iter()
            .map(|step| {
                let options = self.options.iter().enumerate();
                options.fold(step.run.to_owned(), |text, (i, option)| {
                    let value = values.get(i).copied().unwrap_or(option.initial);
                    text.replace(&format!("${{{}}}", option.name), value)
                })
            })
            .collect()
    }

    /// References in the steps that no option answers.
    pub fn unknown_references(&self) -> Vec<String> {
        let is_option = |name: &str| self.options.iter().any(|o| o.name == name);
        self.steps
            .iter()
            .flat_map(|step| step.run.split("${").skip(1))
            .filter_map(|rest| rest.split_once('}'))
            .map(|(name, _)| name.to_owned())
            .filter(|name| !is_option(name))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: Pipeline = Pipeline {
        name: "example",
        summary: "an example",
        options: &[PipelineOption {
            name: "device",
            help: "device",
            initial: "host",
        }],
        steps: &[
            Step {
                run: "canonicalize",
                why: "small first",
            },
            Step {
                run: "graph-fuse{device=${device} policy=${policy}}",
                why: "groups",
            },
        ],
    };

    #[test]
    fn options_are_put_into_steps() {
        let steps = EXAMPLE.expand(&["npu.toml"]);
        assert_eq!(steps[1], "graph-fuse{device=npu.toml policy=${policy}}");
        assert_eq!(EXAMPLE.expand(&[])[0], "canonicalize");
    }

    #[test]
    fn a_reference_without_an_option_is_found() {
        assert_eq!(EXAMPLE.unknown_references(), ["policy"]);
    }
}
