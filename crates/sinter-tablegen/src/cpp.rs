//! C++ definitions of the hooks that TableGen declares, and C accessors of attributes and types.

use std::fmt::Write;

use crate::records::{Attribute, Dialect, Kind, Op, Parameter, Type, camel};

/// The generated part of a dialect's C++ file.
pub(crate) fn file(dialect: &Dialect) -> String {
    let mut out = String::from("// Generated from the TableGen records. Do not edit.\n\n");
    dialect.ops.iter().for_each(|op| hooks(op, &mut out));
    dialect
        .attributes
        .iter()
        .for_each(|attr| verifier(attr, &mut out));
    out.push_str("extern \"C\" {\n");
    dialect
        .attributes
        .iter()
        .for_each(|attr| accessors(attr, &mut out));
    dialect
        .types
        .iter()
        .for_each(|ty| type_accessors(ty, &mut out));
    out.push_str("}\n");
    out
}

fn hooks(op: &Op, out: &mut String) {
    let Op { class, name, .. } = op;
    let define = |out: &mut String, text: String| writeln!(out, "{text}").expect("string");
    if op.verifier {
        define(
            out,
            format!(
                "::llvm::LogicalResult {class}::verify() {{ return sinter::hooks::verify(*this); }}"
            ),
        );
    }
    if op.folder && op.single_result {
        define(
            out,
            format!(
                "::mlir::OpFoldResult {class}::fold(FoldAdaptor adaptor) {{\n  \
             return sinter::hooks::foldOne(*this, adaptor.getOperands());\n}}"
            ),
        );
    } else if op.folder {
        define(
            out,
            format!(
                "::llvm::LogicalResult {class}::fold(FoldAdaptor adaptor,\n    \
             ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &results) {{\n  \
             return sinter::hooks::fold(*this, adaptor.getOperands(), results);\n}}"
            ),
        );
    }
    if op.canonicalizer {
        define(
            out,
            format!(
                "void {class}::getCanonicalizationPatterns(::mlir::RewritePatternSet &patterns,\n    \
             ::mlir::MLIRContext *context) {{\n  \
             sinter::hooks::addCanonicalization(patterns, \"{name}\", context);\n}}"
            ),
        );
    }
    if let Some(symbol) = &op.symbol {
        define(
            out,
            format!(
                "::llvm::LogicalResult {class}::verifySymbolUses(::mlir::SymbolTableCollection &tables) {{\n  \
             return sinter::hooks::verifySymbol(*this, {symbol}(), tables);\n}}"
            ),
        );
    }
    if op.effects {
        let outs = if op.outs {
            "getOuts()"
        } else {
            "(*this)->getOperands().take_front(0)"
        };
        define(
            out,
            format!(
                "void {class}::getEffects(::llvm::SmallVectorImpl<\n    \
             ::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {{\n  \
             sinter::hooks::bufferEffects(*this, {outs}, effects);\n}}"
            ),
        );
    }
}

fn verifier(attr: &Attribute, out: &mut String) {
    if !attr.verifier {
        return;
    }
    let Attribute { class, name, .. } = attr;
    let parameters: Vec<_> = attr
        .parameters
        .iter()
        .map(|p| format!("{} {}", p.cpp, p.name))
        .collect();
    let wrapped: Vec<_> = attr
        .parameters
        .iter()
        .map(|p| format!("sinter::hooks::parameter({})", p.name))
        .collect();
    writeln!(
        out,
        "::llvm::LogicalResult {class}::verify(\n    \
         ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError, {}) {{\n  \
         return sinter::hooks::verifyAttribute(emitError, \"{name}\", {{{}}});\n}}",
        parameters.join(", "),
        wrapped.join(", ")
    )
    .expect("string");
}

fn accessors(attr: &Attribute, out: &mut String) {
    let Attribute { class, c_name, .. } = attr;
    writeln!(
        out,
        "bool sinterAttributeIsA{c_name}(MlirAttribute attr) {{ return ::llvm::isa_and_nonnull<{class}>(unwrap(attr)); }}"
    )
    .expect("string");
    constructor(attr, out);
    for parameter in &attr.parameters {
        getter(attr, parameter, out);
    }
}

/// With a location, invalid parameters are reported there and give a null attribute.
fn constructor(attr: &Attribute, out: &mut String) {
    let Attribute {
        class,
        c_name,
        parameters,
        ..
    } = attr;
    let mut declared = vec!["MlirLocation location".to_owned()];
    let mut passed = Vec::new();
    let mut checks = String::new();
    for Parameter { name, cpp, kind } in parameters {
        match kind {
            Kind::Integer => {
                declared.push(format!("int64_t {name}"));
                passed.push(name.clone());
            }
            Kind::OptionalInteger => {
                declared.push(format!("const int64_t *{name}"));
                passed.push(format!(
                    "{name} ? std::optional<int64_t>(*{name}) : std::nullopt"
                ));
            }
            Kind::Attribute => {
                declared.push(format!("MlirAttribute {name}"));
                passed.push(format!("::llvm::cast_or_null<{cpp}>(unwrap({name}))"));
            }
            Kind::Map => {
                declared.push(format!("MlirAffineMap {name}"));
                passed.push(format!("unwrap({name})"));
            }
            Kind::Enum => {
                declared.push(format!("MlirStringRef {name}"));
                let (space, name_of) = cpp.rsplit_once("::").unwrap_or(("", cpp));
                checks.push_str(&format!(
                    "  auto {name}Enum = {space}::symbolize{name_of}(unwrap({name}));\n  \
                     if (!{name}Enum) return {{nullptr}};\n"
                ));
                passed.push(format!("*{name}Enum"));
            }
        }
    }
    let get = if attr.verifier {
        "getChecked([&] { return ::mlir::emitError(unwrap(location)); }, "
    } else {
        "get("
    };
    writeln!(
        out,
        "MlirAttribute sinter{c_name}Get({}) {{\n{checks}  \
         return wrap(::mlir::Attribute({class}::{get}unwrap(location)->getContext(), {})));\n}}",
        declared.join(", "),
        passed.join(", ")
    )
    .expect("string");
}

fn getter(attr: &Attribute, parameter: &Parameter, out: &mut String) {
    let Attribute { class, c_name, .. } = attr;
    let Parameter { name, cpp, kind } = parameter;
    let camel = camel(name);
    let value = format!("::llvm::cast<{class}>(unwrap(attr)).get{camel}()");
    let text = match kind {
        Kind::Integer => {
            format!("int64_t sinter{c_name}{camel}(MlirAttribute attr) {{ return {value}; }}")
        }
        Kind::OptionalInteger => format!(
            "bool sinter{c_name}{camel}(MlirAttribute attr, int64_t *out) {{\n  \
             auto value = {value};\n  if (value) *out = *value;\n  return value.has_value();\n}}"
        ),
        Kind::Attribute => format!(
            "MlirAttribute sinter{c_name}{camel}(MlirAttribute attr) {{ return wrap(::mlir::Attribute({value})); }}"
        ),
        Kind::Map => {
            format!(
                "MlirAffineMap sinter{c_name}{camel}(MlirAttribute attr) {{ return wrap({value}); }}"
            )
        }
        Kind::Enum => {
            let (space, name_of) = cpp.rsplit_once("::").unwrap_or(("", cpp));
            format!(
                "MlirStringRef sinter{c_name}{camel}(MlirAttribute attr) {{ return wrap({space}::stringify{name_of}({value})); }}"
            )
        }
    };
    writeln!(out, "{text}").expect("string");
}

fn type_accessors(ty: &Type, out: &mut String) {
    let Type { class, c_name, .. } = ty;
    writeln!(
        out,
        "bool sinterTypeIsA{c_name}(MlirType type) {{ return ::llvm::isa<{class}>(unwrap(type)); }}\n\
         MlirType sinter{c_name}Get(MlirContext context) {{ return wrap(::mlir::Type({class}::get(unwrap(context)))); }}"
    )
    .expect("string");
}
