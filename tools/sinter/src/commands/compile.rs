//! `sinter compile`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use sinter_driver::Form;

use super::{print, print_timing};
use crate::args::Compile;

pub(crate) fn execute(args: &Compile) -> Result<()> {
    if let Some(path) = &args.output {
        refuse_model(path, &args.model)?;
        sinter_driver::check_writable(path)?;
    }
    let options = args.compile.options(args.threads);
    if let Some(level) = args.emit {
        let bytecode = |path: &PathBuf| path.extension().is_some_and(|e| e == "mlirbc");
        let form = match args.output.as_ref().is_some_and(bytecode) {
            true => Form::Bytecode,
            false if args.full => Form::Text,
            false => Form::Excerpt,
        };
        let emitted = sinter_driver::emit(&args.model, &options, level.into(), form)?;
        match &args.output {
            None => print(&String::from_utf8_lossy(&emitted.bytes))?,
            Some(path) => sinter_driver::write_bytes(path, &emitted.bytes)?,
        }
        if args.compile.fusion_stats {
            emitted
                .saturation
                .iter()
                .for_each(|s| sinter_io::say_part!("{s}"));
        }
        return Ok(());
    }
    let compiled = sinter_driver::compile(&args.model, &options)?;
    if let Some(path) = &args.output {
        compiled.write(path)?;
    }
    print(&compiled.summary())?;
    if args.compile.fusion_stats {
        compiled
            .saturation
            .iter()
            .for_each(|s| sinter_io::say_part!("{s}"));
    }
    if args.compile.timing {
        print_timing(&compiled.timing);
    }
    Ok(())
}

/// Refuses the model itself as the file to write, by whatever path.
fn refuse_model(output: &Path, model: &Path) -> Result<()> {
    if let (Ok(to), Ok(from)) = (fs::canonicalize(output), fs::canonicalize(model))
        && to == from
    {
        bail!(
            "{} is the model itself: give --output another file",
            output.display()
        );
    }
    Ok(())
}
