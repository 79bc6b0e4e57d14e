//! `sinter compile`.

use anyhow::Result;

use super::{print, print_timing};
use crate::args::Compile;

pub(crate) fn execute(args: &Compile) -> Result<()> {
    let options = args.compile.options(args.threads);
    if let Some(level) = args.emit {
        return Ok(print(&sinter_driver::emit(
            &args.model,
            &options,
            level.into(),
        )?)?);
    }
    let compiled = sinter_driver::compile(&args.model, &options)?;
    if let Some(path) = &args.output {
        compiled.write(path)?;
    }
    if args.compile.timing {
        print_timing(&compiled.timing);
    }
    Ok(())
}
