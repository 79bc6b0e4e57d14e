//! Passes that only tests and studies use.
//!
//! | module | holds |
//! |---|---|
//! | [`print`](mod@print) | prints of what the compiler knows: e-graph, legality, plan, price |
//! | [`faults`] | passes that do what they must not, for tests of tools that look for faults |
//! | `machinery` | passes that exercise options, failures, panics and remarks |
//!
//! [`EXTENSION`] adds them to `sinter-opt` and `sinter-reduce`.

pub mod faults;
mod machinery;
pub mod print;

use sinter_driver::extension::Extension;
use sinter_pass::Entry;

/// All passes of this crate.
pub static EXTENSION: Extension = Extension {
    passes,
    ..Extension::named("sinter-test-passes")
};

fn passes() -> Vec<Entry> {
    let mut all = Vec::from(machinery::all());
    all.extend(print::all());
    all.extend(faults::all());
    all
}
