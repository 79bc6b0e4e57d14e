//! The ONNX operators of the domain `org.example.dsp`.

use sinter_loops::scalar::FloatBits;
use sinter_onnx::custom::{Call, Entry, Fault, Importer, Value, axis};

use crate::power::Power;
use crate::squareplus::Squareplus;

const DOMAIN: &str = "org.example.dsp";

/// Operator types with their translations.
pub const IMPORTS: &[Entry] = &[
    Entry {
        domain: DOMAIN,
        operator: "Power",
        handler: power,
    },
    Entry {
        domain: DOMAIN,
        operator: "Squareplus",
        handler: squareplus,
    },
];

fn power(import: &mut Importer, call: &Call) -> Result<Vec<Value>, Fault> {
    let x = call.input(0)?.clone();
    let axis = axis(call.int("axis", -1)?, import.rank(&x))?;
    Ok(vec![import.add(Power { axis }, &[x])?])
}

fn squareplus(import: &mut Importer, call: &Call) -> Result<Vec<Value>, Fault> {
    let x = call.input(0)?.clone();
    let roundness = FloatBits::new(call.float("roundness", 4.0)?);
    Ok(vec![import.add(Squareplus { roundness }, &[x])?])
}
