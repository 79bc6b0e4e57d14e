//! Reading and checking device files.

use std::path::{Path, PathBuf};

use toml::de::DeTable;

pub use crate::built_in::BUILT_IN;
use crate::device::{Device, EngineKind, FORMAT_VERSION, MatrixUnit};
use crate::host::HostCpu;
use crate::limits;

/// Why a device cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// Neither a built-in name nor a file.
    #[error("no device is called '{name}'; use {known} or the path of a device file")]
    Unknown {
        /// What was asked for.
        name: String,
        /// Built-in names.
        known: String,
    },
    /// A built-in device with something behind its name that is neither a CPU nor a number of cores.
    #[error(
        "device '{name}': '+{suffix}' is neither a CPU ({known}) nor a number of cores, such as '+2cores'"
    )]
    Suffix {
        /// What was asked for.
        name: String,
        /// What stands behind the name.
        suffix: String,
        /// Names of CPUs.
        known: String,
    },
    /// The file cannot be read.
    #[error("cannot read the device file {path}: {source}")]
    Io {
        /// File.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// The file is not TOML of the documented fields.
    #[error("device file {name}: {message}")]
    Parse {
        /// File or built-in name.
        name: String,
        /// Cause, in one line.
        message: String,
    },
    /// A field's value makes no sense.
    #[error("device file {name}: {message}")]
    Invalid {
        /// File or built-in name.
        name: String,
        /// What is wrong.
        message: String,
    },
}

pub(crate) fn named(name: &str) -> Result<Device, DeviceError> {
    match BUILT_IN.iter().find(|(n, _)| *n == name) {
        Some((name, text)) => parse(name, text),
        None => Err(unknown(name)),
    }
}

pub(crate) fn file(path: &Path) -> Result<Device, DeviceError> {
    match sinter_io::read_text(path) {
        Ok(text) => parse(&path.display().to_string(), &text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            Err(unknown(&path.display().to_string()))
        }
        Err(source) => Err(DeviceError::Io {
            path: path.to_owned(),
            source,
        }),
    }
}

fn unknown(name: &str) -> DeviceError {
    if let Some((device, suffix)) = name.split_once('+')
        && BUILT_IN.iter().any(|(n, _)| *n == device)
    {
        return DeviceError::Suffix {
            name: name.to_owned(),
            suffix: suffix.to_owned(),
            known: HostCpu::NAMED.map(|(name, _)| name).join(", "),
        };
    }
    let known: Vec<_> = BUILT_IN.iter().map(|(n, _)| *n).collect();
    DeviceError::Unknown {
        name: name.to_owned(),
        known: known.join(", "),
    }
}

/// Parses and checks the text of a device file; `name` is for messages.
///
/// # Errors
/// When the text is not TOML, has unknown or missing fields, or values that make no sense.
pub fn parse(name: &str, text: &str) -> Result<Device, DeviceError> {
    let malformed = |message: String| DeviceError::Parse {
        name: name.to_owned(),
        message,
    };
    let table = DeTable::parse(text).map_err(|e| malformed(in_one_line(&e, text)))?;
    limits::check(table.get_ref(), text).map_err(|message| DeviceError::Invalid {
        name: name.to_owned(),
        message,
    })?;
    let device: Device = toml::from_str(text).map_err(|e| malformed(in_one_line(&e, text)))?;
    check(&device).map_err(|message| DeviceError::Invalid {
        name: name.to_owned(),
        message,
    })?;
    Ok(device)
}

/// What TOML says, with the number of the line instead of its picture.
fn in_one_line(error: &toml::de::Error, text: &str) -> String {
    let message = error.message().replace('\n', " ");
    let before = error.span().and_then(|span| text.get(..span.start));
    match before {
        Some(before) if !text.is_empty() => {
            format!("line {}: {message}", before.matches('\n').count() + 1)
        }
        _ => message,
    }
}

impl Device {
    /// The device as the text of a device file.
    ///
    /// # Errors
    /// When a figure has no spelling in TOML.
    pub fn to_toml(&self) -> Result<String, DeviceError> {
        toml::to_string(self).map_err(|e| DeviceError::Parse {
            name: self.name.clone(),
            message: e.to_string(),
        })
    }
}

fn check(device: &Device) -> Result<(), String> {
    if device.version != FORMAT_VERSION {
        return Err(format!(
            "version {} is not {FORMAT_VERSION}",
            device.version
        ));
    }
    for name in device.vector.functions.keys() {
        known("vector.functions", name, &FUNCTIONS)?;
    }
    for element in &device.vector.elements {
        known("vector.elements", element, &ELEMENTS)?;
    }
    let unit_cores = device.core_group.matrix;
    if (unit_cores > 0) != device.matrix.is_some() {
        return Err(format!(
            "core_group.matrix must be at least 1 with [matrix] and 0 without, not {unit_cores}"
        ));
    }
    check_spaces(device)?;
    check_routes(device)?;
    let unit = device.matrix.as_ref();
    unit.map_or(Ok(()), |unit| check_matrix(unit, device))
}

/// Functions that a vector unit has prices for.
const FUNCTIONS: [&str; 18] = [
    "add", "mul", "compare", "select", "cast", "round", "div", "sqrt", "rsqrt", "exp", "log",
    "tanh", "erf", "sin", "cos", "pow", "rem", "index",
];
/// Element types that vectors may hold.
const ELEMENTS: [&str; 13] = [
    "f64", "f32", "f16", "bf16", "i64", "ui64", "i32", "ui32", "i16", "ui16", "i8", "ui8", "i1",
];
/// Memory spaces that kernels know.
const SPACES: [&str; 6] = ["gm", "ub", "l1", "l0a", "l0b", "l0c"];
/// What a route may do on the way.
const POST_OPS: [&str; 3] = ["relu", "cast", "scale"];

fn known(field: &str, name: &str, names: &[&str]) -> Result<(), String> {
    match names.contains(&name) {
        true => Ok(()),
        false => Err(format!(
            "{field} has no '{name}': there are {}",
            names.join(", ")
        )),
    }
}

fn check_spaces(device: &Device) -> Result<(), String> {
    for needed in ["gm", "ub"] {
        if device.space(needed).is_none() {
            return Err(format!("there is no [[space]] called '{needed}'"));
        }
    }
    for (n, space) in device.spaces.iter().enumerate() {
        known("space.name", &space.name, &SPACES)?;
        if device.spaces[..n].iter().any(|s| s.name == space.name) {
            return Err(format!("there are two [[space]] called '{}'", space.name));
        }
        let ascending = space
            .levels
            .windows(2)
            .all(|w| w[0].footprint_bytes < w[1].footprint_bytes && w[0].gbps >= w[1].gbps);
        if space.levels.is_empty() || !ascending {
            return Err(format!(
                "levels of '{}' must be given, by ascending footprint and falling rate",
                space.name
            ));
        }
        if space.levels.iter().any(|l| l.gbps_all < l.gbps) {
            return Err(format!(
                "rates of '{}': gbps_all must be at least gbps",
                space.name
            ));
        }
    }
    Ok(())
}

fn check_routes(device: &Device) -> Result<(), String> {
    for (n, engine) in device.engines.iter().enumerate() {
        if device.engines[..n].iter().any(|e| e.name == engine.name) {
            return Err(format!("there are two [[engine]] called '{}'", engine.name));
        }
    }
    for (n, route) in device.routes.iter().enumerate() {
        let (from, to) = (&route.from, &route.to);
        for space in [from, to] {
            if device.space(space).is_none() {
                return Err(format!(
                    "a route names the space '{space}', which does not exist"
                ));
            }
        }
        if from == to {
            return Err(format!("a route leads from '{from}' to itself"));
        }
        let mut others = device.routes[..n].iter();
        if others.any(|r| r.from == *from && r.to == *to) {
            return Err(format!("there are two routes from '{from}' to '{to}'"));
        }
        if !device.engines.iter().any(|e| e.name == route.engine) {
            return Err(format!(
                "a route names the engine '{}', which does not exist",
                route.engine
            ));
        }
        for op in &route.post_ops {
            known("route.post_ops", op, &POST_OPS)?;
        }
    }
    check_engine(device, "vector", &device.vector.engine, EngineKind::Vector)
}

fn check_engine(device: &Device, unit: &str, name: &str, kind: EngineKind) -> Result<(), String> {
    match device.engines.iter().find(|e| e.name == name) {
        Some(engine) if engine.kind == kind => Ok(()),
        Some(_) => Err(format!(
            "{unit}.engine '{name}' must be an [[engine]] of the kind {unit}"
        )),
        None => Err(format!("{unit}.engine '{name}' does not exist")),
    }
}

/// A matrix unit's buffers are spaces with fixed names, which are filled through `l1`.
fn check_matrix(unit: &MatrixUnit, device: &Device) -> Result<(), String> {
    check_engine(device, "matrix", &unit.engine, EngineKind::Matrix)?;
    for (field, name, needed) in [
        ("left", &unit.left, "l0a"),
        ("right", &unit.right, "l0b"),
        ("accumulator", &unit.accumulator, "l0c"),
    ] {
        if name != needed {
            return Err(format!(
                "matrix.{field} must be \"{needed}\", not \"{name}\""
            ));
        }
    }
    for space in ["l1", "l0a", "l0b", "l0c"] {
        if device.space(space).is_none() {
            return Err(format!(
                "[matrix] needs the space '{space}', which does not exist"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_devices_load() {
        for (name, _) in BUILT_IN {
            let device = Device::named(name).unwrap();
            assert_eq!(device.name, *name);
        }
        assert!(Device::named("ascend-910b").unwrap().is_scratchpad());
        assert!(!Device::named("ascend-910b").unwrap().matrix_feeds_vector());
        assert!(
            Device::named("ascend-coupled")
                .unwrap()
                .matrix_feeds_vector()
        );
    }

    #[test]
    fn devices_are_read_as_they_were_written() {
        for (name, _) in BUILT_IN {
            let device = Device::named(name).unwrap();
            let text = device.to_toml().unwrap();
            assert_eq!(parse(name, &text).unwrap(), device, "{text}");
        }
    }

    #[test]
    fn the_coupled_device_differs_by_its_route_only() {
        let separated = Device::named("ascend-910b").unwrap();
        let mut coupled = Device::named("ascend-coupled").unwrap();
        coupled
            .routes
            .retain(|r| !(r.from == "l0c" && r.to == "ub"));
        coupled.name = separated.name.clone();
        coupled.description = separated.description.clone();
        assert_eq!(coupled, separated);
    }

    #[test]
    fn faults_are_named() {
        let text = BUILT_IN[0].1;
        let fault = |from: &str, to: &str| {
            assert!(text.contains(from));
            parse("t", &text.replace(from, to)).unwrap_err().to_string()
        };
        assert_eq!(
            fault("version = 1", "version = 9"),
            "device file t: version 9 is not 1"
        );
        assert!(
            fault("cores = 2", "cores = 0")
                .contains("cores must be a whole number from 1 to 65536, not 0")
        );
        let unknown = fault("cores = 2", "kores = 2");
        assert!(unknown.contains(": unknown field `kores`"), "{unknown}");
        assert!(unknown.starts_with("device file t: line "), "{unknown}");
        assert!(!unknown.contains('|'), "{unknown}");
        assert!(
            fault(
                "engine = \"vector\"\n\n[[route]]",
                "engine = \"x\"\n\n[[route]]"
            )
            .contains("'x'")
        );
        assert!(
            fault("way_bytes = 4096", "way_bytes = 4097").contains("way_bytes must be a power")
        );
        assert!(
            fault("exposed = 0.15", "exposed = 1.5")
                .contains("exposed must be a number from 0 to 1")
        );
        assert!(fault("ways = 8", "ways = 0").contains("ways must be"));
        assert!(fault("align = 64", "align = 48").contains("power of two"));
        let chip = BUILT_IN[1].1;
        for (from, to, expected) in [
            (
                "accumulator = \"l0c\"",
                "accumulator = \"gm\"",
                "matrix.accumulator must be \"l0c\", not \"gm\"",
            ),
            (
                "matrix = 1 }",
                "matrix = 0 }",
                "core_group.matrix must be at least 1 with [matrix]",
            ),
            (
                "name = \"l1\"",
                "name = \"l2\"",
                "space.name has no 'l2': there are gm, ub,",
            ),
            (
                "name = \"l0a\"",
                "name = \"ub\"",
                "two [[space]] called 'ub'",
            ),
            ("\"cast\", \"scale\"", "\"gelu\"", "no 'gelu'"),
            (
                "\nexp = 4.0",
                "\nexpo = 4.0",
                "vector.functions has no 'expo'",
            ),
            ("\"i1\"]", "\"i2\"]", "vector.elements has no 'i2'"),
            (
                "kind = \"matrix\"",
                "kind = \"vector\"",
                "of the kind matrix",
            ),
            (
                "to = \"l0a\"",
                "to = \"l0b\"",
                "two routes from 'l1' to 'l0b'",
            ),
        ] {
            assert!(chip.contains(from), "{from}");
            let fault = parse("t", &chip.replace(from, to)).unwrap_err().to_string();
            assert!(fault.contains(expected), "{fault}");
        }
        let folder = Device::load(env!("CARGO_MANIFEST_DIR"))
            .unwrap_err()
            .to_string();
        assert!(folder.ends_with("is a directory"), "{folder}");
        let unknown = Device::load("nowhere").unwrap_err().to_string();
        assert!(
            unknown.contains("host, ascend-910b, ascend-coupled"),
            "{unknown}"
        );
    }
}
