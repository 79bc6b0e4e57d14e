//! What makes one operation simpler.
//!
//! A [`Reduction`] looks at an operation and says how it would change; the change is then made through a
//! rewriter, be it that of the [search](crate::search) or that of a [pattern](crate::patterns). Changes keep
//! types, so that what is around an operation stays valid; they do not keep values.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, BlockLike, RegionLike, TypeLike, Value, ValueLike};
use mlir_sys::MlirRewriterBase;
use sinter_ir::build::{Parts, operation};
use sinter_ir::graph::op_name;
use sinter_ir::rewrite::context_of;
use sinter_ir::types::{from_shaped_type, has_unknown_extent};
use sinter_ir::walk::operations;
use sinter_loops::types::ElementType;

/// A way to make an operation simpler.
#[derive(Debug)]
pub struct Reduction {
    /// Name, in kebab-case.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// How many choices it may have at one operation.
    pub choices: usize,
    /// Whether what the program computes stays as it is.
    pub faithful: bool,
    find: for<'c, 'a> fn(OperationRef<'c, 'a>, usize) -> Option<Change<'c, 'a>>,
}

/// All reductions, those first that take most away.
pub const REDUCTIONS: &[Reduction] = &[
    Reduction {
        name: "erase",
        summary: "operations whose results nobody uses go, whatever their effects",
        choices: 1,
        faithful: false,
        find: erase,
    },
    Reduction {
        name: "operand",
        summary: "an operation gives its operand of the same type",
        choices: 3,
        faithful: false,
        find: operand,
    },
    Reduction {
        name: "dissolve",
        summary: "a group is its operators",
        choices: 1,
        faithful: true,
        find: dissolve,
    },
    Reduction {
        name: "attribute",
        summary: "schedules, layouts, placements and decisions go",
        choices: OPTIONAL.len(),
        faithful: true,
        find: attribute,
    },
    Reduction {
        name: "ones",
        summary: "operators and weights become constants of ones",
        choices: 1,
        faithful: false,
        find: ones,
    },
];

/// Attributes that an operation can do without.
const OPTIONAL: [(&str, &str); 8] = [
    ("tloop.kernel", "schedule"),
    ("tloop.kernel", "layouts"),
    ("graph.group", "schedule"),
    ("graph.group", "decision"),
    ("graph.group", "placements"),
    ("graph.group", "layouts"),
    ("graph.group", "graph.operand_layouts"),
    ("func.func", "graph.refusals"),
];

/// How an operation changes.
#[derive(Debug)]
pub enum Change<'c, 'a> {
    /// It goes; nothing uses its results.
    Erase,
    /// It goes; these values stand for its results.
    Replace(Vec<Value<'c, 'a>>),
    /// What is in its only block takes its place.
    Dissolve,
    /// It loses an attribute.
    Without(&'static str),
    /// A constant of this value stands for its only result.
    Constant(Attribute<'c>),
}

impl Reduction {
    /// How the operation would change, by one of several choices; `None` where it would not.
    pub fn find<'c, 'a>(&self, op: OperationRef<'c, 'a>, choice: usize) -> Option<Change<'c, 'a>> {
        (self.find)(op, choice)
    }
}

/// Whether an operation ends a block or is a symbol: such are left to [`crate::symbols`].
pub(crate) fn is_structure(op: OperationRef<'_, '_>) -> bool {
    let in_module = op
        .parent_operation()
        .is_none_or(|parent| op_name(parent) == "builtin.module");
    op.has_attribute("sym_name") || (!in_module && op.next_in_block().is_none())
}

/// Whether a value has a use.
pub(crate) fn is_used<'c>(value: &impl ValueLike<'c>) -> bool {
    // SAFETY: the value is alive.
    unsafe { !mlir_sys::mlirValueGetFirstUse(value.to_raw()).ptr.is_null() }
}

fn erase<'c, 'a>(op: OperationRef<'c, 'a>, _: usize) -> Option<Change<'c, 'a>> {
    let unused = !is_structure(op) && !op.results().any(|r| is_used(&r));
    unused.then_some(Change::Erase)
}

fn operand<'c, 'a>(op: OperationRef<'c, 'a>, choice: usize) -> Option<Change<'c, 'a>> {
    if is_structure(op) || op.result_count() != 1 {
        return None;
    }
    let result = op.result(0).ok()?;
    if !is_used(&result) {
        return None;
    }
    let alike = |v: &Value<'c, 'a>| v.r#type() == result.r#type();
    let value = op.operands().filter(alike).nth(choice)?;
    Some(Change::Replace(vec![value]))
}

fn dissolve<'c, 'a>(op: OperationRef<'c, 'a>, _: usize) -> Option<Change<'c, 'a>> {
    let name = op_name(op);
    ["graph.group", "graph.composite"]
        .contains(&name.as_str())
        .then_some(Change::Dissolve)
}

fn attribute<'c, 'a>(op: OperationRef<'c, 'a>, choice: usize) -> Option<Change<'c, 'a>> {
    let name = op_name(op);
    let (of, attribute) = OPTIONAL[choice];
    (name == of && op.has_attribute(attribute)).then_some(Change::Without(attribute))
}

fn ones<'c, 'a>(op: OperationRef<'c, 'a>, _: usize) -> Option<Change<'c, 'a>> {
    if !op_name(op).starts_with("graph.") || is_structure(op) || op.result_count() != 1 {
        return None;
    }
    let result = op.result(0).ok()?;
    let ty = result.r#type();
    if !ty.is_tensor() || has_unknown_extent(ty) || !is_used(&result) {
        return None;
    }
    let one = match from_shaped_type(ty).ok()?.element {
        ElementType::Bool => "true",
        element if element.is_float() => "1.0",
        _ => "1",
    };
    let value = Attribute::parse(context_of(op), &format!("dense<{one}> : {ty}"))?;
    let known = op.attribute("value").ok();
    let is_it = op_name(op) == "graph.constant" && known == Some(value);
    (!is_it).then_some(Change::Constant(value))
}

/// Changes an operation through a rewriter. Returns whether it could be done.
pub fn apply<'c>(
    op: OperationRef<'c, '_>,
    change: Change<'c, '_>,
    rewriter: MlirRewriterBase,
) -> bool {
    match change {
        // SAFETY: nothing uses the operation's results, as the change says; it is not used again.
        Change::Erase => unsafe { mlir_sys::mlirRewriterBaseEraseOp(rewriter, op.to_raw()) },
        Change::Replace(values) => replace(op, &values, rewriter),
        Change::Dissolve => return dissolve_into_parent(op, rewriter),
        // SAFETY: the operation is alive, and the rewriter is told of the change.
        Change::Without(name) => unsafe {
            let name = melior::StringRef::new(name);
            mlir_sys::mlirRewriterBaseStartOpModification(rewriter, op.to_raw());
            mlir_sys::mlirOperationRemoveAttributeByName(op.to_raw(), name.to_raw());
            mlir_sys::mlirRewriterBaseFinalizeOpModification(rewriter, op.to_raw());
        },
        Change::Constant(value) => {
            let Ok(ty) = op.result(0).map(|r| r.r#type()) else {
                return false;
            };
            let parts = Parts {
                results: vec![ty],
                attributes: vec![("value", value)],
                ..Parts::default()
            };
            // The attribute is of the same context as the operation that it came from.
            let context = context_of(op);
            let Ok(made) = operation(context, "graph.constant", op.location(), parts) else {
                return false;
            };
            // SAFETY: the rewriter takes the new operation over and puts it before the old one, which is
            // alive and not used again.
            unsafe {
                mlir_sys::mlirRewriterBaseSetInsertionPointBefore(rewriter, op.to_raw());
                let made = mlir_sys::mlirRewriterBaseInsert(rewriter, made.into_raw());
                mlir_sys::mlirRewriterBaseReplaceOpWithOperation(rewriter, op.to_raw(), made);
            }
        }
    }
    true
}

fn replace(op: OperationRef<'_, '_>, values: &[Value<'_, '_>], rewriter: MlirRewriterBase) {
    let raw: Vec<_> = values.iter().map(|v| v.to_raw()).collect();
    // SAFETY: there is a value of its type for each result; the operation is not used again.
    unsafe {
        mlir_sys::mlirRewriterBaseReplaceOpWithValues(
            rewriter,
            op.to_raw(),
            raw.len() as isize,
            raw.as_ptr(),
        );
    }
}

fn dissolve_into_parent(op: OperationRef<'_, '_>, rewriter: MlirRewriterBase) -> bool {
    let Some(block) = op.region(0).ok().and_then(|r| r.first_block()) else {
        return false;
    };
    let operands: Vec<_> = op.operands().map(|v| v.to_raw()).collect();
    let Some(end) = operations(block).pop() else {
        return false;
    };
    if operands.len() != block.argument_count() {
        return false;
    }
    // SAFETY: every block argument gets the group's operand; what the block's end then gives takes the place
    // of the group's results; both operations are not used again.
    unsafe {
        mlir_sys::mlirRewriterBaseInlineBlockBefore(
            rewriter,
            block.to_raw(),
            op.to_raw(),
            operands.len() as isize,
            operands.as_ptr(),
        );
        let results: Vec<_> = end.operands().map(|v| v.to_raw()).collect();
        mlir_sys::mlirRewriterBaseReplaceOpWithValues(
            rewriter,
            op.to_raw(),
            results.len() as isize,
            results.as_ptr(),
        );
        mlir_sys::mlirRewriterBaseEraseOp(rewriter, end.to_raw());
    }
    true
}
