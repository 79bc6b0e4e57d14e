//! Rust declarations of the C accessors.

use std::fmt::Write;

use crate::records::{Attribute, Dialect, Kind, Type, camel};

/// A Rust module with the accessors of one dialect.
pub(crate) fn module(dialect: &Dialect) -> String {
    let mut out = format!(
        "/// Attributes and types of the `{0}` dialect.\npub mod {0} {{\n    use mlir_sys::*;\n\n    \
         unsafe extern \"C\" {{\n",
        dialect.name
    );
    dialect
        .attributes
        .iter()
        .for_each(|attr| attribute(attr, &mut out));
    dialect.types.iter().for_each(|ty| type_(ty, &mut out));
    out.push_str("    }\n}\n\n");
    out
}

fn attribute(attr: &Attribute, out: &mut String) {
    let Attribute {
        c_name,
        name,
        summary,
        parameters,
        ..
    } = attr;
    let declared: String = parameters
        .iter()
        .map(|p| {
            let ty = match p.kind {
                Kind::Integer => "i64",
                Kind::OptionalInteger => "*const i64",
                Kind::Attribute => "MlirAttribute",
                Kind::Map => "MlirAffineMap",
                Kind::Enum => "MlirStringRef",
            };
            format!(", {}: {ty}", p.name)
        })
        .collect();
    writeln!(
        out,
        "        /// Whether an attribute is `#{name}`: {summary}.\n        \
         pub fn sinterAttributeIsA{c_name}(attr: MlirAttribute) -> bool;\n        \
         /// Makes `#{name}`: {summary}. Invalid parameters are reported at\n        \
         /// the location and give a null attribute.\n        \
         pub fn sinter{c_name}Get(location: MlirLocation{declared}) -> MlirAttribute;"
    )
    .expect("string");
    for p in parameters {
        let camel = camel(&p.name);
        let signature = match p.kind {
            Kind::Integer => "(attr: MlirAttribute) -> i64",
            Kind::OptionalInteger => "(attr: MlirAttribute, out: *mut i64) -> bool",
            Kind::Attribute => "(attr: MlirAttribute) -> MlirAttribute",
            Kind::Map => "(attr: MlirAttribute) -> MlirAffineMap",
            Kind::Enum => "(attr: MlirAttribute) -> MlirStringRef",
        };
        writeln!(
            out,
            "        /// Parameter `{}` of `#{name}`.\n        pub fn sinter{c_name}{camel}{signature};",
            p.name
        )
        .expect("string");
    }
}

fn type_(ty: &Type, out: &mut String) {
    let Type {
        c_name, summary, ..
    } = ty;
    writeln!(
        out,
        "        /// Whether a type is {summary}.\n        \
         pub fn sinterTypeIsA{c_name}(r#type: MlirType) -> bool;\n        \
         /// The type of {summary}.\n        \
         pub fn sinter{c_name}Get(context: MlirContext) -> MlirType;"
    )
    .expect("string");
}
