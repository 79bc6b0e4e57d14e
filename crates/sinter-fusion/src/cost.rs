//! What extraction minimises: the device model's time, bytes, kernels, or a researcher's own weights.
//!
//! The cost steers the search only; the prices in reports stay the device model's.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sinter_device::{Price, Time};
use sinter_loops::scalar::FloatBits;
use sinter_ops::{Graph, NodeId, Operator};

use crate::control::toml_error;
use crate::error::FusionError;

/// Cost of a byte; the time that breaks ties stays below it for programs up to a second.
const UNIT_PER_BYTE: u64 = 1_000_000;
/// Cost of a launch; the time that breaks ties stays below it for programs up to a second.
const UNIT_PER_KERNEL: u64 = 1_000_000_000_000;

/// What extraction minimises.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// Time by the device model.
    #[default]
    Time,
    /// Bytes to and from device memory, then time.
    Bytes,
    /// Launches, then time.
    Kernels,
    /// Weights from a file.
    Weights(Box<Weights>),
}

/// `launch + max(bytes, flops)` with a weight each, for every class of kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Weights {
    /// Nanoseconds per launch.
    pub launch_ns: Weight,
    /// Nanoseconds per byte to or from device memory.
    pub ns_per_byte: Weight,
    /// Nanoseconds per multiplication or addition.
    pub ns_per_flop: Weight,
    /// Weights of kernels that hold a contraction, where they differ.
    pub contraction: ClassWeights,
    /// Weights of kernels that hold a reduction and no contraction.
    pub reduction: ClassWeights,
    /// Weights of kernels that only compute point by point.
    pub pointwise: ClassWeights,
    /// Weights of kernels that only move elements.
    pub copy: ClassWeights,
}

/// Weights of one class of kernels; what is absent is the general weight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClassWeights {
    /// Nanoseconds per launch.
    pub launch_ns: Option<Weight>,
    /// Nanoseconds per byte.
    pub ns_per_byte: Option<Weight>,
    /// Nanoseconds per multiplication or addition.
    pub ns_per_flop: Option<Weight>,
}

/// A weight, at least zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Weight(FloatBits);

impl Default for Weight {
    fn default() -> Self {
        Self(FloatBits::new(0.0))
    }
}

impl TryFrom<f64> for Weight {
    type Error = String;
    fn try_from(value: f64) -> Result<Self, String> {
        if value.is_finite() && value >= 0.0 {
            Ok(Self(FloatBits::new(value)))
        } else {
            Err(format!("a weight is at least zero and finite, not {value}"))
        }
    }
}

impl From<Weight> for f64 {
    fn from(weight: Weight) -> Self {
        weight.0.get()
    }
}

impl Cost {
    /// The cost that an option names: `time`, `bytes`, `kernels`, or a TOML file of [`Weights`].
    ///
    /// # Errors
    /// When the file cannot be read or holds no weights.
    pub fn load(text: &str) -> Result<Self, FusionError> {
        match text.parse() {
            Ok(cost) => Ok(cost),
            Err(_) => Self::from_file(Path::new(text)),
        }
    }

    fn from_file(path: &Path) -> Result<Self, FusionError> {
        let fault = |cause: String| FusionError::Cost {
            name: path.display().to_string(),
            cause,
        };
        let text = sinter_io::read_text(path).map_err(|e| fault(e.to_string()))?;
        let weights: Weights = toml::from_str(&text).map_err(|e| fault(toml_error(&text, &e)))?;
        let some = |w: &ClassWeights| *w != ClassWeights::default();
        let classes = [
            &weights.contraction,
            &weights.reduction,
            &weights.pointwise,
            &weights.copy,
        ];
        let general = [weights.launch_ns, weights.ns_per_byte, weights.ns_per_flop];
        if general.iter().all(|w| *w == Weight::default()) && !classes.into_iter().any(some) {
            return Err(fault("every weight is zero".to_owned()));
        }
        Ok(Self::Weights(Box::new(weights)))
    }

    /// What a kernel costs, as a time so that costs have a total order. Of equal bytes or kernels the
    /// faster is cheaper.
    pub(crate) fn of(&self, price: &Price, graph: &Graph, nodes: &[NodeId]) -> Time {
        let bytes = price.read_bytes + price.written_bytes;
        match self {
            Self::Time => price.total,
            Self::Bytes => {
                Time(bytes.saturating_mul(UNIT_PER_BYTE) + price.total.0 / UNIT_PER_BYTE)
            }
            Self::Kernels => Time(UNIT_PER_KERNEL) + price.total,
            Self::Weights(weights) => weights.of(bytes, graph, nodes),
        }
    }

    /// Whether costs are times of the device model.
    pub fn is_time(&self) -> bool {
        *self == Self::Time
    }
}

impl FromStr for Cost {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "time" => Ok(Self::Time),
            "bytes" => Ok(Self::Bytes),
            "kernels" => Ok(Self::Kernels),
            _ => Err(()),
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "time",
            Self::Bytes => "bytes",
            Self::Kernels => "kernels",
            Self::Weights(_) => "weights",
        })
    }
}

impl Weights {
    fn of(&self, bytes: u64, graph: &Graph, nodes: &[NodeId]) -> Time {
        let class = self.class(graph, nodes);
        let weight = |own: Option<Weight>, general: Weight| f64::from(own.unwrap_or(general));
        let moved = bytes as f64 * weight(class.ns_per_byte, self.ns_per_byte);
        let computed = flops(graph, nodes) as f64 * weight(class.ns_per_flop, self.ns_per_flop);
        Time::from_ns(weight(class.launch_ns, self.launch_ns) + moved.max(computed))
    }

    fn class(&self, graph: &Graph, nodes: &[NodeId]) -> &ClassWeights {
        let traits: Vec<_> = nodes
            .iter()
            .map(|n| graph.nodes[n.0 as usize].op.traits())
            .collect();
        if traits.iter().any(|t| t.contraction) {
            &self.contraction
        } else if traits.iter().any(|t| t.reduction) {
            &self.reduction
        } else if traits.iter().any(|t| !t.index_map) {
            &self.pointwise
        } else {
            &self.copy
        }
    }
}

fn flops(graph: &Graph, nodes: &[NodeId]) -> u64 {
    let of = |n: &NodeId| {
        let node = &graph.nodes[n.0 as usize];
        let types: Vec<_> = node.inputs.iter().map(|&v| graph.ty(v).clone()).collect();
        node.op.flops(&types)
    };
    nodes.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_and_checked() {
        let read = |text: &str| toml::from_str::<Weights>(text);
        let weights = read("launch-ns = 2000\nns-per-byte = 0.02\n[copy]\nlaunch-ns = 5").unwrap();
        assert_eq!(f64::from(weights.launch_ns), 2000.0);
        assert_eq!(weights.copy.launch_ns.map(f64::from), Some(5.0));
        assert!(read("launch-ns = -1").is_err());
        assert!(read("launch = 1").is_err());
        let error = Cost::load("no-such-file.toml").unwrap_err().to_string();
        assert!(error.contains("no-such-file.toml"), "{error}");
        assert_eq!(Cost::load("bytes"), Ok(Cost::Bytes));
    }

    #[test]
    fn kernels_count_more_than_any_time() {
        let graph = Graph::new("g");
        let price = |ns: f64, bytes: u64| Price {
            total: Time::from_ns(ns),
            read_bytes: bytes,
            ..Price::default()
        };
        let (slow, fast) = (price(9e8, 10), price(1e3, 11));
        let of = |cost: Cost, p: &Price| cost.of(p, &graph, &[]);
        assert!(of(Cost::Kernels, &slow) < of(Cost::Kernels, &fast) + of(Cost::Kernels, &fast));
        assert!(of(Cost::Bytes, &slow) < of(Cost::Bytes, &fast));
        assert!(of(Cost::Time, &fast) < of(Cost::Time, &slow));
    }
}
