//! Selection and placement by index.

use std::slice;

use sinter_loops::scalar::{BinaryFn, CompareFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::cast::Cast;
use sinter_ops::ops::compare::Compare;
use sinter_ops::ops::gather::Gather;
use sinter_ops::ops::gather_elements::GatherElements;
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::select::Select;
use sinter_ops::ops::slice::Slice;

use super::Family;
use crate::call::{Call, axis};
use crate::error::Fault;
use crate::importer::{Importer, Value, as_constant};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[
    ("Gather", gather),
    ("GatherElements", gather_elements),
    ("NonZero", non_zero),
    ("OneHot", one_hot),
    ("ScatterND", scatter_nd),
    ("Trilu", trilu),
];

/// The longest axis of a mask or one-hot code that is made here.
const MAX_EXTENT: i64 = 1 << 24;

/// `Gather`; by one constant index it is a slice.
fn gather(import: &mut Importer, call: &Call) -> Results {
    let (data, indices) = (call.input(0)?.clone(), call.input(1)?.clone());
    let axis = axis(call.int("axis", 0)?, import.rank(&data))?;
    let mut shape = import.shape(&data);
    let (d, rank) = (axis as usize, shape.len());
    let index = known_indices(&indices, shape[d])?
        .filter(|_| import.rank(&indices) == 0)
        .and_then(|known| known.first().copied());
    let Some(at) = index else {
        return Ok(vec![import.add(Gather { axis }, &[data, indices])?]);
    };
    let mut op = Slice {
        starts: vec![0; rank],
        sizes: shape.clone(),
        steps: vec![1; rank],
    };
    (op.starts[d], op.sizes[d]) = (at, 1);
    let part = import.add(op, &[data])?;
    shape.remove(d);
    Ok(vec![import.add(Reshape { shape }, &[part])?])
}

/// Indices that are known now, counted from the start of an axis.
///
/// # Errors
/// When one of them is outside of the axis.
fn known_indices(indices: &Value, extent: i64) -> Result<Option<Vec<i64>>, Fault> {
    let from_start = |index: i64| {
        let at = if index < 0 {
            index.saturating_add(extent)
        } else {
            index
        };
        if (0..extent).contains(&at) {
            Ok(at)
        } else {
            Err(Fault::invalid(format!(
                "index {index} is not one of {extent} elements"
            )))
        }
    };
    let known = as_constant(indices).filter(|t| !t.ty().element.is_float());
    known
        .map(|t| t.to_i64s().into_iter().map(from_start).collect())
        .transpose()
}

fn gather_elements(import: &mut Importer, call: &Call) -> Results {
    let (data, indices) = (call.input(0)?.clone(), call.input(1)?.clone());
    let axis = axis(call.int("axis", 0)?, import.rank(&data))?;
    known_indices(&indices, import.shape(&data)[axis as usize])?;
    Ok(vec![import.add(GatherElements { axis }, &[data, indices])?])
}

/// `OneHot`: the indices compared with 0, 1, ... along a new axis.
fn one_hot(import: &mut Importer, call: &Call) -> Results {
    let to = ElementType::I64;
    let indices = import.add(Cast { to }, &[call.input(0)?.clone()])?;
    let depth = call
        .constant(1, "depth")?
        .filter(|t| t.ty().elements() == 1);
    let depth = depth.map_or(0, |t| t.get_i64(0));
    if !(1..=MAX_EXTENT).contains(&depth) {
        return Err(Fault::invalid(format!(
            "its depth is {depth}, which is out of range"
        )));
    }
    let mut shape = import.shape(&indices);
    let at = axis(call.int("axis", -1)?, shape.len() as i64 + 1)? as usize;
    let mut codes = vec![1; shape.len() + 1 - at];
    codes[0] = depth;
    let codes = Value::Constant(Tensor::from_i64(codes, &(0..depth).collect::<Vec<_>>()));
    shape.insert(at, 1);
    // Negative indices count from the end.
    let zero = import.scalar(to, 0.0);
    let end = import.scalar(to, depth as f64);
    let negative = import.add(
        Compare {
            kind: CompareFn::Lt,
        },
        &[indices.clone(), zero],
    )?;
    let moved = import.add(
        Binary {
            kind: BinaryFn::Add,
        },
        &[indices.clone(), end],
    )?;
    let place = import.add(Select {}, &[negative, moved, indices])?;
    let place = import.add(Reshape { shape }, &[place])?;
    let hit = import.add(
        Compare {
            kind: CompareFn::Eq,
        },
        &[place, codes],
    )?;
    let values = call.input(2)?.clone();
    let mut pick = |at: i64| {
        let op = Slice {
            starts: vec![at],
            sizes: vec![1],
            steps: vec![1],
        };
        import.add(op, slice::from_ref(&values))
    };
    let (off, on) = (pick(0)?, pick(1)?);
    Ok(vec![import.add(Select {}, &[hit, on, off])?])
}

/// `Trilu`: elements on one side of a diagonal, zero elsewhere.
fn trilu(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let shape = import.shape(&x);
    let [.., rows, columns] = shape[..] else {
        return Err(Fault::invalid("its operand has less than 2 dimensions"));
    };
    if rows.saturating_mul(columns) > MAX_EXTENT {
        return Err(Fault::unsupported(format!(
            "a mask of {rows} by {columns} is too large"
        )));
    }
    let diagonal = call
        .constant(1, "diagonal")?
        .filter(|t| t.ty().elements() == 1);
    let diagonal = diagonal
        .map_or(0, |t| t.get_i64(0))
        .clamp(-MAX_EXTENT, MAX_EXTENT);
    let upper = call.flag("upper", true)?;
    let kept = |row: i64, column: i64| match upper {
        true => column - row >= diagonal,
        false => column - row <= diagonal,
    };
    let mask: Vec<_> = (0..rows)
        .flat_map(|r| (0..columns).map(move |c| (r, c)))
        .map(|(r, c)| i64::from(kept(r, c)))
        .collect();
    let ty = TensorType::new(ElementType::Bool, [rows, columns]);
    let mask = Value::Constant(Tensor::from_i64s(ty, &mask));
    let zero = import.scalar(import.ty(&x).element, 0.0);
    Ok(vec![import.add(Select {}, &[mask, x, zero])?])
}

/// `ScatterND` of what is known now.
fn scatter_nd(_: &mut Importer, call: &Call) -> Results {
    let what = "operand";
    let known = |place| {
        let operand = call.constant(place, what)?;
        operand.ok_or_else(|| Fault::invalid(format!("operand {place} is missing")))
    };
    let (data, indices, updates) = (known(0)?, known(1)?, known(2)?);
    if call.string("reduction", "none")? != "none" {
        return Err(Fault::unsupported(
            "only plain placement is supported: export without reduction",
        ));
    }
    let shape = data.ty().shape.clone();
    let depth = indices.ty().shape.last().map_or(0, |&k| k as usize);
    if indices.ty().rank() == 0 || depth > shape.len() || data.ty().element != updates.ty().element
    {
        return Err(Fault::invalid("its indices or updates do not fit the data"));
    }
    let strides = data.ty().strides();
    let part = shape[depth..].iter().product::<i64>() as usize * data.ty().element.bytes();
    let places = indices.ty().shape[..indices.ty().rank() - 1]
        .iter()
        .product::<i64>() as usize;
    if updates.bytes().len() != places * part {
        return Err(Fault::invalid(format!(
            "{places} indices do not fit {}",
            updates.ty()
        )));
    }
    let mut bytes = data.bytes().to_vec();
    let at = indices.to_i64s();
    for place in 0..places {
        let mut offset = 0;
        for d in 0..depth {
            let given = at[place * depth + d];
            let i = if given < 0 {
                given.saturating_add(shape[d])
            } else {
                given
            };
            if !(0..shape[d]).contains(&i) {
                let extent = shape[d];
                return Err(Fault::invalid(format!(
                    "index {given} is not one of {extent} elements"
                )));
            }
            offset += i * strides[d];
        }
        let start = offset as usize * data.ty().element.bytes();
        bytes[start..start + part].copy_from_slice(&updates.bytes()[place * part..][..part]);
    }
    Ok(vec![Value::Constant(Tensor::from_bytes(
        data.ty().clone(),
        bytes.into(),
    ))])
}

/// `NonZero` of what is known now: the indices of elements that are not zero, by dimension.
fn non_zero(_: &mut Importer, call: &Call) -> Results {
    let x = call
        .constant(0, "operand")?
        .ok_or_else(|| Fault::invalid("it has no operand"))?;
    let strides = x.ty().strides();
    let found: Vec<_> = (0..x.ty().elements())
        .filter(|&i| x.get_f64(i as usize) != 0.0)
        .collect();
    let index = |d: usize, i: i64| i / strides[d] % x.ty().shape[d];
    let rows = (0..strides.len()).flat_map(|d| found.iter().map(move |&i| (d, i)));
    let values: Vec<_> = rows.map(|(d, i)| index(d, i)).collect();
    let shape = [strides.len() as i64, found.len() as i64];
    Ok(vec![Value::Constant(Tensor::from_i64(shape, &values))])
}
