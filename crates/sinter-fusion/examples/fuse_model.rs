//! Fuses ONNX models and prints what became of them.
//!
//! ```sh
//! cargo run --release -p sinter-fusion --example fuse_model -- MODEL.onnx [INPUT=1x3x224x224 ...] [--policy P]
//!     [--device D] [--numerics N] [--cost C] [--disable RULE]... [--config FILE] [--stats] [-v]
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use sinter_device::{Device, HostCpu};
use sinter_fusion::{Control, Cost, Options, fuse};
use sinter_onnx::{ImportOptions, import};
use sinter_ops::Operator;

fn main() -> Result<(), Box<dyn Error>> {
    let mut options = Options::default();
    let mut device = "host".to_owned();
    let (mut verbose, mut stats) = (false, false);
    let mut shapes = BTreeMap::new();
    let mut models = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--policy" => options.policy = args.next().unwrap_or_default().parse()?,
            "--numerics" => options.numerics = args.next().unwrap_or_default().parse()?,
            "--cost" => options.cost = Cost::load(&args.next().unwrap_or_default())?,
            "--disable" => options.disabled_rules.extend(args.next()),
            "--config" => {
                options.control = Control::load(args.next().unwrap_or_default().as_ref())?
            }
            "--stats" => stats = true,
            "--device" => device = args.next().unwrap_or_default(),
            "-v" => verbose = true,
            arg => match arg.split_once('=') {
                Some((name, shape)) => {
                    let shape: Result<Vec<i64>, _> = shape.split('x').map(str::parse).collect();
                    shapes.insert(name.to_owned(), shape?);
                }
                None => models.push(arg.to_owned()),
            },
        }
    }
    let device = Device::load(&device)?.with_host_cpu(HostCpu::detect());
    for model in models {
        let graph = import(
            &model,
            &ImportOptions {
                shapes: shapes.clone(),
            },
        )?;
        let start = Instant::now();
        let fused = fuse(&graph, &device, &options)?;
        let elapsed = start.elapsed();
        let s = &fused.statistics;
        if stats {
            fused.saturation.iter().for_each(|s| print!("{s}"));
        }
        if verbose {
            for group in &fused.groups {
                let operators: Vec<_> = group
                    .nodes
                    .iter()
                    .map(|n| fused.graph.nodes[n.0 as usize].op.mnemonic())
                    .collect();
                println!(
                    "{:8.1} us v {:8.1} m {:8.1} blocks {:4} chip {} {}",
                    group.price.total.ns() / 1e3,
                    group.price.vector.ns() / 1e3,
                    group.price.memory.ns() / 1e3,
                    group.price.blocks,
                    group.price.chip_bytes,
                    operators.join(" "),
                );
                if let Some(schedule) = group.kernel.schedule.as_ref().filter(|_| verbose) {
                    let grid: Vec<_> = schedule
                        .grid
                        .iter()
                        .map(|a| format!("{}/{}", a.extent, a.tile))
                        .collect();
                    println!("    grid {}", grid.join(" "));
                    for (nest, stage) in group.kernel.stages.iter().zip(&schedule.stages) {
                        println!(
                            "    {:?} {:?} v {:?} {}x{} rows {:?} x{} unroll {} {:?}",
                            nest.extents(),
                            stage.order,
                            stage.vector,
                            stage.vectors,
                            stage.lanes,
                            stage.rows,
                            stage.row_tile,
                            stage.unroll,
                            stage.reduction_tile,
                        );
                    }
                }
            }
            for refusal in &fused.refusals {
                println!("{} {:?}: {}", refusal.code, refusal.nodes, refusal.message);
            }
        }
        println!(
            "{}: {} -> {} kernels ({:.2}), {:.1} -> {:.1} MB ({:.2}), {:.4} -> {:.4} ms by price (bound {:.4}); \
             {} candidates, {} known; {elapsed:.2?}",
            graph.name,
            s.operators,
            s.kernels,
            s.kernels as f64 / s.operators as f64,
            s.unfused_intermediate_bytes as f64 / 1e6,
            s.intermediate_bytes as f64 / 1e6,
            s.intermediate_bytes as f64 / s.unfused_intermediate_bytes as f64,
            s.unfused_price.ns() / 1e6,
            s.price.ns() / 1e6,
            s.lower_bound.map_or(0.0, |t| t.ns() / 1e6),
            s.candidates,
            s.memoised,
        );
    }
    Ok(())
}
