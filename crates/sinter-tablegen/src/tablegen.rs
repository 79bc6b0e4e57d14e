//! Runs the TableGen tools.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// TableGen on the files of one dialect.
pub(crate) struct TableGen {
    bin: PathBuf,
    includes: Vec<PathBuf>,
    dialect: String,
    input: PathBuf,
}

/// Generators of `mlir-tblgen` and the files they make. The second entry is the option that names
/// the dialect, where there is one.
const GENERATORS: [(&str, &str, &str); 10] = [
    ("dialect-decls", "dialect", "dialect.h.inc"),
    ("dialect-defs", "dialect", "dialect.cpp.inc"),
    ("op-decls", "", "op.h.inc"),
    ("op-defs", "", "op.cpp.inc"),
    ("attrdef-decls", "attrdefs-dialect", "attr.h.inc"),
    ("attrdef-defs", "attrdefs-dialect", "attr.cpp.inc"),
    ("typedef-decls", "typedefs-dialect", "type.h.inc"),
    ("typedef-defs", "typedefs-dialect", "type.cpp.inc"),
    ("enum-decls", "", "enum.h.inc"),
    ("enum-defs", "", "enum.cpp.inc"),
];

impl TableGen {
    pub(crate) fn new(llvm: &Path, includes: &[PathBuf], name: &str, input: &Path) -> Self {
        Self {
            bin: llvm.join("bin"),
            includes: includes
                .iter()
                .cloned()
                .chain([llvm.join("include")])
                .collect(),
            dialect: name.to_owned(),
            input: input.to_owned(),
        }
    }

    /// Writes the `.inc` files of the dialect.
    pub(crate) fn write_includes(&self, out: &Path) -> Result<(), Box<dyn Error>> {
        for (generator, dialect_option, suffix) in GENERATORS {
            let mut command = self.command("mlir-tblgen");
            command.arg(format!("-gen-{generator}"));
            if !dialect_option.is_empty() {
                command.arg(format!("-{dialect_option}={}", self.dialect));
            }
            command
                .arg("-o")
                .arg(out.join(format!("{}.{suffix}", self.dialect)));
            run(&mut command)?;
        }
        Ok(())
    }

    /// All records of the dialect, as JSON.
    pub(crate) fn records(&self) -> Result<Value, Box<dyn Error>> {
        let text = run(self.command("llvm-tblgen").arg("--dump-json"))?;
        Ok(serde_json::from_slice(&text)?)
    }

    fn command(&self, tool: &str) -> Command {
        let mut command = Command::new(self.bin.join(tool));
        for include in &self.includes {
            command.arg("-I").arg(include);
        }
        command.arg(&self.input);
        command
    }
}

fn run(command: &mut Command) -> Result<Vec<u8>, Box<dyn Error>> {
    let output = command
        .output()
        .map_err(|e| format!("cannot run {command:?}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(output.stdout)
}
