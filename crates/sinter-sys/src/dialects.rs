//! Dialects of other crates.

use std::ffi::c_char;

pub use mlir_sys::MlirDialectRegistry as RawRegistry;

use crate::shim::{sinterAddDialect, sinterInsertPluginDialects};

/// A dialect of another crate. `sinter_tablegen::outside::build` makes one in its build script.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Name.
    pub name: &'static str,
    /// Adds it to a registry.
    pub insert: unsafe extern "C" fn(RawRegistry),
}

/// Adds a dialect to every context and tool made from here on.
pub fn register(dialect: Dialect) {
    // SAFETY: the function is called with live registries only.
    unsafe { sinterAddDialect(dialect.insert) }
}

/// What `mlir-opt` asks a dialect plugin for (`mlir/Tools/Plugins/DialectPlugin.h`) and a pass plugin
/// (`PassPlugin.h`), which differ in the callback's argument only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PluginInfo<Callback> {
    /// [`PLUGIN_API`].
    pub api_version: u32,
    /// Name, ended by a zero byte.
    pub name: *const c_char,
    /// Version, ended by a zero byte.
    pub version: *const c_char,
    /// Registers what the plugin brings.
    pub register: Callback,
}

/// The version of the plugin interface: `MLIR_PLUGIN_API_VERSION` of LLVM 22.
pub const PLUGIN_API: u32 = 1;

/// Callback of a dialect plugin. The argument is a `mlir::DialectRegistry *`.
pub type RegisterDialects = extern "C" fn(*mut std::ffi::c_void);

/// Callback of a pass plugin.
pub type RegisterPasses = extern "C" fn();

/// Adds the registered dialects to the registry of the tool that loads the plugin, and ours where it
/// has none of the name.
///
/// # Safety
/// `registry` is a live `mlir::DialectRegistry *`.
pub unsafe fn insert_into_host(registry: *mut std::ffi::c_void) {
    // SAFETY: by the contract above; the C API's handle is that pointer.
    unsafe { sinterInsertPluginDialects(RawRegistry { ptr: registry }) }
}
