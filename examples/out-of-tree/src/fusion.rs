//! What fusion has to know of the `dsp` operators beyond their loops: a legality code, a cost term.

use sinter_device::Time;
use sinter_fusion::OutsideCode;
use sinter_fusion::extend::{Candidate, CostTerm, LegalityCheck, Objection};
use sinter_ops::{Node, Op};

use crate::power::Power;
use crate::squareplus::Squareplus;

/// Longest axis whose squares are accumulated in single precision inside a bigger kernel.
const MOST_SQUARES: i64 = 1 << 16;

/// Time of a square root that the device model does not see, per element.
const ROOT_NS: f64 = 0.02;

/// Conditions on kernels.
pub const CHECKS: &[LegalityCheck] = &[LegalityCheck {
    code: &OutsideCode {
        code: "dsp-power-too-long",
        meaning: "The mean of squares over a long axis is kept apart, where its error can be measured",
        flip: "a shorter axis",
    },
    find: power_too_long,
}];

/// Terms of the price.
pub const COSTS: &[CostTerm] = &[CostTerm {
    name: "dsp-square-root",
    time: square_roots,
}];

/// The nodes of a candidate that are operators of a type, with the operators.
fn of_type<'a, T: 'static>(candidate: &Candidate<'a>) -> impl Iterator<Item = (&'a Node, &'a T)> {
    let graph = candidate.graph;
    candidate.nodes.iter().filter_map(move |id| {
        let node = &graph.nodes[id.0 as usize];
        match &node.op {
            Op::Custom(op) => Some((node, op.downcast_ref()?)),
            _ => None,
        }
    })
}

fn power_too_long(candidate: &Candidate<'_>) -> Option<Objection> {
    of_type::<Power>(candidate).find_map(|(node, power)| {
        let extent = candidate.graph.ty(node.inputs[0]).shape[power.axis as usize];
        (extent > MOST_SQUARES).then(|| Objection {
            message: format!("dsp.power adds up {extent} squares"),
            flip: Some(format!(
                "if axis {} had at most {MOST_SQUARES} elements",
                power.axis
            )),
        })
    })
}

fn square_roots(candidate: &Candidate<'_>) -> Time {
    of_type::<Squareplus>(candidate)
        .map(|(node, _)| candidate.graph.ty(node.outputs[0]).elements())
        .map(|elements| Time::from_ns(elements as f64 * ROOT_NS))
        .sum()
}
