//! The shared object, by lld.

use std::path::PathBuf;
use std::process::Command;

use crate::CodegenError;

/// Links objects into a shared object that needs nothing and exports the kernels' entry points, and
/// `aliases`: other symbols of some of them.
///
/// # Errors
/// When the linker is missing or finds a fault, such as an undefined symbol.
pub fn shared_object(
    objects: &[Vec<u8>],
    aliases: &[(String, String)],
) -> Result<Vec<u8>, CodegenError> {
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("kernels.so");
    let mut command = Command::new(linker());
    command.current_dir(folder.path());
    command.args([
        "-shared",
        "-z",
        "defs",
        "--build-id=none",
        "--hash-style=gnu",
        "--gc-sections",
    ]);
    command.args([
        "--no-rosegment",
        "-O2",
        "-soname",
        "kernels.so",
        "-o",
        "kernels.so",
    ]);
    for (alias, symbol) in aliases {
        command.arg(format!("--defsym={alias}={symbol}"));
    }
    for (n, object) in objects.iter().enumerate() {
        let name = format!("{n}.o");
        std::fs::write(folder.path().join(&name), object)?;
        command.arg(name);
    }
    let result = command.output()?;
    if !result.status.success() {
        let message = String::from_utf8_lossy(&result.stderr).trim().to_string();
        return Err(CodegenError::Link(message));
    }
    Ok(std::fs::read(output)?)
}

/// `ld.lld` of the LLVM that this crate was built against, else the one on the path.
fn linker() -> PathBuf {
    let beside = option_env!("LLVM_SYS_221_PREFIX").map(|p| PathBuf::from(p).join("bin/ld.lld"));
    beside
        .filter(|path| path.exists())
        .unwrap_or_else(|| PathBuf::from("ld.lld"))
}
