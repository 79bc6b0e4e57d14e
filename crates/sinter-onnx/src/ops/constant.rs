//! Constants and what is made of them.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::ops::expand::Expand;

use super::Family;
use crate::call::Call;
use crate::error::Fault;
use crate::importer::{Importer, Value};
use crate::weights::{checked_type, element};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[
    ("Constant", constant),
    ("ConstantOfShape", constant_of_shape),
    ("EyeLike", eye_like),
    ("Range", range),
];

/// The most elements that are made here.
const MAX_ELEMENTS: i64 = 1 << 24;

fn constant(import: &mut Importer, call: &Call) -> Results {
    if let Some(proto) = call.tensor("value")? {
        let tensor = import
            .tensor(proto)
            .map_err(|cause| Fault::attribute_value("value", &cause))?;
        return Ok(vec![Value::Constant(tensor)]);
    }
    let one = |tensor| Ok(vec![Value::Constant(tensor)]);
    if let Some(values) = call.ints("value_ints")? {
        return one(Tensor::from_i64([values.len() as i64], &values));
    }
    if let Some(values) = call.floats("value_floats")? {
        return one(Tensor::from_f32([values.len() as i64], &values));
    }
    if let Some(value) = call.optional_float("value_float")? {
        return one(Tensor::from_f32([], &[value as f32]));
    }
    if let Some(value) = call.optional_int("value_int")? {
        return one(Tensor::from_i64([], &[value]));
    }
    Err(Fault::unsupported(
        "only dense numeric constants are supported: export without sparse or text",
    ))
}

fn constant_of_shape(import: &mut Importer, call: &Call) -> Results {
    let shape = call
        .constant_ints(0, "shape")?
        .ok_or_else(|| Fault::invalid("it has no shape"))?;
    let value = match call.tensor("value")? {
        Some(proto) => import
            .tensor(proto)
            .map_err(|cause| Fault::attribute_value("value", &cause))?,
        None => Tensor::from_f32([], &[0.0]),
    };
    if value.ty().elements() != 1 {
        return Err(Fault::attribute("value", "does not have one element"));
    }
    checked_type(value.ty().element, &shape).map_err(Fault::invalid)?;
    let value = Value::Constant(value.reshaped([]));
    Ok(vec![import.add(Expand { shape }, &[value])?])
}

fn range(_: &mut Importer, call: &Call) -> Results {
    let known = |place, what| {
        let tensor = call
            .constant(place, what)?
            .filter(|t| t.ty().elements() == 1);
        tensor.ok_or_else(|| Fault::invalid(format!("its {what} is not one number")))
    };
    let (start, limit, delta) = (known(0, "start")?, known(1, "limit")?, known(2, "step")?);
    let element = start.ty().element;
    let (first, last, step) = (start.get_f64(0), limit.get_f64(0), delta.get_f64(0));
    let count = ((last - first) / step).ceil();
    if count.is_nan() || count > MAX_ELEMENTS as f64 {
        return Err(Fault::invalid(format!(
            "it has {count} elements, which is out of range"
        )));
    }
    let count = count.max(0.0) as i64;
    let ty = TensorType::new(element, [count]);
    let tensor = if element.is_float() {
        let values: Vec<_> = (0..count).map(|i| first + i as f64 * step).collect();
        Tensor::from_f64s(ty, &values)
    } else {
        let (first, step) = (start.get_i64(0), delta.get_i64(0));
        let values: Vec<_> = (0..count)
            .map(|i| first.wrapping_add(i.wrapping_mul(step)))
            .collect();
        Tensor::from_i64s(ty, &values)
    };
    Ok(vec![Value::Constant(tensor)])
}

fn eye_like(import: &mut Importer, call: &Call) -> Results {
    let like = import.ty(call.input(0)?);
    let [rows, columns] = like.shape[..] else {
        return Err(Fault::invalid("its operand is not a matrix"));
    };
    if rows.saturating_mul(columns) > MAX_ELEMENTS {
        return Err(Fault::invalid(format!(
            "{rows} by {columns} elements are too many"
        )));
    }
    let element = match call.optional_int("dtype")? {
        Some(code) => i32::try_from(code)
            .map_err(|_| "is no element type: export the model again".to_string())
            .and_then(element),
        None => Ok(like.element),
    };
    let element: ElementType = element.map_err(|cause| Fault::attribute_value("dtype", &cause))?;
    let diagonal = call.int("k", 0)?;
    let places = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
    let values: Vec<_> = places
        .map(|(r, c)| i64::from(c.saturating_sub(r) == diagonal))
        .collect();
    Ok(vec![Value::Constant(Tensor::from_i64s(
        TensorType::new(element, [rows, columns]),
        &values,
    ))])
}
