//! Random operands and attributes for the check of a rule in text.

use std::collections::BTreeMap;

use sinter_loops::scalar::FloatBits;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::Attr;

use super::TextRule;
use super::attribute::{AttrPattern, spelled};
use super::numbers::{Numbers, Scale};
use super::pattern::{OpPattern, Pattern};
use crate::rules::Example;

/// Largest extent of a random operand.
const LARGEST_EXTENT: i64 = 4;
/// Elements of an operand that a counterexample shows.
const SHOWN: usize = 4;

/// Values of all variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    pub(super) tensors: BTreeMap<String, Tensor>,
    pub(super) attributes: BTreeMap<String, Attr>,
}

impl Sample {
    /// Random values of a rule's variables; whether operators take them is open.
    pub(super) fn random(
        rule: &TextRule,
        element: ElementType,
        numbers: &Numbers,
        scale: Scale,
        seed: u64,
    ) -> Self {
        let mut random = Example::new(seed);
        let kind = Kind::random(numbers, &mut random);
        let letters = rule.pins.letters(numbers, &mut random);
        let mut source = Source {
            random,
            kind,
            element,
            numbers,
            scale,
            out: Self::default(),
        };
        for (name, shape) in rule.pins.shapes(&letters) {
            let tensor = source.tensor(&shape);
            source.out.tensors.insert(name.to_owned(), tensor);
        }
        let attributes = rule.pins.attributes(&letters);
        let attributes = attributes.map(|(n, a)| (n.to_owned(), a));
        source.out.attributes.extend(attributes);
        source.fill(&rule.left);
        source.out
    }

    /// The same values in double precision.
    pub(super) fn in_f64(&self) -> Self {
        let wide = |tensor: &Tensor| {
            let ty = TensorType::new(ElementType::F64, tensor.ty().shape.clone());
            Tensor::from_f64s(ty, &tensor.to_f64s())
        };
        let tensors = self.tensors.iter().map(|(n, t)| (n.clone(), wide(t)));
        Self {
            tensors: tensors.collect(),
            attributes: self.attributes.clone(),
        }
    }

    /// The largest magnitude among the operands' elements.
    pub(super) fn largest(&self) -> f64 {
        let all = self.tensors.values().flat_map(Tensor::to_f64s);
        all.fold(0.0, |m: f64, x| m.max(x.abs()))
    }

    /// The values as a counterexample shows them: the first elements, and that at `place` where an
    /// operand has as many as the result.
    pub(super) fn shown(&self, place: usize, of: usize) -> String {
        let tensor = |(name, tensor): (&String, &Tensor)| {
            let values = tensor.to_f64s();
            let mut first: Vec<_> = values.iter().take(SHOWN).map(|&v| number(v)).collect();
            if values.len() > SHOWN {
                first.push("..".into());
            }
            if values.len() == of && place >= SHOWN {
                first.push(format!("element {place}: {}", number(values[place])));
            }
            format!("{name} = {} [{}]", tensor.ty(), first.join(", "))
        };
        let attribute = |(name, value): (&String, &Attr)| format!("{name} = {}", spelled(value));
        let tensors = self.tensors.iter().map(tensor);
        let all: Vec<_> = tensors
            .chain(self.attributes.iter().map(attribute))
            .collect();
        all.join(", ")
    }
}

/// A number, short where it is far from one.
pub(super) fn number(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-4..1e7).contains(&value.abs());
    if plain {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// The number of elements, if it is one.
pub(super) fn elements(shape: &[i64]) -> Option<i64> {
    shape.iter().try_fold(1i64, |n, &e| n.checked_mul(e))
}

/// Keys of attributes with the variables that give them.
fn attribute_variables(op: &OpPattern) -> impl Iterator<Item = (&str, &str)> {
    op.attributes.iter().filter_map(|(key, value)| match value {
        AttrPattern::Var(name) => Some((key.as_str(), name.as_str())),
        _ => None,
    })
}

/// What fills a sample.
struct Source<'a> {
    random: Example,
    kind: Kind,
    element: ElementType,
    numbers: &'a Numbers,
    scale: Scale,
    out: Sample,
}

impl Source<'_> {
    fn fill(&mut self, side: &Pattern) {
        match side {
            Pattern::Number(_) => {}
            Pattern::Var(name) => {
                if !self.out.tensors.contains_key(name) {
                    let shape = self.kind.shape(&mut self.random);
                    let tensor = self.tensor(&shape);
                    self.out.tensors.insert(name.clone(), tensor);
                }
            }
            Pattern::Op(op) => {
                for (key, name) in attribute_variables(op) {
                    if !self.out.attributes.contains_key(name) {
                        let value = self.attribute(key);
                        self.out.attributes.insert(name.to_owned(), value);
                    }
                }
                for operand in &op.operands {
                    self.fill(operand);
                }
            }
        }
    }

    fn tensor(&mut self, shape: &[i64]) -> Tensor {
        let ty = TensorType::new(self.element, shape);
        let draw = self
            .numbers
            .draw(self.scale, self.element, &mut self.random);
        let values: Vec<_> = (0..ty.elements())
            .map(|_| draw.element(&mut self.random))
            .collect();
        Tensor::from_f64s(ty, &values)
    }

    fn attribute(&mut self, key: &str) -> Attr {
        let (random, rank) = (&mut self.random, self.kind.base().len() as i64);
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
                2 => Attr::Float(FloatBits::new(self.number())),
                _ => Attr::Ints((0..rank).map(|_| random.int(0, LARGEST_EXTENT)).collect()),
            },
        }
    }

    /// A number of the sample's scale, for an attribute; they are finite.
    fn number(&mut self) -> f64 {
        let random = &mut self.random;
        let draw = self.numbers.draw(self.scale, self.element, random);
        let value = draw.element(random);
        if value.is_finite() {
            value
        } else {
            random.float(-2.0, 2.0)
        }
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
    fn random(numbers: &Numbers, random: &mut Example) -> Self {
        let rank = random.int(1, 4);
        let mut base: Vec<_> = (0..rank).map(|_| random.int(1, LARGEST_EXTENT)).collect();
        if let Some(extent) = numbers.extent(random) {
            base[random.int(0, rank - 1) as usize] = extent;
        }
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
