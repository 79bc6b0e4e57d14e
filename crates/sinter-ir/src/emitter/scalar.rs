//! `arith` and `math` on scalars and, element by element, on vectors.

use melior::ir::{Type, ValueLike};

use super::{Emitter, Value, type_of};

/// Predicates of `arith.cmpf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FloatPredicate {
    OrderedEq = 1,
    OrderedGt = 2,
    OrderedGe = 3,
    OrderedLt = 4,
    OrderedLe = 5,
    Ordered = 7,
    UnorderedGt = 9,
    UnorderedNe = 13,
    Unordered = 14,
}

/// Predicates of `arith.cmpi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum IntPredicate {
    Eq = 0,
    Ne = 1,
    SignedLt = 2,
    SignedLe = 3,
    SignedGt = 4,
    SignedGe = 5,
    UnsignedLt = 6,
    UnsignedLe = 7,
    UnsignedGt = 8,
    UnsignedGe = 9,
}

impl<'c> Emitter<'c> {
    /// An operation of one operand whose result has the operand's type (`math.exp`, `arith.negf`).
    pub fn unary(&mut self, name: &str, a: Value<'c>) -> Value<'c> {
        self.op1(name, &[a], type_of(a), &[])
    }

    /// An operation of two operands of one type whose result has that type (`arith.addf`).
    pub fn binary(&mut self, name: &str, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.op1(name, &[a, b], type_of(a), &[])
    }

    /// `arith.addf`.
    pub fn addf(&mut self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.binary("arith.addf", a, b)
    }

    /// `arith.subf`.
    pub fn subf(&mut self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.binary("arith.subf", a, b)
    }

    /// `arith.mulf`.
    pub fn mulf(&mut self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.binary("arith.mulf", a, b)
    }

    /// `arith.divf`.
    pub fn divf(&mut self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.binary("arith.divf", a, b)
    }

    /// `math.fma`: `a * b + c` with one rounding.
    pub fn fma(&mut self, a: Value<'c>, b: Value<'c>, c: Value<'c>) -> Value<'c> {
        self.op1("math.fma", &[a, b, c], type_of(a), &[])
    }

    /// `arith.addi`.
    pub fn addi(&mut self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.binary("arith.addi", a, b)
    }

    /// `arith.subi`.
    pub fn subi(&mut self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.binary("arith.subi", a, b)
    }

    /// `arith.muli`.
    pub fn muli(&mut self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.binary("arith.muli", a, b)
    }

    /// `arith.cmpf`.
    pub fn cmpf(&mut self, predicate: FloatPredicate, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.compare("arith.cmpf", predicate as i64, a, b)
    }

    /// `arith.cmpi`.
    pub fn cmpi(&mut self, predicate: IntPredicate, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.compare("arith.cmpi", predicate as i64, a, b)
    }

    fn compare(&mut self, name: &str, predicate: i64, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let bit = self.int_type(1);
        let result = self.with_element(a.r#type(), bit);
        let predicate = self.i64_attribute(predicate);
        self.op1(name, &[a, b], result, &[("predicate", predicate)])
    }

    /// `arith.select`.
    pub fn select(&mut self, condition: Value<'c>, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.op1("arith.select", &[condition, a, b], type_of(a), &[])
    }

    /// A conversion (`arith.extf`, `arith.sitofp`, `arith.index_cast`, ...) to the element type
    /// `element`, of as many lanes as `a` has.
    pub fn convert(&mut self, name: &str, a: Value<'c>, element: Type<'c>) -> Value<'c> {
        let result = self.with_element(a.r#type(), element);
        self.op1(name, &[a], result, &[])
    }

    /// `a > b ? a : b` on floats (`b` when either is NaN), which is one instruction on x86.
    pub fn select_max(&mut self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let greater = self.cmpf(FloatPredicate::OrderedGt, a, b);
        self.select(greater, a, b)
    }

    /// `a < b ? a : b` on floats (`b` when either is NaN), which is one instruction on x86.
    pub fn select_min(&mut self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let less = self.cmpf(FloatPredicate::OrderedLt, a, b);
        self.select(less, a, b)
    }
}
