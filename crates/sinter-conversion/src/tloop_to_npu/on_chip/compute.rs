//! Steps that an engine carries out.

use melior::ir::{Attribute, Block, BlockLike, Region, RegionLike, Value};
use sinter_ir::build::{Parts, lasting, operation};
use sinter_ir::emitter::Emitter;
use sinter_ir::error::IrError;
use sinter_loops::affine::Affine;
use sinter_loops::nest::{Access, Iter, Nest};
use sinter_loops::onchip::{Space, TileId};
use sinter_loops::scalar::{BodyBuilder, FloatBits, Inst};

use super::super::emit_nest;
use super::{Writer, parse};

impl<'c, 'b> Writer<'c, '_, 'b> {
    fn engine_of(&self, tile: TileId) -> &'static str {
        match self.chip.tiles[tile].space {
            Space::L0a | Space::L0b | Space::L0c | Space::L1 => "cube",
            Space::Ub | Space::Workspace => "vector",
        }
    }

    pub(super) fn fill(&mut self, tile: TileId, value: FloatBits) -> Result<(), IrError> {
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

    /// A nest over tiles.
    pub(super) fn compute(&self, nest: &Nest, engine: &str) -> Result<(), IrError> {
        let region = Region::new();
        let block = region.append_block(Block::new(&[]));
        let tiles: Vec<_> = (0..self.tiles.len()).map(|t| self.tile(t)).collect();
        emit_nest(
            self.context,
            block,
            self.place,
            nest,
            &tiles,
            &self.chip.tiles,
        )?;
        self.on_engine(region, engine)
    }

    /// `start`, `start + 1`, ... in a tile of one dimension.
    pub(super) fn positions(
        &self,
        tile: TileId,
        start: &Affine,
        starts: &[Value<'c, 'b>],
    ) -> Result<(), IrError> {
        let start = self.affine("affine.apply", std::slice::from_ref(start), starts)?;
        let start = lasting(self.known(start)?);
        let region = Region::new();
        let block = region.append_block(Block::new(&[]));
        let mut emitter = Emitter::new(self.context, self.place, block);
        let bounds = [0, self.chip.tiles[tile].ty.shape[0], 1].map(|n| emitter.index(n));
        let each = emitter.begin_for(bounds[0], bounds[1], bounds[2], &[]);
        let position = emitter.addi(start, each.iv);
        let number = emitter.int_type(64);
        let position = emitter.convert("arith.index_cast", position, number);
        emitter.store(position, lasting(self.tile(tile)), each.iv);
        emitter.end_for(each, &[]);
        self.on_engine(region, "vector")
    }

    /// A step of the matrix unit.
    pub(super) fn multiply(&self, tiles: [TileId; 3], init: bool) -> Result<(), IrError> {
        let unit = init.then(|| ("init", Attribute::unit(self.context)));
        let parts = Parts {
            operands: tiles.iter().map(|&t| self.tile(t)).collect(),
            attributes: unit.into_iter().collect(),
            ..Parts::default()
        };
        self.append("npu.mma", parts).map(|_| ())
    }

    /// A compute region of one block that lacks its end.
    fn on_engine(&self, region: Region<'c>, engine: &str) -> Result<(), IrError> {
        if let Some(block) = region.first_block() {
            block.append_operation(operation(
                self.context,
                "npu.yield",
                self.place,
                Parts::default(),
            )?);
        }
        let engine = parse(self.context, &format!("#npu<engine ({engine})>"))?;
        let parts = Parts {
            attributes: vec![("engine", engine)],
            regions: vec![region],
            ..Parts::default()
        };
        self.append("npu.compute", parts).map(|_| ())
    }
}
