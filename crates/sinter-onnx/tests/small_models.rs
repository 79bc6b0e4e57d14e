//! The shipped models: imported, evaluated, and compared with what onnxruntime computed
//! (`scripts/make-test-models`).

mod common;

use common::{assert_close, import_shipped, random_inputs, root};
use sinter_loops::npy;
use sinter_loops::types::ElementType;
use sinter_ops::{Graph, Operator};
use sinter_reference::evaluate;

fn check(name: &str, graph: &Graph) {
    let results = evaluate(graph, &random_inputs(graph, 1)).unwrap();
    for ((output, _), result) in graph.outputs.iter().zip(&results) {
        let file = root().join(format!("models/expected/{name}/{output}.npy"));
        assert_close(
            &format!("{name} {output}"),
            result,
            &npy::read(file).unwrap(),
            1e-5,
        );
    }
}

#[test]
fn chain() {
    let graph = import_shipped("chain", &[]);
    check("chain", &graph);
    let origins: Vec<_> = graph.nodes.iter().flat_map(|n| &n.origins).collect();
    assert_eq!(origins, ["scale", "shift", "relu"]);
}

#[test]
fn tiny_cnn() {
    let graph = import_shipped("tiny_cnn", &[]);
    check("tiny_cnn", &graph);
    assert_eq!(graph.outputs[0].0, "features");
}

#[test]
fn tiny_transformer() {
    let graph = import_shipped("tiny_transformer", &[("x", &[1, 16, 32])]);
    check("tiny_transformer", &graph);
    // Shape arithmetic is gone: no integer reaches the graph.
    let integers = graph
        .nodes
        .iter()
        .flat_map(|n| &n.outputs)
        .filter(|v| !graph.ty(**v).element.is_float());
    assert_eq!(integers.count(), 0);
}

#[test]
fn tiny_quantised() {
    let graph = import_shipped("tiny_quantised", &[]);
    check("tiny_quantised", &graph);
    // What multiplies is bytes, and what sums of constants there are is folded.
    let products: Vec<_> = graph
        .nodes
        .iter()
        .filter(|n| ["conv", "matmul"].contains(&n.op.mnemonic()))
        .map(|n| [graph.ty(n.inputs[0]).element, graph.ty(n.inputs[1]).element])
        .collect();
    assert_eq!(products, [[ElementType::U8, ElementType::I8]; 3]);
}

#[test]
fn models_of_several_anchors() {
    for name in ["attention", "bottleneck"] {
        check(name, &import_shipped(name, &[]));
    }
}

#[test]
fn another_size_gives_another_graph() {
    let graph = import_shipped("tiny_transformer", &[("x", &[2, 5, 32])]);
    assert_eq!(graph.ty(graph.outputs[0].1).shape, [2, 5, 32]);
    evaluate(&graph, &random_inputs(&graph, 1)).unwrap();
}

#[test]
fn imports_are_repeatable() {
    let text = || format!("{:?}", import_shipped("tiny_cnn", &[]));
    assert_eq!(text(), text());
}
