//! Attribute values of operators, as the `graph` dialect spells them.

use sinter_loops::scalar::{CompareFn, FloatBits};
use sinter_loops::types::ElementType;

use crate::operator::OpError;

/// The value of one attribute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attr {
    /// `i64` integer attribute.
    Int(i64),
    /// `f64` float attribute (operators round it to their element type where their specification
    /// says so).
    Float(FloatBits),
    /// `array<i64: ...>`.
    Ints(Vec<i64>),
    /// `array<f64: ...>`.
    Floats(Vec<FloatBits>),
    /// String attribute, for enumerated kinds.
    Str(String),
    /// Boolean attribute.
    Bool(bool),
    /// Type attribute.
    Element(ElementType),
}

/// A Rust type that an operator's field may have, and how it is written as an [`Attr`].
pub trait AttrValue: Sized {
    /// The attribute; `None` when an optional one is absent.
    fn to_attr(&self) -> Option<Attr>;
    /// The inverse; `None` when the attribute does not have this type.
    fn from_attr(attr: Option<&Attr>) -> Option<Self>;
}

macro_rules! attr_values {
    ($($ty:ty = $variant:ident),* $(,)?) => {$(
        impl AttrValue for $ty {
            fn to_attr(&self) -> Option<Attr> {
                Some(Attr::$variant(self.clone()))
            }
            fn from_attr(attr: Option<&Attr>) -> Option<Self> {
                match attr {
                    Some(Attr::$variant(value)) => Some(value.clone()),
                    _ => None,
                }
            }
        }
    )*};
}

attr_values! {
    i64 = Int,
    FloatBits = Float,
    Vec<i64> = Ints,
    Vec<FloatBits> = Floats,
    bool = Bool,
    ElementType = Element,
}

impl<T: AttrValue> AttrValue for Option<T> {
    fn to_attr(&self) -> Option<Attr> {
        self.as_ref().and_then(AttrValue::to_attr)
    }
    fn from_attr(attr: Option<&Attr>) -> Option<Self> {
        match attr {
            None => Some(None),
            some => T::from_attr(some).map(Some),
        }
    }
}

/// Reads one field.
///
/// # Errors
/// When it is missing or of another type.
pub fn read<T: AttrValue>(
    mnemonic: &str,
    attributes: &[(String, Attr)],
    name: &str,
) -> Result<T, OpError> {
    let attr = attributes.iter().find(|(n, _)| n == name).map(|(_, a)| a);
    T::from_attr(attr).ok_or_else(|| match attr {
        None => OpError(format!("'{mnemonic}' needs the attribute '{name}'")),
        Some(_) => OpError(format!(
            "attribute '{name}' of '{mnemonic}' has the wrong kind of value"
        )),
    })
}

/// Refuses attributes that the operator does not have.
///
/// # Errors
/// When there is one.
pub fn only(mnemonic: &str, attributes: &[(String, Attr)], known: &[&str]) -> Result<(), OpError> {
    match attributes
        .iter()
        .find(|(n, _)| !known.contains(&n.as_str()))
    {
        Some((name, _)) => Err(OpError(format!(
            "'{mnemonic}' has no attribute '{name}'{}",
            match known {
                [] => "; it has none".to_owned(),
                known => format!("; it has '{}'", known.join("', '")),
            }
        ))),
        None => Ok(()),
    }
}

/// Gives an operator of fixed name its `MNEMONIC`, `parse` and `attribute_list`, from its fields.
#[macro_export]
macro_rules! operator_attributes {
    ($ty:ident, $mnemonic:literal $(, $field:ident)* $(,)?) => {
        impl $ty {
            const MNEMONIC: &'static str = $mnemonic;
            pub(crate) const NAMES: &'static [&'static str] = &[$mnemonic];

            /// `None` when the name is another operator's.
            pub(crate) fn parse(
                mnemonic: &str,
                attributes: &[(String, $crate::attr::Attr)],
            ) -> Option<Result<Self, $crate::operator::OpError>> {
                (mnemonic == $mnemonic).then(|| {
                    $crate::attr::only(mnemonic, attributes, &[$(stringify!($field)),*])?;
                    Ok(Self {
                        $($field: $crate::attr::read(mnemonic, attributes, stringify!($field))?,)*
                    })
                })
            }

            fn attribute_list(&self) -> Vec<(&'static str, $crate::attr::Attr)> {
                let list: Vec<(&'static str, Option<$crate::attr::Attr>)> = vec![
                    $((stringify!($field), $crate::attr::AttrValue::to_attr(&self.$field)),)*
                ];
                list.into_iter().filter_map(|(name, attr)| Some((name, attr?))).collect()
            }
        }
    };
}
pub(crate) use operator_attributes;

/// Declares an enumerated kind that is written as a string attribute.
macro_rules! string_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The spelling in the `graph` dialect.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The inverse of [`name`](Self::name).
            pub fn from_name(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|k| k.name() == text)
            }
        }

        impl $crate::attr::AttrValue for $name {
            fn to_attr(&self) -> Option<$crate::attr::Attr> {
                Some($crate::attr::Attr::Str(self.name().to_string()))
            }
            fn from_attr(attr: Option<&$crate::attr::Attr>) -> Option<Self> {
                match attr {
                    Some($crate::attr::Attr::Str(text)) => Self::from_name(text),
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use string_enum;

/// Comparisons with their spelling.
pub(crate) const COMPARES: [(CompareFn, &str); 6] = [
    (CompareFn::Eq, "eq"),
    (CompareFn::Ne, "ne"),
    (CompareFn::Lt, "lt"),
    (CompareFn::Le, "le"),
    (CompareFn::Gt, "gt"),
    (CompareFn::Ge, "ge"),
];

impl AttrValue for CompareFn {
    fn to_attr(&self) -> Option<Attr> {
        COMPARES
            .iter()
            .find(|(k, _)| k == self)
            .map(|(_, n)| Attr::Str((*n).to_string()))
    }
    fn from_attr(attr: Option<&Attr>) -> Option<Self> {
        match attr {
            Some(Attr::Str(text)) => COMPARES.iter().find(|(_, n)| n == text).map(|(k, _)| *k),
            _ => None,
        }
    }
}

/// The `mnemonic` and `attributes` methods of an operator declared by [`operator_attributes!`] or
/// [`custom_operator!`](crate::custom_operator).
#[macro_export]
macro_rules! named {
    () => {
        fn mnemonic(&self) -> &'static str {
            Self::MNEMONIC
        }
        fn attributes(&self) -> Vec<(&'static str, $crate::attr::Attr)> {
            self.attribute_list()
        }
    };
}
pub(crate) use named;
