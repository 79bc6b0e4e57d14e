//! Scalar bodies at the points of a register tile.
//!
//! Each register of a body is known to move along the rows, along the vectors, both or neither.
//! Values are computed once for all points that share them, and stay scalar until an instruction
//! mixes them with a vector: an operand that is the same for all lanes is one scalar load and one
//! broadcast.

use sinter_ir::emitter::Value;
use sinter_loops::nest::{Access, CombineFn, Nest};
use sinter_loops::scalar::{BinaryFn, Body, Inst, Reg};
use sinter_loops::types::ElementType;

use super::Generator;
use super::access::{At, Loaded};
use super::stage::Stage;

/// What the padding of each of a nest's reads means.
pub(super) struct Pads {
    /// By read: a point where this read is outside leaves all accumulators unchanged.
    pub(super) neutral: Vec<bool>,
    /// By read and dimension: loop bounds keep the index inside.
    pub(super) safe: Vec<Vec<bool>>,
}

impl Pads {
    pub(super) fn new(nest: &Nest) -> Self {
        Self {
            neutral: (0..nest.reads.len())
                .map(|read| is_neutral(nest, read))
                .collect(),
            safe: nest
                .reads
                .iter()
                .map(|a| vec![false; a.index.len()])
                .collect(),
        }
    }
}

/// Whether `combine(acc, body(.., pad, ..)) == acc` whatever the other reads are (if finite).
fn is_neutral(nest: &Nest, read: usize) -> bool {
    let Some(pad) = nest.reads[read].pad else {
        return false;
    };
    if nest.combines.is_empty() {
        return false;
    }
    let mut known: Vec<Option<f64>> = vec![None; nest.body.args.len()];
    known[read] = Some(pad.get());
    for inst in &nest.body.insts {
        let value = match *inst {
            Inst::Const(_, c) => Some(c.get()),
            Inst::Binary(BinaryFn::Mul, a, b) => match (known[a], known[b]) {
                (Some(0.0), _) | (_, Some(0.0)) => Some(0.0),
                (Some(a), Some(b)) => Some(a * b),
                _ => None,
            },
            Inst::Cast(_, a) => known[a],
            _ => None,
        };
        known.push(value);
    }
    nest.body
        .results
        .iter()
        .zip(&nest.combines)
        .all(|(&reg, combine)| {
            let Some(value) = known[reg] else {
                return false;
            };
            match combine.function {
                CombineFn::Add => value == 0.0,
                CombineFn::Mul => value == 1.0,
                CombineFn::Max => value == f64::NEG_INFINITY || value == combine.init.get(),
                CombineFn::Min => value == f64::INFINITY || value == combine.init.get(),
            }
        })
}

/// Where an argument of a body comes from.
pub(super) enum Input<'s, 'c> {
    /// A read, with the dimensions that loop bounds keep inside.
    Read(&'s Access, &'s [bool]),
    /// Values by row and vector.
    Values(Vec<Value<'c>>),
}

/// A body being evaluated at the points of one register tile.
pub(super) struct Evaluation<'s, 'c> {
    body: &'s Body,
    inputs: Vec<Input<'s, 'c>>,
    /// Element type of each register.
    types: Vec<ElementType>,
    /// Whether each register moves along rows and along vectors.
    moves: Vec<(bool, bool)>,
    /// By register, row and vector: the value as computed, with whether it is a vector.
    values: Vec<Vec<Option<(Value<'c>, bool)>>>,
    /// The same as vectors.
    spread: Vec<Vec<Option<Value<'c>>>>,
    width: usize,
}

impl<'s, 'c> Evaluation<'s, 'c> {
    pub(super) fn new(
        stage: &Stage<'_, 'c>,
        body: &'s Body,
        inputs: Vec<Input<'s, 'c>>,
        width: usize,
    ) -> Self {
        let types = register_types(body);
        let moves = movements(stage, body, &inputs);
        let points = stage.all_rows() as usize * width;
        Self {
            body,
            inputs,
            values: vec![vec![None; points]; types.len()],
            spread: vec![vec![None; points]; types.len()],
            types,
            moves,
            width,
        }
    }

    /// Whether a register is a literal that is not NaN.
    fn is_number(&self, reg: Reg) -> bool {
        let place = reg.checked_sub(self.body.args.len());
        matches!(place.map(|n| &self.body.insts[n]), Some(Inst::Const(_, c)) if !c.get().is_nan())
    }

    /// Sets an argument's value at a row and vector.
    pub(super) fn set(&mut self, argument: Reg, row: usize, vector: usize, value: Value<'c>) {
        let slot = self.slot(argument, row, vector);
        self.values[argument][slot] = Some((value, true));
    }

    fn slot(&self, reg: Reg, row: usize, vector: usize) -> usize {
        let (rows, vectors) = self.moves[reg];
        (if rows { row } else { 0 }) * self.width + if vectors { vector } else { 0 }
    }
}

/// Element types of a body's registers.
pub(super) fn register_types(body: &Body) -> Vec<ElementType> {
    let mut types = body.args.clone();
    for inst in &body.insts {
        types.push(match *inst {
            Inst::Const(ty, _) | Inst::Cast(ty, _) => ty,
            Inst::Index(_) => ElementType::I64,
            Inst::Unary(_, a) | Inst::Binary(_, a, _) | Inst::Select(_, a, _) => types[a],
            Inst::Compare(..) => ElementType::Bool,
        });
    }
    types
}

fn movements<'c>(
    stage: &Stage<'_, 'c>,
    body: &Body,
    inputs: &[Input<'_, 'c>],
) -> Vec<(bool, bool)> {
    let vectors = stage.axis.is_some();
    let mut moves: Vec<(bool, bool)> = inputs
        .iter()
        .map(|input| match input {
            Input::Read(access, _) => stage.moves(access),
            Input::Values(_) => (true, vectors),
        })
        .collect();
    let or = |a: (bool, bool), b: (bool, bool)| (a.0 || b.0, a.1 || b.1);
    for inst in &body.insts {
        moves.push(match *inst {
            Inst::Const(..) => (false, false),
            Inst::Index(i) => (
                stage.schedule.tiles_rows(i),
                stage.axis.is_some_and(|a| a.iter == i),
            ),
            Inst::Unary(_, a) | Inst::Cast(_, a) => moves[a],
            Inst::Binary(_, a, b) | Inst::Compare(_, a, b) => or(moves[a], moves[b]),
            Inst::Select(c, a, b) => or(moves[c], or(moves[a], moves[b])),
        });
    }
    moves
}

impl<'c> Generator<'_, 'c> {
    /// Register `reg` at a point: a vector where it moves along the vectors (or was read as one).
    pub(super) fn register(
        &mut self,
        stage: &Stage<'_, 'c>,
        at: &mut Evaluation<'_, 'c>,
        reg: Reg,
        row: usize,
        vector: usize,
    ) -> (Value<'c>, bool) {
        let slot = at.slot(reg, row, vector);
        if let Some(known) = at.values[reg][slot] {
            return known;
        }
        let arguments = at.body.args.len();
        let value = if reg < arguments {
            self.argument(stage, at, reg, row, vector)
        } else {
            let inst = at.body.insts[reg - arguments].clone();
            self.instruction(stage, at, &inst, row, vector)
        };
        at.values[reg][slot] = Some(value);
        value
    }

    /// Register `reg` at a point as a vector (as a scalar where there is no vector axis).
    pub(super) fn register_spread(
        &mut self,
        stage: &Stage<'_, 'c>,
        at: &mut Evaluation<'_, 'c>,
        reg: Reg,
        row: usize,
        vector: usize,
    ) -> Value<'c> {
        let Some(axis) = stage.axis else {
            return self.register(stage, at, reg, row, vector).0;
        };
        let slot = at.slot(reg, row, vector);
        if let Some(known) = at.spread[reg][slot] {
            return known;
        }
        let arguments = at.body.args.len();
        let literal = reg.checked_sub(arguments).map(|n| &at.body.insts[n]);
        let value = if let Some(Inst::Const(ty, c)) = literal {
            self.literal(*ty, c.get(), Some(axis.lanes))
        } else {
            let (value, is_vector) = self.register(stage, at, reg, row, vector);
            if is_vector {
                value
            } else {
                self.e.broadcast(value, axis.lanes)
            }
        };
        at.spread[reg][slot] = Some(value);
        value
    }

    fn argument(
        &mut self,
        stage: &Stage<'_, 'c>,
        at: &Evaluation<'_, 'c>,
        reg: Reg,
        row: usize,
        vector: usize,
    ) -> (Value<'c>, bool) {
        match &at.inputs[reg] {
            Input::Values(values) => (values[row * at.width + vector], stage.axis.is_some()),
            Input::Read(access, safe) => {
                let moves_lanes = at.moves[reg].1;
                let point = stage.point_at(row as i64, vector as i64);
                let axis = if moves_lanes { stage.axis } else { None };
                let valid = stage.vectors.get(vector).copied().unwrap_or(1);
                let place = At {
                    point: &point,
                    axis,
                    valid,
                    safe,
                };
                match self.read(access, &place) {
                    Loaded::Scalar(value) => (value, false),
                    Loaded::Vector(value) => (value, true),
                }
            }
        }
    }

    fn instruction(
        &mut self,
        stage: &Stage<'_, 'c>,
        at: &mut Evaluation<'_, 'c>,
        inst: &Inst,
        row: usize,
        vector: usize,
    ) -> (Value<'c>, bool) {
        match *inst {
            Inst::Const(ty, c) => (self.literal(ty, c.get(), None), false),
            Inst::Index(iter) => self.iterator_value(stage, iter, row, vector),
            Inst::Unary(function, a) => {
                let (value, is_vector) = self.register(stage, at, a, row, vector);
                (self.unary(function, at.types[a], value), is_vector)
            }
            Inst::Cast(to, a) => {
                let (value, is_vector) = self.register(stage, at, a, row, vector);
                (self.cast(at.types[a], to, value), is_vector)
            }
            Inst::Binary(function @ (BinaryFn::Max | BinaryFn::Min), a, b)
                if at.types[a].is_float() =>
            {
                // With a number as the first operand one instruction does.
                let (a, b) = if at.is_number(b) { (b, a) } else { (a, b) };
                let (values, is_vector) = self.together(stage, at, &[a, b], row, vector);
                let mut result = self.binary(function, at.types[a], values[0], values[1]);
                if !at.is_number(a) {
                    result = self.unless_nan(values[0], result);
                }
                (result, is_vector)
            }
            Inst::Binary(function, a, b) => {
                let (values, is_vector) = self.together(stage, at, &[a, b], row, vector);
                (
                    self.binary(function, at.types[a], values[0], values[1]),
                    is_vector,
                )
            }
            Inst::Compare(function, a, b) => {
                let (values, is_vector) = self.together(stage, at, &[a, b], row, vector);
                (
                    self.comparison(function, at.types[a], values[0], values[1]),
                    is_vector,
                )
            }
            Inst::Select(c, a, b) => {
                let (values, is_vector) = self.together(stage, at, &[c, a, b], row, vector);
                (self.e.select(values[0], values[1], values[2]), is_vector)
            }
        }
    }

    /// Several registers, all as vectors as soon as one is.
    fn together(
        &mut self,
        stage: &Stage<'_, 'c>,
        at: &mut Evaluation<'_, 'c>,
        regs: &[Reg],
        row: usize,
        vector: usize,
    ) -> (Vec<Value<'c>>, bool) {
        let values: Vec<_> = regs
            .iter()
            .map(|&r| self.register(stage, at, r, row, vector))
            .collect();
        if values.iter().all(|(_, is_vector)| !is_vector) {
            return (values.into_iter().map(|(v, _)| v).collect(), false);
        }
        let spread = regs
            .iter()
            .map(|&r| self.register_spread(stage, at, r, row, vector));
        (spread.collect(), true)
    }

    fn iterator_value(
        &mut self,
        stage: &Stage<'_, 'c>,
        iter: usize,
        row: usize,
        vector: usize,
    ) -> (Value<'c>, bool) {
        let point = stage.point_at(row as i64, vector as i64);
        let first = self.materialise(&point[iter].full());
        let i64_type = self.e.int_type(64);
        let first = self.e.convert("arith.index_cast", first, i64_type);
        match stage.axis {
            Some(axis) if axis.iter == iter => {
                let lanes: Vec<i64> = (0..axis.lanes).collect();
                let lanes = self.e.ints(i64_type, &lanes);
                let first = self.e.broadcast(first, axis.lanes);
                (self.e.addi(first, lanes), true)
            }
            _ => (first, false),
        }
    }
}
