//! What the commands share: options, the compile pipeline, runs, measurements and reports.
//!
//! | module | holds |
//! |---|---|
//! | [`options`] | what the caller asks for |
//! | [`compile`](mod@compile) | ONNX to an offline model, or to text at a level |
//! | `kernels`, `machine_code`, `assemble` | a planned module taken apart: code, program, weights |
//! | `load` | any model file, ready to run |
//! | `own_kernels` | kernels that the user wrote for units of a model |
//! | `runs` | one run; many runs, timed |
//! | [`explain`](mod@explain) | the decisions of fusion |
//! | [`calibrate`](mod@calibrate) | a device file of the machine at hand |
//! | [`extension`] | what other crates add |
//! | [`doctor`](mod@doctor) | what is installed |

mod assemble;
pub mod calibrate;
pub mod compile;
pub mod doctor;
pub mod error;
pub mod explain;
pub mod extension;
mod kernels;
mod load;
mod machine_code;
pub mod options;
mod own_kernels;
mod runs;
mod summary;

use std::fmt::Write as _;

pub use calibrate::{Calibration, calibrate};
pub use compile::{Compiled, Emitted, Form, compile, compile_graph, emit};
pub use doctor::{Check, doctor};
pub use error::Error;
pub use explain::{Explained, advise, explain, proof};
pub use options::{CompileOptions, Level, ShapeArg};
pub use runs::{Bench, Done, bench, run};
pub use sinter_model::{StageTime, check_writable, write_bytes};
pub use sinter_pass::log;
pub use sinter_runner::{BenchReport, Inspection, RunOptions, inspect, write_outputs};

/// Registers all passes with MLIR, once per process; extensions are installed before.
pub(crate) fn register_passes() {
    if let Err(error) = extension::register_passes() {
        tracing::error!("{error}");
    }
}

/// The devices that ship with Sinter, one per line.
pub fn devices() -> String {
    let mut out = String::new();
    for (name, _) in sinter_device::load::BUILT_IN {
        if let Ok(device) = sinter_device::Device::named(name) {
            let _ = writeln!(out, "{name:<16} {}", device.description);
        }
    }
    out
}
