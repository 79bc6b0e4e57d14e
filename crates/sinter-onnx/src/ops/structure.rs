//! Moving, cutting, joining and repeating.

use std::slice;

use sinter_loops::scalar::FloatBits;
use sinter_ops::ops::concat::Concat;
use sinter_ops::ops::expand::Expand;
use sinter_ops::ops::pad::{Pad, PadMode};
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::slice::Slice;
use sinter_ops::ops::transpose::Transpose;
use sinter_ops::support::broadcast;

use super::Family;
use crate::call::{Call, axis};
use crate::error::Fault;
use crate::importer::{Importer, Value};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[
    ("Concat", concat),
    ("Expand", expand),
    ("Pad", pad),
    ("Slice", slice),
    ("Split", split),
    ("Tile", tile),
    ("Transpose", transpose),
];

/// The largest padding on one side.
const MAX_PADDING: i64 = 1 << 31;

fn transpose(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let perm = call
        .ints("perm")?
        .unwrap_or_else(|| (0..import.rank(&x)).rev().collect());
    Ok(vec![import.add(Transpose { perm }, &[x])?])
}

fn concat(import: &mut Importer, call: &Call) -> Results {
    let parts = call.inputs()?;
    let rank = import.rank(&parts[0]);
    // The axis has no default since version 4.
    let given = call.optional_int("axis")?;
    let given = given.ok_or_else(|| Fault::attribute("axis", "is missing"))?;
    let axis = axis(given, rank)?;
    if let [part] = &parts[..] {
        return Ok(vec![part.clone()]);
    }
    Ok(vec![import.add(Concat { axis }, &parts)?])
}

fn expand(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let to = call
        .constant_ints(1, "shape")?
        .ok_or_else(|| Fault::invalid("it has no shape"))?;
    let shape = broadcast(&[&import.shape(&x), &to])?;
    Ok(vec![import.add(Expand { shape }, &[x])?])
}

/// `Slice`: bounds are attributes before version 10, operands since.
fn slice(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let shape = import.shape(&x);
    let rank = shape.len() as i64;
    let list = |name: &str, place: usize| match call.ints(name)? {
        Some(list) => Ok(Some(list)),
        None => call.constant_ints(place, &format!("list of {name}")),
    };
    let missing = |name| Fault::invalid(format!("it has no {name}"));
    let first = list("starts", 1)?.ok_or_else(|| missing("starts"))?;
    let last = list("ends", 2)?.ok_or_else(|| missing("ends"))?;
    let along = list("axes", 3)?.unwrap_or_else(|| (0..first.len() as i64).collect());
    let step = call
        .constant_ints(4, "list of steps")?
        .unwrap_or_else(|| vec![1; first.len()]);
    if [last.len(), along.len(), step.len()]
        .iter()
        .any(|&n| n != first.len())
    {
        return Err(Fault::invalid(
            "starts, ends, axes and steps differ in length",
        ));
    }
    let mut op = Slice {
        starts: vec![0; shape.len()],
        sizes: shape.clone(),
        steps: vec![1; shape.len()],
    };
    for (i, &given) in along.iter().enumerate() {
        let d = axis(given, rank)? as usize;
        let (start, size, step) = range(shape[d], first[i], last[i], step[i])?;
        (op.starts[d], op.sizes[d], op.steps[d]) = (start, size, step);
    }
    Ok(vec![import.add(op, &[x])?])
}

/// First element, number of elements and step of a slice of a dimension.
fn range(extent: i64, start: i64, end: i64, step: i64) -> Result<(i64, i64, i64), Fault> {
    let from_start = |at: i64| {
        if at < 0 {
            at.saturating_add(extent)
        } else {
            at
        }
    };
    // A longer step than any extent takes one element.
    let step = step.clamp(-(1 << 48), 1 << 48);
    let (start, span) = match step {
        0 => return Err(Fault::invalid("its step is 0")),
        1.. => {
            let start = from_start(start).clamp(0, extent);
            (start, from_start(end).clamp(0, extent) - start)
        }
        _ => {
            let start = from_start(start).clamp(-1, extent - 1);
            (start, start - from_start(end).clamp(-1, extent - 1))
        }
    };
    let size = if span <= 0 {
        0
    } else {
        (span - 1) / step.abs() + 1
    };
    match size {
        0 => Ok((0, 0, 1)),
        1 => Ok((start, 1, 1)),
        _ => Ok((start, size, step)),
    }
}

/// `Split`: sizes are an attribute before version 13, an operand since; else equal parts, of which
/// since version 18 the last may be smaller.
fn split(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let shape = import.shape(&x);
    let along = axis(call.int("axis", 0)?, shape.len() as i64)? as usize;
    let given = match call.ints("split")? {
        Some(sizes) => Some(sizes),
        None => call.constant_ints(1, "list of sizes")?,
    };
    let extent = shape[along];
    let sizes = match given {
        Some(sizes) => sizes,
        None => equal_parts(extent, call)?,
    };
    let sum = sizes
        .iter()
        .try_fold(0i64, |n, &s| if s < 0 { None } else { n.checked_add(s) });
    if sum != Some(extent) {
        return Err(Fault::invalid(format!(
            "sizes {sizes:?} do not add up to {extent}"
        )));
    }
    let mut start = 0;
    let part = |size: i64| {
        let rank = shape.len();
        let mut op = Slice {
            starts: vec![0; rank],
            sizes: shape.clone(),
            steps: vec![1; rank],
        };
        (op.starts[along], op.sizes[along]) = (start, size);
        start += size;
        import.add(op, slice::from_ref(&x))
    };
    sizes.into_iter().map(part).collect()
}

fn equal_parts(extent: i64, call: &Call) -> Result<Vec<i64>, Fault> {
    let outputs = call.output_count() as i64;
    let count = call.int("num_outputs", outputs)?;
    if count < 1 || count > outputs {
        return Err(Fault::attribute(
            "num_outputs",
            format!("is {count}, of {outputs} outputs"),
        ));
    }
    if call.opset < 18 && extent % count != 0 {
        return Err(Fault::invalid(format!(
            "{extent} elements do not make {count} equal parts"
        )));
    }
    let part = extent / count + i64::from(extent % count != 0);
    Ok((0..count)
        .map(|i| (extent - i * part).clamp(0, part))
        .collect())
}

/// `Tile`: each dimension is repeated by a new dimension before it.
fn tile(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let shape = import.shape(&x);
    let counts = call.constant_ints(1, "repeats")?.unwrap_or_default();
    if counts.len() != shape.len() || counts.iter().any(|&n| n < 0) {
        return Err(Fault::invalid(format!(
            "repeats {counts:?} do not fit shape {shape:?}"
        )));
    }
    let interleaved = |counts: &[i64]| {
        counts
            .iter()
            .zip(&shape)
            .flat_map(|(&n, &d)| [n, d])
            .collect::<Vec<_>>()
    };
    let tiled = counts
        .iter()
        .zip(&shape)
        .map(|(n, d)| n.checked_mul(*d))
        .collect::<Option<_>>();
    let tiled = tiled.ok_or_else(|| Fault::invalid("its result is too large"))?;
    let split = import.add(
        Reshape {
            shape: interleaved(&vec![1; shape.len()]),
        },
        &[x],
    )?;
    let repeated = import.add(
        Expand {
            shape: interleaved(&counts),
        },
        &[split],
    )?;
    Ok(vec![import.add(Reshape { shape: tiled }, &[repeated])?])
}

/// `Pad`: padding and value are attributes before version 11, operands since.
fn pad(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let rank = import.rank(&x) as usize;
    let (pads, value) = match call.ints("pads")? {
        Some(pads) => (pads, call.float("value", 0.0)?),
        None => {
            let pads = call.constant_ints(1, "padding")?.unwrap_or_default();
            let value = call.constant(2, "padding value")?;
            (
                pads,
                value
                    .filter(|v| v.ty().elements() == 1)
                    .map_or(0.0, |v| v.get_f64(0)),
            )
        }
    };
    let along = match call.constant_ints(3, "list of axes")? {
        Some(list) => list
            .iter()
            .map(|&a| axis(a, rank as i64))
            .collect::<Result<_, _>>()?,
        None => (0..rank as i64).collect::<Vec<_>>(),
    };
    if pads.len() != 2 * along.len() || pads.iter().any(|p| p.unsigned_abs() > MAX_PADDING as u64) {
        return Err(Fault::invalid(format!(
            "padding {pads:?} does not fit {} axes",
            along.len()
        )));
    }
    let name = call.string("mode", "constant")?;
    let mode = PadMode::from_name(&name);
    let mode =
        mode.ok_or_else(|| Fault::attribute("mode", format!("is '{name}', which is unknown")))?;
    let (mut low, mut high) = (vec![0; rank], vec![0; rank]);
    for (i, &d) in along.iter().enumerate() {
        (low[d as usize], high[d as usize]) = (pads[i], pads[along.len() + i]);
    }
    Ok(vec![import.add(
        Pad {
            low,
            high,
            value: FloatBits::new(value),
            mode,
        },
        &[x],
    )?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_clamp_and_run_backwards() {
        let r = |n, a, b, s| range(n, a, b, s).unwrap();
        assert_eq!(r(10, 2, i64::MAX, 1), (2, 8, 1));
        assert_eq!(r(10, -3, -1, 1), (7, 2, 1));
        assert_eq!(r(10, 1, 8, 3), (1, 3, 3));
        assert_eq!(r(10, -1, i64::MIN, -1), (9, 10, -1));
        assert_eq!(r(10, 8, 2, 1), (0, 0, 1));
        assert_eq!(r(0, 0, 5, 1), (0, 0, 1));
        assert_eq!(r(10, 3, 9, i64::MAX), (3, 1, 1));
        assert_eq!(r(10, 9, 0, i64::MIN), (9, 1, 1));
        assert!(range(10, 0, 5, 0).is_err());
    }
}
