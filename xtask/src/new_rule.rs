//! `new-rule`: a rewrite rule of a topic.

use anyhow::{Result, ensure};

use crate::name::Name;
use crate::tree::Tree;

const RULES: &str = "crates/sinter-fusion/src/rules";

pub(crate) fn run(tree: &mut Tree, topic: &Name, name: &Name) -> Result<String> {
    let list = format!("{RULES}/mod.rs");
    let file = format!("{RULES}/{}.rs", topic.snake());
    let find = name.fill(include_str!("../templates/rule_find.rs"));
    let entry = name.fill(include_str!("../templates/rule_entry.rs"));
    if tree.path(&file).exists() {
        // The formatter writes a list of one rule without an indentation of its own.
        let old = tree.read(&file)?.replace("\n}];\n", "\n},\n];\n");
        ensure!(
            !old.contains(&format!("\"{}\"", name.kebab())),
            "{file} has a rule '{}' already",
            name.kebab()
        );
        insert_entry(tree, &file, &old, &entry, &find)?;
    } else {
        let topic_file = topic.fill(include_str!("../templates/rule_topic.rs"));
        tree.create(&file, topic_file.replace("@entry@", &entry) + &find)?;
        tree.insert_sorted(&list, "mod ", &format!("mod {};", topic.snake()))?;
        let entry = format!("    (\"{}\", {}::RULES),\n", topic.kebab(), topic.snake());
        tree.insert_before(&list, "];", &entry)?;
    }
    Ok(format!(
        "cargo test --release -p sinter-fusion --test rules, and fill in {file}: the law, the example, the rule; \
         then the table in docs/rules.md, which cargo test --release -p sinter-fusion --test docs prints"
    ))
}

/// Puts an entry at the end of the file's list, and its function right after the list.
fn insert_entry(tree: &mut Tree, file: &str, old: &str, entry: &str, find: &str) -> Result<()> {
    ensure!(
        old.lines().filter(|l| *l == "];").count() == 1,
        "{file} is not a list of rules followed by their functions"
    );
    tree.change(file, old);
    tree.insert_before(file, "];", entry)?;
    let text = tree.read(file)?;
    let after = text.split_once("\n];\n").map_or("", |(_, after)| after);
    let next = after
        .lines()
        .find(|l| !l.is_empty())
        .unwrap_or_default()
        .to_owned();
    tree.insert_before(file, &next, &format!("{}\n", find.trim_start()))
}
