//! The table through which operations' hooks reach Rust.
//!
//! TableGen declares the hooks (`hasVerifier`, `hasFolder`, `hasCanonicalizer`, `genVerifyDecl`, a
//! declared `SymbolUserOpInterface`); generated C++ stubs forward every one of them to the [`Hooks`]
//! that [`install`] was given, with the operation as the only key: implementations look at its name.
//! `sinter-ir` installs its hooks whenever it makes a context; tools do so through it.
//!
//! Contract of the implementations:
//! - `verify*` return whether all is well, and report what is not at the operation, with
//!   [`sinterEmitOpError`] or through `report`, once per constraint.
//! - `fold` returns whether it folded, with one replacement per result through `push`; no replacement
//!   means that the operation was changed in place. A constant replacement is an elements attribute.
//! - `canonicalize` changes IR through the rewriter only, and returns whether it did.
//! - They run on several threads at once, and do not keep what they are given.
//!
//! A panic in a hook is caught here and reported as an error of the operation.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use mlir_sys::{
    MlirAffineMap, MlirAttribute, MlirOperation, MlirRewriterBase, MlirStringRef, MlirValue,
};

use crate::shim::{sinterEmitOpError, string_ref, text};

/// One parameter of an attribute under verification, in the order of the TableGen entry.
#[derive(Clone, Copy, Debug)]
pub enum Parameter {
    /// An optional parameter that is not there.
    Absent,
    /// An integer.
    Integer(i64),
    /// An attribute.
    Attribute(MlirAttribute),
    /// An affine map.
    Map(MlirAffineMap),
}

/// What one result of a folded operation is replaced with.
#[derive(Clone, Copy, Debug)]
pub enum Folded {
    /// An existing value.
    Value(MlirValue),
    /// A constant, to be materialised by the dialect.
    Constant(MlirAttribute),
}

/// Implementations of the hooks; see the module documentation for the contract.
pub trait Hooks: Sync {
    /// Whether an operation is valid.
    fn verify(&self, op: MlirOperation) -> bool;

    /// Whether an operation uses a symbol, which exists, rightly.
    fn verify_symbol(&self, op: MlirOperation, symbol: MlirOperation) -> bool;

    /// Whether a discardable attribute of a function's argument is valid.
    fn verify_argument(
        &self,
        op: MlirOperation,
        argument: usize,
        name: &str,
        value: MlirAttribute,
    ) -> bool;

    /// Whether a discardable attribute of a function's result is valid.
    fn verify_result(
        &self,
        op: MlirOperation,
        result: usize,
        name: &str,
        value: MlirAttribute,
    ) -> bool;

    /// Whether an operation may have a discardable attribute of a dialect that verifies them.
    fn verify_discardable(&self, op: MlirOperation, name: &str, value: MlirAttribute) -> bool;

    /// Whether an attribute (`graph.layout`) may have these parameters.
    ///
    /// # Errors
    /// What is wrong, without a full stop.
    fn verify_attribute(&self, name: &str, parameters: &[Parameter]) -> Result<(), String>;

    /// Replacements for an operation's results, given which operands are constants (null: not known).
    fn fold(&self, op: MlirOperation, operands: &[MlirAttribute]) -> Option<Vec<Folded>>;

    /// Brings an operation nearer to its canonical form.
    fn canonicalize(&self, op: MlirOperation, rewriter: MlirRewriterBase) -> bool;
}

static HOOKS: OnceLock<&'static dyn Hooks> = OnceLock::new();

/// Installs the hooks of the process. The first call counts, later ones are ignored: hooks are code,
/// not configuration.
pub fn install(hooks: &'static dyn Hooks) {
    if HOOKS.set(hooks).is_ok() {
        // SAFETY: the table is a static of the layout that the C++ side declares.
        unsafe { sinterSetHooks(&raw const TABLE) }
    }
}

/// Mirrors `SinterParameter` of cpp/Hooks.h.
#[repr(C)]
struct RawParameter {
    kind: i32,
    integer: i64,
    attribute: MlirAttribute,
    map: MlirAffineMap,
}

type Report = unsafe extern "C" fn(*mut std::ffi::c_void, MlirStringRef);
type Push = unsafe extern "C" fn(*mut std::ffi::c_void, MlirValue, MlirAttribute);

/// Mirrors `SinterHooks` of cpp/Hooks.h.
#[repr(C)]
struct RawHooks {
    verify: extern "C" fn(MlirOperation) -> bool,
    verify_symbol: extern "C" fn(MlirOperation, MlirOperation) -> bool,
    verify_argument:
        unsafe extern "C" fn(MlirOperation, isize, MlirStringRef, MlirAttribute) -> bool,
    verify_result: unsafe extern "C" fn(MlirOperation, isize, MlirStringRef, MlirAttribute) -> bool,
    verify_discardable: unsafe extern "C" fn(MlirOperation, MlirStringRef, MlirAttribute) -> bool,
    verify_attribute: unsafe extern "C" fn(
        MlirStringRef,
        isize,
        *const RawParameter,
        Report,
        *mut std::ffi::c_void,
    ) -> bool,
    fold: unsafe extern "C" fn(
        MlirOperation,
        isize,
        *const MlirAttribute,
        Push,
        *mut std::ffi::c_void,
    ) -> bool,
    canonicalize: extern "C" fn(MlirOperation, MlirRewriterBase) -> bool,
}

unsafe extern "C" {
    fn sinterSetHooks(hooks: *const RawHooks);
}

static TABLE: RawHooks = RawHooks {
    verify,
    verify_symbol,
    verify_argument,
    verify_result,
    verify_discardable,
    verify_attribute,
    fold,
    canonicalize,
};

/// Runs a hook on the installed implementation; a panic becomes an error of the operation.
fn guarded<T>(op: MlirOperation, otherwise: T, run: impl FnOnce(&dyn Hooks) -> T) -> T {
    let Some(hooks) = HOOKS.get() else {
        return otherwise;
    };
    catch_unwind(AssertUnwindSafe(|| run(*hooks))).unwrap_or_else(|panic| {
        let message = format!("hook panicked: {}", panic_text(panic.as_ref()));
        // SAFETY: the operation is alive during its hook.
        unsafe { sinterEmitOpError(op, string_ref(&message)) };
        otherwise
    })
}

/// What a panic said.
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

extern "C" fn verify(op: MlirOperation) -> bool {
    guarded(op, false, |hooks| hooks.verify(op))
}

extern "C" fn verify_symbol(op: MlirOperation, symbol: MlirOperation) -> bool {
    guarded(op, false, |hooks| hooks.verify_symbol(op, symbol))
}

unsafe extern "C" fn verify_argument(
    op: MlirOperation,
    argument: isize,
    name: MlirStringRef,
    value: MlirAttribute,
) -> bool {
    // SAFETY: the name outlives the call.
    let name = unsafe { text(name) };
    guarded(op, false, |hooks| {
        hooks.verify_argument(op, argument as usize, name, value)
    })
}

unsafe extern "C" fn verify_result(
    op: MlirOperation,
    result: isize,
    name: MlirStringRef,
    value: MlirAttribute,
) -> bool {
    // SAFETY: the name outlives the call.
    let name = unsafe { text(name) };
    guarded(op, false, |hooks| {
        hooks.verify_result(op, result as usize, name, value)
    })
}

unsafe extern "C" fn verify_discardable(
    op: MlirOperation,
    name: MlirStringRef,
    value: MlirAttribute,
) -> bool {
    // SAFETY: the name outlives the call.
    let name = unsafe { text(name) };
    guarded(op, false, |hooks| hooks.verify_discardable(op, name, value))
}

unsafe extern "C" fn verify_attribute(
    name: MlirStringRef,
    count: isize,
    parameters: *const RawParameter,
    report: Report,
    user: *mut std::ffi::c_void,
) -> bool {
    let Some(hooks) = HOOKS.get() else {
        return true;
    };
    // SAFETY: the name outlives the call, and `parameters` points to `count` of them.
    let (name, raw) = unsafe { (text(name), slice(parameters, count)) };
    let parameters: Vec<_> = raw
        .iter()
        .map(|p| match p.kind {
            1 => Parameter::Integer(p.integer),
            2 => Parameter::Attribute(p.attribute),
            3 => Parameter::Map(p.map),
            _ => Parameter::Absent,
        })
        .collect();
    let checked = catch_unwind(AssertUnwindSafe(|| {
        hooks.verify_attribute(name, &parameters)
    }));
    let message = match checked {
        Ok(Ok(())) => return true,
        Ok(Err(message)) => message,
        Err(panic) => format!("hook panicked: {}", panic_text(panic.as_ref())),
    };
    // SAFETY: `report` copies the message; `user` is what came with it.
    unsafe { report(user, string_ref(&message)) };
    false
}

unsafe extern "C" fn fold(
    op: MlirOperation,
    count: isize,
    operands: *const MlirAttribute,
    push: Push,
    user: *mut std::ffi::c_void,
) -> bool {
    // SAFETY: `operands` points to `count` attributes.
    let operands = unsafe { slice(operands, count) };
    let Some(results) = guarded(op, None, |hooks| hooks.fold(op, operands)) else {
        return false;
    };
    let null_value = MlirValue {
        ptr: std::ptr::null(),
    };
    let null_attribute = MlirAttribute {
        ptr: std::ptr::null(),
    };
    for result in results {
        let (value, attribute) = match result {
            Folded::Value(value) => (value, null_attribute),
            Folded::Constant(attribute) => (null_value, attribute),
        };
        // SAFETY: `push` takes exactly one of the two; `user` is what came with it.
        unsafe { push(user, value, attribute) };
    }
    true
}

extern "C" fn canonicalize(op: MlirOperation, rewriter: MlirRewriterBase) -> bool {
    guarded(op, false, |hooks| hooks.canonicalize(op, rewriter))
}

/// # Safety
/// `data` points to `count` values (or `count` is zero) that outlive the result.
pub(crate) unsafe fn slice<'a, T>(data: *const T, count: isize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: by the contract above.
    unsafe { std::slice::from_raw_parts(data, count as usize) }
}
