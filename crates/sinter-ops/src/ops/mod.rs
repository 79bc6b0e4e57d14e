//! The operators, one file per family.
//!
//! The build script lists them: a file of this folder is a module, and a type in it that implements
//! [`Operator`] is a variant of [`Op`].

use sinter_io::did_you_mean;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::Attr;
use crate::operator::{Fold, Loops, OpError, Operator, Traits};

/// Declares [`Op`] with one variant per operator and forwards [`Operator`] to it.
macro_rules! operators {
    ($($(#[$doc:meta])* $variant:ident($ty:path),)*) => {
        /// Any operator, with its attributes.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Op {
            $($(#[$doc])* $variant($ty),)*
        }

        $(impl From<$ty> for Op {
            fn from(op: $ty) -> Self {
                Self::$variant(op)
            }
        })*

        impl Op {
            /// Reads an operator back from its name in the `graph` dialect, or its full name in another
            /// one, and its attributes.
            ///
            /// # Errors
            /// When no operator has the name, or an attribute is missing or malformed.
            pub fn from_parts(
                mnemonic: &str,
                attributes: &[(String, Attr)],
            ) -> Result<Self, OpError> {
                $(if let Some(op) = <$ty>::parse(mnemonic, attributes) {
                    return op.map(Self::$variant);
                })*
                Err(OpError(format!(
                    "no operator is called '{mnemonic}'{}",
                    did_you_mean(mnemonic, Self::names())
                )))
            }

            /// Names of all operators, those of other dialects with the dialect.
            pub fn names() -> impl Iterator<Item = &'static str> {
                const OWN: &[&[&str]] = &[$(<$ty>::NAMES,)*];
                let own = OWN.iter().copied().flatten().copied();
                own.chain(crate::custom::registered())
            }
        }

        impl Operator for Op {
            fn mnemonic(&self) -> &'static str {
                match self { $(Self::$variant(op) => op.mnemonic(),)* }
            }
            fn attributes(&self) -> Vec<(&'static str, Attr)> {
                match self { $(Self::$variant(op) => op.attributes(),)* }
            }
            fn traits(&self) -> Traits {
                match self { $(Self::$variant(op) => op.traits(),)* }
            }
            fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
                match self { $(Self::$variant(op) => op.infer(operands),)* }
            }
            fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
                match self { $(Self::$variant(op) => op.eval(operands),)* }
            }
            fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
                match self { $(Self::$variant(op) => op.loops(operands),)* }
            }
            fn fold(&self, operands: &[TensorType]) -> Option<Fold> {
                match self { $(Self::$variant(op) => op.fold(operands),)* }
            }
            fn flops(&self, operands: &[TensorType]) -> u64 {
                match self { $(Self::$variant(op) => op.flops(operands),)* }
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/ops.rs"));
