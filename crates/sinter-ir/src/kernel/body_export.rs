//! A scalar body as a region of `arith` and `math` operations.

use melior::ir::{Attribute, Block, BlockLike, Location, Region, RegionLike, Type, Value};
use sinter_loops::scalar::{BinaryFn, Body, CompareFn, FloatBits, Inst, UnaryFn};
use sinter_loops::types::ElementType;

use super::spell::{self, Kind};
use crate::build::{Parts, lasting, operation};
use crate::error::IrError;
use crate::graph::missing;
use crate::{attr, types};

/// The region of a body: one block whose arguments are the body's, ended by `tloop.yield`.
pub(super) fn region<'c>(
    context: &'c melior::Context,
    location: Location<'c>,
    body: &Body,
) -> Result<Region<'c>, IrError> {
    let arguments: Vec<_> = body
        .args
        .iter()
        .map(|&e| (types::element_type(context, e), location))
        .collect();
    let block = Block::new(&arguments);
    {
        let mut writer = Writer {
            context,
            location,
            block: &block,
            regs: Vec::new(),
        };
        for (i, &element) in body.args.iter().enumerate() {
            let argument = lasting(block.argument(i).map_err(missing)?);
            writer.regs.push((argument, element));
        }
        for inst in &body.insts {
            let reg = writer.inst(inst)?;
            writer.regs.push(reg);
        }
        let operands: Result<Vec<_>, _> = body
            .results
            .iter()
            .map(|&r| writer.reg(r).map(|(value, _)| value))
            .collect();
        let parts = Parts {
            operands: operands?,
            ..Parts::default()
        };
        block.append_operation(operation(context, "tloop.yield", location, parts)?);
    }
    let region = Region::new();
    region.append_block(block);
    Ok(region)
}

type Reg<'c, 'b> = (Value<'c, 'b>, ElementType);

struct Writer<'c, 'b> {
    context: &'c melior::Context,
    location: Location<'c>,
    block: &'b Block<'c>,
    regs: Vec<Reg<'c, 'b>>,
}

impl<'c, 'b> Writer<'c, 'b> {
    fn inst(&self, inst: &Inst) -> Result<Reg<'c, 'b>, IrError> {
        match inst {
            Inst::Const(element, value) => self.literal(*element, *value),
            Inst::Index(iter) => {
                let at = attr::int(self.context, *iter as i64);
                let i64_type = types::element_type(self.context, ElementType::I64);
                let value = self.emit("tloop.index", &[], i64_type, &[("iter", at)])?;
                Ok((value, ElementType::I64))
            }
            Inst::Unary(function, a) => self.unary(*function, self.reg(*a)?),
            Inst::Binary(function, a, b) => self.binary(*function, self.reg(*a)?, self.reg(*b)?),
            Inst::Compare(function, a, b) => self.compare(*function, self.reg(*a)?, self.reg(*b)?),
            Inst::Select(c, a, b) => {
                let (condition, a, b) = (self.reg(*c)?, self.reg(*a)?, self.reg(*b)?);
                let operands = [condition.0, self.signless(a)?, self.signless(b)?];
                self.arithmetic("arith.select", &operands, a.1)
            }
            Inst::Cast(to, a) => self.cast(*to, self.reg(*a)?),
        }
    }

    fn reg(&self, reg: usize) -> Result<Reg<'c, 'b>, IrError> {
        self.regs.get(reg).copied().ok_or_else(|| {
            IrError::Missing(format!(
                "register {reg} of a body is used before it is defined"
            ))
        })
    }

    fn unary(&self, function: UnaryFn, a: Reg<'c, 'b>) -> Result<Reg<'c, 'b>, IrError> {
        let value = self.signless(a)?;
        if let Some(name) = spell::unary(function, spell::kind(a.1)) {
            return self.arithmetic(name, &[value], a.1);
        }
        let int = spell::kind(a.1) != Kind::Float;
        match function {
            UnaryFn::Neg if int => {
                let zero = self.signless(self.literal(a.1, FloatBits::new(0.0))?)?;
                self.arithmetic("arith.subi", &[zero, value], a.1)
            }
            UnaryFn::Not if int => {
                let ones = if a.1 == ElementType::U8 { 255.0 } else { -1.0 };
                let ones = self.signless(self.literal(a.1, FloatBits::new(ones))?)?;
                self.arithmetic("arith.xori", &[value, ones], a.1)
            }
            _ => Err(IrError::Unsupported(format!("{function:?} of {}", a.1))),
        }
    }

    fn binary(
        &self,
        function: BinaryFn,
        a: Reg<'c, 'b>,
        b: Reg<'c, 'b>,
    ) -> Result<Reg<'c, 'b>, IrError> {
        let name = spell::binary(function, spell::kind(a.1))
            .ok_or_else(|| IrError::Unsupported(format!("{function:?} of {}", a.1)))?;
        self.arithmetic(name, &[self.signless(a)?, self.signless(b)?], a.1)
    }

    fn compare(
        &self,
        function: CompareFn,
        a: Reg<'c, 'b>,
        b: Reg<'c, 'b>,
    ) -> Result<Reg<'c, 'b>, IrError> {
        let kind = spell::kind(a.1);
        let name = if kind == Kind::Float {
            "arith.cmpf"
        } else {
            "arith.cmpi"
        };
        let predicate = attr::int(self.context, spell::predicate(function, kind));
        let operands = [self.signless(a)?, self.signless(b)?];
        let bool_type = types::element_type(self.context, ElementType::Bool);
        let value = self.emit(name, &operands, bool_type, &[("predicate", predicate)])?;
        Ok((value, ElementType::Bool))
    }

    fn cast(&self, to: ElementType, a: Reg<'c, 'b>) -> Result<Reg<'c, 'b>, IrError> {
        if to == ElementType::Bool && a.1 != ElementType::Bool {
            let zero = self.literal(a.1, FloatBits::new(0.0))?;
            return self.compare(CompareFn::Ne, a, zero);
        }
        let both_half = a.1.is_float() && to.is_float() && a.1.bytes() == 2 && to.bytes() == 2;
        if both_half && a.1 != to {
            let wide = self.cast(ElementType::F32, a)?;
            return self.cast(to, wide);
        }
        self.arithmetic(spell::cast(a.1, to), &[self.signless(a)?], to)
    }

    fn literal(&self, element: ElementType, value: FloatBits) -> Result<Reg<'c, 'b>, IrError> {
        let ty = types::element_type(self.context, signless_of(element));
        let attribute: Attribute<'c> = if element.is_float() {
            melior::ir::attribute::FloatAttribute::new(self.context, ty, value.get()).into()
        } else {
            let int = match element {
                ElementType::U8 => value.get() as i64 as u8 as i8 as i64,
                ElementType::Bool => -i64::from(value.get() != 0.0),
                _ => value.get() as i64,
            };
            melior::ir::attribute::IntegerAttribute::new(ty, int).into()
        };
        let made = self.emit("arith.constant", &[], ty, &[("value", attribute)])?;
        Ok((self.signed_as(made, element)?, element))
    }

    /// An operation of upstream on signless values whose result is of an element type.
    fn arithmetic(
        &self,
        name: &str,
        operands: &[Value<'c, 'b>],
        element: ElementType,
    ) -> Result<Reg<'c, 'b>, IrError> {
        let ty = types::element_type(self.context, signless_of(element));
        let value = self.emit(name, operands, ty, &[])?;
        Ok((self.signed_as(value, element)?, element))
    }

    /// `arith` wants signless integers: an unsigned one is looked at through a cast.
    fn signless(&self, (value, element): Reg<'c, 'b>) -> Result<Value<'c, 'b>, IrError> {
        if element == ElementType::U8 {
            self.relabel(value, ElementType::I8)
        } else {
            Ok(value)
        }
    }

    fn signed_as(
        &self,
        value: Value<'c, 'b>,
        element: ElementType,
    ) -> Result<Value<'c, 'b>, IrError> {
        if element == ElementType::U8 {
            self.relabel(value, element)
        } else {
            Ok(value)
        }
    }

    fn relabel(
        &self,
        value: Value<'c, 'b>,
        element: ElementType,
    ) -> Result<Value<'c, 'b>, IrError> {
        let ty = types::element_type(self.context, element);
        self.emit("builtin.unrealized_conversion_cast", &[value], ty, &[])
    }

    fn emit(
        &self,
        name: &str,
        operands: &[Value<'c, 'b>],
        result: Type<'c>,
        attributes: &[(&'b str, Attribute<'c>)],
    ) -> Result<Value<'c, 'b>, IrError> {
        let parts = Parts {
            operands: operands.to_vec(),
            results: vec![result],
            attributes: attributes.to_vec(),
            regions: Vec::new(),
        };
        let made =
            self.block
                .append_operation(operation(self.context, name, self.location, parts)?);
        Ok(lasting(made.result(0).map_err(missing)?))
    }
}

fn signless_of(element: ElementType) -> ElementType {
    if element == ElementType::U8 {
        ElementType::I8
    } else {
        element
    }
}
