//! `sinter bench`.

use anyhow::Result;

use super::{print, print_timing};
use crate::args::Bench;

pub(crate) fn execute(args: &Bench) -> Result<()> {
    let options = args.compile.options(args.threads);
    let bench = sinter_driver::bench(&args.model, &options, args.threads, args.runs)?;
    if args.compile.timing {
        print_timing(&bench.timing);
    }
    let report = &bench.report;
    Ok(print(&match (args.json, args.kernels) {
        (true, _) => serde_json::to_string_pretty(report)?,
        (false, true) => format!("{report:#}"),
        (false, false) => report.to_string(),
    })?)
}
