//! Reductions and contractions as nests.

use sinter_loops::affine::Affine;
use sinter_loops::nest::{Combine, CombineFn, Iter};
use sinter_loops::scalar::{BinaryFn, Body, FloatBits};
use sinter_loops::types::{ElementType, TensorType};

use super::code::wide;
use super::{Code, Point, err, iter, one_dtype};
use crate::operator::OpError;

/// The domain that reduces `axes` of a shape: parallel iterators for the other dimensions, then
/// reduction iterators.
pub struct Reduced {
    /// The domain.
    pub iters: Vec<Iter>,
    /// The index of the operand.
    pub operand: Vec<Affine>,
    /// The index of the result, without the reduced dimensions.
    pub result: Vec<Affine>,
}

impl Reduced {
    /// The domain for reducing some dimensions.
    pub fn new(shape: &[i64], reduced: impl Fn(usize) -> bool) -> Self {
        let mut iters = Vec::new();
        let mut operand = vec![Affine::Const(0); shape.len()];
        for d in (0..shape.len()).filter(|&d| !reduced(d)) {
            operand[d] = iter(iters.len());
            iters.push(Iter::parallel(shape[d]));
        }
        let result = super::identity(iters.len());
        for d in (0..shape.len()).filter(|&d| reduced(d)) {
            operand[d] = iter(iters.len());
            iters.push(Iter::reduction(shape[d]));
        }
        Self {
            iters,
            operand,
            result,
        }
    }
}

/// A combiner that starts from its neutral element.
pub fn combine(function: CombineFn, element: ElementType) -> Combine {
    let init = match function {
        CombineFn::Add => 0.0,
        CombineFn::Mul => 1.0,
        CombineFn::Max => lowest(element),
        CombineFn::Min => highest(element),
    };
    Combine {
        function,
        init: FloatBits::new(init),
    }
}

/// The smallest value of an element type.
pub fn lowest(element: ElementType) -> f64 {
    match element {
        ElementType::I64 => i64::MIN as f64,
        ElementType::I32 => f64::from(i32::MIN),
        ElementType::I8 => f64::from(i8::MIN),
        ElementType::U8 | ElementType::Bool => 0.0,
        _ => f64::NEG_INFINITY,
    }
}

/// The largest value of an element type.
pub fn highest(element: ElementType) -> f64 {
    match element {
        ElementType::I64 => i64::MAX as f64,
        ElementType::I32 => f64::from(i32::MAX),
        ElementType::I8 => f64::from(i8::MAX),
        ElementType::U8 => f64::from(u8::MAX),
        ElementType::Bool => 1.0,
        _ => f64::INFINITY,
    }
}

/// The element type of a sum of products: that of the factors, and `i32` for 8-bit integers, which may
/// differ in their sign.
///
/// # Errors
/// When the factors differ otherwise, or nothing multiplies them.
pub fn product_type(a: &TensorType, b: &TensorType) -> Result<ElementType, OpError> {
    let short = |ty: &TensorType| matches!(ty.element, ElementType::I8 | ElementType::U8);
    if short(a) && short(b) {
        return Ok(ElementType::I32);
    }
    let element = one_dtype(&[a, b])?;
    match element.is_float() || matches!(element, ElementType::I32 | ElementType::I64) {
        true => Ok(element),
        false => err(format!("does not take operands of {element}")),
    }
}

/// Makes a nest with two reads multiply and accumulate them.
pub fn contraction(nest: Point, element: ElementType) -> Point {
    contraction_of(nest, element, element, wide(element))
}

/// The same for factors of two element types whose products are made and added in a third.
pub fn contraction_of(nest: Point, a: ElementType, b: ElementType, sum: ElementType) -> Point {
    let mut code = Code::new(&[a, b]);
    let (a, b) = (code.cast(sum, 0), code.cast(sum, 1));
    let product = code.binary(BinaryFn::Mul, a, b);
    let (x, y) = (code.ty(0), code.ty(1));
    let bytes = |ty| matches!(ty, ElementType::I8 | ElementType::U8);
    // Products of halves are exact in `f32`, those of bytes in `i32`.
    let fused = match sum {
        ElementType::F32 => x == sum || x.is_half() && y.is_half(),
        ElementType::F64 => x == sum,
        ElementType::I32 => bytes(x) && bytes(y),
        _ => false,
    };
    nest.body(code.returning(&[product]))
        .combine(combine(CombineFn::Add, sum))
        .contract(fused)
}

/// From the accumulator of a contraction, and a bias if there is one, to the result.
pub fn contraction_finish(element: ElementType, bias: bool) -> Body {
    let acc = wide(element);
    let mut code = if bias {
        Code::new(&[acc, element])
    } else {
        Code::new(&[acc])
    };
    let mut value = 0;
    if bias {
        let bias = code.widen(1);
        value = code.binary(BinaryFn::Add, value, bias);
    }
    let value = code.cast(element, value);
    code.returning(&[value])
}

/// Multiplies and accumulates nothing: the result of a contraction over no points.
pub fn empty_contraction(nest: Point, element: ElementType) -> Point {
    let mut code = Code::new(&[]);
    let zero = code.constant(wide(element), 0.0);
    nest.body(code.returning(&[zero]))
}
