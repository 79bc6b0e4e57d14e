//! Resampling.

use sinter_loops::scalar::FloatBits;
use sinter_ops::ops::resize::{Coordinates, Resize, ResizeMode, Rounding};

use super::Family;
use crate::call::{Call, axis};
use crate::error::Fault;
use crate::importer::{Importer, Value};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[("Resize", resize), ("Upsample", upsample)];

/// The shape of the result, and the scale of each dimension where one was given.
struct Target {
    shape: Vec<i64>,
    scales: Option<Vec<f32>>,
}

/// `Upsample`, and `Resize` of version 10: scales only, `i / scale` rounded towards the operand's start
/// when it grows and away when it shrinks, as onnxruntime does.
fn upsample(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let from = import.shape(&x);
    let scales = match call.floats("scales")? {
        Some(scales) => scales,
        None => scales_operand(call, 1)?.unwrap_or_default(),
    };
    let target = by_scales(&from, scales)?;
    let scales = target.scales.clone().unwrap_or_default();
    let (grows, shrinks) = (
        scales.iter().any(|&s| s > 1.0),
        scales.iter().any(|&s| s < 1.0),
    );
    let mode = mode(call)?;
    if mode == ResizeMode::Nearest && grows && shrinks {
        return Err(Fault::unsupported(
            "growing and shrinking at once is not supported: export with operator set 11 or newer",
        ));
    }
    let rounding = if shrinks {
        Rounding::Ceil
    } else {
        Rounding::Floor
    };
    finish(
        import,
        call,
        x,
        target,
        (mode, Coordinates::Asymmetric, rounding),
    )
}

fn resize(import: &mut Importer, call: &Call) -> Results {
    if call.opset < 11 {
        return upsample(import, call);
    }
    let x = call.input(0)?.clone();
    let from = import.shape(&x);
    let along = match call.ints("axes")? {
        Some(list) => list
            .iter()
            .map(|&a| axis(a, from.len() as i64))
            .collect::<Result<_, _>>()?,
        None => (0..from.len() as i64).collect::<Vec<_>>(),
    };
    let sizes = call
        .constant_ints(3, "list of sizes")?
        .filter(|s| !s.is_empty());
    let target = match sizes {
        Some(sizes) => by_sizes(call, &from, &along, &sizes)?,
        None => {
            let given = scales_operand(call, 2)?.unwrap_or_default();
            let scales = spread(&along, &given, vec![1.0; from.len()])?;
            by_scales(&from, scales)?
        }
    };
    let shrinks = from.iter().zip(&target.shape).any(|(a, b)| b < a);
    if call.flag("antialias", false)? && shrinks {
        return Err(Fault::unsupported(
            "antialiasing is not supported: export without 'antialias'",
        ));
    }
    let name = call.string("coordinate_transformation_mode", "half_pixel")?;
    let coordinates = Coordinates::from_name(&name).ok_or_else(|| {
        Fault::unsupported(format!(
            "coordinates '{name}' are not supported: export with others"
        ))
    })?;
    let name = call.string("nearest_mode", "round_prefer_floor")?;
    let rounding = Rounding::from_name(&name)
        .ok_or_else(|| Fault::attribute("nearest_mode", format!("'{name}' is not supported")))?;
    finish(
        import,
        call,
        x,
        target,
        (mode(call)?, coordinates, rounding),
    )
}

fn mode(call: &Call) -> Result<ResizeMode, Fault> {
    let name = call.string("mode", "nearest")?;
    match name.as_str() {
        "bilinear" => Ok(ResizeMode::Linear),
        _ => ResizeMode::from_name(&name)
            .ok_or_else(|| Fault::attribute("mode", format!("'{name}' is not supported"))),
    }
}

fn scales_operand(call: &Call, place: usize) -> Result<Option<Vec<f32>>, Fault> {
    Ok(call.constant(place, "list of scales")?.map(|t| t.to_f32s()))
}

/// Puts values given for some axes into a list for all.
fn spread<T: Copy>(along: &[i64], given: &[T], mut all: Vec<T>) -> Result<Vec<T>, Fault> {
    if given.len() != along.len() {
        let (given, axes) = (given.len(), along.len());
        return Err(Fault::invalid(format!(
            "it has {given} scales or sizes for {axes} axes"
        )));
    }
    for (&d, &value) in along.iter().zip(given) {
        all[d as usize] = value;
    }
    Ok(all)
}

fn by_scales(from: &[i64], scales: Vec<f32>) -> Result<Target, Fault> {
    if scales.len() != from.len() || scales.iter().any(|&s| !(s > 0.0 && s.is_finite())) {
        return Err(Fault::invalid(format!(
            "scales {scales:?} do not fit shape {from:?}"
        )));
    }
    let shape = from
        .iter()
        .zip(&scales)
        .map(|(&n, &s)| (n as f32 * s).floor() as i64)
        .collect();
    Ok(Target {
        shape,
        scales: Some(scales),
    })
}

fn by_sizes(call: &Call, from: &[i64], along: &[i64], sizes: &[i64]) -> Result<Target, Fault> {
    let mut shape = spread(along, sizes, from.to_vec())?;
    let policy = call.string("keep_aspect_ratio_policy", "stretch")?;
    if policy == "stretch" {
        return Ok(Target {
            shape,
            scales: None,
        });
    }
    let ratio = |&d: &i64| shape[d as usize] as f32 / from[d as usize] as f32;
    let ratios = along.iter().map(ratio);
    let scale = match policy.as_str() {
        "not_larger" => ratios.fold(f32::INFINITY, f32::min),
        "not_smaller" => ratios.fold(0.0, f32::max),
        _ => {
            let cause = format!("is '{policy}', which is unknown");
            return Err(Fault::attribute("keep_aspect_ratio_policy", cause));
        }
    };
    let mut scales = vec![1.0; from.len()];
    for &d in along {
        // Half up, as the specification says.
        shape[d as usize] = (scale * from[d as usize] as f32 + 0.5).floor() as i64;
        scales[d as usize] = scale;
    }
    Ok(Target {
        shape,
        scales: Some(scales),
    })
}

fn finish(
    import: &mut Importer,
    call: &Call,
    x: Value,
    target: Target,
    (mode, coordinates, rounding): (ResizeMode, Coordinates, Rounding),
) -> Results {
    let from = import.shape(&x);
    let exact = |scales: &Vec<f32>| {
        let ratios = target
            .shape
            .iter()
            .zip(&from)
            .map(|(&to, &from)| to as f32 / from as f32);
        ratios.zip(scales).all(|(ratio, &scale)| ratio == scale)
    };
    let scales = target
        .scales
        .as_ref()
        .filter(|s| !exact(s))
        .cloned()
        .unwrap_or_default();
    let op = Resize {
        mode,
        coordinates,
        rounding,
        shape: target.shape,
        scales: scales
            .into_iter()
            .map(|s| FloatBits::new(f64::from(s)))
            .collect(),
        cubic_coefficient: FloatBits::new(call.float("cubic_coeff_a", -0.75)?),
        exclude_outside: call.flag("exclude_outside", false)?,
    };
    Ok(vec![import.add(op, &[x])?])
}
