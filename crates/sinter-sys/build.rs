//! Runs TableGen over `dialects/`, generates the hook stubs and accessors from the records, and
//! compiles the C++ shim. Tells dependents' build scripts where its headers and `Common.td` are.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// Dialects by folder, with the prefix of their TableGen files.
const DIALECTS: [(&str, &str); 3] = [("graph", "Graph"), ("tloop", "Tloop"), ("npu", "Npu")];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let (dialects, cpp) = (
        root.join("../../dialects").canonicalize()?,
        root.join("cpp"),
    );
    let out = PathBuf::from(env::var("OUT_DIR")?);
    sinter_tablegen::watch(&dialects)?;
    sinter_tablegen::watch(&cpp)?;

    let mut bindings = String::new();
    for (name, prefix) in DIALECTS {
        let folder = dialects.join(name);
        let input = folder.join(format!("{prefix}Ops.td"));
        let includes = [dialects.clone(), folder];
        bindings.push_str(&sinter_tablegen::generate(name, &input, &includes, &out)?);
    }
    fs::write(out.join("attributes.rs"), bindings)?;
    println!("cargo:include={}", cpp.display());
    println!("cargo:dialects={}", dialects.display());
    compile(&cpp, &out);
    Ok(())
}

fn compile(cpp: &Path, out: &Path) {
    let units = [
        "Hooks", "Graph", "Tloop", "Npu", "Shim", "Passes", "Tools", "Irdl",
    ];
    sinter_tablegen::cpp_build()
        .include(out)
        .include(cpp)
        .files(units.map(|unit| cpp.join(format!("{unit}.cpp"))))
        .compile("sinter-shim");
    let libraries = ["MLIR-C", "MLIR", "LLVM-22"];
    println!(
        "cargo:rustc-link-search=native={}",
        sinter_tablegen::llvm_prefix().join("lib").display()
    );
    for library in libraries {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
}
