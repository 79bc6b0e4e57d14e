//! Elementwise functions of two operands, with numpy broadcasting.

use sinter_loops::scalar::BinaryFn;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::attr::{self, Attr};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Code, Data, broadcast, broadcast_offsets, err, maximum, minimum, one_dtype, pointwise, require,
    require_arity, types_of,
};

/// An elementwise function of two operands of one element type, with numpy broadcasting. The name is
/// that of the function: `add`, `sub`, `mul`, `div`, `max`, `min`, `pow`, `rem`, `and`, `or`, `xor`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Binary {
    /// Function.
    pub kind: BinaryFn,
}

const KINDS: [(BinaryFn, &str); 11] = [
    (BinaryFn::Add, "add"),
    (BinaryFn::Sub, "sub"),
    (BinaryFn::Mul, "mul"),
    (BinaryFn::Div, "div"),
    (BinaryFn::Max, "max"),
    (BinaryFn::Min, "min"),
    (BinaryFn::Pow, "pow"),
    (BinaryFn::Rem, "rem"),
    (BinaryFn::And, "and"),
    (BinaryFn::Or, "or"),
    (BinaryFn::Xor, "xor"),
];

impl Binary {
    pub(crate) const NAMES: &'static [&'static str] = &{
        let mut all = [""; KINDS.len()];
        let mut n = 0;
        while n < KINDS.len() {
            all[n] = KINDS[n].1;
            n += 1;
        }
        all
    };

    /// `None` when the name is another operator's.
    pub(crate) fn parse(
        mnemonic: &str,
        attributes: &[(String, Attr)],
    ) -> Option<Result<Self, OpError>> {
        let (kind, _) = KINDS.iter().find(|(_, n)| *n == mnemonic)?;
        Some(attr::only(mnemonic, attributes, &[]).map(|()| Self { kind: *kind }))
    }

    fn name(&self) -> &'static str {
        KINDS
            .iter()
            .find(|(k, _)| *k == self.kind)
            .map_or("binary", |(_, n)| n)
    }

    fn takes(&self, element: ElementType) -> Result<(), OpError> {
        let logical = matches!(self.kind, BinaryFn::And | BinaryFn::Or | BinaryFn::Xor);
        let fits = if logical {
            !element.is_float()
        } else {
            element != ElementType::Bool
        };
        require(fits, || format!("does not take operands of {element}"))
    }

    fn value(&self, a: f64, b: f64) -> f64 {
        match self.kind {
            BinaryFn::Add => a + b,
            BinaryFn::Sub => a - b,
            BinaryFn::Mul => a * b,
            BinaryFn::Div => a / b,
            BinaryFn::Max => maximum(a, b),
            BinaryFn::Min => minimum(a, b),
            BinaryFn::Pow => a.powf(b),
            BinaryFn::Rem => a % b,
            BinaryFn::And | BinaryFn::Or | BinaryFn::Xor => f64::NAN,
        }
    }

    fn integer(&self, a: i64, b: i64) -> Result<i64, OpError> {
        Ok(match self.kind {
            BinaryFn::Add => a.wrapping_add(b),
            BinaryFn::Sub => a.wrapping_sub(b),
            BinaryFn::Mul => a.wrapping_mul(b),
            BinaryFn::Div | BinaryFn::Rem if b == 0 => return err("divides an integer by zero"),
            BinaryFn::Div => a.wrapping_div(b),
            BinaryFn::Rem => a.wrapping_rem(b),
            BinaryFn::Max => a.max(b),
            BinaryFn::Min => a.min(b),
            BinaryFn::Pow => integer_power(a, b),
            BinaryFn::And => a & b,
            BinaryFn::Or => a | b,
            BinaryFn::Xor => a ^ b,
        })
    }
}

/// `base` to the power of `exponent`, wrapping; a negative exponent truncates towards zero.
fn integer_power(base: i64, exponent: i64) -> i64 {
    match (base, exponent) {
        (_, e) if e >= 0 => base.wrapping_pow(e.min(i64::from(u32::MAX)) as u32),
        (1, _) => 1,
        (-1, e) => {
            if e % 2 == 0 {
                1
            } else {
                -1
            }
        }
        _ => 0,
    }
}

impl Operator for Binary {
    fn mnemonic(&self) -> &'static str {
        self.name()
    }
    fn attributes(&self) -> Vec<(&'static str, Attr)> {
        Vec::new()
    }
    fn traits(&self) -> Traits {
        let ordered = matches!(
            self.kind,
            BinaryFn::Sub | BinaryFn::Div | BinaryFn::Pow | BinaryFn::Rem
        );
        Traits {
            elementwise: true,
            commutative: !ordered,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 2..=2)?;
        let element = one_dtype(&[&operands[0], &operands[1]])?;
        self.takes(element)?;
        let shape = broadcast(&[&operands[0].shape, &operands[1].shape])?;
        Ok(vec![TensorType::new(element, shape)])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let left = broadcast_offsets(&operands[0].ty().shape, &ty.shape);
        let right = broadcast_offsets(&operands[1].ty().shape, &ty.shape);
        let places = left.into_iter().zip(right);
        let data = match (Data::of(&operands[0]), Data::of(&operands[1])) {
            (Data::Float(a), Data::Float(b)) => {
                Data::Float(places.map(|(i, j)| self.value(a[i], b[j])).collect())
            }
            (Data::Int(a), Data::Int(b)) => Data::Int(
                places
                    .map(|(i, j)| self.integer(a[i], b[j]))
                    .collect::<Result<_, _>>()?,
            ),
            _ => return err("operands mix floats and integers"),
        };
        Ok(vec![data.tensor(ty)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let ty = self.infer(operands)?.remove(0);
        let element = ty.element;
        let mut code = Code::new(&[element, element]);
        let (a, b) = (code.widen(0), code.widen(1));
        let result = code.binary(self.kind, a, b);
        let result = code.cast(element, result);
        let body = code.returning(&[result]);
        let shapes: [&[i64]; 2] = [&operands[0].shape, &operands[1].shape];
        Ok(Loops::one(pointwise(&shapes, &ty.shape, body, element)))
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        self.infer(operands).map_or(0, |t| t[0].elements() as u64)
    }
}
