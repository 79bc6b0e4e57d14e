//! Attributes in rules in text: literals, variables, and functions of them.

use std::collections::{BTreeMap, BTreeSet};

use sinter_loops::scalar::FloatBits;
use sinter_loops::types::ElementType;
use sinter_ops::{Attr, OpError};
use symbolic_expressions::Sexp;

use super::operands::number;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AttrPattern {
    /// Any value.
    Var(String),
    /// One value, in all types that its text can have.
    Literal(Vec<Attr>),
    /// A function of some.
    Call(Function, Vec<AttrPattern>),
}

/// A function of attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `(compose ?p ?q)`: the permutation of a transpose by `?p` and then by `?q`.
    Compose,
    /// `(invert ?p)`: the permutation that undoes `?p`.
    Invert,
}

impl AttrPattern {
    pub(super) fn from_sexp(sexp: &Sexp) -> Result<Self, String> {
        match sexp {
            Sexp::String(text) if text.starts_with('?') => Ok(Self::Var(text.clone())),
            Sexp::String(text) => Ok(Self::Literal(literal(text))),
            Sexp::List(list) => {
                let [Sexp::String(name), arguments @ ..] = list.as_slice() else {
                    return Err(
                        "a computed attribute starts with the name of a function".to_owned()
                    );
                };
                let (function, count) = match name.as_str() {
                    "compose" => (Function::Compose, 2),
                    "invert" => (Function::Invert, 1),
                    _ => {
                        return Err(format!(
                            "no function is called '{name}'; use compose or invert"
                        ));
                    }
                };
                if arguments.len() != count {
                    return Err(format!("'{name}' takes {count} attributes"));
                }
                let arguments = arguments.iter().map(Self::from_sexp);
                Ok(Self::Call(function, arguments.collect::<Result<_, _>>()?))
            }
            Sexp::Empty => Err("an empty attribute".to_owned()),
        }
    }

    pub(super) fn variables(&self) -> BTreeSet<String> {
        match self {
            Self::Var(name) => BTreeSet::from([name.clone()]),
            Self::Literal(_) => BTreeSet::new(),
            Self::Call(_, arguments) => arguments.iter().flat_map(Self::variables).collect(),
        }
    }

    /// Writes values in the place of a variable.
    pub(super) fn fix(&mut self, variable: &str, values: &[Attr]) {
        match self {
            Self::Var(name) if name == variable => *self = Self::Literal(values.to_vec()),
            Self::Var(_) | Self::Literal(_) => {}
            Self::Call(_, arguments) => arguments.iter_mut().for_each(|a| a.fix(variable, values)),
        }
    }

    /// The values that it can have.
    pub(super) fn values(&self, known: &BTreeMap<String, Attr>) -> Result<Vec<Attr>, OpError> {
        let unknown = |name: &str| OpError(format!("'{name}' has no value"));
        match self {
            Self::Var(name) => Ok(vec![known.get(name).cloned().ok_or_else(|| unknown(name))?]),
            Self::Literal(values) => Ok(values.clone()),
            Self::Call(function, arguments) => {
                let lists: Result<Vec<_>, OpError> = arguments
                    .iter()
                    .map(|a| {
                        let values = a.values(known)?;
                        let list = values.into_iter().find_map(|v| match v {
                            Attr::Ints(list) => Some(list),
                            _ => None,
                        });
                        list.ok_or_else(|| {
                            OpError("a permutation is a list of integers".to_owned())
                        })
                    })
                    .collect();
                Ok(vec![Attr::Ints(function.apply(&lists?)?)])
            }
        }
    }
}

impl Function {
    fn apply(self, lists: &[Vec<i64>]) -> Result<Vec<i64>, OpError> {
        let fault = || OpError("no permutation".to_owned());
        let at = |list: &[i64], i: i64| {
            let i = usize::try_from(i).map_err(|_| fault())?;
            list.get(i).copied().ok_or_else(fault)
        };
        match self {
            Self::Compose => lists[1].iter().map(|&i| at(&lists[0], i)).collect(),
            Self::Invert => {
                let places = 0..lists[0].len() as i64;
                let place = |d: i64| lists[0].iter().position(|&p| p == d);
                places
                    .map(|d| place(d).map(|p| p as i64).ok_or_else(fault))
                    .collect()
            }
        }
    }
}

/// Every attribute that a text can mean.
pub(super) fn literal(text: &str) -> Vec<Attr> {
    let float = |t: &str| t.trim().parse().ok().map(FloatBits::new);
    if let Some(list) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let parts: Vec<_> = list.split(',').filter(|p| !p.trim().is_empty()).collect();
        let ints: Option<Vec<i64>> = parts.iter().map(|p| p.trim().parse().ok()).collect();
        let floats: Option<Vec<_>> = parts.iter().map(|p| float(p)).collect();
        return ints
            .map(Attr::Ints)
            .into_iter()
            .chain(floats.map(Attr::Floats))
            .collect();
    }
    let int = text.parse().ok().map(Attr::Int);
    let float = float(text).map(Attr::Float);
    let truth = text.parse().ok().map(Attr::Bool);
    let element = ElementType::from_mlir(text).map(Attr::Element);
    let found = [int, float, truth, element].into_iter().flatten();
    found.chain([Attr::Str(text.to_owned())]).collect()
}

/// An attribute as rules write it.
pub(super) fn spelled(attribute: &Attr) -> String {
    let list = |parts: Vec<String>| format!("[{}]", parts.join(","));
    match attribute {
        Attr::Int(value) => value.to_string(),
        Attr::Float(value) => number(value.get()),
        Attr::Ints(values) => list(values.iter().map(i64::to_string).collect()),
        Attr::Floats(values) => list(values.iter().map(|v| number(v.get())).collect()),
        Attr::Str(text) => text.clone(),
        Attr::Bool(value) => value.to_string(),
        Attr::Element(element) => element.to_string(),
    }
}
