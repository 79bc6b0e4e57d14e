//! Latency of a model.

use std::fmt;

use serde::Serialize;
use sinter_io::one_line;
use sinter_loops::tensor::Tensor;
use sinter_runtime::{Buffer, Model};

use crate::error::Error;
use crate::execute::{self, RunOptions};

/// Runs that are not timed.
const WARM_UP_RUNS: usize = 5;
/// Most timed runs: every time is kept.
const MOST_RUNS: usize = 1_000_000;
/// Seed of the inputs.
const SEED: u64 = 1;

/// Figures of a benchmark.
#[derive(Clone, Debug, Serialize)]
pub struct BenchReport {
    /// Model name.
    pub model: String,
    /// Device name.
    pub device: String,
    /// Fusion policy.
    pub policy: String,
    /// Threads.
    pub threads: usize,
    /// Timed runs.
    pub runs: usize,
    /// Median latency.
    pub median_ms: f64,
    /// Least latency.
    pub min_ms: f64,
    /// Greatest latency.
    pub max_ms: f64,
    /// Launches per run.
    pub kernels: u64,
    /// Live operators.
    pub operators: u64,
    /// Bytes that kernels pass to each other.
    pub intermediate_bytes: u64,
    /// Every timed run, ascending.
    pub times_ms: Vec<f64>,
    /// Size of the arena.
    pub peak_bytes: u64,
    /// The most memory that this process has had at once; absent where the system does not say.
    pub resident_bytes: Option<u64>,
    /// Price of a run.
    pub price_ms: f64,
    /// Time of compilation; 0 for an offline model.
    pub compile_ms: f64,
    /// Time per kernel launch, in order.
    pub kernel_times: Vec<KernelTime>,
}

/// Time of one launch.
#[derive(Clone, Debug, Serialize)]
pub struct KernelTime {
    /// Kernel.
    pub symbol: String,
    /// ONNX nodes.
    pub origins: Vec<String>,
    /// Median.
    pub median_us: f64,
    /// Least.
    pub min_us: f64,
    /// What the device model says.
    pub price_us: f64,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes read and written.
    pub bytes: u64,
}

/// Measures a model on random inputs; the first runs are dropped.
///
/// # Errors
/// As [`crate::run`].
pub fn bench(model: &Model, threads: Option<usize>, runs: usize) -> Result<BenchReport, Error> {
    if runs == 0 || runs > MOST_RUNS {
        return Err(Error::Request(format!(
            "{runs} runs cannot be measured: give --runs 1 to {MOST_RUNS}"
        )));
    }
    let manifest = model.manifest();
    let options = RunOptions {
        random: Some(SEED),
        threads,
        ..RunOptions::default()
    };
    let inputs = execute::inputs(model, &options)?;
    let mut session = execute::session(model, threads, false)?;
    let filled = |tensor: &Tensor| -> Result<Buffer, Error> {
        let mut buffer = Buffer::new(tensor.bytes().len())?;
        buffer.copy_from_slice(tensor.bytes());
        Ok(buffer)
    };
    let inputs: Vec<Buffer> = inputs.iter().map(filled).collect::<Result<_, _>>()?;
    let outputs = 0..manifest.outputs.len();
    let memory = outputs.map(|i| Buffer::new(session.output_bytes(i)));
    let mut memory: Vec<Buffer> = memory.collect::<Result<_, _>>()?;
    let views: Vec<&[u8]> = inputs.iter().map(|b| &b[..]).collect();
    let mut places: Vec<&mut [u8]> = memory.iter_mut().map(|m| &mut m[..]).collect();
    let mut times = Vec::with_capacity(runs);
    for i in 0..WARM_UP_RUNS + runs {
        let start = std::time::Instant::now();
        session.run(&views, &mut places)?;
        if i >= WARM_UP_RUNS {
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    let profile = session.profile(&views, &mut places, runs)?;
    let kernel_times = profile.launches.iter().map(|launch| {
        let kernel = &manifest.kernels[launch.kernel as usize];
        KernelTime {
            symbol: kernel.symbol.clone(),
            origins: kernel.origins.clone(),
            median_us: launch.ns.median as f64 / 1e3,
            min_us: launch.ns.min as f64 / 1e3,
            price_us: kernel.price_ns / 1e3,
            flops: kernel.flops,
            bytes: kernel.read_bytes + kernel.written_bytes,
        }
    });
    let statistics = &manifest.statistics;
    Ok(BenchReport {
        model: manifest.model.clone(),
        device: manifest.device.clone(),
        policy: statistics.policy.clone(),
        threads: execute::running(threads),
        runs,
        median_ms: times[times.len() / 2],
        min_ms: times[0],
        max_ms: times[times.len() - 1],
        kernels: statistics.kernels,
        operators: statistics.operators,
        intermediate_bytes: statistics.intermediate_bytes,
        times_ms: times,
        peak_bytes: statistics.peak_bytes,
        resident_bytes: resident_bytes(),
        price_ms: statistics.price_ns / 1e6,
        compile_ms: 0.0,
        kernel_times: kernel_times.collect(),
    })
}

impl fmt::Display for BenchReport {
    /// The figures; with `{:#}` also the time per kernel.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} on {}, {} threads, {} runs",
            one_line(&self.model),
            self.device,
            self.threads,
            self.runs
        )?;
        writeln!(
            f,
            "median {}  (min {}, max {})",
            duration(self.median_ms),
            duration(self.min_ms),
            duration(self.max_ms)
        )?;
        writeln!(f, "operators {}  kernels {}", self.operators, self.kernels)?;
        writeln!(
            f,
            "intermediate bytes {}  arena {}",
            self.intermediate_bytes, self.peak_bytes
        )?;
        if !f.alternate() {
            return Ok(());
        }
        writeln!(f, "\n{:>10} {:>10}  kernel", "us", "price us")?;
        for k in &self.kernel_times {
            let (us, price) = (k.median_us, k.price_us);
            writeln!(
                f,
                "{us:>10.1} {price:>10.1}  {} [{}]",
                k.symbol,
                one_line(&k.origins.join(", "))
            )?;
        }
        Ok(())
    }
}

/// A time in the unit in which it is readable.
fn duration(ms: f64) -> String {
    if ms < 0.1 {
        format!("{:.2} us", ms * 1e3)
    } else {
        format!("{ms:.3} ms")
    }
}

/// The high-water mark of resident memory, from Linux's `/proc`.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn short_times_are_in_microseconds() {
        assert_eq!(duration(0.000_214), "0.21 us");
        assert_eq!(duration(0.5), "0.500 ms");
    }
}
