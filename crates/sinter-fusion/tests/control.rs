//! Controls, marks and costs are obeyed by every policy.

mod common;

use sinter_device::{Device, HostCpu};
use sinter_fusion::rules::Example;
use sinter_fusion::{
    Control, Cost, Fused, FusionError, LegalityCode, Numerics, Options, Policy, fuse,
};
use sinter_loops::scalar::BinaryFn;
use sinter_onnx::{ImportOptions, import};
use sinter_ops::ops::unary::UnaryKind;
use sinter_ops::{Graph, Operator};

fn host() -> Device {
    Device::named("host").unwrap().with_host_cpu(HostCpu::AVX2)
}

/// `scale`, `shift`, `relu` in a row.
fn chain() -> Graph {
    let path = common::root().join("models/chain.onnx");
    import(path, &ImportOptions::default()).unwrap()
}

fn transformer() -> Graph {
    let path = common::root().join("models/tiny_transformer.onnx");
    let shapes = [("x".to_owned(), vec![1, 16, 32])].into();
    import(path, &ImportOptions { shapes }).unwrap()
}

fn with(graph: &Graph, policy: Policy, control: &str) -> Result<Fused, FusionError> {
    let options = Options {
        policy,
        control: Control::parse(control).unwrap(),
        ..Options::default()
    };
    fuse(graph, &host(), &options)
}

/// The number of the kernel that performs a node.
fn kernel_of(fused: &Fused, name: &str) -> usize {
    let holds = |g: &sinter_fusion::Group| g.origins.iter().any(|o| o == name);
    fused.groups.iter().position(holds).unwrap()
}

fn apart(fused: &Fused, a: &str, b: &str) -> bool {
    kernel_of(fused, a) != kernel_of(fused, b)
}

#[test]
fn never_fused_operators_are_alone_under_every_policy() {
    for policy in Policy::built() {
        let fused = with(&chain(), policy, "[[never-fuse]]\nnodes = ['shi*']").unwrap();
        assert!(
            apart(&fused, "shift", "relu") && apart(&fused, "scale", "shift"),
            "{policy}"
        );
        let inputs = common::random_inputs(&chain(), 1);
        let expected = sinter_reference::evaluate(&chain(), &inputs).unwrap();
        let error = common::relative_error(&common::run(&fused, &inputs)[0], &expected[0]);
        assert!(error < 1e-5, "{policy}: {error}");
    }
    let free = with(&chain(), Policy::Egraph, "").unwrap();
    assert_eq!(free.groups.len(), 1);
}

#[test]
fn what_is_forbidden_is_reported_with_its_wish() {
    let fused = with(&chain(), Policy::Egraph, "[[never-fuse]]\nnodes = ['relu']").unwrap();
    let refused: Vec<_> = fused
        .refusals
        .iter()
        .filter(|r| r.code == LegalityCode::Forbidden)
        .collect();
    assert!(!refused.is_empty(), "{:?}", fused.refusals);
    assert!(
        refused[0].message.contains("never-fuse 'relu'"),
        "{refused:?}"
    );
    assert!(refused[0].flip.as_ref().unwrap().contains("dropped"));
}

#[test]
fn pairs_and_borders_are_kept_apart() {
    for policy in [Policy::Greedy, Policy::Egraph] {
        let text = "[[never-fuse]]\nnodes = ['scale']\nwith = ['relu']";
        let fused = with(&chain(), policy, text).unwrap();
        assert!(apart(&fused, "scale", "relu"));
        assert_eq!(fused.groups.len(), 2);
        let fused = with(&chain(), policy, "[[boundary]]\nafter = ['scale']").unwrap();
        assert!(apart(&fused, "scale", "shift") && !apart(&fused, "shift", "relu"));
        let fused = with(&chain(), policy, "[[boundary]]\nbefore = ['relu']").unwrap();
        assert!(!apart(&fused, "scale", "shift") && apart(&fused, "shift", "relu"));
    }
}

#[test]
fn must_fuse_is_one_kernel_under_every_policy() {
    for policy in Policy::built() {
        let text = "[[must-fuse]]\nnodes = ['scale', 'relu', 'sh*']";
        let fused = with(&chain(), policy, text).unwrap();
        assert_eq!(fused.groups.len(), 1, "{policy}");
        let partial = with(
            &chain(),
            policy,
            "[[must-fuse]]\nnodes = ['scale', 'shift']",
        )
        .unwrap();
        assert!(!apart(&partial, "scale", "shift"), "{policy}");
    }
}

#[test]
fn an_illegal_must_fuse_says_why() {
    let text = "[[must-fuse]]\nnodes = ['scale', 'relu']";
    let error = with(&chain(), Policy::Egraph, text)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("must-fuse 'scale', 'relu'") && error.contains("(cycle)"),
        "{error}"
    );
    let both = "[[must-fuse]]\nnodes = ['scale', 'shift']\n[[never-fuse]]\nnodes = ['shift']";
    let error = with(&chain(), Policy::Egraph, both)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("(forbidden)") && error.contains("would be one kernel if"),
        "{error}"
    );
}

#[test]
fn a_must_fuse_over_a_view_says_so() {
    let mut e = Example::new(1);
    let x = e.input(&[2, 6]);
    let y = e.unary(UnaryKind::Relu, x);
    let shape = vec![3, 4];
    let y = e.apply(sinter_ops::ops::reshape::Reshape { shape }, &[y]);
    let y = e.unary(UnaryKind::Exp, y);
    e.output(y);
    for (node, name) in e.graph.nodes.iter_mut().zip(["relu", "view", "exp"]) {
        node.origins = vec![name.to_owned()];
    }
    let text = "[[must-fuse]]\nnodes = ['relu', 'exp']";
    let error = with(&e.graph, Policy::Greedy, text)
        .unwrap_err()
        .to_string();
    assert!(error.contains("through a view"), "{error}");
}

#[test]
fn a_control_that_matches_nothing_is_an_error_with_the_nearest_names() {
    let error = with(&chain(), Policy::Egraph, "[[must-fuse]]\nnodes = ['shifd']");
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("'shifd'") && error.contains("'shift'"),
        "{error}"
    );
    assert!(!error.contains('\n'));
    let error = with(&chain(), Policy::Egraph, "disable = ['activations']").unwrap_err();
    assert!(error.to_string().contains("'activation'"), "{error}");
}

#[test]
fn operators_of_both_lists_are_kept_apart_from_each_other_too() {
    for policy in Policy::built() {
        let text = "[[never-fuse]]\nnodes = ['*']\nwith = ['scale']";
        let fused = with(&chain(), policy, text).unwrap();
        assert!(apart(&fused, "scale", "shift") && apart(&fused, "scale", "relu"));
        for nodes in ["['shift', 'relu']", "['relu', 'shift']"] {
            let text = format!("[[never-fuse]]\nnodes = {nodes}\nwith = ['shift']");
            let fused = with(&chain(), policy, &text).unwrap();
            assert!(apart(&fused, "relu", "shift"), "{policy}");
        }
        // One operator performs the two nodes of the normalisation.
        let text = "[[never-fuse]]\nnodes = ['up_bias', 'norm2_mean']\nwith = ['norm2_sub']";
        let fused = with(&transformer(), policy, text).unwrap();
        assert!(apart(&fused, "up_bias", "norm2_sub"), "{policy}");
    }
}

#[test]
fn a_limit_that_no_kernel_keeps_is_named_with_a_way_out() {
    for (limit, wanted) in [("outputs = 0", "outputs = 1"), ("inputs = 1", "inputs = 2")] {
        let control = format!("[kernels]\n{limit}");
        let error = with(&chain(), Policy::Egraph, &control).unwrap_err();
        let error = error.to_string();
        let way_out =
            format!("it has one with {wanted} under [kernels] of the fusion configuration");
        assert!(error.ends_with(&way_out), "{error}");
    }
}

/// `sigmoid` and `product` of one input, which the rules make one operator.
fn gate() -> Graph {
    let mut e = Example::new(1);
    let x = e.input(&[4, 8]);
    let gate = e.unary(UnaryKind::Sigmoid, x);
    let y = e.binary(BinaryFn::Mul, x, gate);
    e.output(y);
    e.graph.nodes[0].origins = vec!["sigmoid".into()];
    e.graph.nodes[1].origins = vec!["product".into()];
    e.graph
}

#[test]
fn rules_are_kept_from_nodes_by_name_class_and_mark() {
    let operators = |graph: &Graph, control: &str| {
        with(graph, Policy::Egraph, control)
            .unwrap()
            .graph
            .nodes
            .len()
    };
    assert_eq!(operators(&gate(), ""), 1);
    for control in [
        "disable = ['activation']",
        "numerics = 'exact'",
        "[[rules]]\nnodes = ['sigmoid']\ndisable = ['silu-*']",
        "[[rules]]\nnodes = ['prod*']\nnumerics = 'exact'",
    ] {
        assert_eq!(operators(&gate(), control), 2, "{control}");
    }
    let other = "[[rules]]\nnodes = ['prod*']\ndisable = ['gelu-from-erf']";
    assert_eq!(operators(&gate(), other), 1);
    for mark in ["@numerics:exact", "@disable:silu-from-product"] {
        let mut marked = gate();
        marked.nodes[0].origins.push(mark.to_owned());
        let fused = with(&marked, Policy::Egraph, "").unwrap();
        assert_eq!(fused.graph.nodes.len(), 2, "{mark}");
        let shown = format!("{:?}", fused.decisions());
        assert!(!shown.contains(mark), "{shown}");
    }
}

#[test]
fn marks_group_and_part() {
    let marked = |marks: [&str; 3]| {
        let mut graph = chain();
        for (node, mark) in graph.nodes.iter_mut().zip(marks) {
            node.origins
                .extend((!mark.is_empty()).then(|| mark.to_owned()));
        }
        graph
    };
    let fused = with(&marked(["", "@never-fuse", ""]), Policy::Egraph, "").unwrap();
    assert_eq!(fused.groups.len(), 3);
    let fused = with(&marked(["@boundary", "", ""]), Policy::Egraph, "").unwrap();
    assert!(apart(&fused, "scale", "shift"));
    let unit = marked(["@must-fuse:a", "@must-fuse:a", ""]);
    let fused = with(&unit, Policy::None, "").unwrap();
    assert_eq!(fused.groups.len(), 2);
    let broken = marked(["@must-fuse:a", "", "@must-fuse:a"]);
    assert!(with(&broken, Policy::Egraph, "").is_err());
    // A composite without a kernel is its decomposition.
    let broken = marked(["@unit:a", "", "@unit:a"]);
    assert_eq!(with(&broken, Policy::Egraph, "").unwrap().groups.len(), 1);
    assert_eq!(with(&broken, Policy::None, "").unwrap().groups.len(), 3);
}

#[test]
fn costs_steer_the_search() {
    let graph = transformer();
    let by = |cost: Cost| {
        let options = Options {
            cost,
            ..Options::default()
        };
        fuse(&graph, &host(), &options).unwrap().statistics
    };
    let (time, kernels, bytes) = (by(Cost::Time), by(Cost::Kernels), by(Cost::Bytes));
    assert!(kernels.kernels <= time.kernels, "{kernels:?} {time:?}");
    assert!(
        bytes.intermediate_bytes <= time.intermediate_bytes,
        "{bytes:?} {time:?}"
    );
    assert!(time.price <= kernels.price && time.price <= bytes.price);
    assert!(time.lower_bound.is_some() && kernels.lower_bound.is_none());
}

#[test]
fn only_the_wanted_rules_run_and_are_counted() {
    let options = Options {
        only_rules: vec!["silu-from-product".into()],
        ..Options::default()
    };
    let fused = fuse(&gate(), &host(), &options).unwrap();
    let saturation = fused.saturation.last().unwrap();
    assert_eq!(saturation.rules.len(), 1);
    assert_eq!(
        (saturation.rules[0].matches > 0, saturation.rules[0].applied),
        (true, 1)
    );
    assert_eq!(saturation.stop, "saturated");
    assert!(saturation.to_string().contains("silu-from-product"));
}

#[test]
fn exact_programs_reduce_in_one_order() {
    let graph = transformer();
    let options = Options {
        numerics: Numerics::Exact,
        ..Options::default()
    };
    let fused = fuse(&graph, &host(), &options).unwrap();
    for group in &fused.groups {
        let schedule = group.kernel.schedule.as_ref().unwrap();
        for (nest, stage) in group.kernel.stages.iter().zip(&schedule.stages) {
            let reduced = |v: usize| nest.iters[v].kind == sinter_loops::nest::IterKind::Reduction;
            assert!(!stage.vector.is_some_and(reduced), "{}", group.kernel.name);
        }
    }
}

#[test]
fn limits_on_kernels_hold_under_every_policy() {
    let contractions = |fused: &Fused, group: &sinter_fusion::Group| {
        let nodes = group.nodes.iter().map(|n| &fused.graph.nodes[n.0 as usize]);
        nodes.filter(|n| n.op.traits().contraction).count()
    };
    let most = |fused: &Fused| {
        let groups = fused.groups.iter();
        let outputs = groups.clone().map(|g| g.outputs.len()).max();
        (outputs, groups.map(|g| contractions(fused, g)).max())
    };
    let free = with(&transformer(), Policy::Egraph, "").unwrap();
    assert!(most(&free) > (Some(1), Some(1)), "{:?}", most(&free));
    for policy in Policy::built() {
        let control = "[kernels]\noutputs = 1\nanchors = 1";
        let fused = with(&transformer(), policy, control).unwrap();
        assert_eq!(most(&fused), (Some(1), Some(1)), "{policy}");
    }
}
