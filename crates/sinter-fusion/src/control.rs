//! What the caller insists on, by the names of ONNX nodes.
//!
//! A [`Control`] is read from a TOML file and applies to whatever performs the named nodes after
//! rewriting. Patterns are globs (`*`, `?`, `[..]`); a name that is spelled out matches itself. The
//! same wishes stand on operators of a module as [marks](sinter_ops::Mark). Legality obeys all of them,
//! so every policy does.

mod names;
mod resolve;
mod scope;
mod written;

use std::path::Path;

use serde::{Deserialize, Serialize};
use sinter_ops::Graph;

use crate::error::FusionError;
use crate::options::Numerics;

pub(crate) use names::{nearest, selector};
pub(crate) use resolve::{Resolved, is_marked, unmark, unmarked};
pub(crate) use scope::{RuleFacts, Scope};

/// Wishes about kernels and rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Control {
    /// A limit for the whole model; of this one and the caller's, the stricter holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numerics: Option<Numerics>,
    /// Rules, globs of rules, or topics that are not applied.
    pub disable: Vec<String>,
    /// Layouts of stored values by rule alone, none by price.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fixed_layouts: bool,
    /// Operators that come into one kernel.
    pub must_fuse: Vec<MustFuse>,
    /// Operators that are kept apart.
    pub never_fuse: Vec<NeverFuse>,
    /// Values that are stored.
    pub boundary: Vec<Boundary>,
    /// What rewrites may do to some operators.
    pub rules: Vec<RuleControl>,
    /// Where units with kernels of their own are looked for.
    pub own_kernel: Vec<OwnKernelControl>,
    /// Limits on every kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernels: Option<KernelControl>,
}

/// All operators that perform one of the nodes are in one kernel, perhaps with others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MustFuse {
    /// ONNX nodes.
    #[serde(deserialize_with = "written::names")]
    pub nodes: Vec<String>,
}

/// Operators that perform one of the nodes share no kernel with others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeverFuse {
    /// ONNX nodes.
    #[serde(deserialize_with = "written::names")]
    pub nodes: Vec<String>,
    /// The others; all where empty.
    #[serde(
        default,
        deserialize_with = "written::names",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub with: Vec<String>,
}

/// A border between kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "written::Borders")]
pub struct Boundary {
    /// ONNX nodes that are not in a kernel with what reads their results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// ONNX nodes that are not in a kernel with what makes their operands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
}

/// A limit of what rewrites may do to the operators that perform some nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "written::RuleLimits")]
pub struct RuleControl {
    /// ONNX nodes.
    pub nodes: Vec<String>,
    /// Rules, globs of rules, or topics that are not applied to them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disable: Vec<String>,
    /// The class that rewrites of them keep to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numerics: Option<Numerics>,
}

/// A unit with a kernel of its own is looked for among the operators that perform some nodes, and nowhere
/// else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnKernelControl {
    /// Name of the unit.
    pub unit: String,
    /// ONNX nodes.
    #[serde(deserialize_with = "written::names")]
    pub nodes: Vec<String>,
}

/// Where a unit is looked for.
#[derive(Clone, Debug)]
pub struct Places(Option<Vec<names::Selector>>);

impl Places {
    /// Whether it may hold an operator that performs these nodes.
    pub fn allow(&self, origins: &[String]) -> bool {
        let named = |s: &names::Selector| origins.iter().any(|o| s.matches(o));
        self.0.as_ref().is_none_or(|all| all.iter().any(named))
    }
}

/// Limits on every kernel, in place of the caller's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "written::KernelLimits")]
pub struct KernelControl {
    /// Operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operators: Option<usize>,
    /// Operands that are read from device memory, constants included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<usize>,
    /// Values that are written to device memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<usize>,
    /// Matrix products and convolutions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchors: Option<usize>,
}

impl Control {
    /// The control that a TOML file holds.
    ///
    /// # Errors
    /// When the file cannot be read or is no control.
    pub fn load(path: &Path) -> Result<Self, FusionError> {
        let text = sinter_io::read_text(path).map_err(|e| FusionError::Config {
            file: path.display().to_string(),
            cause: e.to_string(),
        })?;
        Self::parse(&text).map_err(|cause| FusionError::Config {
            file: path.display().to_string(),
            cause,
        })
    }

    /// The control that a text in TOML says.
    ///
    /// # Errors
    /// One line that says what is wrong, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|e| toml_error(text, &e))
    }

    /// Where a unit with a kernel of its own is looked for: everywhere, unless a table names it.
    ///
    /// # Errors
    /// [`FusionError::Pattern`] for what is no glob.
    pub fn own_kernel_places(&self, unit: &str) -> Result<Places, FusionError> {
        let tables: Vec<_> = self.own_kernel.iter().filter(|o| o.unit == unit).collect();
        if tables.is_empty() {
            return Ok(Places(None));
        }
        let nodes = tables.iter().flat_map(|table| &table.nodes);
        Ok(Places(Some(
            nodes.map(|n| selector(n)).collect::<Result<_, _>>()?,
        )))
    }

    /// Every pattern of nodes, with the table it stands in.
    fn patterns(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let must = self.must_fuse.iter().flat_map(|m| &m.nodes);
        let never = self
            .never_fuse
            .iter()
            .flat_map(|n| n.nodes.iter().chain(&n.with));
        let boundary = self
            .boundary
            .iter()
            .flat_map(|b| b.after.iter().chain(&b.before));
        let rules = self.rules.iter().flat_map(|r| &r.nodes);
        let own = self.own_kernel.iter().flat_map(|o| &o.nodes);
        must.map(|p| ("must-fuse", p))
            .chain(never.map(|p| ("never-fuse", p)))
            .chain(boundary.map(|p| ("boundary", p)))
            .chain(rules.map(|p| ("rules", p)))
            .chain(own.map(|p| ("own-kernel", p)))
    }

    /// Refuses patterns that name no operator of a graph.
    ///
    /// # Errors
    /// [`FusionError::NoMatch`], or [`FusionError::Pattern`] for what is no glob.
    pub(crate) fn check(&self, graph: &Graph) -> Result<(), FusionError> {
        let names = names::of(graph);
        for (table, pattern) in self.patterns() {
            let wanted = selector(pattern)?;
            if !names.iter().any(|n| wanted.matches(n)) {
                return Err(FusionError::NoMatch {
                    table,
                    pattern: pattern.clone(),
                    nearest: nearest(pattern, names.iter().copied()),
                });
            }
        }
        Ok(())
    }
}

/// An error of the TOML reader as one line.
pub(crate) fn toml_error(text: &str, error: &toml::de::Error) -> String {
    let line = error
        .span()
        .map(|s| text[..s.start.min(text.len())].matches('\n').count() + 1);
    let message = error.message().trim_end_matches('.').replace('\n', " ");
    match line {
        Some(line) => format!("line {line}: {message}"),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_is_read_and_written() {
        let text = r#"
            numerics = "rounding"
            disable = ["activation"]
            fixed-layouts = true
            [[must-fuse]]
            nodes = ["attention/*"]
            [[never-fuse]]
            nodes = ["conv1"]
            with = ["relu?"]
            [[boundary]]
            after = ["stage1"]
            [[rules]]
            nodes = ["head"]
            numerics = "exact"
            [[own-kernel]]
            unit = "my.unit"
            nodes = ["layer1/*"]
            [kernels]
            outputs = 1
        "#;
        let control = Control::parse(text).unwrap();
        assert_eq!(control.numerics, Some(Numerics::Rounding));
        assert_eq!(control.never_fuse[0].with, ["relu?"]);
        let places = |unit| control.own_kernel_places(unit).unwrap();
        let node = ["layer2/softmax".to_owned()];
        assert!(!places("my.unit").allow(&node) && places("other").allow(&node));
        assert_eq!(control.kernels.and_then(|k| k.outputs), Some(1));
        let written = toml::to_string(&control).unwrap();
        assert_eq!(Control::parse(&written), Ok(control));
    }

    #[test]
    fn faults_are_one_line_with_a_place() {
        for (text, part) in [
            (
                "\n[[must-fuse]]\nnode = [\"a\"]",
                "line 3: unknown field `node`",
            ),
            ("numerics = \"exakt\"", "line 1: unknown variant `exakt`"),
            ("[[never-fuse]]\n", "missing field `nodes`"),
            ("[[", "line 1"),
            (
                "\n[[must-fuse]]\nnodes = []",
                "line 3: an empty list names nothing",
            ),
            (
                "[[never-fuse]]\nnodes = ['a']\nwith = []",
                "line 3: an empty list",
            ),
            ("[[boundary]]\n", "line 1: [[boundary]] needs 'after'"),
            (
                "[[boundary]]\nbefore = ['a']\nafter = []",
                "line 3: an empty list",
            ),
            (
                "[[boundary]]\nbefor = ['a']",
                "line 2: unknown field `befor`",
            ),
            (
                "[[rules]]\nnodes = ['a']",
                "line 1: [[rules]] needs 'disable' or 'numerics'",
            ),
            (
                "[[rules]]\nnodes = ['a']\ndisable = []",
                "line 3: an empty list",
            ),
            (
                "[[own-kernel]]\nunit = 'u'\nnodes = []",
                "line 3: an empty list",
            ),
            ("[kernels]\n", "line 1: [kernels] needs 'operators'"),
            ("[kernels]\noutput = 1", "line 2: unknown field `output`"),
        ] {
            let message = Control::parse(text).unwrap_err();
            assert!(message.contains(part), "{message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }
}
