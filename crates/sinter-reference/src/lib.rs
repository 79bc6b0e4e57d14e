//! The oracle: walks a graph with the operators' reference evaluation.
//!
//! Every value is what the operator's specification says, computed plainly and rounded once to its
//! element type. Rules, folding, lowering and fuzzing are checked against it.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::{Graph, Node, OpError, Operator, ValueId};

/// Why a graph could not be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// Another number of inputs than the graph has.
    #[error("graph '{graph}' takes {expected} inputs, but {given} were given")]
    InputCount {
        /// Name of the graph.
        graph: String,
        /// Inputs of the graph.
        expected: usize,
        /// Inputs given.
        given: usize,
    },
    /// An input of another type.
    #[error("input '{name}' is {expected}, but {given} was given")]
    InputType {
        /// Name of the input.
        name: String,
        /// Its type in the graph.
        expected: TensorType,
        /// Type of the tensor given.
        given: TensorType,
    },
    /// An operator refused its operands.
    #[error("{origin} ({mnemonic}): {cause}")]
    Operator {
        /// The ONNX nodes that the node stems from.
        origin: String,
        /// Name of the operator.
        mnemonic: &'static str,
        /// What the operator said.
        cause: OpError,
    },
    /// A value is used that no earlier node, input or constant makes.
    #[error("{origin}: uses a value that is not made before it")]
    Order {
        /// The ONNX nodes that the user stems from, or the name of the graph output.
        origin: String,
    },
}

/// The outputs of a graph for the given inputs, in order.
///
/// # Errors
/// When the inputs do not fit the graph, or an operator refuses its operands' values.
pub fn evaluate(graph: &Graph, inputs: &[Tensor]) -> Result<Vec<Tensor>, ReferenceError> {
    evaluate_with(graph, inputs, |_, _| {})
}

/// As [`evaluate`], and shows every result of every node as it is made.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_with(
    graph: &Graph,
    inputs: &[Tensor],
    mut observe: impl FnMut(ValueId, &Tensor),
) -> Result<Vec<Tensor>, ReferenceError> {
    let mut values = bind(graph, inputs)?;
    let last_use = last_uses(graph);
    for (position, node) in graph.nodes.iter().enumerate() {
        let operands = node
            .inputs
            .iter()
            .map(|v| values[v.0 as usize].clone())
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| ReferenceError::Order {
                origin: origin(node),
            })?;
        let results = node
            .op
            .eval(&operands)
            .map_err(|cause| ReferenceError::Operator {
                origin: origin(node),
                mnemonic: node.op.mnemonic(),
                cause,
            })?;
        for (&value, tensor) in node.outputs.iter().zip(results) {
            observe(value, &tensor);
            values[value.0 as usize] = Some(tensor);
        }
        for value in node.inputs.iter().chain(&node.outputs) {
            if last_use[value.0 as usize] <= Some(position) {
                values[value.0 as usize] = None;
            }
        }
    }
    let output = |(name, value): &(String, ValueId)| {
        let tensor = values[value.0 as usize].clone();
        tensor.ok_or_else(|| ReferenceError::Order {
            origin: format!("output '{name}'"),
        })
    };
    graph.outputs.iter().map(output).collect()
}

/// Inputs and constants by value id.
fn bind(graph: &Graph, inputs: &[Tensor]) -> Result<Vec<Option<Tensor>>, ReferenceError> {
    if inputs.len() != graph.inputs.len() {
        return Err(ReferenceError::InputCount {
            graph: graph.name.clone(),
            expected: graph.inputs.len(),
            given: inputs.len(),
        });
    }
    let mut values = vec![None; graph.value_count()];
    for ((name, value), tensor) in graph.inputs.iter().zip(inputs) {
        let expected = graph.ty(*value);
        if tensor.ty() != expected {
            return Err(ReferenceError::InputType {
                name: name.clone(),
                expected: expected.clone(),
                given: tensor.ty().clone(),
            });
        }
        values[value.0 as usize] = Some(tensor.clone());
    }
    for (value, tensor) in graph.constants() {
        values[value.0 as usize] = Some(tensor.clone());
    }
    Ok(values)
}

/// The position of the last node that uses each value; `usize::MAX` for graph outputs.
fn last_uses(graph: &Graph) -> Vec<Option<usize>> {
    let mut last = vec![None; graph.value_count()];
    for (position, node) in graph.nodes.iter().enumerate() {
        for value in &node.inputs {
            last[value.0 as usize] = Some(position);
        }
    }
    for (_, value) in &graph.outputs {
        last[value.0 as usize] = Some(usize::MAX);
    }
    last
}

fn origin(node: &Node) -> String {
    match node.origins.as_slice() {
        [] => "a node without a name".to_owned(),
        names => format!("node '{}'", names.join("', '")),
    }
}

#[cfg(test)]
mod tests {
    use sinter_ops::ops::binary::Binary;
    use sinter_ops::ops::unary::{Unary, UnaryKind};

    use super::*;
    use sinter_loops::scalar::BinaryFn;

    fn add_relu() -> Graph {
        let mut graph = Graph::new("g");
        let x = graph.input("x", TensorType::f32([2]));
        let c = graph.constant(Tensor::from_f32([2], &[1.0, -5.0]));
        let add = Binary {
            kind: BinaryFn::Add,
        };
        let sum = graph.add(add, &[x, c], vec!["sum".into()]).expect("fits")[0];
        let relu = Unary {
            kind: UnaryKind::Relu,
        };
        let y = graph.add(relu, &[sum], vec!["relu".into()]).expect("fits")[0];
        graph.output("y", y);
        graph
    }

    #[test]
    fn evaluates_in_order() {
        let outputs = evaluate(&add_relu(), &[Tensor::from_f32([2], &[2.0, 3.0])]).expect("fits");
        assert_eq!(outputs, [Tensor::from_f32([2], &[3.0, 0.0])]);
    }

    #[test]
    fn an_output_may_be_an_input() {
        let mut graph = add_relu();
        let x = graph.inputs[0].1;
        graph.output("x", x);
        let input = Tensor::from_f32([2], &[2.0, 3.0]);
        assert_eq!(
            evaluate(&graph, std::slice::from_ref(&input)).expect("fits")[1],
            input
        );
    }

    #[test]
    fn inputs_are_checked() {
        let error =
            evaluate(&add_relu(), &[Tensor::from_f32([1], &[2.0])]).expect_err("another shape");
        assert_eq!(
            error.to_string(),
            "input 'x' is tensor<2xf32>, but tensor<1xf32> was given"
        );
        let error = evaluate(&add_relu(), &[]).expect_err("no inputs");
        assert_eq!(
            error.to_string(),
            "graph 'g' takes 1 inputs, but 0 were given"
        );
    }

    #[test]
    fn errors_name_the_node() {
        let mut graph = Graph::new("g");
        let x = graph.input(
            "x",
            TensorType::new(sinter_loops::types::ElementType::I64, [1]),
        );
        let y = graph
            .add(
                Binary {
                    kind: BinaryFn::Div,
                },
                &[x, x],
                vec!["ratio".into()],
            )
            .expect("fits")[0];
        graph.output("y", y);
        let error = evaluate(&graph, &[Tensor::from_i64([1], &[0])]).expect_err("divides by zero");
        assert_eq!(
            error.to_string(),
            "node 'ratio' (div): divides an integer by zero"
        );
    }
}
