//! The operators, one file per family. A family lists its operator types with their functions; a new
//! family is one `mod` line and one line in [`FAMILIES`].

mod activation;
mod arity;
mod constant;
mod control;
mod conv;
mod elementwise;
mod index;
mod matmul;
mod normalisation;
mod pool;
mod quantised;
mod quantised_conv;
mod quantised_products;
#[cfg(test)]
mod quantised_tests;
mod reduce;
mod reshape;
mod resize;
mod softmax;
mod structure;
#[cfg(test)]
mod tests;
mod window;

use sinter_loops::scalar::BinaryFn;
use sinter_ops::ops::binary::Binary;

use crate::call::Call;
use crate::custom;
use crate::error::Fault;
use crate::importer::{Importer, Value};
use crate::proto::NodeProto;

/// Translates a node to operators; the results are the values of its outputs, in order. Outputs left
/// out at the end are refused where another node uses them.
pub type Handler = fn(&mut Importer, &Call) -> Result<Vec<Value>, Fault>;

/// Applies a function of two values.
fn binary(import: &mut Importer, kind: BinaryFn, a: Value, b: Value) -> Result<Value, Fault> {
    import.add(Binary { kind }, &[a, b])
}

/// Operator types with their functions.
pub(crate) type Family = &'static [(&'static str, Handler)];

/// Every family.
pub(crate) const FAMILIES: &[Family] = &[
    activation::OPERATORS,
    constant::OPERATORS,
    control::OPERATORS,
    conv::OPERATORS,
    elementwise::OPERATORS,
    index::OPERATORS,
    matmul::OPERATORS,
    normalisation::OPERATORS,
    pool::OPERATORS,
    quantised::OPERATORS,
    quantised_conv::OPERATORS,
    quantised_products::OPERATORS,
    reduce::OPERATORS,
    reshape::OPERATORS,
    resize::OPERATORS,
    softmax::OPERATORS,
    structure::OPERATORS,
];

/// Refuses a node of an ONNX operator with more operands than that operator has.
///
/// # Errors
/// Says how many it has.
pub(crate) fn check_operands(node: &NodeProto) -> Result<(), Fault> {
    let given = node.input.iter().rposition(|name| !name.is_empty());
    let given = given.map_or(0, |last| last + 1);
    match arity::most_operands(&node.op_type) {
        Some(most) if custom::is_onnx(&node.domain) && given > most => Err(Fault::invalid(
            format!("it has {given} operands, the operator takes at most {most}"),
        )),
        _ => Ok(()),
    }
}

/// The function of an operator type.
///
/// # Errors
/// When the operator is not known.
pub(crate) fn handler(domain: &str, operator: &str) -> Result<Handler, Fault> {
    if !custom::is_onnx(domain) {
        return custom::handler(domain, operator);
    }
    let mut all = FAMILIES.iter().flat_map(|family| family.iter());
    all.find(|(name, _)| *name == operator)
        .map(|(_, handler)| *handler)
        .ok_or_else(|| {
            Fault::unsupported(
                "the operator is not supported: export the model without it, or add it to \
             crates/sinter-onnx/src/ops",
            )
        })
}
