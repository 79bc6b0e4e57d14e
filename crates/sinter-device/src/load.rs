//! Reading and checking device files.

use std::path::{Path, PathBuf};

use crate::device::{Device, FORMAT_VERSION, NativeOr};

/// Built-in devices: name and file.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("host", include_str!("../../../devices/host.toml")),
    (
        "ascend-910b",
        include_str!("../../../devices/ascend-910b.toml"),
    ),
    (
        "ascend-coupled",
        include_str!("../../../devices/ascend-coupled.toml"),
    ),
];

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
    let device: Device = toml::from_str(text).map_err(|e| DeviceError::Parse {
        name: name.to_owned(),
        message: in_one_line(&e, text),
    })?;
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
    if device.cores == 0 {
        return Err("cores must be at least 1".into());
    }
    for (field, value) in [
        ("bytes", device.vector.bytes),
        ("registers", device.vector.registers),
    ] {
        if let NativeOr::Fixed(n) = value
            && n < 4
        {
            return Err(format!(
                "vector.{field} must be at least 4 or \"native\", not {n}"
            ));
        }
    }
    for (field, rate) in [
        ("vector.fma_gflops", device.vector.fma_gflops),
        ("vector.scalar_gops", device.vector.scalar_gops),
        ("vector.loads_per_fma", device.vector.loads_per_fma),
    ] {
        if rate.is_nan() || rate <= 0.0 {
            return Err(format!("{field} must be positive, not {rate}"));
        }
    }
    if !(0.0..=1.0).contains(&device.vector.exposed) {
        let exposed = device.vector.exposed;
        return Err(format!("vector.exposed must be 0 to 1, not {exposed}"));
    }
    if let Some(cache) = device.first_cache
        && (cache.ways < 1 || cache.way_bytes < 1 || cache.way_bytes.count_ones() != 1)
    {
        return Err("first_cache must have ways of a power of two of bytes, at least one".into());
    }
    check_spaces(device)?;
    check_routes(device)
}

fn check_spaces(device: &Device) -> Result<(), String> {
    for needed in ["gm", "ub"] {
        if device.space(needed).is_none() {
            return Err(format!("there is no [[space]] called '{needed}'"));
        }
    }
    for space in &device.spaces {
        if !space.align.is_power_of_two() {
            return Err(format!("align of '{}' must be a power of two", space.name));
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
        if space
            .levels
            .iter()
            .any(|l| l.gbps.is_nan() || l.gbps <= 0.0 || l.gbps_all < l.gbps)
        {
            return Err(format!(
                "rates of '{}' must be positive, gbps_all at least gbps",
                space.name
            ));
        }
    }
    Ok(())
}

fn check_routes(device: &Device) -> Result<(), String> {
    let engine = |name: &str| device.engines.iter().any(|e| e.name == name);
    for route in &device.routes {
        for space in [&route.from, &route.to] {
            if device.space(space).is_none() {
                return Err(format!(
                    "a route names the space '{space}', which does not exist"
                ));
            }
        }
        if !engine(&route.engine) {
            return Err(format!(
                "a route names the engine '{}', which does not exist",
                route.engine
            ));
        }
    }
    if !engine(&device.vector.engine) {
        return Err(format!(
            "vector.engine '{}' does not exist",
            device.vector.engine
        ));
    }
    if let Some(unit) = &device.matrix {
        for space in [&unit.left, &unit.right, &unit.accumulator] {
            if device.space(space).is_none() {
                return Err(format!(
                    "[matrix] names the space '{space}', which does not exist"
                ));
            }
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
        assert!(fault("cores = 2", "cores = 0").contains("cores must be at least 1"));
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
        assert!(fault("way_bytes = 4096", "way_bytes = 4097").contains("first_cache must"));
        assert!(fault("exposed = 0.15", "exposed = 1.5").contains("exposed must be 0 to 1"));
        assert!(fault("ways = 8", "ways = 0").contains("first_cache must"));
        assert!(fault("align = 64", "align = 48").contains("power of two"));
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
