//! A region of `arith` and `math` operations as a scalar body.
//!
//! Some functions have no operation of their own and are spelled with a literal (see
//! [`spell`](super::spell)); they are read back as the function, so that the form of a body that has
//! been read once does not change when it is written and read again.

use std::collections::BTreeMap;

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, RegionLike, RegionRef, ValueLike};
use sinter_loops::scalar::{Body, CompareFn, FloatBits, Inst, Reg, UnaryFn};
use sinter_loops::types::ElementType;

use super::spell;
use crate::build::value_key;
use crate::error::IrError;
use crate::graph::{missing, op_name};
use crate::{attr, types};

/// The body of a region with one block ended by `tloop.yield`.
///
/// # Errors
/// When an operation has no counterpart among the scalar instructions.
pub(super) fn body(region: RegionRef<'_, '_>) -> Result<Body, IrError> {
    let block = region
        .first_block()
        .ok_or_else(|| IrError::Missing("a nest's region has no block".to_string()))?;
    let mut reader = Reader::default();
    for i in 0..block.argument_count() {
        let argument = block.argument(i).map_err(missing)?;
        let element = types::from_element_type(argument.r#type())?;
        reader.body.args.push(element);
        reader
            .values
            .insert(value_key(argument.into()), reader.types.len());
        reader.types.push(element);
    }
    let mut next = block.first_operation();
    while let Some(op) = next {
        if op_name(op) == "tloop.yield" {
            reader.body.results = reader.operands(op)?;
            break;
        }
        reader.operation(op)?;
        next = op.next_in_block();
    }
    Ok(reader.finish())
}

#[derive(Default)]
struct Reader {
    body: Body,
    types: Vec<ElementType>,
    values: BTreeMap<usize, Reg>,
    /// Literals that belong to the spelling of a function.
    spelling: Vec<Reg>,
}

impl Reader {
    fn operation(&mut self, op: OperationRef<'_, '_>) -> Result<(), IrError> {
        let name = op_name(op);
        let operands = self.operands(op)?;
        match name.as_str() {
            "builtin.unrealized_conversion_cast" | "arith.index_cast" => {
                self.relabel(op, &operands)
            }
            _ => {
                let inst = self.inst(op, &name, &operands)?;
                let element = self.type_of(op, &inst)?;
                let reg = self.types.len();
                self.body.insts.push(inst);
                self.types.push(element);
                self.values
                    .insert(value_key(op.result(0).map_err(missing)?.into()), reg);
                Ok(())
            }
        }
    }

    fn operands(&self, op: OperationRef<'_, '_>) -> Result<Vec<Reg>, IrError> {
        op.operands()
            .map(|value| {
                self.values.get(&value_key(value)).copied().ok_or_else(|| {
                    IrError::Unsupported(format!(
                        "a value from outside the region in '{}'",
                        op_name(op)
                    ))
                })
            })
            .collect()
    }

    /// A cast between an unsigned and a signless type of the same width is another label for the
    /// same register; seen on a literal or a conversion, it tells the type that was meant.
    fn relabel(&mut self, op: OperationRef<'_, '_>, operands: &[Reg]) -> Result<(), IrError> {
        let &[reg] = operands else {
            return Err(IrError::Unsupported("a cast of several values".to_string()));
        };
        let result = op.result(0).map_err(missing)?;
        if result.r#type().to_string() == "ui8" {
            self.types[reg] = ElementType::U8;
            let first = self.body.args.len();
            match reg
                .checked_sub(first)
                .and_then(|i| self.body.insts.get_mut(i))
            {
                Some(Inst::Const(element, value)) => {
                    *element = ElementType::U8;
                    *value = FloatBits::new(f64::from(value.get() as i64 as u8));
                }
                Some(Inst::Cast(element, _)) => *element = ElementType::U8,
                _ => {}
            }
        }
        self.values.insert(value_key(result.into()), reg);
        Ok(())
    }

    fn inst(
        &mut self,
        op: OperationRef<'_, '_>,
        name: &str,
        operands: &[Reg],
    ) -> Result<Inst, IrError> {
        let unsupported = || IrError::Unsupported(format!("'{name}' in a nest's body"));
        let inst = match (name, operands) {
            ("arith.constant", []) => literal(op)?,
            ("tloop.index", []) => {
                let iter = op.attribute("iter").ok().and_then(attr::as_int);
                Inst::Index(iter.ok_or_else(unsupported)? as usize)
            }
            ("arith.select", &[c, a, b]) => Inst::Select(c, a, b),
            ("arith.cmpf" | "arith.cmpi", &[a, b]) => {
                let predicate = op.attribute("predicate").ok().and_then(attr::as_int);
                let function = predicate
                    .and_then(|p| spell::compare_of(p, name == "arith.cmpf"))
                    .ok_or_else(unsupported)?;
                if function == CompareFn::Ne && self.spells(b, 0.0) {
                    Inst::Cast(ElementType::Bool, a)
                } else {
                    Inst::Compare(function, a, b)
                }
            }
            ("arith.subi", &[a, b]) if self.spells(a, 0.0) => Inst::Unary(UnaryFn::Neg, b),
            ("arith.xori", &[a, b]) if self.spells_ones(b) => Inst::Unary(UnaryFn::Not, a),
            (name, &[a]) if spell::CASTS.contains(&name) => {
                let result = op.result(0).map_err(missing)?;
                Inst::Cast(types::from_element_type(result.r#type())?, a)
            }
            (name, &[a]) => Inst::Unary(spell::unary_of(name).ok_or_else(unsupported)?, a),
            (name, &[a, b]) => Inst::Binary(spell::binary_of(name).ok_or_else(unsupported)?, a, b),
            _ => return Err(unsupported()),
        };
        Ok(inst)
    }

    /// Whether a register is a literal of this value; if so, it is part of a spelling.
    fn spells(&mut self, reg: Reg, value: f64) -> bool {
        let index = reg.checked_sub(self.body.args.len());
        let found = matches!(
            index.and_then(|i| self.body.insts.get(i)),
            Some(Inst::Const(_, bits)) if *bits == FloatBits::new(value)
        );
        if found {
            self.spelling.push(reg);
        }
        found
    }

    fn spells_ones(&mut self, reg: Reg) -> bool {
        let ones = match self.types[reg] {
            ElementType::Bool => 1.0,
            ElementType::U8 => 255.0,
            _ => -1.0,
        };
        self.spells(reg, ones)
    }

    fn type_of(&self, op: OperationRef<'_, '_>, inst: &Inst) -> Result<ElementType, IrError> {
        match inst {
            Inst::Unary(_, a) | Inst::Binary(_, a, _) | Inst::Select(_, a, _) => Ok(self.types[*a]),
            Inst::Index(_) => Ok(ElementType::I64),
            Inst::Compare(..) => Ok(ElementType::Bool),
            Inst::Const(element, _) | Inst::Cast(element, _) => {
                let result = op.result(0).map_err(missing)?;
                let stated = types::from_element_type(result.r#type())?;
                debug_assert!(stated == *element || stated == ElementType::I8);
                Ok(*element)
            }
        }
    }

    /// Drops the literals that were only there to spell a function.
    fn finish(mut self) -> Body {
        let first = self.body.args.len();
        let mut used = vec![false; self.types.len()];
        for inst in &self.body.insts {
            for reg in operands_of(inst) {
                used[reg] = true;
            }
        }
        for &reg in &self.body.results {
            used[reg] = true;
        }
        let dropped = |reg: Reg| self.spelling.contains(&reg) && !used[reg];
        let mut number = vec![0; self.types.len()];
        let mut next = 0;
        for (reg, place) in number.iter_mut().enumerate() {
            *place = next;
            next += usize::from(!dropped(reg));
        }
        let mut insts = Vec::new();
        for (i, inst) in self.body.insts.iter().enumerate() {
            if !dropped(first + i) {
                insts.push(renumber(inst, &number));
            }
        }
        self.body
            .results
            .iter_mut()
            .for_each(|reg| *reg = number[*reg]);
        self.body.insts = insts;
        self.body
    }
}

fn literal(op: OperationRef<'_, '_>) -> Result<Inst, IrError> {
    let value = op.attribute("value").map_err(missing)?;
    let element = types::from_element_type(op.result(0).map_err(missing)?.r#type())?;
    let number = match (attr::as_float(value), attr::as_int(value)) {
        (Some(float), _) => float,
        (None, Some(int)) if element == ElementType::Bool => f64::from(u8::from(int != 0)),
        (None, Some(int)) => int as f64,
        (None, None) => return Err(IrError::Unsupported(format!("literal '{value}'"))),
    };
    Ok(Inst::Const(element, FloatBits::new(number)))
}

fn operands_of(inst: &Inst) -> Vec<Reg> {
    match *inst {
        Inst::Const(..) | Inst::Index(_) => vec![],
        Inst::Unary(_, a) | Inst::Cast(_, a) => vec![a],
        Inst::Binary(_, a, b) | Inst::Compare(_, a, b) => vec![a, b],
        Inst::Select(c, a, b) => vec![c, a, b],
    }
}

fn renumber(inst: &Inst, number: &[Reg]) -> Inst {
    match *inst {
        Inst::Const(element, value) => Inst::Const(element, value),
        Inst::Index(iter) => Inst::Index(iter),
        Inst::Unary(function, a) => Inst::Unary(function, number[a]),
        Inst::Cast(element, a) => Inst::Cast(element, number[a]),
        Inst::Binary(function, a, b) => Inst::Binary(function, number[a], number[b]),
        Inst::Compare(function, a, b) => Inst::Compare(function, number[a], number[b]),
        Inst::Select(c, a, b) => Inst::Select(number[c], number[a], number[b]),
    }
}
