//! A kernel for a scratchpad device: tiles, transfers on routes, compute regions and matrix steps on
//! tiles.
//!
//! Transfers to double tiles are issued one trip of their loop ahead, into two buffers in turn, and
//! waited for by the tokens that the loop carries. Other transfers stand in sequential order;
//! `npu-insert-sync` adds their waits.
//!
//! | module | holds |
//! |---|---|
//! | `transfers` | loads, stores, moves and rearrangements as `npu.copy` |
//! | `compute` | steps that an engine carries out |
//! | `chunks` | loops over chunks |

mod chunks;
mod compute;
mod transfers;

use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::OperationRef;
use melior::ir::r#type::{FunctionType, MemRefType};
use melior::ir::{
    Attribute, Block, BlockLike, Location, Operation, Region, RegionLike, Type, Value,
};
use sinter_ir::build::{Parts, lasting, operation};
use sinter_ir::error::{IrError, missing};
use sinter_ir::{affine, attr, location, types};
use sinter_loops::affine::Affine;
use sinter_loops::kernel::{Kernel, Role};
use sinter_loops::onchip::{OnChip, Space, Step, TileId};
use sinter_loops::types::TensorType;

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
            turns: vec![0; chip.tiles.len()],
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

/// Appends the steps of one kernel to a block.
struct Writer<'c, 'k, 'b> {
    context: &'c melior::Context,
    kernel: &'k Kernel,
    chip: &'k OnChip,
    place: Location<'c>,
    buffers: Vec<Option<Value<'c, 'b>>>,
    /// The two buffers of each tile; the same one twice where it is not double.
    tiles: Vec<[Value<'c, 'b>; 2]>,
    /// Which of the two is in use.
    turns: Vec<usize>,
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
                Step::Load { .. } | Step::Store { .. } | Step::Move { .. } | Step::Arrange(_) => {
                    self.transfer(step, starts)?;
                }
                Step::Positions { tile, start } => self.positions(*tile, start, starts)?,
                Step::Compute(nest) => self.compute(nest, "vector")?,
                Step::Multiply {
                    left,
                    right,
                    accumulator,
                    init,
                } => self.multiply([*left, *right, *accumulator], *init)?,
                Step::Chunks { axes, body } => self.chunks(axes, body, starts)?,
            }
        }
        Ok(())
    }

    fn token_type(&self) -> Result<Type<'c>, IrError> {
        Type::parse(self.context, "!npu.token")
            .ok_or_else(|| IrError::Unsupported("type '!npu.token'".into()))
    }

    fn tile(&self, tile: TileId) -> Value<'c, 'b> {
        self.tiles[tile][self.turns[tile]]
    }

    fn buffer(&self, slot: usize) -> Result<Value<'c, 'b>, IrError> {
        self.buffers[slot]
            .ok_or_else(|| IrError::Missing(format!("slot {slot} lies in no device buffer")))
    }

    /// A writer for another block, with some tiles in a turn.
    fn inside<'d>(&self, block: &'d Block<'c>, tiles: &[TileId], turn: usize) -> Writer<'c, '_, 'd>
    where
        'b: 'd,
    {
        let mut turns = self.turns.clone();
        for &tile in tiles {
            turns[tile] = turn;
        }
        Writer {
            context: self.context,
            kernel: self.kernel,
            chip: self.chip,
            place: self.place,
            buffers: self.buffers.clone(),
            tiles: self.tiles.clone(),
            turns,
            block,
        }
    }
}
