//! The randomised check of a rule in text.

use std::collections::BTreeMap;

use sinter_loops::scalar::FloatBits;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;
use sinter_ops::{Attr, Operator};

use super::pattern::{OpPattern, Pattern, literal};
use super::{TextRule, pattern};
use crate::options::Numerics;
use crate::rules::Example;

/// Operands on which both sides are compared.
const TRIES: usize = 60;
/// Random operands and attributes of which those that fit are taken.
const SAMPLES: u64 = 6_000;
/// Largest extent of a random operand.
const LARGEST_EXTENT: i64 = 4;
/// Elements of an operand that a counterexample shows.
const SHOWN: usize = 4;

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
}

impl Numerics {
    /// The first element that differs by more than the class allows, relative to the largest.
    pub(crate) fn first_difference(self, a: &[f64], b: &[f64]) -> Option<usize> {
        let finite = a.iter().filter(|x| x.is_finite());
        let largest = finite.fold(1e-30, |m: f64, x| m.max(x.abs()));
        let differs = |(x, y): (&f64, &f64)| match self {
            Self::Exact => x.to_bits() != y.to_bits() && !(x.is_nan() && y.is_nan()),
            class if x.is_finite() && y.is_finite() => (x - y).abs() > class.tolerance() * largest,
            _ => x != y && !(x.is_nan() && y.is_nan()),
        };
        a.iter().zip(b).position(differs)
    }
}

/// Values of all variables.
#[derive(Clone, Debug, Default)]
struct Sample {
    tensors: BTreeMap<String, Tensor>,
    attributes: BTreeMap<String, Attr>,
}

impl TextRule {
    /// Compares both sides on random operands.
    ///
    /// # Errors
    /// A counterexample, or why no operands fit.
    pub(super) fn check(&self) -> Result<(), String> {
        let mut tried = 0;
        let mut last = "none was tried".to_owned();
        for seed in 0..SAMPLES {
            let sample = self.sample(seed)?;
            let left = match evaluate(&self.left, &sample) {
                Ok(tensor) => tensor,
                Err(cause) => {
                    last = cause;
                    continue;
                }
            };
            let right = match evaluate(&self.right, &sample) {
                Ok(tensor) if tensor.ty() == left.ty() => tensor,
                Ok(tensor) => {
                    last = format!("the left side is {}, the right {}", left.ty(), tensor.ty());
                    continue;
                }
                Err(cause) => {
                    last = cause;
                    continue;
                }
            };
            self.compare(&left, &right, &sample)?;
            tried += 1;
            if tried == TRIES {
                return Ok(());
            }
        }
        match tried {
            0 => Err(format!(
                "no random operands fit both sides, so the rule cannot be checked: {last}; \
                 'where ?x: 2x3' gives shapes and attributes"
            )),
            _ => Ok(()),
        }
    }

    fn compare(&self, left: &Tensor, right: &Tensor, sample: &Sample) -> Result<(), String> {
        let (a, b) = (left.to_f64s(), right.to_f64s());
        let Some(at) = self.numerics.first_difference(&a, &b) else {
            return Ok(());
        };
        Err(format!(
            "'{}' is not {}: with {}, element {at} of the left side gives {}, of the right {}",
            self.name,
            self.numerics,
            sample.shown(),
            a[at],
            b[at]
        ))
    }

    /// Random values of the variables; whether operators take them is open.
    fn sample(&self, seed: u64) -> Result<Sample, String> {
        let mut random = Example::new(seed);
        let kind = Kind::random(&mut random);
        let mut out = Sample::default();
        for (name, value) in &self.fixed {
            if value.starts_with('[') || !is_operand(&self.left, name) {
                let attribute = literal(value).into_iter().next();
                out.attributes.extend(attribute.map(|a| (name.clone(), a)));
                continue;
            }
            let extents: Result<Vec<i64>, _> = value.split('x').map(str::parse).collect();
            let shape = extents.map_err(|_| format!("'{value}' is no shape; write 2x3"))?;
            out.tensors
                .insert(name.clone(), tensor(&mut random, &shape));
        }
        self.fill(&self.left, &kind, &mut random, &mut out);
        Ok(out)
    }

    fn fill(&self, side: &Pattern, kind: &Kind, random: &mut Example, out: &mut Sample) {
        match side {
            Pattern::Number(_) => {}
            Pattern::Var(name) => {
                if !out.tensors.contains_key(name) {
                    let shape = kind.shape(random);
                    out.tensors.insert(name.clone(), tensor(random, &shape));
                }
            }
            Pattern::Op(op) => {
                for (key, name) in attribute_variables(op) {
                    if !out.attributes.contains_key(name) {
                        let value = attribute(key, kind, random);
                        out.attributes.insert(name.to_owned(), value);
                    }
                }
                for operand in &op.operands {
                    self.fill(operand, kind, random, out);
                }
            }
        }
    }
}

/// Keys of attributes with the variables that give them.
fn attribute_variables(op: &OpPattern) -> impl Iterator<Item = (&str, &str)> {
    op.attributes.iter().filter_map(|(key, value)| match value {
        pattern::AttrPattern::Var(name) => Some((key.as_str(), name.as_str())),
        _ => None,
    })
}

/// Whether a variable stands for a value rather than an attribute.
fn is_operand(side: &Pattern, name: &str) -> bool {
    match side {
        Pattern::Var(var) => var == name,
        Pattern::Number(_) => false,
        Pattern::Op(op) => op.operands.iter().any(|o| is_operand(o, name)),
    }
}

/// How the shapes of random operands relate.
enum Kind {
    /// All alike.
    Same(Vec<i64>),
    /// Parts of one shape, with broadcast extents.
    Broadcast(Vec<i64>),
    /// Square matrices, perhaps in a batch.
    Square(Vec<i64>),
}

impl Kind {
    fn random(random: &mut Example) -> Self {
        let rank = random.int(1, 4);
        let base: Vec<_> = (0..rank).map(|_| random.int(1, LARGEST_EXTENT)).collect();
        match random.int(0, 3) {
            0 | 1 => Self::Same(base),
            2 => Self::Broadcast(base),
            _ => {
                let n = random.int(1, LARGEST_EXTENT);
                let batch = base.iter().take(random.int(0, 1) as usize).copied();
                Self::Square(batch.chain([n, n]).collect())
            }
        }
    }

    fn base(&self) -> &[i64] {
        match self {
            Self::Same(base) | Self::Broadcast(base) | Self::Square(base) => base,
        }
    }

    fn shape(&self, random: &mut Example) -> Vec<i64> {
        match self {
            Self::Same(base) | Self::Square(base) => base.clone(),
            Self::Broadcast(base) => {
                let first = random.int(0, base.len() as i64) as usize;
                let mut narrow = |extent: &i64| match random.int(0, 3) {
                    0 => 1,
                    _ => *extent,
                };
                base[first.min(base.len())..]
                    .iter()
                    .map(&mut narrow)
                    .collect()
            }
        }
    }
}

/// Random elements, zero among them.
fn tensor(random: &mut Example, shape: &[i64]) -> Tensor {
    let ty = TensorType::f32(shape);
    let mut element = || match random.int(0, 7) {
        0 => 0.0,
        _ => random.float(-3.0, 3.0),
    };
    let values: Vec<_> = (0..ty.elements()).map(|_| element()).collect();
    Tensor::from_f64s(ty, &values)
}

fn attribute(key: &str, kind: &Kind, random: &mut Example) -> Attr {
    let rank = kind.base().len() as i64;
    match key {
        "perm" => {
            let mut perm: Vec<_> = (0..rank).collect();
            for d in (1..perm.len()).rev() {
                perm.swap(d, random.int(0, d as i64) as usize);
            }
            Attr::Ints(perm)
        }
        "axes" => {
            let mut axes: Vec<_> = (0..rank).filter(|_| random.int(0, 1) == 1).collect();
            if axes.is_empty() {
                axes.push(random.int(0, rank - 1));
            }
            Attr::Ints(axes)
        }
        "axis" => Attr::Int(random.int(0, rank - 1)),
        _ => match random.int(0, 3) {
            0 => Attr::Bool(random.int(0, 1) == 1),
            1 => Attr::Int(random.int(0, rank)),
            2 => Attr::Float(FloatBits::new(random.float(-2.0, 2.0))),
            _ => Attr::Ints((0..rank).map(|_| random.int(0, LARGEST_EXTENT)).collect()),
        },
    }
}

fn evaluate(side: &Pattern, sample: &Sample) -> Result<Tensor, String> {
    match side {
        Pattern::Var(name) => {
            let value = sample.tensors.get(name);
            value
                .cloned()
                .ok_or_else(|| format!("'{name}' is no operand"))
        }
        Pattern::Number(number) => Ok(Tensor::from_f64s(TensorType::f32([]), &[number.get()])),
        Pattern::Op(op) => {
            let made = op.operator(&sample.attributes).map_err(|e| e.to_string())?;
            let operands: Result<Vec<_>, _> =
                op.operands.iter().map(|o| evaluate(o, sample)).collect();
            let operands = operands?;
            let types: Vec<_> = operands.iter().map(|t| t.ty().clone()).collect();
            made.infer(&types)
                .map_err(|e| format!("{}: {e}", op.mnemonic))?;
            let results = made
                .eval(&operands)
                .map_err(|e| format!("{}: {e}", op.mnemonic))?;
            results
                .into_iter()
                .next()
                .ok_or_else(|| format!("{} has no result", op.mnemonic))
        }
    }
}

impl Sample {
    fn shown(&self) -> String {
        let tensor = |(name, tensor): (&String, &Tensor)| {
            let values = tensor.to_f64s();
            let first: Vec<_> = values.iter().take(SHOWN).map(f64::to_string).collect();
            let more = if values.len() > SHOWN { ", .." } else { "" };
            format!("{name} = {} [{}{more}]", tensor.ty(), first.join(", "))
        };
        let attribute = |(name, value): (&String, &Attr)| format!("{name} = {value:?}");
        let tensors = self.tensors.iter().map(tensor);
        let all: Vec<_> = tensors
            .chain(self.attributes.iter().map(attribute))
            .collect();
        all.join(", ")
    }
}
