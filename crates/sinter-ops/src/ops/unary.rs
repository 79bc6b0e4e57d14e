//! Elementwise functions of one operand.

use sinter_loops::scalar::{BinaryFn, Body, CompareFn, FloatBits, Reg, UnaryFn};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::attr::{self, Attr, AttrValue};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Code, Data, maximum, pointwise, require, require_arity, require_float, types_of,
};

/// Which function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnaryKind {
    /// `max(x, 0)`.
    Relu,
    /// `x < 0 ? alpha * x : x`.
    LeakyRelu {
        /// Slope below zero.
        alpha: FloatBits,
    },
    /// `1 / (1 + exp(-x))`.
    Sigmoid,
    /// `max(0, min(1, alpha * x + beta))`.
    HardSigmoid {
        /// Slope.
        alpha: FloatBits,
        /// Offset.
        beta: FloatBits,
    },
    /// `x * max(0, min(1, x / 6 + 0.5))`.
    HardSwish,
    /// `x * sigmoid(x)`.
    Silu,
    /// `x / 2 * (1 + erf(x / sqrt(2)))`, or its approximation by `tanh`.
    Gelu {
        /// Use `tanh`.
        approximate: bool,
    },
    /// `x < 0 ? alpha * (exp(x) - 1) : x`.
    Elu {
        /// Factor below zero.
        alpha: FloatBits,
    },
    /// Exponential.
    Exp,
    /// Natural logarithm.
    Log,
    /// Square root.
    Sqrt,
    /// `1 / sqrt(x)`.
    Rsqrt,
    /// `1 / x`.
    Reciprocal,
    /// Negation; integers wrap.
    Neg,
    /// Absolute value; integers wrap.
    Abs,
    /// Hyperbolic tangent.
    Tanh,
    /// Error function.
    Erf,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Largest integer not above.
    Floor,
    /// Smallest integer not below.
    Ceil,
    /// To the nearest integer, ties to even.
    Round,
    /// -1, 0 or 1.
    Sign,
    /// `log(1 + exp(x))`.
    Softplus,
    /// Logical negation of `i1`, bitwise of integers.
    Not,
}

/// An elementwise function of one operand. The name is that of the function: `relu`, `leaky_relu`, ...
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unary {
    /// Function.
    pub kind: UnaryKind,
}

/// Functions without attributes.
const PLAIN: [(UnaryKind, &str); 21] = [
    (UnaryKind::Relu, "relu"),
    (UnaryKind::Sigmoid, "sigmoid"),
    (UnaryKind::HardSwish, "hard_swish"),
    (UnaryKind::Silu, "silu"),
    (UnaryKind::Exp, "exp"),
    (UnaryKind::Log, "log"),
    (UnaryKind::Sqrt, "sqrt"),
    (UnaryKind::Rsqrt, "rsqrt"),
    (UnaryKind::Reciprocal, "reciprocal"),
    (UnaryKind::Neg, "neg"),
    (UnaryKind::Abs, "abs"),
    (UnaryKind::Tanh, "tanh"),
    (UnaryKind::Erf, "erf"),
    (UnaryKind::Sin, "sin"),
    (UnaryKind::Cos, "cos"),
    (UnaryKind::Floor, "floor"),
    (UnaryKind::Ceil, "ceil"),
    (UnaryKind::Round, "round"),
    (UnaryKind::Sign, "sign"),
    (UnaryKind::Softplus, "softplus"),
    (UnaryKind::Not, "not"),
];

impl Unary {
    pub(crate) const NAMES: &'static [&'static str] = &{
        let mut all = ["gelu"; PLAIN.len() + 4];
        (all[0], all[1], all[2]) = ("leaky_relu", "elu", "hard_sigmoid");
        let mut n = 0;
        while n < PLAIN.len() {
            all[3 + n] = PLAIN[n].1;
            n += 1;
        }
        all
    };

    /// `None` when the name is another operator's.
    pub(crate) fn parse(
        mnemonic: &str,
        attributes: &[(String, Attr)],
    ) -> Option<Result<Self, OpError>> {
        if let Some((kind, _)) = PLAIN.iter().find(|(_, n)| *n == mnemonic) {
            return Some(attr::only(mnemonic, attributes, &[]).map(|()| Self { kind: *kind }));
        }
        let known: &[&str] = match mnemonic {
            "leaky_relu" | "elu" => &["alpha"],
            "hard_sigmoid" => &["alpha", "beta"],
            "gelu" => &["approximate"],
            _ => return None,
        };
        Some(attr::only(mnemonic, attributes, known).and_then(|()| {
            let float = |name| attr::read::<FloatBits>(mnemonic, attributes, name);
            let kind = match mnemonic {
                "leaky_relu" => UnaryKind::LeakyRelu {
                    alpha: float("alpha")?,
                },
                "elu" => UnaryKind::Elu {
                    alpha: float("alpha")?,
                },
                "hard_sigmoid" => UnaryKind::HardSigmoid {
                    alpha: float("alpha")?,
                    beta: float("beta")?,
                },
                _ => UnaryKind::Gelu {
                    approximate: attr::read(mnemonic, attributes, "approximate")?,
                },
            };
            Ok(Self { kind })
        }))
    }

    fn name(&self) -> &'static str {
        match self.kind {
            UnaryKind::LeakyRelu { .. } => "leaky_relu",
            UnaryKind::Elu { .. } => "elu",
            UnaryKind::HardSigmoid { .. } => "hard_sigmoid",
            UnaryKind::Gelu { .. } => "gelu",
            plain => PLAIN
                .iter()
                .find(|(k, _)| *k == plain)
                .map_or("unary", |(_, n)| n),
        }
    }

    fn attribute_list(&self) -> Vec<(&'static str, Attr)> {
        let list = match self.kind {
            UnaryKind::LeakyRelu { alpha } | UnaryKind::Elu { alpha } => {
                vec![("alpha", alpha.to_attr())]
            }
            UnaryKind::HardSigmoid { alpha, beta } => {
                vec![("alpha", alpha.to_attr()), ("beta", beta.to_attr())]
            }
            UnaryKind::Gelu { approximate } => vec![("approximate", approximate.to_attr())],
            _ => Vec::new(),
        };
        list.into_iter()
            .filter_map(|(name, attr)| Some((name, attr?)))
            .collect()
    }

    /// Whether the function takes integers too (and `i1`, for `not`).
    fn takes(&self, ty: &TensorType) -> Result<(), OpError> {
        let kind = self.kind;
        if kind == UnaryKind::Not {
            return require(!ty.element.is_float(), || {
                format!("needs an operand of integers or i1, not {ty}")
            });
        }
        if matches!(
            kind,
            UnaryKind::Relu | UnaryKind::Neg | UnaryKind::Abs | UnaryKind::Sign
        ) {
            return require(ty.element != ElementType::Bool, || {
                format!("needs an operand of numbers, not {ty}")
            });
        }
        require_float(ty)
    }

    /// The function by its definition.
    fn value(&self, x: f64) -> f64 {
        match self.kind {
            UnaryKind::Relu => maximum(x, 0.0),
            UnaryKind::LeakyRelu { alpha } => {
                if x < 0.0 {
                    alpha.get() * x
                } else {
                    x
                }
            }
            UnaryKind::Sigmoid => 1.0 / (1.0 + (-x).exp()),
            UnaryKind::HardSigmoid { alpha, beta } => {
                (alpha.get() * x + beta.get()).clamp(0.0, 1.0)
            }
            UnaryKind::HardSwish => x * (x / 6.0 + 0.5).clamp(0.0, 1.0),
            UnaryKind::Silu => x / (1.0 + (-x).exp()),
            UnaryKind::Gelu { approximate: false } => {
                0.5 * x * (1.0 + libm::erf(x * std::f64::consts::FRAC_1_SQRT_2))
            }
            UnaryKind::Gelu { approximate: true } => {
                0.5 * x * (1.0 + (GELU_TANH_SCALE * (x + GELU_TANH_CUBE * x * x * x)).tanh())
            }
            UnaryKind::Elu { alpha } => {
                if x < 0.0 {
                    alpha.get() * x.exp_m1()
                } else {
                    x
                }
            }
            UnaryKind::Exp => x.exp(),
            UnaryKind::Log => x.ln(),
            UnaryKind::Sqrt => x.sqrt(),
            UnaryKind::Rsqrt => 1.0 / x.sqrt(),
            UnaryKind::Reciprocal => 1.0 / x,
            UnaryKind::Neg => -x,
            UnaryKind::Abs => x.abs(),
            UnaryKind::Tanh => x.tanh(),
            UnaryKind::Erf => libm::erf(x),
            UnaryKind::Sin => x.sin(),
            UnaryKind::Cos => x.cos(),
            UnaryKind::Floor => x.floor(),
            UnaryKind::Ceil => x.ceil(),
            UnaryKind::Round => x.round_ties_even(),
            UnaryKind::Sign => {
                if x == 0.0 || x.is_nan() {
                    x
                } else {
                    x.signum()
                }
            }
            UnaryKind::Softplus => maximum(x, 0.0) + (-x.abs()).exp().ln_1p(),
            UnaryKind::Not => f64::from(x == 0.0),
        }
    }

    /// The function on integers.
    fn integer(&self, x: i64, element: ElementType) -> i64 {
        match self.kind {
            UnaryKind::Relu => x.max(0),
            UnaryKind::Neg => x.wrapping_neg(),
            UnaryKind::Abs => x.wrapping_abs(),
            UnaryKind::Sign => x.signum(),
            UnaryKind::Not if element == ElementType::Bool => i64::from(x == 0),
            UnaryKind::Not => !x,
            _ => x,
        }
    }

    /// The scalar body on register 0 of an element type.
    fn code(&self, element: ElementType) -> Body {
        let mut code = Code::new(&[element]);
        let x = if element.is_float() { code.widen(0) } else { 0 };
        let y = emit(&mut code, self.kind, x);
        let y = code.cast(element, y);
        code.returning(&[y])
    }
}

/// `sqrt(2 / pi)`.
const GELU_TANH_SCALE: f64 = 0.797_884_560_802_865_4;
/// The cubic coefficient of the `tanh` approximation (Hendrycks and Gimpel, 2016).
const GELU_TANH_CUBE: f64 = 0.044_715;

/// Appends the function to a body.
fn emit(code: &mut Code, kind: UnaryKind, x: Reg) -> Reg {
    use BinaryFn::{Add, Div, Max, Min, Mul, Sub};
    let plain = |code: &mut Code, f| code.unary(f, x);
    match kind {
        UnaryKind::Relu => code.with(Max, x, 0.0),
        UnaryKind::LeakyRelu { alpha } => {
            let scaled = code.with(Mul, x, alpha.get());
            select_negative(code, x, scaled)
        }
        UnaryKind::Sigmoid => {
            let one = code.like(x, 1.0);
            let denominator = one_plus_exp_neg(code, x);
            code.binary(Div, one, denominator)
        }
        UnaryKind::HardSigmoid { alpha, beta } => {
            let line = code.with(Mul, x, alpha.get());
            let line = code.with(Add, line, beta.get());
            let low = code.with(Max, line, 0.0);
            code.with(Min, low, 1.0)
        }
        UnaryKind::HardSwish => {
            let gate = emit(code, HARD_SWISH_GATE, x);
            code.binary(Mul, x, gate)
        }
        UnaryKind::Silu => {
            let denominator = one_plus_exp_neg(code, x);
            code.binary(Div, x, denominator)
        }
        UnaryKind::Gelu { approximate } => {
            let inner = if approximate {
                let square = code.binary(Mul, x, x);
                let cubic = code.with(Mul, square, GELU_TANH_CUBE);
                let factor = code.with(Add, cubic, 1.0);
                let sum = code.binary(Mul, x, factor);
                let scaled = code.with(Mul, sum, GELU_TANH_SCALE);
                code.unary(UnaryFn::Tanh, scaled)
            } else {
                let scaled = code.with(Mul, x, std::f64::consts::FRAC_1_SQRT_2);
                code.unary(UnaryFn::Erf, scaled)
            };
            let gate = code.with(Add, inner, 1.0);
            let half = code.with(Mul, x, 0.5);
            code.binary(Mul, half, gate)
        }
        UnaryKind::Elu { alpha } => {
            let exp = code.unary(UnaryFn::Exp, x);
            let less = code.with(Sub, exp, 1.0);
            let scaled = code.with(Mul, less, alpha.get());
            select_negative(code, x, scaled)
        }
        UnaryKind::Reciprocal => {
            let one = code.like(x, 1.0);
            code.binary(Div, one, x)
        }
        UnaryKind::Sign => {
            let (zero, one, minus) = (code.like(x, 0.0), code.like(x, 1.0), code.like(x, -1.0));
            let above = code.compare(CompareFn::Gt, x, zero);
            let below = code.compare(CompareFn::Lt, x, zero);
            let rest = code.select(below, minus, x);
            code.select(above, one, rest)
        }
        UnaryKind::Softplus => {
            let magnitude = code.unary(UnaryFn::Abs, x);
            let negated = code.unary(UnaryFn::Neg, magnitude);
            let exp = code.unary(UnaryFn::Exp, negated);
            let log = log_of_one_plus(code, exp);
            let positive = code.with(Max, x, 0.0);
            code.binary(Add, positive, log)
        }
        UnaryKind::Exp => plain(code, UnaryFn::Exp),
        UnaryKind::Log => plain(code, UnaryFn::Log),
        UnaryKind::Sqrt => plain(code, UnaryFn::Sqrt),
        UnaryKind::Rsqrt => plain(code, UnaryFn::Rsqrt),
        UnaryKind::Neg => plain(code, UnaryFn::Neg),
        UnaryKind::Abs => plain(code, UnaryFn::Abs),
        UnaryKind::Tanh => plain(code, UnaryFn::Tanh),
        UnaryKind::Erf => plain(code, UnaryFn::Erf),
        UnaryKind::Sin => plain(code, UnaryFn::Sin),
        UnaryKind::Cos => plain(code, UnaryFn::Cos),
        UnaryKind::Floor => plain(code, UnaryFn::Floor),
        UnaryKind::Ceil => plain(code, UnaryFn::Ceil),
        UnaryKind::Round => plain(code, UnaryFn::Round),
        UnaryKind::Not => plain(code, UnaryFn::Not),
    }
}

/// The factor of hard swish: `max(0, min(1, x / 6 + 0.5))`.
const HARD_SWISH_GATE: UnaryKind = UnaryKind::HardSigmoid {
    alpha: FloatBits((1.0f64 / 6.0).to_bits()),
    beta: FloatBits(0.5f64.to_bits()),
};

/// `log(1 + x)` for `x` in `[0, 1]`, accurate where `x` is small: what `1 + x` loses of `x` is made up for by
/// a factor (Kahan; Goldberg, "What every computer scientist should know about floating-point
/// arithmetic", theorem 4).
fn log_of_one_plus(code: &mut Code, x: Reg) -> Reg {
    let sum = code.with(BinaryFn::Add, x, 1.0);
    let kept = code.with(BinaryFn::Sub, sum, 1.0);
    let log = code.unary(UnaryFn::Log, sum);
    let lost = code.binary(BinaryFn::Div, x, kept);
    let log = code.binary(BinaryFn::Mul, log, lost);
    let zero = code.like(x, 0.0);
    let nothing = code.compare(CompareFn::Eq, kept, zero);
    code.select(nothing, x, log)
}

fn one_plus_exp_neg(code: &mut Code, x: Reg) -> Reg {
    let negated = code.unary(UnaryFn::Neg, x);
    let exp = code.unary(UnaryFn::Exp, negated);
    code.with(BinaryFn::Add, exp, 1.0)
}

fn select_negative(code: &mut Code, x: Reg, when_negative: Reg) -> Reg {
    let zero = code.like(x, 0.0);
    let negative = code.compare(CompareFn::Lt, x, zero);
    code.select(negative, when_negative, x)
}

impl Operator for Unary {
    fn mnemonic(&self) -> &'static str {
        self.name()
    }
    fn attributes(&self) -> Vec<(&'static str, Attr)> {
        self.attribute_list()
    }
    fn traits(&self) -> Traits {
        Traits {
            elementwise: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 1..=1)?;
        self.takes(&operands[0])?;
        Ok(operands.to_vec())
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let types = types_of(operands);
        let ty = self.infer(&types)?.remove(0);
        let element = ty.element;
        let data = match Data::of(&operands[0]) {
            Data::Float(v) => Data::Float(v.into_iter().map(|x| self.value(x)).collect()),
            Data::Int(v) => Data::Int(v.into_iter().map(|x| self.integer(x, element)).collect()),
        };
        Ok(vec![data.tensor(ty)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        Ok(Loops::one(pointwise(
            &[&ty.shape],
            &ty.shape,
            self.code(ty.element),
            ty.element,
        )))
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        operands.first().map_or(0, |t| t.elements() as u64)
    }
}
