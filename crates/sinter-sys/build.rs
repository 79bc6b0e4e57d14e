//! Runs TableGen over `dialects/`, generates the hook stubs and accessors from the records, and
//! compiles the C++ shim.

#[path = "build/cpp.rs"]
mod cpp;
#[path = "build/records.rs"]
mod records;
#[path = "build/rust.rs"]
mod rust;
#[path = "build/tablegen.rs"]
mod tablegen;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// Dialects by folder, with the prefix of their TableGen files.
const DIALECTS: [(&str, &str); 3] = [("graph", "Graph"), ("tloop", "Tloop"), ("npu", "Npu")];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let dialects = root.join("../../dialects");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let llvm = PathBuf::from(env::var("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into()));
    watch(&dialects)?;
    watch(&root.join("cpp"))?;
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");

    let mut bindings = String::new();
    for (name, prefix) in DIALECTS {
        let tool = tablegen::TableGen::new(&llvm, &dialects, name, prefix);
        tool.write_includes(&out)?;
        let dialect = records::Dialect::read(name, &tool.records()?)?;
        fs::write(
            out.join(format!("{name}.hooks.cpp.inc")),
            cpp::file(&dialect),
        )?;
        bindings.push_str(&rust::module(&dialect));
    }
    fs::write(out.join("attributes.rs"), bindings)?;
    compile(&root.join("cpp"), &out, &llvm);
    Ok(())
}

/// Rebuilds when a file of the folder changes, comes or goes.
fn watch(folder: &Path) -> Result<(), Box<dyn Error>> {
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

fn compile(cpp: &Path, out: &Path, llvm: &Path) {
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
        .include(out)
        .include(cpp)
        .include(llvm.join("include"));
    let clang = llvm.join("bin/clang++");
    if env::var_os("CXX").is_none() && clang.exists() {
        build.compiler(clang);
    }
    let units = ["Hooks", "Graph", "Tloop", "Npu", "Shim", "Passes", "Tools"];
    build
        .files(units.map(|unit| cpp.join(format!("{unit}.cpp"))))
        .compile("sinter-shim");
    let libraries = ["MLIR-C", "MLIR", "LLVM-22"];
    println!(
        "cargo:rustc-link-search=native={}",
        llvm.join("lib").display()
    );
    for library in libraries {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
}
