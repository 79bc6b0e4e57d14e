//! A kernel for a scratchpad device: tiles, transfers on routes, compute regions on tiles.
//!
//! Loads of a loop over chunks are issued one chunk ahead, into two tiles in turn, and waited for by the
//! tokens that the loop carries. Other transfers stand in sequential order; `npu-insert-sync` adds their
//! waits.

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
    let slots: Vec<usize> = kernel
        .arguments()
        .chain(kernel.slots_of(Role::Output))
        .collect();
    let index = Type::index(context);
    let mut arguments = vec![index];
    arguments.extend(
        slots
            .iter()
            .map(|&s| memory(context, &kernel.slots[s].ty, None)),
    );
    let block = Block::new(&arguments.iter().map(|&t| (t, place)).collect::<Vec<_>>());
    {
        let mut buffers = vec![None; kernel.slots.len()];
        for (i, &slot) in slots.iter().enumerate() {
            buffers[slot] = Some(lasting(block.argument(i + 1).map_err(missing)?));
        }
        let mut writer = Writer {
            context,
            kernel,
            chip,
            place,
            buffers,
            tiles: Vec::new(),
            turn: 0,
            block: &block,
        };
        for tile in &chip.tiles {
            let alloc = || {
                let ty = memory(context, &tile.ty, Some(tile.space));
                writer.value(
                    "npu.alloc",
                    Parts {
                        results: vec![ty],
                        ..Parts::default()
                    },
                )
            };
            let first = alloc()?;
            let made = [first, if tile.double { alloc()? } else { first }];
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
        let name = if s == Space::Workspace {
            "gm"
        } else {
            s.name()
        };
        parse(context, &format!("#npu.space<{name}>"))
    });
    let space = space.transpose().ok().flatten();
    MemRefType::new(
        types::memory_type(context, ty.element),
        &ty.shape,
        None,
        space,
    )
    .into()
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
    /// The two buffers of each tile; the same one twice where it is not double.
    tiles: Vec<[Value<'c, 'b>; 2]>,
    /// Which of the two is in use.
    turn: usize,
    block: &'b Block<'c>,
}

impl<'c, 'b> Writer<'c, '_, 'b> {
    fn append(&self, name: &str, parts: Parts<'c, '_>) -> Result<OperationRef<'c, 'b>, IrError> {
        let made = operation(self.context, name, self.place, parts)?;
        Ok(self.block.append_operation(made))
    }

    fn value(&self, name: &str, parts: Parts<'c, '_>) -> Result<Value<'c, 'b>, IrError> {
        Ok(lasting(
            self.append(name, parts)?.result(0).map_err(missing)?,
        ))
    }

    fn index(&self, value: i64) -> Result<Value<'c, 'b>, IrError> {
        let ty = Type::index(self.context);
        let value = parse(self.context, &format!("{value} : index"))?;
        let attributes = vec![("value", value)];
        self.value(
            "arith.constant",
            Parts {
                results: vec![ty],
                attributes,
                ..Parts::default()
            },
        )
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
                Step::Load { .. } => {
                    self.load(step, starts)?;
                }
                Step::Store { tile, slot, start } => {
                    self.store(*tile, *slot, start, starts)?;
                }
                Step::Move { from, to } => {
                    self.shift(*from, *to)?;
                }
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
        let write = Access {
            operand: tile,
            index,
            pad: None,
        };
        let nest = Nest::map(iters, Vec::new(), body.finish(vec![constant]), vec![write]);
        let engine = self.engine_of(tile);
        self.compute(&nest, engine)
    }

    /// Issues a load and gives its token; nothing for any other step.
    fn load(
        &mut self,
        step: &Step,
        starts: &[Value<'c, 'b>],
    ) -> Result<Option<Value<'c, 'b>>, IrError> {
        let Step::Load {
            slot,
            tile,
            start,
            pad,
        } = step
        else {
            return Ok(None);
        };
        if let Some(pad) = pad {
            self.fill(*tile, *pad)?;
        }
        let (slot, tile, clip) = (*slot, *tile, pad.is_some());
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
                    (
                        Number::Known(lo),
                        Number::Known((n + to.shape[d]).clamp(lo, from.shape[d])),
                    )
                }
                Number::Value(v) => {
                    let (x, zero) = (Affine::Iter(0), Affine::ZERO);
                    let end = Affine::Const(from.shape[d]);
                    let lo = self.affine("affine.max", &[x.clone(), zero], &[v])?;
                    let lo =
                        self.affine("affine.min", &[x.clone(), end.clone()], &[self.known(lo)?])?;
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
        self.copy(
            self.buffer(slot)?,
            &source,
            self.tile(tile),
            &target,
            &sizes,
            "mte2",
        )
        .map(Some)
    }

    fn minus(&self, a: Number<'c, 'b>, b: Number<'c, 'b>) -> Result<Number<'c, 'b>, IrError> {
        match (a, b) {
            (Number::Known(a), Number::Known(b)) => Ok(Number::Known(a - b)),
            (a, b) => {
                let over = [self.known(a)?, self.known(b)?];
                self.affine(
                    "affine.apply",
                    &[Affine::Iter(0) + Affine::Iter(1) * -1],
                    &over,
                )
            }
        }
    }

    fn store(
        &self,
        tile: TileId,
        slot: usize,
        start: &[Affine],
        starts: &[Value<'c, 'b>],
    ) -> Result<Value<'c, 'b>, IrError> {
        let shape = &self.chip.tiles[tile].ty.shape;
        let mut target = Vec::new();
        for first in start {
            target.push(self.affine("affine.apply", std::slice::from_ref(first), starts)?);
        }
        let zeros = vec![Number::Known(0); shape.len()];
        let sizes: Vec<_> = shape.iter().map(|&e| Number::Known(e)).collect();
        let engine = if self.chip.tiles[tile].space == Space::L0c {
            "fixpipe"
        } else {
            "mte3"
        };
        self.copy(
            self.tile(tile),
            &zeros,
            self.buffer(slot)?,
            &target,
            &sizes,
            engine,
        )
    }

    fn shift(&self, from: TileId, to: TileId) -> Result<Value<'c, 'b>, IrError> {
        let shape = &self.chip.tiles[from].ty.shape;
        let zeros = vec![Number::Known(0); shape.len()];
        let sizes: Vec<_> = shape.iter().map(|&e| Number::Known(e)).collect();
        let engine = match (self.chip.tiles[from].space, self.chip.tiles[to].space) {
            (Space::L1, _) => "mte1",
            (Space::L0c, _) => "fixpipe",
            (Space::Ub, _) => "mte3",
            _ => "mte2",
        };
        self.copy(
            self.tile(from),
            &zeros,
            self.tile(to),
            &zeros,
            &sizes,
            engine,
        )
    }

    fn copy(
        &self,
        source: Value<'c, 'b>,
        source_offsets: &[Number<'c, 'b>],
        target: Value<'c, 'b>,
        target_offsets: &[Number<'c, 'b>],
        sizes: &[Number<'c, 'b>],
        engine: &str,
    ) -> Result<Value<'c, 'b>, IrError> {
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
        let lists = [
            values(source_offsets),
            values(target_offsets),
            values(sizes),
        ];
        let segments: Vec<i32> = [1, 1]
            .into_iter()
            .chain(lists.iter().map(|l| l.len() as i32))
            .collect();
        let mut operands = vec![source, target];
        operands.extend(lists.iter().flatten());
        let parts = Parts {
            operands,
            results: vec![self.token_type()?],
            attributes: vec![
                ("static_source_offsets", fixed(source_offsets)),
                ("static_target_offsets", fixed(target_offsets)),
                ("static_sizes", fixed(sizes)),
                (
                    "engine",
                    parse(self.context, &format!("#npu<engine ({engine})>"))?,
                ),
                (
                    "operandSegmentSizes",
                    DenseI32ArrayAttribute::new(self.context, &segments).into(),
                ),
            ],
            ..Parts::default()
        };
        self.value("npu.copy", parts)
    }

    fn token_type(&self) -> Result<Type<'c>, IrError> {
        Type::parse(self.context, "!npu.token")
            .ok_or_else(|| IrError::Unsupported("type '!npu.token'".into()))
    }

    fn tile(&self, tile: TileId) -> Value<'c, 'b> {
        self.tiles[tile][self.turn]
    }

    fn buffer(&self, slot: usize) -> Result<Value<'c, 'b>, IrError> {
        self.buffers[slot]
            .ok_or_else(|| IrError::Missing(format!("slot {slot} lies in no device buffer")))
    }

    fn compute(&self, nest: &Nest, engine: &str) -> Result<(), IrError> {
        let region = Region::new();
        let block = region.append_block(Block::new(&[]));
        let tiles: Vec<_> = self.tiles.iter().map(|t| t[self.turn]).collect();
        emit_nest(
            self.context,
            block,
            self.place,
            nest,
            &tiles,
            &self.chip.tiles,
        )?;
        block.append_operation(operation(
            self.context,
            "npu.yield",
            self.place,
            Parts::default(),
        )?);
        let engine = parse(self.context, &format!("#npu<engine ({engine})>"))?;
        let attributes = vec![("engine", engine)];
        let parts = Parts {
            attributes,
            regions: vec![region],
            ..Parts::default()
        };
        self.append("npu.compute", parts).map(|_| ())
    }

    /// A writer for another block, with the tiles of a turn.
    fn inside<'d>(&self, block: &'d Block<'c>, turn: usize) -> Writer<'c, '_, 'd>
    where
        'b: 'd,
    {
        Writer {
            context: self.context,
            kernel: self.kernel,
            chip: self.chip,
            place: self.place,
            buffers: self.buffers.clone(),
            tiles: self.tiles.clone(),
            turn,
            block,
        }
    }

    fn with_turn(&self, turn: usize) -> Writer<'c, '_, 'b> {
        self.inside(self.block, turn)
    }

    /// The starts of a trip, after those of the grid axes. `trip` is an expression over one value.
    fn chunk_starts(
        &self,
        axes: &[ChunkAxis],
        trip: &Affine,
        over: &[Value<'c, 'b>],
        starts: &[Value<'c, 'b>],
    ) -> Result<Vec<Value<'c, 'b>>, IrError> {
        let mut chunks = Vec::new();
        let mut inner = 1;
        for axis in axes.iter().rev() {
            let trips = axis.extent / axis.chunk;
            let start = (trip.clone().floor_div(inner).modulo(trips) * axis.chunk)
                .simplify(&vec![total(axes); over.len()]);
            chunks.push(self.known(self.affine("affine.apply", &[start], over)?)?);
            inner *= trips;
        }
        chunks.reverse();
        Ok(starts.iter().copied().chain(chunks).collect())
    }

    fn loads(
        &mut self,
        body: &[Step],
        starts: &[Value<'c, 'b>],
    ) -> Result<Vec<Value<'c, 'b>>, IrError> {
        let mut tokens = Vec::new();
        for step in body {
            tokens.extend(self.load(step, starts)?);
        }
        Ok(tokens)
    }

    /// Waits for the loads of a trip, then does the rest of it.
    fn trip(
        &mut self,
        body: &[Step],
        tokens: &[Value<'c, 'b>],
        starts: &[Value<'c, 'b>],
    ) -> Result<(), IrError> {
        self.append(
            "npu.wait",
            Parts {
                operands: tokens.to_vec(),
                ..Parts::default()
            },
        )?;
        let rest = body.iter().filter(|s| !matches!(s, Step::Load { .. }));
        self.steps(&rest.cloned().collect::<Vec<_>>(), starts)
    }

    /// Two trips per iteration, one per buffer of the double tiles:
    ///
    /// ```text
    /// a = load(0, first)
    /// for j in 0..trips / 2, carrying a:
    ///     b = load(2 j + 1, second); wait a; rest(2 j, first)
    ///     a = load(2 j + 2, first) if there is one; wait b; rest(2 j + 1, second)
    /// wait a; rest(trips - 1, first)                               (an odd number of trips)
    /// ```
    fn chunks(
        &mut self,
        axes: &[ChunkAxis],
        body: &[Step],
        starts: &[Value<'c, 'b>],
    ) -> Result<(), IrError> {
        let trips = total(axes);
        let zero = self.chunk_starts(axes, &Affine::ZERO, &[], starts)?;
        let first = self.with_turn(0).loads(body, &zero)?;
        let token = self.token_type()?;
        let tokens = vec![token; first.len()];
        let mut bounds = vec![self.index(0)?, self.index(trips / 2)?, self.index(1)?];
        bounds.extend(&first);
        let mut arguments = vec![(Type::index(self.context), self.place)];
        arguments.extend(tokens.iter().map(|&t| (t, self.place)));
        let pair = Block::new(&arguments);
        self.pair(axes, body, starts, &pair)?;
        let region = Region::new();
        region.append_block(pair);
        let parts = Parts {
            operands: bounds,
            results: tokens,
            regions: vec![region],
            ..Parts::default()
        };
        let made = self.append("scf.for", parts)?;
        let left: Result<Vec<_>, _> = (0..first.len())
            .map(|i| made.result(i).map(lasting).map_err(missing))
            .collect();
        if trips % 2 == 1 {
            let last = self.chunk_starts(axes, &Affine::Const(trips - 1), &[], starts)?;
            return self.with_turn(0).trip(body, &left?, &last);
        }
        // Nothing is left under way, but only the tokens say so.
        self.append(
            "npu.wait",
            Parts {
                operands: left?,
                ..Parts::default()
            },
        )
        .map(|_| ())
    }

    fn pair(
        &self,
        axes: &[ChunkAxis],
        body: &[Step],
        starts: &[Value<'c, 'b>],
        pair: &Block<'c>,
    ) -> Result<(), IrError> {
        let (mut first, mut second) = (self.inside(pair, 0), self.inside(pair, 1));
        let count = lasting(pair.argument(0).map_err(missing)?);
        let carried: Result<Vec<_>, _> = (1..pair.argument_count())
            .map(|i| pair.argument(i).map(lasting).map_err(missing))
            .collect();
        let at = |offset: i64| Affine::Iter(0) * 2 + Affine::Const(offset);
        let odd = second.chunk_starts(axes, &at(1), &[count], starts)?;
        let ahead = second.loads(body, &odd)?;
        let even = first.chunk_starts(axes, &at(0), &[count], starts)?;
        first.trip(body, &carried?, &even)?;
        let next = self.next_even(axes, body, starts, &first, count)?;
        second.trip(body, &ahead, &odd)?;
        first
            .append(
                "scf.yield",
                Parts {
                    operands: next,
                    ..Parts::default()
                },
            )
            .map(|_| ())
    }

    /// Loads for the next even trip, if there is one.
    fn next_even<'d>(
        &self,
        axes: &[ChunkAxis],
        body: &[Step],
        starts: &[Value<'c, 'b>],
        outer: &Writer<'c, '_, 'd>,
        count: Value<'c, 'd>,
    ) -> Result<Vec<Value<'c, 'd>>, IrError>
    where
        'b: 'd,
    {
        let next = Affine::Iter(0) * 2 + Affine::Const(2);
        let trip = outer.affine("affine.apply", std::slice::from_ref(&next), &[count])?;
        let less = parse(self.context, "2 : i64")?;
        let condition = Parts {
            operands: vec![outer.known(trip)?, outer.index(total(axes))?],
            results: vec![melior::ir::r#type::IntegerType::new(self.context, 1).into()],
            attributes: vec![("predicate", less)],
            ..Parts::default()
        };
        let condition = outer.value("arith.cmpi", condition)?;
        let (then, otherwise) = (Block::new(&[]), Block::new(&[]));
        let issued = {
            let mut writer = outer.inside(&then, 0);
            let at = writer.chunk_starts(axes, &next, &[count], starts)?;
            let tokens = writer.loads(body, &at)?;
            let issued = tokens.len();
            writer.append(
                "scf.yield",
                Parts {
                    operands: tokens,
                    ..Parts::default()
                },
            )?;
            issued
        };
        {
            let writer = outer.inside(&otherwise, 0);
            let ready = Parts {
                results: vec![self.token_type()?],
                ..Parts::default()
            };
            let ready = writer.value("npu.ready", ready)?;
            writer.append(
                "scf.yield",
                Parts {
                    operands: vec![ready; issued],
                    ..Parts::default()
                },
            )?;
        }
        let regions = [then, otherwise].map(|block| {
            let region = Region::new();
            region.append_block(block);
            region
        });
        let parts = Parts {
            operands: vec![condition],
            results: vec![self.token_type()?; issued],
            regions: regions.into(),
            ..Parts::default()
        };
        let made = outer.append("scf.if", parts)?;
        (0..issued)
            .map(|i| made.result(i).map(lasting).map_err(missing))
            .collect()
    }
}

/// Number of trips over all chunks.
fn total(axes: &[ChunkAxis]) -> i64 {
    axes.iter().map(|a| a.extent / a.chunk).product()
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
