//! Why operators were not fused, as data.

use std::fmt;

use serde::{Serialize, Serializer};
use sinter_device::{Device, Time};
use sinter_loops::scalar::BinaryFn;
use sinter_ops::ops::reduce::ReduceKind;
use sinter_ops::ops::unary::UnaryKind;
use sinter_ops::{Graph, NodeId, Op, Operator, ValueId};

use crate::error::origin_of;
use crate::evaluate::Illegal;
use crate::flip::Flip;

/// The code of a [`LegalityCheck`](crate::extend::LegalityCheck) of another crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutsideCode {
    /// The stable spelling, kebab-case.
    pub code: &'static str,
    /// What it means, in one sentence without a full stop.
    pub meaning: &'static str,
    /// What would flip the decision, in general.
    pub flip: &'static str,
}

/// Declares the codes with their stable spelling, what they mean, and what would flip the decision.
macro_rules! codes {
    ($($variant:ident $text:literal $meaning:literal $flip:literal,)*) => {
        /// The stable code of a refusal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LegalityCode {
            $(#[doc = $meaning] $variant,)*
            /// A code of another crate.
            Outside(&'static OutsideCode),
        }

        impl LegalityCode {
            /// All codes of this crate.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The stable spelling.
            pub fn code(self) -> &'static str {
                match self { $(Self::$variant => $text,)* Self::Outside(own) => own.code }
            }

            /// What it means, in one sentence without a full stop.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* Self::Outside(own) => own.meaning }
            }

            /// What would flip the decision, in general.
            pub fn flip(self) -> &'static str {
                match self { $(Self::$variant => $flip,)* Self::Outside(own) => own.flip }
            }
        }
    };
}

codes! {
    NotCheaper "not-cheaper"
        "The merged kernel would take longer than the separate ones"
        "that much less work, a dearer launch, or smaller extents, each with its figure",
    Recompute "recompute-dearer-than-reload"
        "A value with several users would be computed again in each for more than its reload costs"
        "a single user (the message names them), or a producer that is that much cheaper",
    Shapes "shapes-do-not-meet"
        "The operators have no iteration space in common"
        "an extent small enough for one block",
    ElementTypes "element-types-do-not-meet"
        "The vector unit holds the element type of one operator and not of the other"
        "one of the element types that the device file lists",
    Footprint "footprint-exceeds-space"
        "No tile of the kernel fits the on-chip space"
        "the space at the size that the smallest tile needs",
    NoRoute "no-route"
        "No route leads from the matrix unit to the vector unit, so that what passes between them goes through device memory"
        "a device with such a route",
    Effects "effectful"
        "The operator is random, stateful or has side effects"
        "the operator moved out of the model",
    SharedTile "reduction-cannot-share-tile"
        "A result is needed whole, with padding, or in a shape that cannot share the tile in which it is computed"
        "an extent small enough for one block, or users that read the result element by element",
    IndexMap "index-map-dearer-than-copy"
        "Absorbing the index map costs more than the copy it saves"
        "that much less work, or another layout of the stored value",
    LayoutScratch "layout-needs-scratch"
        "Converting the layout inside the kernel needs on-chip space that is not there"
        "the values stored row-major",
    ExpDifference "duplicated-exp-difference"
        "A producer of x in exp(x - max(x)) would be computed twice, and differences in the last bits could make infinities"
        "one kernel that holds the maximum, the difference and the exponential",
    UnknownSize "unknown-size"
        "An extent is unknown and has no bound"
        "a size for the extent",
    Forbidden "forbidden"
        "The user forbade it"
        "another fusion configuration",
    Cycle "cycle"
        "Another kernel would have to run between the group's operators"
        "a kernel that holds the operators in between",
    View "read-through-view"
        "The value is read through a view of its stored bytes, such as a reshape, which is free only between kernels"
        "a reader of the value itself",
    Limit "limit"
        "The kernel exceeds a limit on kernels"
        "the limit at the stated size, under [kernels] of the fusion configuration",
    OwnKernel "own-kernel-not-taken"
        "A kernel that the user wrote for a unit is dearer than the unit's operators, or may not take their place"
        "a kernel that is that much cheaper, or another numerics limit",
    NoLoopForm "no-loop-form"
        "No loops describe the operators in a form that the device runs"
        "a loop description of the operator",
}

impl fmt::Display for LegalityCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for LegalityCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// Operators that were not fused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Refusal {
    /// Code.
    pub code: LegalityCode,
    /// ONNX nodes on both sides.
    pub nodes: Vec<String>,
    /// What happened, with figures.
    pub message: String,
    /// What would flip the decision, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flip: Option<String>,
    /// Bytes that would not move if the operators were one kernel.
    pub saved_bytes: u64,
    /// Time that they would save as one kernel that computes nothing twice, by the device model: a
    /// launch, and the transfers of `saved_bytes` where those are what takes the time.
    pub saved: Time,
    /// The kernels that stayed apart, by their place in the launch order.
    pub kernels: Vec<usize>,
    /// What `flip` says, as far as it was not tried on the program yet.
    #[serde(skip)]
    pub(crate) flips: Vec<Flip>,
}

/// Refuses operators whose results the vector unit holds beside others whose results it does not:
/// the latter run on the scalar unit, a point at a time.
pub(crate) fn check_elements(
    graph: &Graph,
    device: &Device,
    nodes: &[NodeId],
) -> Result<(), Illegal> {
    let computed = nodes
        .iter()
        .map(|n| &graph.nodes[n.0 as usize])
        .filter(|n| !n.op.traits().contraction)
        .filter_map(|n| Some((n, graph.ty(*n.outputs.first()?).element)));
    let (held, foreign): (Vec<_>, Vec<_>) =
        computed.partition(|(_, e)| device.vector.holds(e.mlir()));
    let (Some((with, element)), Some((node, wide))) = (held.first(), foreign.first()) else {
        return Ok(());
    };
    let (name, with) = (origin_of(&node.origins), origin_of(&with.origins));
    Err(Illegal {
        code: LegalityCode::ElementTypes,
        message: format!(
            "{name} gives {}, which the vector unit of {} does not hold; {with} gives {}",
            wide.mlir(),
            device.name,
            element.mlir()
        ),
        flip: Some(format!(
            "if {name} gave one of {}",
            device.vector.elements.join(", ")
        )),
    })
}

/// The maximum and the exponential of an `exp(x - max(x))` that a node's result is the `x` of.
pub(crate) fn exp_difference(
    graph: &Graph,
    users: &[Vec<NodeId>],
    node: NodeId,
) -> Option<(NodeId, NodeId)> {
    let of = |v: ValueId| users[v.0 as usize].iter().copied();
    let op = |n: NodeId| &graph.nodes[n.0 as usize].op;
    let result = |n: NodeId| graph.nodes[n.0 as usize].outputs[0];
    let x = result(node);
    let is_max = |n: &NodeId| matches!(op(*n), Op::Reduce(r) if r.kind == ReduceKind::Max);
    let maximum = of(x).find(is_max)?;
    let is_difference = |n: &NodeId| matches!(op(*n), Op::Binary(b) if b.kind == BinaryFn::Sub);
    let is_exp = |n: &NodeId| matches!(op(*n), Op::Unary(u) if u.kind == UnaryKind::Exp);
    // The maximum may be reshaped or broadcast on its way.
    let mut reduced = vec![result(maximum)];
    let mut next = 0;
    while next < reduced.len() {
        let further = of(reduced[next]).filter(|n| op(*n).traits().index_map);
        reduced.extend(further.map(result).collect::<Vec<_>>());
        next += 1;
    }
    of(x)
        .filter(is_difference)
        .filter(|d| {
            graph.nodes[d.0 as usize]
                .inputs
                .get(1)
                .is_some_and(|m| reduced.contains(m))
        })
        .find_map(|d| of(result(d)).find(is_exp))
        .map(|exponential| (maximum, exponential))
}

/// The table of codes as Markdown, for the documentation.
pub fn code_table() -> String {
    let mut out = String::from("| code | meaning | flips with |\n|---|---|---|\n");
    for code in LegalityCode::ALL {
        out.push_str(&format!(
            "| `{code}` | {} | {} |\n",
            code.meaning(),
            code.flip()
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_kebab() {
        let codes: BTreeSet<_> = LegalityCode::ALL.iter().map(|c| c.code()).collect();
        assert_eq!(codes.len(), LegalityCode::ALL.len());
        assert!(
            codes
                .iter()
                .all(|c| c.chars().all(|x| x.is_ascii_lowercase() || x == '-'))
        );
        assert_eq!(code_table().lines().count(), codes.len() + 2);
    }
}
