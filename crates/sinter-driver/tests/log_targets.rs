//! What `--log` may name is what logs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use sinter_driver::log::{SPANS, TARGETS};

const EVENTS: [&str; 5] = ["trace!", "debug!", "info!", "warn!", "error!"];

/// The module of a source file.
fn module(krate: &str, file: &Path, source: &Path) -> String {
    let path = file
        .strip_prefix(source)
        .expect("inside")
        .with_extension("");
    let parts = path.iter().map(|p| p.to_str().expect("UTF-8"));
    let parts = parts.filter(|p| *p != "lib" && *p != "mod");
    let all: Vec<_> = std::iter::once(krate).chain(parts).collect();
    all.join("::")
}

fn visit(folder: &Path, of: &mut impl FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            visit(&path, of);
        } else if path.extension().is_some_and(|e| e == "rs") {
            of(&path, &fs::read_to_string(&path).expect("text"));
        }
    }
}

/// Names in quotes right behind each place of a word.
fn quoted(text: &str, after: &str) -> Vec<String> {
    let rest = text.split(after).skip(1);
    rest.filter_map(|r| r.split('"').nth(1))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_target_and_span_is_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut targets, mut spans) = (BTreeSet::new(), BTreeSet::new());
    for entry in fs::read_dir(&root).expect("crates") {
        let folder = entry.expect("an entry").path();
        let krate = folder.file_name().and_then(|n| n.to_str()).expect("a name");
        let (krate, source) = (krate.replace('-', "_"), folder.join("src"));
        visit(&source, &mut |file, text| {
            let logs = EVENTS
                .iter()
                .any(|e| text.contains(&format!("tracing::{e}")));
            let spanned = text.contains("_span!(");
            if logs || (spanned && !text.contains("_span!(target:")) {
                targets.insert(module(&krate, file, &source));
            }
            targets.extend(quoted(text, "_span!(target: "));
            for (n, text) in text.split("_span!(").enumerate().filter(|(n, _)| *n > 0) {
                let named = text.strip_prefix("target: ").map_or(0, |_| 1);
                let name = text.split('"').nth(1 + 2 * named);
                spans.insert(name.unwrap_or_else(|| panic!("span {n}")).to_owned());
            }
        });
    }
    let known = |list: &[&str]| {
        list.iter()
            .map(|t| (*t).to_owned())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(known(TARGETS), targets);
    assert_eq!(known(SPANS), spans);
}
