//! Single values and the functions of a [`Body`](crate::scalar::Body) on them.

use half::{bf16, f16};

use crate::nest::CombineFn;
use crate::scalar::{BinaryFn, CompareFn, FloatBits, UnaryFn};
use crate::types::ElementType;

/// A value of an element type.
///
/// Floats are held as the double of the same value, and every result is rounded to its type. For
/// addition, subtraction, multiplication, division and square root in `f32` and below that is the
/// same as computing in the type itself; other functions are computed in double precision and
/// rounded once. Integers wrap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A float of the given type.
    Float(ElementType, f64),
    /// An integer or boolean (0 or 1) of the given type.
    Int(ElementType, i64),
}

/// Rounds to a floating-point type.
fn round_float(ty: ElementType, value: f64) -> f64 {
    match ty {
        ElementType::F32 => f64::from(value as f32),
        ElementType::F16 => f16::from_f64(value).to_f64(),
        ElementType::Bf16 => bf16::from_f64(value).to_f64(),
        _ => value,
    }
}

/// Wraps to an integer type.
fn wrap_int(ty: ElementType, value: i64) -> i64 {
    match ty {
        ElementType::I32 => i64::from(value as i32),
        ElementType::I8 => i64::from(value as i8),
        ElementType::U8 => i64::from(value as u8),
        ElementType::Bool => value & 1,
        _ => value,
    }
}

impl Scalar {
    /// A double rounded to the element type; for integers truncated and wrapped, for booleans
    /// `!= 0`.
    pub fn new(ty: ElementType, value: f64) -> Self {
        if ty.is_float() {
            Self::Float(ty, round_float(ty, value))
        } else if ty == ElementType::Bool {
            Self::bool(value != 0.0)
        } else {
            Self::Int(ty, wrap_int(ty, value as i64))
        }
    }

    /// A literal.
    pub fn literal(ty: ElementType, value: FloatBits) -> Self {
        Self::new(ty, value.get())
    }

    /// An integer of the given integer or boolean type, wrapped.
    pub fn int(ty: ElementType, value: i64) -> Self {
        Self::Int(ty, wrap_int(ty, value))
    }

    /// A 32-bit float.
    pub fn f32(value: f32) -> Self {
        Self::Float(ElementType::F32, f64::from(value))
    }

    /// A 64-bit integer.
    pub fn i64(value: i64) -> Self {
        Self::Int(ElementType::I64, value)
    }

    /// A boolean.
    pub fn bool(value: bool) -> Self {
        Self::Int(ElementType::Bool, i64::from(value))
    }

    /// The element type.
    pub fn ty(self) -> ElementType {
        match self {
            Self::Float(ty, _) | Self::Int(ty, _) => ty,
        }
    }

    /// As a double (large 64-bit integers are rounded).
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Float(_, v) => v,
            Self::Int(_, v) => v as f64,
        }
    }

    /// As a 64-bit integer; floats are truncated.
    pub fn to_i64(self) -> i64 {
        match self {
            Self::Float(_, v) => v as i64,
            Self::Int(_, v) => v,
        }
    }

    /// Whether the value is not zero.
    pub fn is_true(self) -> bool {
        match self {
            Self::Float(_, v) => v != 0.0,
            Self::Int(_, v) => v != 0,
        }
    }

    /// Conversion to an element type: float to int truncates, anything to `Bool` is `!= 0`.
    #[must_use]
    pub fn cast(self, ty: ElementType) -> Self {
        match (self, ty) {
            (_, ElementType::Bool) => Self::bool(self.is_true()),
            (Self::Float(_, v), _) => Self::new(ty, v),
            (Self::Int(_, v), ElementType::F32) => Self::f32(v as f32),
            (Self::Int(_, v), _) if ty.is_float() => Self::new(ty, v as f64),
            (Self::Int(_, v), _) => Self::int(ty, v),
        }
    }

    /// A function of one value. Functions that integers do not have leave them as they are.
    #[must_use]
    pub fn unary(self, function: UnaryFn) -> Self {
        match self {
            Self::Float(ty, v) => Self::Float(ty, round_float(ty, unary_float(function, v))),
            Self::Int(ty, v) => Self::int(ty, unary_int(function, v)),
        }
    }

    /// A function of two values of one type. Integer division by zero gives 0; bitwise functions
    /// that floats do not have give the first value.
    #[must_use]
    pub fn binary(self, function: BinaryFn, other: Self) -> Self {
        match self {
            Self::Float(ty, a) => {
                let value = binary_float(function, a, other.to_f64());
                Self::Float(ty, round_float(ty, value))
            }
            Self::Int(ty, a) => Self::int(ty, binary_int(function, a, other.to_i64())),
        }
    }

    /// A comparison of two values of one type.
    pub fn compare(self, function: CompareFn, other: Self) -> bool {
        match (self, other) {
            (Self::Int(_, a), Self::Int(_, b)) => compare(function, a, b),
            _ => compare(function, self.to_f64(), other.to_f64()),
        }
    }

    /// One step of a combiner.
    #[must_use]
    pub fn combine(self, function: CombineFn, other: Self) -> Self {
        self.binary(BinaryFn::from(function), other)
    }

    /// `a * b + self` with one rounding.
    #[must_use]
    pub fn fused_multiply_add(self, a: Self, b: Self) -> Self {
        match self {
            Self::Float(ElementType::F32, acc) => {
                Self::f32((a.to_f64() as f32).mul_add(b.to_f64() as f32, acc as f32))
            }
            Self::Float(ty, acc) => {
                Self::Float(ty, round_float(ty, a.to_f64().mul_add(b.to_f64(), acc)))
            }
            Self::Int(ty, acc) => {
                Self::int(ty, a.to_i64().wrapping_mul(b.to_i64()).wrapping_add(acc))
            }
        }
    }
}

fn unary_float(function: UnaryFn, v: f64) -> f64 {
    match function {
        UnaryFn::Neg => -v,
        UnaryFn::Abs => v.abs(),
        UnaryFn::Exp => v.exp(),
        UnaryFn::Log => v.ln(),
        UnaryFn::Sqrt => v.sqrt(),
        UnaryFn::Rsqrt => 1.0 / v.sqrt(),
        UnaryFn::Tanh => v.tanh(),
        UnaryFn::Erf => libm::erf(v),
        UnaryFn::Sin => v.sin(),
        UnaryFn::Cos => v.cos(),
        UnaryFn::Floor => v.floor(),
        UnaryFn::Ceil => v.ceil(),
        UnaryFn::Round => v.round_ties_even(),
        UnaryFn::Not => v,
    }
}

fn unary_int(function: UnaryFn, v: i64) -> i64 {
    match function {
        UnaryFn::Neg => v.wrapping_neg(),
        UnaryFn::Abs => v.wrapping_abs(),
        UnaryFn::Not => !v,
        _ => v,
    }
}

fn binary_float(function: BinaryFn, a: f64, b: f64) -> f64 {
    match function {
        BinaryFn::Add => a + b,
        BinaryFn::Sub => a - b,
        BinaryFn::Mul => a * b,
        BinaryFn::Div => a / b,
        BinaryFn::Max if a.is_nan() || a > b => a,
        BinaryFn::Min if a.is_nan() || a < b => a,
        BinaryFn::Max | BinaryFn::Min => b,
        BinaryFn::Pow => a.powf(b),
        BinaryFn::Rem => a % b,
        BinaryFn::And | BinaryFn::Or | BinaryFn::Xor => a,
    }
}

fn binary_int(function: BinaryFn, a: i64, b: i64) -> i64 {
    match function {
        BinaryFn::Add => a.wrapping_add(b),
        BinaryFn::Sub => a.wrapping_sub(b),
        BinaryFn::Mul => a.wrapping_mul(b),
        BinaryFn::Div => a.checked_div(b).unwrap_or(if b == 0 { 0 } else { a }),
        BinaryFn::Max => a.max(b),
        BinaryFn::Min => a.min(b),
        BinaryFn::Pow => pow_int(a, b),
        BinaryFn::Rem => a.checked_rem(b).unwrap_or(0),
        BinaryFn::And => a & b,
        BinaryFn::Or => a | b,
        BinaryFn::Xor => a ^ b,
    }
}

fn pow_int(base: i64, exponent: i64) -> i64 {
    match (base, exponent) {
        (1, _) => 1,
        (-1, e) => {
            if e % 2 == 0 {
                1
            } else {
                -1
            }
        }
        (_, e) if e < 0 => 0,
        (b, e) => b.wrapping_pow(u32::try_from(e).unwrap_or(u32::MAX)),
    }
}

fn compare<T: PartialOrd>(function: CompareFn, a: T, b: T) -> bool {
    match function {
        CompareFn::Eq => a == b,
        CompareFn::Ne => a != b,
        CompareFn::Lt => a < b,
        CompareFn::Le => a <= b,
        CompareFn::Gt => a > b,
        CompareFn::Ge => a >= b,
    }
}

impl From<CombineFn> for BinaryFn {
    fn from(function: CombineFn) -> Self {
        match function {
            CombineFn::Add => Self::Add,
            CombineFn::Mul => Self::Mul,
            CombineFn::Max => Self::Max,
            CombineFn::Min => Self::Min,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    #[test]
    fn f32_arithmetic_is_that_of_the_type() {
        let mut rng = SmallRng::seed_from_u64(3);
        for _ in 0..20_000 {
            let a = f32::from_bits(rng.random());
            let b = f32::from_bits(rng.random());
            let cases = [
                (BinaryFn::Add, a + b),
                (BinaryFn::Sub, a - b),
                (BinaryFn::Mul, a * b),
                (BinaryFn::Div, a / b),
                (BinaryFn::Rem, a % b),
            ];
            for (function, want) in cases {
                let got = Scalar::f32(a).binary(function, Scalar::f32(b)).to_f64() as f32;
                assert!(
                    got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()),
                    "{function:?} {a} {b}: {got} {want}"
                );
            }
            let root = Scalar::f32(a).unary(UnaryFn::Sqrt).to_f64() as f32;
            assert!(root == a.sqrt() || (root.is_nan() && a.sqrt().is_nan()));
        }
    }

    #[test]
    fn fused_multiply_add_rounds_once() {
        let a = 1.0 + f32::EPSILON;
        let acc = Scalar::f32(-1.0 - 2.0 * f32::EPSILON);
        let fused = acc
            .fused_multiply_add(Scalar::f32(a), Scalar::f32(a))
            .to_f64() as f32;
        assert_eq!(fused, f32::EPSILON * f32::EPSILON);
    }

    #[test]
    fn integers_are_exact_and_total() {
        let big = Scalar::i64(i64::MAX);
        assert_eq!(big.binary(BinaryFn::Add, Scalar::i64(1)).to_i64(), i64::MIN);
        assert_eq!(
            big.binary(BinaryFn::Sub, Scalar::i64(1)).to_i64(),
            i64::MAX - 1
        );
        assert_eq!(
            Scalar::i64(7)
                .binary(BinaryFn::Div, Scalar::i64(0))
                .to_i64(),
            0
        );
        assert_eq!(
            Scalar::i64(-7)
                .binary(BinaryFn::Div, Scalar::i64(2))
                .to_i64(),
            -3
        );
        assert_eq!(
            Scalar::i64(-7)
                .binary(BinaryFn::Rem, Scalar::i64(2))
                .to_i64(),
            -1
        );
        let min = Scalar::i64(i64::MIN);
        assert_eq!(
            min.binary(BinaryFn::Div, Scalar::i64(-1)).to_i64(),
            i64::MIN
        );
        assert_eq!(
            Scalar::i64(3)
                .binary(BinaryFn::Pow, Scalar::i64(4))
                .to_i64(),
            81
        );
        assert_eq!(
            Scalar::int(ElementType::U8, 255)
                .cast(ElementType::I8)
                .to_i64(),
            -1
        );
        assert_eq!(Scalar::bool(true).unary(UnaryFn::Not).to_i64(), 0);
    }

    #[test]
    fn casts_and_comparisons() {
        assert_eq!(Scalar::f32(-2.9).cast(ElementType::I32).to_i64(), -2);
        assert_eq!(Scalar::f32(0.5).cast(ElementType::Bool), Scalar::bool(true));
        let big = Scalar::i64((1 << 24) + 1);
        assert_eq!(big.cast(ElementType::F32).to_f64(), f64::from(1 << 24));
        let nan = Scalar::f32(f32::NAN);
        assert!(nan.compare(CompareFn::Ne, nan) && !nan.compare(CompareFn::Eq, nan));
        let one = Scalar::f32(1.0);
        for function in [BinaryFn::Max, BinaryFn::Min] {
            assert!(nan.binary(function, one).to_f64().is_nan());
            assert!(one.binary(function, nan).to_f64().is_nan());
        }
        assert_eq!(Scalar::f32(2.5).unary(UnaryFn::Round), Scalar::f32(2.0));
    }
}
