//! The scalar body of a nest: a straight-line SSA list.

use serde::{Deserialize, Serialize};

pub use crate::body::BodyBuilder;
use crate::types::ElementType;
pub use crate::value::Scalar;

/// A value in a [`Body`]: arguments come first, then one value per instruction.
pub type Reg = usize;

/// Functions of one scalar. Each has one upstream `arith`/`math` spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum UnaryFn {
    Neg,
    Abs,
    Exp,
    Log,
    Sqrt,
    Rsqrt,
    Tanh,
    Erf,
    Sin,
    Cos,
    Floor,
    Ceil,
    /// To the nearest integer, ties to even.
    Round,
    Not,
}

/// Functions of two scalars. On floats `Max` and `Min` are NaN where either operand is, as in ONNX and
/// numpy; which of two zeros they give is not promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum BinaryFn {
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
    Pow,
    /// Remainder with the sign of the dividend (C `fmod` and `%`).
    Rem,
    And,
    Or,
    Xor,
}

/// Comparisons; ordered (false with NaN) but for `Ne`, which is true with NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum CompareFn {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A float literal that is hashed and compared by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FloatBits(pub u64);

impl FloatBits {
    /// From a double.
    pub fn new(value: f64) -> Self {
        Self(value.to_bits())
    }
    /// As a double.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// One instruction; its result is the next [`Reg`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Inst {
    /// A literal of the given element type (integers and booleans are held as doubles too).
    Const(ElementType, FloatBits),
    /// The current value of an iterator of the nest, as `i64`.
    Index(usize),
    /// A function of one value; the result has the operand's type.
    Unary(UnaryFn, Reg),
    /// A function of two values of the same type; the result has that type.
    Binary(BinaryFn, Reg, Reg),
    /// A comparison of two values of the same type; the result is `Bool`.
    Compare(CompareFn, Reg, Reg),
    /// `Select(c, a, b)` is `a` where `c` holds, else `b`.
    Select(Reg, Reg, Reg),
    /// Conversion to an element type: float to int truncates, anything to `Bool` is `!= 0`.
    Cast(ElementType, Reg),
}

/// A straight-line scalar function.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Body {
    /// Element types of the arguments.
    pub args: Vec<ElementType>,
    /// Instructions in order; operand registers precede their use.
    pub insts: Vec<Inst>,
    /// Registers returned.
    pub results: Vec<Reg>,
}
