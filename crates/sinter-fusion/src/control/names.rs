//! Patterns of names, and the names nearest to one that matches nothing.

use std::collections::BTreeSet;

use sinter_ops::{Graph, Mark};

use crate::error::FusionError;

/// Names that are shown where a pattern matches none.
const SHOWN: usize = 3;

/// A pattern, ready to be matched.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    text: String,
    glob: glob::Pattern,
}

impl Selector {
    pub(crate) fn matches(&self, name: &str) -> bool {
        self.text == name || self.glob.matches(name)
    }
}

/// The selector of a pattern.
///
/// # Errors
/// When it is no glob.
pub(crate) fn selector(pattern: &str) -> Result<Selector, FusionError> {
    let glob = glob::Pattern::new(pattern).map_err(|e| FusionError::Pattern {
        pattern: pattern.to_owned(),
        cause: e.msg.to_owned(),
    })?;
    Ok(Selector {
        text: pattern.to_owned(),
        glob,
    })
}

/// The names of ONNX nodes in a graph, in its order.
pub(super) fn of(graph: &Graph) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let all = graph.nodes.iter().flat_map(|n| &n.origins);
    all.filter(|n| !Mark::is(n))
        .map(String::as_str)
        .filter(|n| seen.insert(*n))
        .collect()
}

/// The names that are nearest to a pattern, as a part of a message.
pub(crate) fn nearest<'a>(pattern: &str, names: impl Iterator<Item = &'a str>) -> String {
    let bare: String = pattern.chars().filter(|c| !"*?".contains(*c)).collect();
    let mut all: Vec<_> = names
        .map(|n| (strsim::normalized_damerau_levenshtein(&bare, n), n))
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let shown: Vec<_> = all
        .iter()
        .take(SHOWN)
        .map(|(_, n)| format!("'{n}'"))
        .collect();
    match shown.as_slice() {
        [] => "there are none".to_owned(),
        [one] => format!("the nearest is {one}"),
        several => format!("the nearest are {}", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_and_names_with_brackets() {
        let matches = |pattern: &str, name: &str| selector(pattern).unwrap().matches(name);
        assert!(matches("/layer1/*", "/layer1/0/conv/Conv"));
        assert!(matches("conv?", "conv1") && !matches("conv?", "conv12"));
        assert!(matches("x[0]", "x[0]") && matches("x[0]", "x0"));
        assert!(selector("a***").is_err());
    }

    #[test]
    fn the_nearest_names_come_first() {
        let names = ["conv1", "relu1", "conv2", "pool"];
        let text = nearest("conv11", names.into_iter());
        assert_eq!(text, "the nearest are 'conv1', 'conv2', 'pool'");
        assert_eq!(nearest("x", std::iter::empty()), "there are none");
    }
}
