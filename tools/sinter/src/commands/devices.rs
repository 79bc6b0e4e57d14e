//! `sinter devices`.

use anyhow::Result;

use super::print;

pub(crate) fn execute() -> Result<()> {
    Ok(print(&sinter_driver::devices())?)
}
