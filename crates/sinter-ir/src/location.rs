//! Locations that carry the origin: an ONNX node's name is a name location, several are fused.

use melior::ir::{Attribute, AttributeLike, Location};
use sinter_sys::shim::text;

/// The location of something that stems from these ONNX nodes.
pub fn from_origins<'c>(context: &'c melior::Context, origins: &[String]) -> Location<'c> {
    let named = |name: &str| Location::name(context, name, Location::unknown(context));
    match origins {
        [] => Location::unknown(context),
        [one] => named(one),
        several => {
            let parts: Vec<_> = several.iter().map(|name| named(name)).collect();
            fused(context, &parts)
        }
    }
}

/// One location for several, each kept once.
pub fn fused<'c>(context: &'c melior::Context, parts: &[Location<'c>]) -> Location<'c> {
    let raw: Vec<_> = parts.iter().map(|l| l.to_raw()).collect();
    // SAFETY: the array is alive during the call and the locations belong to the context; the
    // absent metadata is the null attribute, which this function takes as absent.
    unsafe {
        Location::from_raw(mlir_sys::mlirLocationFusedGet(
            context.to_raw(),
            raw.len() as isize,
            raw.as_ptr(),
            mlir_sys::MlirAttribute {
                ptr: std::ptr::null(),
            },
        ))
    }
}

/// The names in a location, in order, each once: the ONNX nodes that the thing stems from.
pub fn origins(location: Location<'_>) -> Vec<String> {
    let mut out = Vec::new();
    collect(location, &mut out);
    out
}

fn collect(location: Location<'_>, out: &mut Vec<String>) {
    if location.is_name() {
        // SAFETY: a name location has a name, and the context keeps its text.
        let name = unsafe {
            let name = mlir_sys::mlirLocationNameGetName(location.to_raw());
            text(mlir_sys::mlirIdentifierStr(name)).to_owned()
        };
        if !name.is_empty() && !out.contains(&name) {
            out.push(name);
        }
        collect(location.name_child_location(), out);
    } else if location.is_fused() {
        for i in 0..location.fused_num_locations() {
            collect(location.fused_location(i), out);
        }
    } else if location.is_call_site() {
        collect(location.call_site_callee(), out);
    }
}

/// `file:line` of something that was read from a file.
pub fn file_line(location: Location<'_>) -> Option<String> {
    if location.is_name() {
        return file_line(location.name_child_location());
    }
    if location.is_fused() {
        let mut parts = (0..location.fused_num_locations()).map(|i| location.fused_location(i));
        return parts.find_map(file_line);
    }
    // SAFETY: the location is alive, and it is read as a place in a file only after the check.
    unsafe {
        let raw = location.to_raw();
        if !mlir_sys::mlirLocationIsAFileLineColRange(raw) {
            return None;
        }
        let line = mlir_sys::mlirLocationFileLineColRangeGetStartLine(raw);
        let file = mlir_sys::mlirLocationFileLineColRangeGetFilename(raw);
        let file = text(mlir_sys::mlirIdentifierStr(file));
        Some(format!("{file}:{line}"))
    }
}

/// A location as an attribute, to keep it where an operation has none of its own.
pub fn to_attribute<'c>(location: Location<'c>) -> Attribute<'c> {
    // SAFETY: every location is a location attribute.
    unsafe { Attribute::from_raw(mlir_sys::mlirLocationGetAttribute(location.to_raw())) }
}

/// The location that an attribute is, if it is one.
pub fn from_attribute<'c>(attribute: Attribute<'c>) -> Option<Location<'c>> {
    // SAFETY: the attribute is alive, and it is read as a location only after the check.
    unsafe {
        mlir_sys::mlirAttributeIsALocation(attribute.to_raw())
            .then(|| Location::from_raw(mlir_sys::mlirLocationFromAttribute(attribute.to_raw())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| s.to_string()).collect()
    }

    #[test]
    fn origins_survive() {
        let context = melior::Context::new();
        for list in [
            names(&[]),
            names(&["conv1"]),
            names(&["conv1", "bn1", "relu1"]),
        ] {
            assert_eq!(origins(from_origins(&context, &list)), list);
        }
    }

    #[test]
    fn a_place_is_found_behind_names() {
        let context = melior::Context::new();
        let place = Location::new(&context, "a.mlir", 7, 3);
        let named = Location::name(&context, "conv1", place);
        let unknown = Location::unknown(&context);
        let both = fused(&context, &[Location::name(&context, "x", unknown), named]);
        assert_eq!(file_line(both).as_deref(), Some("a.mlir:7"));
        assert_eq!(file_line(unknown), None);
    }

    #[test]
    fn an_empty_name_is_none() {
        let context = melior::Context::new();
        let list = names(&["", "b"]);
        assert_eq!(origins(from_origins(&context, &list)), names(&["b"]));
    }

    #[test]
    fn a_name_is_listed_once() {
        let context = melior::Context::new();
        let a = from_origins(&context, &names(&["a", "b"]));
        let b = from_origins(&context, &names(&["b", "c"]));
        assert_eq!(origins(fused(&context, &[a, b])), names(&["a", "b", "c"]));
    }
}
