//! The decisions of fusion, of a model that is compiled for it or of an offline model that keeps them.

use std::path::Path;

use sinter_explain::Report;
use sinter_fusion::Limits;
use sinter_fusion::proof::{Proof, proofs};
use sinter_fusion::statistics::Saturation;
use sinter_model::{Container, StageTime};

use crate::compile::{Clock, device, fuse, import_named};
use crate::error::Error;
use crate::options::CompileOptions;

/// A report, and how it came about.
#[derive(Debug)]
pub struct Explained {
    /// The decisions.
    pub report: Report,
    /// How equality saturation went, per stage; empty for an offline model.
    pub saturation: Vec<Saturation>,
    /// Where the time went; empty for an offline model.
    pub timing: Vec<StageTime>,
}

/// The report of a model. Thresholds are searched for of so many refusals, the dearest first; an
/// offline model keeps what was found when it was compiled.
///
/// # Errors
/// When the model cannot be read, imported or fused, or is an offline model without decisions.
pub fn explain(
    path: &Path,
    options: &CompileOptions,
    thresholds: usize,
) -> Result<Explained, Error> {
    if path.extension().is_some_and(|e| e == "sinter") {
        let container = Container::open(path)?;
        return Ok(Explained {
            report: Report::from_json(&container.manifest().decisions)?,
            saturation: Vec::new(),
            timing: Vec::new(),
        });
    }
    let mut clock = Clock::default();
    let (device, _) = device(options)?;
    let graph = import_named(path, options, &mut clock)?;
    let limits = Limits {
        thresholds,
        ..Limits::default()
    };
    let fused = fuse(&graph, &device, options, limits, &mut clock)?;
    Ok(Explained {
        report: Report::new(&fused),
        saturation: fused.saturation,
        timing: clock.stages,
    })
}

/// The report of a model with what to change in it. Thresholds are searched for of so many refusals.
///
/// # Errors
/// When the model cannot be read, imported or fused, or is an offline model.
pub fn advise(
    path: &Path,
    options: &CompileOptions,
    thresholds: usize,
) -> Result<Explained, Error> {
    if path.extension().is_some_and(|e| e == "sinter") {
        let message = "an offline model has no operators to change; give the ONNX model";
        return Err(Error::Request(message.to_owned()));
    }
    let mut clock = Clock::default();
    let (device, _) = device(options)?;
    let graph = import_named(path, options, &mut clock)?;
    let mut parsed = options.fusion_options()?;
    parsed.limits.thresholds = thresholds;
    let (fused, found) = clock.time("advice", || {
        Ok(sinter_fusion::advice(&graph, &device, &parsed)?)
    })?;
    Ok(Explained {
        report: Report::new(&fused).with_advice(&found),
        saturation: fused.saturation,
        timing: clock.stages,
    })
}

/// Why the rewritten operators of a model compute what the original ones did.
///
/// # Errors
/// When the model is no ONNX model, cannot be imported, or a rule is named that does not exist.
pub fn proof(path: &Path, options: &CompileOptions) -> Result<Vec<Proof>, Error> {
    if path.extension().is_some_and(|e| e == "sinter") {
        let message = "an offline model has no operators to prove; give the ONNX model";
        return Err(Error::Request(message.to_owned()));
    }
    let graph = import_named(path, options, &mut Clock::default())?;
    let (device, _) = device(options)?;
    Ok(proofs(&graph, &device, &options.fusion_options()?)?)
}
