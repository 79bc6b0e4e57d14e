//! What a fusion allocates, as a measure of its work that no clock and no neighbour disturbs, grows in
//! proportion to the number of blocks, and so does the most that it holds at once.

use allocation_counter::{AllocationInfo, measure};
use sinter_device::{Device, HostCpu};
use sinter_fusion::{Options, fuse};

#[path = "common/blocks.rs"]
mod blocks;

use blocks::Block;

/// Of `log(work) / log(operators)`.
const MOST_EXPONENT: f64 = 1.15;
/// Bytes held by the fusion of the most blocks.
const MOST_BYTES: u64 = 256 << 20;

fn work(block: Block, count: usize, device: &Device) -> AllocationInfo {
    let graph = block.repeated(count);
    // What is counted is this thread's.
    let options = Options {
        threads: Some(1),
        ..Options::default()
    };
    measure(|| {
        fuse(&graph, device, &options).expect("blocks are fused");
    })
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
