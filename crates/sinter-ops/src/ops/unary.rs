//! Elementwise functions of one operand.

use sinter_loops::scalar::FloatBits;

use crate::attr::{self, Attr, AttrValue};
use crate::operator::OpError;

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
    const MNEMONIC: &'static str = "unary";
}

super::pending!(Unary);
