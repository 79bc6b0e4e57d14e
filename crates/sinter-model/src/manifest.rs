//! What the container says about the model.

use serde::{Deserialize, Serialize};

use crate::extent::Extent;
use crate::program::Record;

/// Everything about a model but its code and weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`crate::FORMAT_VERSION`] of the writer.
    pub format: u32,
    /// The model's name.
    pub model: String,
    /// The device file's name.
    pub device: String,
    /// The processor that the kernels were compiled for.
    pub target: Target,
    /// What a run takes, in the model's order.
    pub inputs: Vec<Port>,
    /// What a run gives, in the model's order.
    pub outputs: Vec<Port>,
    /// Sizes that are not known until a run.
    #[serde(default)]
    pub symbols: Vec<Symbol>,
    /// Size of the activation arena.
    pub arena_bytes: Extent,
    /// Scratch memory of each thread, in bytes; zero on scratchpad devices.
    pub scratch_bytes: u64,
    /// On-chip memory spaces that kernels copy into; empty on `host`.
    #[serde(default)]
    pub spaces: Vec<Space>,
    /// The kernels, in the order of their first launch.
    pub kernels: Vec<Kernel>,
    /// What a run does.
    pub program: Vec<Record>,
    /// Fusion decisions, as the compiler reports them; opaque here.
    #[serde(default)]
    pub decisions: serde_json::Value,
    /// Figures of the compilation.
    pub statistics: Statistics,
}

/// A processor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Architecture as Rust names it: `x86_64`, `aarch64`.
    pub arch: String,
    /// Processor name, for messages only: `znver3`.
    pub cpu: String,
    /// Features that the code needs, in LLVM's spelling without the sign: `avx2`, `fma`.
    pub features: Vec<String>,
}

/// An input or output of the model: row-major at this boundary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Port {
    /// Name in the ONNX model.
    pub name: String,
    /// Element type in MLIR's spelling; see [`element_bytes`].
    pub element: String,
    /// Logical shape.
    pub shape: Vec<Extent>,
}

impl Port {
    /// Size in bytes at the given symbol values; `None` when the element type is unknown, an extent
    /// is negative or the product overflows.
    pub fn bytes(&self, symbols: &[i64]) -> Option<u64> {
        let extents = self.shape.iter().map(|extent| extent.eval(symbols));
        self.product(extents)
    }

    /// The greatest size over the symbols' ranges, with the exceptions of [`Port::bytes`].
    pub fn max_bytes(&self, symbols: &[Symbol]) -> Option<u64> {
        let extents = self.shape.iter().map(|extent| {
            let (low, high) = extent.bounds(symbols)?;
            (low >= 0).then_some(high)
        });
        self.product(extents)
    }

    fn product(&self, mut extents: impl Iterator<Item = Option<i64>>) -> Option<u64> {
        let element = element_bytes(&self.element)?;
        extents.try_fold(element, |bytes, extent| {
            bytes.checked_mul(u64::try_from(extent?).ok()?)
        })
    }
}

/// Bytes of one element of a type in MLIR's spelling, where `i1` takes a byte; `None` for an unknown
/// type.
pub fn element_bytes(element: &str) -> Option<u64> {
    match element {
        "f64" | "i64" | "ui64" => Some(8),
        "f32" | "i32" | "ui32" => Some(4),
        "f16" | "bf16" | "i16" | "ui16" => Some(2),
        "i8" | "ui8" | "i1" => Some(1),
        _ => None,
    }
}

/// A size that is not known until a run, with its range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Symbol {
    /// Name in the ONNX model.
    pub name: String,
    /// Least value.
    pub min: i64,
    /// Greatest value.
    pub max: i64,
}

/// An on-chip memory space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// Name in the device file.
    pub name: String,
    /// Number in the kernel ABI: word `8 + index` of the scratch words holds its base.
    pub index: u32,
    /// Size in bytes.
    pub bytes: u64,
}

/// A kernel of the shared object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// Exported symbol.
    pub symbol: String,
    /// Names of the ONNX nodes that it computes.
    pub origins: Vec<String>,
    /// Core kind: `vector`, `cube` or `mix`.
    pub core: String,
    /// Number of buffers it only reads; they come first.
    pub inputs: u32,
    /// Number of buffers it writes; they follow.
    pub outputs: u32,
    /// Outputs that may share memory with an input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_place: Vec<InPlace>,
    /// Arguments that may be one buffer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disjoint: Vec<Disjoint>,
    /// Bytes read from device memory.
    pub read_bytes: u64,
    /// Bytes written to device memory.
    pub written_bytes: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// What the device model says it takes.
    pub price_ns: f64,
    /// Whether its blocks are worth spreading over threads.
    pub parallel: bool,
}

/// An output that may share memory with an input of the same kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InPlace {
    /// Argument number of the input.
    pub input: u32,
    /// Argument number of the output, counted from the first argument.
    pub output: u32,
}

/// An argument and an output of the same kernel that may be one buffer, because the kernel touches other
/// elements of it through the one than through the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disjoint {
    /// Argument number of an input, or of an earlier output.
    pub other: u32,
    /// Argument number of the output, counted from the first argument.
    pub output: u32,
}

/// Figures of a compilation, in the words of the design: operators are live graph operators not
/// counting constants and views, kernels are launches per run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// Operators of the graph.
    pub operators: u64,
    /// Launches per run.
    pub kernels: u64,
    /// Bytes that kernels write for, plus read from, other kernels of a run.
    pub intermediate_bytes: u64,
    /// The same with one kernel per operator.
    pub unfused_intermediate_bytes: u64,
    /// Size of the arena at the fullest moment.
    pub peak_bytes: u64,
    /// Price of the program.
    pub price_ns: f64,
    /// Lower bound of the price over the candidates.
    pub lower_bound_ns: f64,
    /// `price_ns / lower_bound_ns - 1`.
    pub gap: f64,
    /// Extraction policy.
    pub policy: String,
    /// Where compile time went. Measured times differ from run to run: a writer that wants the same
    /// bytes for the same input leaves this empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compile_ms: Vec<StageTime>,
}

/// The time that one stage of compilation took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageTime {
    /// Stage.
    pub stage: String,
    /// Milliseconds.
    pub ms: f64,
}
