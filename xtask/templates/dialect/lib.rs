//! The `@snake@` dialect for Sinter: write what it is for.

pub mod first;

use sinter_driver::extension::Extension;

include!(concat!(env!("OUT_DIR"), "/@snake@.rs"));

/// All that the crate adds.
pub static EXTENSION: Extension = Extension {
    dialects: &[DIALECT],
    operators: &[first::First::DEFINITION],
    ..Extension::named("@snake@")
};

sinter_driver::plugin!(EXTENSION);
