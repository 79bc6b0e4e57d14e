//! What an offline model holds.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use sinter_io::one_line;
use sinter_model::{Container, Manifest, Port};

use crate::error::Error;

/// Figures and tables of an offline model.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// Model name.
    pub model: String,
    /// Device name.
    pub device: String,
    /// Processor that the kernels were compiled for.
    pub target: sinter_model::Target,
    /// Inputs.
    pub inputs: Vec<Port>,
    /// Outputs.
    pub outputs: Vec<Port>,
    /// Live operators.
    pub operators: u64,
    /// Launches per run.
    pub kernels: u64,
    /// Bytes that kernels pass to each other.
    pub intermediate_bytes: u64,
    /// The same with one kernel per operator.
    pub unfused_intermediate_bytes: u64,
    /// Size of the arena.
    pub peak_bytes: u64,
    /// Bytes of packed weights.
    pub weight_bytes: u64,
    /// Bytes of machine code.
    pub object_bytes: u64,
    /// Price of a run.
    pub price_ns: f64,
    /// No choice among the candidates is cheaper.
    pub lower_bound_ns: f64,
    /// `price_ns / lower_bound_ns - 1`.
    pub gap: f64,
    /// Fusion policy.
    pub policy: String,
    /// Kernels.
    pub kernel_table: Vec<sinter_model::Kernel>,
}

/// Reads and checks an offline model.
///
/// # Errors
/// When the file is no offline model of this version, or is damaged.
pub fn inspect(path: &Path) -> Result<Inspection, Error> {
    let container = Container::open(path).map_err(|error| Error::offline(path, error))?;
    let m: &Manifest = container.manifest();
    let s = &m.statistics;
    Ok(Inspection {
        model: m.model.clone(),
        device: m.device.clone(),
        target: m.target.clone(),
        inputs: m.inputs.clone(),
        outputs: m.outputs.clone(),
        operators: s.operators,
        kernels: s.kernels,
        intermediate_bytes: s.intermediate_bytes,
        unfused_intermediate_bytes: s.unfused_intermediate_bytes,
        peak_bytes: s.peak_bytes,
        weight_bytes: container.weights().len() as u64,
        object_bytes: container.object().len() as u64,
        price_ns: s.price_ns,
        lower_bound_ns: s.lower_bound_ns,
        gap: s.gap,
        policy: s.policy.clone(),
        kernel_table: m.kernels.clone(),
    })
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "model    {} for {} ({})",
            one_line(&self.model),
            self.device,
            self.target.cpu
        )?;
        for (what, ports) in [("input ", &self.inputs), ("output", &self.outputs)] {
            for port in ports {
                let shape: Vec<_> = port.shape.iter().map(ToString::to_string).collect();
                writeln!(
                    f,
                    "{what}   {}: {} [{}]",
                    one_line(&port.name),
                    port.element,
                    shape.join(", ")
                )?;
            }
        }
        let (fused, unfused) = (self.intermediate_bytes, self.unfused_intermediate_bytes);
        writeln!(
            f,
            "kernels  {} for {} operators ({})",
            self.kernels, self.operators, self.policy
        )?;
        writeln!(f, "bytes    {fused} between kernels, {unfused} unfused")?;
        writeln!(
            f,
            "memory   arena {}, weights {}, code {}",
            self.peak_bytes, self.weight_bytes, self.object_bytes
        )?;
        let (price, bound) = (self.price_ns / 1e3, self.lower_bound_ns / 1e3);
        writeln!(f, "price    {price:.1} us, lower bound {bound:.1} us")?;
        writeln!(
            f,
            "\n{:>12} {:>12} {:>10}  kernel",
            "bytes", "flops", "price us"
        )?;
        for k in &self.kernel_table {
            writeln!(
                f,
                "{:>12} {:>12} {:>10.1}  {} [{}]",
                k.read_bytes + k.written_bytes,
                k.flops,
                k.price_ns / 1e3,
                k.symbol,
                one_line(&k.origins.join(", "))
            )?;
        }
        Ok(())
    }
}
