//! What `where` says of a rule's variables.
//!
//! It is a part of the rule: what it says holds in the check, and wherever the rule is applied. A number
//! is itself; a letter is any number, the same wherever it stands.

use std::collections::{BTreeMap, BTreeSet};

use sinter_ops::Attr;

use super::attribute::literal;
use super::numbers::Numbers;
use super::operands::elements;
use super::pattern::{Bindings, Pattern};
use crate::rules::{Example, View};

/// Elements of an operand whose shape is given.
const MOST_ELEMENTS: i64 = 1 << 12;
/// What letters are at most in the check, the first with which operands are small enough.
const LARGEST: [i64; 4] = [6, 3, 2, 1];

/// Shapes of operands, and attributes in which letters stand. Other attributes are written into the
/// patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pins {
    shapes: Vec<(String, Vec<Extent>)>,
    attributes: Vec<(String, Form)>,
}

/// An extent, or an integer of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Number(i64),
    Letter(char),
}

/// An attribute in which letters stand.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    One(Extent),
    List(Vec<Extent>),
}

/// What letters are.
pub(super) type Letters = BTreeMap<char, i64>;

impl Pins {
    /// Reads `?x: nx3, ?p: [0,2,1]` for the sides of a rule.
    ///
    /// # Errors
    /// What is no shape or no attribute, or of a variable that the left side has not.
    pub(super) fn read(
        text: &str,
        left: &mut Pattern,
        right: &mut Pattern,
    ) -> Result<Self, String> {
        let mut out = Self::default();
        let mut seen = BTreeSet::new();
        // Lists hold commas too: a variable starts with '?'.
        let mut parts = text.split('?');
        let before = parts.next().unwrap_or_default().trim();
        if !before.is_empty() {
            return Err(format!("'{before}' of 'where' is not '?x: 2x3'"));
        }
        for part in parts {
            let part = part.trim().trim_end_matches(',');
            let (name, value) = part
                .split_once(':')
                .ok_or_else(|| format!("'?{part}' of 'where' is not '?x: 2x3'"))?;
            let (name, value) = (format!("?{}", name.trim()), value.trim());
            if !seen.insert(name.clone()) {
                return Err(format!("'where' says twice what '{name}' is"));
            }
            match (left.has_operand(&name), left.has_attribute(&name)) {
                (false, false) => {
                    return Err(format!("'{name}' of 'where' is not on the left side"));
                }
                (true, true) => {
                    return Err(format!("'{name}' is an operand and an attribute"));
                }
                (true, false) => {
                    let shape = shape(&name, value)?;
                    out.shapes.push((name, shape));
                }
                (false, true) => match Form::read(value) {
                    Some(form) => out.attributes.push((name, form)),
                    None => {
                        let values = literal(value);
                        left.fix(&name, &values);
                        right.fix(&name, &values);
                    }
                },
            }
        }
        Ok(out)
    }

    /// What letters are in one sample, so that operands are small.
    pub(super) fn letters(&self, numbers: &Numbers, random: &mut Example) -> Letters {
        let all: BTreeSet<char> = self.extents().chain(self.integers()).collect();
        let extents: BTreeSet<char> = self.extents().collect();
        let mut out = Letters::new();
        for (round, most) in LARGEST.into_iter().enumerate() {
            for &letter in &all {
                let least = i64::from(extents.contains(&letter));
                let own = numbers.extent(random).filter(|_| round == 0);
                let value = random.int(least, most);
                out.insert(letter, own.unwrap_or(value));
            }
            let small = |shape: Vec<i64>| elements(&shape).is_some_and(|n| n <= MOST_ELEMENTS);
            if self.shapes(&out).all(|(_, shape)| small(shape)) {
                break;
            }
        }
        out
    }

    /// The letters of shapes.
    fn extents(&self) -> impl Iterator<Item = char> + '_ {
        let all = self.shapes.iter().flat_map(|(_, shape)| shape);
        all.filter_map(|e| e.letter())
    }

    /// The letters of attributes.
    fn integers(&self) -> impl Iterator<Item = char> + '_ {
        let all = self.attributes.iter().flat_map(|(_, form)| form.extents());
        all.filter_map(|e| e.letter())
    }

    /// The shapes of operands.
    pub(super) fn shapes<'a>(
        &'a self,
        letters: &'a Letters,
    ) -> impl Iterator<Item = (&'a str, Vec<i64>)> {
        let of = |shape: &[Extent]| shape.iter().map(|e| e.value(letters)).collect();
        self.shapes.iter().map(move |(n, s)| (n.as_str(), of(s)))
    }

    /// The attributes in which letters stand.
    pub(super) fn attributes<'a>(
        &'a self,
        letters: &'a Letters,
    ) -> impl Iterator<Item = (&'a str, Attr)> {
        let of = |form: &Form| match form {
            Form::One(extent) => Attr::Int(extent.value(letters)),
            Form::List(list) => Attr::Ints(list.iter().map(|e| e.value(letters)).collect()),
        };
        self.attributes
            .iter()
            .map(move |(n, f)| (n.as_str(), of(f)))
    }

    /// Whether what variables stand for is what is said of them.
    pub(super) fn hold(&self, view: &View<'_>, bindings: &Bindings) -> bool {
        let mut letters = Letters::new();
        let shapes = self.shapes.iter().all(|(name, wanted)| {
            let ty = bindings.ty(view, name);
            ty.is_some_and(|ty| all_are(wanted, &ty.shape, &mut letters))
        });
        let attributes = self.attributes.iter().all(|(name, wanted)| {
            match (bindings.attributes.get(name), wanted) {
                (Some(Attr::Int(value)), Form::One(extent)) => extent.is(*value, &mut letters),
                (Some(Attr::Ints(list)), Form::List(extents)) => {
                    all_are(extents, list, &mut letters)
                }
                _ => false,
            }
        });
        shapes && attributes
    }
}

impl Extent {
    fn read(text: &str) -> Option<Self> {
        let mut chars = text.chars();
        match (text.parse(), chars.next(), chars.next()) {
            (Ok(number), ..) => Some(Self::Number(number)),
            // 'x' is between extents.
            (_, Some(c), None) if c.is_ascii_alphabetic() && !"xX".contains(c) => {
                Some(Self::Letter(c))
            }
            _ => None,
        }
    }

    fn letter(self) -> Option<char> {
        match self {
            Self::Number(_) => None,
            Self::Letter(letter) => Some(letter),
        }
    }

    /// The number, where all letters are known.
    fn value(self, letters: &Letters) -> i64 {
        match self {
            Self::Number(number) => number,
            Self::Letter(letter) => letters.get(&letter).copied().unwrap_or(1),
        }
    }

    /// Whether it may be a number; a letter is it from then on.
    fn is(self, number: i64, letters: &mut Letters) -> bool {
        match self {
            Self::Number(wanted) => wanted == number,
            Self::Letter(letter) => *letters.entry(letter).or_insert(number) == number,
        }
    }
}

impl Form {
    /// `None` for an attribute without letters.
    fn read(text: &str) -> Option<Self> {
        let form = match text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            None => Self::One(Extent::read(text)?),
            Some(list) => {
                let extents = list.split(',').map(|part| Extent::read(part.trim()));
                Self::List(extents.collect::<Option<_>>()?)
            }
        };
        let any = form.extents().iter().any(|e| e.letter().is_some());
        any.then_some(form)
    }

    fn extents(&self) -> &[Extent] {
        match self {
            Self::One(extent) => std::slice::from_ref(extent),
            Self::List(list) => list,
        }
    }
}

fn all_are(wanted: &[Extent], numbers: &[i64], letters: &mut Letters) -> bool {
    let mut pairs = wanted.iter().zip(numbers);
    wanted.len() == numbers.len() && pairs.all(|(e, &n)| e.is(n, letters))
}

/// The shape that `where` gives an operand.
fn shape(name: &str, value: &str) -> Result<Vec<Extent>, String> {
    let extents: Option<Vec<_>> = value.split('x').map(Extent::read).collect();
    let shape = extents.ok_or_else(|| {
        format!("'{value}' is no shape; write 2x3, or nx3 with a letter for any extent")
    })?;
    let numbers: Vec<i64> = shape.iter().map(|e| e.value(&Letters::new())).collect();
    if numbers.iter().any(|&e| e < 1) {
        return Err(format!(
            "'{name}: {value}' of 'where' has no elements, so nothing would be checked; extents are at least 1"
        ));
    }
    match elements(&numbers) {
        Some(count) if count <= MOST_ELEMENTS => Ok(shape),
        _ => Err(format!(
            "'{name}: {value}' of 'where' has more than {MOST_ELEMENTS} elements, too many for the check; \
             letters stand for any extent: ?x: nx3"
        )),
    }
}
