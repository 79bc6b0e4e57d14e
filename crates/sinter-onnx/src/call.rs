//! One node during import: its operands and attributes, checked as they are read.

use sinter_loops::tensor::Tensor;
use sinter_loops::types::ElementType;

use crate::error::Fault;
use crate::importer::{Value, as_constant};
use crate::proto::{AttributeProto, GraphProto, NodeProto, TensorProto, attribute_kind as kind};

/// The largest magnitude of window, stride and padding attributes.
const MAX_WINDOW: i64 = 1 << 30;

/// A node with its operands looked up.
pub struct Call<'n> {
    node: &'n NodeProto,
    inputs: Vec<Option<Value>>,
    /// Version of the default operator set.
    pub opset: i64,
}

impl<'n> Call<'n> {
    /// A node and the values of its operands; omitted ones are `None`.
    pub(crate) fn new(node: &'n NodeProto, inputs: Vec<Option<Value>>, opset: i64) -> Self {
        Self {
            node,
            inputs,
            opset,
        }
    }

    /// Number of results that the node names.
    pub fn output_count(&self) -> usize {
        self.node.output.len()
    }

    /// An operand that has to be there.
    ///
    /// # Errors
    /// When it is not.
    pub fn input(&self, place: usize) -> Result<&Value, Fault> {
        self.optional(place)
            .ok_or_else(|| Fault::invalid(format!("operand {place} is missing")))
    }

    /// An operand that may be omitted.
    pub fn optional(&self, place: usize) -> Option<&Value> {
        self.inputs.get(place).and_then(Option::as_ref)
    }

    /// All operands.
    ///
    /// # Errors
    /// When there is none, or one of them is omitted.
    pub fn inputs(&self) -> Result<Vec<Value>, Fault> {
        if self.inputs.is_empty() {
            return Err(Fault::invalid("it has no operands"));
        }
        (0..self.inputs.len())
            .map(|place| self.input(place).cloned())
            .collect()
    }

    /// An operand that has to be known now, if it is there; `what` names it.
    ///
    /// # Errors
    /// When it depends on the data that the model is run on.
    pub fn constant(&self, place: usize, what: &str) -> Result<Option<Tensor>, Fault> {
        let Some(value) = self.optional(place) else {
            return Ok(None);
        };
        as_constant(value).map(Some).ok_or_else(|| {
            Fault::unsupported(format!(
                "its {what} depends on the input's values, not only on sizes: export the model with a \
                 constant {what}"
            ))
        })
    }

    /// Integers of an operand that has to be known now, if it is there.
    ///
    /// # Errors
    /// When it depends on data, or is not an integer tensor.
    pub fn constant_ints(&self, place: usize, what: &str) -> Result<Option<Vec<i64>>, Fault> {
        let Some(tensor) = self.constant(place, what)? else {
            return Ok(None);
        };
        if !matches!(tensor.ty().element, ElementType::I64 | ElementType::I32) {
            return Err(Fault::invalid(format!("its {what} is not of integers")));
        }
        Ok(Some(tensor.to_i64s()))
    }

    fn attribute(&self, name: &str, wanted: i32) -> Result<Option<&'n AttributeProto>, Fault> {
        let Some(attribute) = self.node.attribute.iter().find(|a| a.name == name) else {
            return Ok(None);
        };
        if attribute.kind == wanted {
            return Ok(Some(attribute));
        }
        Err(Fault::attribute(
            name,
            format!("is not of kind {}", KINDS[wanted as usize]),
        ))
    }

    /// An integer attribute.
    ///
    /// # Errors
    /// When it is of another kind.
    pub fn int(&self, name: &str, default: i64) -> Result<i64, Fault> {
        Ok(self.attribute(name, kind::INT)?.map_or(default, |a| a.i))
    }

    /// An integer attribute, if it is there.
    ///
    /// # Errors
    /// When it is of another kind.
    pub fn optional_int(&self, name: &str) -> Result<Option<i64>, Fault> {
        Ok(self.attribute(name, kind::INT)?.map(|a| a.i))
    }

    /// An integer attribute used as a truth value.
    ///
    /// # Errors
    /// When it is of another kind.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, Fault> {
        Ok(self.int(name, i64::from(default))? != 0)
    }

    /// A list of integers, if it is there.
    ///
    /// # Errors
    /// When it is of another kind.
    pub fn ints(&self, name: &str) -> Result<Option<Vec<i64>>, Fault> {
        Ok(self.attribute(name, kind::INTS)?.map(|a| a.ints.clone()))
    }

    /// A list of `count` window sizes, strides or paddings, each at least `least`.
    ///
    /// # Errors
    /// When it is of another kind or length, or a number is out of range.
    pub fn window(&self, name: &str, count: usize, least: i64) -> Result<Option<Vec<i64>>, Fault> {
        let Some(values) = self.ints(name)? else {
            return Ok(None);
        };
        if values.len() != count {
            return Err(Fault::attribute(
                name,
                format!("has {} numbers, not {count}", values.len()),
            ));
        }
        match values.iter().find(|v| !(least..=MAX_WINDOW).contains(*v)) {
            Some(v) => Err(Fault::attribute(
                name,
                format!("holds {v}, which is out of range"),
            )),
            None => Ok(Some(values)),
        }
    }

    /// A float attribute.
    ///
    /// # Errors
    /// When it is of another kind.
    pub fn float(&self, name: &str, default: f32) -> Result<f64, Fault> {
        Ok(f64::from(
            self.attribute(name, kind::FLOAT)?.map_or(default, |a| a.f),
        ))
    }

    /// A float attribute, if it is there.
    ///
    /// # Errors
    /// When it is of another kind.
    pub fn optional_float(&self, name: &str) -> Result<Option<f64>, Fault> {
        Ok(self.attribute(name, kind::FLOAT)?.map(|a| f64::from(a.f)))
    }

    /// A list of floats, if it is there.
    ///
    /// # Errors
    /// When it is of another kind.
    pub fn floats(&self, name: &str) -> Result<Option<Vec<f32>>, Fault> {
        Ok(self
            .attribute(name, kind::FLOATS)?
            .map(|a| a.floats.clone()))
    }

    /// A string attribute.
    ///
    /// # Errors
    /// When it is of another kind.
    pub fn string(&self, name: &str, default: &str) -> Result<String, Fault> {
        let attribute = self.attribute(name, kind::STRING)?;
        Ok(attribute.map_or(default.into(), |a| {
            String::from_utf8_lossy(&a.s).into_owned()
        }))
    }

    /// A tensor attribute, if it is there.
    ///
    /// # Errors
    /// When it is of another kind.
    pub(crate) fn tensor(&self, name: &str) -> Result<Option<&'n TensorProto>, Fault> {
        Ok(self
            .attribute(name, kind::TENSOR)?
            .and_then(|a| a.t.as_ref()))
    }

    /// A subgraph.
    ///
    /// # Errors
    /// When it is missing or of another kind.
    pub(crate) fn graph(&self, name: &str) -> Result<&'n GraphProto, Fault> {
        let attribute = self.attribute(name, kind::GRAPH)?;
        attribute
            .and_then(|a| a.g.as_ref())
            .ok_or_else(|| Fault::attribute(name, "is missing"))
    }
}

const KINDS: [&str; 8] = [
    "undefined",
    "float",
    "int",
    "string",
    "tensor",
    "graph",
    "floats",
    "ints",
];

/// A dimension number counted from the end when negative, as one from the start.
///
/// # Errors
/// When it is not one of `rank` dimensions.
pub fn axis(axis: i64, rank: i64) -> Result<i64, Fault> {
    let from_start = if axis < 0 {
        axis.checked_add(rank)
    } else {
        Some(axis)
    };
    match from_start {
        Some(d) if (0..rank).contains(&d) => Ok(d),
        _ => Err(Fault::invalid(format!(
            "axis {axis} is not one of {rank} dimensions"
        ))),
    }
}

/// Dimension numbers from the start, ascending.
///
/// # Errors
/// When one is not one of `rank` dimensions, or given twice.
pub fn axes(list: &[i64], rank: i64) -> Result<Vec<i64>, Fault> {
    let mut found = list
        .iter()
        .map(|&a| axis(a, rank))
        .collect::<Result<Vec<_>, _>>()?;
    found.sort_unstable();
    match found.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Fault::invalid(format!("axis {} is given twice", pair[0]))),
        None => Ok(found),
    }
}
