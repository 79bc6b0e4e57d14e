//! What operators say about operands and attributes that do not fit: one message per constraint.

use sinter_loops::scalar::{BinaryFn, CompareFn, FloatBits};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::ops::arg_reduce::{ArgReduce, ArgReduceKind};
use sinter_ops::ops::batch_norm::BatchNorm;
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::compare::Compare;
use sinter_ops::ops::concat::Concat;
use sinter_ops::ops::conv::Conv;
use sinter_ops::ops::conv_transpose::ConvTranspose;
use sinter_ops::ops::expand::Expand;
use sinter_ops::ops::gather::Gather;
use sinter_ops::ops::layer_norm::LayerNorm;
use sinter_ops::ops::matmul::Matmul;
use sinter_ops::ops::pad::{Pad, PadMode};
use sinter_ops::ops::pool::{Pool, PoolKind};
use sinter_ops::ops::prelu::Prelu;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::select::Select;
use sinter_ops::ops::slice::Slice;
use sinter_ops::ops::softmax::Softmax;
use sinter_ops::ops::transpose::Transpose;
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::ops::winograd_conv::WinogradConv;
use sinter_ops::{Attr, Op, Operator};

fn f32(shape: &[i64]) -> TensorType {
    TensorType::f32(shape)
}

fn i64s(shape: &[i64]) -> TensorType {
    TensorType::new(ElementType::I64, shape)
}

#[track_caller]
fn refuses(op: impl Into<Op>, operands: &[TensorType], message: &str) {
    let op = op.into();
    let error = op.infer(operands).expect_err("does not fit");
    assert_eq!(error.to_string(), message);
    assert_eq!(op.loops(operands).expect_err("does not fit"), error);
    let zeros: Vec<_> = operands
        .iter()
        .map(|t| Tensor::from_f64s(t.clone(), &vec![0.0; t.elements() as usize]))
        .collect();
    assert_eq!(op.eval(&zeros).expect_err("does not fit"), error);
}

#[test]
fn elementwise() {
    let relu = Unary {
        kind: UnaryKind::Relu,
    };
    refuses(relu, &[], "takes 1 operand, not 0");
    let exp = Unary {
        kind: UnaryKind::Exp,
    };
    refuses(
        exp,
        &[i64s(&[2])],
        "needs a floating-point operand, not tensor<2xi64>",
    );
    let not = Unary {
        kind: UnaryKind::Not,
    };
    refuses(
        not,
        &[f32(&[2])],
        "needs an operand of integers or i1, not tensor<2xf32>",
    );
    let add = Binary {
        kind: BinaryFn::Add,
    };
    refuses(
        add.clone(),
        &[f32(&[2]), f32(&[3])],
        "shapes [2] and [3] do not broadcast",
    );
    refuses(
        add,
        &[f32(&[2]), i64s(&[2])],
        "operands have element types f32 and i64",
    );
    let and = Binary {
        kind: BinaryFn::And,
    };
    refuses(
        and,
        &[f32(&[2]), f32(&[2])],
        "does not take operands of f32",
    );
    let bools = TensorType::new(ElementType::Bool, [2]);
    let less = Compare {
        kind: CompareFn::Lt,
    };
    refuses(less, &[bools.clone(), bools], "does not order i1 values");
    let operands = [f32(&[2]), f32(&[2]), f32(&[2])];
    refuses(Select {}, &operands, "condition tensor<2xf32> is not of i1");
    let operands = [f32(&[1]), f32(&[2])];
    refuses(
        Prelu {},
        &operands,
        "slope tensor<2xf32> does not broadcast to tensor<1xf32>",
    );
    let mut operands = vec![f32(&[1, 3])];
    operands.extend([f32(&[3]), f32(&[3]), f32(&[2]), f32(&[3])]);
    let norm = BatchNorm {
        epsilon: FloatBits::new(0.0),
    };
    refuses(
        norm,
        &operands,
        "mean tensor<2xf32> is not one value per channel (3)",
    );
}

#[test]
fn short_products() {
    let conv = |pads: &[i64]| WinogradConv {
        pads: pads.to_vec(),
    };
    let operands = |w: &[i64]| {
        let mut all = vec![f32(&[1, 2, 6, 6]), f32(w)];
        all.extend([f32(&[4, 4]), f32(&[2, 4])]);
        all
    };
    refuses(
        conv(&[1]),
        &operands(&[4, 3, 2, 3]),
        "pads must be four numbers that are not negative",
    );
    refuses(
        conv(&[1; 4]),
        &operands(&[5, 3, 2, 3]),
        "tensor<4x4xf32> and tensor<2x4xf32> do not combine the 5 products of tensor<5x3x2x3xf32>",
    );
    refuses(
        conv(&[1; 4]),
        &operands(&[4, 3, 1, 3]),
        "input tensor<1x2x6x6xf32> has 2 channels, but weights tensor<4x3x1x3xf32> take 1",
    );
    refuses(
        conv(&[1, 1, 0, 1]),
        &operands(&[4, 3, 2, 3]),
        "5 rows are not tiles of 2",
    );
    refuses(
        conv(&[0; 4]),
        &operands(&[4, 3, 2, 9]),
        "weights tensor<4x3x2x9xf32> leave no output of tensor<1x2x6x6xf32>",
    );
    let mut biased = operands(&[4, 3, 2, 3]);
    biased.push(f32(&[2]));
    refuses(
        conv(&[1; 4]),
        &biased,
        "bias tensor<2xf32> is not one value per output channel (3)",
    );
}

#[test]
fn contractions() {
    let operands = [f32(&[2, 3]), f32(&[4, 5])];
    let message = "inner extents differ: tensor<2x3xf32> has 3, tensor<4x5xf32> has 4";
    refuses(Matmul {}, &operands, message);
    refuses(Matmul {}, &[f32(&[]), f32(&[1])], "does not take scalars");

    let conv = |groups| Conv {
        strides: vec![1],
        pads: vec![0, 0],
        dilations: vec![1],
        groups,
    };
    let x = f32(&[1, 4, 8]);
    let message =
        "input tensor<1x4x8xf32> has 4 channels, but weights tensor<2x3x3xf32> in 1 groups take 3";
    refuses(conv(1), &[x.clone(), f32(&[2, 3, 3])], message);
    let message = "3 output channels do not divide into 2 groups";
    refuses(conv(2), &[x.clone(), f32(&[3, 2, 3])], message);
    let message = "bias tensor<3xf32> is not one value per output channel (2)";
    refuses(conv(1), &[x.clone(), f32(&[2, 4, 3]), f32(&[3])], message);
    let message = "window of 9 does not fit into the padded extent 8 of spatial dimension 0";
    refuses(conv(1), &[x.clone(), f32(&[2, 4, 9])], message);
    let bad = Conv {
        strides: vec![0],
        ..conv(1)
    };
    refuses(
        bad,
        &[x.clone(), f32(&[2, 4, 3])],
        "strides must be positive",
    );
    let bad = Conv {
        pads: vec![1],
        ..conv(1)
    };
    refuses(
        bad,
        &[x.clone(), f32(&[2, 4, 3])],
        "pads has 1 entries instead of 2",
    );
    let transposed = ConvTranspose {
        strides: vec![1],
        pads: vec![4, 4],
        output_pads: vec![0],
        dilations: vec![1],
        groups: 1,
    };
    let message = "pads leave no output in spatial dimension 0";
    refuses(transposed, &[x, f32(&[4, 2, 1])], message);
}

#[test]
fn windows_and_reductions() {
    let pool = Pool {
        kind: PoolKind::Max,
        kernel: vec![2],
        strides: vec![1],
        pads: vec![2, 0],
        dilations: vec![1],
        ceil_mode: false,
        count_include_pad: false,
    };
    refuses(
        pool.clone(),
        &[f32(&[1, 1, 8])],
        "pads must be smaller than the window",
    );
    let message =
        "operand tensor<1x8xf32> does not have a batch, a channel and 1 spatial dimensions";
    refuses(pool, &[f32(&[1, 8])], message);

    let reduce = |axes: &[i64]| Reduce {
        kind: ReduceKind::Sum,
        axes: axes.to_vec(),
        keep_dims: true,
    };
    let message = "axis 2 is not a dimension of a tensor of rank 2";
    refuses(reduce(&[2]), &[f32(&[2, 3])], message);
    let message = "axis -1 is not a dimension of a tensor of rank 2";
    refuses(reduce(&[-1]), &[f32(&[2, 3])], message);
    let message = "axes [1, 0] are not ascending and distinct";
    refuses(reduce(&[1, 0]), &[f32(&[2, 3])], message);
    let arg = ArgReduce {
        kind: ArgReduceKind::Max,
        axis: 0,
        keep_dims: false,
        select_last: false,
    };
    refuses(
        arg,
        &[f32(&[0, 3])],
        "axis 0 of tensor<0x3xf32> has no elements",
    );
    let message = "needs a floating-point operand, not tensor<2xi64>";
    refuses(Softmax { axis: 0 }, &[i64s(&[2])], message);
    let norm = LayerNorm {
        axis: 1,
        epsilon: FloatBits::new(0.0),
    };
    let message = "shapes [2, 3] and [2] do not broadcast";
    refuses(norm, &[f32(&[2, 3]), f32(&[2])], message);
}

#[test]
fn index_maps() {
    let x = f32(&[2, 3]);
    let message = "[0, 0] is not a permutation of the dimensions of tensor<2x3xf32>";
    refuses(
        Transpose { perm: vec![0, 0] },
        std::slice::from_ref(&x),
        message,
    );
    let message = "tensor<2x3xf32> has 6 elements, which do not fill the shape [4]";
    refuses(
        Reshape { shape: vec![4] },
        std::slice::from_ref(&x),
        message,
    );
    let message = "tensor<2x3xf32> does not broadcast to [2, 1]";
    refuses(
        Expand { shape: vec![2, 1] },
        std::slice::from_ref(&x),
        message,
    );
    let slice = Slice {
        starts: vec![0, 1],
        sizes: vec![2, 2],
        steps: vec![1, 2],
    };
    let message = "elements 1 to 3 of dimension 1 are not all inside tensor<2x3xf32>";
    refuses(slice, std::slice::from_ref(&x), message);
    let slice = Slice {
        starts: vec![0, 0],
        sizes: vec![1, 1],
        steps: vec![1, 0],
    };
    refuses(
        slice,
        std::slice::from_ref(&x),
        "step of dimension 1 is zero",
    );
    let message = "tensor<2x3xf32> and tensor<3x3xf32> differ outside axis 1";
    refuses(Concat { axis: 1 }, &[x.clone(), f32(&[3, 3])], message);
    refuses(Concat { axis: 0 }, &[], "takes at least 1 operand");
    let pad = |mode, low: i64| Pad {
        low: vec![low, 0],
        high: vec![0, 0],
        value: FloatBits::new(0.0),
        mode,
    };
    let message = "reflect padding of dimension 0 of tensor<2x3xf32> must be at most 1";
    refuses(pad(PadMode::Reflect, 2), std::slice::from_ref(&x), message);
    let message = "edge padding of dimension 0 must not be negative";
    refuses(pad(PadMode::Edge, -1), std::slice::from_ref(&x), message);
    let message = "padding crops more than dimension 0 of tensor<2x3xf32> has";
    refuses(
        pad(PadMode::Constant, -3),
        std::slice::from_ref(&x),
        message,
    );
    let message = "indices tensor<1xf32> are not i64 or i32";
    refuses(Gather { axis: 0 }, &[x, f32(&[1])], message);
}

#[test]
fn values_out_of_range() {
    let data = Tensor::from_f32([2], &[1.0, 2.0]);
    let error = Gather { axis: 0 }
        .eval(&[data, Tensor::from_i64([1], &[2])])
        .expect_err("outside");
    assert_eq!(error.to_string(), "index 2 is outside the extent 2");
    let (one, zero) = (Tensor::from_i64([1], &[1]), Tensor::from_i64([1], &[0]));
    let error = Binary {
        kind: BinaryFn::Rem,
    }
    .eval(&[one, zero])
    .expect_err("by zero");
    assert_eq!(error.to_string(), "divides an integer by zero");
}

#[test]
fn names_and_attributes() {
    let parse = |name: &str, attributes: &[(&str, Attr)]| {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(n, a)| ((*n).to_owned(), a.clone()))
            .collect();
        Op::from_parts(name, &attributes)
            .expect_err("refused")
            .to_string()
    };
    assert_eq!(parse("warp", &[]), "no operator is called 'warp'");
    for (wrong, right) in [
        ("reluu", "relu"),
        ("mull", "mul"),
        ("softmx", "softmax"),
        ("geluu", "gelu"),
    ] {
        let message = format!("no operator is called '{wrong}'; did you mean '{right}'?");
        assert_eq!(parse(wrong, &[]), message);
    }
    let truth = [("alpha", Attr::Bool(true))];
    assert_eq!(
        parse("relu", &truth),
        "'relu' has no attribute 'alpha'; it has none"
    );
    assert_eq!(
        parse("softmax", &[]),
        "'softmax' needs the attribute 'axis'"
    );
    let axis = [("axis", Attr::Bool(true))];
    let message = "attribute 'axis' of 'softmax' has the wrong kind of value";
    assert_eq!(parse("softmax", &axis), message);
    let unknown = [("axis", Attr::Int(0)), ("axes", Attr::Int(0))];
    assert_eq!(
        parse("softmax", &unknown),
        "'softmax' has no attribute 'axes'; it has 'axis'"
    );
    let kind = [
        ("kind", Attr::Str("median".into())),
        ("axes", Attr::Ints(vec![])),
        ("keep_dims", Attr::Bool(true)),
    ];
    let message = "attribute 'kind' of 'reduce' has the wrong kind of value";
    assert_eq!(parse("reduce", &kind), message);
}
