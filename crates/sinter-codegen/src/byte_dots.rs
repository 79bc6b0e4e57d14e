//! Which functions may have dot products of bytes (`vpdpbusd`).
//!
//! LLVM 22 makes such instructions of some sums by itself, and of a sum of products of eight or sixteen bytes it
//! takes the first four products for all of them: a function has them only where the generator asked for them, which never
//! stands beside such a sum.

use std::collections::BTreeSet;

use inkwell::module::Module;
use inkwell::values::{CallSiteValue, FunctionValue};

use crate::{CodegenError, Target};

/// What the names of the intrinsics begin with.
const INTRINSICS: &[u8] = b"llvm.x86.avx512.vpdpbusd.";

/// Names of the functions that use dot products, and of those that call these.
///
/// # Errors
/// [`CodegenError::NoByteDots`] where there are some and the target has none.
pub(crate) fn users(
    module: &Module<'_>,
    target: &Target,
) -> Result<BTreeSet<Vec<u8>>, CodegenError> {
    let is_intrinsic = |name: &[u8]| name.starts_with(INTRINSICS);
    let mut users = BTreeSet::new();
    for function in module.get_functions() {
        if calls(function, is_intrinsic) {
            users.insert(name(function));
        }
    }
    if !users.is_empty() && !target.has_byte_dots() {
        return Err(CodegenError::NoByteDots(target.cpu.clone()));
    }
    let callers = module.get_functions().map(|f| (f, name(f)));
    let callers = callers.filter(|(f, _)| calls(*f, |callee| users.contains(callee)));
    let callers: Vec<_> = callers.map(|(_, name)| name).collect();
    users.extend(callers);
    Ok(users)
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
