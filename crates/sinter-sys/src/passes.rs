//! Passes and pipelines written in Rust, in MLIR's global registry.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::ir::operation::{OperationLike, OperationRef};
use mlir_sys::{MlirOperation, MlirStringRef};

use crate::hooks::{panic_text, slice};
use crate::shim::{
    OptionKind, Report, Severity, SinterOption, SinterPass, sinterEmit, sinterIsPassRegistered,
    sinterRegisterPass, sinterRegisterPipeline, sinterRegisterUpstreamPasses, string_ref, text,
};

/// An option as MLIR's command line shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionText {
    /// Name on the command line.
    pub name: String,
    /// Help text.
    pub help: String,
    /// Value where none is given.
    pub initial: String,
    /// How values are parsed.
    pub kind: OptionKind,
}

/// Names and options of a pass or pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassText {
    /// Name on the command line and in textual pipelines.
    pub name: String,
    /// One line of help.
    pub summary: String,
    /// Operation that it runs on; empty for any.
    pub anchor: String,
    /// Dialects that must be loaded before it runs.
    pub dialects: Vec<String>,
    /// Options in order.
    pub options: Vec<OptionText>,
}

/// A pass. Values of options come as text, in the order of [`PassText::options`].
pub trait RawPass: Send + Sync {
    /// Whether the values are acceptable.
    ///
    /// # Errors
    /// What is wrong with one of them.
    fn check(&self, values: &[&str]) -> Result<(), String>;

    /// Runs on an operation, on any thread, on several operations at once. Returns whether it
    /// succeeded; why it did not has been reported.
    fn run(&self, op: OperationRef<'_, '_>, values: &[&str]) -> bool;
}

/// A named pipeline.
pub trait RawPipeline: Send + Sync {
    /// Whether the values are acceptable.
    ///
    /// # Errors
    /// What is wrong with one of them.
    fn check(&self, values: &[&str]) -> Result<(), String>;

    /// The textual pipeline that it stands for.
    fn expand(&self, values: &[&str]) -> String;
}

/// Adds a pass to MLIR's global registry, for the rest of the process.
pub fn register_pass(names: PassText, pass: Box<dyn RawPass>) {
    let raw = leak(names, pass, check_pass, run_pass, no_expansion);
    // SAFETY: `raw` and everything it points to lives as long as the process.
    unsafe { sinterRegisterPass(raw) }
}

/// Adds a pipeline to MLIR's global registry, for the rest of the process.
pub fn register_pipeline(names: PassText, pipeline: Box<dyn RawPipeline>) {
    let raw = leak(names, pipeline, check_pipeline, no_run, expand_pipeline);
    // SAFETY: `raw` and everything it points to lives as long as the process.
    unsafe { sinterRegisterPipeline(raw) }
}

/// Adds all upstream passes to MLIR's global registry.
pub fn register_upstream() {
    // SAFETY: registration takes no arguments and may be repeated.
    unsafe { sinterRegisterUpstreamPasses() }
}

/// Whether MLIR's global registry has a pass or pipeline of the name.
pub fn is_registered(name: &str) -> bool {
    // SAFETY: the name is alive during the call.
    unsafe { sinterIsPassRegistered(string_ref(name)) }
}

type Check =
    unsafe extern "C" fn(*mut c_void, isize, *const MlirStringRef, Report, *mut c_void) -> bool;
type Run = unsafe extern "C" fn(*mut c_void, MlirOperation, isize, *const MlirStringRef) -> bool;
type Expand = Check;

struct Registered<T: ?Sized> {
    names: &'static PassText,
    body: Box<T>,
}

fn leak<T: ?Sized + 'static>(
    names: PassText,
    body: Box<T>,
    check: Check,
    run: Run,
    expand: Expand,
) -> &'static SinterPass {
    let names: &'static PassText = Box::leak(Box::new(names));
    let dialects: Vec<_> = names.dialects.iter().map(|d| string_ref(d)).collect();
    let options: Vec<_> = names
        .options
        .iter()
        .map(|o| SinterOption {
            name: string_ref(&o.name),
            help: string_ref(&o.help),
            initial: string_ref(&o.initial),
            kind: o.kind,
        })
        .collect();
    let dialects: &'static [MlirStringRef] = Vec::leak(dialects);
    let options: &'static [SinterOption] = Vec::leak(options);
    let data = Box::into_raw(Box::new(Registered { names, body }));
    Box::leak(Box::new(SinterPass {
        name: string_ref(&names.name),
        summary: string_ref(&names.summary),
        anchor: string_ref(&names.anchor),
        dialect_count: dialects.len() as isize,
        dialects: dialects.as_ptr(),
        option_count: options.len() as isize,
        options: options.as_ptr(),
        data: data.cast(),
        check,
        run,
        expand,
    }))
}

/// # Safety
/// `data` came from [`leak`] with the same `T`.
unsafe fn registered<T: ?Sized>(data: *mut c_void) -> &'static Registered<T> {
    // SAFETY: by the contract above; it is never freed.
    unsafe { &*data.cast::<Registered<T>>() }
}

/// # Safety
/// `values` points to `count` references that are valid for the result's lifetime.
unsafe fn texts<'a>(count: isize, values: *const MlirStringRef) -> Vec<&'a str> {
    // SAFETY: by the contract above.
    unsafe { slice(values, count).iter().map(|&v| text(v)).collect() }
}

unsafe extern "C" fn check_pass(
    data: *mut c_void,
    count: isize,
    values: *const MlirStringRef,
    report: Report,
    user: *mut c_void,
) -> bool {
    // SAFETY: `data` is of a pass, `values` are alive during the call, `user` belongs to `report`.
    unsafe {
        let pass = registered::<dyn RawPass>(data);
        checked(
            pass.names,
            pass.body.check(&texts(count, values)),
            report,
            user,
        )
    }
}

unsafe extern "C" fn check_pipeline(
    data: *mut c_void,
    count: isize,
    values: *const MlirStringRef,
    report: Report,
    user: *mut c_void,
) -> bool {
    // SAFETY: `data` is of a pipeline, `values` are alive during the call, `user` belongs to `report`.
    unsafe {
        let pipeline = registered::<dyn RawPipeline>(data);
        checked(
            pipeline.names,
            pipeline.body.check(&texts(count, values)),
            report,
            user,
        )
    }
}

/// # Safety
/// `user` is what `report` takes.
unsafe fn checked(
    names: &PassText,
    result: Result<(), String>,
    report: Report,
    user: *mut c_void,
) -> bool {
    let Err(message) = result else { return true };
    let message = format!("{}: {message}", names.name);
    // SAFETY: by the contract above; the message is copied.
    unsafe { report(user, string_ref(&message)) };
    false
}

unsafe extern "C" fn run_pass(
    data: *mut c_void,
    op: MlirOperation,
    count: isize,
    values: *const MlirStringRef,
) -> bool {
    // SAFETY: `data` is of a pass; the operation and the values are alive during the call.
    let (pass, op, values) = unsafe {
        (
            registered::<dyn RawPass>(data),
            OperationRef::from_raw(op),
            texts(count, values),
        )
    };
    catch_unwind(AssertUnwindSafe(|| pass.body.run(op, &values))).unwrap_or_else(|panic| {
        let message = format!(
            "pass '{}' panicked: {}",
            pass.names.name,
            panic_text(panic.as_ref())
        );
        let (none, location) = (std::ptr::null(), op.location().to_raw());
        // SAFETY: the location is alive, the message is copied, there are no notes.
        unsafe {
            sinterEmit(
                Severity::Error,
                location,
                string_ref(&message),
                0,
                none,
                std::ptr::null(),
            );
        }
        false
    })
}

unsafe extern "C" fn expand_pipeline(
    data: *mut c_void,
    count: isize,
    values: *const MlirStringRef,
    report: Report,
    user: *mut c_void,
) -> bool {
    // SAFETY: `data` is of a pipeline, `values` are alive during the call, `user` belongs to `report`,
    // which copies the text.
    unsafe {
        let steps = registered::<dyn RawPipeline>(data)
            .body
            .expand(&texts(count, values));
        report(user, string_ref(&steps));
        !steps.is_empty()
    }
}

unsafe extern "C" fn no_run(
    _: *mut c_void,
    _: MlirOperation,
    _: isize,
    _: *const MlirStringRef,
) -> bool {
    false
}

unsafe extern "C" fn no_expansion(
    _: *mut c_void,
    _: isize,
    _: *const MlirStringRef,
    _: Report,
    _: *mut c_void,
) -> bool {
    false
}
