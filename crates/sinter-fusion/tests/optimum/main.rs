//! The default policy (and `ilp`, when it is built in) against a brute force over all legal groupings,
//! on seeded random graphs.
//!
//! 200 graphs; as many as `SINTER_RANDOM_GRAPHS` says when that is set.

mod brute;
mod graphs;

#[path = "../common/mod.rs"]
mod common;

use sinter_device::{Device, HostCpu};
use sinter_fusion::extraction::{Extraction, of_policy};
use sinter_fusion::{Fused, Options, Policy, fuse_with};
use sinter_ops::{Graph, Operator};

use brute::BruteForce;

/// Graphs whose fused programs are also run.
const RUN: u64 = 40;

fn fused(graph: &Graph, policy: Policy, extraction: &dyn Extraction) -> Fused {
    let device = Device::named("host").unwrap().with_host_cpu(HostCpu::AVX2);
    let options = Options {
        policy,
        ..Options::default()
    };
    fuse_with(graph, &device, &options, extraction).unwrap()
}

fn of(graph: &Graph, policy: Policy) -> Fused {
    fused(graph, policy, of_policy(policy).unwrap().as_ref())
}

/// The kernels of a program, for messages.
fn shown(fused: &Fused) -> String {
    let mut out = format!("{:?}\n", fused.statistics.price);
    for (number, node) in fused.graph.nodes.iter().enumerate() {
        let name = node.op.mnemonic();
        out += &format!(
            "  {number}: {:?} = {name} {:?}\n",
            node.outputs, node.inputs
        );
    }
    for group in &fused.groups {
        let (nodes, outputs) = (&group.nodes, &group.outputs);
        out += &format!("  {nodes:?} writes {outputs:?}: {:?}\n", group.price.total);
    }
    out
}

#[test]
fn exact_policies_equal_the_brute_force() {
    let count = std::env::var("SINTER_RANDOM_GRAPHS").ok();
    let count: u64 = count.map_or(200, |n| n.parse().unwrap());
    let (mut operators, mut several, mut repeated) = (0, 0, 0);
    let mut beaten = 0;
    for seed in 0..count {
        let graph = graphs::random(seed);
        let optimum = fused(&graph, Policy::Egraph, &BruteForce);
        let exact = Policy::built().filter(|p| *p >= Policy::Egraph);
        for policy in exact {
            let found = of(&graph, policy);
            let prices = [&found, &optimum].map(|f| f.statistics.price);
            assert!(
                prices[0] == prices[1] && found.statistics.optimal,
                "{policy}, seed {seed}: {}brute force: {}",
                shown(&found),
                shown(&optimum)
            );
        }
        beaten +=
            usize::from(of(&graph, Policy::Greedy).statistics.price > optimum.statistics.price);
        if seed < RUN {
            let inputs = common::random_inputs(&graph, seed);
            let expected = sinter_reference::evaluate(&graph, &inputs).unwrap();
            for (result, expected) in common::run(&optimum, &inputs).iter().zip(&expected) {
                let error = common::relative_error(result, expected);
                assert!(error < 1e-5, "seed {seed}: off by {error:e}");
            }
        }
        let nodes: usize = optimum.groups.iter().map(|g| g.nodes.len()).sum();
        operators = operators.max(nodes);
        several += optimum
            .groups
            .iter()
            .filter(|g| g.outputs.len() > 1)
            .count();
        let mut all: Vec<_> = optimum.groups.iter().flat_map(|g| &g.nodes).collect();
        all.sort_unstable();
        repeated += all.windows(2).filter(|w| w[0] == w[1]).count();
    }
    println!(
        "largest {operators}, {several} with several outputs, {repeated} repeated, {beaten} beaten"
    );
    // The graphs are of the kind that the test is meant for.
    assert!(operators >= 8 && several > 0 && repeated > 0 && beaten > 0);
}
