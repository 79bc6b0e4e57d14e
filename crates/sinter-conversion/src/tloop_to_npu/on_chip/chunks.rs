//! Loops over chunks.

use melior::ir::{Block, BlockLike, Region, RegionLike, Type, Value};
use sinter_ir::build::{Parts, lasting};
use sinter_ir::error::{IrError, missing};
use sinter_loops::affine::Affine;
use sinter_loops::onchip::{ChunkAxis, Place, Step, TileId};

use super::{Writer, parse};

/// The steps of one trip: transfers that are issued a trip ahead, and the rest.
struct Trip<'s> {
    axes: &'s [ChunkAxis],
    ahead: &'s [Step],
    rest: &'s [Step],
    /// Tiles that the transfers fill.
    tiles: Vec<TileId>,
}

/// The tile that a transfer fills.
fn filled(step: &Step) -> Option<TileId> {
    match step {
        Step::Load { tile, .. } => Some(*tile),
        Step::Arrange(arrange) => match arrange.to {
            Place::Tile(tile) => Some(tile),
            Place::Slot(_) => None,
        },
        _ => None,
    }
}

impl<'c, 'b> Writer<'c, '_, 'b> {
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
        steps: &[Step],
        starts: &[Value<'c, 'b>],
    ) -> Result<Vec<Value<'c, 'b>>, IrError> {
        let mut tokens = Vec::new();
        for step in steps {
            tokens.extend(self.transfer(step, starts)?);
        }
        Ok(tokens)
    }

    /// Waits for the transfers of a trip, then does the rest of it.
    fn trip(
        &mut self,
        trip: &Trip<'_>,
        tokens: &[Value<'c, 'b>],
        starts: &[Value<'c, 'b>],
    ) -> Result<(), IrError> {
        self.wait(tokens.to_vec())?;
        self.steps(trip.rest, starts)
    }

    fn wait(&self, operands: Vec<Value<'c, 'b>>) -> Result<(), IrError> {
        let parts = Parts {
            operands,
            ..Parts::default()
        };
        self.append("npu.wait", parts).map(|_| ())
    }

    fn on<'d>(&'d self, trip: &Trip<'_>, turn: usize) -> Writer<'c, 'd, 'b> {
        self.inside(self.block, &trip.tiles, turn)
    }

    pub(super) fn chunks(
        &mut self,
        axes: &[ChunkAxis],
        body: &[Step],
        starts: &[Value<'c, 'b>],
    ) -> Result<(), IrError> {
        let double = |step: &&Step| filled(step).filter(|&tile| self.chip.tiles[tile].double);
        let tiles: Vec<_> = body.iter().map_while(|step| double(&step)).collect();
        let (ahead, rest) = body.split_at(tiles.len());
        let trip = Trip {
            axes,
            ahead,
            rest,
            tiles,
        };
        match ahead {
            [] => self.one_by_one(&trip, starts),
            _ => self.alternating(&trip, starts),
        }
    }

    /// One trip after the other.
    fn one_by_one(&self, trip: &Trip<'_>, starts: &[Value<'c, 'b>]) -> Result<(), IrError> {
        let bounds = vec![
            self.index(0)?,
            self.index(total(trip.axes))?,
            self.index(1)?,
        ];
        let block = Block::new(&[(Type::index(self.context), self.place)]);
        {
            let mut inside = self.inside(&block, &[], 0);
            let count = lasting(block.argument(0).map_err(missing)?);
            let at = inside.chunk_starts(trip.axes, &Affine::Iter(0), &[count], starts)?;
            inside.steps(trip.rest, &at)?;
            inside.append("scf.yield", Parts::default())?;
        }
        let region = Region::new();
        region.append_block(block);
        let parts = Parts {
            operands: bounds,
            regions: vec![region],
            ..Parts::default()
        };
        self.append("scf.for", parts).map(|_| ())
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
    fn alternating(&mut self, trip: &Trip<'_>, starts: &[Value<'c, 'b>]) -> Result<(), IrError> {
        let axes = trip.axes;
        let trips = total(axes);
        let zero = self.chunk_starts(axes, &Affine::ZERO, &[], starts)?;
        let first = self.on(trip, 0).loads(trip.ahead, &zero)?;
        let token = self.token_type()?;
        let tokens = vec![token; first.len()];
        let mut bounds = vec![self.index(0)?, self.index(trips / 2)?, self.index(1)?];
        bounds.extend(&first);
        let mut arguments = vec![(Type::index(self.context), self.place)];
        arguments.extend(tokens.iter().map(|&t| (t, self.place)));
        let pair = Block::new(&arguments);
        self.pair(trip, starts, &pair)?;
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
            return self.on(trip, 0).trip(trip, &left?, &last);
        }
        // Nothing is left under way, but only the tokens say so.
        self.wait(left?)
    }

    fn pair(
        &self,
        trip: &Trip<'_>,
        starts: &[Value<'c, 'b>],
        pair: &Block<'c>,
    ) -> Result<(), IrError> {
        let axes = trip.axes;
        let [mut first, mut second] = [0, 1].map(|turn| self.inside(pair, &trip.tiles, turn));
        let count = lasting(pair.argument(0).map_err(missing)?);
        let carried: Result<Vec<_>, _> = (1..pair.argument_count())
            .map(|i| pair.argument(i).map(lasting).map_err(missing))
            .collect();
        let at = |offset: i64| Affine::Iter(0) * 2 + Affine::Const(offset);
        let odd = second.chunk_starts(axes, &at(1), &[count], starts)?;
        let ahead = second.loads(trip.ahead, &odd)?;
        let even = first.chunk_starts(axes, &at(0), &[count], starts)?;
        first.trip(trip, &carried?, &even)?;
        let next = self.next_even(trip, starts, &first, count)?;
        second.trip(trip, &ahead, &odd)?;
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
        trip: &Trip<'_>,
        starts: &[Value<'c, 'b>],
        outer: &Writer<'c, '_, 'd>,
        count: Value<'c, 'd>,
    ) -> Result<Vec<Value<'c, 'd>>, IrError>
    where
        'b: 'd,
    {
        let axes = trip.axes;
        let next = Affine::Iter(0) * 2 + Affine::Const(2);
        let number = outer.affine("affine.apply", std::slice::from_ref(&next), &[count])?;
        let less = parse(self.context, "2 : i64")?;
        let condition = Parts {
            operands: vec![outer.known(number)?, outer.index(total(axes))?],
            results: vec![melior::ir::r#type::IntegerType::new(self.context, 1).into()],
            attributes: vec![("predicate", less)],
            ..Parts::default()
        };
        let condition = outer.value("arith.cmpi", condition)?;
        let (then, otherwise) = (Block::new(&[]), Block::new(&[]));
        let issued = {
            let mut writer = outer.inside(&then, &trip.tiles, 0);
            let at = writer.chunk_starts(axes, &next, &[count], starts)?;
            let tokens = writer.loads(trip.ahead, &at)?;
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
            let writer = outer.inside(&otherwise, &[], 0);
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
