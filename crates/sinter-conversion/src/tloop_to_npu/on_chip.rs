//! A kernel for a scratchpad device: tiles, transfers on routes, compute regions on tiles.
//!
//! Transfers stand where they are needed, in sequential order; `npu-double-buffer` moves the loads of
//! a loop one chunk ahead, and `npu-insert-sync` adds the waits.

use melior::ir::attribute::{DenseI32ArrayAttribute, TypeAttribute};
use melior::ir::operation::OperationRef;
use melior::ir::r#type::{FunctionType, MemRefType};
use melior::ir::{
    Attribute, Block, BlockLike, Location, Operation, Region, RegionLike, Type, Value,
};
use sinter_ir::build::{Parts, lasting, operation};
use sinter_ir::error::IrError;
use sinter_ir::{affine, attr, location, types};
use sinter_loops::affine::Affine;
use sinter_loops::kernel::{Kernel, Role};
use sinter_loops::nest::{Access, Iter, Nest};
use sinter_loops::onchip::{ChunkAxis, OnChip, Space, Step, TileId};
use sinter_loops::scalar::{BinaryFn, Body, BodyBuilder, FloatBits, Inst};
use sinter_loops::types::TensorType;

use super::emit_nest;

/// An extent or offset that is known when it runs.
const DYNAMIC: i64 = i64::MIN;

/// Converts one kernel.
///
/// # Errors
/// When a nest cannot be emitted or an operation refuses its attributes.
pub(super) fn kernel<'c>(
    context: &'c melior::Context,
    kernel: &Kernel,
    chip: &OnChip,
) -> Result<Operation<'c>, IrError> {
    let mut origins: Vec<String> = Vec::new();
    for origin in kernel.stages.iter().flat_map(|n| &n.origins) {
        if !origins.contains(origin) {
            origins.push(origin.clone());
        }
    }
    let place = location::from_origins(context, &origins);
    let slots: Vec<usize> = kernel.arguments().chain(kernel.slots_of(Role::Output)).collect();
    let index = Type::index(context);
    let mut arguments = vec![index];
    arguments.extend(slots.iter().map(|&s| memory(context, &kernel.slots[s].ty, None)));
    let block = Block::new(&arguments.iter().map(|&t| (t, place)).collect::<Vec<_>>());
    {
        let mut buffers = vec![None; kernel.slots.len()];
        for (i, &slot) in slots.iter().enumerate() {
            buffers[slot] = Some(lasting(block.argument(i + 1).map_err(missing)?));
        }
        let mut writer =
            Writer { context, kernel, chip, place, buffers, tiles: Vec::new(), block: &block };
        for tile in &chip.tiles {
            let ty = memory(context, &tile.ty, Some(tile.space));
            let parts = Parts { results: vec![ty], ..Parts::default() };
            let made = writer.value("npu.alloc", parts)?;
            writer.tiles.push(made);
        }
        let number = lasting(block.argument(0).map_err(missing)?);
        let starts = writer.grid_starts(number)?;
        writer.steps(&chip.steps, &starts)?;
        writer.append("npu.return", Parts::default())?;
    }
    let region = Region::new();
    region.append_block(block);
    let core = match (chip.matrix, chip.vector) {
        (true, true) => "mix",
        (true, false) => "cube",
        (false, _) => "vector",
    };
    let parts = Parts {
        attributes: vec![
            ("sym_name", attr::string(context, &kernel.name)),
            (
                "function_type",
                TypeAttribute::new(FunctionType::new(context, &arguments, &[]).into()).into(),
            ),
            ("core", parse(context, &format!("#npu<core {core}>"))?),
        ],
        regions: vec![region],
        ..Parts::default()
    };
    operation(context, "npu.kernel", place, parts)
}

fn memory<'c>(context: &'c melior::Context, ty: &TensorType, space: Option<Space>) -> Type<'c> {
    let space = space.map(|s| {
        let name = if s == Space::Workspace { "gm" } else { s.name() };
        parse(context, &format!("#npu.space<{name}>"))
    });
    let space = space.transpose().ok().flatten();
    MemRefType::new(types::memory_type(context, ty.element), &ty.shape, None, space).into()
}

fn parse<'c>(context: &'c melior::Context, text: &str) -> Result<Attribute<'c>, IrError> {
    Attribute::parse(context, text)
        .ok_or_else(|| IrError::Unsupported(format!("attribute '{text}'")))
}

/// A known number, or a value.
#[derive(Clone, Copy)]
enum Number<'c, 'b> {
    Known(i64),
    Value(Value<'c, 'b>),
}

struct Writer<'c, 'k, 'b> {
    context: &'c melior::Context,
    kernel: &'k Kernel,
    chip: &'k OnChip,
    place: Location<'c>,
    buffers: Vec<Option<Value<'c, 'b>>>,
    tiles: Vec<Value<'c, 'b>>,
    block: &'b Block<'c>,
}

impl<'c, 'b> Writer<'c, '_, 'b> {
    fn append(
        &self,
        name: &str,
        parts: Parts<'c, '_>,
    ) -> Result<OperationRef<'c, 'b>, IrError> {
        let made = operation(self.context, name, self.place, parts)?;
        Ok(self.block.append_operation(made))
    }

    fn value(&self, name: &str, parts: Parts<'c, '_>) -> Result<Value<'c, 'b>, IrError> {
        Ok(lasting(self.append(name, parts)?.result(0).map_err(missing)?))
    }

    fn index(&self, value: i64) -> Result<Value<'c, 'b>, IrError> {
        let ty = Type::index(self.context);
        let value = parse(self.context, &format!("{value} : index"))?;
        let attributes = vec![("value", value)];
        self.value("arith.constant", Parts { results: vec![ty], attributes, ..Parts::default() })
    }

    /// `affine.apply`, `affine.min` or `affine.max` of expressions over values.
    fn affine(
        &self,
        name: &str,
        exprs: &[Affine],
        over: &[Value<'c, 'b>],
    ) -> Result<Number<'c, 'b>, IrError> {
        if let [Affine::Const(c)] = exprs {
            return Ok(Number::Known(*c));
        }
        let map = affine::to_map_attribute(self.context, over.len(), exprs);
        let parts = Parts {
            operands: over.to_vec(),
            results: vec![Type::index(self.context)],
            attributes: vec![("map", map)],
            ..Parts::default()
        };
        Ok(Number::Value(self.value(name, parts)?))
    }

    /// First point of the block along each grid axis: `min(block * tile, extent - tile)`.
    fn grid_starts(&self, number: Value<'c, 'b>) -> Result<Vec<Value<'c, 'b>>, IrError> {
        let mut starts = Vec::new();
        let mut inner = 1;
        for axis in self.chip.grid.iter().rev() {
            let count = (axis.extent + axis.tile - 1) / axis.tile;
            let position = Affine::Iter(0).floor_div(inner).modulo(count) * axis.tile;
            let start = match count {
                1 => Number::Known(0),
                _ if axis.extent % axis.tile == 0 => {
                    self.affine("affine.apply", &[position], &[number])?
                }
                _ => {
                    let last = Affine::Const(axis.extent - axis.tile);
                    self.affine("affine.min", &[position, last], &[number])?
                }
            };
            starts.push(self.known(start)?);
            inner *= count;
        }
        starts.reverse();
        Ok(starts)
    }

    fn known(&self, number: Number<'c, 'b>) -> Result<Value<'c, 'b>, IrError> {
        match number {
            Number::Known(n) => self.index(n),
            Number::Value(v) => Ok(v),
        }
    }

    fn steps(&mut self, steps: &[Step], starts: &[Value<'c, 'b>]) -> Result<(), IrError> {
        for step in steps {
            match step {
                Step::Fill { tile, value } => self.fill(*tile, *value)?,
                Step::Load { slot, tile, start, pad } => {
                    if let Some(pad) = pad {
                        self.fill(*tile, *pad)?;
                    }
                    self.load(*slot, *tile, start, pad.is_some(), starts)?;
                }
                Step::Store { tile, slot, start } => self.store(*tile, *slot, start, starts)?,
                Step::Move { from, to } => self.shift(*from, *to)?,
                Step::Compute(nest) => self.compute(nest, "vector")?,
                Step::MultiplyAccumulate(nest) => self.compute(&accumulating(nest), "cube")?,
                Step::Chunks { axes, body } => self.chunks(axes, body, starts)?,
            }
        }
        Ok(())
    }

    fn engine_of(&self, tile: TileId) -> &'static str {
        match self.chip.tiles[tile].space {
            Space::L0a | Space::L0b | Space::L0c | Space::L1 => "cube",
            Space::Ub | Space::Workspace => "vector",
        }
    }

    fn fill(&mut self, tile: TileId, value: FloatBits) -> Result<(), IrError> {
        let ty = &self.chip.tiles[tile].ty;
        let mut body = BodyBuilder::new([]);
        let constant = body.push(Inst::Const(ty.element, value));
        let iters = ty.shape.iter().map(|&e| Iter::parallel(e)).collect();
        let index = (0..ty.rank()).map(Affine::Iter).collect();
        let write = Access { operand: tile, index, pad: None };
        let nest = Nest::map(iters, Vec::new(), body.finish(vec![constant]), vec![write]);
        let engine = self.engine_of(tile);
        self.compute(&nest, engine)
    }

    fn load(
        &self,
        slot: usize,
        tile: TileId,
        start: &[Affine],
        clip: bool,
        starts: &[Value<'c, 'b>],
    ) -> Result<(), IrError> {
        let (from, to) = (&self.kernel.slots[slot].ty, &self.chip.tiles[tile].ty);
        let (mut source, mut target, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for (d, first) in start.iter().enumerate() {
            let first = self.affine("affine.apply", std::slice::from_ref(first), starts)?;
            if !clip {
                source.push(first);
                target.push(Number::Known(0));
                sizes.push(Number::Known(to.shape[d]));
                continue;
            }
            // The part of the box that lies inside `0..extent`.
            let (lo, hi) = match first {
                Number::Known(n) => {
                    let lo = n.clamp(0, from.shape[d]);
                    (Number::Known(lo), Number::Known((n + to.shape[d]).clamp(lo, from.shape[d])))
                }
                Number::Value(v) => {
                    let (x, zero) = (Affine::Iter(0), Affine::ZERO);
                    let end = Affine::Const(from.shape[d]);
                    let lo = self.affine("affine.max", &[x.clone(), zero], &[v])?;
                    let lo = self.affine("affine.min", &[x.clone(), end.clone()], &[self.known(lo)?])?;
                    let past = x.clone() + Affine::Const(to.shape[d]);
                    let hi = self.affine("affine.min", &[past, end], &[v])?;
                    let hi = self.affine(
                        "affine.max",
                        &[Affine::Iter(0), Affine::Iter(1)],
                        &[self.known(hi)?, self.known(lo)?],
                    )?;
                    (lo, hi)
                }
            };
            source.push(lo);
            target.push(self.minus(lo, first)?);
            sizes.push(self.minus(hi, lo)?);
        }
        self.copy(self.buffer(slot)?, &source, self.tiles[tile], &target, &sizes, "mte2")
    }

    fn minus(&self, a: Number<'c, 'b>, b: Number<'c, 'b>) -> Result<Number<'c, 'b>, IrError> {
        match (a, b) {
            (Number::Known(a), Number::Known(b)) => Ok(Number::Known(a - b)),
            (a, b) => {
                let over = [self.known(a)?, self.known(b)?];
                self.affine("affine.apply", &[Affine::Iter(0) + Affine::Iter(1) * -1], &over)
            }
        }
    }

    fn store(
        &self,
        tile: TileId,
        slot: usize,
        start: &[Affine],
        starts: &[Value<'c, 'b>],
    ) -> Result<(), IrError> {
        let shape = &self.chip.tiles[tile].ty.shape;
        let mut target = Vec::new();
        for first in start {
            target.push(self.affine("affine.apply", std::slice::from_ref(first), starts)?);
        }
        let zeros = vec![Number::Known(0); shape.len()];
        let sizes: Vec<_> = shape.iter().map(|&e| Number::Known(e)).collect();
        let engine = if self.chip.tiles[tile].space == Space::L0c { "fixpipe" } else { "mte3" };
        self.copy(self.tiles[tile], &zeros, self.buffer(slot)?, &target, &sizes, engine)
    }

    fn shift(&self, from: TileId, to: TileId) -> Result<(), IrError> {
        let shape = &self.chip.tiles[from].ty.shape;
        let zeros = vec![Number::Known(0); shape.len()];
        let sizes: Vec<_> = shape.iter().map(|&e| Number::Known(e)).collect();
        let engine = match (self.chip.tiles[from].space, self.chip.tiles[to].space) {
            (Space::L1, _) => "mte1",
            (Space::L0c, _) => "fixpipe",
            _ => "mte2",
        };
        self.copy(self.tiles[from], &zeros, self.tiles[to], &zeros, &sizes, engine)
    }

    fn copy(
        &self,
        source: Value<'c, 'b>,
        source_offsets: &[Number<'c, 'b>],
        target: Value<'c, 'b>,
        target_offsets: &[Number<'c, 'b>],
        sizes: &[Number<'c, 'b>],
        engine: &str,
    ) -> Result<(), IrError> {
        let values = |list: &[Number<'c, 'b>]| -> Vec<Value<'c, 'b>> {
            let value = |n: &Number<'c, 'b>| match n {
                Number::Value(v) => Some(*v),
                Number::Known(_) => None,
            };
            list.iter().filter_map(value).collect()
        };
        let fixed = |list: &[Number<'c, 'b>]| {
            let value = |n: &Number<'c, 'b>| match n {
                Number::Known(n) => *n,
                Number::Value(_) => DYNAMIC,
            };
            attr::ints(self.context, &list.iter().map(value).collect::<Vec<_>>())
        };
        let lists = [values(source_offsets), values(target_offsets), values(sizes)];
        let segments: Vec<i32> =
            [1, 1].into_iter().chain(lists.iter().map(|l| l.len() as i32)).collect();
        let mut operands = vec![source, target];
        operands.extend(lists.iter().flatten());
        let parts = Parts {
            operands,
            results: vec![
                Type::parse(self.context, "!npu.token")
                    .ok_or_else(|| IrError::Unsupported("type '!npu.token'".into()))?,
            ],
            attributes: vec![
                ("static_source_offsets", fixed(source_offsets)),
                ("static_target_offsets", fixed(target_offsets)),
                ("static_sizes", fixed(sizes)),
                ("engine", parse(self.context, &format!("#npu<engine {engine}>"))?),
                (
                    "operandSegmentSizes",
                    DenseI32ArrayAttribute::new(self.context, &segments).into(),
                ),
            ],
            ..Parts::default()
        };
        self.append("npu.copy", parts).map(|_| ())
    }

    fn buffer(&self, slot: usize) -> Result<Value<'c, 'b>, IrError> {
        self.buffers[slot]
            .ok_or_else(|| IrError::Missing(format!("slot {slot} lies in no device buffer")))
    }

    fn compute(&self, nest: &Nest, engine: &str) -> Result<(), IrError> {
        let block = Block::new(&[]);
        emit_nest(self.context, &block, nest, &self.tiles, &self.chip.tiles)?;
        block.append_operation(operation(
            self.context,
            "npu.yield",
            self.place,
            Parts::default(),
        )?);
        let region = Region::new();
        region.append_block(block);
        let engine = parse(self.context, &format!("#npu<engine {engine}>"))?;
        let attributes = vec![("engine", engine)];
        let parts = Parts { attributes, regions: vec![region], ..Parts::default() };
        self.append("npu.compute", parts).map(|_| ())
    }

    fn chunks(
        &mut self,
        axes: &[ChunkAxis],
        body: &[Step],
        starts: &[Value<'c, 'b>],
    ) -> Result<(), IrError> {
        let trips = |a: &ChunkAxis| a.extent / a.chunk;
        let total: i64 = axes.iter().map(trips).product();
        let bounds = [self.index(0)?, self.index(total)?, self.index(1)?];
        let inside = Block::new(&[(Type::index(self.context), self.place)]);
        {
            let mut writer = Writer {
                context: self.context,
                kernel: self.kernel,
                chip: self.chip,
                place: self.place,
                buffers: self.buffers.clone(),
                tiles: self.tiles.clone(),
                block: &inside,
            };
            let trip = lasting(inside.argument(0).map_err(missing)?);
            let mut chunk_starts = Vec::new();
            let mut inner = 1;
            for axis in axes.iter().rev() {
                let start =
                    Affine::Iter(0).floor_div(inner).modulo(trips(axis)).simplify(&[total])
                        * axis.chunk;
                let start = writer.affine("affine.apply", &[start], &[trip])?;
                chunk_starts.push(writer.known(start)?);
                inner *= trips(axis);
            }
            chunk_starts.reverse();
            let all: Vec<_> = starts.iter().copied().chain(chunk_starts).collect();
            writer.steps(body, &all)?;
            writer.append("scf.yield", Parts::default())?;
        }
        let region = Region::new();
        region.append_block(inside);
        let parts =
            Parts { operands: bounds.to_vec(), regions: vec![region], ..Parts::default() };
        self.append("scf.for", parts).map(|_| ())
    }
}

/// The contraction that starts from what its accumulator tile holds.
fn accumulating(nest: &Nest) -> Nest {
    let mut nest = nest.clone();
    let element = nest.finish.args[0];
    nest.finish_reads = vec![nest.writes[0].clone()];
    nest.finish = Body {
        args: vec![element, element],
        insts: vec![Inst::Binary(BinaryFn::Add, 1, 0)],
        results: vec![2],
    };
    nest
}

fn missing(error: melior::Error) -> IrError {
    IrError::Missing(error.to_string())
}
