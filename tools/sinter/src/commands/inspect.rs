//! `sinter inspect`.

use anyhow::Result;

use super::print;
use crate::args::Inspect;

pub(crate) fn execute(args: &Inspect) -> Result<()> {
    let report = sinter_runner::inspect(&args.model)?;
    let text = if args.json {
        serde_json::to_string_pretty(&report)?
    } else {
        report.to_string()
    };
    Ok(print(&text)?)
}
