//! Fusion of repeated blocks, and of a value that many operators read: processor time on one thread,
//! memory and counts by the number of blocks or readers, and the exponents.
//!
//! ```sh
//! cargo run --release -p sinter-fusion --example fusion_scale
//! ```

#[path = "../tests/common/blocks.rs"]
mod blocks;

use std::error::Error;
use std::time::Duration;

use cpu_time::ThreadTime;
use sinter_device::Device;
use sinter_fusion::rules::Example;
use sinter_fusion::{Options, fuse};
use sinter_loops::scalar::BinaryFn;
use sinter_ops::Graph;
use sinter_ops::ops::unary::UnaryKind;

use blocks::Block;

/// Numbers of blocks.
const COUNTS: [usize; 7] = [1, 2, 4, 8, 16, 24, 96];
/// Numbers of readers of one value.
const READERS: [usize; 5] = [16, 32, 64, 100, 200];
/// Runs of each, of which the fastest counts.
const RUNS: usize = 3;
/// From so many blocks on, what is done once for all blocks is small.
const MANY: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::named("host")?;
    let options = Options {
        threads: Some(1),
        ..Options::default()
    };
    let blocks = Block::ALL.map(|b| {
        (
            format!("{b:?}"),
            COUNTS.map(|n| (n, b.repeated(n))).to_vec(),
        )
    });
    let readers = READERS.map(|n| (n, fan(n))).to_vec();
    let all = blocks.into_iter().chain([("Readers".to_owned(), readers)]);
    println!("| block | times | operators | kernels | candidates | ms | peak MB | gap |");
    println!("|---|---|---|---|---|---|---|---|");
    for (block, graphs) in all {
        let (mut points, mut many) = (Vec::new(), Vec::new());
        for (count, graph) in graphs {
            let mut best = Duration::MAX;
            let mut fused = None;
            for _ in 0..RUNS {
                let start = ThreadTime::now();
                fused = Some(fuse(&graph, &device, &options)?);
                best = best.min(start.elapsed());
            }
            let Some(fused) = fused else { continue };
            let s = &fused.statistics;
            println!(
                "| {block} | {count} | {} | {} | {} | {:.1} | {} | {:.3} % |",
                s.operators,
                s.kernels,
                s.candidates,
                best.as_secs_f64() * 1e3,
                peak_mb(),
                s.gap().unwrap_or(f64::NAN) * 100.0,
            );
            let point = (s.operators as f64, best.as_secs_f64());
            points.push(point);
            if count >= MANY {
                many.push(point);
            }
        }
        println!(
            "exponent of {block}: {:.2}, from {MANY} blocks on {:.2}",
            exponent(&points),
            exponent(&many)
        );
    }
    Ok(())
}

/// An exponential, and `count` products of it with constants.
fn fan(count: usize) -> Graph {
    let mut e = Example::new(1);
    let x = e.input(&[1000]);
    let x = e.unary(UnaryKind::Exp, x);
    for _ in 0..count {
        let c = e.constant(&[1000], 0.5, 1.0);
        let y = e.binary(BinaryFn::Mul, x, c);
        e.output(y);
    }
    e.graph
}

/// The slope of a straight line through the points on logarithmic scales.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(f).sum::<f64>() / count;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let covariance = mean(&|p| (p.0 - x) * (p.1 - y));
    covariance / mean(&|p| (p.0 - x) * (p.0 - x))
}

/// The most memory that the process has held so far, where the system tells it.
fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    let kib = line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
