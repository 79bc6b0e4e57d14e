//! Names in the cases that files need.

use std::str::FromStr;

/// A name: lower-case words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(Vec<String>);

impl FromStr for Name {
    type Err = String;

    /// Words are joined by `-` or `_`, start with a letter and hold letters and digits.
    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<_> = text.split(['-', '_']).map(str::to_owned).collect();
        let is_word = |w: &String| {
            w.chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        let starts = text.starts_with(|c: char| c.is_ascii_lowercase());
        match starts && words.iter().all(|w| !w.is_empty() && is_word(w)) {
            true => Ok(Self(words)),
            false => Err(format!(
                "'{text}' is not lower-case words joined by '-' or '_'"
            )),
        }
    }
}

impl Name {
    /// `graph-simplify`
    pub(crate) fn kebab(&self) -> String {
        self.0.join("-")
    }

    /// `graph_simplify`
    pub(crate) fn snake(&self) -> String {
        self.0.join("_")
    }

    /// `GraphSimplify`
    pub(crate) fn camel(&self) -> String {
        let capital = |word: &String| format!("{}{}", word[..1].to_uppercase(), &word[1..]);
        self.0.iter().map(capital).collect()
    }

    /// `graph simplify`
    pub(crate) fn words(&self) -> String {
        self.0.join(" ")
    }

    /// A template with `@kebab@`, `@snake@`, `@camel@` and `@words@` filled in.
    pub(crate) fn fill(&self, template: &str) -> String {
        template
            .replace("@kebab@", &self.kebab())
            .replace("@snake@", &self.snake())
            .replace("@camel@", &self.camel())
            .replace("@words@", &self.words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        let name: Name = "leaky_relu".parse().expect("a name");
        assert_eq!(name, "leaky-relu".parse().expect("a name"));
        assert_eq!(
            name.fill("@kebab@ @snake@ @camel@ @words@"),
            "leaky-relu leaky_relu LeakyRelu leaky relu"
        );
    }

    #[test]
    fn what_is_no_name() {
        for text in ["", "Relu", "a--b", "-a", "2d", "a b", "über"] {
            assert!(text.parse::<Name>().is_err(), "{text}");
        }
    }
}
