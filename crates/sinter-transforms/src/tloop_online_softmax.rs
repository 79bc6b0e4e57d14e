//! `tloop-online-softmax`: the form of a softmax.
//!
//! Takes placed kernels. Leaves `softmax(s) v` as `(exp(s - m) v) / l`, whole rows or chunk by chunk
//! with what went before rescaled, so that no whole row of scores is on chip; exponentials stored once,
//! rows multiplied by the reciprocal of their sum. Other kernels stay as they are. The forms are of the
//! numerics class `reassociating`: without options, a kernel gets the one whose number came along
//! (`tloop.form`), which was priced, so that the limit of fusion holds here.

use melior::ir::operation::{OperationLike, OperationRef};
use sinter_device::{Device, forms};
use sinter_ir::attr;
use sinter_ir::kernel::FORM;
use sinter_loops::attention::{late_normalisation, online_softmax};
use sinter_loops::kernel::Kernel;
use sinter_pass::{Failure, Pass, PassInfo};

use crate::kernels::{transform, without_attribute};

sinter_pass::options! {
    /// Options of [`TloopOnlineSoftmax`].
    pub struct TloopOnlineSoftmaxOptions {
        /// Device name or file for which the schedule was planned
        device: String = "host".to_owned(),
        /// Columns of scores at a time, in every kernel where that divides the row
        chunk: u64 = 0,
        /// Divide after the product in every kernel
        late: bool = false,
    }
}

/// The pass.
pub struct TloopOnlineSoftmax;

impl Pass for TloopOnlineSoftmax {
    type Options = TloopOnlineSoftmaxOptions;

    const INFO: PassInfo = PassInfo {
        name: "tloop-online-softmax",
        summary: "A softmax that a product uses is divided late, or computed in chunks",
        description: "Gives a kernel with softmax(s) v the form that its planned schedule is of, or \
                      the one that the options ask for. Numerics class: reassociating.",
        anchor: Some("builtin.module"),
        dialects: &["tensor", "tloop"],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        let device = Device::load(&options.device)?;
        transform(op, |op, kernel| {
            if kernel.schedule.is_some() {
                return Ok(kernel);
            }
            let asked = match options.chunk {
                0 if options.late => late_normalisation(&kernel),
                0 => planned_form(op, &kernel, &device),
                chunk => i64::try_from(chunk)
                    .ok()
                    .and_then(|chunk| online_softmax(&kernel, chunk)),
            };
            Ok(asked.unwrap_or(kernel))
        })?;
        without_attribute(op, FORM)
    }
}

/// The form that fusion chose.
fn planned_form(op: OperationRef<'_, '_>, kernel: &Kernel, device: &Device) -> Option<Kernel> {
    let form = attr::as_int(op.attribute(FORM).ok()?)?;
    forms(kernel, device)
        .into_iter()
        .nth(usize::try_from(form).ok()?)
}
