//! What other crates add: dialects, operators, rules, legality codes, cost terms, passes, translations.
//!
//! An [`Extension`] is one constant that lists it all. It reaches a process in one of two ways: a tool of
//! the other crate's own [installs](Extension::install) it before anything else ([`opt`] is `sinter-opt`
//! with extensions), or [`plugin!`](crate::plugin) makes the crate's shared object a plugin that
//! `sinter-opt` and stock `mlir-opt` load.
//!
//! Extensions are code, so they are kept for the process, as MLIR keeps dialects and passes; nothing
//! depends on the order in which they come.

mod plugin;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock, PoisonError};

use sinter_fusion::extend::{self, CostTerm, DuplicateError, LegalityCheck};
use sinter_fusion::rules::Rule;
use sinter_onnx::custom::{self as onnx, EntryError};
use sinter_ops::custom::{self as operators, Definition, RegisterError};
use sinter_pass::{Entry, Pipeline, Registry, RegistryError, pipelines};
use sinter_sys::dialects::{self, Dialect};

/// What a crate adds to Sinter. [`Extension::named`] is empty; the rest is filled in.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// Name, unique in a process.
    pub name: &'static str,
    /// Dialects, from TableGen.
    pub dialects: &'static [Dialect],
    /// Operators of those dialects.
    pub operators: &'static [Definition],
    /// Translations of ONNX operators of other domains.
    pub imports: &'static [onnx::Entry],
    /// Rewrite rules.
    pub rules: &'static [Rule],
    /// Conditions on kernels, each with a legality code.
    pub checks: &'static [LegalityCheck],
    /// Time that the device model leaves out.
    pub costs: &'static [CostTerm],
    /// Passes.
    pub passes: fn() -> Vec<Entry>,
    /// Named pipelines.
    pub pipelines: &'static [Pipeline],
}

impl Extension {
    /// An extension that adds nothing.
    pub const fn named(name: &'static str) -> Self {
        Self {
            name,
            dialects: &[],
            operators: &[],
            imports: &[],
            rules: &[],
            checks: &[],
            costs: &[],
            passes: Vec::new,
            pipelines: &[],
        }
    }

    /// Makes everything known, for the rest of the process. Again: does nothing.
    ///
    /// # Errors
    /// When a name is taken.
    pub fn install(&'static self) -> Result<(), ExtensionError> {
        let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
        if installed.contains_key(self.name) {
            return Ok(());
        }
        operators::register(self.operators)?;
        onnx::register(self.imports)?;
        extend::register(self.rules, self.checks, self.costs)?;
        self.dialects.iter().copied().for_each(dialects::register);
        installed.insert(self.name, self);
        Ok(())
    }
}

/// Why an extension cannot be installed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtensionError {
    /// An operator.
    #[error(transparent)]
    Operator(#[from] RegisterError),
    /// A translation.
    #[error(transparent)]
    Import(#[from] EntryError),
    /// A rule, code or cost term.
    #[error(transparent)]
    Fusion(#[from] DuplicateError),
}

static INSTALLED: Mutex<BTreeMap<&'static str, &'static Extension>> = Mutex::new(BTreeMap::new());

/// All passes and pipelines: Sinter's and those of the installed extensions.
///
/// # Errors
/// When a name is taken, or a pipeline refers to an option that it does not have.
pub fn registry() -> Result<Registry, RegistryError> {
    let installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    let passes = sinter_transforms::passes()
        .into_iter()
        .chain(sinter_conversion::passes())
        .chain(installed.values().flat_map(|e| (e.passes)()));
    let dialects: Vec<_> = installed
        .values()
        .flat_map(|e| e.dialects.iter().map(|d| d.name))
        .collect();
    let passes = passes.map(|entry| with_dialects(entry, &dialects));
    let own = installed.values().flat_map(|e| e.pipelines.iter().copied());
    Registry::new(passes, pipelines::ALL.iter().copied().chain(own))
}

/// Puts the passes and pipelines of [`registry`] into MLIR's global registry, once per process.
///
/// # Errors
/// As [`registry`], each time.
pub fn register_passes() -> Result<(), RegistryError> {
    static DONE: OnceLock<Result<(), RegistryError>> = OnceLock::new();
    DONE.get_or_init(|| registry().map(Registry::register))
        .clone()
}

/// A pass that makes operators may make those of other dialects: a rule, say, gives them.
fn with_dialects(mut entry: Entry, dialects: &[&'static str]) -> Entry {
    let makes = entry.info.dialects;
    if makes.contains(&"graph") && !dialects.is_empty() {
        // Passes are registered once, for the process.
        entry.info.dialects = Vec::leak([makes, dialects].concat());
    }
    entry
}

/// `sinter-opt` under another name, with extensions, on the process's arguments.
///
/// Where a [`plugin!`](crate::plugin) is loaded, the tool goes on in the first plugin's code: its passes were linked
/// with the plugin's operators, those of this tool were not.
pub fn opt(name: &str, extensions: &[&'static Extension]) -> ExitCode {
    match plugin::main(std::env::args().skip(1)) {
        Some(main) => main(name),
        None => opt_here(name, extensions),
    }
}

/// As [`opt`], with this copy of the code.
pub fn opt_here(name: &str, extensions: &[&'static Extension]) -> ExitCode {
    let installed = extensions.iter().try_for_each(|e| e.install());
    let registry = installed
        .map_err(|e| e.to_string())
        .and_then(|()| registry().map_err(|e| e.to_string()));
    match registry {
        Ok(registry) => sinter_pass::tool::opt(name, registry),
        Err(error) => {
            sinter_io::say!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `sinter-lsp-server` with extensions, on the process's arguments.
pub fn lsp_server(extensions: &[&'static Extension]) -> ExitCode {
    sinter_ir::hooks::install();
    match extensions.iter().try_for_each(|e| e.install()) {
        Ok(()) => std::process::exit(sinter_sys::tools::lsp_server()),
        Err(error) => {
            sinter_io::say!("sinter-lsp-server: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Installs an extension in the process of a tool that loaded it as a plugin, and puts the passes that
/// the tool does not have into its registry: those of the extension, and all of Sinter's where the tool
/// is stock `mlir-opt`. What is wrong goes to standard error, for a plugin has no other way to say it.
pub fn load_plugin(extension: &'static Extension) {
    sinter_ir::hooks::install();
    let loaded = extension
        .install()
        .map_err(|e| e.to_string())
        .and_then(|()| registry().map_err(|e| e.to_string()));
    match loaded {
        Ok(registry) => registry.register_missing(),
        Err(error) => sinter_io::say!("plugin '{}': {error}", extension.name),
    }
}

/// Makes a shared object (`crate-type = ["cdylib"]`) a plugin: `--load-dialect-plugin` loads its
/// dialects, `--load-pass-plugin` its passes.
///
/// ```
/// use sinter_driver::extension::Extension;
///
/// static EXTENSION: Extension = Extension::named("nothing");
/// sinter_driver::plugin!(EXTENSION);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! plugin {
    ($extension:path) => {
        const _: () = {
            use $crate::extension::host::{
                PLUGIN_API, PluginInfo, RegisterDialects, RegisterPasses, insert_into_host,
            };

            extern "C" fn dialects(registry: *mut ::std::ffi::c_void) {
                $crate::extension::load_plugin(&$extension);
                // SAFETY: the tool hands over its registry, which is alive.
                unsafe { insert_into_host(registry) }
            }

            extern "C" fn passes() {
                $crate::extension::load_plugin(&$extension);
            }

            const VERSION: &::std::ffi::CStr = c"0.1.0";

            /// What Sinter's own tools ask for: the tool with this extension.
            ///
            /// # Safety
            /// `name` is a terminated string.
            #[allow(non_snake_case)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn sinterExtensionOpt(name: *const ::std::ffi::c_char) -> i32 {
                // SAFETY: by the contract above.
                unsafe { $crate::extension::host::opt(name, &$extension) }
            }

            /// What `--load-dialect-plugin` asks for.
            #[allow(non_snake_case)]
            #[unsafe(no_mangle)]
            pub extern "C" fn mlirGetDialectPluginInfo() -> PluginInfo<RegisterDialects> {
                PluginInfo {
                    api_version: PLUGIN_API,
                    name: c"sinter extension".as_ptr(),
                    version: VERSION.as_ptr(),
                    register: dialects,
                }
            }

            /// What `--load-pass-plugin` asks for.
            #[allow(non_snake_case)]
            #[unsafe(no_mangle)]
            pub extern "C" fn mlirGetPassPluginInfo() -> PluginInfo<RegisterPasses> {
                PluginInfo {
                    api_version: PLUGIN_API,
                    name: c"sinter extension".as_ptr(),
                    version: VERSION.as_ptr(),
                    register: passes,
                }
            }
        };
    };
}

/// What [`plugin!`](crate::plugin) uses.
#[doc(hidden)]
pub mod host {
    use std::ffi::{CStr, c_char};
    use std::process::ExitCode;

    pub use sinter_sys::dialects::{
        PLUGIN_API, PluginInfo, RegisterDialects, RegisterPasses, insert_into_host,
    };

    use super::Extension;

    /// The tool with an extension; the exit code.
    ///
    /// # Safety
    /// `name` is a terminated string.
    pub unsafe fn opt(name: *const c_char, extension: &'static Extension) -> i32 {
        // SAFETY: by the contract above.
        let name = unsafe { CStr::from_ptr(name) };
        let code = super::opt_here(&name.to_string_lossy(), &[extension]);
        i32::from(code != ExitCode::SUCCESS)
    }
}
