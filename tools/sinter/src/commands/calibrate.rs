//! `sinter calibrate`.

use anyhow::Result;

use super::print;
use crate::args::Calibrate;

pub(crate) fn execute(args: &Calibrate) -> Result<()> {
    if let Some(path) = &args.output {
        sinter_driver::check_writable(path)?;
    }
    let found = sinter_driver::calibrate(args.threads)?;
    let text = found.text()?;
    let Some(path) = &args.output else {
        return Ok(print(&text)?);
    };
    sinter_driver::write_bytes(path, text.as_bytes())?;
    if args.json {
        return Ok(print(&serde_json::to_string_pretty(&found.figures)?)?);
    }
    let mut table = String::new();
    for f in &found.figures {
        table += &format!("{:<24} {:>10} {}\n", f.field, f.value, f.unit);
    }
    Ok(print(&table)?)
}
