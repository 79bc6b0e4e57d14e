//! A device file of the machine at hand: the figures that prices are made of, measured with the
//! compiler's own kernels.
//!
//! | figure | program |
//! |---|---|
//! | `launch_ns` | a chain of additions of 16 elements, per launch |
//! | `barrier_ns` | empty launches on all threads, over such on one |
//! | `fma_gflops` | matrix products whose operands stay in the second-level cache; the best |
//! | `byte_dot`, `bf16_dot` | the same products of bytes and of `bf16`, where the CPU has such instructions |
//! | `functions` | one pass over 4096 elements, over a pass of `max(x, 0)` |
//! | `levels` | additions of tensors that fill half of each cache, and of ones of sixteen times the last |
//!
//! A figure is the least of many runs: what disturbs a run only makes it longer. What is not measured
//! (register tiles, `block_ns`, `constant_reuse_bytes`) is taken from the built-in `host`.

mod caches;
mod measure;

use std::fmt::Write as _;

use serde::Serialize;
use sinter_device::device::{Level, Validation};
use sinter_device::{Device, HostCpu};
use sinter_loops::dot_products::DotKind;

use crate::error::Error;
use measure::Bench;
use sinter_runner::cores;

/// Functions that are measured, with how each is written for `%x` and `%y`.
const FUNCTIONS: [(&str, &str); 12] = [
    ("div", "graph.div %x, %y : (T, T) -> T"),
    ("sqrt", "graph.sqrt %x : T"),
    ("rsqrt", "graph.rsqrt %x : T"),
    ("exp", "graph.exp %x : T"),
    ("log", "graph.log %x : T"),
    ("tanh", "graph.tanh %x : T"),
    ("erf", "graph.erf %x : T"),
    ("sin", "graph.sin %x : T"),
    ("cos", "graph.cos %x : T"),
    ("pow", "graph.pow %x, %y : (T, T) -> T"),
    ("rem", "graph.rem %x, %y : (T, T) -> T"),
    ("round", "graph.round %x : T"),
];
/// Elements of the tensors that functions are measured on: three of them fit the first-level cache's
/// neighbour, and the launch does not count.
const FUNCTION_ELEMENTS: u64 = 4096;
/// Matrix products whose rate is measured: rows, columns, depth.
const PRODUCTS: [(u64, u64, u64); 3] = [(240, 256, 256), (480, 128, 256), (120, 512, 256)];

/// One measured figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Field of the device file.
    pub field: String,
    /// Value.
    pub value: f64,
    /// Unit of the value.
    pub unit: &'static str,
}

/// A measured device.
#[derive(Clone, Debug, Serialize)]
pub struct Calibration {
    /// The device.
    pub device: Device,
    /// What was measured, in the order of measurement.
    pub figures: Vec<Figure>,
}

impl Calibration {
    /// The device file, with what was measured as a comment at the top.
    ///
    /// # Errors
    /// When the device cannot be written as TOML.
    pub fn text(&self) -> Result<String, Error> {
        let mut text = String::from(
            "# Written by `sinter calibrate`. Every field is explained in docs/devices.md.\n# Measured here:\n",
        );
        for f in &self.figures {
            let _ = writeln!(text, "#   {:<24} {:>10} {}", f.field, f.value, f.unit);
        }
        text += "# Everything else is as in the built-in `host`.\n\n";
        Ok(text + &self.device.to_toml()?)
    }
}

/// Measures this machine with up to `threads` threads; all cores when absent.
///
/// # Errors
/// When there are no such threads, or more than run at once: those would wait for each other. When a
/// program cannot be compiled or run.
pub fn calibrate(threads: Option<usize>) -> Result<Calibration, Error> {
    let threads = threads.unwrap_or_else(cores);
    if !(1..=cores()).contains(&threads) {
        let text = format!(
            "{threads} threads cannot be measured: give --threads 1 to {}, as many as the processor runs at once",
            cores()
        );
        return Err(Error::Request(text));
    }
    let mut out = Calibration {
        device: Device::named("host")?,
        figures: Vec::new(),
    };
    out.device.cores = threads as u32;
    out.device.description = "The CPU that `sinter calibrate` ran on".to_owned();
    out.device.validation = Validation::Measured;
    out.launches(threads)?;
    out.arithmetic()?;
    out.memory(threads)?;
    Ok(out)
}

impl Calibration {
    /// Notes a figure, to three digits.
    fn note(&mut self, field: &str, value: f64, unit: &'static str) -> f64 {
        let value = three_digits(value);
        self.figures.push(Figure {
            field: field.to_owned(),
            value,
            unit,
        });
        value
    }

    fn launches(&mut self, threads: usize) -> Result<(), Error> {
        const COUNT: u64 = 256;
        let chain = Bench::new(&measure::additions(16, COUNT), 1)?;
        let launch_ns = chain.run_ns()? / COUNT as f64;
        self.device.launch_ns = self.note("launch_ns", launch_ns, "ns");
        if threads > 1 {
            let together = sinter_runtime::empty_launch_ns(true, threads)?;
            let alone = sinter_runtime::empty_launch_ns(true, 1)?;
            let barrier_ns = (together - alone).max(0.0);
            self.device.barrier_ns = self.note("barrier_ns", barrier_ns, "ns");
        }
        Ok(())
    }

    fn arithmetic(&mut self) -> Result<(), Error> {
        let fma = product_rate(["f32"; 3])?;
        self.device.vector.fma_gflops = self.note("vector.fma_gflops", fma, "Gop/s");
        // An instruction adds a group of products.
        let dot = |kind: DotKind, types| -> Result<f64, Error> {
            Ok(kind.group() as f64 * fma / product_rate(types)?)
        };
        if HostCpu::detect().byte_dots {
            let time = dot(DotKind::Bytes, ["ui8", "i8", "i32"])?;
            self.device.vector.byte_dot = Some(self.note("vector.byte_dot", time, "FMAs"));
        }
        if HostCpu::detect().bf16_dots {
            let time = dot(DotKind::Bf16, ["bf16"; 3])?;
            self.device.vector.bf16_dot = Some(self.note("vector.bf16_dot", time, "FMAs"));
        }
        let lanes = (HostCpu::detect().vector_bytes / 4) as f64;
        let vectors = FUNCTION_ELEMENTS as f64 / lanes;
        let addition_ns = 2.0 * lanes / self.device.vector.fma_gflops;
        let time =
            |code: &str| Bench::new(&measure::function(code, FUNCTION_ELEMENTS), 1)?.launch_ns();
        let plain = time("graph.relu %x : T")?;
        for (name, code) in FUNCTIONS {
            let more = (time(code)? - plain).max(0.0);
            let cost = 1.0 + more / vectors / addition_ns;
            let cost = self.note(&format!("vector.functions.{name}"), cost, "additions");
            self.device.vector.functions.insert(name.to_owned(), cost);
        }
        Ok(())
    }

    fn memory(&mut self, threads: usize) -> Result<(), Error> {
        let Some(at) = self.device.spaces.iter().position(|s| s.name == "gm") else {
            return Ok(());
        };
        let mut levels = self.device.spaces[at].levels.clone();
        caches::fit(&mut levels);
        self.device.first_cache = caches::first().or(self.device.first_cache);
        let mut from: u64 = 0;
        for n in 0..levels.len() {
            let last = n + 1 == levels.len();
            let bytes = if last {
                16 * from
            } else {
                levels[n].footprint_bytes.midpoint(from)
            };
            from = levels[n].footprint_bytes;
            let one = bandwidth(bytes, 1, self.device.launch_ns)?;
            let all = if threads > 1 {
                bandwidth(bytes, threads, self.device.launch_ns)?
            } else {
                one
            };
            // Small tensors are not spread over threads, but each core has caches of its own.
            let all = if n < caches::PRIVATE {
                one * threads as f64
            } else {
                all
            };
            levels[n].gbps = self.note(&format!("gm.levels.{n}.gbps"), one, "GB/s");
            levels[n].gbps_all = self.note(&format!("gm.levels.{n}.gbps_all"), all, "GB/s");
        }
        in_order(&mut levels);
        self.device.spaces[at].levels = levels;
        Ok(())
    }
}

/// Gop/s of the best of the matrix products with such element types.
fn product_rate(types: [&str; 3]) -> Result<f64, Error> {
    let mut best: f64 = 0.0;
    for (m, n, k) in PRODUCTS {
        let ns = Bench::new(&measure::product((m, n, k), types), 1)?.launch_ns()?;
        best = best.max((2 * m * n * k) as f64 / ns);
    }
    Ok(best)
}

/// GB/s of additions that touch so many bytes.
fn bandwidth(bytes: u64, threads: usize, launch_ns: f64) -> Result<f64, Error> {
    const COUNT: u64 = 64;
    let elements = (bytes / 12).max(16) / 16 * 16;
    let moved = (elements * 12) as f64;
    if bytes > 1 << 16 {
        return Ok(moved / Bench::new(&measure::additions(elements, 1), threads)?.launch_ns()?);
    }
    // Too short for a clock: many of them.
    let run_ns = Bench::new(&measure::additions(elements, COUNT), threads)?.run_ns()?;
    Ok(moved / (run_ns / COUNT as f64 - launch_ns).max(1.0))
}

/// Makes rates fall with the footprint, and those of all threads at least those of one: what breaks
/// this is noise.
fn in_order(levels: &mut [Level]) {
    for n in 0..levels.len() {
        if n > 0 {
            levels[n].gbps = levels[n].gbps.min(levels[n - 1].gbps);
            levels[n].gbps_all = levels[n].gbps_all.min(levels[n - 1].gbps_all);
        }
        levels[n].gbps_all = levels[n].gbps_all.max(levels[n].gbps);
    }
}

/// A positive figure rounded to three digits.
fn three_digits(value: f64) -> f64 {
    if !value.is_finite() || value <= 0.0 {
        return 0.0;
    }
    let unit = 10f64.powi(2 - value.log10().floor() as i32);
    (value * unit).round() / unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_kept() {
        assert_eq!(three_digits(123_456.0), 123_000.0);
        assert_eq!(three_digits(0.012_345), 0.0123);
        assert_eq!(three_digits(f64::NAN), 0.0);
    }

    #[test]
    fn rates_fall_with_the_footprint() {
        let level = |gbps, gbps_all| Level {
            footprint_bytes: 0,
            gbps,
            gbps_all,
        };
        let mut levels = [level(100.0, 200.0), level(120.0, 90.0), level(50.0, 40.0)];
        in_order(&mut levels);
        assert_eq!(
            levels,
            [level(100.0, 200.0), level(100.0, 100.0), level(50.0, 50.0)]
        );
    }
}
