//! Kernels formed from several nodes.

use sinter_loops::interp;
use sinter_loops::kernel::{Kernel, Layout, Role};
use sinter_loops::scalar::{BinaryFn, Inst};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::form::{self, Placement, RowMajor, Storage};
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Graph, NodeId, Op, ValueId};

fn add(graph: &mut Graph, op: impl Into<Op>, inputs: &[ValueId], name: &str) -> ValueId {
    graph.add(op, inputs, vec![name.into()]).expect("fits")[0]
}

fn sum() -> Binary {
    Binary {
        kind: BinaryFn::Add,
    }
}

fn relu() -> Unary {
    Unary {
        kind: UnaryKind::Relu,
    }
}

fn conv() -> Conv {
    Conv {
        strides: vec![1],
        pads: vec![1, 1],
        dilations: vec![1],
        groups: 1,
    }
}

fn roles(kernel: &Kernel) -> Vec<Role> {
    kernel.slots.iter().map(|s| s.role).collect()
}

/// x, w -> conv -> relu -> add with the convolution's result.
fn residual() -> (Graph, [ValueId; 3]) {
    let mut graph = Graph::new("g");
    let x = graph.input("x", TensorType::f32([1, 2, 4]));
    let w = graph.constant(Tensor::from_f32([2, 2, 3], &[0.5; 12].map(|v: f32| v)));
    let c = add(&mut graph, conv(), &[x, w], "conv");
    let r = add(&mut graph, relu(), &[c], "relu");
    let y = add(&mut graph, sum(), &[r, c], "add");
    (graph, [c, r, y])
}

#[test]
fn slots_are_arguments_then_temporaries_then_outputs() {
    let (graph, [c, r, y]) = residual();
    let nodes = [NodeId(0), NodeId(1), NodeId(2)];
    let formed = form::form(&graph, &nodes, &[y], &RowMajor).expect("has loops");
    formed.kernel.verify().expect("is valid");
    use Role::{Constant, Input, Output, Temporary};
    assert_eq!(
        roles(&formed.kernel),
        [Input, Constant, Temporary, Temporary, Output]
    );
    let x = graph.inputs[0].1;
    assert_eq!(formed.values[0], Some(x));
    assert_eq!(formed.values[2..], [Some(c), Some(r), Some(y)]);
    let origins: Vec<_> = formed
        .kernel
        .stages
        .iter()
        .map(|s| s.origins[0].as_str())
        .collect();
    assert_eq!(origins, ["conv", "relu", "add"]);
    assert!(
        formed.kernel.stages[0].contract,
        "a splat factor stays a read"
    );
}

#[test]
fn an_output_that_is_used_inside_is_written_twice() {
    let (graph, [c, _, y]) = residual();
    let nodes = [NodeId(0), NodeId(1), NodeId(2)];
    let kernel = form::kernel(&graph, &nodes, &[y, c], &RowMajor).expect("has loops");
    kernel.verify().expect("is valid");
    let outputs: Vec<_> = kernel.slots_of(Role::Output).collect();
    let writes: Vec<_> = kernel.stages[0].writes.iter().map(|w| w.operand).collect();
    assert_eq!(writes.len(), 2);
    assert_eq!(kernel.slots[writes[0]].role, Role::Temporary);
    assert_eq!(writes[1], outputs[1]);
    let reads = kernel
        .stages
        .iter()
        .flat_map(|s| s.reads.iter().chain(&s.finish_reads));
    assert!(
        reads
            .map(|r| kernel.slots[r.operand].role)
            .all(|role| role != Role::Output)
    );

    let x = Tensor::from_f32([1, 2, 4], &[1.0; 8]);
    let w = Tensor::from_f32([2, 2, 3], &[0.5; 12]);
    let results = interp::run(&kernel, &[x, w]);
    assert_eq!(results[1].to_f32s()[..4], [2.0, 3.0, 3.0, 2.0]);
    assert_eq!(results[0].to_f32s()[..4], [4.0, 6.0, 6.0, 4.0]);
}

#[test]
fn splat_constants_become_literals() {
    let mut graph = Graph::new("g");
    let x = graph.input("x", TensorType::f32([3, 2]));
    let c = graph.constant(Tensor::from_f32([1, 2], &[2.5, 2.5]));
    let y = add(&mut graph, sum(), &[c, x], "add");
    let kernel = form::kernel(&graph, &[NodeId(0)], &[y], &RowMajor).expect("has loops");
    kernel.verify().expect("is valid");
    assert_eq!(roles(&kernel), [Role::Input, Role::Output]);
    let body = &kernel.stages[0].body;
    assert!(
        body.insts
            .iter()
            .any(|i| matches!(i, Inst::Const(_, v) if v.get() == 2.5))
    );
    let x = Tensor::from_f32([3, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let expected = [2.5, 3.5, 4.5, 5.5, 6.5, 7.5];
    assert_eq!(interp::run(&kernel, &[x])[0].to_f32s(), expected);
}

/// Every value of `part` lies in a bigger one along dimension 1.
struct Placed {
    part: ValueId,
    whole_type: TensorType,
    offset: Vec<i64>,
}

impl Storage for Placed {
    fn layout(&self, value: ValueId) -> Option<Layout> {
        let _ = value;
        None
    }
    fn placement(&self, value: ValueId) -> Option<Placement> {
        (value == self.part).then(|| Placement {
            whole_type: self.whole_type.clone(),
            offset: self.offset.clone(),
        })
    }
}

#[test]
fn placed_values_are_parts_of_bigger_slots() {
    let mut graph = Graph::new("g");
    let x = graph.input("x", TensorType::f32([1, 2, 3]));
    let y = add(&mut graph, relu(), &[x], "relu");
    let whole_type = TensorType::f32([1, 5, 3]);
    let storage = Placed {
        part: y,
        whole_type: whole_type.clone(),
        offset: vec![0, 2, 0],
    };
    let kernel = form::kernel(&graph, &[NodeId(0)], &[y], &storage).expect("has loops");
    kernel.verify().expect("is valid");
    assert_eq!(kernel.slots[1].ty, whole_type);
    let result = interp::run(&kernel, &[Tensor::from_f32([1, 2, 3], &[1.0; 6])]);
    let mut expected = [0.0; 15];
    expected[6..12].fill(1.0);
    assert_eq!(result[0].to_f32s(), expected);

    let storage = Placed {
        part: x,
        whole_type,
        offset: vec![0, 2, 0],
    };
    let kernel = form::kernel(&graph, &[NodeId(0)], &[y], &storage).expect("has loops");
    let whole: Vec<f32> = (0..15u8).map(f32::from).collect();
    let result = interp::run(&kernel, &[Tensor::from_f32([1, 5, 3], &whole)]);
    assert_eq!(result[0].to_f32s(), whole[6..12]);
}

#[test]
fn a_padded_read_must_not_reach_a_neighbour() {
    let (graph, [c, ..]) = residual();
    let x = graph.inputs[0].1;
    let beside = |shape: [i64; 3], offset: [i64; 3]| Placed {
        part: x,
        whole_type: TensorType::f32(shape),
        offset: offset.to_vec(),
    };
    let along_channels = beside([1, 6, 4], [0, 2, 0]);
    form::kernel(&graph, &[NodeId(0)], &[c], &along_channels).expect("pads another dimension");
    let along_width = beside([1, 2, 9], [0, 0, 3]);
    let error = form::kernel(&graph, &[NodeId(0)], &[c], &along_width).expect_err("pads into it");
    let message = "conv: dimension 2 of a part of tensor<1x2x9xf32> is read with padding";
    assert_eq!(error.to_string(), message);
    let outside = beside([1, 3, 4], [0, 2, 0]);
    let error = form::kernel(&graph, &[NodeId(0)], &[c], &outside).expect_err("does not fit");
    let message = "conv: tensor<1x2x4xf32> does not lie within tensor<1x3x4xf32> at [0, 2, 0]";
    assert_eq!(error.to_string(), message);
}

#[test]
fn outputs_must_be_made_inside() {
    let (graph, [_, r, y]) = residual();
    let error = form::kernel(&graph, &[NodeId(2)], &[r], &RowMajor).expect_err("made elsewhere");
    assert!(
        error
            .to_string()
            .starts_with("no node of the group makes its output"),
        "{error}"
    );
    assert!(form::kernel(&graph, &[NodeId(2)], &[y], &RowMajor).is_ok());
}
