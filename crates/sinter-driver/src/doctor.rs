//! Checks of the machine and the installation.

use serde::Serialize;
use sinter_device::HostCpu;

use crate::load::self_test;
use sinter_runner::cores;

/// One check.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found or, where it is not right, what to do.
    pub detail: String,
}

/// Looks at the processor, the device files and the whole path from operators to a run.
pub fn doctor() -> Vec<Check> {
    let cpu = HostCpu::detect();
    let mut checks = vec![Check {
        name: "processor",
        ok: cfg!(target_arch = "x86_64") || cfg!(target_arch = "aarch64"),
        detail: format!(
            "{} cores, {}-byte vectors, {} vector registers",
            cores(),
            cpu.vector_bytes,
            cpu.vector_registers
        ),
    }];
    for (name, _) in sinter_device::load::BUILT_IN {
        let loaded = sinter_device::Device::named(name);
        checks.push(Check {
            name: "device file",
            ok: loaded.is_ok(),
            detail: match loaded {
                Ok(device) => format!("{name}: {}", device.description),
                Err(error) => error.to_string(),
            },
        });
    }
    let (ok, detail) = match self_test() {
        Ok(detail) => (true, detail),
        Err(error) => (false, format!("{error}: run scripts/setup and build again")),
    };
    checks.push(Check {
        name: "compile and run",
        ok,
        detail,
    });
    checks
}
