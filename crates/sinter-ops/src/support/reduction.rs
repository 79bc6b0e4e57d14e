//! Reductions and contractions as nests.

use sinter_loops::affine::Affine;
use sinter_loops::nest::{Combine, CombineFn, Iter};
use sinter_loops::scalar::{BinaryFn, Body, FloatBits};
use sinter_loops::types::ElementType;

use super::code::wide;
use super::{Code, Point, iter};

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

/// Makes a nest with two reads multiply and accumulate them.
pub fn contraction(nest: Point, element: ElementType) -> Point {
    let mut code = Code::new(&[element, element]);
    let (a, b) = (code.widen(0), code.widen(1));
    let product = code.binary(BinaryFn::Mul, a, b);
    nest.body(code.returning(&[product]))
        .combine(combine(CombineFn::Add, wide(element)))
        .contract(matches!(element, ElementType::F32 | ElementType::F64))
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
