//! Corners of single operators that no shipped model has.

use std::path::Path;

use sinter_loops::tensor::Tensor;
use sinter_ops::{Graph, Op, Operator};

use crate::ImportOptions;
use crate::error::ImportError;
use crate::file::Files;
use crate::importer::Importer;
use crate::proto::{
    AttributeProto, Dimension, DimensionProto, GraphProto, NodeProto, TensorProto,
    TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto, attribute_kind as kind,
};

/// A graph of one node: its inputs are `x: f32[3, 4]` and the given weights, its output is `y`.
fn one_node(
    op_type: &str,
    weights: &[(&str, TensorProto)],
    attributes: &[AttributeProto],
) -> Result<Graph, ImportError> {
    let extent = |n| DimensionProto {
        value: Some(Dimension::Value(n)),
    };
    let x = ValueInfoProto {
        name: "x".into(),
        ty: Some(TypeProto {
            tensor_type: Some(TensorTypeProto {
                elem_type: 1,
                shape: Some(TensorShapeProto {
                    dim: vec![extent(3), extent(4)],
                }),
            }),
        }),
    };
    let names = weights.iter().map(|(name, _)| (*name).to_owned());
    let node = NodeProto {
        name: "n".into(),
        op_type: op_type.into(),
        input: std::iter::once("x".to_owned()).chain(names).collect(),
        output: vec!["y".into()],
        attribute: attributes.to_vec(),
        ..Default::default()
    };
    let initializer = weights.iter().map(|(name, tensor)| TensorProto {
        name: (*name).to_owned(),
        ..tensor.clone()
    });
    let graph = GraphProto {
        node: vec![node],
        initializer: initializer.collect(),
        input: vec![x],
        output: vec![ValueInfoProto {
            name: "y".into(),
            ty: None,
        }],
        ..Default::default()
    };
    let files = Files::beside(Path::new("model.onnx"));
    Importer::new("test".into(), 18, &files).run(&graph, &ImportOptions::default())
}

fn ints(values: &[i64]) -> TensorProto {
    TensorProto {
        dims: vec![values.len() as i64],
        data_type: 7,
        int64_data: values.to_vec(),
        ..Default::default()
    }
}

fn floats(dims: &[i64], values: &[f32]) -> TensorProto {
    TensorProto {
        dims: dims.to_vec(),
        data_type: 1,
        float_data: values.to_vec(),
        ..Default::default()
    }
}

fn flag(name: &str) -> AttributeProto {
    AttributeProto {
        name: name.into(),
        i: 1,
        kind: kind::INT,
        ..Default::default()
    }
}

fn mnemonics(graph: &Graph) -> Vec<&str> {
    graph.nodes.iter().map(|n| n.op.mnemonic()).collect()
}

#[test]
fn a_reduction_over_no_axes_applies_its_function() {
    let over_nothing = |op_type| {
        let axes = [("axes", ints(&[]))];
        let graph = one_node(op_type, &axes, &[flag("noop_with_empty_axes")]).unwrap();
        mnemonics(&graph).join(" ")
    };
    assert_eq!(over_nothing("ReduceSum"), "");
    assert_eq!(over_nothing("ReduceL1"), "abs");
    assert_eq!(over_nothing("ReduceL2"), "abs");
    assert_eq!(over_nothing("ReduceSumSquare"), "mul");
    assert_eq!(over_nothing("ReduceLogSum"), "log");
    assert_eq!(over_nothing("ReduceLogSumExp"), "");
}

#[test]
fn known_indices_outside_of_the_data_are_refused() {
    let gather = |indices: &[i64]| one_node("Gather", &[("i", ints(indices))], &[]);
    assert_eq!(mnemonics(&gather(&[2, -3]).unwrap()), ["gather"]);
    for index in [3, -4, i64::MIN, i64::MAX] {
        let message = gather(&[0, index]).unwrap_err().to_string();
        let cause = format!("node 'n' (Gather): index {index} is not one of 3 elements");
        assert!(message.starts_with(&cause), "{message}");
    }
}

#[test]
fn a_beta_of_zero_leaves_out_what_is_added() {
    let beta = AttributeProto {
        name: "beta".into(),
        kind: kind::FLOAT,
        ..Default::default()
    };
    let weights = [
        ("b", floats(&[4, 1], &[1.0; 4])),
        ("c", floats(&[1], &[f32::NAN])),
    ];
    let graph = one_node("Gemm", &weights, &[beta]).unwrap();
    assert!(matches!(graph.nodes[..], [ref n] if matches!(n.op, Op::Matmul(_))));
    let x = Tensor::from_f32([3, 4], &[1.0; 12]);
    let y = sinter_reference::evaluate(&graph, &[x]).unwrap();
    assert_eq!(y[0].to_f32s(), [4.0; 3]);
}

#[test]
fn windows_beyond_any_size_are_refused() {
    let huge = |name: &str, value| AttributeProto {
        name: name.into(),
        ints: vec![value; 2],
        kind: kind::INTS,
        ..Default::default()
    };
    for value in [0, -1, i64::MAX] {
        let error = one_node("MaxPool", &[], &[huge("kernel_shape", value)]);
        assert!(error.is_err(), "{value}");
    }
}

#[test]
fn an_operator_has_no_more_operands_than_onnx_gives_it() {
    let weight = || floats(&[1], &[1.0]);
    let error = one_node("Relu", &[("a", weight()), ("b", weight())], &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "node 'n' (Relu): it has 3 operands, the operator takes at most 1: export the model again or, where \
         sizes do not fit, give another --shape"
    );
}

#[test]
fn a_concatenation_names_its_axis() {
    assert_eq!(
        one_node("Concat", &[], &[]).unwrap_err().to_string(),
        "node 'n' (Concat): attribute 'axis' is missing: export the model again"
    );
}
