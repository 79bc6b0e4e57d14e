//! From a dialect's TableGen records to its C++ and Rust, for build scripts.
//!
//! TableGen writes the classes of a dialect; what it leaves to be written by hand in C++ is generated
//! here from the same records: definitions of the hooks (they forward to Rust), C accessors of
//! attributes and types with their Rust declarations, and, for a dialect of another crate, the whole C++
//! file of the dialect.
//!
//! | module | holds |
//! |---|---|
//! | [`outside`] | a dialect of another crate, from a `.td` file to a linked library |
//! | `records` | what the generators need to know of the records |
//! | `tablegen` | running the tools |
//! | `cpp`, `rust` | what is generated |

mod cpp;
pub mod outside;
mod records;
mod rust;
mod tablegen;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder where LLVM and MLIR 22 are installed.
pub fn llvm_prefix() -> PathBuf {
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    PathBuf::from(env::var_os("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into()))
}

/// Writes `NAME.*.inc` of a dialect to a folder, with its hooks and accessors, and returns the Rust
/// module of its accessors. `includes` are folders for TableGen besides LLVM's own.
///
/// # Errors
/// When TableGen fails, a parameter has no C spelling, or a file cannot be written.
pub fn generate(
    name: &str,
    input: &Path,
    includes: &[PathBuf],
    out: &Path,
) -> Result<String, Box<dyn Error>> {
    let dialect = read(name, input, includes, out)?;
    fs::write(
        out.join(format!("{name}.hooks.cpp.inc")),
        cpp::file(&dialect),
    )?;
    Ok(rust::module(&dialect))
}

fn read(
    name: &str,
    input: &Path,
    includes: &[PathBuf],
    out: &Path,
) -> Result<records::Dialect, Box<dyn Error>> {
    let tool = tablegen::TableGen::new(&llvm_prefix(), includes, name, input);
    tool.write_includes(out)?;
    records::Dialect::read(name, &tool.records()?)
}

/// A C++ build with the flags of LLVM's headers.
pub fn cpp_build() -> cc::Build {
    let llvm = llvm_prefix();
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-Wno-unused-parameter")
        .flag("-Wno-comment")
        .flag("-Wno-deprecated-declarations")
        .debug(false)
        .opt_level(1)
        .include(llvm.join("include"));
    let clang = llvm.join("bin/clang++");
    if env::var_os("CXX").is_none() && clang.exists() {
        build.compiler(clang);
    }
    build
}

/// Rebuilds when a file of the folder changes, comes or goes; pages of text do not count.
///
/// # Errors
/// When the folder cannot be read.
pub fn watch(folder: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            watch(&path)?;
        } else if path.extension().is_none_or(|e| e != "md") {
            println!("cargo:rerun-if-changed={}", path.display());
        }
    }
    Ok(())
}
