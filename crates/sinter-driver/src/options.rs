//! What the caller asks for.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use sinter_fusion::rules::load_rules;
use sinter_fusion::{Control, Cost, Options};

use crate::error::Error;

/// Shape of one input: `INPUT=1x3x640x640`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeArg {
    /// Name of the input.
    pub input: String,
    /// Extents, outermost first; empty for a scalar.
    pub shape: Vec<i64>,
}

impl FromStr for ShapeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let malformed = || {
            format!("'{text}' is not INPUT=AxBxC with sizes of 0 or more, or INPUT= for a scalar")
        };
        let (input, extents) = text.rsplit_once('=').ok_or_else(malformed)?;
        if input.is_empty() {
            return Err(malformed());
        }
        let parse = |e: &str| {
            e.parse()
                .ok()
                .filter(|&n: &i64| n >= 0)
                .ok_or_else(malformed)
        };
        let shape = match extents {
            "" => Vec::new(),
            _ => extents.split('x').map(parse).collect::<Result<_, _>>()?,
        };
        Ok(Self {
            input: input.into(),
            shape,
        })
    }
}

/// How a model is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// Device name, or the path of a TOML file.
    pub device: String,
    /// Fusion policy.
    pub fusion: String,
    /// Shapes of inputs.
    pub shapes: Vec<ShapeArg>,
    /// Numerics limit.
    pub numerics: String,
    /// What the user insists on: a TOML file.
    pub fusion_config: Option<PathBuf>,
    /// Further rewrite rules: a file of rules in text.
    pub fusion_rules: Option<PathBuf>,
    /// Kernels written by hand: an MLIR file of composites with a kernel, which the model need not know.
    pub own_kernels: Option<PathBuf>,
    /// What extraction minimises: `time`, `bytes`, `kernels`, or a TOML file of weights.
    pub fusion_cost: String,
    /// Threads that a run will use, for prices only.
    pub threads: Option<usize>,
    /// Threads that compile, as many as can run at once where absent. The result does not depend on
    /// them.
    pub jobs: Option<usize>,
}

impl CompileOptions {
    /// What the user insists on.
    ///
    /// # Errors
    /// When its file cannot be read or is wrong.
    pub(crate) fn control(&self) -> Result<Control, Error> {
        let control = self.fusion_config.as_deref().map(Control::load);
        Ok(control.transpose()?.unwrap_or_default())
    }

    /// The options of fusion, with the files that they name read and checked.
    ///
    /// # Errors
    /// When a word is none of an option's, or a file cannot be read or is wrong.
    pub fn fusion_options(&self) -> Result<Options, Error> {
        let control = self.control()?;
        let text_rules = match &self.fusion_rules {
            None => Vec::new(),
            Some(path) => load_rules(path)?,
        };
        Ok(Options {
            policy: self.fusion.parse().map_err(Error::Request)?,
            numerics: self.numerics.parse().map_err(Error::Request)?,
            text_rules,
            cost: Cost::load(&self.fusion_cost)?,
            control,
            threads: self.jobs,
            ..Options::default()
        })
    }
}

impl CompileOptions {
    /// Refuses what no model can be compiled with: an unknown device, policy or class, and files that
    /// cannot be read or are wrong.
    ///
    /// # Errors
    /// As [`compile`](fn@crate::compile) would, with any model.
    pub fn check(&self) -> Result<(), Error> {
        crate::compile::device(self)?;
        self.fusion_options().map(|_| ())
    }
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            device: "host".into(),
            fusion: "egraph".into(),
            shapes: Vec::new(),
            numerics: "reassociating".into(),
            fusion_config: None,
            fusion_rules: None,
            own_kernels: None,
            fusion_cost: "time".into(),
            threads: None,
            jobs: None,
        }
    }
}

/// A level at which the program can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Operators, as imported and folded.
    Graph,
    /// All ways to compute each value that the rules find, as JSON of `egraph-serialize`.
    Egraph,
    /// Operators in groups.
    Fused,
    /// Loop nests with schedules.
    Tloop,
    /// Kernels and the planned program.
    Npu,
    /// LLVM IR after optimisation.
    Llvm,
    /// Assembly.
    Asm,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Graph => "graph",
            Self::Egraph => "egraph",
            Self::Fused => "fused",
            Self::Tloop => "tloop",
            Self::Npu => "npu",
            Self::Llvm => "llvm",
            Self::Asm => "asm",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ShapeArg;

    #[test]
    fn shapes_are_parsed() {
        let parsed: ShapeArg = "x=y=1x3x8".parse().unwrap();
        assert_eq!(
            parsed,
            ShapeArg {
                input: "x=y".into(),
                shape: vec![1, 3, 8]
            }
        );
        assert_eq!("x=0x3".parse::<ShapeArg>().unwrap().shape, [0, 3]);
        assert_eq!("s=".parse::<ShapeArg>().unwrap().shape, Vec::<i64>::new());
        for bad in [
            "",
            "x",
            "=1x2",
            "x=1xx2",
            "x=-1",
            "x=1x99999999999999999999",
        ] {
            assert!(bad.parse::<ShapeArg>().is_err(), "{bad}");
        }
    }
}
