//! Operators of other dialects, from other crates.
//!
//! [`Op`] is closed so that the crates here can match on it; [`Op::Custom`] is its one open variant. What
//! a crate outside implements is [`Operator`], the same trait as for the operators here, so that every
//! stage treats it by what it says of itself: its traits, types, evaluation and loops. Two custom
//! operators are equal when name and attributes are: that is what IR can tell of them, so nothing is
//! lost between a pass and the next.
//!
//! Reading IR needs a way from a name to an operator: [`register`] keeps it for the process. Operators
//! are code, not configuration: like MLIR's own registries this one only grows, a name has one meaning,
//! and the order of registration cannot be observed.

use std::any::Any;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};

use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::Attr;
use crate::operator::{Fold, Loops, OpError, Operator, Traits};
use crate::ops::Op;

/// What an operator of another crate is: an [`Operator`] that may be shared between threads.
pub trait CustomOperator: Operator + Debug + Any + Send + Sync {}

impl<T: Operator + Debug + Any + Send + Sync> CustomOperator for T {}

/// An operator of another dialect. Its mnemonic is the full name, `dialect.operator`.
#[derive(Clone, Debug)]
pub struct Custom(Arc<dyn CustomOperator>);

impl Custom {
    /// Names are [registered].
    pub(crate) const NAMES: &'static [&'static str] = &[];

    /// Wraps an operator.
    pub fn new(op: impl CustomOperator) -> Self {
        Self(Arc::new(op))
    }

    /// The operator, where it is of a type.
    pub fn downcast_ref<T: Any>(&self) -> Option<&T> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// `None` when no operator is registered under the name.
    pub(crate) fn parse(
        mnemonic: &str,
        attributes: &[(String, Attr)],
    ) -> Option<Result<Self, OpError>> {
        let definitions = DEFINITIONS.read().unwrap_or_else(PoisonError::into_inner);
        let parse = definitions.get(mnemonic)?.parse;
        drop(definitions);
        Some(parse(attributes))
    }

    fn key(&self) -> (&'static str, Vec<(&'static str, Attr)>) {
        (self.0.mnemonic(), self.0.attributes())
    }
}

impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Custom {}

impl PartialOrd for Custom {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Custom {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Hash for Custom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl Operator for Custom {
    fn mnemonic(&self) -> &'static str {
        self.0.mnemonic()
    }
    fn attributes(&self) -> Vec<(&'static str, Attr)> {
        self.0.attributes()
    }
    fn traits(&self) -> Traits {
        self.0.traits()
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        self.0.infer(operands)
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        self.0.eval(operands)
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        self.0.loops(operands)
    }
    fn fold(&self, operands: &[TensorType]) -> Option<Fold> {
        self.0.fold(operands)
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        self.0.flops(operands)
    }
}

/// How an operator is read back from IR. [`custom_operator!`](crate::custom_operator) makes it.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// The full name: `dialect.operator`.
    pub name: &'static str,
    /// The operator with these attributes.
    pub parse: Parse,
}

/// Makes an operator from its attributes.
pub type Parse = fn(&[(String, Attr)]) -> Result<Custom, OpError>;

/// A name that cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// The name is taken.
    #[error("two operators are called '{0}'")]
    Duplicate(&'static str),
    /// The name is not one of another dialect.
    #[error("an operator of another dialect is called 'dialect.operator', not '{0}'")]
    Name(&'static str),
}

static DEFINITIONS: RwLock<BTreeMap<&'static str, Definition>> = RwLock::new(BTreeMap::new());

/// Makes operators known to [`Op::from_parts`], for the rest of the process.
///
/// # Errors
/// When a name is taken, or has no dialect of its own. Operators before it are registered.
pub fn register(definitions: &[Definition]) -> Result<(), RegisterError> {
    let mut known = DEFINITIONS.write().unwrap_or_else(PoisonError::into_inner);
    for definition in definitions {
        let name = definition.name;
        if name.split_once('.').is_none_or(|(d, _)| d == "graph") {
            return Err(RegisterError::Name(name));
        }
        if known.contains_key(name) {
            return Err(RegisterError::Duplicate(name));
        }
        known.insert(name, *definition);
    }
    Ok(())
}

/// The full names under which operators are registered.
pub(crate) fn registered() -> Vec<&'static str> {
    let known = DEFINITIONS.read().unwrap_or_else(PoisonError::into_inner);
    known.keys().copied().collect()
}

/// Whether an operator is registered under a full name.
pub fn is_registered(name: &str) -> bool {
    let known = DEFINITIONS.read().unwrap_or_else(PoisonError::into_inner);
    known.contains_key(name)
}

impl Op {
    /// The name in IR, with its dialect: `graph.conv`, or that of a custom operator.
    pub fn full_name(&self) -> String {
        match self {
            Self::Custom(op) => op.mnemonic().to_owned(),
            op => format!("graph.{}", op.mnemonic()),
        }
    }
}

/// Gives an operator of another crate its name, attributes and definition, from its fields, whose types
/// are those of [`AttrValue`](crate::attr::AttrValue).
///
/// ```
/// use sinter_ops::{Attr, Op};
/// # use sinter_loops::{tensor::Tensor, types::TensorType};
/// # use sinter_ops::{Loops, OpError, Operator, Traits};
///
/// /// Holds a value for `steps` steps.
/// #[derive(Clone, Debug)]
/// pub struct Hold {
///     /// Number of steps.
///     pub steps: i64,
/// }
///
/// sinter_ops::custom_operator!(Hold, "delay.hold", steps);
/// # impl Operator for Hold {
/// #     sinter_ops::named!();
/// #     fn traits(&self) -> Traits { Traits { effectful: true, ..Traits::default() } }
/// #     fn infer(&self, x: &[TensorType]) -> Result<Vec<TensorType>, OpError> { Ok(x.to_vec()) }
/// #     fn eval(&self, x: &[Tensor]) -> Result<Vec<Tensor>, OpError> { Ok(x.to_vec()) }
/// #     fn loops(&self, _: &[TensorType]) -> Result<Loops, OpError> { Ok(Loops::default()) }
/// #     fn flops(&self, _: &[TensorType]) -> u64 { 0 }
/// # }
///
/// sinter_ops::custom::register(&[Hold::DEFINITION])?;
/// let hold: Op = Hold { steps: 3 }.into();
/// let again = Op::from_parts("delay.hold", &[("steps".into(), Attr::Int(3))])?;
/// assert_eq!(hold, again);
/// assert!(Op::from_parts("delay.hold", &[]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! custom_operator {
    ($ty:ident, $mnemonic:literal $(, $field:ident)* $(,)?) => {
        $crate::operator_attributes!($ty, $mnemonic $(, $field)*);

        impl $ty {
            /// How the operator is read back from IR.
            pub const DEFINITION: $crate::custom::Definition = $crate::custom::Definition {
                name: Self::NAMES[0],
                parse: |attributes| match Self::parse($mnemonic, attributes) {
                    Some(op) => op.map($crate::custom::Custom::new),
                    None => Err($crate::OpError(format!("no operator is called '{}'", $mnemonic))),
                },
            };
        }

        impl From<$ty> for $crate::Op {
            fn from(op: $ty) -> Self {
                Self::Custom($crate::custom::Custom::new(op))
            }
        }
    };
}
