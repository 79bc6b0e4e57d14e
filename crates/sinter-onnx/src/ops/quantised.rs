//! Quantisation: floats to 8-bit integers by a scale and a zero point, and back.

use sinter_loops::scalar::{BinaryFn, CompareFn, FloatBits};
use sinter_loops::types::ElementType;
use sinter_loops::types::ElementType::{F32, I8, I32, U8};
use sinter_ops::ops::cast::Cast;
use sinter_ops::ops::clamp::Clamp;
use sinter_ops::ops::compare::Compare;
use sinter_ops::ops::reduce::{Reduce, ReduceKind};
use sinter_ops::ops::reshape::Reshape;
use sinter_ops::ops::select::Select;
use sinter_ops::ops::unary::{Unary, UnaryKind};
use sinter_ops::support::{highest, lowest};

use super::{Family, binary};
use crate::call::{Call, axis};
use crate::error::Fault;
use crate::importer::{Importer, Value};
use crate::weights::element;

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[
    ("DequantizeLinear", dequantize),
    ("DynamicQuantizeLinear", dynamic_quantize),
    ("QuantizeLinear", quantize),
];

/// `saturate(round(x / scale) + zero)`, halves to even.
fn quantize(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let place = place(import, call, &x)?;
    let scale = place.spread(import, call, 1, "scale")?;
    let scale = scale.ok_or_else(|| Fault::invalid("it has no scale"))?;
    let zero = place.spread(import, call, 2, "zero point")?;
    let given = element_attribute(call, "output_dtype")?;
    let to = match (&zero, given) {
        (Some(zero), Some(given)) if import.ty(zero).element != given => {
            let zero = import.ty(zero).element;
            return Err(Fault::attribute(
                "output_dtype",
                format!("is {given}, the zero point is of {zero}"),
            ));
        }
        (Some(zero), _) => import.ty(zero).element,
        (None, given) => given.unwrap_or(U8),
    };
    eight_bits(to, "its result")?;
    let precision = element_attribute(call, "precision")?;
    let precision = precision.unwrap_or(import.ty(&scale).element);
    float(precision, "its scale")?;
    let x = cast(import, x, precision)?;
    let scale = cast(import, scale, precision)?;
    let quotient = binary(import, BinaryFn::Div, x, scale)?;
    Ok(vec![rounded(import, quotient, zero, to)?])
}

/// `saturate(round(x) + zero)` as an 8-bit integer, halves to even.
pub(super) fn rounded(
    import: &mut Importer,
    x: Value,
    zero: Option<Value>,
    to: ElementType,
) -> Result<Value, Fault> {
    let element = import.ty(&x).element;
    let mut y = import.add(
        Unary {
            kind: UnaryKind::Round,
        },
        &[x],
    )?;
    if let Some(zero) = zero.filter(|z| !is_zero(z)) {
        let zero = cast(import, zero, element)?;
        y = binary(import, BinaryFn::Add, y, zero)?;
    }
    let limits = Clamp {
        min: Some(FloatBits::new(lowest(to))),
        max: Some(FloatBits::new(highest(to))),
    };
    let y = import.add(limits, &[y])?;
    cast(import, y, to)
}

/// `(x - zero) * scale`.
fn dequantize(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let from = import.ty(&x).element;
    if from != I32 {
        eight_bits(from, "its operand")?;
    }
    let place = place(import, call, &x)?;
    let scale = place.spread(import, call, 1, "scale")?;
    let scale = scale.ok_or_else(|| Fault::invalid("it has no scale"))?;
    let zero = place.spread(import, call, 2, "zero point")?;
    let scale_type = import.ty(&scale).element;
    float(scale_type, "its scale")?;
    let to = element_attribute(call, "output_dtype")?.unwrap_or(scale_type);
    float(to, "its result")?;
    let whole = shifted(import, x, zero)?;
    let y = cast(import, whole, F32)?;
    let scale = cast(import, scale, F32)?;
    let y = binary(import, BinaryFn::Mul, y, scale)?;
    Ok(vec![cast(import, y, to)?])
}

/// `x - zero` as `i32`.
fn shifted(import: &mut Importer, x: Value, zero: Option<Value>) -> Result<Value, Fault> {
    if let Some(zero) = &zero {
        same_type(import, &x, zero, "zero point")?;
    }
    let x = cast(import, x, I32)?;
    match zero.filter(|z| !is_zero(z)) {
        Some(zero) => {
            let zero = cast(import, zero, I32)?;
            binary(import, BinaryFn::Sub, x, zero)
        }
        None => Ok(x),
    }
}

/// To `u8` by the range of the operand, which is widened to hold 0: the result, its scale and its zero point.
fn dynamic_quantize(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let ty = import.ty(&x);
    if ty.element != F32 || ty.elements() == 0 {
        return Err(Fault::invalid(format!("its operand is {ty}, not of f32")));
    }
    let end = |import: &mut Importer, kind, function| {
        let all = Reduce {
            kind,
            axes: (0..ty.rank() as i64).collect(),
            keep_dims: false,
        };
        let found = match ty.rank() {
            0 => x.clone(),
            _ => import.add(all, std::slice::from_ref(&x))?,
        };
        let zero = import.scalar(F32, 0.0);
        binary(import, function, found, zero)
    };
    let least = end(import, ReduceKind::Min, BinaryFn::Min)?;
    let most = end(import, ReduceKind::Max, BinaryFn::Max)?;
    let range = binary(import, BinaryFn::Sub, most, least.clone())?;
    let (none, one) = (import.scalar(F32, 0.0), import.scalar(F32, 1.0));
    let steps = import.scalar(F32, highest(U8));
    // Of zeros alone the scale is 1/255 here and 0 in the text of the standard; onnxruntime divides 1.
    let empty = import.add(
        Compare {
            kind: CompareFn::Eq,
        },
        &[range.clone(), none.clone()],
    )?;
    let range = import.add(Select {}, &[empty, one, range])?;
    let scale = binary(import, BinaryFn::Div, range, steps)?;
    let offset = binary(import, BinaryFn::Div, least, scale.clone())?;
    let offset = binary(import, BinaryFn::Sub, none, offset)?;
    let zero = rounded(import, offset, None, U8)?;
    let quotient = binary(import, BinaryFn::Div, x.clone(), scale.clone())?;
    let y = rounded(import, quotient, Some(zero.clone()), U8)?;
    Ok(vec![y, scale, zero])
}

/// How scales and zero points lie along an operand.
struct Place {
    /// Extents of the operand.
    shape: Vec<i64>,
    /// The dimension of those that have several values; not yet checked.
    axis: i64,
}

fn place(import: &Importer, call: &Call, x: &Value) -> Result<Place, Fault> {
    match call.int("block_size", 0)? {
        0 => {}
        size => {
            return Err(Fault::unsupported(format!(
                "it is quantised in blocks of {size}, which is not supported: quantise per tensor or per axis"
            )));
        }
    }
    Ok(Place {
        shape: import.shape(x),
        axis: call.int("axis", 1)?,
    })
}

impl Place {
    /// An operand of one value, or of one per index of the axis, in a shape that broadcasts.
    fn spread(
        &self,
        import: &mut Importer,
        call: &Call,
        at: usize,
        what: &str,
    ) -> Result<Option<Value>, Fault> {
        let Some(value) = call.optional(at).cloned() else {
            return Ok(None);
        };
        let ty = import.ty(&value);
        if ty.rank() <= 1 && ty.elements() == 1 {
            return reshaped(import, value, vec![]).map(Some);
        }
        if ty.rank() > 1 {
            return Err(Fault::unsupported(format!(
                "its {what} is {ty}, one value per block, which is not supported: quantise per tensor or per axis"
            )));
        }
        let axis = axis(self.axis, self.shape.len() as i64)? as usize;
        if ty.shape[0] != self.shape[axis] {
            return Err(Fault::invalid(format!(
                "its {what} has {} values for {} along axis {axis}",
                ty.shape[0], self.shape[axis]
            )));
        }
        let mut shape = vec![1; self.shape.len()];
        shape[axis] = self.shape[axis];
        reshaped(import, value, shape).map(Some)
    }
}

/// An attribute that names an element type, if it is there and not 0.
fn element_attribute(call: &Call, name: &str) -> Result<Option<ElementType>, Fault> {
    let code = call.int(name, 0)?;
    if code == 0 {
        return Ok(None);
    }
    let found = i32::try_from(code)
        .map_err(|_| "is no element type: export the model again".to_string())
        .and_then(element);
    found
        .map(Some)
        .map_err(|cause| Fault::attribute_value(name, &cause))
}

/// Refuses an element type that is no 8-bit integer.
pub(super) fn eight_bits(ty: ElementType, what: &str) -> Result<(), Fault> {
    match ty {
        I8 | U8 => Ok(()),
        other => Err(Fault::unsupported(format!(
            "{what} is of {other}, which is not supported: quantise to int8 or uint8"
        ))),
    }
}

/// Refuses an element type that is no float.
pub(super) fn float(ty: ElementType, what: &str) -> Result<(), Fault> {
    match ty.is_float() {
        true => Ok(()),
        false => Err(Fault::invalid(format!("{what} is of {ty}, not of floats"))),
    }
}

/// Refuses a value that is not of the element type of another.
pub(super) fn same_type(
    import: &Importer,
    of: &Value,
    value: &Value,
    what: &str,
) -> Result<(), Fault> {
    let (of, value) = (import.ty(of).element, import.ty(value).element);
    match of == value {
        true => Ok(()),
        false => Err(Fault::invalid(format!(
            "its {what} is of {value}, the operand of {of}"
        ))),
    }
}

/// Whether a value is known to be 0 everywhere.
pub(super) fn is_zero(value: &Value) -> bool {
    match value {
        Value::Constant(tensor) => tensor.to_f64s().iter().all(|&v| v == 0.0),
        Value::Graph(_) => false,
    }
}

/// Converts to an element type.
pub(super) fn cast(import: &mut Importer, x: Value, to: ElementType) -> Result<Value, Fault> {
    import.add(Cast { to }, &[x])
}

/// Gives another shape.
pub(super) fn reshaped(import: &mut Importer, x: Value, shape: Vec<i64>) -> Result<Value, Fault> {
    match import.shape(&x) == shape {
        true => Ok(x),
        false => import.add(Reshape { shape }, &[x]),
    }
}
