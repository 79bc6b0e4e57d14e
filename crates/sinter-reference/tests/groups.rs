//! Whole groups of operators as one kernel, formed and placed, agree with the reference.

use sinter_loops::kernel::Role;
use sinter_loops::scalar::{BinaryFn, FloatBits};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_loops::{coalesce, interp, place_stages, random};
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::layer_norm::LayerNorm;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::softmax::Softmax;
use sinter_ops::ops::transpose::Transpose;
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::{Graph, NodeId, Op, ValueId, form};
use sinter_reference::{evaluate, evaluate_with};

/// A graph under construction, with constants drawn by name.
struct Net(Graph);

impl Net {
    fn new() -> Self {
        Self(Graph::new("net"))
    }

    fn input(&mut self, shape: &[i64]) -> ValueId {
        let name = format!("x{}", self.0.inputs.len());
        self.0.input(name, TensorType::f32(shape))
    }

    fn constant(&mut self, shape: &[i64]) -> ValueId {
        let name = self.0.value_count().to_string();
        self.0
            .constant(random::tensor(&TensorType::f32(shape), &name, 1))
    }

    fn add(&mut self, op: impl Into<Op>, inputs: &[ValueId]) -> ValueId {
        let origin = format!("n{}", self.0.nodes.len());
        self.0.add(op, inputs, vec![origin]).expect("fits")[0]
    }

    fn unary(&mut self, kind: UnaryKind, x: ValueId) -> ValueId {
        self.add(Unary { kind }, &[x])
    }

    fn binary(&mut self, kind: BinaryFn, a: ValueId, b: ValueId) -> ValueId {
        self.add(Binary { kind }, &[a, b])
    }

    /// A 2-D convolution with bias that keeps the extents.
    fn conv(&mut self, x: ValueId, outputs: i64, kernel: i64, groups: i64) -> ValueId {
        let inputs = self.0.ty(x).shape[1];
        let w = self.constant(&[outputs, inputs / groups, kernel, kernel]);
        let bias = self.constant(&[outputs]);
        let op = Conv {
            strides: vec![1, 1],
            pads: vec![kernel / 2; 4],
            dilations: vec![1, 1],
            groups,
        };
        self.add(op, &[x, w, bias])
    }

    /// Checks all nodes as one kernel, with these outputs.
    fn check(mut self, outputs: &[ValueId]) {
        for (i, &value) in outputs.iter().enumerate() {
            self.0.output(format!("y{i}"), value);
        }
        let graph = self.0;
        let types = graph
            .inputs
            .iter()
            .map(|(name, value)| (name, graph.ty(*value)));
        let inputs: Vec<_> = types
            .map(|(name, ty)| random::tensor(ty, name, 7))
            .collect();
        let expected = evaluate(&graph, &inputs).expect("evaluates");

        let nodes: Vec<_> = (0..graph.nodes.len() as u32).map(NodeId).collect();
        let formed = form::form(&graph, &nodes, outputs, &form::RowMajor).expect("has loops");
        formed.kernel.verify().expect("is valid");
        let arguments: Vec<Tensor> = formed
            .kernel
            .slots
            .iter()
            .zip(&formed.values)
            .filter(|(slot, _)| matches!(slot.role, Role::Input | Role::Constant))
            .filter_map(|(_, value)| {
                let value = (*value)?;
                let input = graph.inputs.iter().position(|(_, v)| *v == value);
                input
                    .map(|i| inputs[i].clone())
                    .or_else(|| graph.as_constant(value).cloned())
            })
            .collect();
        close(&interp::run(&formed.kernel, &arguments), &expected);
        let placed = place_stages(formed.kernel).expect("small kernels can be placed");
        close(&interp::run(&placed, &arguments), &expected);
        let coalesced = coalesce(placed);
        let slots = coalesced
            .arguments()
            .map(|slot| &coalesced.slots[slot].ty.shape);
        let flat: Vec<_> = arguments
            .iter()
            .zip(slots)
            .map(|(t, shape)| t.reshaped(shape.clone()))
            .collect();
        close(&interp::run(&coalesced, &flat), &expected);
    }
}

fn close(actual: &[Tensor], expected: &[Tensor]) {
    assert_eq!(actual.len(), expected.len());
    for (actual, expected) in actual.iter().zip(expected) {
        assert_eq!(actual.ty().elements(), expected.ty().elements());
        let (actual, expected) = (actual.to_f64s(), expected.to_f64s());
        let largest = expected.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        for (a, e) in actual.iter().zip(&expected) {
            assert!((a - e).abs() <= 1e-5 * largest, "{a} instead of {e}");
        }
    }
}

#[test]
fn residual_block() {
    let mut net = Net::new();
    let x = net.input(&[1, 4, 5, 6]);
    let c = net.conv(x, 4, 3, 1);
    let r = net.unary(UnaryKind::Relu, c);
    let d = net.conv(r, 4, 3, 1);
    let s = net.binary(BinaryFn::Add, d, x);
    let y = net.unary(UnaryKind::HardSwish, s);
    net.check(&[y, r]);
}

#[test]
fn depthwise_then_pointwise_with_squeeze_and_excite() {
    let mut net = Net::new();
    let x = net.input(&[1, 4, 6, 5]);
    let c = net.conv(x, 4, 3, 4);
    let c = net.unary(UnaryKind::Silu, c);
    let mean = Reduce {
        kind: ReduceKind::Mean,
        axes: vec![2, 3],
        keep_dims: true,
    };
    let pooled = net.add(mean, &[c]);
    let squeezed = net.conv(pooled, 2, 1, 1);
    let squeezed = net.unary(UnaryKind::Relu, squeezed);
    let excited = net.conv(squeezed, 4, 1, 1);
    let hard = UnaryKind::HardSigmoid {
        alpha: FloatBits::new(0.2),
        beta: FloatBits::new(0.5),
    };
    let gate = net.unary(hard, excited);
    let scaled = net.binary(BinaryFn::Mul, c, gate);
    let y = net.conv(scaled, 3, 1, 1);
    net.check(&[y]);
}

#[test]
fn attention() {
    let mut net = Net::new();
    let x = net.input(&[1, 5, 8]);
    let heads = |net: &mut Net, x: ValueId, perm: &[i64]| {
        let w = net.constant(&[8, 8]);
        let projected = net.add(Matmul {}, &[x, w]);
        let split = net.add(
            Reshape {
                shape: vec![1, 5, 2, 4],
            },
            &[projected],
        );
        net.add(
            Transpose {
                perm: perm.to_vec(),
            },
            &[split],
        )
    };
    let q = heads(&mut net, x, &[0, 2, 1, 3]);
    let k = heads(&mut net, x, &[0, 2, 3, 1]);
    let v = heads(&mut net, x, &[0, 2, 1, 3]);
    let scores = net.add(Matmul {}, &[q, k]);
    let half = net.0.constant(Tensor::from_f32([], &[0.5]));
    let scores = net.binary(BinaryFn::Mul, scores, half);
    let weights = net.add(Softmax { axis: 3 }, &[scores]);
    let mixed = net.add(Matmul {}, &[weights, v]);
    let merged = net.add(
        Transpose {
            perm: vec![0, 2, 1, 3],
        },
        &[mixed],
    );
    let merged = net.add(
        Reshape {
            shape: vec![1, 5, 8],
        },
        &[merged],
    );
    let scale = net.constant(&[8]);
    let bias = net.constant(&[8]);
    let sum = net.binary(BinaryFn::Add, merged, x);
    let norm = LayerNorm {
        axis: 2,
        epsilon: FloatBits::new(1e-5),
    };
    let y = net.add(norm, &[sum, scale, bias]);
    net.check(&[y]);
}

#[test]
fn every_result_is_shown_once() {
    let mut net = Net::new();
    let x = net.input(&[2]);
    let a = net.unary(UnaryKind::Neg, x);
    let b = net.unary(UnaryKind::Abs, a);
    net.0.output("y", b);
    let mut seen = Vec::new();
    let input = Tensor::from_f32([2], &[1.0, -2.0]);
    evaluate_with(&net.0, &[input], |value, tensor| {
        seen.push((value, tensor.to_f32s()))
    })
    .expect("evaluates");
    assert_eq!(seen, [(a, vec![-1.0, 2.0]), (b, vec![1.0, 2.0])]);
}
