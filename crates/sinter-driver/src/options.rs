//! What the caller asks for.

use std::fmt;
use std::str::FromStr;

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
        let malformed = || format!("'{text}' is not INPUT=AxBxC");
        let (input, extents) = text.rsplit_once('=').ok_or_else(malformed)?;
        if input.is_empty() {
            return Err(malformed());
        }
        let parse = |e: &str| {
            e.parse()
                .ok()
                .filter(|&n: &i64| n > 0)
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
    /// Threads that a run will use, for prices only.
    pub threads: Option<usize>,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            device: "host".into(),
            fusion: "egraph".into(),
            shapes: Vec::new(),
            numerics: "reassociating".into(),
            threads: None,
        }
    }
}

/// A level at which the program can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Operators, as imported and folded.
    Graph,
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
        assert_eq!("s=".parse::<ShapeArg>().unwrap().shape, Vec::<i64>::new());
        for bad in [
            "",
            "x",
            "=1x2",
            "x=1xx2",
            "x=0",
            "x=-1",
            "x=1x99999999999999999999",
        ] {
            assert!(bad.parse::<ShapeArg>().is_err(), "{bad}");
        }
    }
}
