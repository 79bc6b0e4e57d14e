//! `tloop-schedule`: how each kernel's loops become blocks, register tiles and vectors.
//!
//! Takes placed kernels of physical shape. Leaves each with the device's schedule: the one that fusion
//! priced, where the kernel brings it along (`tloop.planned`), else the cheapest that the price model
//! finds. Kernels that have a schedule keep it. Emits an analysis remark with the price. Refuses
//! kernels of which no tile fits the device.

use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef, OperationRefMut};
use sinter_device::{Device, Refusal, schedule};
use sinter_ir::kernel::schedule_from_attribute;
use sinter_loops::kernel::{Kernel, Schedule};
use sinter_pass::remark::{Remark, emit_remark};
use sinter_pass::{Failure, Pass, PassInfo};

use crate::kernels::{Refused, kernels, transform};

/// The schedule that fusion priced, on a kernel that is not scheduled yet.
pub const PLANNED: &str = "tloop.planned";

sinter_pass::options! {
    /// Options of [`TloopSchedule`].
    pub struct TloopScheduleOptions {
        /// Device name or file
        device: String = "host".to_owned(),
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
        transform(op, |op, kernel| scheduled(op, kernel, &device))?;
        for kernel in kernels(op) {
            // SAFETY: the reference is used once, while nothing else refers to the operation.
            let mut kernel = unsafe { OperationRefMut::from_raw(kernel.to_raw()) };
            if kernel.has_attribute(PLANNED) {
                kernel.remove_attribute(PLANNED)?;
            }
        }
        Ok(())
    }
}

fn scheduled(
    op: OperationRef<'_, '_>,
    mut kernel: Kernel,
    device: &Device,
) -> Result<Kernel, Refused> {
    if kernel.schedule.is_some() {
        return Ok(kernel);
    }
    let (cheapest, price) = schedule(&kernel, device).map_err(refused)?;
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
    kernel.schedule = Some(planned(op, &kernel).unwrap_or(cheapest));
    Ok(kernel)
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
        Refusal::Footprint { .. } => "footprint-exceeds-space",
        Refusal::Stages(_) => "stages-cannot-be-placed",
        Refusal::Empty => "computes-nothing",
    };
    Refused {
        code,
        message: refusal.to_string(),
    }
}
