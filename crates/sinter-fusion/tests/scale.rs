//! What a fusion allocates, as a measure of its work that no clock and no neighbour disturbs, grows in
//! proportion to the number of blocks, and so does the most that it holds at once. So does that of a value
//! that many operators read.

use allocation_counter::{AllocationInfo, measure};
use sinter_device::{Device, HostCpu};
use sinter_fusion::rules::Example;
use sinter_fusion::{Fused, Options, fuse};
use sinter_loops::scalar::BinaryFn;
use sinter_ops::Graph;
use sinter_ops::ops::unary::UnaryKind;

#[path = "common/blocks.rs"]
mod blocks;

use blocks::Block;

/// Of `log(work) / log(operators)`.
const MOST_EXPONENT: f64 = 1.15;
/// Bytes held by the fusion of the most blocks.
const MOST_BYTES: u64 = 256 << 20;

fn work(block: Block, count: usize, device: &Device) -> AllocationInfo {
    measured(&block.repeated(count), device).1
}

fn measured(graph: &Graph, device: &Device) -> (Fused, AllocationInfo) {
    // What is counted is this thread's.
    let options = Options {
        threads: Some(1),
        ..Options::default()
    };
    let mut fused = None;
    let info = measure(|| {
        fused = Some(fuse(graph, device, &options).expect("blocks are fused"));
    });
    (fused.unwrap(), info)
}

/// An exponential that `count` branches read, each a product with a constant and a function of it: one
/// function, or several in turns.
fn fan(count: usize, functions: &[UnaryKind]) -> Graph {
    let mut e = Example::new(1);
    let x = e.input(&[1000]);
    let x = e.unary(UnaryKind::Exp, x);
    for n in 0..count {
        let c = e.constant(&[1000], 0.5, 1.0);
        let y = e.binary(BinaryFn::Mul, x, c);
        let y = e.unary(functions[(n + n / 7) % functions.len()], y);
        e.output(y);
    }
    e.graph
}

#[test]
fn a_value_read_by_many_takes_work_in_proportion() {
    let unlike = [
        UnaryKind::Tanh,
        UnaryKind::Exp,
        UnaryKind::Sin,
        UnaryKind::Sigmoid,
        UnaryKind::Erf,
        UnaryKind::Cos,
    ];
    let host = Device::named("host").unwrap().with_host_cpu(HostCpu::AVX2);
    for functions in [&unlike[..1], &unlike] {
        let runs = [32, 64, 128].map(|n| measured(&fan(n, functions), &host));
        for (fused, info) in &runs {
            let (gap, bytes) = (fused.statistics.gap().unwrap(), info.bytes_max);
            println!("{} operators: gap {gap:.4}", fused.statistics.operators);
            assert!(gap <= 0.02, "gap {gap}");
            assert!(bytes <= MOST_BYTES, "{bytes} bytes");
        }
        let [a, b, c] = runs.map(|(_, info)| info.bytes_total as f64);
        let exponent = ((c - b) / (b - a)).log2();
        println!("bytes of allocations {exponent:.2}");
        assert!(exponent <= 1.3, "exponent {exponent:.2}");
    }
}

#[test]
fn allocations_grow_in_proportion() {
    let host = Device::named("host").unwrap().with_host_cpu(HostCpu::AVX2);
    for device in [host, Device::named("ascend-910b").unwrap()] {
        for block in Block::ALL {
            // Past the first blocks, whose kernels are priced once for all.
            let [a, b, c] = [12, 24, 48].map(|n| work(block, n, &device));
            let grown = |f: fn(&AllocationInfo) -> u64| {
                let (first, second) = (f(&b) - f(&a), f(&c) - f(&b));
                (second as f64 / first as f64).log2()
            };
            for (what, exponent) in [
                ("count", grown(|i| i.count_total)),
                ("bytes", grown(|i| i.bytes_total)),
            ] {
                println!("{block:?} on {}: {what} {exponent:.2}", device.name);
                assert!(
                    exponent <= MOST_EXPONENT,
                    "{block:?} on {}: {what} of allocations grow with exponent {exponent:.2}",
                    device.name
                );
            }
            assert!(
                c.bytes_max <= MOST_BYTES,
                "{block:?}: {} bytes",
                c.bytes_max
            );
        }
    }
}
