//! `tloop-schedule`: how each kernel's loops become blocks, register tiles and vectors.
//!
//! Takes placed kernels of physical shape. Leaves each with the device's schedule: the one that fusion
//! priced, where the kernel brings it along (`tloop.planned`), else the cheapest that the price model
//! finds. Kernels that have a schedule keep it, unless `replace` is set. `tiles`, `rows`, `jam` and `vectors` set parts of the
//! schedule by hand, for studies: transform scripts sweep them (`examples/transform`). Emits an analysis remark
//! with the price. Refuses kernels of which no tile fits the device, and sizes that are none of the kernel's.

use melior::ir::operation::{OperationLike, OperationRef};
use sinter_device::{Device, Refusal, price_of, schedule};
use sinter_ir::kernel::{PLANNED, schedule_from_attribute};
use sinter_loops::kernel::{Kernel, Schedule};
use sinter_pass::remark::{Remark, emit_remark};
use sinter_pass::{Failure, Pass, PassInfo};

use crate::kernels::{Refused, transform, without_attribute};

/// Most rows, and most vectors, of a register tile that is set by hand.
const MOST_UNITS: usize = 1024;

sinter_pass::options! {
    /// Options of [`TloopSchedule`].
    pub struct TloopScheduleOptions {
        /// Device name or file
        device: String = "host".to_owned(),
        /// Points of each grid axis in one block, the outermost first, separated by ';'; 0 leaves one as chosen
        tiles: Vec<String> = Vec::new(),
        /// Rows of the register tiles; 0 leaves them as chosen
        rows: usize = 0,
        /// Points of a second iterator that register tiles have their rows at; 0 leaves them as chosen
        jam: usize = 0,
        /// Vectors of the register tiles; 0 leaves them as chosen
        vectors: usize = 0,
        /// Kernels that have a schedule get another
        replace: bool = false,
    }
}

/// The pass.
pub struct TloopSchedule;

impl Pass for TloopSchedule {
    type Options = TloopScheduleOptions;

    const INFO: PassInfo = PassInfo {
        name: "tloop-schedule",
        summary: "Blocks, register tiles and vectors for each kernel",
        description: "Takes the schedule that fusion priced, or the cheapest of the device's price \
                      model. Refuses kernels of which no tile fits.",
        anchor: Some("builtin.module"),
        dialects: &["tloop"],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        let device = Device::load(&options.device)?;
        transform(op, |op, kernel| scheduled(op, kernel, &device, options))?;
        without_attribute(op, PLANNED)
    }
}

fn scheduled(
    op: OperationRef<'_, '_>,
    mut kernel: Kernel,
    device: &Device,
    options: &TloopScheduleOptions,
) -> Result<Kernel, Refused> {
    if options.replace {
        kernel.schedule = None;
    }
    if kernel.schedule.is_some() {
        return Ok(kernel);
    }
    let (cheapest, mut price) = schedule(&kernel, device).map_err(refused)?;
    let mut chosen = planned(op, &kernel).unwrap_or(cheapest);
    if set_by_hand(&mut chosen, options)? {
        price = price_of(&kernel, &chosen, device).map_err(refused)?;
    }
    let message = format!("takes {:.2} us on {}", price.total.ns() / 1e3, device.name);
    emit_remark(
        sinter_sys::shim::RemarkKind::Analysis,
        op.location(),
        &Remark {
            name: "price",
            category: TloopSchedule::INFO.name,
            function: &kernel.name,
            message: &message,
            ..Remark::default()
        },
    );
    kernel.schedule = Some(chosen);
    Ok(kernel)
}

/// Puts the sizes of the options into a schedule. Returns whether there are any.
fn set_by_hand(schedule: &mut Schedule, options: &TloopScheduleOptions) -> Result<bool, Refused> {
    let unfit = |message: String| Refused {
        code: "no-such-tile",
        message,
    };
    if options.tiles.len() > schedule.grid.len() {
        return Err(unfit(format!(
            "{} tiles are given for {} grid axes",
            options.tiles.len(),
            schedule.grid.len()
        )));
    }
    for (what, value) in [
        ("rows", options.rows),
        ("jammed points", options.jam),
        ("vectors", options.vectors),
    ] {
        if value > MOST_UNITS {
            return Err(unfit(format!(
                "{value} {what} are no register tile: give at most {MOST_UNITS}"
            )));
        }
    }
    for (axis, tile) in schedule.grid.iter_mut().zip(&options.tiles) {
        match tile.parse() {
            Ok(0) => {}
            Ok(tile) if (1..=axis.extent).contains(&tile) => axis.tile = tile,
            _ => {
                let extent = axis.extent;
                return Err(unfit(format!("'{tile}' is no tile of an axis of {extent}")));
            }
        }
    }
    for stage in &mut schedule.stages {
        if options.rows > 0 && stage.rows.is_some() {
            stage.row_tile = options.rows as i64;
        }
        if let Some(jam) = stage.jam.as_mut().filter(|_| options.jam > 0) {
            jam.tile = options.jam as i64;
        }
        if options.vectors > 0 && stage.vector.is_some() {
            stage.vectors = options.vectors as i64;
        }
    }
    let sizes = [options.rows, options.jam, options.vectors];
    Ok(sizes.iter().any(|&s| s > 0) || !options.tiles.is_empty())
}

/// The schedule that came along, if it is one of this kernel's stages.
fn planned(op: OperationRef<'_, '_>, kernel: &Kernel) -> Option<Schedule> {
    let schedule = schedule_from_attribute(op.attribute(PLANNED).ok()?).ok()?;
    let iters = |k: usize| kernel.stages.get(k).map(|nest| nest.iters.len());
    let fits = schedule.stages.len() == kernel.stages.len()
        && schedule
            .stages
            .iter()
            .enumerate()
            .all(|(k, s)| iters(k) == Some(s.order.len()));
    fits.then_some(schedule)
}

fn refused(refusal: Refusal) -> Refused {
    let code = match refusal {
        Refusal::Footprint(_) => "footprint-exceeds-space",
        Refusal::Stages(_) => "stages-cannot-be-placed",
        Refusal::Empty => "computes-nothing",
    };
    Refused {
        code,
        message: refusal.to_string(),
    }
}
