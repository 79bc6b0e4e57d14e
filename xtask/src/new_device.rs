//! `new-device`: a device file that ships.

use anyhow::{Result, ensure};

use crate::name::Name;
use crate::tree::Tree;

const LIST: &str = "crates/sinter-device/src/built_in.rs";
/// Widest list of a tuple's elements that rustfmt leaves on one line.
const WIDTH: usize = 60;

pub(crate) fn run(tree: &mut Tree, name: &Name, like: &Name) -> Result<String> {
    let kebab = name.kebab();
    let model = tree.read(&format!("devices/{}.toml", like.kebab()))?;
    let file = format!("devices/{kebab}.toml");
    ensure!(
        model.contains("\nname = \""),
        "the file of {} has no name",
        like.kebab()
    );
    let mut tables = false;
    let lines = model.lines().map(|line| {
        tables |= line.starts_with('[');
        match line.split_once(" = ") {
            Some(("name", _)) if !tables => format!("name = \"{kebab}\""),
            Some(("description", _)) if !tables => "description = \"Write what it is\"".to_owned(),
            Some(("validation", _)) if !tables => "validation = \"unvalidated\"".to_owned(),
            _ => line.to_owned(),
        }
    });
    let text: Vec<_> = lines.collect();
    tree.create(&file, text.join("\n") + "\n")?;
    tree.insert_before(LIST, "];", &entry(&kebab))?;
    tree.create(
        format!("crates/sinter-device/tests/{}.rs", name.snake()),
        name.fill(include_str!("../templates/device.rs")),
    )?;
    Ok(format!(
        "cargo test --release -p sinter-device --test {}, and write each figure of {file} with its source",
        name.snake()
    ))
}

/// The entry of the list, as rustfmt writes it.
fn entry(kebab: &str) -> String {
    let (name, text) = (
        format!("\"{kebab}\""),
        format!("include_str!(\"../../../devices/{kebab}.toml\")"),
    );
    match name.len() + 2 + text.len() <= WIDTH {
        true => format!("    ({name}, {text}),\n"),
        false => format!("    (\n        {name},\n        {text},\n    ),\n"),
    }
}
