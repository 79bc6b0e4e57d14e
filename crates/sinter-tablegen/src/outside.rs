//! A dialect of another crate.
//!
//! The crate's build script is one call, and the crate depends on `sinter-sys`, whose build script says
//! where the shim's headers and `Common.td` are. No C++ is written by hand: the dialect's operations,
//! attributes and types are registered by a generated file, a constant that folding makes becomes a
//! `graph.constant`, and functions that hold its operations may be inlined.
//!
//! What is generated for Rust is in `OUT_DIR/NAME.rs`: accessors of attributes and types, and the
//! constant `DIALECT`.

use std::env;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::records::{Dialect, camel};
use crate::{cpp, rust};

/// Builds the dialect `name`, defined in a TableGen file.
///
/// # Errors
/// When the crate does not depend on `sinter-sys`, TableGen refuses the file, or it defines no such
/// dialect.
///
/// # Panics
/// When the C++ compiler fails; what it said is the build script's output.
pub fn build(name: &str, input: impl AsRef<Path>) -> Result<(), Box<dyn Error>> {
    let input = input.as_ref();
    let folder = input.parent().unwrap_or(Path::new("."));
    let of_shim = |key: &str| {
        env::var_os(format!("DEP_SINTER_SHIM_{key}"))
            .map(PathBuf::from)
            .ok_or("a crate with a dialect of its own needs 'sinter-sys' among its dependencies")
    };
    let (headers, common) = (of_shim("INCLUDE")?, of_shim("DIALECTS")?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("this is for build scripts")?);
    crate::watch(folder)?;
    let dialect = crate::read(name, input, &[common, folder.to_owned()], &out)?;
    let source = out.join(format!("{name}.cpp"));
    fs::write(
        out.join(format!("{name}.hooks.cpp.inc")),
        cpp::file(&dialect),
    )?;
    fs::write(&source, cpp_file(&dialect)?)?;
    fs::write(out.join(format!("{name}.rs")), rust_file(&dialect))?;
    crate::cpp_build()
        .include(&out)
        .include(headers)
        .file(source)
        .compile(&format!("{name}-dialect"));
    Ok(())
}

/// The C++ file of a dialect.
fn cpp_file(dialect: &Dialect) -> Result<String, Box<dyn Error>> {
    let Dialect { name, class, .. } = dialect;
    let (space, short) = class
        .rsplit_once("::")
        .ok_or("a dialect needs 'cppNamespace'")?;
    let mut out = format!(
        "// Generated from the TableGen records. Do not edit.\n\n#include \"Dialect.h\"\n\n\
         #include \"{name}.dialect.h.inc\"\n#include \"{name}.enum.h.inc\"\n\
         #define GET_ATTRDEF_CLASSES\n#include \"{name}.attr.h.inc\"\n\
         #define GET_TYPEDEF_CLASSES\n#include \"{name}.type.h.inc\"\n\
         using sinter::parseWord;\nusing sinter::printWord;\n\
         #define GET_OP_CLASSES\n#include \"{name}.op.h.inc\"\n\n\
         #include \"{name}.dialect.cpp.inc\"\n#include \"{name}.enum.cpp.inc\"\n\
         #define GET_ATTRDEF_CLASSES\n#include \"{name}.attr.cpp.inc\"\n\
         #define GET_TYPEDEF_CLASSES\n#include \"{name}.type.cpp.inc\"\n\
         #define GET_OP_CLASSES\n#include \"{name}.op.cpp.inc\"\n\n\
         #include \"{name}.hooks.cpp.inc\"\n\nnamespace {space} {{\n\n\
         void {short}::initialize() {{\n  addInterfaces<sinter::Inliner>();\n  \
         getContext()->getOrLoadDialect(\"graph\");\n"
    );
    for (list, method, of) in [
        ("GET_OP_LIST", "addOperations", "op"),
        ("GET_ATTRDEF_LIST", "addAttributes", "attr"),
        ("GET_TYPEDEF_LIST", "addTypes", "type"),
    ] {
        let any = match of {
            "op" => !dialect.ops.is_empty(),
            "attr" => !dialect.attributes.is_empty(),
            _ => !dialect.types.is_empty(),
        };
        if any {
            write!(
                out,
                "  {method}<\n#define {list}\n#include \"{name}.{of}.cpp.inc\"\n      >();\n"
            )?;
        }
    }
    out.push_str("}\n");
    if dialect.materializes {
        write!(
            out,
            "\nmlir::Operation *{short}::materializeConstant(mlir::OpBuilder &builder, mlir::Attribute value,\n    \
             mlir::Type type, mlir::Location loc) {{\n  \
             return sinter::materializeConstant(builder, value, type, loc);\n}}\n"
        )?;
    }
    write!(
        out,
        "\n}} // namespace {space}\n\n\
         extern \"C\" void {}(MlirDialectRegistry registry) {{\n  \
         unwrap(registry)->insert<{class}>();\n}}\n",
        insert_name(name)
    )?;
    Ok(out)
}

fn insert_name(dialect: &str) -> String {
    format!("sinterInsert{}Dialect", camel(dialect))
}

/// The accessors, and the dialect for registration.
fn rust_file(dialect: &Dialect) -> String {
    let (name, insert) = (&dialect.name, insert_name(&dialect.name));
    let accessors = match dialect.attributes.is_empty() && dialect.types.is_empty() {
        true => String::new(),
        false => rust::module(dialect),
    };
    format!(
        "{accessors}unsafe extern \"C\" {{\n    fn {insert}(registry: sinter_sys::dialects::RawRegistry);\n}}\n\n\
         /// The `{name}` dialect.\npub const DIALECT: sinter_sys::dialects::Dialect = \
         sinter_sys::dialects::Dialect {{\n    name: \"{name}\",\n    insert: {insert},\n}};\n"
    )
}
