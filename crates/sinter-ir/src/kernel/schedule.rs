//! Layouts and schedules as attributes of the `tloop` dialect.

use melior::ir::attribute::ArrayAttribute;
use melior::ir::{AffineMap, Attribute, AttributeLike, Location};
use mlir_sys::MlirAttribute;
use sinter_loops::affine::Affine;
use sinter_loops::kernel::{GridAxis, Jam, Layout, PhysicalDim, Schedule, StageSchedule};
use sinter_sys::attributes::{graph, tloop};

use crate::affine::{from_map_attribute, to_expr};
use crate::attr;
use crate::error::IrError;

/// Attribute of a kernel: the schedule that fusion priced, for `tloop-schedule`.
pub const PLANNED: &str = "tloop.planned";
/// Attribute of a kernel: the number of the form that fusion priced, which the kernel does not have yet, for
/// `tloop-online-softmax`.
pub const FORM: &str = "tloop.form";

/// `#tloop.layout` of a layout.
///
/// # Errors
/// When the layout is none: a dimension is missing, or split into different blocks.
pub fn layout_to_attribute<'c>(
    context: &'c melior::Context,
    layout: &Layout,
) -> Result<Attribute<'c>, IrError> {
    let map = layout_map(context, layout);
    made(context, "layout", |location| {
        // SAFETY: the map is alive and of the location's context.
        unsafe { tloop::sinterTloopLayoutAttrGet(location, map.to_raw()) }
    })
}

/// `#graph.layout` of a layout.
///
/// # Errors
/// As [`layout_to_attribute`].
pub fn graph_layout_to_attribute<'c>(
    context: &'c melior::Context,
    layout: &Layout,
) -> Result<Attribute<'c>, IrError> {
    let map = layout_map(context, layout);
    made(context, "layout", |location| {
        // SAFETY: the map is alive and of the location's context.
        unsafe { graph::sinterGraphLayoutAttrGet(location, map.to_raw()) }
    })
}

/// Makes an attribute; null means that the dialect refused it, with a diagnostic.
fn made<'c>(
    context: &'c melior::Context,
    what: &str,
    make: impl FnOnce(mlir_sys::MlirLocation) -> MlirAttribute,
) -> Result<Attribute<'c>, IrError> {
    let capture = crate::diagnostic::Capture::start(context);
    // SAFETY: what is made belongs to the context, and null is looked for.
    unsafe { Attribute::from_option_raw(make(Location::unknown(context).to_raw())) }
        .ok_or_else(|| IrError::Unsupported(format!("{what}: {}", capture.finish())))
}

fn layout_map<'c>(context: &'c melior::Context, layout: &Layout) -> AffineMap<'c> {
    let dim = |d: usize| Box::new(Affine::Iter(d));
    let results: Vec<_> = layout
        .dims
        .iter()
        .map(|p| match *p {
            PhysicalDim::Whole(d) => Affine::Iter(d),
            PhysicalDim::Outer(d, block) => Affine::FloorDiv(dim(d), block),
            PhysicalDim::Inner(d, block) => Affine::Mod(dim(d), block),
        })
        .map(|index| to_expr(context, &index))
        .collect();
    let logical = |dim: &PhysicalDim| match *dim {
        PhysicalDim::Whole(d) | PhysicalDim::Outer(d, _) | PhysicalDim::Inner(d, _) => d,
    };
    let rank = layout
        .dims
        .iter()
        .map(|p| 1 + logical(p))
        .max()
        .unwrap_or(0);
    AffineMap::new(context, rank, 0, &results)
}

/// The layout of a `#tloop.layout` or `#graph.layout`; `None` for any other attribute.
pub fn layout_from_attribute(attribute: Attribute<'_>) -> Option<Layout> {
    let raw = attribute.to_raw();
    // SAFETY: each getter is called on the kind of attribute that was just asked for.
    let map = unsafe {
        let map = if tloop::sinterAttributeIsATloopLayoutAttr(raw) {
            tloop::sinterTloopLayoutAttrMap(raw)
        } else if graph::sinterAttributeIsAGraphLayoutAttr(raw) {
            graph::sinterGraphLayoutAttrMap(raw)
        } else {
            return None;
        };
        Attribute::from_raw(mlir_sys::mlirAffineMapAttrGet(map))
    };
    let (_, results) = from_map_attribute(map).ok()?;
    let dims: Option<Vec<_>> = results.iter().map(physical_dim).collect();
    dims.map(|dims| Layout { dims })
}

/// The physical dimension that a result of a layout's map is.
pub(crate) fn physical_dim(result: &Affine) -> Option<PhysicalDim> {
    let dim = |a: &Affine| match a {
        Affine::Iter(d) => Some(*d),
        _ => None,
    };
    match result {
        Affine::Iter(d) => Some(PhysicalDim::Whole(*d)),
        Affine::FloorDiv(a, block) => Some(PhysicalDim::Outer(dim(a)?, *block)),
        Affine::Mod(a, block) => Some(PhysicalDim::Inner(dim(a)?, *block)),
        _ => None,
    }
}

/// `#tloop.schedule` of a schedule.
///
/// # Errors
/// When the dialect does not take the schedule.
pub fn schedule_to_attribute<'c>(
    context: &'c melior::Context,
    schedule: &Schedule,
) -> Result<Attribute<'c>, IrError> {
    let axes: Result<Vec<_>, _> = schedule.grid.iter().map(|a| axis(context, a)).collect();
    let stages: Result<Vec<_>, _> = schedule.stages.iter().map(|s| stage(context, s)).collect();
    let axes = ArrayAttribute::new(context, &axes?);
    let stages = ArrayAttribute::new(context, &stages?);
    made(context, "schedule", |location| {
        // SAFETY: both arrays are alive and of the location's context.
        unsafe { tloop::sinterTloopScheduleAttrGet(location, axes.to_raw(), stages.to_raw()) }
    })
}

fn axis<'c>(context: &'c melior::Context, axis: &GridAxis) -> Result<Attribute<'c>, IrError> {
    let iters: Vec<i64> = axis
        .iters
        .iter()
        .map(|i| i.map_or(-1, |i| i as i64))
        .collect();
    let iters = attr::ints(context, &iters);
    made(context, "grid axis", |location| {
        // SAFETY: the array is alive and of the location's context.
        unsafe { tloop::sinterTloopAxisAttrGet(location, axis.extent, axis.tile, iters.to_raw()) }
    })
}

fn stage<'c>(
    context: &'c melior::Context,
    stage: &StageSchedule,
) -> Result<Attribute<'c>, IrError> {
    let order: Vec<i64> = stage.order.iter().map(|&i| i as i64).collect();
    let order = attr::ints(context, &order);
    let reduction_tile = attr::ints(context, &stage.reduction_tile);
    let (vector, rows) = (stage.vector.map(|i| i as i64), stage.rows.map(|i| i as i64));
    let (jam, jam_tile) = (stage.jam.map(|j| j.iter as i64), stage.jam.map(|j| j.tile));
    let pointer = |value: &Option<i64>| value.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    made(context, "stage schedule", |location| {
        // SAFETY: the arrays are alive and of the location's context, the pointers are null or valid
        // during the call.
        unsafe {
            tloop::sinterTloopStageAttrGet(
                location,
                order.to_raw(),
                pointer(&vector),
                stage.lanes,
                stage.vectors,
                pointer(&rows),
                stage.row_tile,
                pointer(&jam),
                pointer(&jam_tile),
                stage.unroll,
                reduction_tile.to_raw(),
            )
        }
    })
}

/// The schedule of a `#tloop.schedule`.
///
/// # Errors
/// When the attribute is another.
pub fn schedule_from_attribute(attribute: Attribute<'_>) -> Result<Schedule, IrError> {
    let other = || IrError::Unsupported(format!("schedule '{attribute}'"));
    let raw = attribute.to_raw();
    // SAFETY: the getters are called on the kind of attribute that was asked for first.
    let (grid, stages) = unsafe {
        if !tloop::sinterAttributeIsATloopScheduleAttr(raw) {
            return Err(other());
        }
        let part = |raw| attr::as_array(Attribute::from_raw(raw)).unwrap_or_default();
        (
            part(tloop::sinterTloopScheduleAttrGrid(raw)),
            part(tloop::sinterTloopScheduleAttrStages(raw)),
        )
    };
    let grid: Option<_> = grid.into_iter().map(read_axis).collect();
    let stages: Option<_> = stages.into_iter().map(read_stage).collect();
    Ok(Schedule {
        grid: grid.ok_or_else(other)?,
        stages: stages.ok_or_else(other)?,
    })
}

fn read_axis(attribute: Attribute<'_>) -> Option<GridAxis> {
    let raw = attribute.to_raw();
    // SAFETY: the getters are called on the kind of attribute that was asked for first.
    unsafe {
        tloop::sinterAttributeIsATloopAxisAttr(raw).then(|| GridAxis {
            extent: tloop::sinterTloopAxisAttrExtent(raw),
            tile: tloop::sinterTloopAxisAttrTile(raw),
            iters: integers(tloop::sinterTloopAxisAttrIters(raw))
                .into_iter()
                .map(|i| usize::try_from(i).ok())
                .collect(),
        })
    }
}

fn read_stage(attribute: Attribute<'_>) -> Option<StageSchedule> {
    let raw = attribute.to_raw();
    // SAFETY: the getters are called on the kind of attribute that was asked for first.
    unsafe {
        tloop::sinterAttributeIsATloopStageAttr(raw).then(|| StageSchedule {
            order: integers(tloop::sinterTloopStageAttrOrder(raw))
                .into_iter()
                .map(|i| i as usize)
                .collect(),
            vector: optional(|out| tloop::sinterTloopStageAttrVector(raw, out)),
            lanes: tloop::sinterTloopStageAttrLanes(raw),
            vectors: tloop::sinterTloopStageAttrVectors(raw),
            rows: optional(|out| tloop::sinterTloopStageAttrRows(raw, out)),
            row_tile: tloop::sinterTloopStageAttrRowTile(raw),
            jam: optional(|out| tloop::sinterTloopStageAttrJam(raw, out)).map(|iter| Jam {
                iter,
                tile: optional(|out| tloop::sinterTloopStageAttrJamTile(raw, out))
                    .map_or(1, |tile| tile as i64),
            }),
            unroll: tloop::sinterTloopStageAttrUnroll(raw),
            reduction_tile: integers(tloop::sinterTloopStageAttrReductionTile(raw)),
        })
    }
}

fn optional(read: impl FnOnce(*mut i64) -> bool) -> Option<usize> {
    let mut value = 0;
    read(&raw mut value).then_some(value as usize)
}

/// # Safety
/// The attribute is alive.
unsafe fn integers(raw: MlirAttribute) -> Vec<i64> {
    // SAFETY: by the contract above.
    attr::as_ints(unsafe { Attribute::from_raw(raw) }).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;

    fn schedule() -> Schedule {
        let stage = StageSchedule {
            order: vec![0, 1, 2],
            vector: Some(1),
            lanes: 8,
            vectors: 3,
            rows: None,
            row_tile: 1,
            jam: Some(Jam { iter: 0, tile: 2 }),
            unroll: 4,
            reduction_tile: vec![16],
        };
        Schedule {
            grid: vec![GridAxis {
                extent: 56,
                tile: 4,
                iters: vec![Some(1), None],
            }],
            stages: vec![stage, StageSchedule::default()],
        }
    }

    #[test]
    fn schedules_come_back() {
        let context = Context::new();
        for schedule in [
            schedule(),
            Schedule {
                grid: vec![],
                stages: vec![],
            },
        ] {
            let attribute = schedule_to_attribute(&context, &schedule).unwrap();
            assert_eq!(schedule_from_attribute(attribute).unwrap(), schedule);
        }
    }

    #[test]
    fn layouts_come_back() {
        let context = Context::new();
        let layout = Layout {
            dims: vec![
                PhysicalDim::Whole(0),
                PhysicalDim::Outer(1, 8),
                PhysicalDim::Whole(2),
                PhysicalDim::Inner(1, 8),
            ],
        };
        let attribute = layout_to_attribute(&context, &layout).unwrap();
        assert_eq!(layout_from_attribute(attribute), Some(layout));
        assert_eq!(layout_from_attribute(Attribute::unit(&context)), None);
    }
}
