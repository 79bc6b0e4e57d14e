//! Loads, stores, moves and rearrangements as `npu.copy`.

use melior::ir::Value;
use melior::ir::attribute::DenseI32ArrayAttribute;
use sinter_ir::build::Parts;
use sinter_ir::error::IrError;
use sinter_ir::{affine, attr};
use sinter_loops::affine::Affine;
use sinter_loops::onchip::{Arrange, Place, Space, Step, TileId};
use sinter_loops::scalar::FloatBits;

use super::{Number, Writer, parse};

/// An extent or offset that is known when it runs.
const DYNAMIC: i64 = i64::MIN;

impl<'c, 'b> Writer<'c, '_, 'b> {
    /// Issues a transfer and gives its token; nothing for any other step.
    pub(super) fn transfer(
        &mut self,
        step: &Step,
        starts: &[Value<'c, 'b>],
    ) -> Result<Option<Value<'c, 'b>>, IrError> {
        let token = match step {
            Step::Load {
                slot,
                tile,
                start,
                pad,
            } => self.load(*slot, *tile, start, *pad, starts)?,
            Step::Store { tile, slot, start } => self.store(*tile, *slot, start, starts)?,
            Step::Move { from, to } => self.shift(*from, *to)?,
            Step::Arrange(arrange) => self.arrange(arrange, starts)?,
            _ => return Ok(None),
        };
        Ok(Some(token))
    }

    /// Issues a load and gives its token.
    fn load(
        &mut self,
        slot: usize,
        tile: TileId,
        start: &[Affine],
        pad: Option<FloatBits>,
        starts: &[Value<'c, 'b>],
    ) -> Result<Value<'c, 'b>, IrError> {
        if let Some(pad) = pad {
            self.fill(tile, pad)?;
        }
        let clip = pad.is_some();
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
        let engine = self.engine(tile);
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
        let engine = self.engine(from);
        self.copy(
            self.tile(from),
            &zeros,
            self.tile(to),
            &zeros,
            &sizes,
            engine,
        )
    }

    /// A transfer along maps: each dimension of the box is a sum of multiples of a position.
    fn arrange(
        &self,
        arrange: &Arrange,
        starts: &[Value<'c, 'b>],
    ) -> Result<Value<'c, 'b>, IrError> {
        let from = self.tile(arrange.from);
        let (to, engine) = match arrange.to {
            Place::Tile(to) => (self.tile(to), self.engine(arrange.from)),
            Place::Slot(slot) => (self.buffer(slot)?, self.engine(arrange.from)),
        };
        let offsets = |start: &[Affine]| -> Result<Vec<_>, IrError> {
            let one = |e: &Affine| self.affine("affine.apply", std::slice::from_ref(e), starts);
            start.iter().map(one).collect()
        };
        let sizes: Vec<_> = arrange.extents.iter().map(|&e| Number::Known(e)).collect();
        let (source, target) = (&arrange.source, &arrange.target);
        let maps = [Some(&source.index[..]), Some(&target.index[..])];
        self.copy_along(
            (from, &offsets(&source.start)?),
            (to, &offsets(&target.start)?),
            &sizes,
            maps,
            engine,
        )
    }

    /// The engine that moves a tile away.
    fn engine(&self, from: TileId) -> &'static str {
        match self.chip.tiles[from].space {
            Space::L1 => "mte1",
            Space::L0c => "fixpipe",
            Space::Ub => "mte3",
            Space::Workspace | Space::L0a | Space::L0b => "mte2",
        }
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
        let (source, target) = ((source, source_offsets), (target, target_offsets));
        self.copy_along(source, target, sizes, [None, None], engine)
    }

    fn copy_along(
        &self,
        (source, source_offsets): (Value<'c, 'b>, &[Number<'c, 'b>]),
        (target, target_offsets): (Value<'c, 'b>, &[Number<'c, 'b>]),
        sizes: &[Number<'c, 'b>],
        maps: [Option<&[Affine]>; 2],
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
        let mut attributes = Vec::new();
        for (name, map) in ["source_map", "target_map"].into_iter().zip(maps) {
            if let Some(index) = map {
                attributes.push((
                    name,
                    affine::to_map_attribute(self.context, sizes.len(), index),
                ));
            }
        }
        attributes.extend([
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
        ]);
        let parts = Parts {
            operands,
            results: vec![self.token_type()?],
            attributes,
            ..Parts::default()
        };
        self.value("npu.copy", parts)
    }
}
