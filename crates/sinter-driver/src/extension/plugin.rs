//! Plugins that are extensions of Sinter, as Sinter's own tools meet them.

use std::ffi::{CString, c_char};
use std::process::{ExitCode, exit};

use libloading::Library;

/// What an extension's shared object exports: the tool with the extension.
const ENTRY: &[u8] = b"sinterExtensionOpt";

type Entry = unsafe extern "C" fn(*const c_char) -> i32;

/// The tool of the first plugin among the arguments that is an extension.
pub(super) fn main(
    arguments: impl Iterator<Item = String>,
) -> Option<impl FnOnce(&str) -> ExitCode> {
    let entry = paths(arguments).iter().find_map(|path| entry(path))?;
    Some(move |name: &str| {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the function is `plugin!`'s, which takes a terminated string.
        exit(unsafe { entry(name.as_ptr()) })
    })
}

/// The entry of a plugin; none where it is no extension, or cannot be loaded, which MLIR will say.
fn entry(path: &str) -> Option<Entry> {
    // SAFETY: the user asked for the plugin's code to be run, and MLIR would load it all the same; it stays
    // loaded for the process.
    unsafe {
        let library: &'static Library = Box::leak(Box::new(Library::new(path).ok()?));
        Some(*library.get::<Entry>(ENTRY).ok()?)
    }
}

/// Plugins that the arguments name: `--load-pass-plugin=PATH`, `--load-dialect-plugin PATH`.
fn paths(mut arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut out = Vec::new();
    while let Some(argument) = arguments.next() {
        let flag = argument.trim_start_matches('-');
        let flags = ["load-pass-plugin", "load-dialect-plugin"];
        let Some(rest) = flags.iter().find_map(|f| flag.strip_prefix(f)) else {
            continue;
        };
        match rest.strip_prefix('=') {
            Some(path) => out.push(path.to_owned()),
            None if rest.is_empty() => out.extend(arguments.next()),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn plugins_are_found_in_each_spelling() {
        let arguments = [
            "a.mlir",
            "--load-pass-plugin=p.so",
            "-load-dialect-plugin",
            "d.so",
            "--cse",
        ];
        let found = super::paths(arguments.iter().map(|a| (*a).to_owned()));
        assert_eq!(found, ["p.so", "d.so"]);
    }
}
