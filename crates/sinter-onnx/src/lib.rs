//! ONNX to the operator graph.
//!
//! [`import`] maps a model, fixes the sizes of its inputs, and translates the nodes that its outputs
//! need to [`sinter_ops`] operators. What depends on sizes and constants only is evaluated on the way:
//! shape arithmetic never reaches the graph. Weights stay in the mapped file where they are aligned.
//!
//! | module | holds |
//! |---|---|
//! | `proto` | the messages, by hand |
//! | `file`, `weights` | mapped files, tensors |
//! | `shapes` | types of inputs |
//! | `order` | live nodes in topological order |
//! | `importer`, `call` | values, constant folding, a node's operands and attributes |
//! | `ops` | one file per operator family |
//! | [`custom`] | operators of other domains, from other crates |
//!
//! A new operator is one function in a family's file and one line in its list.

mod call;
pub mod custom;
mod error;
mod file;
mod importer;
mod ops;
mod order;
mod proto;
mod shapes;
mod weights;

use std::collections::BTreeMap;
use std::path::Path;

use prost::Message;
use sinter_ops::Graph;

pub use crate::error::ImportError;
use crate::file::Files;
use crate::importer::Importer;
use crate::proto::ModelProto;

/// The oldest and newest operator sets (`opset_import` of the default domain) whose meaning is known.
pub const OPSETS: std::ops::RangeInclusive<i64> = 7..=28;

/// How to import.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// Shapes of inputs, by name. Needed for inputs with sizes that the model leaves open; a size that
    /// has a name in the model is fixed for all inputs by one of them.
    pub shapes: BTreeMap<String, Vec<i64>>,
}

/// Reads an ONNX file as an operator graph of fixed sizes.
///
/// Each graph node carries the name of the ONNX node it stems from, or `OpType:output` when that has
/// none. Graph inputs are the model's inputs that are no weights, in order; nodes that no output needs
/// are left out.
///
/// # Errors
/// When the file is damaged, uses what is not supported, or leaves a size open: see [`ImportError`].
pub fn import(path: impl AsRef<Path>, options: &ImportOptions) -> Result<Graph, ImportError> {
    let path = path.as_ref();
    let truncated = |cause: String| ImportError::Truncated {
        path: path.into(),
        cause,
    };
    let data = file::map(path)?;
    let model = ModelProto::decode(data).map_err(|e| truncated(e.to_string()))?;
    let graph = model
        .graph
        .as_ref()
        .ok_or_else(|| truncated("it holds no graph".into()))?;
    let opset = opset(&model)?;
    tracing::debug!(
        nodes = graph.node.len(),
        opset,
        producer = model.producer_name,
        "importing"
    );
    let stem = path
        .file_stem()
        .map_or("model".into(), |s| s.to_string_lossy().into_owned());
    let files = Files::beside(path);
    Importer::new(stem, opset, &files).run(graph, options)
}

/// The ONNX operator types that [`import`] knows, sorted.
pub fn supported_operators() -> Vec<&'static str> {
    let mut names: Vec<_> = ops::FAMILIES
        .iter()
        .flat_map(|f| f.iter())
        .map(|(name, _)| *name)
        .collect();
    names.sort_unstable();
    names
}

fn opset(model: &ModelProto) -> Result<i64, ImportError> {
    let default = model
        .opset_import
        .iter()
        .find(|o| o.domain.is_empty() || o.domain == "ai.onnx");
    let version = default.map_or(1, |o| o.version);
    if OPSETS.contains(&version) {
        return Ok(version);
    }
    Err(ImportError::OperatorSet { version })
}

#[cfg(test)]
mod tests {
    use super::supported_operators;

    #[test]
    fn no_operator_is_listed_twice() {
        let names = supported_operators();
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
    }
}
