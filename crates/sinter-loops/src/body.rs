//! Building, composing, tidying and evaluating a [`Body`].

use std::collections::BTreeMap;

use crate::affine::{Affine, Interval};
use crate::scalar::{BinaryFn, Body, CompareFn, FloatBits, Inst, Reg, UnaryFn};
use crate::types::ElementType;
use crate::value::Scalar;

impl UnaryFn {
    /// Whether the function is dear: a polynomial, a root or a quotient rather than one or two
    /// instructions.
    pub fn is_transcendental(self) -> bool {
        match self {
            Self::Exp
            | Self::Log
            | Self::Sqrt
            | Self::Rsqrt
            | Self::Tanh
            | Self::Erf
            | Self::Sin
            | Self::Cos => true,
            Self::Neg | Self::Abs | Self::Floor | Self::Ceil | Self::Round | Self::Not => false,
        }
    }
}

impl Inst {
    /// The same instruction with its operands renumbered.
    #[must_use]
    pub fn map_operands(&self, reg: impl Fn(Reg) -> Reg) -> Self {
        match *self {
            Self::Const(ty, v) => Self::Const(ty, v),
            Self::Index(i) => Self::Index(i),
            Self::Unary(f, a) => Self::Unary(f, reg(a)),
            Self::Binary(f, a, b) => Self::Binary(f, reg(a), reg(b)),
            Self::Compare(f, a, b) => Self::Compare(f, reg(a), reg(b)),
            Self::Select(c, a, b) => Self::Select(reg(c), reg(a), reg(b)),
            Self::Cast(ty, a) => Self::Cast(ty, reg(a)),
        }
    }

    /// The registers it uses.
    pub fn operands(&self) -> Vec<Reg> {
        match *self {
            Self::Const(..) | Self::Index(_) => vec![],
            Self::Unary(_, a) | Self::Cast(_, a) => vec![a],
            Self::Binary(_, a, b) | Self::Compare(_, a, b) => vec![a, b],
            Self::Select(c, a, b) => vec![c, a, b],
        }
    }
}

impl Body {
    /// The body with one more argument, the last, in place of the instructions that `is` says, by register.
    pub(crate) fn with_last_argument(
        &self,
        ty: ElementType,
        is: impl Fn(Reg, &Inst) -> bool,
    ) -> Self {
        let last = self.args.len();
        let mut args = self.args.clone();
        args.push(ty);
        let mut number: Vec<Reg> = (0..last).collect();
        let mut insts = Vec::new();
        for (place, inst) in self.insts.iter().enumerate() {
            if is(last + place, inst) {
                number.push(last);
            } else {
                number.push(args.len() + insts.len());
                insts.push(inst.map_operands(|r| number[r]));
            }
        }
        let results = self.results.iter().map(|&r| number[r]).collect();
        Self {
            args,
            insts,
            results,
        }
    }

    /// The function that returns its arguments.
    pub fn identity(args: impl Into<Vec<ElementType>>) -> Self {
        let args = args.into();
        Self {
            results: (0..args.len()).collect(),
            args,
            insts: Vec::new(),
        }
    }

    /// Whether the function returns its arguments, in order.
    pub fn is_identity(&self) -> bool {
        self.results.len() == self.args.len()
            && self.results.iter().enumerate().all(|(i, &r)| i == r)
    }

    /// Number of instructions that compute: all but literals and indices.
    pub fn ops(&self) -> usize {
        self.insts
            .iter()
            .filter(|i| !matches!(i, Inst::Const(..) | Inst::Index(_)))
            .count()
    }

    /// Whether some instruction is dear to repeat (see [`UnaryFn::is_transcendental`]); powers count.
    pub fn has_transcendental(&self) -> bool {
        self.insts.iter().any(|inst| match inst {
            Inst::Unary(f, _) => f.is_transcendental(),
            Inst::Binary(f, ..) => *f == BinaryFn::Pow,
            _ => false,
        })
    }

    /// Whether some instruction reads an iterator.
    pub fn uses_index(&self) -> bool {
        self.insts.iter().any(|i| matches!(i, Inst::Index(_)))
    }

    /// The two factors of the only result, where it is a product.
    pub fn product(&self) -> Option<(Reg, Reg)> {
        let [result] = self.results[..] else {
            return None;
        };
        match self.insts.get(result.checked_sub(self.args.len())?)? {
            Inst::Binary(BinaryFn::Mul, a, b) => Some((*a, *b)),
            _ => None,
        }
    }

    /// The two arguments whose product is the only result and all that is computed, as they are or widened to its
    /// type.
    pub fn product_of_arguments(&self) -> Option<(usize, usize)> {
        let (a, b) = self.product()?;
        let argument = |reg: Reg| match self.insts.get(reg.checked_sub(self.args.len())?) {
            Some(Inst::Cast(_, from)) if *from < self.args.len() => Some((*from, 1)),
            _ => None,
        };
        let argument = |reg: Reg| match reg < self.args.len() {
            true => Some((reg, 0)),
            false => argument(reg),
        };
        let ((a, first), (b, second)) = (argument(a)?, argument(b)?);
        (self.insts.len() == 1 + first + second).then_some((a, b))
    }

    /// Element types of all registers.
    ///
    /// # Errors
    /// When an instruction uses a register before it is made, or operands of the wrong types.
    pub fn types(&self) -> Result<Vec<ElementType>, String> {
        let mut types = self.args.clone();
        for (n, inst) in self.insts.iter().enumerate() {
            if inst.operands().iter().any(|&r| r >= types.len()) {
                return Err(format!(
                    "instruction {n} uses a register that is not yet made"
                ));
            }
            let ty = inst_type(inst, &types).map_err(|e| format!("instruction {n}: {e}"))?;
            types.push(ty);
        }
        match self.results.iter().find(|&&r| r >= types.len()) {
            Some(r) => Err(format!("result %{r} does not exist")),
            None => Ok(types),
        }
    }

    /// Element types of the results.
    ///
    /// # Errors
    /// As [`Body::types`].
    pub fn result_types(&self) -> Result<Vec<ElementType>, String> {
        let types = self.types()?;
        Ok(self.results.iter().map(|&r| types[r]).collect())
    }

    /// All registers' values for the given arguments, at a point of the domain.
    ///
    /// # Panics
    /// When there are too few arguments or indices, or a register is used before it is made.
    pub fn eval_registers(&self, args: &[Scalar], point: &[i64]) -> Vec<Scalar> {
        let mut regs = Vec::with_capacity(self.args.len() + self.insts.len());
        regs.extend_from_slice(&args[..self.args.len()]);
        for inst in &self.insts {
            let value = match *inst {
                Inst::Const(ty, v) => Scalar::literal(ty, v),
                Inst::Index(i) => Scalar::i64(point[i]),
                Inst::Unary(f, a) => regs[a].unary(f),
                Inst::Binary(f, a, b) => regs[a].binary(f, regs[b]),
                Inst::Compare(f, a, b) => Scalar::bool(regs[a].compare(f, regs[b])),
                Inst::Select(c, a, b) => regs[if regs[c].is_true() { a } else { b }],
                Inst::Cast(ty, a) => regs[a].cast(ty),
            };
            regs.push(value);
        }
        regs
    }

    /// The results for the given arguments, at a point of the domain.
    ///
    /// # Panics
    /// As [`Body::eval_registers`].
    pub fn eval(&self, args: &[Scalar], point: &[i64]) -> Vec<Scalar> {
        let regs = self.eval_registers(args, point);
        self.results.iter().map(|&r| regs[r]).collect()
    }

    /// `self` with repeated instructions merged and those that no result needs left out. Arguments
    /// stay, used or not.
    #[must_use]
    pub fn tidied(&self) -> Self {
        let mut needed = vec![false; self.args.len() + self.insts.len()];
        for &r in &self.results {
            needed[r] = true;
        }
        for (n, inst) in self.insts.iter().enumerate().rev() {
            if needed[self.args.len() + n] {
                inst.operands().into_iter().for_each(|r| needed[r] = true);
            }
        }
        let mut builder = BodyBuilder::new(self.args.clone());
        let mut regs: Vec<Reg> = (0..self.args.len()).collect();
        for (n, inst) in self.insts.iter().enumerate() {
            let kept = needed[self.args.len() + n];
            regs.push(if kept {
                builder.push(inst.map_operands(|r| regs[r]))
            } else {
                usize::MAX
            });
        }
        builder.finish(self.results.iter().map(|&r| regs[r]).collect())
    }

    /// Which arguments some instruction or result uses.
    pub fn used_args(&self) -> Vec<bool> {
        let mut used = vec![false; self.args.len()];
        let operands = self.insts.iter().flat_map(Inst::operands);
        for r in operands.chain(self.results.iter().copied()) {
            if let Some(u) = used.get_mut(r) {
                *u = true;
            }
        }
        used
    }

    /// The same function over other arguments: argument `i` becomes argument `to[i]` of `args`.
    ///
    /// # Panics
    /// When `to` is shorter than the arguments.
    #[must_use]
    pub fn with_args(&self, args: Vec<ElementType>, to: &[Reg]) -> Self {
        let mut builder = BodyBuilder::new(args);
        let results = builder.inline(self, to);
        builder.finish(results)
    }

    /// Iterators renumbered in `Index` instructions.
    #[must_use]
    pub fn renumber_index(&self, number: &dyn Fn(usize) -> usize) -> Self {
        let mut out = self.clone();
        for inst in &mut out.insts {
            if let Inst::Index(i) = inst {
                *i = number(*i);
            }
        }
        out
    }

    /// The same function where iterator `i` is `with[i]` over a domain of other iterators, whose
    /// ranges are given. `None` where an index would need a quotient of a negative value.
    pub fn substitute_index(&self, with: &[Affine], ranges: &[Interval]) -> Option<Self> {
        if !self.uses_index() {
            return Some(self.clone());
        }
        let mut builder = BodyBuilder::new(self.args.clone());
        let mut regs: Vec<Reg> = (0..self.args.len()).collect();
        for inst in &self.insts {
            regs.push(match inst {
                Inst::Index(i) => builder.affine(&with[*i].simplify_in(ranges), ranges)?,
                inst => builder.push(inst.map_operands(|r| regs[r])),
            });
        }
        Some(builder.finish(self.results.iter().map(|&r| regs[r]).collect()))
    }
}

fn inst_type(inst: &Inst, types: &[ElementType]) -> Result<ElementType, String> {
    let same = |a: Reg, b: Reg| match (types[a], types[b]) {
        (x, y) if x == y => Ok(x),
        (x, y) => Err(format!("operands of types {x} and {y}")),
    };
    match *inst {
        Inst::Const(ty, _) | Inst::Cast(ty, _) => Ok(ty),
        Inst::Index(_) => Ok(ElementType::I64),
        Inst::Unary(f, a) => {
            let on_ints = matches!(f, UnaryFn::Neg | UnaryFn::Abs);
            let fits = match f {
                UnaryFn::Not => !types[a].is_float(),
                _ => types[a].is_float() || on_ints,
            };
            if fits {
                Ok(types[a])
            } else {
                Err(format!("{f:?} of {}", types[a]))
            }
        }
        Inst::Binary(f, a, b) => match (f, same(a, b)?) {
            (BinaryFn::And | BinaryFn::Or | BinaryFn::Xor, ty) if ty.is_float() => {
                Err(format!("{f:?} of {ty}"))
            }
            (_, ty) => Ok(ty),
        },
        Inst::Compare(_, a, b) => same(a, b).map(|_| ElementType::Bool),
        Inst::Select(c, a, b) => match types[c] {
            ElementType::Bool => same(a, b),
            ty => Err(format!("select by a value of type {ty}")),
        },
    }
}

/// Builds a [`Body`] instruction by instruction. An instruction that was made before is not made
/// again.
#[derive(Clone, Debug, Default)]
pub struct BodyBuilder {
    body: Body,
    made: BTreeMap<Inst, Reg>,
}

impl BodyBuilder {
    /// A builder of a function with the given argument types.
    pub fn new(args: impl Into<Vec<ElementType>>) -> Self {
        let body = Body {
            args: args.into(),
            ..Body::default()
        };
        Self {
            body,
            made: BTreeMap::new(),
        }
    }

    /// Appends an instruction, or finds it.
    pub fn push(&mut self, inst: Inst) -> Reg {
        let next = self.body.args.len() + self.body.insts.len();
        let reg = *self.made.entry(inst.clone()).or_insert(next);
        if reg == next {
            self.body.insts.push(inst);
        }
        reg
    }

    /// A literal.
    pub fn constant(&mut self, ty: ElementType, value: f64) -> Reg {
        self.push(Inst::Const(ty, FloatBits::new(value)))
    }

    /// The value of an iterator.
    pub fn index(&mut self, iter: usize) -> Reg {
        self.push(Inst::Index(iter))
    }

    /// A function of one value.
    pub fn unary(&mut self, function: UnaryFn, a: Reg) -> Reg {
        self.push(Inst::Unary(function, a))
    }

    /// A function of two values.
    pub fn binary(&mut self, function: BinaryFn, a: Reg, b: Reg) -> Reg {
        self.push(Inst::Binary(function, a, b))
    }

    /// A comparison.
    pub fn compare(&mut self, function: CompareFn, a: Reg, b: Reg) -> Reg {
        self.push(Inst::Compare(function, a, b))
    }

    /// `a` where `condition` holds, else `b`.
    pub fn select(&mut self, condition: Reg, a: Reg, b: Reg) -> Reg {
        self.push(Inst::Select(condition, a, b))
    }

    /// A conversion.
    pub fn cast(&mut self, ty: ElementType, a: Reg) -> Reg {
        self.push(Inst::Cast(ty, a))
    }

    /// Appends another function's instructions on the given registers; returns its results.
    ///
    /// # Panics
    /// When there are fewer registers than arguments.
    pub fn inline(&mut self, other: &Body, args: &[Reg]) -> Vec<Reg> {
        let mut regs = args[..other.args.len()].to_vec();
        for inst in &other.insts {
            let reg = self.push(inst.map_operands(|r| regs[r]));
            regs.push(reg);
        }
        other.results.iter().map(|&r| regs[r]).collect()
    }

    /// The value of an index expression, as `i64`. `None` where it has a quotient or remainder of a
    /// value that may be negative, or by a constant too big for a literal.
    pub fn affine(&mut self, expr: &Affine, ranges: &[Interval]) -> Option<Reg> {
        Some(match expr {
            Affine::Const(c) => self.integer(*c)?,
            Affine::Iter(i) => self.index(*i),
            Affine::Add(a, b) => {
                let (a, b) = (self.affine(a, ranges)?, self.affine(b, ranges)?);
                self.binary(BinaryFn::Add, a, b)
            }
            Affine::Mul(a, c) => self.affine_binary(BinaryFn::Mul, a, *c, ranges)?,
            Affine::FloorDiv(a, c) => {
                (a.range_in(ranges).min >= 0).then_some(())?;
                self.affine_binary(BinaryFn::Div, a, *c, ranges)?
            }
            Affine::Mod(a, c) => {
                (a.range_in(ranges).min >= 0).then_some(())?;
                self.affine_binary(BinaryFn::Rem, a, *c, ranges)?
            }
        })
    }

    fn integer(&mut self, value: i64) -> Option<Reg> {
        let exact = value.abs() < (1 << 53);
        exact.then(|| self.constant(ElementType::I64, value as f64))
    }

    fn affine_binary(
        &mut self,
        function: BinaryFn,
        a: &Affine,
        c: i64,
        ranges: &[Interval],
    ) -> Option<Reg> {
        let (a, c) = (self.affine(a, ranges)?, self.integer(c)?);
        Some(self.binary(function, a, c))
    }

    /// The function that returns the given registers.
    pub fn finish(self, results: Vec<Reg>) -> Body {
        Body {
            results,
            ..self.body
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType::{Bool, F32, I64};

    #[test]
    fn identity_and_product() {
        assert!(Body::identity([F32, I64]).is_identity());
        let mut b = BodyBuilder::new([F32, F32]);
        let m = b.binary(BinaryFn::Mul, 0, 1);
        let body = b.finish(vec![m]);
        assert!(!body.is_identity());
        assert_eq!(body.product(), Some((0, 1)));
        assert_eq!(Body::identity([F32]).product(), None);
    }

    #[test]
    fn tidying_merges_and_drops() {
        let body = Body {
            args: vec![F32, F32],
            insts: vec![
                Inst::Binary(BinaryFn::Add, 0, 1),
                Inst::Unary(UnaryFn::Exp, 0),
                Inst::Binary(BinaryFn::Add, 0, 1),
                Inst::Binary(BinaryFn::Mul, 2, 4),
            ],
            results: vec![5],
        };
        let tidy = body.tidied();
        assert_eq!(
            tidy.insts,
            [
                Inst::Binary(BinaryFn::Add, 0, 1),
                Inst::Binary(BinaryFn::Mul, 2, 2)
            ]
        );
        let args = [Scalar::f32(1.5), Scalar::f32(2.0)];
        assert_eq!(body.eval(&args, &[]), tidy.eval(&args, &[]));
        assert_eq!(body.used_args(), [true, true]);
    }

    #[test]
    fn types_are_inferred_and_checked() {
        let mut b = BodyBuilder::new([F32, I64]);
        let c = b.compare(CompareFn::Gt, 0, 0);
        let i = b.index(0);
        let s = b.select(c, i, 1);
        let body = b.finish(vec![c, s]);
        assert_eq!(body.result_types(), Ok(vec![Bool, I64]));
        let bad = Body {
            insts: vec![Inst::Binary(BinaryFn::Add, 0, 1)],
            ..body
        };
        assert_eq!(
            bad.types(),
            Err("instruction 0: operands of types f32 and i64".to_owned())
        );
        let bad = Body {
            insts: vec![Inst::Unary(UnaryFn::Neg, 9)],
            ..bad
        };
        assert!(bad.types().is_err());
    }

    #[test]
    fn indices_are_substituted() {
        let mut b = BodyBuilder::new([]);
        let i = b.index(0);
        let body = b.finish(vec![i]);
        let ranges = [Interval::of_extent(4), Interval::of_extent(6)];
        let with = [(Affine::Iter(0) * 6 + Affine::Iter(1)).floor_div(4)];
        let new = body.substitute_index(&with, &ranges).unwrap();
        for (p, want) in [([0, 3], 0), ([1, 2], 2), ([3, 5], 5)] {
            assert_eq!(new.eval(&[], &p), [Scalar::i64(want)]);
        }
        let negative = [(Affine::Iter(0) * -1).floor_div(2)];
        assert_eq!(body.substitute_index(&negative, &ranges), None);
    }
}
