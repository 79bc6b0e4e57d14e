//! The context: every dialect registered and loaded, one thread, diagnostics as data.

use std::ops::Deref;
use std::path::Path;

use melior::dialect::DialectRegistry;
use melior::ir::Module;

use crate::error::IrError;
use crate::module;

/// An MLIR context with every upstream dialect and Sinter's own registered and loaded, and threads
/// off, so that what is printed does not depend on them. Dereferences to melior's.
pub struct Context {
    inner: melior::Context,
}

impl Context {
    /// A context.
    pub fn new() -> Self {
        let registry = DialectRegistry::new();
        register_all(&registry);
        let inner = melior::Context::new_with_registry(&registry, false);
        inner.load_all_available_dialects();
        Self { inner }
    }

    /// Parses and verifies a module from text or bytecode.
    ///
    /// # Errors
    /// [`IrError::Invalid`] with what MLIR said.
    pub fn parse(&self, source: impl AsRef<[u8]>) -> Result<Module<'_>, IrError> {
        module::parse(&self.inner, source.as_ref())
    }

    /// Parses and verifies a module from a file of text or bytecode.
    ///
    /// # Errors
    /// [`IrError::Io`] when the file cannot be read, [`IrError::Invalid`] with what MLIR said.
    pub fn parse_file(&self, path: impl AsRef<Path>) -> Result<Module<'_>, IrError> {
        module::parse_file(&self.inner, path.as_ref())
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for Context {
    type Target = melior::Context;

    fn deref(&self) -> &melior::Context {
        &self.inner
    }
}

/// Registers every upstream dialect with its extensions, and Sinter's own dialects with their hooks.
pub fn register_all(registry: &DialectRegistry) {
    crate::hooks::install();
    // SAFETY: the registry is alive.
    unsafe { sinter_sys::shim::sinterInsertAllDialects(registry.to_raw()) };
}
