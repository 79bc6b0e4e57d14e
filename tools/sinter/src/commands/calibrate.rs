//! `sinter calibrate`.

use anyhow::{Context, Result};

use super::print;
use crate::args::Calibrate;

pub(crate) fn execute(args: &Calibrate) -> Result<()> {
    let found = sinter_driver::calibrate(args.threads)?;
    let text = found.text()?;
    let Some(path) = &args.output else {
        return Ok(print(&text)?);
    };
    std::fs::write(path, text).with_context(|| format!("cannot write '{}'", path.display()))?;
    if args.json {
        return Ok(print(&serde_json::to_string_pretty(&found.figures)?)?);
    }
    let mut table = String::new();
    for f in &found.figures {
        table += &format!("{:<24} {:>10} {}\n", f.field, f.value, f.unit);
    }
    Ok(print(&table)?)
}
