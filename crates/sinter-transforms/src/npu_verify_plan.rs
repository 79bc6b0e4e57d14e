//! `npu-verify-plan`: buffers and tiles do not get into each other's way.
//!
//! Takes planned `npu.program`s and `npu.kernel`s and leaves them as they are. Independent of the
//! planner: a program is run through with a note of who owns each byte of the arena, a kernel's tiles
//! are compared pair by pair. Refuses
//!
//! - buffers and tiles without a place, or outside the arena or the device's space;
//! - a launch that reads a buffer of which another has taken a byte since it was written;
//! - launches between two barriers of which one writes what another touches, but for parts of one
//!   buffer;
//! - an output over an input of the same launch, where the kernel does not allow it (`in_place`);
//! - tiles that share bytes and are live at the same step. A tile is live from the first operation of
//!   the kernel's body that touches it to the last, transfers included until they have been waited for.

mod kernel;
mod program;

use melior::ir::operation::OperationRef;
use sinter_device::Device;
use sinter_ir::hooks::emit_op_error;
use sinter_pass::{Failure, Pass, PassInfo};

use crate::transfers::{blocks, name, operations};

sinter_pass::options! {
    /// Options of [`NpuVerifyPlan`].
    pub struct NpuVerifyPlanOptions {
        /// Device name or file, for the sizes of its spaces
        device: String = "host".to_owned(),
    }
}

/// The pass.
pub struct NpuVerifyPlan;

impl Pass for NpuVerifyPlan {
    type Options = NpuVerifyPlanOptions;

    const INFO: PassInfo = PassInfo {
        name: "npu-verify-plan",
        summary: "Checks the places of buffers and tiles",
        description: "Finds buffers and tiles that overlap while both are in use, independently of \
                      the planner.",
        anchor: Some("builtin.module"),
        dialects: &[],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        let device = Device::load(&options.device)?;
        let all: Vec<_> = blocks(op).into_iter().flat_map(operations).collect();
        let kernels: Vec<_> = all
            .iter()
            .copied()
            .filter(|op| name(*op) == "npu.kernel")
            .collect();
        let mut faults = Vec::new();
        for &op in &kernels {
            kernel::check(op, &device, &mut faults);
        }
        for op in all.into_iter().filter(|op| name(*op) == "npu.program") {
            program::check(op, &kernels, &mut faults);
        }
        for fault in &faults {
            emit_op_error(fault.op, &fault.message);
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(Failure::Reported)
        }
    }
}

/// Something wrong with a plan.
struct Fault<'c, 'a> {
    op: OperationRef<'c, 'a>,
    message: String,
}

/// Bytes `start..end` of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bytes {
    start: u64,
    end: u64,
}

impl Bytes {
    fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

impl std::fmt::Display for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
