//! `tloop-pack-constants`: layouts for the weights of contractions.
//!
//! Takes unscheduled kernels of logical shape. Leaves a layout on every constant that a contraction
//! reads and that has none: panels of one register tile of the device. Constants with a layout, and
//! kernels that are physical already, stay as they are.

use melior::ir::operation::{OperationLike, OperationRef};
use sinter_device::{Device, pack_constants};
use sinter_pass::{Failure, Pass, PassInfo};

use crate::kernels::transform;
use crate::tloop_apply_layouts::PHYSICAL;

sinter_pass::options! {
    /// Options of [`TloopPackConstants`].
    pub struct TloopPackConstantsOptions {
        /// Device name or file
        device: String = "host".to_owned(),
    }
}

/// The pass.
pub struct TloopPackConstants;

impl Pass for TloopPackConstants {
    type Options = TloopPackConstantsOptions;

    const INFO: PassInfo = PassInfo {
        name: "tloop-pack-constants",
        summary: "Layouts for the weights of contractions",
        description: "Gives constants that a contraction reads the layout of the device's register \
                      tile.",
        anchor: Some("builtin.module"),
        dialects: &["tloop"],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        let device = Device::load(&options.device)?;
        transform(op, |op, mut kernel| {
            if !op.has_attribute(PHYSICAL) && kernel.schedule.is_none() {
                pack_constants(&mut kernel, &device);
            }
            Ok(kernel)
        })
    }
}
