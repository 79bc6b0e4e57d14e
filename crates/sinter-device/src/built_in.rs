//! The devices that ship.

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
