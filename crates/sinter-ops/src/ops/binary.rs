//! Elementwise functions of two operands, with numpy broadcasting.

use sinter_loops::scalar::BinaryFn;

use crate::attr::{self, Attr};
use crate::operator::OpError;

/// An elementwise function of two operands of one element type, with numpy broadcasting. The name is
/// that of the function: `add`, `sub`, `mul`, `div`, `max`, `min`, `pow`, `rem`, `and`, `or`, `xor`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Binary {
    /// Function.
    pub kind: BinaryFn,
}

const NAMES: [(BinaryFn, &str); 11] = [
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
    /// `None` when the name is another operator's.
    pub(crate) fn parse(
        mnemonic: &str,
        attributes: &[(String, Attr)],
    ) -> Option<Result<Self, OpError>> {
        let (kind, _) = NAMES.iter().find(|(_, n)| *n == mnemonic)?;
        Some(attr::only(mnemonic, attributes, &[]).map(|()| Self { kind: *kind }))
    }

    fn name(&self) -> &'static str {
        NAMES
            .iter()
            .find(|(k, _)| *k == self.kind)
            .map_or("binary", |(_, n)| n)
    }

    const MNEMONIC: &'static str = "binary";
    fn attribute_list(&self) -> Vec<(&'static str, Attr)> {
        Vec::new()
    }
}

super::pending!(Binary);
