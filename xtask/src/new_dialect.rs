//! `new-dialect`: a dialect as a crate of its own, with an operator, tools and a plugin.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::name::Name;
use crate::tree::Tree;

/// Files of the crate with their templates.
const FILES: [(&str, &str); 15] = [
    (
        "Cargo.toml",
        include_str!("../templates/dialect/Cargo.toml"),
    ),
    (
        "Rationale.md",
        include_str!("../templates/dialect/Rationale.md"),
    ),
    ("build.rs", include_str!("../templates/dialect/build.rs")),
    (
        "dialect/@camel@Ops.td",
        include_str!("../templates/dialect/Ops.td"),
    ),
    ("src/lib.rs", include_str!("../templates/dialect/lib.rs")),
    (
        "src/first.rs",
        include_str!("../templates/dialect/first.rs"),
    ),
    (
        "src/bin/@kebab@-opt.rs",
        include_str!("../templates/dialect/opt.rs"),
    ),
    (
        "src/bin/@kebab@-sinter.rs",
        include_str!("../templates/dialect/sinter.rs"),
    ),
    (
        "tests/operators.rs",
        include_str!("../templates/dialect/operators.rs"),
    ),
    (
        "lit/lit.cfg.py",
        include_str!("../templates/dialect/lit.cfg.py"),
    ),
    (
        "lit/ops.mlir",
        include_str!("../templates/dialect/ops.mlir"),
    ),
    (
        "lit/invalid.mlir",
        include_str!("../templates/dialect/invalid.mlir"),
    ),
    (
        "lit/canonicalize.mlir",
        include_str!("../templates/dialect/canonicalize.mlir"),
    ),
    (
        "lit/inline.mlir",
        include_str!("../templates/dialect/inline.mlir"),
    ),
    (
        "lit/effects.mlir",
        include_str!("../templates/dialect/effects.mlir"),
    ),
];

pub(crate) fn run(tree: &mut Tree, name: &Name, path: &Path) -> Result<String> {
    ensure!(
        !["graph", "tloop", "npu"].contains(&name.snake().as_str()),
        "'{}' is one of Sinter's own dialects",
        name.snake()
    );
    let root = tree.path(".");
    let root = root
        .canonicalize()
        .with_context(|| format!("cannot find {}", root.display()))?;
    let config = tree.read(".cargo/config.toml")?;
    let folder = std::path::absolute(path)?;
    for (file, template) in FILES {
        let text = name
            .fill(template)
            .replace("@sinter@", &root.display().to_string());
        tree.create(folder.join(name.fill(file)), text)?;
    }
    // A crate within the clone finds the clone's; with both, cargo would join their flags, and compile all anew.
    if !folder.starts_with(&root) {
        tree.create(folder.join(".cargo/config.toml"), config)?;
    }
    // The versions of other crates with which Sinter is tested; cargo drops what is not needed.
    let lock = tree.read("Cargo.lock")?;
    tree.create(folder.join("Cargo.lock"), lock)?;
    let folder = path.display();
    Ok(format!(
        "cargo test --release in {folder}, and fill in src/first.rs and dialect/{}Ops.td; after cargo build --release, \
         {}/tools/sinter-lit/sinter-lit {folder}/lit",
        name.camel(),
        root.display()
    ))
}
