//! What the generators need to know of a dialect's TableGen records.

use std::error::Error;

use serde_json::Value;

/// A dialect.
pub(crate) struct Dialect {
    pub name: String,
    /// C++ class with its namespace.
    pub class: String,
    /// Whether it makes operations of the constants that folding gives.
    pub materializes: bool,
    pub ops: Vec<Op>,
    pub attributes: Vec<Attribute>,
    pub types: Vec<Type>,
}

/// An operation and the hooks that it declares.
pub(crate) struct Op {
    /// C++ class with its namespace.
    pub class: String,
    /// Name with the dialect's prefix.
    pub name: String,
    pub verifier: bool,
    pub folder: bool,
    pub canonicalizer: bool,
    /// Exactly one result that is not variadic.
    pub single_result: bool,
    /// Accessor of the symbol whose use is verified.
    pub symbol: Option<String>,
    pub effects: bool,
    /// Whether there are operands called `outs`.
    pub outs: bool,
}

/// An attribute with parameters.
pub(crate) struct Attribute {
    pub class: String,
    /// `Graph` `Layout`: what C names are made of.
    pub c_name: String,
    /// Name in IR, with the dialect's prefix.
    pub name: String,
    pub summary: String,
    pub verifier: bool,
    pub parameters: Vec<Parameter>,
}

/// A type without parameters.
pub(crate) struct Type {
    pub class: String,
    pub c_name: String,
    pub summary: String,
}

/// A parameter of an attribute.
pub(crate) struct Parameter {
    pub name: String,
    /// C++ type as the generated accessors spell it.
    pub cpp: String,
    pub kind: Kind,
}

/// How a parameter crosses to C.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer,
    OptionalInteger,
    /// A subclass of `mlir::Attribute`.
    Attribute,
    Map,
    /// An enumeration, as its word.
    Enum,
}

impl Dialect {
    /// Collects the records of a dialect, in alphabetical order.
    pub(crate) fn read(name: &str, records: &Value) -> Result<Self, Box<dyn Error>> {
        let of = |class: &str| -> Vec<&Value> {
            let names = records["!instanceof"][class].as_array();
            let mut names: Vec<_> = names
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            names.sort_unstable();
            names.into_iter().map(|name| &records[name]).collect()
        };
        let own = of("Dialect").into_iter().find(|d| d["name"] == name);
        let own = own.ok_or_else(|| format!("no record defines the dialect '{name}'"))?;
        Ok(Self {
            name: name.to_owned(),
            class: format!(
                "{}::{}",
                text(&own["cppNamespace"]).trim_start_matches("::"),
                text(&own["!name"]).replace('_', "")
            ),
            materializes: own["hasConstantMaterializer"] == 1,
            ops: of("Op")
                .into_iter()
                .map(|op| Op::read(op, records))
                .collect(),
            attributes: of("AttrDef")
                .into_iter()
                .map(|attr| Attribute::read(attr, records))
                .collect::<Result<_, _>>()?,
            types: of("TypeDef").into_iter().map(Type::read).collect(),
        })
    }
}

impl Op {
    fn read(op: &Value, records: &Value) -> Self {
        let dialect = &records[def(&op["opDialect"])];
        let interfaces: Vec<&str> = list(&op["traits"])
            .iter()
            .map(|t| &records[def(t)])
            .filter(|t| is_a(t, "DeclareInterfaceMethods"))
            .map(|t| text(&t["cppInterfaceName"]))
            .collect();
        let arguments = arguments(&op["arguments"]);
        let results = arguments_of(&op["results"], records);
        let symbol = interfaces.contains(&"SymbolUserOpInterface").then(|| {
            let symbol = arguments
                .iter()
                .find(|(ty, _)| def(ty) == "FlatSymbolRefAttr");
            format!("get{}Attr", camel(symbol.map_or("", |(_, name)| name)))
        });
        Self {
            class: format!(
                "{}::{}",
                text(&dialect["cppNamespace"]).trim_start_matches("::"),
                class(text(&op["!name"]))
            ),
            name: format!("{}.{}", text(&dialect["name"]), text(&op["opName"])),
            verifier: op["hasVerifier"] == 1,
            folder: op["hasFolder"] == 1,
            canonicalizer: op["hasCanonicalizer"] == 1,
            single_result: results.len() == 1 && !results[0],
            symbol,
            effects: interfaces.contains(&"MemoryEffectOpInterface"),
            outs: arguments.iter().any(|(_, name)| *name == "outs"),
        }
    }
}

impl Attribute {
    fn read(attr: &Value, records: &Value) -> Result<Self, Box<dyn Error>> {
        let parameters = arguments(&attr["parameters"]);
        Ok(Self {
            class: text(&attr["cppType"]).trim_start_matches("::").to_owned(),
            c_name: text(&attr["!name"]).replace('_', ""),
            name: text(&attr["attrName"]).to_owned(),
            summary: text(&attr["summary"]).to_owned(),
            verifier: attr["genVerifyDecl"] == 1,
            parameters: parameters
                .into_iter()
                .map(|(ty, name)| Parameter::read(ty, name, records))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl Type {
    fn read(ty: &Value) -> Self {
        Self {
            class: text(&ty["cppType"]).trim_start_matches("::").to_owned(),
            c_name: text(&ty["!name"]).replace('_', ""),
            summary: text(&ty["summary"]).to_owned(),
        }
    }
}

impl Parameter {
    fn read(ty: &Value, name: &str, records: &Value) -> Result<Self, Box<dyn Error>> {
        let record = &records[def(ty)];
        let cpp = ty
            .as_str()
            .unwrap_or_else(|| text(&record["cppType"]))
            .to_owned();
        let kind = if is_a(record, "EnumParameter") {
            Kind::Enum
        } else if cpp == "int64_t" {
            Kind::Integer
        } else if cpp == "std::optional<int64_t>" {
            Kind::OptionalInteger
        } else if cpp == "::mlir::AffineMap" {
            Kind::Map
        } else if cpp.starts_with("::mlir::") && cpp.ends_with("Attr") {
            Kind::Attribute
        } else {
            return Err(
                format!("parameter '{name}' has type '{cpp}', which has no C spelling").into(),
            );
        };
        Ok(Self {
            name: name.to_owned(),
            cpp,
            kind,
        })
    }
}

/// `saved_bytes` to `SavedBytes`.
pub(crate) fn camel(name: &str) -> String {
    name.split('_')
        .map(|word| {
            let mut chars = word.chars();
            chars
                .next()
                .map_or(String::new(), |c| c.to_uppercase().chain(chars).collect())
        })
        .collect()
}

/// The C++ class of a record: its name without the dialect's prefix.
fn class(record: &str) -> &str {
    record.split_once('_').map_or(record, |(_, class)| class)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn def(value: &Value) -> &str {
    text(&value["def"])
}

fn is_a(record: &Value, class: &str) -> bool {
    list(&record["!superclasses"]).iter().any(|c| c == class)
}

/// Arguments of a dag: type and name.
fn arguments(dag: &Value) -> Vec<(&Value, &str)> {
    list(&dag["args"])
        .iter()
        .map(|arg| (&arg[0], text(&arg[1])))
        .collect()
}

/// For each argument of a dag, whether it is variadic.
fn arguments_of(dag: &Value, records: &Value) -> Vec<bool> {
    arguments(dag)
        .into_iter()
        .map(|(ty, _)| {
            let record = &records[def(ty)];
            is_a(record, "Variadic") || is_a(record, "Optional")
        })
        .collect()
}
