//! How the policies compare, that nothing depends on chance, and that work grows with the program.

mod common;

#[path = "common/blocks.rs"]
mod blocks;

use std::collections::BTreeMap;
use std::path::PathBuf;

use sinter_device::{Device, HostCpu};
use sinter_fusion::extraction::{Chosen, Extraction, Grouping, Problem};
use sinter_fusion::{Fused, FusionError, Options, Policy, fuse, fuse_with};
use sinter_onnx::{ImportOptions, import};
use sinter_ops::Graph;

use blocks::Block;

fn host() -> Device {
    Device::named("host").unwrap().with_host_cpu(HostCpu::AVX2)
}

fn fused(graph: &Graph, policy: Policy) -> Fused {
    let options = Options {
        policy,
        ..Options::default()
    };
    fuse(graph, &host(), &options).unwrap()
}

/// The models that ship with Sinter, and of the larger ones those that are there and quick.
fn models() -> Vec<(String, Graph)> {
    let root = common::root();
    let shipped = ["chain", "tiny_cnn", "tiny_transformer"];
    let mut paths: Vec<_> = shipped
        .iter()
        .map(|m| root.join(format!("models/{m}.onnx")))
        .collect();
    let larger = ["squeezenet1_1", "shufflenet_v2_x0_5"];
    let larger = larger
        .iter()
        .map(|m| root.join(format!(".cache/models/{m}.onnx")));
    paths.extend(larger.filter(|p| p.exists()));
    let graph = |path: &PathBuf| {
        let open = path.ends_with("tiny_transformer.onnx");
        let shapes = open.then(|| ("x".to_owned(), vec![1, 16, 32]));
        let shapes = BTreeMap::from_iter(shapes);
        import(path, &ImportOptions { shapes }).unwrap()
    };
    paths
        .iter()
        .map(|p| (p.display().to_string(), graph(p)))
        .collect()
}

#[test]
fn the_default_is_never_above_another_policy_and_proves_it() {
    for (name, graph) in models() {
        let best = fused(&graph, Policy::Egraph).statistics;
        assert!(best.optimal, "{name}: {best:?}");
        assert_eq!(best.gap(), Some(0.0), "{name}");
        for policy in [Policy::None, Policy::Greedy, Policy::Postdom, Policy::Dp] {
            let other = fused(&graph, policy).statistics;
            assert!(best.price <= other.price, "{name}: {policy}");
            assert!(other.price <= best.unfused_price, "{name}: {policy}");
        }
    }
}

#[test]
fn threads_and_repetition_change_nothing() {
    let graph = Block::Transformer.repeated(2);
    let shown = |fused: &Fused| serde_json::to_string(&fused.decisions()).unwrap();
    let first = shown(&fused(&graph, Policy::Egraph));
    let others = std::thread::scope(|scope| {
        let run = || shown(&fused(&graph, Policy::Egraph));
        let threads = [scope.spawn(run), scope.spawn(run)];
        threads.map(|t| t.join().unwrap())
    });
    assert!(others.iter().all(|o| *o == first));
}

#[test]
fn work_grows_with_the_number_of_blocks() {
    for block in Block::ALL {
        let figures = [4, 8, 16].map(|n| fused(&block.repeated(n), Policy::Egraph).statistics);
        let [a, b, c] = figures.each_ref().map(|s| (s.candidates, s.pool));
        // Beyond the ends, every block adds the same.
        assert_eq!(2 * (b.0 - a.0), c.0 - b.0, "{block:?}: candidates");
        assert_eq!(2 * (b.1 - a.1), c.1 - b.1, "{block:?}: pool");
        let unknown = figures.each_ref().map(|s| s.candidates - s.memoised);
        assert_eq!(
            unknown[1], unknown[2],
            "{block:?}: equal blocks are priced once"
        );
        assert!(figures.iter().all(|s| s.optimal && s.truncated == 0));
    }
}

/// Leaves out the last operator.
struct Forgetful;

impl Extraction for Forgetful {
    fn extract(&self, problem: &mut Problem<'_, '_>) -> Grouping {
        let mut kernels: Vec<_> = problem.start().into_iter().map(Chosen::all).collect();
        kernels.pop();
        Grouping::of(kernels)
    }
}

/// All operators in one kernel, whether that is legal or not.
struct Everything;

impl Extraction for Everything {
    fn extract(&self, problem: &mut Problem<'_, '_>) -> Grouping {
        Grouping::of(vec![Chosen::all(problem.operators().to_vec())])
    }
}

#[test]
fn groupings_that_are_no_program_are_refused() {
    // More operators than one kernel may have.
    let graph = Block::Residual.repeated(8);
    for (extraction, part) in [
        (&Forgetful as &dyn Extraction, "is in no kernel"),
        (&Everything, "is illegal"),
    ] {
        let fused = fuse_with(&graph, &host(), &Options::default(), extraction);
        let error = fused.err().unwrap();
        assert!(matches!(error, FusionError::Extraction { .. }));
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[cfg(not(feature = "ilp"))]
#[test]
fn a_policy_that_is_not_built_in_says_how_to_get_it() {
    let options = Options {
        policy: Policy::Ilp,
        ..Options::default()
    };
    let fused = fuse(&Block::Residual.repeated(1), &host(), &options);
    let error = fused.err().unwrap();
    assert_eq!(
        error.to_string(),
        "the policy 'ilp' is not built in; build Sinter with `--features ilp`"
    );
}
