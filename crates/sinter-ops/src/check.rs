//! The check that every operator has to pass, for crates that add operators: `eval` and `loops` are
//! written independently, so that each checks the other.

use sinter_loops::interp;
use sinter_loops::kernel::{Kernel, Role};
use sinter_loops::place_stages;
use sinter_loops::tensor::Tensor;

use crate::form::{self, RowMajor};
use crate::graph::{Graph, NodeId};
use crate::operator::Operator;
use crate::ops::Op;

/// Compares an operator's evaluation with its loops, run one nest after another and with the stages
/// placed, as far as they can be; and its name and attributes with what is read back from them.
///
/// # Errors
/// What differs, or which part of the operator refused the operands.
pub fn agreement(
    op: impl Into<Op>,
    operands: &[Tensor],
    relative_tolerance: f64,
) -> Result<(), String> {
    let op = op.into();
    let attributes: Vec<_> = op
        .attributes()
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let again = Op::from_parts(op.mnemonic(), &attributes).map_err(|e| e.to_string())?;
    if again != op {
        return Err(format!("{op:?} is read back as {again:?}"));
    }
    let expected = op.eval(operands).map_err(|e| e.to_string())?;
    let kernel = kernel(op, operands)?;
    compare(
        "loops",
        &interp::run(&kernel, operands),
        &expected,
        relative_tolerance,
    )?;
    match place_stages(kernel) {
        Ok(placed) => compare(
            "placed loops",
            &interp::run(&placed, operands),
            &expected,
            relative_tolerance,
        ),
        Err(_) => Ok(()),
    }
}

fn kernel(op: Op, operands: &[Tensor]) -> Result<Kernel, String> {
    let mut graph = Graph::new("check");
    let inputs: Vec<_> = operands
        .iter()
        .enumerate()
        .map(|(i, t)| graph.input(format!("x{i}"), t.ty().clone()))
        .collect();
    let outputs = graph
        .add(op, &inputs, Vec::new())
        .map_err(|e| e.to_string())?;
    let kernel =
        form::kernel(&graph, &[NodeId(0)], &outputs, &RowMajor).map_err(|e| e.to_string())?;
    kernel.verify().map_err(|e| e.to_string())?;
    let read = kernel
        .slots
        .iter()
        .filter(|s| s.role == Role::Input)
        .count();
    if read != operands.len() {
        return Err(format!(
            "the loops read {read} of {} operands",
            operands.len()
        ));
    }
    Ok(kernel)
}

fn compare(what: &str, got: &[Tensor], expected: &[Tensor], tolerance: f64) -> Result<(), String> {
    for (n, (got, expected)) in got.iter().zip(expected).enumerate() {
        if got.ty() != expected.ty() {
            return Err(format!(
                "{what}: result {n} is {}, not {}",
                got.ty(),
                expected.ty()
            ));
        }
        let expected = expected.to_f64s();
        let scale = expected.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        for (i, (got, want)) in got.to_f64s().into_iter().zip(expected).enumerate() {
            let equal = got == want || (got.is_nan() && want.is_nan());
            let close = (got - want).abs() <= tolerance * scale;
            if !equal && !close {
                return Err(format!(
                    "{what}: element {i} of result {n} is {got}, not {want}"
                ));
            }
        }
    }
    Ok(())
}
