//! Rules in text, read at run time.
//!
//! ```text
//! # Comments, and lines that continue a rule when they are indented.
//! double [exact]: (mul ?x 2.0) => (add ?x ?x)
//! untranspose [exact]: (transpose :perm ?q (transpose :perm ?p ?x))
//!     => (transpose :perm (compose ?p ?q) ?x)
//! fold [rounding]: (mul (conv :strides [1,1] :pads [0,0,0,0] :dilations [1,1] :groups 1 ?x ?w) 2.0)
//!     => (conv :strides [1,1] :pads [0,0,0,0] :dilations [1,1] :groups 1 ?x (mul ?w 2.0))
//!     where ?x: nxcxhxw, ?w: oxcx3x3
//! ```
//!
//! A rule has a name, a numerics class, and two patterns. `?x` is any value; a number is a constant all
//! of whose elements it is; `:key value` is an attribute, whose value may be a variable too, or on the
//! right a [function](Function) of some. `where` limits a rule to shapes of operands, or values of
//! attributes; a letter is any number, the same wherever it stands. Each rule is checked on random
//! operands before it is used, and refused with a counterexample when both sides differ by more than
//! its class allows.

mod attribute;
mod check;
mod numbers;
mod operands;
mod pattern;
mod pins;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sinter_loops::types::ElementType;
use sinter_ops::Operator;

use super::{Expr, View};
use crate::egraph::Term;
use crate::error::FusionError;
use crate::options::Numerics;
use pattern::{Bindings, Pattern};
use pins::Pins;

pub use attribute::Function;

/// A rule that was written as text, checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TextRule {
    source: String,
    name: String,
    numerics: Numerics,
    left: Pattern,
    right: Pattern,
    /// What the rule is limited to.
    pins: Pins,
    /// The element types of operands in which the check found the rule right; none unchecked.
    elements: Vec<ElementType>,
}

/// The rules of a file.
///
/// # Errors
/// [`FusionError::TextRule`] when it cannot be read, and as [`parse_rules`].
pub fn load_rules(path: &Path) -> Result<Vec<TextRule>, FusionError> {
    let file = path.display().to_string();
    let text = sinter_io::read_text(path).map_err(|e| FusionError::TextRule {
        place: file.clone(),
        cause: e.to_string(),
    })?;
    parse_rules(&file, &text)
}

/// The rules of a file's text; `file` is its name in messages.
///
/// # Errors
/// [`FusionError::TextRule`] where a rule cannot be read, has the name of another, or is wrong.
pub fn parse_rules(file: &str, text: &str) -> Result<Vec<TextRule>, FusionError> {
    let own = super::catalogue();
    let mut names: BTreeSet<String> = own.iter().map(|r| r.name.to_owned()).collect();
    let mut out = Vec::new();
    for (line, source) in entries(text) {
        let fault = |cause: String| FusionError::TextRule {
            place: format!("{file}:{line}"),
            cause,
        };
        let mut rule = TextRule::parse(&source).map_err(fault)?;
        if !names.insert(rule.name.clone()) {
            return Err(fault(format!("another rule is called '{}'", rule.name)));
        }
        rule.elements = rule.check().map_err(fault)?;
        out.push(rule);
    }
    Ok(out)
}

/// The rules of a text, each on one line, with the number of its first.
fn entries(text: &str) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line
            .split_once('#')
            .map_or(line, |(code, _)| code)
            .trim_end();
        if line.trim().is_empty() {
            continue;
        }
        match out.last_mut().filter(|_| line.starts_with([' ', '\t'])) {
            Some((_, entry)) => {
                entry.push(' ');
                entry.push_str(line.trim());
            }
            None => out.push((number + 1, line.trim().to_owned())),
        }
    }
    out
}

impl TextRule {
    /// The rule that a text says, unchecked.
    fn parse(source: &str) -> Result<Self, String> {
        let form = "a rule is 'NAME [CLASS]: PATTERN => PATTERN', with 'where ?x: 2x3' behind it if need be";
        let (head, body) = source.split_once(':').ok_or(form)?;
        let (name, class) = head.split_once('[').ok_or(form)?;
        let name = name.trim();
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || !name.chars().all(kebab) {
            return Err(format!(
                "'{name}' is no name of a rule: lower case, digits and '-'"
            ));
        }
        let numerics = class.trim().trim_end_matches(']').trim().parse()?;
        let (body, pins) = body.split_once(" where ").unwrap_or((body, ""));
        let (left, right) = body.split_once("=>").ok_or(form)?;
        let (mut left, mut right) = (Pattern::parse(left.trim())?, Pattern::parse(right.trim())?);
        if !matches!(left, Pattern::Op(_)) {
            return Err("the left side is no operator".to_owned());
        }
        let (known, used) = (left.variables(), right.variables());
        if let Some(free) = used.difference(&known).next() {
            return Err(format!("'{free}' is not on the left side"));
        }
        if left.calls() {
            return Err("the left side computes no attributes".to_owned());
        }
        let pins = Pins::read(pins, &mut left, &mut right)?;
        Ok(Self {
            source: source.to_owned(),
            name: name.to_owned(),
            numerics,
            left,
            right,
            pins,
            elements: Vec::new(),
        })
    }

    /// Name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How results may differ.
    pub fn numerics(&self) -> Numerics {
        self.numerics
    }

    /// Expressions equal to a term.
    pub(super) fn find(&self, view: &View<'_>, term: &Term) -> Vec<Expr> {
        let (Term::Apply(op, operands), Pattern::Op(left)) = (term, &self.left) else {
            return vec![];
        };
        let types: Vec<_> = operands.iter().map(|&o| view.ty(o).clone()).collect();
        let Some(ty) = op.infer(&types).ok().and_then(|t| t.into_iter().next()) else {
            return vec![];
        };
        let found = left.matches(view, op, operands, &Bindings::default());
        found
            .iter()
            .filter(|b| b.have_elements(view) && self.pins.hold(view, b))
            .filter_map(|b| {
                let element = b.element(view, ty.element)?;
                let checked = self.elements.contains(&element);
                checked.then(|| self.right.build(b, element)).flatten()
            })
            .filter(|expr| pattern::type_of(view, expr).as_ref() == Some(&ty))
            .collect()
    }
}

impl fmt::Display for TextRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl From<TextRule> for String {
    fn from(rule: TextRule) -> Self {
        rule.source
    }
}

impl TryFrom<String> for TextRule {
    type Error = String;
    fn try_from(source: String) -> Result<Self, String> {
        let mut rule = Self::parse(&source)?;
        rule.elements = rule.check()?;
        Ok(rule)
    }
}
