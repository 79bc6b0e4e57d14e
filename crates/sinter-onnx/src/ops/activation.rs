//! Activation functions.

use std::slice;

use sinter_loops::scalar::{BinaryFn, CompareFn, FloatBits};
use sinter_ops::ops::binary::Binary;
use sinter_ops::ops::clamp::Clamp;
use sinter_ops::ops::compare::Compare;
use sinter_ops::ops::prelu::Prelu;
use sinter_ops::ops::select::Select;
use sinter_ops::ops::unary::{Unary, UnaryKind};

use super::Family;
use super::elementwise::unary;
use crate::call::Call;
use crate::error::Fault;
use crate::importer::{Importer, Value, as_constant};

type Results = Result<Vec<Value>, Fault>;

pub(super) const OPERATORS: Family = &[
    ("Celu", celu),
    ("Clip", clip),
    ("Elu", |i, c| {
        unary(
            i,
            c,
            UnaryKind::Elu {
                alpha: alpha(c, 1.0)?,
            },
        )
    }),
    ("Gelu", gelu),
    ("HardSigmoid", hard_sigmoid),
    ("HardSwish", |i, c| unary(i, c, UnaryKind::HardSwish)),
    ("LeakyRelu", |i, c| {
        unary(
            i,
            c,
            UnaryKind::LeakyRelu {
                alpha: alpha(c, 0.01)?,
            },
        )
    }),
    ("Mish", mish),
    ("PRelu", prelu),
    ("Relu", |i, c| unary(i, c, UnaryKind::Relu)),
    ("Selu", selu),
    ("Sigmoid", |i, c| unary(i, c, UnaryKind::Sigmoid)),
    ("Softplus", |i, c| unary(i, c, UnaryKind::Softplus)),
    ("Softsign", softsign),
    ("Swish", swish),
    ("ThresholdedRelu", thresholded_relu),
];

fn alpha(call: &Call, default: f32) -> Result<FloatBits, Fault> {
    Ok(FloatBits::new(call.float("alpha", default)?))
}

fn hard_sigmoid(import: &mut Importer, call: &Call) -> Results {
    let beta = FloatBits::new(call.float("beta", 0.5)?);
    unary(
        import,
        call,
        UnaryKind::HardSigmoid {
            alpha: alpha(call, 0.2)?,
            beta,
        },
    )
}

fn gelu(import: &mut Importer, call: &Call) -> Results {
    match call.string("approximate", "none")?.as_str() {
        "none" => unary(import, call, UnaryKind::Gelu { approximate: false }),
        "tanh" => unary(import, call, UnaryKind::Gelu { approximate: true }),
        other => Err(Fault::attribute(
            "approximate",
            format!("is '{other}', not 'none' or 'tanh'"),
        )),
    }
}

/// `Clip`: limits are attributes before version 11, operands since.
fn clip(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    if call.opset < 11 {
        let min = call.optional_float("min")?.map(FloatBits::new);
        let max = call.optional_float("max")?.map(FloatBits::new);
        return clamp(import, x, min, max);
    }
    let limits = [call.optional(1), call.optional(2)];
    if limits
        .iter()
        .flatten()
        .any(|v| import.ty(v).elements() != 1)
    {
        return Err(Fault::invalid("its limits are not scalars"));
    }
    let known: Option<Vec<_>> = limits.iter().flatten().map(|v| as_constant(v)).collect();
    if known.is_some() {
        let limit = |v: &&Value| as_constant(v).map(|t| FloatBits::new(t.get_f64(0)));
        return clamp(
            import,
            x,
            limits[0].as_ref().and_then(limit),
            limits[1].as_ref().and_then(limit),
        );
    }
    let mut result = x;
    for (limit, kind) in limits.into_iter().zip([BinaryFn::Max, BinaryFn::Min]) {
        if let Some(limit) = limit {
            result = import.add(Binary { kind }, &[result, limit.clone()])?;
        }
    }
    Ok(vec![result])
}

fn clamp(
    import: &mut Importer,
    x: Value,
    min: Option<FloatBits>,
    max: Option<FloatBits>,
) -> Results {
    if min.is_none() && max.is_none() {
        return Ok(vec![x]);
    }
    Ok(vec![import.add(Clamp { min, max }, &[x])?])
}

fn prelu(import: &mut Importer, call: &Call) -> Results {
    let operands = [call.input(0)?.clone(), call.input(1)?.clone()];
    Ok(vec![import.add(Prelu {}, &operands)?])
}

/// `gamma * elu(x)` with the constants of the specification.
fn selu(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let gamma = call.float("gamma", 1.050_701)?;
    let gamma = import.scalar(import.ty(&x).element, gamma);
    let elu = import.add(
        Unary {
            kind: UnaryKind::Elu {
                alpha: alpha(call, 1.673_263_2)?,
            },
        },
        &[x],
    )?;
    Ok(vec![import.add(
        Binary {
            kind: BinaryFn::Mul,
        },
        &[elu, gamma],
    )?])
}

/// `max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`, which is `elu` for `alpha` 1.
fn celu(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let value = call.float("alpha", 1.0)?;
    let scale = import.scalar(import.ty(&x).element, value);
    let scaled = import.add(
        Binary {
            kind: BinaryFn::Div,
        },
        &[x, scale.clone()],
    )?;
    let kind = UnaryKind::Elu {
        alpha: FloatBits::new(1.0),
    };
    let elu = import.add(Unary { kind }, &[scaled])?;
    Ok(vec![import.add(
        Binary {
            kind: BinaryFn::Mul,
        },
        &[elu, scale],
    )?])
}

/// `x * tanh(softplus(x))`.
fn mish(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let softplus = import.add(
        Unary {
            kind: UnaryKind::Softplus,
        },
        slice::from_ref(&x),
    )?;
    let tanh = import.add(
        Unary {
            kind: UnaryKind::Tanh,
        },
        &[softplus],
    )?;
    Ok(vec![import.add(
        Binary {
            kind: BinaryFn::Mul,
        },
        &[x, tanh],
    )?])
}

/// `x / (1 + |x|)`.
fn softsign(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let one = import.scalar(import.ty(&x).element, 1.0);
    let abs = import.add(
        Unary {
            kind: UnaryKind::Abs,
        },
        slice::from_ref(&x),
    )?;
    let sum = import.add(
        Binary {
            kind: BinaryFn::Add,
        },
        &[abs, one],
    )?;
    Ok(vec![import.add(
        Binary {
            kind: BinaryFn::Div,
        },
        &[x, sum],
    )?])
}

/// `x * sigmoid(alpha * x)`.
fn swish(import: &mut Importer, call: &Call) -> Results {
    let alpha = call.float("alpha", 1.0)?;
    if alpha == 1.0 {
        return unary(import, call, UnaryKind::Silu);
    }
    let x = call.input(0)?.clone();
    let alpha = import.scalar(import.ty(&x).element, alpha);
    let scaled = import.add(
        Binary {
            kind: BinaryFn::Mul,
        },
        &[x.clone(), alpha],
    )?;
    let gate = import.add(
        Unary {
            kind: UnaryKind::Sigmoid,
        },
        &[scaled],
    )?;
    Ok(vec![import.add(
        Binary {
            kind: BinaryFn::Mul,
        },
        &[x, gate],
    )?])
}

/// `x > alpha ? x : 0`.
fn thresholded_relu(import: &mut Importer, call: &Call) -> Results {
    let x = call.input(0)?.clone();
    let element = import.ty(&x).element;
    let alpha = import.scalar(element, call.float("alpha", 1.0)?);
    let zero = import.scalar(element, 0.0);
    let above = import.add(
        Compare {
            kind: CompareFn::Gt,
        },
        &[x.clone(), alpha],
    )?;
    Ok(vec![import.add(Select {}, &[above, x, zero])?])
}
