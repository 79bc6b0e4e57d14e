//! Patterns of rules in text: reading, matching, building.

use std::collections::{BTreeMap, BTreeSet};

use egg::Id;
use sinter_loops::scalar::FloatBits;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::{Attr, Op, OpError, Operator};
use symbolic_expressions::Sexp;

use super::attribute::AttrPattern;
use crate::rules::{Expr, View};

/// How deep patterns nest.
const DEEPEST: usize = 64;
/// Attributes of one operator.
const MOST_ATTRIBUTES: usize = 8;

/// A side of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// Any value, by name with its question mark.
    Var(String),
    /// A constant all of whose elements are one number.
    Number(FloatBits),
    /// An operator.
    Op(OpPattern),
}

/// An operator with attributes and operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpPattern {
    pub(super) mnemonic: String,
    pub(super) attributes: Vec<(String, AttrPattern)>,
    pub(super) operands: Vec<Pattern>,
}

/// What variables stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings {
    classes: BTreeMap<String, Id>,
    pub(super) attributes: BTreeMap<String, Attr>,
}

impl Bindings {
    /// The type of an operand; `None` for what is no operand.
    pub(super) fn ty<'a>(&self, view: &'a View<'_>, name: &str) -> Option<&'a TensorType> {
        self.classes.get(name).map(|&id| view.ty(id))
    }

    /// Whether every operand has elements: rules are checked on no others.
    pub(super) fn have_elements(&self, view: &View<'_>) -> bool {
        self.classes.values().all(|&id| view.ty(id).elements() > 0)
    }

    /// The element type of all values, that of the result where there are none; `None` where they
    /// have several, in which no rule is checked.
    pub(super) fn element(&self, view: &View<'_>, result: ElementType) -> Option<ElementType> {
        let mut all = self.classes.values().map(|&id| view.ty(id).element);
        let first = all.next().unwrap_or(result);
        all.all(|e| e == first).then_some(first)
    }
}

impl Pattern {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        check_brackets(text)?;
        let read = symbolic_expressions::parser::parse_str(text);
        Self::from_sexp(&read.map_err(|e| format!("'{text}' cannot be read: {e}"))?)
    }

    fn from_sexp(sexp: &Sexp) -> Result<Self, String> {
        match sexp {
            Sexp::String(text) if text.starts_with('?') => Ok(Self::Var(text.clone())),
            Sexp::String(text) => match text.parse::<f64>() {
                Ok(number) => Ok(Self::Number(FloatBits::new(number))),
                Err(_) => Err(format!("'{text}' is neither a variable nor a number")),
            },
            Sexp::List(list) => OpPattern::from_list(list).map(Self::Op),
            Sexp::Empty => Err("an empty pattern".to_owned()),
        }
    }

    /// All variables.
    pub(super) fn variables(&self) -> BTreeSet<String> {
        match self {
            Self::Var(name) => BTreeSet::from([name.clone()]),
            Self::Number(_) => BTreeSet::new(),
            Self::Op(op) => {
                let attributes = op.attributes.iter().flat_map(|(_, a)| a.variables());
                let operands = op.operands.iter().flat_map(Self::variables);
                attributes.chain(operands).collect()
            }
        }
    }

    /// Whether a variable stands for an operand.
    pub(super) fn has_operand(&self, name: &str) -> bool {
        match self {
            Self::Var(var) => var == name,
            Self::Number(_) => false,
            Self::Op(op) => op.operands.iter().any(|o| o.has_operand(name)),
        }
    }

    /// Whether a variable stands for an attribute.
    pub(super) fn has_attribute(&self, name: &str) -> bool {
        let Self::Op(op) = self else { return false };
        let own = |(_, a): &(String, AttrPattern)| a.variables().contains(name);
        op.attributes.iter().any(own) || op.operands.iter().any(|o| o.has_attribute(name))
    }

    /// Writes values in the place of an attribute's variable.
    pub(super) fn fix(&mut self, variable: &str, values: &[Attr]) {
        let Self::Op(op) = self else { return };
        op.attributes
            .iter_mut()
            .for_each(|(_, a)| a.fix(variable, values));
        op.operands.iter_mut().for_each(|o| o.fix(variable, values));
    }

    /// Whether an attribute is computed.
    pub(super) fn calls(&self) -> bool {
        let Self::Op(op) = self else { return false };
        let call = |(_, a): &(String, AttrPattern)| matches!(a, AttrPattern::Call(..));
        op.attributes.iter().any(call) || op.operands.iter().any(Self::calls)
    }

    fn matches(&self, view: &View<'_>, id: Id, known: &Bindings) -> Vec<Bindings> {
        match self {
            Self::Var(name) => match known.classes.get(name) {
                Some(&bound) if view.same(bound, id) => vec![known.clone()],
                Some(_) => vec![],
                None => {
                    let mut known = known.clone();
                    known.classes.insert(name.clone(), id);
                    vec![known]
                }
            },
            Self::Number(number) => {
                let number = number.get();
                let same = |c: f64| c == number || c == f64::from(number as f32);
                match view.splat(id).is_some_and(same) {
                    true => vec![known.clone()],
                    false => vec![],
                }
            }
            Self::Op(op) => view
                .operators(id)
                .flat_map(|(found, operands)| op.matches(view, found, operands, known))
                .collect(),
        }
    }

    /// The expression with what variables stand for; `None` where an operator does not take its
    /// attributes. Numbers get the element type `element`.
    pub(super) fn build(&self, bindings: &Bindings, element: ElementType) -> Option<Expr> {
        match self {
            Self::Var(name) => bindings.classes.get(name).map(|&id| Expr::Class(id)),
            Self::Number(number) => {
                let ty = TensorType::new(element, []);
                Some(Expr::Constant(Tensor::from_f64s(ty, &[number.get()])))
            }
            Self::Op(op) => {
                let made = op.operator(&bindings.attributes).ok()?;
                let operands = op.operands.iter().map(|o| o.build(bindings, element));
                Some(Expr::Op(made, operands.collect::<Option<_>>()?))
            }
        }
    }
}

impl OpPattern {
    fn from_list(list: &[Sexp]) -> Result<Self, String> {
        let [Sexp::String(mnemonic), rest @ ..] = list else {
            return Err("a pattern starts with the name of an operator".to_owned());
        };
        if !Op::names().any(|known| known == mnemonic) {
            return Err(Op::from_parts(mnemonic, &[]).map_or_else(
                |e| e.to_string(),
                |_| format!("'{mnemonic}' is no operator"),
            ));
        }
        let mut out = Self {
            mnemonic: mnemonic.clone(),
            attributes: Vec::new(),
            operands: Vec::new(),
        };
        let mut rest = rest.iter();
        while let Some(item) = rest.next() {
            match item {
                Sexp::String(key) if key.starts_with(':') => {
                    let given = out.attributes.iter().any(|(k, _)| k == &key[1..]);
                    if given || out.attributes.len() == MOST_ATTRIBUTES {
                        let key = &key[1..];
                        return Err(format!("'{mnemonic}' has no further attribute '{key}'"));
                    }
                    let value = rest.next().ok_or_else(|| format!("'{key}' has no value"))?;
                    let value = AttrPattern::from_sexp(value)?;
                    out.attributes.push((key[1..].to_owned(), value));
                }
                operand => out.operands.push(Pattern::from_sexp(operand)?),
            }
        }
        // Values come later; an attribute that no operator of the name has is wrong already.
        let keys = out.attributes.iter();
        let keys: Vec<_> = keys.map(|(k, _)| (k.clone(), Attr::Bool(true))).collect();
        match Op::from_parts(mnemonic, &keys) {
            Err(e) if e.0.contains("has no attribute") => Err(e.0),
            _ => Ok(out),
        }
    }

    /// Ways in which an operator on operands is what the pattern says.
    pub(super) fn matches(
        &self,
        view: &View<'_>,
        op: &Op,
        operands: &[Id],
        known: &Bindings,
    ) -> Vec<Bindings> {
        if op.mnemonic() != self.mnemonic || operands.len() != self.operands.len() {
            return vec![];
        }
        let Some(known) = self.bind_attributes(op, known) else {
            return vec![];
        };
        let mut found = vec![known];
        for (pattern, &operand) in self.operands.iter().zip(operands) {
            found = found
                .iter()
                .flat_map(|known| pattern.matches(view, operand, known))
                .collect();
        }
        found
    }

    fn bind_attributes(&self, op: &Op, known: &Bindings) -> Option<Bindings> {
        let stated = op.attributes();
        if stated.len() != self.attributes.len() {
            return None;
        }
        let mut known = known.clone();
        for (key, wanted) in &self.attributes {
            let (_, value) = stated.iter().find(|(k, _)| k == key)?;
            let holds = match wanted {
                AttrPattern::Literal(values) => values.contains(value),
                AttrPattern::Call(..) => false,
                AttrPattern::Var(name) => {
                    let bound = known.attributes.entry(name.clone());
                    bound.or_insert_with(|| value.clone()) == value
                }
            };
            if !holds {
                return None;
            }
        }
        Some(known)
    }

    /// The operator with attributes filled in.
    pub(super) fn operator(&self, known: &BTreeMap<String, Attr>) -> Result<Op, OpError> {
        let mut choices = vec![Vec::new()];
        for (key, value) in &self.attributes {
            let values = value.values(known)?;
            choices = choices
                .iter()
                .flat_map(|list: &Vec<(String, Attr)>| {
                    values.iter().map(|v| {
                        let mut list = list.clone();
                        list.push((key.clone(), v.clone()));
                        list
                    })
                })
                .collect();
        }
        let mut last = OpError("no attributes fit".to_owned());
        for attributes in choices {
            match Op::from_parts(&self.mnemonic, &attributes) {
                Ok(op) => return Ok(op),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// Says that brackets close what they open, not too deep, and that nothing follows: the parser reads on or stops there.
fn check_brackets(text: &str) -> Result<(), String> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                let left = depth.checked_sub(1);
                depth = left.ok_or_else(|| format!("a ')' of '{text}' closes nothing"))?;
            }
            _ => {}
        }
        if depth > DEEPEST {
            return Err(format!("a pattern is nested at most {DEEPEST} deep"));
        }
        let rest = text[at + c.len_utf8()..].trim();
        let ends = c == ')' || (text.starts_with('?') && c.is_whitespace());
        if ends && depth == 0 && !rest.is_empty() && !rest.starts_with(')') {
            return Err(format!("'{rest}' follows a pattern that has ended"));
        }
    }
    match depth {
        0 => Ok(()),
        open => Err(format!("{open} '(' of '{text}' not closed")),
    }
}

/// The type of an expression, if its operators take their operands.
pub(super) fn type_of(view: &View<'_>, expr: &Expr) -> Option<TensorType> {
    match expr {
        Expr::Class(id) => Some(view.ty(*id).clone()),
        Expr::Constant(tensor) => Some(tensor.ty().clone()),
        Expr::Op(op, operands) => {
            let types: Option<Vec<_>> = operands.iter().map(|o| type_of(view, o)).collect();
            op.infer(&types?).ok()?.into_iter().next()
        }
    }
}
