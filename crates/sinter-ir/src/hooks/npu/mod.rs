//! Spaces, transfers, engines, launches.

mod copy;
mod mma;

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, AttributeLike, BlockLike, Type, TypeLike};
use mlir_sys::{MlirAttribute, MlirRewriterBase, MlirStringRef};
use sinter_sys::attributes::npu;
use sinter_sys::shim::text;

use super::shape::{block, each_equal, element, extents, int, operand_types, result_types};
use super::tloop::{function_inputs, function_results};
use super::{Checked, ensure, same_count};
use crate::graph::op_name;

pub(super) fn verify(op: OperationRef<'_, '_>, mnemonic: &str) -> Checked {
    match mnemonic {
        "kernel" => kernel(op),
        "program" => program(op),
        "alloc" => alloc(op),
        "release" => on_chip("tile", operand_types(op)[0]),
        "copy" => copy::verify(op),
        "wait" => ensure(op.operand_count() > 0, || "waits for nothing".to_string()),
        "sync" => sync(op),
        "compute" => compute(op),
        "mma" => mma::verify(op),
        "buffer" => in_gm("buffer", result_types(op)[0]),
        "view" => {
            in_gm("view", result_types(op)[0])?;
            not_negative(op, "offset")
        }
        "constant" => constant(op),
        "launch" => {
            let blocks = int(op, "blocks").unwrap_or(0);
            ensure(blocks > 0, || format!("launches {blocks} blocks"))
        }
        "return" => returned(op),
        _ => Ok(()),
    }
}

fn not_negative(op: OperationRef<'_, '_>, name: &str) -> Checked {
    let value = int(op, name).unwrap_or(0);
    ensure(value >= 0, || format!("{name} {value} is negative"))
}

/// The space of a memref: `gm` where none is named, `None` for a space of another dialect.
pub(crate) fn space(ty: Type<'_>) -> Option<&'static str> {
    if !ty.is_mem_ref() {
        return Some("gm");
    }
    // SAFETY: asked of a memref; a null attribute means no space.
    let space =
        unsafe { Attribute::from_option_raw(mlir_sys::mlirMemRefTypeGetMemorySpace(ty.to_raw())) };
    let Some(space) = space else {
        return Some("gm");
    };
    // SAFETY: the getter is called on the kind of attribute that was asked for first.
    let word = unsafe {
        npu::sinterAttributeIsANpuSpaceAttr(space.to_raw())
            .then(|| text(npu::sinterNpuSpaceAttrValue(space.to_raw())))
    };
    ["gm", "l1", "l0a", "l0b", "l0c", "ub"]
        .into_iter()
        .find(|s| Some(*s) == word)
}

/// The word of an engine or core attribute.
fn word<'c>(
    op: OperationRef<'c, '_>,
    name: &str,
    get: unsafe extern "C" fn(MlirAttribute) -> MlirStringRef,
) -> &'c str {
    // SAFETY: the attribute is of the kind that the operation's definition demands, and its words are
    // static in the dialect.
    op.attribute(name)
        .map_or("", |a| unsafe { text(get(a.to_raw())) })
}

fn on_chip(what: &str, ty: Type<'_>) -> Checked {
    ensure(space(ty).is_some_and(|s| s != "gm"), || {
        format!("{what} '{ty}' must be in an on-chip space")
    })
}

fn in_gm(what: &str, ty: Type<'_>) -> Checked {
    ensure(space(ty) == Some("gm"), || {
        format!("{what} '{ty}' must be in device memory")
    })
}

fn kernel(op: OperationRef<'_, '_>) -> Checked {
    let inputs = function_inputs(op).unwrap_or_default();
    // SAFETY: asked of a type that is alive.
    let first = inputs
        .first()
        .is_some_and(|ty| unsafe { mlir_sys::mlirTypeIsAIndex(ty.to_raw()) });
    ensure(first, || {
        "argument 0 must be the block's number, of type 'index'".to_string()
    })?;
    for (i, ty) in inputs.iter().enumerate().skip(1) {
        ensure(ty.is_mem_ref(), || {
            format!("argument {i} is '{ty}', but must be a memref")
        })?;
        in_gm(&format!("argument {i}"), *ty)?;
    }
    let results = function_results(op).unwrap_or_default().len();
    ensure(results == 0, || {
        format!("has {results} results, but a kernel has none")
    })
}

fn program(op: OperationRef<'_, '_>) -> Checked {
    let types = function_inputs(op)
        .into_iter()
        .chain(function_results(op))
        .flatten();
    for ty in types {
        ensure(ty.is_mem_ref(), || {
            format!("has '{ty}' in its type, but takes and gives memrefs")
        })?;
        in_gm("argument or result", ty)?;
    }
    not_negative(op, "arena_bytes")
}

fn alloc(op: OperationRef<'_, '_>) -> Checked {
    let ty = result_types(op)[0];
    // A tile that says `gm` is the core's workspace in device memory.
    if !ty.to_string().contains("#npu.space<gm>") {
        on_chip("tile", ty)?;
    }
    ensure(extents(ty).iter().all(Option::is_some), || {
        format!("tile '{ty}' must have known extents")
    })?;
    not_negative(op, "offset")
}

fn sync(op: OperationRef<'_, '_>) -> Checked {
    let mut parent = op.parent_operation();
    while let Some(at) = parent {
        if op_name(at) == "npu.kernel" {
            let core = word(at, "core", npu::sinterNpuCoreAttrValue);
            return ensure(core == "mix", || {
                format!("is in a '{core}' kernel, which has one core")
            });
        }
        parent = at.parent_operation();
    }
    Err("is not inside a kernel".to_string())
}

fn compute(op: OperationRef<'_, '_>) -> Checked {
    let engine = word(op, "engine", npu::sinterNpuEngineAttrValue);
    ensure(["scalar", "vector", "cube"].contains(&engine), || {
        format!("engine '{engine}' does not compute")
    })?;
    let mut next = block(op, 0).and_then(|b| b.first_operation());
    while let Some(inner) = next {
        let name = op_name(inner);
        ensure(
            !name.starts_with("npu.") || ["npu.yield", "npu.mma"].contains(&&*name),
            || format!("holds '{name}', which is not plain code"),
        )?;
        next = inner.next_in_block();
    }
    Ok(())
}

fn constant(op: OperationRef<'_, '_>) -> Checked {
    let result = result_types(op)[0];
    in_gm("constant", result)?;
    let value = op.attribute("value").ok();
    let offset = int(op, "offset");
    ensure(value.is_some() != offset.is_some(), || {
        "must have either a value or an offset".to_string()
    })?;
    if let Some(value) = value {
        let ty = value.r#type();
        // A packed constant has padding; `i1` and `ui8` lie in memory as bytes.
        let (elements, room) = (count(ty), count(result));
        let fits = if op.has_attribute("layout") {
            elements <= room
        } else {
            elements == room
        };
        let stored = matches!(element(ty).to_string().as_str(), "i1" | "ui8")
            && element(result).to_string() == "i8";
        ensure(
            elements.is_some() && fits && (element(ty) == element(result) || stored),
            || format!("value of type '{ty}' does not fit '{result}'"),
        )?;
    }
    not_negative(op, "offset")
}

fn returned(op: OperationRef<'_, '_>) -> Checked {
    let results = op
        .parent_operation()
        .and_then(function_results)
        .unwrap_or_default();
    let values = operand_types(op);
    same_count("values", values.len(), "results", results.len())?;
    each_equal("value", &values, &results)
}

/// Number of elements, where every extent is known.
fn count(ty: Type<'_>) -> Option<i64> {
    extents(ty)
        .into_iter()
        .try_fold(1, |n: i64, e| Some(n * e?))
}

/// A launch passes what its kernel takes after the block's number: as many elements of the same type,
/// whatever their shape, for a buffer is bytes and only the kernel sees dimensions.
pub(super) fn launched(op: OperationRef<'_, '_>, symbol: OperationRef<'_, '_>) -> Checked {
    ensure(op_name(symbol) == "npu.kernel", || {
        format!(
            "launches a '{}', but must launch an 'npu.kernel'",
            op_name(symbol)
        )
    })?;
    let inputs = function_inputs(symbol).unwrap_or_default();
    let buffers = inputs.get(1..).unwrap_or_default();
    same_count(
        "operands",
        op.operand_count(),
        "buffers of the kernel",
        buffers.len(),
    )?;
    let same_bytes = |got: Type<'_>, want: Type<'_>| {
        got == want
            || (element(got) == element(want) && count(got).is_some() && count(got) == count(want))
    };
    for (i, (&got, &want)) in operand_types(op).iter().zip(buffers).enumerate() {
        ensure(same_bytes(got, want), || {
            format!("operand {i} is '{got}', but must be '{want}'")
        })?;
    }
    Ok(())
}

/// Leaves out tokens that need no wait or are waited for twice, and a wait for nothing.
pub(super) fn canonicalize_wait(op: OperationRef<'_, '_>, rewriter: MlirRewriterBase) -> bool {
    let mut kept: Vec<mlir_sys::MlirValue> = Vec::new();
    for token in op.operands() {
        let raw = melior::ir::ValueLike::to_raw(&token);
        let known = kept.iter().any(|k| k.ptr == raw.ptr);
        if !known && !is_ready(raw) {
            kept.push(raw);
        }
    }
    if kept.len() == op.operand_count() {
        return false;
    }
    // SAFETY: the rewriter is the one of the running pattern, and told of every change; the erased
    // operation is not touched again.
    unsafe {
        if kept.is_empty() {
            mlir_sys::mlirRewriterBaseEraseOp(rewriter, op.to_raw());
        } else {
            mlir_sys::mlirRewriterBaseStartOpModification(rewriter, op.to_raw());
            mlir_sys::mlirOperationSetOperands(op.to_raw(), kept.len() as isize, kept.as_ptr());
            mlir_sys::mlirRewriterBaseFinalizeOpModification(rewriter, op.to_raw());
        }
    }
    true
}

fn is_ready(token: mlir_sys::MlirValue) -> bool {
    // SAFETY: the value is alive; its owner is asked for only when it is an operation's result.
    unsafe {
        mlir_sys::mlirValueIsAOpResult(token)
            && op_name(OperationRef::from_raw(mlir_sys::mlirOpResultGetOwner(
                token,
            ))) == "npu.ready"
    }
}
