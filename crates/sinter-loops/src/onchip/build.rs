//! From a scheduled kernel to steps over tiles, stage by stage.

use std::collections::BTreeMap;

use super::stage::Stage;
use super::{Machine, OnChip, OnChipError, Space, Tile, TileId};
use crate::kernel::{GridAxis, Kernel};
use crate::types::{ElementType, TensorType};

/// Lowers a scheduled kernel whose slots are physical.
///
/// # Errors
/// See [`OnChipError`]; the schedule is then not one for a scratchpad device.
pub fn lower(kernel: &Kernel, machine: &Machine) -> Result<OnChip, OnChipError> {
    let schedule = kernel.schedule.as_ref().ok_or(OnChipError::Unscheduled)?;
    let mut grid = schedule.grid.clone();
    for axis in &mut grid {
        axis.tile = axis.tile.clamp(1, axis.extent.max(1));
    }
    let mut builder = Builder {
        kernel,
        machine,
        grid: &grid,
        tiles: Vec::new(),
        temporaries: BTreeMap::new(),
    };
    let (mut steps, mut matrix, mut vector) = (Vec::new(), false, false);
    for (s, nest) in kernel.stages.iter().enumerate() {
        let chunks = schedule
            .stages
            .get(s)
            .map_or(&[][..], |p| &p.reduction_tile);
        let stage = Stage::new(&builder, s, nest, chunks);
        let form = stage.matrix_form(&builder)?;
        matrix |= form.is_some();
        vector |= form.is_none();
        steps.extend(match form {
            Some(form) => {
                let (made, finished) = stage.matrix_steps(&form, &mut builder)?;
                vector |= finished;
                made
            }
            None => stage.vector_steps(&mut builder)?,
        });
    }
    let tiles = builder.tiles;
    Ok(OnChip {
        grid,
        tiles,
        steps,
        matrix,
        vector,
    })
}

/// What has been made so far.
pub(super) struct Builder<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) machine: &'k Machine,
    pub(super) grid: &'k [GridAxis],
    pub(super) tiles: Vec<Tile>,
    pub(super) temporaries: BTreeMap<usize, TileId>,
}

impl Builder<'_> {
    pub(super) fn tile(&mut self, space: Space, element: ElementType, shape: Vec<i64>) -> TileId {
        self.tiles.push(Tile {
            space,
            ty: TensorType::new(element, shape),
            double: false,
        });
        self.tiles.len() - 1
    }

    pub(super) fn element(&self, slot: usize) -> ElementType {
        self.kernel.slots[slot].ty.element
    }
}
