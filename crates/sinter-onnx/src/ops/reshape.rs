//! Shapes and other shapes for the same elements.

use sinter_loops::tensor::Tensor;
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::transpose::Transpose;

use super::Family;
use crate::call::{Call, axes, axis};
use crate::error::Fault;
use crate::importer::{Importer, Value};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[
    ("DepthToSpace", depth_to_space),
    ("Flatten", flatten),
    ("Reshape", reshape),
    ("Shape", shape),
    ("Size", size),
    ("SpaceToDepth", space_to_depth),
    ("Squeeze", squeeze),
    ("Unsqueeze", unsqueeze),
];

fn reshaped(import: &mut Importer, call: &Call, shape: Vec<i64>) -> Results {
    Ok(vec![
        import.add(Reshape { shape }, &[call.input(0)?.clone()])?,
    ])
}

/// `Reshape`: 0 keeps an extent, -1 takes what is left.
fn reshape(import: &mut Importer, call: &Call) -> Results {
    let from = import.shape(call.input(0)?);
    let to = call
        .constant_ints(1, "shape")?
        .ok_or_else(|| Fault::invalid("it has no shape"))?;
    let keep_zero = call.flag("allowzero", false)?;
    let shape = resolved(&from, &to, keep_zero)
        .map_err(|cause| Fault::invalid(format!("shape {from:?} cannot become {to:?}: {cause}")))?;
    reshaped(import, call, shape)
}

fn resolved(from: &[i64], to: &[i64], keep_zero: bool) -> Result<Vec<i64>, &'static str> {
    let mut shape = to.to_vec();
    if !keep_zero {
        for (d, extent) in shape.iter_mut().enumerate().filter(|(_, e)| **e == 0) {
            *extent = *from
                .get(d)
                .ok_or("0 stands for a dimension that is not there")?;
        }
    }
    let open: Vec<_> = (0..shape.len()).filter(|&d| shape[d] == -1).collect();
    let known = shape
        .iter()
        .filter(|&&e| e != -1)
        .try_fold(1i64, |n, &e| match e {
            0.. => n.checked_mul(e).ok_or("it is too large"),
            _ => Err("it has a negative extent"),
        })?;
    let elements: i64 = from.iter().product();
    match open[..] {
        [] => {}
        [d] if known != 0 && elements % known == 0 => shape[d] = elements / known,
        [_] => return Err("the extents do not divide the number of elements"),
        _ => return Err("-1 is given more than once"),
    }
    Ok(shape)
}

fn flatten(import: &mut Importer, call: &Call) -> Results {
    let shape = import.shape(call.input(0)?);
    let rank = shape.len() as i64;
    let at = match call.int("axis", 1)? {
        at if at == rank => at,
        at => axis(at, rank)?,
    };
    let (rows, columns) = shape.split_at(at as usize);
    let matrix = vec![rows.iter().product(), columns.iter().product()];
    reshaped(import, call, matrix)
}

/// Axes are an attribute before version 13, an operand since.
fn given_axes(call: &Call) -> Result<Option<Vec<i64>>, Fault> {
    match call.ints("axes")? {
        Some(list) => Ok(Some(list)),
        None => call.constant_ints(1, "list of axes"),
    }
}

fn squeeze(import: &mut Importer, call: &Call) -> Results {
    let shape = import.shape(call.input(0)?);
    let dropped = match given_axes(call)? {
        Some(list) => axes(&list, shape.len() as i64)?,
        None => (0..shape.len() as i64)
            .filter(|&d| shape[d as usize] == 1)
            .collect(),
    };
    if let Some(&d) = dropped.iter().find(|&&d| shape[d as usize] != 1) {
        let extent = shape[d as usize];
        return Err(Fault::invalid(format!(
            "dimension {d} has extent {extent}, not 1"
        )));
    }
    let kept = (0..shape.len()).filter(|&d| !dropped.contains(&(d as i64)));
    reshaped(import, call, kept.map(|d| shape[d]).collect())
}

fn unsqueeze(import: &mut Importer, call: &Call) -> Results {
    let mut shape = import.shape(call.input(0)?);
    let list = given_axes(call)?.ok_or_else(|| Fault::attribute("axes", "is missing"))?;
    for at in axes(&list, (shape.len() + list.len()) as i64)? {
        shape.insert(at as usize, 1);
    }
    reshaped(import, call, shape)
}

fn shape(import: &mut Importer, call: &Call) -> Results {
    let shape = import.shape(call.input(0)?);
    let rank = shape.len() as i64;
    let place = |given: i64| {
        if given < 0 {
            given.saturating_add(rank)
        } else {
            given
        }
        .clamp(0, rank)
    };
    let start = place(call.int("start", 0)?);
    let end = place(call.int("end", rank)?).max(start);
    let part = &shape[start as usize..end as usize];
    Ok(vec![Value::Constant(Tensor::from_i64(
        [part.len() as i64],
        part,
    ))])
}

fn size(import: &mut Importer, call: &Call) -> Results {
    let elements = import.ty(call.input(0)?).elements();
    Ok(vec![Value::Constant(Tensor::from_i64([], &[elements]))])
}

/// The block size, and the shape when it has four dimensions.
fn blocks(import: &Importer, call: &Call) -> Result<(i64, [i64; 4]), Fault> {
    let shape = import.shape(call.input(0)?);
    let block = call.int("blocksize", 0)?;
    match shape[..] {
        [n, c, h, w] if (1..=1 << 16).contains(&block) => Ok((block, [n, c, h, w])),
        [_, _, _, _] => Err(Fault::attribute(
            "blocksize",
            format!("is {block}, out of range"),
        )),
        _ => Err(Fault::invalid(format!(
            "its operand has {} dimensions, not 4",
            shape.len()
        ))),
    }
}

fn permuted(
    import: &mut Importer,
    call: &Call,
    split: Vec<i64>,
    perm: Vec<i64>,
    shape: Vec<i64>,
) -> Results {
    let parts = import.add(Reshape { shape: split }, &[call.input(0)?.clone()])?;
    let moved = import.add(Transpose { perm }, &[parts])?;
    Ok(vec![import.add(Reshape { shape }, &[moved])?])
}

fn depth_to_space(import: &mut Importer, call: &Call) -> Results {
    let (b, [n, c, h, w]) = blocks(import, call)?;
    let depth = c / (b * b);
    let (split, perm) = match call.string("mode", "DCR")?.as_str() {
        "DCR" => (vec![n, b, b, depth, h, w], vec![0, 3, 4, 1, 5, 2]),
        "CRD" => (vec![n, depth, b, b, h, w], vec![0, 1, 4, 2, 5, 3]),
        other => {
            return Err(Fault::attribute(
                "mode",
                format!("is '{other}', not 'DCR' or 'CRD'"),
            ));
        }
    };
    permuted(import, call, split, perm, vec![n, depth, h * b, w * b])
}

fn space_to_depth(import: &mut Importer, call: &Call) -> Results {
    let (b, [n, c, h, w]) = blocks(import, call)?;
    let split = vec![n, c, h / b, b, w / b, b];
    let perm = match call.string("mode", "DCR")?.as_str() {
        "DCR" => vec![0, 3, 5, 1, 2, 4],
        "CRD" => vec![0, 1, 3, 5, 2, 4],
        other => {
            return Err(Fault::attribute(
                "mode",
                format!("is '{other}', not 'DCR' or 'CRD'"),
            ));
        }
    };
    let depth = c
        .checked_mul(b * b)
        .ok_or_else(|| Fault::invalid("its result is too large"))?;
    permuted(import, call, split, perm, vec![n, depth, h / b, w / b])
}

#[cfg(test)]
mod tests {
    use super::resolved;

    #[test]
    fn zeros_keep_and_minus_one_takes_the_rest() {
        assert_eq!(resolved(&[2, 3, 4], &[0, -1], false), Ok(vec![2, 12]));
        assert_eq!(resolved(&[2, 3], &[3, 2, 1], false), Ok(vec![3, 2, 1]));
        assert_eq!(resolved(&[0, 3], &[3, 0], true), Ok(vec![3, 0]));
    }

    #[test]
    fn ambiguous_shapes_are_refused() {
        assert_eq!(
            resolved(&[4], &[-1, -1], false),
            Err("-1 is given more than once")
        );
        assert_eq!(
            resolved(&[4], &[3, -1], false),
            Err("the extents do not divide the number of elements")
        );
        assert!(resolved(&[4], &[2, 0], false).is_err());
        assert!(resolved(&[4], &[i64::MAX, i64::MAX, -1], false).is_err());
    }
}
