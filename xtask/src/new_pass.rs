//! `new-pass`: a pass within a dialect, or a conversion.

use anyhow::Result;

use crate::name::Name;
use crate::tree::Tree;

pub(crate) fn run(tree: &mut Tree, name: &Name) -> Result<String> {
    let (snake, camel, kebab) = (name.snake(), name.camel(), name.kebab());
    let (package, folder, template) = match kebab.starts_with("convert-") {
        true => (
            "sinter-conversion",
            "Conversion",
            include_str!("../templates/conversion.rs"),
        ),
        false => (
            "sinter-transforms",
            "Transforms",
            include_str!("../templates/pass.rs"),
        ),
    };
    let list = format!("crates/{package}/src/lib.rs");
    let file = format!("crates/{package}/src/{snake}.rs");
    tree.create(&file, name.fill(template))?;
    tree.insert_sorted(&list, "pub mod ", &format!("pub mod {snake};"))?;
    tree.insert_before(
        &list,
        "    ]",
        &format!("        Entry::new({snake}::{camel}),\n"),
    )?;
    let lit = format!("lit-tests/{folder}/{kebab}");
    tree.create(
        format!("{lit}/basic.mlir"),
        name.fill(include_str!("../templates/basic.mlir")),
    )?;
    Ok(format!(
        "cargo build --release, and fill in {file} until scripts/lit {lit} passes; scripts/reference writes its documentation"
    ))
}
