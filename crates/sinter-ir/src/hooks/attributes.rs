//! Parameters of our attributes, and attributes of function arguments.

use melior::ir::operation::OperationRef;
use melior::ir::{Attribute, AttributeLike};
use sinter_loops::kernel::Layout;
use sinter_sys::attributes::graph;
use sinter_sys::hooks::Parameter;

use super::shape::extents;
use super::tloop::function_inputs;
use super::{Checked, ensure, same_count};
use crate::affine::from_map_attribute;
use crate::attr;
use crate::kernel::physical_dim;

/// Checks the parameters of an attribute by its name: `graph.layout`.
pub(super) fn verify(name: &str, parameters: &[Parameter]) -> Checked {
    match (name, parameters) {
        ("graph.layout" | "tloop.layout", &[Parameter::Map(map)]) => {
            // SAFETY: the map is alive while its attribute is being made.
            layout(unsafe { Attribute::from_raw(mlir_sys::mlirAffineMapAttrGet(map)) })
        }
        ("graph.dim", &[name, Parameter::Integer(min), Parameter::Integer(max)]) => {
            not_empty("extent", &name)?;
            ensure(min >= 0, || format!("least extent {min} is negative"))?;
            ensure(min <= max, || format!("range {min}..={max} is empty"))
        }
        ("graph.placement", [buffer, offsets, shape]) => {
            not_empty("buffer", buffer)?;
            placement(&ints(offsets), &ints(shape))
        }
        ("graph.decision", [code, ..]) => {
            let code = attribute(code).and_then(attr::as_str).unwrap_or_default();
            let lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            ensure(!code.is_empty() && code.chars().all(lower), || {
                format!("code '{code}' must be of lower-case letters, digits and dashes")
            })
        }
        ("tloop.axis", [Parameter::Integer(extent), Parameter::Integer(tile), iters]) => {
            ensure(*extent >= 0, || format!("extent {extent} is negative"))?;
            ensure(*tile > 0, || format!("tile {tile} is not positive"))?;
            let wrong = ints(iters).into_iter().find(|&i| i < -1);
            ensure(wrong.is_none(), || {
                format!("iterator {} is less than -1", wrong.unwrap_or(0))
            })
        }
        (
            "tloop.stage",
            [
                order,
                vector,
                lanes,
                vectors,
                rows,
                row_tile,
                jam,
                jam_tile,
                unroll,
                _,
            ],
        ) => {
            let given = |p: &Parameter| matches!(p, Parameter::Integer(_));
            ensure(given(jam) == given(jam_tile), || {
                "jam and jam_tile are given together or not at all".to_owned()
            })?;
            stage(
                &ints(order),
                [*vector, *rows, *jam],
                [*lanes, *vectors, *row_tile, *jam_tile, *unroll],
            )
        }
        ("tloop.schedule", [grid, stages]) => schedule(grid, stages),
        _ => Ok(()),
    }
}

fn not_empty(what: &str, name: &Parameter) -> Checked {
    let name = attribute(name).and_then(attr::as_str);
    ensure(name != Some(""), || {
        format!("the name of the {what} is empty")
    })
}

fn attribute<'c>(parameter: &Parameter) -> Option<Attribute<'c>> {
    match parameter {
        // SAFETY: the parameter is alive while its attribute is being made.
        Parameter::Attribute(raw) => Some(unsafe { Attribute::from_raw(*raw) }),
        _ => None,
    }
}

fn ints(parameter: &Parameter) -> Vec<i64> {
    attribute(parameter)
        .and_then(attr::as_ints)
        .unwrap_or_default()
}

fn layout(map: Attribute<'_>) -> Checked {
    let (rank, results) = from_map_attribute(map).map_err(|e| e.to_string())?;
    let mut dims = Vec::new();
    for (i, result) in results.iter().enumerate() {
        dims.push(physical_dim(result).ok_or_else(|| {
            format!("result {i} is not a dimension, its quotient or its remainder")
        })?);
    }
    let layout = Layout { dims };
    ensure(layout.fits(rank), || {
        "every dimension must be whole, or split by one block into a quotient and a remainder"
            .to_string()
    })
}

fn placement(offsets: &[i64], shape: &[i64]) -> Checked {
    same_count(
        "offsets",
        offsets.len(),
        "extents of the buffer",
        shape.len(),
    )?;
    for (d, (offset, extent)) in offsets.iter().zip(shape).enumerate() {
        ensure((0..=*extent).contains(offset), || {
            format!("offset {offset} is outside dimension {d}, which has {extent}")
        })?;
    }
    Ok(())
}

/// Most lanes of a vector in a schedule.
const MOST_LANES: i64 = 1024;
/// Most points of a register tile, times the unroll factor: each is code of its own.
const MOST_POINTS: i64 = 1 << 20;

fn stage(order: &[i64], iters: [Parameter; 3], positive: [Parameter; 5]) -> Checked {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    ensure(sorted.iter().copied().eq(0..order.len() as i64), || {
        "order is not a permutation of the iterators".to_string()
    })?;
    for (what, iter) in ["vector", "rows", "jam"].iter().zip(iters) {
        if let Parameter::Integer(iter) = iter {
            ensure((0..order.len() as i64).contains(&iter), || {
                format!("{what} iterator {iter} is outside the order")
            })?;
        }
    }
    let mut points = 1i64;
    for (what, value) in ["lanes", "vectors", "row_tile", "jam_tile", "unroll"]
        .iter()
        .zip(positive)
    {
        if let Parameter::Integer(value) = value {
            ensure(value >= 0, || format!("{what} is negative"))?;
            ensure(*what != "lanes" || value <= MOST_LANES, || {
                format!("lanes is {value}, it may be {MOST_LANES} at most")
            })?;
            points = points.saturating_mul(value.max(1));
        }
    }
    ensure(points <= MOST_POINTS, || {
        format!("lanes, vectors, row_tile, jam_tile and unroll make more than {MOST_POINTS} points")
    })
}

fn schedule(grid: &Parameter, stages: &Parameter) -> Checked {
    use sinter_sys::attributes::tloop;
    let list = |p: &Parameter| attribute(p).and_then(attr::as_array).unwrap_or_default();
    let stages = list(stages);
    for stage in &stages {
        // SAFETY: asked of any attribute that is alive.
        let is_stage = unsafe { tloop::sinterAttributeIsATloopStageAttr(stage.to_raw()) };
        ensure(is_stage, || format!("'{stage}' is not a '#tloop.stage'"))?;
    }
    for axis in list(grid) {
        // SAFETY: the getter is called on the kind of attribute that was asked for first.
        let iters = unsafe {
            tloop::sinterAttributeIsATloopAxisAttr(axis.to_raw())
                .then(|| Attribute::from_raw(tloop::sinterTloopAxisAttrIters(axis.to_raw())))
        };
        let iters = iters.ok_or_else(|| format!("'{axis}' is not a '#tloop.axis'"))?;
        let count = attr::as_ints(iters).unwrap_or_default().len();
        same_count("iterators of a grid axis", count, "stages", stages.len())?;
    }
    Ok(())
}

/// `graph.dims` names the extents of an argument; `graph.name` is its ONNX name.
pub(super) fn argument(
    op: OperationRef<'_, '_>,
    argument: usize,
    name: &str,
    value: Attribute<'_>,
) -> Checked {
    match name {
        "graph.name" => named(&format!("argument {argument}"), value),
        "graph.dims" => {
            let inputs = function_inputs(op).unwrap_or_default();
            let extents = inputs
                .get(argument)
                .map(|&ty| extents(ty))
                .unwrap_or_default();
            dims(argument, &extents, value)
        }
        _ => Err(format!("'{name}' is not an attribute of arguments")),
    }
}

/// `graph.name` is the ONNX name of a result.
pub(super) fn result(result: usize, name: &str, value: Attribute<'_>) -> Checked {
    match name {
        "graph.name" => named(&format!("result {result}"), value),
        _ => Err(format!("'{name}' is not an attribute of results")),
    }
}

fn named(of: &str, value: Attribute<'_>) -> Checked {
    match attr::as_str(value) {
        Some("") => Err(format!("'graph.name' of {of} is empty")),
        Some(_) => Ok(()),
        None => Err(format!("'graph.name' of {of} must be a string")),
    }
}

fn dims(argument: usize, extents: &[Option<i64>], value: Attribute<'_>) -> Checked {
    let dims = attr::as_array(value)
        .ok_or_else(|| format!("'graph.dims' of argument {argument} must be an array"))?;
    same_count(
        "entries of 'graph.dims'",
        dims.len(),
        "dimensions",
        extents.len(),
    )?;
    for (d, (dim, extent)) in dims.iter().zip(extents).enumerate() {
        // SAFETY: asked of any attribute that is alive.
        let named = unsafe { graph::sinterAttributeIsAGraphDimAttr(dim.to_raw()) };
        ensure(named || attr::is_unit(*dim), || {
            format!("entry {d} of 'graph.dims' must be a '#graph.dim' or unit")
        })?;
        ensure(!named || extent.is_none(), || {
            format!("entry {d} of 'graph.dims' names an extent that is known")
        })?;
    }
    Ok(())
}
