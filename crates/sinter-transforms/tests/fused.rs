//! A fused program goes through its module: groups become kernels, and the passes on kernels give the
//! very kernels that fusion priced.

use std::collections::BTreeMap;

use sinter_conversion::graph_to_tloop::ConvertGraphToTloop;
use sinter_conversion::tloop_to_npu::{ConvertTloopToNpu, ConvertTloopToNpuOptions};
use sinter_device::Device;
use sinter_fusion::{Fused, Options, Policy, fuse};
use sinter_ir::kernel::canonical;
use sinter_ir::melior::ir::operation::OperationLike;
use sinter_ir::melior::ir::{BlockLike, Module};
use sinter_ir::{Context, attr, graph_to_module, module, module_to_graph, op_to_kernel};
use sinter_loops::kernel::Kernel;
use sinter_loops::random;
use sinter_loops::types::TensorType;
use sinter_ops::{Attr, Graph, Op, ValueId};
use sinter_pass::{NoOptions, Pass};
use sinter_transforms::fused_module::fused_to_module;
use sinter_transforms::graph_fuse::{self, GraphFuse, GraphFuseOptions};
use sinter_transforms::npu_check_races::NpuCheckRaces;
use sinter_transforms::npu_insert_sync::NpuInsertSync;
use sinter_transforms::npu_plan_memory::{NpuPlanMemory, NpuPlanMemoryOptions};
use sinter_transforms::npu_verify_plan::{NpuVerifyPlan, NpuVerifyPlanOptions};
use sinter_transforms::tloop_apply_layouts::TloopApplyLayouts;
use sinter_transforms::tloop_coalesce::TloopCoalesce;
use sinter_transforms::tloop_online_softmax::{TloopOnlineSoftmax, TloopOnlineSoftmaxOptions};
use sinter_transforms::tloop_place_stages::{TloopPlaceStages, TloopPlaceStagesOptions};
use sinter_transforms::tloop_schedule::{TloopSchedule, TloopScheduleOptions};

fn op(mnemonic: &str, attributes: &[(&str, Attr)]) -> Op {
    let attributes: Vec<_> = attributes
        .iter()
        .map(|(name, value)| (name.to_string(), value.clone()))
        .collect();
    Op::from_parts(mnemonic, &attributes).unwrap()
}

fn add(graph: &mut Graph, op: Op, inputs: &[ValueId], origin: &str) -> ValueId {
    graph.add(op, inputs, vec![origin.to_string()]).unwrap()[0]
}

fn weight(graph: &mut Graph, shape: &[i64], name: &str) -> ValueId {
    graph.constant(random::tensor(&TensorType::f32(shape), name, 7))
}

fn conv(graph: &mut Graph, x: ValueId, out: i64, size: i64, origin: &str) -> ValueId {
    let channels = graph.ty(x).shape[1];
    let w = weight(graph, &[out, channels, size, size], &format!("{origin}.w"));
    let b = weight(graph, &[out], &format!("{origin}.b"));
    let attributes = [
        ("strides", Attr::Ints(vec![1, 1])),
        ("pads", Attr::Ints(vec![size / 2; 4])),
        ("dilations", Attr::Ints(vec![1, 1])),
        ("groups", Attr::Int(1)),
    ];
    add(graph, op("conv", &attributes), &[x, w, b], origin)
}

/// Two convolutions with epilogues, a residual, and a concatenation of both.
fn convolutions() -> Graph {
    let mut g = Graph::new("convolutions");
    let x = g.input("x", TensorType::f32([1, 8, 12, 12]));
    let a = conv(&mut g, x, 16, 3, "conv_a");
    let a = add(&mut g, op("relu", &[]), &[a], "relu_a");
    let b = conv(&mut g, a, 16, 1, "conv_b");
    let b = add(&mut g, op("add", &[]), &[b, a], "residual");
    let b = add(&mut g, op("relu", &[]), &[b], "relu_b");
    let c = add(
        &mut g,
        op("concat", &[("axis", Attr::Int(1))]),
        &[a, b],
        "concat",
    );
    let d = conv(&mut g, c, 4, 3, "conv_d");
    g.output("y", d);
    g
}

/// A softmax over rows behind a matrix product and a scale.
fn rows() -> Graph {
    let mut g = Graph::new("rows");
    let x = g.input("x", TensorType::f32([6, 20]));
    let w = weight(&mut g, &[20, 24], "w");
    let y = add(&mut g, op("matmul", &[]), &[x, w], "matmul");
    let y = add(
        &mut g,
        op("softmax", &[("axis", Attr::Int(1))]),
        &[y],
        "softmax",
    );
    let y = add(
        &mut g,
        op("reshape", &[("shape", Attr::Ints(vec![2, 3, 24]))]),
        &[y],
        "reshape",
    );
    g.output("y", y);
    g
}

/// The models of the repository.
fn models() -> Vec<Graph> {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let mut files: Vec<_> = std::fs::read_dir(shipped)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "onnx"))
        .collect();
    files.sort();
    files.iter().map(|path| model(path)).collect()
}

fn model(path: &std::path::Path) -> Graph {
    let mut options = sinter_onnx::ImportOptions::default();
    if path.ends_with("tiny_transformer.onnx") {
        options.shapes.insert("x".into(), vec![1, 16, 32]);
    }
    let graph = sinter_onnx::import(path, &options).unwrap();
    sinter_ops::simplify::simplify(&graph, &sinter_ops::simplify::Options::default()).unwrap()
}

fn graphs() -> Vec<Graph> {
    [vec![convolutions(), rows()], models()].concat()
}

fn kernels(module: &Module<'_>) -> BTreeMap<String, Kernel> {
    let mut out = BTreeMap::new();
    let mut next = module.body().first_operation();
    while let Some(op) = next {
        if op.attribute("roles").is_ok() {
            let name = op
                .attribute("sym_name")
                .ok()
                .and_then(attr::as_str)
                .unwrap();
            out.insert(name.to_string(), op_to_kernel(op).unwrap());
        }
        next = op.next_in_block();
    }
    out
}

fn checked(module: &Module<'_>) {
    module::verify(&module.as_operation())
        .unwrap_or_else(|error| panic!("{error}\n{}", module.as_operation()));
}

fn fused(graph: &Graph, policy: Policy, device: &str) -> Fused {
    let device = Device::named(device).unwrap();
    fuse(
        graph,
        &device,
        &Options {
            policy,
            ..Options::default()
        },
    )
    .unwrap()
}

#[test]
fn graphs_come_back_from_their_modules() {
    for graph in graphs() {
        let context = Context::new();
        let module = graph_to_module(&context, &graph).unwrap();
        let back = module_to_graph(&module).unwrap();
        assert_eq!(back.nodes.len(), graph.nodes.len());
        for (a, b) in back.nodes.iter().zip(&graph.nodes) {
            assert_eq!((&a.op, &a.origins), (&b.op, &b.origins));
        }
        assert_eq!(back.name, graph.name);
        let names = |g: &Graph| -> Vec<String> {
            g.inputs
                .iter()
                .chain(&g.outputs)
                .map(|(name, _)| name.clone())
                .collect()
        };
        assert_eq!(names(&back), names(&graph));
        let fresh = Context::new();
        let again = graph_to_module(&fresh, &back).unwrap();
        let options = module::PrintOptions {
            locations: true,
            elide_above: Some(4),
        };
        let text = |m: &Module<'_>| module::print(&m.as_operation(), options).unwrap();
        assert_eq!(text(&again), text(&module));
    }
}

#[test]
fn the_passes_give_the_kernels_that_fusion_priced() {
    let context = Context::new();
    let cases = [
        (Policy::None, "host"),
        (Policy::Greedy, "host"),
        (Policy::Greedy, "ascend-910b"),
    ];
    for graph in graphs() {
        for (policy, device) in cases {
            let fused = fused(&graph, policy, device);
            let module = fused_to_module(&context, &fused).unwrap();
            checked(&module);
            let top = module.as_operation();
            ConvertGraphToTloop.run(top, &NoOptions {}).unwrap();
            checked(&module);
            let formed = kernels(&module);
            for group in &fused.groups {
                assert_eq!(formed[&group.kernel.name], canonical(&group.formed));
            }
            TloopApplyLayouts.run(top, &NoOptions {}).unwrap();
            checked(&module);
            TloopPlaceStages
                .run(top, &TloopPlaceStagesOptions::default())
                .unwrap();
            checked(&module);
            TloopOnlineSoftmax
                .run(
                    top,
                    &TloopOnlineSoftmaxOptions {
                        device: device.to_owned(),
                        ..TloopOnlineSoftmaxOptions::default()
                    },
                )
                .unwrap();
            checked(&module);
            TloopCoalesce.run(top, &NoOptions {}).unwrap();
            checked(&module);
            TloopSchedule
                .run(top, &TloopScheduleOptions::default())
                .unwrap();
            checked(&module);
            let scheduled = kernels(&module);
            assert_eq!(scheduled.len(), fused.groups.len());
            for group in &fused.groups {
                assert_eq!(scheduled[&group.kernel.name], canonical(&group.kernel));
            }
        }
    }
}

#[test]
fn the_pass_leaves_the_groups_of_the_program() {
    let context = Context::new();
    for graph in graphs() {
        let module = graph_to_module(&context, &graph).unwrap();
        GraphFuse
            .run(
                module.as_operation(),
                &GraphFuseOptions {
                    policy: graph_fuse::Policy::Greedy,
                    ..GraphFuseOptions::default()
                },
            )
            .unwrap();
        checked(&module);
        let fused = fused(&graph, Policy::Greedy, "host");
        let text = module.as_operation().to_string();
        assert_eq!(
            text.matches("graph.group @").count(),
            fused.groups.len(),
            "{text}"
        );
        assert_eq!(
            module_to_graph(&module).unwrap().nodes.len(),
            fused.graph.nodes.len()
        );
    }
}

#[test]
fn planned_programs_pass_the_independent_checks() {
    let context = Context::new();
    for graph in graphs() {
        for device in ["host", "ascend-910b"] {
            let fused = fused(&graph, Policy::Greedy, device);
            let module = fused_to_module(&context, &fused).unwrap();
            let top = module.as_operation();
            let device = device.to_string();
            ConvertGraphToTloop.run(top, &NoOptions {}).unwrap();
            TloopApplyLayouts.run(top, &NoOptions {}).unwrap();
            TloopPlaceStages
                .run(top, &TloopPlaceStagesOptions::default())
                .unwrap();
            TloopOnlineSoftmax
                .run(
                    top,
                    &TloopOnlineSoftmaxOptions {
                        device: device.clone(),
                        ..TloopOnlineSoftmaxOptions::default()
                    },
                )
                .unwrap();
            TloopCoalesce.run(top, &NoOptions {}).unwrap();
            TloopSchedule
                .run(
                    top,
                    &TloopScheduleOptions {
                        device: device.clone(),
                        ..TloopScheduleOptions::default()
                    },
                )
                .unwrap();
            ConvertTloopToNpu
                .run(
                    top,
                    &ConvertTloopToNpuOptions {
                        device: device.clone(),
                    },
                )
                .unwrap();
            NpuInsertSync.run(top, &NoOptions {}).unwrap();
            NpuCheckRaces.run(top, &NoOptions {}).unwrap();
            NpuPlanMemory
                .run(
                    top,
                    &NpuPlanMemoryOptions {
                        device: device.clone(),
                    },
                )
                .unwrap();
            let checked = NpuVerifyPlan.run(top, &NpuVerifyPlanOptions { device });
            assert_eq!(checked, Ok(()), "{}", graph.name);
        }
    }
}
