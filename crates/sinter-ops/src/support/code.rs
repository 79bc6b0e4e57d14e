//! Scalar bodies, built tersely.

use sinter_loops::scalar::{BinaryFn, Body, CompareFn, FloatBits, Inst, Reg, UnaryFn};
use sinter_loops::types::ElementType;

/// A scalar body under construction.
pub struct Code {
    body: Body,
    types: Vec<ElementType>,
}

impl Code {
    /// A body with these arguments; they are registers `0..args.len()`.
    pub fn new(args: &[ElementType]) -> Self {
        let body = Body {
            args: args.to_vec(),
            insts: Vec::new(),
            results: Vec::new(),
        };
        Self {
            body,
            types: args.to_vec(),
        }
    }

    /// The body that returns its arguments.
    pub fn pass(args: &[ElementType]) -> Body {
        Self::new(args).returning(&(0..args.len()).collect::<Vec<_>>())
    }

    /// The finished body.
    pub fn returning(mut self, results: &[Reg]) -> Body {
        self.body.results = results.to_vec();
        self.body
    }

    /// The element type of a register.
    pub fn ty(&self, reg: Reg) -> ElementType {
        self.types[reg]
    }

    fn push(&mut self, inst: Inst, ty: ElementType) -> Reg {
        self.body.insts.push(inst);
        self.types.push(ty);
        self.types.len() - 1
    }

    /// A literal, rounded to the element type.
    pub fn constant(&mut self, ty: ElementType, value: f64) -> Reg {
        let value = if ty == ElementType::F32 {
            f64::from(value as f32)
        } else {
            value
        };
        self.push(Inst::Const(ty, FloatBits::new(value)), ty)
    }

    /// A literal of the type of another register.
    pub fn like(&mut self, reg: Reg, value: f64) -> Reg {
        self.constant(self.types[reg], value)
    }

    /// The value of an iterator.
    pub fn index(&mut self, iter: usize) -> Reg {
        self.push(Inst::Index(iter), ElementType::I64)
    }

    /// A function of one value.
    pub fn unary(&mut self, f: UnaryFn, a: Reg) -> Reg {
        self.push(Inst::Unary(f, a), self.types[a])
    }

    /// A function of two values.
    pub fn binary(&mut self, f: BinaryFn, a: Reg, b: Reg) -> Reg {
        self.push(Inst::Binary(f, a, b), self.types[a])
    }

    /// A function of a value and a literal.
    pub fn with(&mut self, f: BinaryFn, a: Reg, b: f64) -> Reg {
        let b = self.like(a, b);
        self.binary(f, a, b)
    }

    /// A comparison.
    pub fn compare(&mut self, f: CompareFn, a: Reg, b: Reg) -> Reg {
        self.push(Inst::Compare(f, a, b), ElementType::Bool)
    }

    /// A choice.
    pub fn select(&mut self, c: Reg, a: Reg, b: Reg) -> Reg {
        self.push(Inst::Select(c, a, b), self.types[a])
    }

    /// A conversion; none when the type is already right.
    pub fn cast(&mut self, ty: ElementType, a: Reg) -> Reg {
        if self.types[a] == ty {
            a
        } else {
            self.push(Inst::Cast(ty, a), ty)
        }
    }

    /// 16-bit floats as `f32`, so that a chain of instructions rounds once; other types as they are.
    pub fn widen(&mut self, a: Reg) -> Reg {
        self.cast(wide(self.types[a]), a)
    }
}

/// The type in which values of an element type are computed.
pub fn wide(ty: ElementType) -> ElementType {
    match ty {
        ElementType::F16 | ElementType::Bf16 => ElementType::F32,
        other => other,
    }
}
