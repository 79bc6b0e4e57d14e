//! `sinter run`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use sinter_driver::{RunOptions, TensorSummary};

use super::{print, print_timing};
use crate::args::Run;

pub(crate) fn execute(args: &Run) -> Result<()> {
    let mut inputs = BTreeMap::new();
    for text in &args.inputs.inputs {
        let Some((name, file)) = text.rsplit_once('=') else {
            bail!("--input '{text}' is not NAME=FILE.npy");
        };
        if inputs
            .insert(name.to_owned(), PathBuf::from(file))
            .is_some()
        {
            bail!("--input names '{name}' twice");
        }
    }
    let options = RunOptions {
        inputs,
        random: args.inputs.random_inputs,
        threads: args.threads,
        adversarial: args.adversarial,
    };
    let done = sinter_driver::run(&args.model, &args.compile.options(args.threads), &options)?;
    if args.compile.timing {
        print_timing(&done.timing);
    }
    if let Some(directory) = &args.output_dir {
        sinter_driver::write_outputs(directory, &done.outputs)?;
    }
    let lines: Vec<_> = done
        .outputs
        .iter()
        .map(|(name, t)| format!("{name}: {}", TensorSummary(t)))
        .collect();
    Ok(print(&lines.join("\n"))?)
}
