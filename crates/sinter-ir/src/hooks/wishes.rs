//! Attributes `graph.*` of operations: what a user asks of an operator, and what fusion found out.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, AttributeLike};
use sinter_io::did_you_mean;
use sinter_ops::Op;
use sinter_sys::attributes::graph;

use super::{Checked, ensure};
use crate::attr;
use crate::graph::op_name;

/// What a user asks of one operator.
const WISHES: [&str; 5] = [
    "graph.boundary",
    "graph.disable",
    "graph.must_fuse",
    "graph.never_fuse",
    "graph.numerics",
];

/// What fusion writes: how views and operands lie in memory, and what it refused.
const FOUND: [&str; 4] = [
    "graph.layout",
    "graph.operand_layouts",
    "graph.placement",
    "graph.refusals",
];

/// Checks an attribute of an operation by its name.
pub(super) fn verify(op: OperationRef<'_, '_>, name: &str, value: Attribute<'_>) -> Checked {
    if WISHES.contains(&name) {
        of_operator(op, name)?;
    }
    let must_be = |holds: bool, what: &str| ensure(holds, || format!("'{name}' must be {what}"));
    // SAFETY: asked of an attribute that is alive.
    let (layout, placement) = unsafe {
        let raw = value.to_raw();
        (
            graph::sinterAttributeIsAGraphLayoutAttr(raw),
            graph::sinterAttributeIsAGraphPlacementAttr(raw),
        )
    };
    match name {
        "graph.never_fuse" | "graph.boundary" => must_be(
            attr::is_unit(value),
            "without a value; leave it out where it is not wished",
        ),
        "graph.must_fuse" => must_be(is_name(value), "a name of the kernel, a string"),
        "graph.numerics" => must_be(is_name(value), "a numerics class, a string"),
        "graph.disable" => {
            let list = attr::as_array(value).unwrap_or_default();
            let rules = !list.is_empty() && list.into_iter().all(is_name);
            must_be(rules, "an array of rules or topics, which are strings")
        }
        "graph.layout" => must_be(layout, "a '#graph.layout'"),
        "graph.placement" => must_be(placement, "a '#graph.placement'"),
        "graph.operand_layouts" | "graph.refusals" => {
            must_be(attr::as_array(value).is_some(), "an array")
        }
        _ => {
            let near = did_you_mean(name, WISHES.into_iter().chain(FOUND));
            Err(format!("'{name}' is not an attribute of operations{near}"))
        }
    }
}

fn is_name(value: Attribute<'_>) -> bool {
    attr::as_str(value).is_some_and(|text| !text.is_empty())
}

/// A wish is asked of an operator, or of a composite that is one because it has a kernel.
fn of_operator(op: OperationRef<'_, '_>, wish: &str) -> Checked {
    let name = op_name(op);
    let mnemonic = name.strip_prefix("graph.");
    let operator = match mnemonic {
        Some("composite") => op.has_attribute("kernel"),
        Some(mnemonic) => Op::names().any(|known| known == mnemonic),
        None => sinter_ops::custom::is_registered(&name),
    };
    let inside = match mnemonic {
        Some("composite" | "group") => "; the operators inside may have it",
        _ => "",
    };
    ensure(operator, || {
        format!("is no operator, so '{wish}' would have no effect{inside}")
    })
}
