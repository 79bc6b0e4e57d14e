//! The working tree: new files, and lines put at their place in files that exist. Nothing is written
//! before all of it is known to fit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

/// A working tree with what will be written to it.
pub(crate) struct Tree {
    root: PathBuf,
    changed: BTreeMap<PathBuf, String>,
}

impl Tree {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            root,
            changed: BTreeMap::new(),
        }
    }

    /// A path within the tree.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    /// The text of a file.
    pub(crate) fn read(&self, path: &str) -> Result<String> {
        let path = self.path(path);
        match self.changed.get(&path) {
            Some(text) => Ok(text.clone()),
            None => fs::read_to_string(&path).with_context(|| {
                format!(
                    "cannot read {}: run this in a clone of Sinter",
                    path.display()
                )
            }),
        }
    }

    /// Adds a file that must not exist yet.
    pub(crate) fn create(&mut self, path: impl AsRef<Path>, text: impl Into<String>) -> Result<()> {
        let path = self.path(path);
        ensure!(!path.exists(), "{} exists already", path.display());
        self.changed.insert(path, text.into());
        Ok(())
    }

    /// Gives a file another text.
    pub(crate) fn change(&mut self, path: &str, text: impl Into<String>) {
        self.changed.insert(self.path(path), text.into());
    }

    /// Puts text before the last line of a file that is `anchor`.
    pub(crate) fn insert_before(&mut self, path: &str, anchor: &str, text: &str) -> Result<()> {
        let old = self.read(path)?;
        let Some(at) = line_starts(&old)
            .filter(|&at| line_at(&old, at) == anchor)
            .last()
        else {
            bail!("{path} has no line '{anchor}'");
        };
        self.changed.insert(
            self.path(path),
            format!("{}{text}{}", &old[..at], &old[at..]),
        );
        Ok(())
    }

    /// Puts a line among the lines with a prefix, which are sorted.
    pub(crate) fn insert_sorted(&mut self, path: &str, prefix: &str, line: &str) -> Result<()> {
        let old = self.read(path)?;
        let listed: Vec<_> = line_starts(&old)
            .filter(|&at| line_at(&old, at).starts_with(prefix))
            .collect();
        let Some(&last) = listed.last() else {
            bail!("{path} has no line that starts with '{prefix}'");
        };
        let after = last + line_at(&old, last).len() + 1;
        let at = listed
            .into_iter()
            .find(|&at| line_at(&old, at) > line)
            .unwrap_or(after);
        self.changed.insert(
            self.path(path),
            format!("{}{line}\n{}", &old[..at], &old[at..]),
        );
        Ok(())
    }

    /// Writes everything; the paths, sorted.
    pub(crate) fn write(self) -> Result<Vec<String>> {
        for (path, text) in &self.changed {
            let write = || {
                fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
                fs::write(path, text)
            };
            write().with_context(|| format!("cannot write {}", path.display()))?;
        }
        let shown = |path: &PathBuf| {
            path.strip_prefix(&self.root)
                .unwrap_or(path)
                .display()
                .to_string()
        };
        Ok(self.changed.keys().map(shown).collect())
    }
}

fn line_starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    let after = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0)
        .chain(after)
        .filter(|&at| at < text.len())
}

fn line_at(text: &str, start: usize) -> &str {
    text[start..].lines().next().unwrap_or_default()
}
