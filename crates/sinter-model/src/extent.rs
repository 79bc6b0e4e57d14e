//! Sizes and offsets: affine expressions over the model's symbols, most often constant.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::manifest::Symbol;

/// `constant + sum(coefficient * symbol)`; symbols are indices into [`crate::Manifest::symbols`].
///
/// In JSON a constant is a plain number.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Repr", into = "Repr")]
pub struct Extent {
    /// The constant part.
    pub constant: i64,
    /// Symbol and coefficient, by ascending symbol, no coefficient zero.
    pub terms: Vec<(u32, i64)>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Repr {
    Constant(i64),
    Affine {
        constant: i64,
        terms: Vec<(u32, i64)>,
    },
}

impl From<Repr> for Extent {
    fn from(repr: Repr) -> Self {
        match repr {
            Repr::Constant(constant) => Self {
                constant,
                terms: Vec::new(),
            },
            Repr::Affine { constant, terms } => Self { constant, terms },
        }
    }
}

impl From<Extent> for Repr {
    fn from(extent: Extent) -> Self {
        if extent.terms.is_empty() {
            Self::Constant(extent.constant)
        } else {
            Self::Affine {
                constant: extent.constant,
                terms: extent.terms,
            }
        }
    }
}

impl From<i64> for Extent {
    fn from(constant: i64) -> Self {
        Self {
            constant,
            terms: Vec::new(),
        }
    }
}

impl Extent {
    /// A constant extent.
    pub fn constant(constant: i64) -> Self {
        constant.into()
    }

    /// `coefficient * symbol`.
    pub fn symbol(symbol: u32, coefficient: i64) -> Self {
        Self {
            constant: 0,
            terms: vec![(symbol, coefficient)],
        }
    }

    /// The value when it does not depend on a symbol.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The value at the given symbol values; `None` on overflow or when a symbol is missing.
    pub fn eval(&self, symbols: &[i64]) -> Option<i64> {
        self.terms
            .iter()
            .try_fold(self.constant, |sum, &(symbol, coefficient)| {
                let value = *symbols.get(symbol as usize)?;
                sum.checked_add(coefficient.checked_mul(value)?)
            })
    }

    /// The least and greatest value over the symbols' ranges; `None` on overflow or when a symbol is
    /// missing. Exact, for each symbol occurs once.
    pub fn bounds(&self, symbols: &[Symbol]) -> Option<(i64, i64)> {
        let start = (self.constant, self.constant);
        self.terms
            .iter()
            .try_fold(start, |(low, high), &(symbol, coefficient)| {
                let range = symbols.get(symbol as usize)?;
                let a = coefficient.checked_mul(range.min)?;
                let b = coefficient.checked_mul(range.max)?;
                Some((low.checked_add(a.min(b))?, high.checked_add(a.max(b))?))
            })
    }

    /// The sum of two extents; `None` on overflow.
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        let mut sum = Self {
            constant: self.constant.checked_add(other.constant)?,
            terms: self.terms.clone(),
        };
        for &(symbol, coefficient) in &other.terms {
            match sum.terms.binary_search_by_key(&symbol, |term| term.0) {
                Ok(at) => sum.terms[at].1 = sum.terms[at].1.checked_add(coefficient)?,
                Err(at) => sum.terms.insert(at, (symbol, coefficient)),
            }
        }
        sum.terms.retain(|term| term.1 != 0);
        Some(sum)
    }

    /// The extent times a number; `None` on overflow.
    pub fn checked_mul(&self, factor: i64) -> Option<Self> {
        let mut product = Self {
            constant: self.constant.checked_mul(factor)?,
            terms: self.terms.clone(),
        };
        for term in &mut product.terms {
            term.1 = term.1.checked_mul(factor)?;
        }
        product.terms.retain(|term| term.1 != 0);
        Some(product)
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return write!(f, "{}", self.constant);
        }
        for (i, (symbol, coefficient)) in self.terms.iter().enumerate() {
            let plus = if i > 0 { " + " } else { "" };
            write!(f, "{plus}{coefficient}*s{symbol}")?;
        }
        if self.constant != 0 {
            write!(f, " + {}", self.constant)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols() -> Vec<Symbol> {
        vec![
            Symbol {
                name: "n".into(),
                min: 1,
                max: 8,
            },
            Symbol {
                name: "m".into(),
                min: 2,
                max: 3,
            },
        ]
    }

    #[test]
    fn evaluates_and_bounds() {
        let extent = Extent {
            constant: 5,
            terms: vec![(0, 4), (1, -2)],
        };
        assert_eq!(extent.eval(&[3, 2]), Some(13));
        assert_eq!(extent.bounds(&symbols()), Some((5 + 4 - 6, 5 + 32 - 4)));
        assert_eq!(extent.eval(&[3]), None);
        assert_eq!(Extent::symbol(0, i64::MAX).eval(&[2]), None);
        assert_eq!(extent.to_string(), "4*s0 + -2*s1 + 5");
    }

    #[test]
    fn sums_cancel() {
        let a = Extent {
            constant: 1,
            terms: vec![(0, 4)],
        };
        let b = Extent {
            constant: 2,
            terms: vec![(0, -4), (1, 1)],
        };
        assert_eq!(
            a.checked_add(&b),
            Some(Extent {
                constant: 3,
                terms: vec![(1, 1)]
            })
        );
        assert_eq!(a.checked_mul(0), Some(Extent::constant(0)));
        assert_eq!(Extent::constant(i64::MAX).checked_add(&a), None);
    }

    #[test]
    fn a_constant_is_a_number_in_json() {
        let text = serde_json::to_string(&Extent::constant(7)).unwrap();
        assert_eq!(text, "7");
        let extent = Extent {
            constant: 1,
            terms: vec![(1, 2)],
        };
        let text = serde_json::to_string(&extent).unwrap();
        assert_eq!(serde_json::from_str::<Extent>(&text).unwrap(), extent);
    }
}
