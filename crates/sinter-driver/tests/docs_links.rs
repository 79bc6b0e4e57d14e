//! Links of the documentation lead somewhere, and those of the book stay in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A page's text with what it includes, as mdBook puts it together.
fn page(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let included = line.trim().strip_prefix("{{#include ");
        match included.and_then(|l| l.strip_suffix("}}")) {
            Some(file) => out += &page(&path.with_file_name(file.trim())),
            None => out += line,
        }
    }
    out
}

/// Lines outside of fenced code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// What `[..](..)` names, outside of code.
fn links(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for line in prose(text) {
        let plain: String = line.split('`').step_by(2).collect();
        let targets = plain
            .split("](")
            .skip(1)
            .filter_map(|r| r.split(')').next());
        out.extend(targets.map(str::to_owned));
    }
    out.retain(|l| !l.starts_with("http://") && !l.starts_with("https://"));
    out
}

/// Anchors of a page's headings, as mdBook and code hosts make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|l| l.starts_with('#'));
    let slug = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .map(|c| if c.is_whitespace() { '-' } else { c });
        kept.filter(|c| c.is_alphanumeric() || "-_".contains(*c))
            .collect()
    };
    headings.map(slug).collect()
}

/// Pages of the book with their texts.
fn book() -> BTreeMap<PathBuf, String> {
    let docs = root().join("docs");
    let pages = fs::read_dir(&docs)
        .expect("docs")
        .map(|e| e.expect("an entry").path());
    let pages = pages.filter(|p| p.extension().is_some_and(|e| e == "md"));
    pages
        .map(|p| (p.file_name().expect("a name").into(), page(&p)))
        .collect()
}

#[test]
fn links_of_the_book_stay_in_it() {
    let book = book();
    let mut bad = Vec::new();
    for (name, text) in &book {
        for link in links(text) {
            let (file, anchor) = link
                .split_once('#')
                .map_or((&*link, None), |(f, a)| (f, Some(a)));
            let target = if file.is_empty() {
                name
            } else {
                Path::new(file)
            };
            let fault = match (book.get(target), anchor) {
                (Some(text), Some(anchor)) if !anchors(text).contains(anchor) => {
                    "has no such heading"
                }
                (Some(_), _) => continue,
                (None, _) if target.starts_with("..") => "leaves the book",
                (None, None) if root().join("docs").join(target).is_file() => continue,
                (None, _) => "is not there",
            };
            bad.push(format!("{}: {link} {fault}", name.display()));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn every_page_is_in_the_summary() {
    let mut book = book();
    let summary = book.remove(Path::new("SUMMARY.md")).expect("SUMMARY.md");
    let listed: BTreeSet<PathBuf> = links(&summary).into_iter().map(PathBuf::from).collect();
    let pages: BTreeSet<PathBuf> = book.into_keys().collect();
    assert_eq!(listed, pages);
}

#[test]
fn links_of_the_other_pages_are_files() {
    let root = root();
    let mut pages: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .map(|p| root.join(p))
        .into();
    for dialect in fs::read_dir(root.join("dialects")).expect("dialects") {
        let rationale = dialect.expect("an entry").path().join("Rationale.md");
        pages.extend(rationale.exists().then_some(rationale));
    }
    for path in pages {
        for link in links(&page(&path)) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = path.with_file_name(file);
            let there = file.is_empty() || target.exists();
            assert!(there, "{}: {link} is not there", path.display());
            if !anchor.is_empty() {
                let target = if file.is_empty() { &path } else { &target };
                let known = anchors(&page(target)).contains(anchor);
                assert!(known, "{}: {link} has no such heading", path.display());
            }
        }
    }
}

#[test]
fn the_reader_sees_links_and_headings() {
    let text = "# A `b` title\n[x](a.md#b) `[y](code.md)` [z](https://z)\n```\n# no\n[c](d)\n```\n";
    assert_eq!(links(text), ["a.md#b"]);
    assert_eq!(anchors(text), BTreeSet::from(["a-b-title".to_owned()]));
}
