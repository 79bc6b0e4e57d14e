//! How large the elements of random operands are: where a rule's own numbers make a difference, and at
//! every magnitude.

use sinter_loops::types::ElementType;
use sinter_ops::Attr;

use super::attribute::AttrPattern;
use super::pattern::Pattern;
use crate::rules::Example;

/// Numbers of a rule from which others are made, at most.
const MOST_DIRECT: usize = 12;
/// Extents that are drawn because of a rule's numbers; smaller ones are drawn anyway.
const EXTENTS: std::ops::RangeInclusive<f64> = 5.0..=64.0;

/// The magnitudes of one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Between -3 and 3, zero among them.
    Ordinary,
    /// About the rule's numbers, what follows from up to three of them, and their multiples.
    Numbers,
    /// One magnitude per operand, between 1e-4 and 1e4.
    Wide,
    /// One magnitude per operand, between 1e-20 and 1e20.
    Far,
    /// Each element of any magnitude; infinities, NaN and both zeros among them.
    Every,
}

/// The numbers that a rule's operands are drawn about.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    /// Those that the rule contains, and one.
    direct: Vec<f64>,
    /// Sums, differences, products and quotients of them.
    derived: Vec<f64>,
    /// Extents about them and their inverses: a rule may count elements.
    extents: Vec<i64>,
}

impl Numbers {
    pub(super) fn of(left: &Pattern, right: &Pattern) -> Self {
        let mut direct = vec![1.0];
        collect(left, &mut direct);
        collect(right, &mut direct);
        let mut counts = direct.clone();
        integers(left, &mut counts);
        integers(right, &mut counts);
        let direct = distinct(direct, MOST_DIRECT);
        let sums = pairs(&direct, &direct, |a, b| [a + b, a - b, b - a]);
        let lines: Vec<_> = sums.iter().chain(&direct).copied().collect();
        let products = pairs(&lines, &direct, |a, b| [a * b, a / b, b / a]);
        let derived = sums.into_iter().chain(products).collect();
        Self {
            derived: distinct(derived, usize::MAX),
            direct,
            extents: extents(&counts),
        }
    }

    /// Once in three times an extent about one of the rule's numbers.
    pub(super) fn extent(&self, random: &mut Example) -> Option<i64> {
        let wanted = random.int(0, 2) == 0 && !self.extents.is_empty();
        wanted.then(|| self.extents[random.int(0, self.extents.len() as i64 - 1) as usize])
    }

    /// Whether an element type has every number that the rule itself contains.
    pub(super) fn fit(&self, element: ElementType) -> bool {
        let (low, high) = match element {
            ElementType::Bool => (0.0, 1.0),
            ElementType::U8 => (0.0, 255.0),
            ElementType::I8 => (-128.0, 127.0),
            ElementType::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
            ElementType::I64 => (-(2f64.powi(53)), 2f64.powi(53)),
            _ => return true,
        };
        let whole = |x: &f64| x.fract() == 0.0 && (low..=high).contains(x);
        self.direct.iter().all(whole)
    }

    /// How the elements of one operand are drawn.
    pub(super) fn draw(
        &self,
        scale: Scale,
        element: ElementType,
        random: &mut Example,
    ) -> Draw<'_> {
        let magnitude = |low, high, random: &mut Example| 10f64.powf(random.float(low, high));
        let how = match scale {
            Scale::Ordinary => How::Between(3.0),
            Scale::Wide => How::Magnitude(magnitude(-4.0, 4.0, random)),
            Scale::Far => How::Magnitude(magnitude(-20.0, 20.0, random)),
            Scale::Every => How::Every,
            Scale::Numbers => How::About(
                self.one(random),
                [1.0, 1.0, 1.0, 2.0, 10.0, 1000.0, 0.5, 0.01][random.int(0, 7) as usize],
            ),
        };
        Draw {
            numbers: self,
            element,
            how,
        }
    }

    fn one(&self, random: &mut Example) -> f64 {
        let list = match random.int(0, 2) {
            0 if !self.derived.is_empty() => &self.derived,
            _ => &self.direct,
        };
        list[random.int(0, list.len() as i64 - 1) as usize]
    }
}

/// How the elements of one operand are drawn.
pub(super) struct Draw<'a> {
    numbers: &'a Numbers,
    element: ElementType,
    how: How,
}

enum How {
    Between(f64),
    Magnitude(f64),
    About(f64, f64),
    Every,
}

impl Draw<'_> {
    /// An element; of numbers beyond the element type's, those of `Every` become infinite.
    pub(super) fn element(&self, random: &mut Example) -> f64 {
        match self.how {
            How::Between(end) => match random.int(0, 7) {
                0 => 0.0,
                _ => random.float(-end, end),
            },
            How::Magnitude(size) => match random.int(0, 15) {
                0 => 0.0,
                _ => self.finite(sign(random) * size * random.float(0.1, 1.0)),
            },
            How::About(base, factor) => self.finite(self.about(base, random) * factor),
            How::Every => match random.int(0, 3) {
                0 => self.special(random),
                1 => self.about(self.numbers.one(random), random),
                _ => sign(random) * 10f64.powf(random.float(-45.0, self.exponent())),
            },
        }
    }

    /// A number, its neighbours, its negation, or one between.
    fn about(&self, base: f64, random: &mut Example) -> f64 {
        let step = match self.element {
            ElementType::F32 => base.abs() * f64::from(f32::EPSILON),
            ElementType::F64 => base.abs() * f64::EPSILON,
            ElementType::F16 | ElementType::Bf16 => base.abs() / 128.0,
            _ => 1.0,
        };
        match random.int(0, 7) {
            0 | 1 => base,
            2 => base + step,
            3 => base - step,
            4 => -base,
            5 => 0.0,
            _ => base * random.float(-2.0, 2.0),
        }
    }

    fn special(&self, random: &mut Example) -> f64 {
        let (largest, smallest) = match self.element {
            ElementType::F64 => (f64::MAX, f64::MIN_POSITIVE),
            ElementType::F16 => (65504.0, 2f64.powi(-14)),
            ElementType::I64 => (2f64.powi(62), 1.0),
            ElementType::I32 => (f64::from(i32::MAX), 1.0),
            ElementType::I8 => (127.0, 1.0),
            ElementType::U8 => (255.0, 1.0),
            _ => (f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE)),
        };
        let numbers = [
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            largest,
            -largest,
            smallest,
            -smallest,
            smallest / 4.0,
            1.0,
            -1.0,
        ];
        // Integers have no such numbers.
        let value = numbers[random.int(0, 11) as usize];
        if self.element.is_float() {
            value
        } else {
            self.finite(value)
        }
    }

    /// The power of ten up to which numbers are drawn.
    fn exponent(&self) -> f64 {
        match self.element {
            ElementType::F64 => 300.0,
            ElementType::F16 => 4.8,
            ElementType::I64 => 18.5,
            ElementType::I32 => 9.3,
            ElementType::I8 | ElementType::U8 => 2.1,
            ElementType::Bool => 0.0,
            _ => 38.5,
        }
    }

    /// The number as the element type has it, or one where it is none or beyond.
    fn finite(&self, value: f64) -> f64 {
        let limit = match self.element {
            ElementType::F64 => f64::MAX,
            ElementType::F16 => 65504.0,
            ElementType::F32 | ElementType::Bf16 => 3.38e38,
            _ => 9.2e18,
        };
        if value.abs() <= limit { value } else { 1.0 }
    }
}

fn sign(random: &mut Example) -> f64 {
    if random.int(0, 1) == 0 { 1.0 } else { -1.0 }
}

/// The numbers of a pattern: its constants, and literals of its attributes.
fn collect(side: &Pattern, out: &mut Vec<f64>) {
    literals(side, &mut |value| match value {
        Literal::Number(number) => out.push(number),
        Literal::Attribute(Attr::Float(number)) => out.push(number.get()),
        Literal::Attribute(Attr::Floats(list)) => out.extend(list.iter().map(|n| n.get())),
        Literal::Attribute(_) => {}
    });
}

/// The integers of a pattern's attributes.
fn integers(side: &Pattern, out: &mut Vec<f64>) {
    literals(side, &mut |value| match value {
        Literal::Attribute(Attr::Int(number)) => out.push(*number as f64),
        Literal::Attribute(Attr::Ints(list)) => out.extend(list.iter().map(|&n| n as f64)),
        _ => {}
    });
}

enum Literal<'a> {
    Number(f64),
    Attribute(&'a Attr),
}

fn literals(side: &Pattern, each: &mut impl FnMut(Literal<'_>)) {
    match side {
        Pattern::Var(_) => {}
        Pattern::Number(number) => each(Literal::Number(number.get())),
        Pattern::Op(op) => {
            for (_, value) in &op.attributes {
                if let AttrPattern::Literal(values) = value {
                    values.iter().for_each(|v| each(Literal::Attribute(v)));
                }
            }
            op.operands.iter().for_each(|o| literals(o, each));
        }
    }
}

/// The extents next to numbers and their inverses, and twice as large, ascending.
fn extents(numbers: &[f64]) -> Vec<i64> {
    let sizes = numbers.iter().flat_map(|n| [n.abs(), 1.0 / n.abs()]);
    let near = sizes.flat_map(|n| {
        [
            n.round() - 1.0,
            n.round(),
            n.round() + 1.0,
            (2.0 * n).round(),
        ]
    });
    let all: std::collections::BTreeSet<i64> = near
        .filter(|n| EXTENTS.contains(n))
        .map(|n| n as i64)
        .collect();
    all.into_iter().collect()
}

/// The first so many finite numbers other than zero, each once.
fn distinct(numbers: Vec<f64>, most: usize) -> Vec<f64> {
    let mut seen = std::collections::BTreeSet::new();
    let wanted = |x: &f64| x.is_finite() && *x != 0.0;
    let numbers = numbers.into_iter().filter(wanted);
    numbers
        .filter(|x| seen.insert(x.to_bits()))
        .take(most)
        .collect()
}

fn pairs(a: &[f64], b: &[f64], make: impl Fn(f64, f64) -> [f64; 3]) -> Vec<f64> {
    let all = a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b)));
    all.flat_map(|(a, b)| make(a, b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_follow_from_a_rules_numbers_are_drawn() {
        let side = |text| Pattern::parse(text).unwrap();
        let left = side("(clamp :min 0.0 :max 6.0 (mul (add ?x 3.0) 0.01))");
        let numbers = Numbers::of(&left, &side("?x"));
        // (6 - 3 * 0.01) / 0.01 is near (6 + 3) / 0.01; each follows from three numbers.
        for wanted in [6.0, 3.0, 0.01] {
            assert!(numbers.direct.contains(&wanted), "{wanted}");
        }
        for wanted in [9.0, 600.0, (6.0 - 3.0) / 0.01] {
            assert!(numbers.derived.contains(&wanted), "{wanted}");
        }
        assert!(!numbers.fit(ElementType::I32) && numbers.fit(ElementType::F16));
    }
}
