//! Every refusal has its code, and its flip is true: what it asks for makes the decision flip.

use sinter_device::{Device, HostCpu};
use sinter_fusion::control::KernelControl;
use sinter_fusion::{Fused, LegalityCode, Limits, Options, Refusal, fuse};
use sinter_loops::scalar::BinaryFn;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::cast::Cast;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Graph, Op, ValueId};

/// Graphs whose nodes are called `n0`, `n1`, ...
#[derive(Default)]
struct Build(Graph);

impl Build {
    fn input(&mut self, element: ElementType, shape: &[i64]) -> ValueId {
        let name = format!("x{}", self.0.inputs.len());
        self.0.input(name, TensorType::new(element, shape.to_vec()))
    }

    fn apply(&mut self, op: impl Into<Op>, inputs: &[ValueId]) -> ValueId {
        let name = format!("n{}", self.0.nodes.len());
        self.0.add(op, inputs, vec![name]).unwrap()[0]
    }

    fn unary(&mut self, kind: UnaryKind, x: ValueId) -> ValueId {
        self.apply(Unary { kind }, &[x])
    }

    fn binary(&mut self, kind: BinaryFn, x: ValueId, y: ValueId) -> ValueId {
        self.apply(Binary { kind }, &[x, y])
    }

    fn reduce(&mut self, kind: ReduceKind, axes: &[i64], x: ValueId) -> ValueId {
        let axes = axes.to_vec();
        let keep_dims = true;
        self.apply(
            Reduce {
                kind,
                axes,
                keep_dims,
            },
            &[x],
        )
    }

    fn output(&mut self, value: ValueId) {
        let name = format!("y{}", self.0.outputs.len());
        self.0.output(name, value);
    }
}

fn graph(make: impl FnOnce(&mut Build)) -> Graph {
    let mut build = Build::default();
    make(&mut build);
    build.0
}

fn host() -> Device {
    Device::named("host").unwrap().with_host_cpu(HostCpu::AVX2)
}

fn fused(graph: &Graph, device: &Device) -> Fused {
    let limits = Limits {
        thresholds: usize::MAX,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    fuse(graph, device, &options).unwrap()
}

/// The refusal of a code.
#[track_caller]
fn refusal(fused: &Fused, code: LegalityCode) -> &Refusal {
    let found = fused.refusals.iter().find(|r| r.code == code);
    found.unwrap_or_else(|| panic!("no {code} in {:#?}", fused.refusals))
}

/// Every element is scaled by the sum of all.
fn scaled_by_sum(extent: i64) -> Graph {
    graph(|b| {
        let x = b.input(ElementType::F32, &[extent, extent]);
        let x = b.unary(UnaryKind::Erf, x);
        let sum = b.reduce(ReduceKind::Sum, &[0, 1], x);
        let y = b.binary(BinaryFn::Mul, x, sum);
        b.output(y);
    })
}

/// The number behind a piece of text.
#[track_caller]
fn number(text: &str, before: &str) -> i64 {
    let (_, rest) = text
        .split_once(before)
        .unwrap_or_else(|| panic!("no '{before}' in '{text}'"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// The group that computes a node.
fn home(fused: &Fused, node: &str) -> usize {
    let holds = |g: &sinter_fusion::Group| g.origins.iter().any(|o| o == node);
    fused.groups.iter().position(holds).unwrap()
}

#[test]
fn the_extent_of_a_flip_is_the_largest_that_fuses() {
    let refused = fused(&scaled_by_sum(1024), &host());
    let between = |r: &&Refusal| r.nodes == ["n0", "n1"];
    let refusal = refused.refusals.iter().find(between).unwrap();
    assert_eq!(refusal.code, LegalityCode::SharedTile);
    let flip = refusal.flip.as_deref().unwrap();
    let extent = number(flip, "dimensions 0 and 1 of n0 (1024) <= ");
    let together = |extent| {
        let fused = fused(&scaled_by_sum(extent), &host());
        home(&fused, "n0") == home(&fused, "n1")
    };
    assert!(together(extent), "{flip}");
    assert!(!together(extent + 1), "{flip}");
}

/// The exponentials of a matrix over the sums of its columns, scaled by their rows' maxima.
fn scaled_by_maxima(rows: i64) -> Graph {
    graph(|b| {
        let x = b.input(ElementType::F32, &[rows, 96]);
        let sum = b.reduce(ReduceKind::Sum, &[0], x);
        let e = b.unary(UnaryKind::Exp, x);
        let q = b.binary(BinaryFn::Div, e, sum);
        let max = b.reduce(ReduceKind::Max, &[1], q);
        let y = b.binary(BinaryFn::Mul, q, max);
        b.output(y);
    })
}

#[test]
fn extents_of_flips_are_those_of_the_whole_program() {
    let mut followed = 0;
    for device in [host(), Device::named("ascend-910b").unwrap()] {
        let refused = fused(&scaled_by_maxima(5000), &device);
        for refusal in &refused.refusals {
            let flip = refusal.flip.as_deref().unwrap_or("");
            let Some((_, most)) = flip.split_once("(5000) <= ") else {
                continue;
            };
            let most: i64 = most.parse().unwrap();
            let together = |rows| {
                let fused = fused(&scaled_by_maxima(rows), &device);
                let holds =
                    |g: &sinter_fusion::Group| refusal.nodes.iter().all(|n| g.origins.contains(n));
                fused.groups.iter().any(holds)
            };
            assert!(together(most) && !together(most + 1), "{refusal:?}");
            followed += 1;
        }
    }
    assert!(followed > 0);
}

#[test]
fn the_size_of_a_flip_is_the_smallest_space_that_fuses() {
    let graph = graph(|b| {
        let x = b.input(ElementType::F32, &[1, 16, 160, 160]);
        let x = b.unary(UnaryKind::Exp, x);
        let mean = b.reduce(ReduceKind::Mean, &[2, 3], x);
        let y = b.binary(BinaryFn::Mul, x, mean);
        b.output(y);
    });
    let device = Device::named("ascend-910b").unwrap();
    let with = |kib: i64| {
        let mut device = device.clone();
        let ub = device.spaces.iter_mut().find(|s| s.name == "ub").unwrap();
        ub.bytes = kib.unsigned_abs() * 1024;
        fused(&graph, &device)
    };
    let refused = fused(&graph, &device);
    let refusal = refusal(&refused, LegalityCode::Footprint);
    assert_eq!(refusal.nodes, ["n1", "n2"]);
    let kib = number(refusal.flip.as_deref().unwrap(), "if ub >= ");
    // The refusal is between the kernels of `n0, n1` and `n0, n2`: together they hold all three.
    assert_eq!(with(kib).groups.len(), 1, "{refusal:?}");
    assert_ne!(with(kib - 1).groups.len(), 1, "{refusal:?}");
}

#[test]
fn a_higher_limit_is_the_flip_of_a_limit() {
    let graph = graph(|b| {
        let mut x = b.input(ElementType::F32, &[64, 256]);
        for n in 0..36 {
            let kind = if n % 2 == 0 {
                UnaryKind::Exp
            } else {
                UnaryKind::Sin
            };
            x = b.unary(kind, x);
        }
        b.output(x);
    });
    let refused = fused(&graph, &host());
    let flip = refusal(&refused, LegalityCode::Limit).flip.clone().unwrap();
    let operators = number(&flip, "with operators = ") as usize;
    let mut options = Options::default();
    options.control.kernels = Some(KernelControl {
        operators: Some(operators),
        ..KernelControl::default()
    });
    let higher = fuse(&graph, &host(), &options).unwrap();
    assert_eq!(higher.groups.len(), 1, "{flip}");
}

#[test]
fn what_an_exponential_and_its_maximum_share_is_computed_once() {
    let graph = graph(|b| {
        let x = b.input(ElementType::F32, &[1024, 1024]);
        let x = b.unary(UnaryKind::Sqrt, x);
        let max = b.reduce(ReduceKind::Max, &[0, 1], x);
        let y = b.binary(BinaryFn::Sub, x, max);
        let y = b.unary(UnaryKind::Exp, y);
        b.output(y);
    });
    let fused = fused(&graph, &host());
    let refusal = refusal(&fused, LegalityCode::ExpDifference);
    assert_eq!(refusal.nodes[0], "n0");
    let holding = fused
        .groups
        .iter()
        .filter(|g| g.origins.contains(&"n0".to_owned()));
    assert_eq!(holding.count(), 1);
}

#[test]
fn elements_that_vectors_do_not_hold_are_computed_apart() {
    let graph = graph(|b| {
        let x = b.input(ElementType::I64, &[64, 256]);
        let x = b.binary(BinaryFn::Add, x, x);
        let y = b.apply(
            Cast {
                to: ElementType::F32,
            },
            &[x],
        );
        let y = b.unary(UnaryKind::Exp, y);
        b.output(y);
    });
    let apart = fused(&graph, &Device::named("ascend-910b").unwrap());
    let refusal = refusal(&apart, LegalityCode::ElementTypes);
    assert_eq!(refusal.nodes, ["n0", "n1"]);
    assert_eq!(apart.groups.len(), 2);
    let code = LegalityCode::ElementTypes;
    let host = fused(&graph, &host());
    assert!(host.refusals.iter().all(|r| r.code != code));
}

#[test]
fn what_costs_most_comes_first_and_names_its_kernels() {
    let fused = fused(&scaled_by_sum(1024), &host());
    assert!(fused.refusals.len() >= 2);
    assert!(fused.refusals.is_sorted_by(|a, b| a.saved >= b.saved));
    for refusal in &fused.refusals {
        assert!(refusal.kernels.iter().all(|&k| k < fused.groups.len()));
        assert!(
            refusal.kernels.len() >= 2 && refusal.saved_bytes > 0,
            "{refusal:?}"
        );
        // Storing and loading once and a launch: not more than the kernels take themselves.
        let all = refusal.kernels.iter().map(|&k| fused.groups[k].price.total);
        assert!(refusal.saved <= all.sum(), "{refusal:?}");
    }
}

#[test]
fn every_kernel_of_several_operators_has_a_runner_up() {
    let graph = graph(|b| {
        let x = b.input(ElementType::F32, &[64, 256]);
        let x = b.unary(UnaryKind::Exp, x);
        let x = b.unary(UnaryKind::Sin, x);
        b.output(x);
    });
    let fused = fused(&graph, &host());
    let runner_up = fused.groups[0].runner_up.as_ref().unwrap();
    assert_eq!(runner_up.change, "cut after n0");
    assert_eq!(runner_up.instead_of, fused.groups[0].price.total);
    assert_eq!(runner_up.price, fused.statistics.unfused_price);
    assert!(runner_up.price > runner_up.instead_of);
}

#[test]
fn a_detour_through_device_memory_has_a_code_and_a_price() {
    let graph = graph(|b| {
        let x = b.input(ElementType::F32, &[4096, 512]);
        let w = b.input(ElementType::F32, &[512, 4096]);
        let x = b.apply(Matmul {}, &[x, w]);
        let y = b.unary(UnaryKind::Erf, x);
        b.output(y);
    });
    let separated = fused(&graph, &Device::named("ascend-910b").unwrap());
    let refusal = refusal(&separated, LegalityCode::NoRoute);
    assert_eq!(refusal.flip.as_deref(), Some("with a route from l0c to ub"));
    let coupled = fused(&graph, &Device::named("ascend-coupled").unwrap());
    assert!(
        coupled
            .refusals
            .iter()
            .all(|r| r.code != LegalityCode::NoRoute)
    );
    assert!(coupled.statistics.price < separated.statistics.price);
}
