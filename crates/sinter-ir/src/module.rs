//! Modules: reading, printing, verifying, writing.

use std::fs;
use std::path::Path;

use melior::StringRef;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};

use crate::diagnostic::Capture;
use crate::error::IrError;

/// Parses and verifies a module from text or bytecode.
///
/// # Errors
/// [`IrError::Invalid`] with what MLIR said.
pub fn parse<'c>(context: &'c melior::Context, source: &[u8]) -> Result<Module<'c>, IrError> {
    let mut terminated = Vec::with_capacity(source.len() + 1);
    terminated.extend_from_slice(source);
    terminated.push(0);
    let capture = Capture::start(context);
    // SAFETY: the text is alive during the call, and it is terminated right behind its length, as
    // the parser asks.
    let module = unsafe {
        Module::from_option_raw(mlir_sys::mlirModuleCreateParse(
            context.to_raw(),
            mlir_sys::MlirStringRef {
                data: terminated.as_ptr().cast(),
                length: source.len(),
            },
        ))
    };
    module.ok_or_else(|| IrError::Invalid(capture.finish()))
}

/// Parses and verifies a module from a file of text or bytecode.
///
/// # Errors
/// [`IrError::Io`] when the file cannot be read, [`IrError::Invalid`] with what MLIR said.
pub fn parse_file<'c>(context: &'c melior::Context, path: &Path) -> Result<Module<'c>, IrError> {
    let io = |cause| IrError::Io {
        path: path.to_path_buf(),
        cause,
    };
    sinter_io::regular(path).map_err(io)?;
    fs::File::open(path).map_err(io)?;
    let name = path
        .to_str()
        .ok_or_else(|| io(std::io::ErrorKind::InvalidFilename.into()))?;
    let capture = Capture::start(context);
    // SAFETY: the name is alive during the call.
    let module = unsafe {
        Module::from_option_raw(mlir_sys::mlirModuleCreateParseFromFile(
            context.to_raw(),
            StringRef::new(name).to_raw(),
        ))
    };
    module.ok_or_else(|| IrError::Invalid(capture.finish()))
}

/// Verifies an operation and all inside it.
///
/// # Errors
/// [`IrError::Invalid`] with what the verifiers said.
pub fn verify<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> Result<(), IrError> {
    let context = operation.context();
    // SAFETY: the context outlives the operation that is borrowed here.
    let capture = Capture::start(unsafe { context.to_ref() });
    if operation.verify() {
        Ok(())
    } else {
        Err(IrError::Invalid(capture.finish()))
    }
}

/// How a module is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintOptions {
    /// With `loc(...)`.
    pub locations: bool,
    /// Dense constants and resources above this many elements are cut short; the text is then for
    /// reading only.
    pub elide_above: Option<usize>,
}

/// The text of an operation.
///
/// # Errors
/// When the text is not valid UTF-8.
pub fn print<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
    options: PrintOptions,
) -> Result<String, IrError> {
    let mut flags = OperationPrintingFlags::new().enable_debug_info(options.locations, false);
    if let Some(limit) = options.elide_above {
        flags = flags.elide_large_elements_attributes(limit);
        // SAFETY: the flags are alive.
        unsafe {
            mlir_sys::mlirOpPrintingFlagsElideLargeResourceString(flags.to_raw(), limit as isize)
        };
    }
    operation
        .to_string_with_flags(flags)
        .map_err(|e| IrError::Unsupported(e.to_string()))
}

/// Writes bytecode.
///
/// # Errors
/// [`IrError::Io`] when the file cannot be written.
pub fn write_bytecode<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
    path: &Path,
) -> Result<(), IrError> {
    let bytes = operation.write_bytecode();
    sinter_io::replace(path, |out| out.write_all(&bytes)).map_err(|cause| IrError::Io {
        path: path.to_path_buf(),
        cause,
    })
}
