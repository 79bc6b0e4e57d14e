//! The crate map in the README is true: every crate is in it, and none depends on what it may not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

type Dependencies = BTreeMap<String, BTreeSet<String>>;

/// Direct normal and build dependencies of every package in the lock file's graph.
fn dependencies(root: &Path) -> Dependencies {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        // Other platforms' packages need not be on this machine.
        .arg("--filter-platform")
        .arg(format!("{}-unknown-linux-gnu", std::env::consts::ARCH))
        .current_dir(root)
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut names = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("packages") {
        names.insert(
            package["id"].as_str(),
            package["name"].as_str().expect("a name"),
        );
    }
    let mut graph = Dependencies::new();
    for node in metadata["resolve"]["nodes"].as_array().expect("nodes") {
        let entry = graph
            .entry(names[&node["id"].as_str()].to_owned())
            .or_default();
        for dependency in node["deps"].as_array().expect("deps") {
            let kinds = dependency["dep_kinds"].as_array().expect("kinds");
            if kinds.iter().any(|k| k["kind"].as_str() != Some("dev")) {
                entry.insert(names[&dependency["pkg"].as_str()].to_owned());
            }
        }
    }
    graph
}

fn reachable(graph: &Dependencies, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(name) = open.pop() {
        for next in graph.get(&name).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

/// Crate and what it may not depend on, from the README's table.
fn crate_map(readme: &str) -> BTreeMap<String, Vec<String>> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `sinter-")?.split('|').map(str::trim);
        let name = format!("sinter-{}", cells.next()?.trim_matches('`'));
        let forbidden = cells.nth(1)?.split(", ").map(str::to_owned).collect();
        Some((name, forbidden))
    };
    readme.lines().filter_map(row).collect()
}

#[test]
fn no_crate_depends_on_what_the_readme_forbids() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let map = crate_map(&readme);
    let graph = dependencies(&root);
    for entry in std::fs::read_dir(root.join("crates")).expect("crates") {
        let name = entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("UTF-8");
        assert!(
            map.contains_key(&name),
            "README.md's crate map lacks {name}"
        );
    }
    for (name, forbidden) in map {
        let uses = reachable(&graph, &name);
        assert!(
            graph.contains_key(&name),
            "README.md's crate map names {name}, which is gone"
        );
        let bad: Vec<_> = forbidden.iter().filter(|f| uses.contains(*f)).collect();
        assert!(bad.is_empty(), "{name} depends on {bad:?}");
    }
}
