//! Index values: a sum of run-time terms, each with a known range and divisor, plus a constant.

use std::collections::BTreeMap;

use sinter_ir::emitter::{IntPredicate, Value};
use sinter_loops::affine::Affine;

use super::Generator;

/// A run-time index value.
#[derive(Clone, Copy)]
struct Term<'c> {
    value: Value<'c>,
    /// The value is a multiple of this.
    align: i64,
    low: i64,
    high: i64,
}

/// All terms made so far.
#[derive(Default)]
pub(super) struct Terms<'c>(Vec<Term<'c>>);

/// `sum(coefficient * term) + offset`, terms by ascending number, no zero coefficient.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sym {
    terms: Vec<(usize, i64)>,
    offset: i64,
}

/// Index values that were emitted in one region.
pub(super) type Scope<'c> = BTreeMap<Vec<(usize, i64)>, Value<'c>>;

/// Where an iterator stands: the part that the grid fixes, and the part within the block.
#[derive(Clone, Debug, Default)]
pub(super) struct Point {
    pub(super) base: Sym,
    pub(super) local: Sym,
}

impl Point {
    /// The position in the whole domain.
    pub(super) fn full(&self) -> Sym {
        self.base.plus(&self.local)
    }

    /// The same, `offset` points further on.
    pub(super) fn shifted(&self, offset: i64) -> Self {
        Self {
            base: self.base.clone(),
            local: self.local.plus(&Sym::constant(offset)),
        }
    }
}

/// An index expression at a point: its value in the first lane, and the step from lane to lane where
/// there is one.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    pub(super) sym: Sym,
    pub(super) step: Option<i64>,
}

/// The lanes of a vector that is being addressed.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorAxis {
    pub(super) iter: usize,
    pub(super) lanes: i64,
}

impl Sym {
    pub(super) fn constant(offset: i64) -> Self {
        Self {
            terms: Vec::new(),
            offset,
        }
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.offset)
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut terms: BTreeMap<usize, i64> = self.terms.iter().copied().collect();
        for &(term, c) in &other.terms {
            *terms.entry(term).or_insert(0) += c;
        }
        let terms = terms.into_iter().filter(|&(_, c)| c != 0).collect();
        Self {
            terms,
            offset: self.offset + other.offset,
        }
    }

    pub(super) fn times(&self, factor: i64) -> Self {
        if factor == 0 {
            return Self::default();
        }
        let terms = self.terms.iter().map(|&(t, c)| (t, c * factor)).collect();
        Self {
            terms,
            offset: self.offset * factor,
        }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl<'c> Terms<'c> {
    /// The least and greatest value.
    pub(super) fn range(&self, sym: &Sym) -> (i64, i64) {
        sym.terms
            .iter()
            .fold((sym.offset, sym.offset), |(low, high), &(t, c)| {
                let (a, b) = (self.0[t].low * c, self.0[t].high * c);
                (low + a.min(b), high + a.max(b))
            })
    }

    /// A divisor of the run-time part; 0 where there is none.
    fn align(&self, sym: &Sym) -> i64 {
        sym.terms
            .iter()
            .fold(0, |g, &(t, c)| gcd(g, c * self.0[t].align))
    }

    /// Whether a sum is a multiple of `divisor` whatever its terms are.
    pub(super) fn divides(&self, divisor: i64, sym: &Sym) -> bool {
        self.align(sym) % divisor == 0 && sym.offset % divisor == 0
    }

    fn add(&mut self, term: Term<'c>) -> Sym {
        self.0.push(term);
        Sym {
            terms: vec![(self.0.len() - 1, 1)],
            offset: 0,
        }
    }

    /// A new run-time value, a multiple of `align` within `low..=high`.
    pub(super) fn value(&mut self, value: Value<'c>, align: i64, low: i64, high: i64) -> Sym {
        if low == high {
            return Sym::constant(low);
        }
        self.add(Term {
            value,
            align: align.max(1),
            low,
            high,
        })
    }
}

impl<'c> Generator<'_, 'c> {
    /// The `index` value of a sum.
    pub(super) fn materialise(&mut self, sym: &Sym) -> Value<'c> {
        let Some(dynamic) = self.dynamic_part(&sym.terms) else {
            return self.e.index(sym.offset);
        };
        if sym.offset == 0 {
            return dynamic;
        }
        let offset = self.e.index(sym.offset);
        self.e.addi(dynamic, offset)
    }

    /// The run-time part, prefix by prefix, so that what outer loops fix is shared and hoisted.
    fn dynamic_part(&mut self, terms: &[(usize, i64)]) -> Option<Value<'c>> {
        let (&(term, coefficient), before) = terms.split_last()?;
        if let Some(value) = self.scopes.iter().rev().find_map(|s| s.get(terms)) {
            return Some(*value);
        }
        let mut value = self.terms.0[term].value;
        if coefficient != 1 {
            let factor = self.e.index(coefficient);
            value = self.e.muli(value, factor);
        }
        if let Some(sum) = self.dynamic_part(before) {
            value = self.e.addi(sum, value);
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(terms.to_vec(), value);
        }
        Some(value)
    }

    /// An index expression at a point. `axis` names the iterator whose next points are the lanes.
    pub(super) fn evaluate(
        &mut self,
        expr: &Affine,
        point: &[Point],
        axis: Option<VectorAxis>,
    ) -> Lanes {
        match expr {
            Affine::Const(c) => Lanes {
                sym: Sym::constant(*c),
                step: Some(0),
            },
            Affine::Iter(i) => {
                let step = i64::from(axis.is_some_and(|a| a.iter == *i));
                Lanes {
                    sym: point[*i].full(),
                    step: Some(step),
                }
            }
            Affine::Add(a, b) => {
                let a = self.evaluate(a, point, axis);
                let b = self.evaluate(b, point, axis);
                let step = a.step.zip(b.step).map(|(x, y)| x + y);
                Lanes {
                    sym: a.sym.plus(&b.sym),
                    step,
                }
            }
            Affine::Mul(a, c) => {
                let a = self.evaluate(a, point, axis);
                Lanes {
                    sym: a.sym.times(*c),
                    step: a.step.map(|s| s * c),
                }
            }
            Affine::FloorDiv(a, b) => self.divide(a, *b, point, axis, true),
            Affine::Mod(a, b) => self.divide(a, *b, point, axis, false),
        }
    }

    fn divide(
        &mut self,
        expr: &Affine,
        by: i64,
        point: &[Point],
        axis: Option<VectorAxis>,
        quotient: bool,
    ) -> Lanes {
        let inner = self.evaluate(expr, point, axis);
        let reach = inner.step.map(|s| s * (axis.map_or(1, |a| a.lanes) - 1));
        // inner = aligned + rest, with aligned a multiple of `by`.
        let whole: Vec<bool> = inner
            .sym
            .terms
            .iter()
            .map(|&(t, c)| (c * self.terms.0[t].align) % by == 0)
            .collect();
        let pick = |keep: bool| {
            let chosen = inner
                .sym
                .terms
                .iter()
                .zip(&whole)
                .filter(|&(_, &w)| w == keep);
            chosen.map(|(t, _)| *t).collect::<Vec<_>>()
        };
        let shift = inner.sym.offset.div_euclid(by);
        let aligned = Sym {
            terms: pick(true),
            offset: shift * by,
        };
        let rest = Sym {
            terms: pick(false),
            offset: inner.sym.offset - shift * by,
        };
        let (low, high) = self.terms.range(&rest);
        let within = |low: i64, high: i64| {
            reach.is_some_and(|r| low + r.min(0) >= 0 && high + r.max(0) < by)
        };
        let (rest_quotient, rest_remainder, steady) = if low >= 0 && high < by {
            (Sym::default(), rest, within(low, high))
        } else {
            let group = gcd(self.terms.align(&rest), by);
            let residue = rest.offset.rem_euclid(group.max(1));
            let steady =
                reach.is_some_and(|r| residue + r.min(0) >= 0 && residue + r.max(0) < group);
            let (q, r) = self.divide_value(&rest, by, group);
            (q, r, steady)
        };
        let steady = steady || inner.step == Some(0);
        if quotient {
            let exact = self.divide_exactly(&aligned, by);
            Lanes {
                sym: exact.plus(&rest_quotient),
                step: steady.then_some(0),
            }
        } else {
            Lanes {
                sym: rest_remainder,
                step: if steady { inner.step } else { None },
            }
        }
    }

    /// The quotient of a sum whose every term is a multiple of `by`.
    fn divide_exactly(&mut self, sym: &Sym, by: i64) -> Sym {
        let mut result = Sym::constant(sym.offset / by);
        for &(t, c) in &sym.terms {
            if c % by == 0 {
                result = result.plus(&Sym {
                    terms: vec![(t, c / by)],
                    offset: 0,
                });
                continue;
            }
            let product = Sym {
                terms: vec![(t, c)],
                offset: 0,
            };
            let (low, high) = self.terms.range(&product);
            let value = self.materialise(&product);
            let divisor = self.e.index(by);
            let quotient = self.e.binary("arith.floordivsi", value, divisor);
            let align = (c * self.terms.0[t].align / by).abs();
            let (low, high) = (low.div_euclid(by), high.div_euclid(by));
            result = result.plus(&self.terms.value(quotient, align, low, high));
        }
        result
    }

    /// Quotient and remainder at run time. `group` divides `by` and the run-time part of `sym`.
    fn divide_value(&mut self, sym: &Sym, by: i64, group: i64) -> (Sym, Sym) {
        let (low, high) = self.terms.range(sym);
        let value = self.materialise(sym);
        let divisor = self.e.index(by);
        let name = if low >= 0 {
            "arith.divui"
        } else {
            "arith.floordivsi"
        };
        let quotient = self.e.binary(name, value, divisor);
        let (first, last) = (low.div_euclid(by), high.div_euclid(by));
        let quotient = self.terms.value(quotient, 1, first, last);
        let product = self.materialise(&quotient.times(by));
        let remainder = self.e.subi(value, product);
        // The remainder keeps the residue of the constant part, so the run-time part stays aligned.
        let residue = sym.offset.rem_euclid(group.max(1));
        let shifted = if residue == 0 {
            remainder
        } else {
            let residue = self.e.index(residue);
            self.e.subi(remainder, residue)
        };
        let (least, greatest) = if first == last {
            (low - first * by, high - first * by)
        } else {
            (0, by - 1)
        };
        let (least, greatest) = (least - residue, greatest - residue);
        let least = least.div_euclid(group.max(1)) * group.max(1);
        let remainder = self
            .terms
            .value(shifted, group.max(1), least.max(0), greatest.max(0));
        (quotient, remainder.plus(&Sym::constant(residue)))
    }

    /// `0 <= sym < extent` as one unsigned comparison.
    pub(super) fn in_range(&mut self, sym: &Sym, extent: i64) -> Value<'c> {
        let value = self.materialise(sym);
        let extent = self.e.index(extent);
        self.e.cmpi(IntPredicate::UnsignedLt, value, extent)
    }
}
