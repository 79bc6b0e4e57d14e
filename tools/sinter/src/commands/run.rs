//! `sinter run`.

use anyhow::Result;
use sinter_driver::RunOptions;

use super::{print, print_timing};
use crate::args::Run;

pub(crate) fn execute(args: &Run) -> Result<()> {
    let options = RunOptions {
        inputs: sinter_runner::input_files(&args.inputs.inputs)?,
        random: args.inputs.random_inputs,
        threads: args.threads,
        adversarial: args.adversarial,
    };
    let done = sinter_driver::run(&args.model, &args.compile.options(args.threads), &options)?;
    if args.compile.timing {
        print_timing(&done.timing);
    }
    if let Some(directory) = &args.output_dir {
        sinter_runner::write_outputs(directory, &done.outputs)?;
    }
    Ok(print(&sinter_runner::terminal::summaries(&done.outputs))?)
}
