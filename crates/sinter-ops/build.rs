//! Lists the operators: every file of `src/ops` is a module, and every type in it that implements
//! `Operator` is a variant of `Op`, described by its own documentation. So an operator is one file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("src/ops");
    println!("cargo::rerun-if-changed={}", folder.display());
    let (mut modules, mut variants) = (String::new(), String::new());
    for (module, path) in files(&folder)? {
        let _ = writeln!(modules, "#[path = {path:?}]\npub mod {module};");
        for (operator, summary) in operators(&fs::read_to_string(&path)?) {
            let _ = writeln!(
                variants,
                "    #[doc = {summary:?}]\n    {operator}({module}::{operator}),"
            );
        }
    }
    let text = format!(
        "{modules}\noperators! {{\n{variants}    #[doc = \"An operator of another dialect.\"]\n    \
         Custom(crate::custom::Custom),\n}}\n"
    );
    fs::write(Path::new(&variable("OUT_DIR")?).join("ops.rs"), text)
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(|error| io::Error::other(format!("{name}: {error}")))
}

/// Modules with their files, by name: `NAME.rs` or `NAME/mod.rs`.
fn files(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_stem().and_then(|n| n.to_str()) else {
            continue;
        };
        let file = if path.is_dir() {
            path.join("mod.rs")
        } else {
            path.clone()
        };
        if name != "mod" && file.extension().is_some_and(|e| e == "rs") {
            found.push((name.to_owned(), file));
        }
    }
    found.sort();
    Ok(found)
}

/// Types of a file that implement `Operator`, with the first paragraph of their documentation.
fn operators(text: &str) -> Vec<(&str, String)> {
    let implemented = text.lines().filter_map(|line| {
        line.strip_prefix("impl Operator for ")?
            .strip_suffix(" {")
            .filter(|name| name.chars().all(char::is_alphanumeric))
    });
    implemented
        .map(|name| (name, summary(text, name)))
        .collect()
}

/// The first paragraph of a type's documentation.
fn summary(text: &str, name: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let declared = lines.iter().position(|line| {
        let rest = line.strip_prefix("pub struct ").unwrap_or_default();
        rest.strip_prefix(name)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    let above = lines[..declared.unwrap_or(0)].iter().rev();
    let mut documented: Vec<&str> = above
        .skip_while(|line| !line.starts_with("///"))
        .map_while(|line| line.strip_prefix("///"))
        .map(str::trim)
        .collect();
    documented.reverse();
    let paragraph = documented.split(|line| line.is_empty()).next();
    paragraph.unwrap_or_default().join(" ")
}
