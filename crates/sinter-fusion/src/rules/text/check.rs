//! The randomised check of a rule in text.
//!
//! Both sides are compared on operands of several scales. Rules that are `exact` see every number there
//! is and have to agree bit for bit. The others may differ by rounding, so that what counts as wrong
//! depends on the scale: near one an element that is finite on one side only is a fault; farther away
//! the left side may overflow, and what the right side says there is its own affair. A difference that
//! double precision does not show is rounding, or an overflow on the way; near one the right side may
//! not bring in an overflow even so.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::Operator;

use super::TextRule;
use super::numbers::{Numbers, Scale};
use super::operands::{Sample, elements, number};
use super::pattern::Pattern;
use crate::options::Numerics;

/// Comparisons on ordinary operands.
const TRIES: usize = 60;
/// Comparisons at each other scale.
const TRIES_BEYOND: usize = 40;
/// Comparisons at each scale in each other element type.
const TRIES_OF_OTHERS: usize = 12;
/// Random operands and attributes per comparison, of which those that fit are taken.
const SAMPLES: u64 = 100;
/// Elements of a value that the check computes.
const MOST_ELEMENTS: i64 = 1 << 16;
/// Largest operand with which the right side may not overflow where the left does not.
const MODERATE: f64 = 1e4;
/// What double precision loses, over the largest value on the way.
const DOUBLE: f64 = 1e-12;
/// The element types that rules are checked in beside `f32`.
const OTHERS: [ElementType; 8] = [
    ElementType::F64,
    ElementType::F16,
    ElementType::Bf16,
    ElementType::I64,
    ElementType::I32,
    ElementType::I8,
    ElementType::U8,
    ElementType::Bool,
];

impl Numerics {
    /// Largest difference over the largest value that a rule of this class may make.
    pub fn tolerance(self) -> f64 {
        match self {
            Self::Exact => 0.0,
            Self::Rounding => 2e-6,
            Self::Reassociating => 1e-5,
            Self::Approximate => 1e-3,
        }
    }

    /// The same in an element type, by how coarse it is.
    fn tolerance_in(self, element: ElementType) -> f64 {
        let coarse = match element {
            ElementType::F32 | ElementType::F64 => return self.tolerance(),
            ElementType::F16 => 8192.0,
            ElementType::Bf16 => 65536.0,
            _ => return 0.0,
        };
        (self.tolerance() * coarse).min(0.1).max(self.tolerance())
    }

    /// The first element that differs by more than the class allows, relative to the largest.
    pub(crate) fn first_difference(self, a: &[f64], b: &[f64]) -> Option<usize> {
        differences(self.tolerance(), a, b).next()
    }
}

/// Elements that differ by more than a part of the largest. The sign of a zero may differ.
fn differences(tolerance: f64, a: &[f64], b: &[f64]) -> impl Iterator<Item = usize> {
    let allowed = tolerance * largest(a);
    let same = move |x: f64, y: f64| {
        let close = x.is_finite() && y.is_finite() && (x - y).abs() <= allowed;
        close || x == y || (x.is_nan() && y.is_nan())
    };
    let pairs = a.iter().zip(b).enumerate();
    pairs
        .filter(move |(_, (x, y))| !same(**x, **y))
        .map(|(i, _)| i)
}

fn largest(values: &[f64]) -> f64 {
    let finite = values.iter().filter(|x| x.is_finite());
    finite.fold(1e-30, |m: f64, x| m.max(x.abs()))
}

/// What comparing gave that found no difference.
struct Agreed {
    times: usize,
    /// Why operands that did not fit did not.
    last: String,
}

impl TextRule {
    /// Compares both sides on random operands. Gives the element types in which they agree.
    ///
    /// # Errors
    /// A counterexample in `f32`, or why no operands fit.
    pub(super) fn check(&self) -> Result<Vec<ElementType>, String> {
        let numbers = Numbers::of(&self.left, &self.right);
        let ordinary = self.compare(ElementType::F32, &numbers, Scale::Ordinary, TRIES)?;
        if ordinary.times == 0 {
            return Err(format!(
                "no random operands fit both sides, so the rule cannot be checked: {}; \
                 'where ?x: nx3' says which shapes and attributes the rule is for",
                ordinary.last
            ));
        }
        for scale in self.scales() {
            self.compare(ElementType::F32, &numbers, scale, TRIES_BEYOND)?;
        }
        let mut right = vec![ElementType::F32];
        right.extend(OTHERS.into_iter().filter(|&e| self.holds_in(e, &numbers)));
        Ok(right)
    }

    /// The scales beyond the ordinary.
    fn scales(&self) -> [Scale; 3] {
        let last = match self.numerics {
            Numerics::Exact => Scale::Every,
            _ => Scale::Far,
        };
        [Scale::Numbers, Scale::Wide, last]
    }

    /// Whether both sides agree in an element type too.
    fn holds_in(&self, element: ElementType, numbers: &Numbers) -> bool {
        let agree = |scale| {
            let agreed = self.compare(element, numbers, scale, TRIES_OF_OTHERS);
            agreed.is_ok_and(|a| a.times > 0)
        };
        numbers.fit(element) && agree(Scale::Ordinary) && self.scales().into_iter().all(agree)
    }

    fn compare(
        &self,
        element: ElementType,
        numbers: &Numbers,
        scale: Scale,
        tries: usize,
    ) -> Result<Agreed, String> {
        let mut out = Agreed {
            times: 0,
            last: "none was tried".to_owned(),
        };
        for seed in 0..SAMPLES * tries as u64 {
            let sample = Sample::random(self, element, numbers, scale, seed);
            match self.sides(&sample, element) {
                Ok((left, right)) => {
                    self.compare_results(&left, &right, &sample, scale)?;
                    out.times += 1;
                }
                Err(cause) => out.last = cause,
            }
            if out.times == tries {
                break;
            }
        }
        Ok(out)
    }

    /// Both sides' values, or why they have none of one type.
    fn sides(&self, sample: &Sample, element: ElementType) -> Result<(Value, Value), String> {
        let left = evaluate(&self.left, sample, element)?;
        let right = evaluate(&self.right, sample, element)?;
        let (a, b) = (left.tensor.ty(), right.tensor.ty());
        match a == b {
            true => Ok((left, right)),
            false => Err(format!("the left side is {a}, the right {b}")),
        }
    }

    fn compare_results(
        &self,
        left: &Value,
        right: &Value,
        sample: &Sample,
        scale: Scale,
    ) -> Result<(), String> {
        let (a, b) = (left.tensor.to_f64s(), right.tensor.to_f64s());
        let element = left.tensor.ty().element;
        let different = if !element.is_float() {
            let (a, b) = (left.tensor.to_i64s(), right.tensor.to_i64s());
            a.iter().zip(&b).position(|(x, y)| x != y)
        } else if self.numerics == Numerics::Exact || scale == Scale::Ordinary {
            let tolerance = self.numerics.tolerance_in(element);
            differences(tolerance, &a, &b).next()
        } else {
            self.difference_beyond(element, &a, &b, sample)
        };
        let Some(at) = different else {
            return Ok(());
        };
        Err(format!(
            "'{}' is not {}: with {}, element {at} of the left side gives {}, of the right {}",
            self.name,
            self.numerics,
            sample.shown(at, a.len()),
            number(a[at]),
            number(b[at])
        ))
    }

    /// The first element that differs, and not by rounding or by an overflow of the left side.
    fn difference_beyond(
        &self,
        element: ElementType,
        a: &[f64],
        b: &[f64],
        sample: &Sample,
    ) -> Option<usize> {
        let all = differences(self.numerics.tolerance_in(element), a, b);
        let all: Vec<_> = all.filter(|&i| a[i].is_finite()).collect();
        let moderate = element != ElementType::F16 && sample.largest() <= MODERATE;
        let overflow = all.iter().copied().find(|&i| !b[i].is_finite());
        if all.is_empty() || (moderate && overflow.is_some()) {
            return overflow;
        }
        let Ok((left, right)) = self.sides(&sample.in_f64(), ElementType::F64) else {
            return all.first().copied().filter(|_| moderate);
        };
        let (a, b) = (left.tensor.to_f64s(), right.tensor.to_f64s());
        let rounding = self.numerics.tolerance() * largest(&a);
        let allowed = rounding.max(DOUBLE * left.largest.max(right.largest));
        let close = |i: usize| b[i].is_finite() && (a[i] - b[i]).abs() <= allowed;
        all.into_iter().find(|&i| a[i].is_finite() && !close(i))
    }
}

/// A side's value.
struct Value {
    tensor: Tensor,
    /// The largest magnitude of it and of all that it is computed from.
    largest: f64,
}

impl Value {
    fn new(tensor: Tensor) -> Self {
        let largest = largest(&tensor.to_f64s());
        Self { tensor, largest }
    }
}

fn evaluate(side: &Pattern, sample: &Sample, element: ElementType) -> Result<Value, String> {
    match side {
        Pattern::Var(name) => {
            let value = sample.tensors.get(name);
            let value = value.ok_or_else(|| format!("'{name}' is no operand"))?;
            Ok(Value::new(value.clone()))
        }
        Pattern::Number(number) => {
            let ty = TensorType::new(element, []);
            Ok(Value::new(Tensor::from_f64s(ty, &[number.get()])))
        }
        Pattern::Op(op) => {
            let made = op.operator(&sample.attributes).map_err(|e| e.to_string())?;
            let operands = op.operands.iter().map(|o| evaluate(o, sample, element));
            let operands: Vec<Value> = operands.collect::<Result<_, _>>()?;
            let on_the_way = operands.iter().fold(0.0, |m: f64, o| m.max(o.largest));
            let operands: Vec<_> = operands.into_iter().map(|o| o.tensor).collect();
            let types: Vec<_> = operands.iter().map(|t| t.ty().clone()).collect();
            let named = |e: &dyn std::fmt::Display| format!("{}: {e}", op.mnemonic);
            let results = made.infer(&types).map_err(|e| named(&e))?;
            let small = |ty: &TensorType| elements(&ty.shape).is_some_and(|n| n <= MOST_ELEMENTS);
            if !results.iter().all(small) {
                return Err(named(&format!(
                    "its result has more than {MOST_ELEMENTS} elements"
                )));
            }
            let results = made.eval(&operands).map_err(|e| named(&e))?;
            let first = results.into_iter().next();
            let mut value = Value::new(first.ok_or_else(|| named(&"has no result"))?);
            value.largest = value.largest.max(on_the_way);
            Ok(value)
        }
    }
}
