//! Changed models: other operators, other extents, other orders of what is given and returned.

use std::collections::BTreeMap;

use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::ops::transpose::Transpose;
use sinter_ops::{Graph, Op, ValueId};

/// An input or output by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Boundary {
    Input(usize),
    Output(usize),
}

/// The graph with other constants and operators; `None` where they do not fit together.
pub(super) fn rebuilt(
    graph: &Graph,
    constant: &dyn Fn(&Tensor) -> Tensor,
    op: &dyn Fn(&Op) -> Op,
) -> Option<Graph> {
    let mut out = Graph::new(graph.name.clone());
    let mut values: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    for (name, value) in &graph.inputs {
        values.insert(*value, out.input(name.clone(), graph.ty(*value).clone()));
    }
    fill(graph, &mut out, &mut values, constant, op)?;
    for (name, value) in &graph.outputs {
        out.output(name.clone(), *values.get(value)?);
    }
    Some(out)
}

fn fill(
    graph: &Graph,
    out: &mut Graph,
    values: &mut BTreeMap<ValueId, ValueId>,
    constant: &dyn Fn(&Tensor) -> Tensor,
    op: &dyn Fn(&Op) -> Op,
) -> Option<()> {
    for (value, tensor) in graph.constants() {
        values.insert(value, out.constant(constant(tensor)));
    }
    for node in &graph.nodes {
        let inputs: Option<Vec<_>> = node.inputs.iter().map(|v| values.get(v).copied()).collect();
        let made = out.add(op(&node.op), &inputs?, node.origins.clone()).ok()?;
        values.extend(node.outputs.iter().copied().zip(made));
    }
    Some(())
}

/// The graph with the dimensions of an input or output in another order.
pub(super) fn given(graph: &Graph, place: Boundary, order: &[i64]) -> Option<Graph> {
    let mut out = Graph::new(graph.name.clone());
    let mut values: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    let reorder = |out: &mut Graph, value: ValueId, perm: Vec<i64>| {
        let made = out.add(Transpose { perm }, &[value], Vec::new()).ok()?;
        Some(made[0])
    };
    for (n, (name, value)) in graph.inputs.iter().enumerate() {
        let mut ty = graph.ty(*value).clone();
        let made = if place == Boundary::Input(n) {
            ty.shape = order
                .iter()
                .map(|&d| graph.ty(*value).shape[d as usize])
                .collect();
            let raw = out.input(name.clone(), ty);
            reorder(&mut out, raw, inverse(order))?
        } else {
            out.input(name.clone(), ty)
        };
        values.insert(*value, made);
    }
    fill(graph, &mut out, &mut values, &Clone::clone, &Clone::clone)?;
    for (n, (name, value)) in graph.outputs.iter().enumerate() {
        let made = *values.get(value)?;
        let made = match place == Boundary::Output(n) {
            true => reorder(&mut out, made, order.to_vec())?,
            false => made,
        };
        out.output(name.clone(), made);
    }
    Some(out)
}

fn inverse(order: &[i64]) -> Vec<i64> {
    let place = |d: i64| order.iter().position(|&o| o == d).unwrap_or(0) as i64;
    (0..order.len() as i64).map(place).collect()
}

/// The graph with every extent `from` of its constants and shapes `to`.
pub(super) fn resized(graph: &Graph, from: i64, to: i64) -> Option<Graph> {
    let extent = move |e: &mut i64| {
        if *e == from {
            *e = to;
        }
    };
    let constant = |tensor: &Tensor| {
        if !tensor.ty().shape.contains(&from) {
            return tensor.clone();
        }
        let mut shape = tensor.ty().shape.clone();
        shape.iter_mut().for_each(extent);
        filled(TensorType::new(tensor.ty().element, shape), tensor)
    };
    let op = |op: &Op| {
        let mut op = op.clone();
        match &mut op {
            Op::Reshape(reshape) => reshape.shape.iter_mut().for_each(extent),
            Op::Expand(expand) => expand.shape.iter_mut().for_each(extent),
            Op::Slice(slice) => slice.sizes.iter_mut().for_each(extent),
            Op::Conv(conv) => extent(&mut conv.groups),
            Op::ConvTranspose(conv) => extent(&mut conv.groups),
            _ => {}
        }
        op
    };
    rebuilt(graph, &constant, &op)
}

/// A tensor of a type with the elements of another, again and again.
fn filled(ty: TensorType, from: &Tensor) -> Tensor {
    let known = from.to_f64s();
    let count = ty.elements().max(0) as usize;
    let values: Vec<f64> = known.iter().copied().cycle().take(count).collect();
    match ty.element.is_float() {
        true => Tensor::from_f64s(ty, &values),
        false => {
            let values: Vec<i64> = values.iter().map(|&v| v as i64).collect();
            Tensor::from_i64s(ty, &values)
        }
    }
}

#[cfg(test)]
mod tests {
    use sinter_ops::ops::matmul::Matmul;

    use super::*;

    /// `x @ w`, of 4x8 and 8x10.
    fn product() -> Graph {
        let mut graph = Graph::new("product");
        let x = graph.input("x", TensorType::f32([4, 8]));
        let w = graph.constant(Tensor::from_f32([8, 10], &[0.5; 80]));
        let y = graph.add(Matmul {}, &[x, w], Vec::new()).expect("fits")[0];
        graph.output("y", y);
        graph
    }

    #[test]
    fn extents_of_weights_change_what_follows() {
        let wide = resized(&product(), 10, 16).expect("fits");
        assert_eq!(wide.ty(wide.outputs[0].1).shape, [4, 16]);
        assert!(
            resized(&product(), 8, 16).is_none(),
            "the input keeps its 8"
        );
    }

    #[test]
    fn what_is_given_in_another_order_is_turned_back() {
        let graph = given(&product(), Boundary::Input(0), &[1, 0]).expect("fits");
        assert_eq!(graph.ty(graph.inputs[0].1).shape, [8, 4]);
        assert_eq!(graph.ty(graph.outputs[0].1).shape, [4, 10]);
        let graph = given(&product(), Boundary::Output(0), &[1, 0]).expect("fits");
        assert_eq!(graph.ty(graph.outputs[0].1).shape, [10, 4]);
    }
}
