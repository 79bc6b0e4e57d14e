//! `sinter explain`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use sinter_explain::{html, proof, tables, text};

use super::{print, print_timing};
use crate::args::{Explain, Format};

/// Refusals whose thresholds are searched for, unless all are asked for.
const THRESHOLDS: usize = 10;

pub(crate) fn execute(args: &Explain) -> Result<()> {
    if args.codes {
        return Ok(print(&tables::codes())?);
    }
    if args.rules {
        return Ok(print(&tables::rules())?);
    }
    let Some(model) = &args.model else {
        bail!("explain needs a model");
    };
    if args.advice && format(args) == Format::Html {
        bail!("advice is text or JSON: leave --format html out");
    }
    if let Some(path) = target(args) {
        sinter_driver::check_writable(path)?;
    }
    let thresholds = if args.all { usize::MAX } else { THRESHOLDS };
    let options = args.compile.options(args.threads);
    if args.proof {
        let proofs = sinter_driver::proof(model, &options)?;
        return write(args, proof::text(&proofs, args.node.as_deref())?);
    }
    let explained = match args.advice {
        true => sinter_driver::advise(model, &options, thresholds)?,
        false => sinter_driver::explain(model, &options, thresholds)?,
    };
    if args.compile.fusion_stats {
        explained
            .saturation
            .iter()
            .for_each(|s| sinter_io::say_part!("{s}"));
    }
    if args.compile.timing && !explained.timing.is_empty() {
        print_timing(&explained.timing);
    }
    let report = explained.report;
    let selection = match &args.node {
        Some(glob) => report.select(glob)?,
        None => report.all(),
    };
    let out = match format(args) {
        Format::Text if args.advice => text::advice(&report, args.all),
        Format::Text => text::text(&report, &selection, args.all || args.node.is_some()),
        Format::Json => serde_json::to_string_pretty(&report.only(&selection))?,
        Format::Html => html::html(&report.only(&selection))?,
    };
    write(args, out)
}

fn write(args: &Explain, text: String) -> Result<()> {
    match target(args) {
        Some(path) => Ok(sinter_driver::write_bytes(path, text.as_bytes())?),
        None => Ok(print(&text)?),
    }
}

fn format(args: &Explain) -> Format {
    match (&args.html, args.json) {
        (Some(_), _) => Format::Html,
        (None, true) => Format::Json,
        (None, false) => args.format,
    }
}

fn target(args: &Explain) -> Option<&PathBuf> {
    args.html.as_ref().or(args.output.as_ref())
}
