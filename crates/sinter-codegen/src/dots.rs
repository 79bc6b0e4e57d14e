//! Which functions may have dot products of bytes (`vpdpbusd`), and whether the target has what they have.
//!
//! LLVM 22 makes such instructions of some sums by itself, and of a sum of products of eight or sixteen bytes it
//! takes the first four products for all of them: a function has them only where the generator asked for them, which never
//! stands beside such a sum.

use std::collections::BTreeSet;

use inkwell::module::Module;
use inkwell::values::{CallSiteValue, FunctionValue};
use sinter_loops::dot_products::DotKind;

use crate::{CodegenError, Target};

/// What the names of a kind's intrinsics begin with.
fn intrinsics(kind: DotKind) -> &'static [u8] {
    match kind {
        DotKind::Bytes => b"llvm.x86.avx512.vpdpbusd.",
        DotKind::Bf16 => b"llvm.x86.avx512bf16.dpbf16ps.",
    }
}

/// Names of the functions that use dot products of bytes, and of those that call these.
///
/// # Errors
/// [`CodegenError::NoDots`] where a function uses dot products that the target has not.
pub(crate) fn byte_users(
    module: &Module<'_>,
    target: &Target,
) -> Result<BTreeSet<Vec<u8>>, CodegenError> {
    for kind in [DotKind::Bytes, DotKind::Bf16] {
        if !target.dots().has(kind) && !users(module, kind).is_empty() {
            return Err(CodegenError::NoDots(target.cpu.clone(), kind.name()));
        }
    }
    let mut users = users(module, DotKind::Bytes);
    let callers = module.get_functions().map(|f| (f, name(f)));
    let callers = callers.filter(|(f, _)| calls(*f, |callee| users.contains(callee)));
    let callers: Vec<_> = callers.map(|(_, name)| name).collect();
    users.extend(callers);
    Ok(users)
}

/// Names of the functions that use dot products of a kind.
fn users(module: &Module<'_>, kind: DotKind) -> BTreeSet<Vec<u8>> {
    let uses = |f: &FunctionValue<'_>| calls(*f, |name| name.starts_with(intrinsics(kind)));
    module.get_functions().filter(uses).map(name).collect()
}

fn name(function: FunctionValue<'_>) -> Vec<u8> {
    function.get_name().to_bytes().to_vec()
}

/// Whether a function calls one of these names.
fn calls(function: FunctionValue<'_>, wanted: impl Fn(&[u8]) -> bool) -> bool {
    let blocks = function.get_basic_block_iter();
    let mut instructions = blocks.flat_map(|b| b.get_instructions());
    instructions.any(|instruction| {
        let callee = CallSiteValue::try_from(instruction).ok();
        let callee = callee.and_then(CallSiteValue::get_called_fn_value);
        callee.is_some_and(|f| wanted(f.get_name().to_bytes()))
    })
}
