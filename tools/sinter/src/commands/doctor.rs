//! `sinter doctor`.

use std::process::ExitCode;

use anyhow::Result;

use super::print;
use crate::args::Doctor;

pub(crate) fn execute(args: &Doctor) -> Result<ExitCode> {
    let checks = sinter_driver::doctor();
    let text = if args.json {
        serde_json::to_string_pretty(&checks)?
    } else {
        let line = |c: &sinter_driver::Check| {
            let mark = if c.ok { "ok  " } else { "FAIL" };
            format!("{mark}  {:<18} {}", c.name, c.detail)
        };
        checks.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    print(&text)?;
    let all = checks.iter().all(|c| c.ok);
    Ok(if all {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}
