//! An example of a crate that extends Sinter.
//!
//! A dialect `dsp` with two operators, rewrite rules, a legality code, a cost term, a pass, and the
//! translation of an ONNX domain. [`EXTENSION`] lists it all: the tools in `src/bin` install it, and the
//! shared object of this crate is a plugin for `sinter-opt` and `mlir-opt`.

pub mod dsp_decompose;
pub mod fusion;
pub mod import;
pub mod power;
pub mod rules;
pub mod squareplus;

use sinter_driver::extension::Extension;
use sinter_pass::Entry;

include!(concat!(env!("OUT_DIR"), "/dsp.rs"));

/// All that the crate adds.
pub static EXTENSION: Extension = Extension {
    dialects: &[DIALECT],
    operators: &[power::Power::DEFINITION, squareplus::Squareplus::DEFINITION],
    imports: import::IMPORTS,
    rules: rules::RULES,
    checks: fusion::CHECKS,
    costs: fusion::COSTS,
    passes: || vec![Entry::new(dsp_decompose::DspDecompose)],
    ..Extension::named("dsp")
};

sinter_driver::plugin!(EXTENSION);
