//! Typed options of passes and pipelines.
//!
//! ```no_run
//! sinter_pass::choice! {
//!     /// How groups are chosen.
//!     pub enum Policy { Egraph = "egraph", Greedy = "greedy" }
//! }
//! sinter_pass::options! {
//!     /// Options of some pass.
//!     pub struct Options {
//!         /// How groups are chosen
//!         policy: Policy = Policy::Egraph,
//!         /// Largest number of operators of a candidate
//!         max_ops: i64 = 24,
//!     }
//! }
//! use sinter_pass::OptionSet;
//! let options = Options::parse(&["greedy", "8"]).unwrap();
//! assert_eq!((options.policy, options.max_ops), (Policy::Greedy, 8));
//! assert_eq!(Options::infos()[1].name, "max-ops");
//! assert!(Options::parse(&["best", "8"]).is_err());
//! ```

pub use sinter_sys::shim::OptionKind;

/// An option: its name, help and default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// Name, in kebab-case.
    pub name: String,
    /// Help, without a full stop.
    pub help: String,
    /// What values look like: `integer`, `one of egraph, greedy`, ...
    pub expects: String,
    /// Value where none is given.
    pub initial: String,
    /// How MLIR's command line parses it.
    pub kind: OptionKind,
}

/// All options of a pass or pipeline; made by [`options!`](crate::options!).
pub trait OptionSet: Sized + Default {
    /// The options in order.
    fn infos() -> Vec<OptionInfo>;

    /// Reads values in the order of [`OptionSet::infos`].
    ///
    /// # Errors
    /// When a value is not what its option expects.
    fn parse(values: &[&str]) -> Result<Self, String>;
}

/// A type that an option can have.
pub trait OptionValue: Sized {
    /// How MLIR's command line parses it.
    const KIND: OptionKind;

    /// What values look like.
    fn expects() -> String;

    /// Reads a value; `None` when it is not one.
    fn parse(text: &str) -> Option<Self>;

    /// Writes a value so that it reads back.
    fn show(&self) -> String;
}

macro_rules! plain_values {
    ($($ty:ty, $kind:ident, $expects:literal;)*) => {
        $(impl OptionValue for $ty {
            const KIND: OptionKind = OptionKind::$kind;
            fn expects() -> String {
                $expects.to_owned()
            }
            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
            fn show(&self) -> String {
                self.to_string()
            }
        })*
    };
}

plain_values! {
    bool, Bool, "true or false";
    i64, Integer, "integer";
    u64, Integer, "integer that is not negative";
    usize, Integer, "integer that is not negative";
    f64, Text, "number";
    String, Text, "text";
}

/// A list, separated by `;` (commas separate list elements in MLIR's own syntax, blanks options).
impl OptionValue for Vec<String> {
    const KIND: OptionKind = OptionKind::Text;
    fn expects() -> String {
        "texts separated by ';'".to_owned()
    }
    fn parse(text: &str) -> Option<Self> {
        Some(
            text.split(';')
                .filter(|t| !t.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }
    fn show(&self) -> String {
        self.join(";")
    }
}

/// Declares an enumeration that can be the type of an option, with a word per variant.
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident = $word:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        $vis enum $name { $($(#[$variant_meta])* $variant),+ }

        impl $crate::OptionValue for $name {
            const KIND: $crate::options::OptionKind = $crate::options::OptionKind::Text;
            fn expects() -> String {
                format!("one of {}", [$($word),+].join(", "))
            }
            fn parse(text: &str) -> Option<Self> {
                match text {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
            fn show(&self) -> String {
                match self { $(Self::$variant => $word,)+ }.to_owned()
            }
        }
    };
}

/// Declares a set of options: a struct whose fields have a help text, a type and a default. Field
/// `max_ops` is option `max-ops`.
#[macro_export]
macro_rules! options {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[doc = $help:literal])+ $field:ident: $ty:ty = $initial:expr),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $($(#[doc = $help])+ pub $field: $ty,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $initial,)* }
            }
        }

        impl $crate::OptionSet for $name {
            fn infos() -> Vec<$crate::OptionInfo> {
                let initial = Self::default();
                vec![$($crate::OptionInfo {
                    name: stringify!($field).replace('_', "-"),
                    help: concat!($($help),+).trim().to_owned(),
                    expects: <$ty as $crate::OptionValue>::expects(),
                    initial: $crate::OptionValue::show(&initial.$field),
                    kind: <$ty as $crate::OptionValue>::KIND,
                }),*]
            }

            fn parse(values: &[&str]) -> Result<Self, String> {
                let mut values = values.iter();
                Ok(Self {
                    $($field: $crate::options::parse_value(stringify!($field), values.next())?,)*
                })
            }
        }
    };
}

/// Reads one value; for [`options!`](crate::options!).
///
/// # Errors
/// When the value is missing or not what the type expects.
#[doc(hidden)]
pub fn parse_value<T: OptionValue>(field: &str, value: Option<&&str>) -> Result<T, String> {
    let name = field.replace('_', "-");
    let value = value.ok_or_else(|| format!("option '{name}' has no value"))?;
    T::parse(value).ok_or_else(|| format!("option '{name}' is '{value}', not {}", T::expects()))
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::options! {
        /// Every kind of value.
        struct All {
            /// A switch
            flag: bool = true,
            /// A number
            how_many: usize = 3,
            /// A figure
            ratio: f64 = 0.5,
            /// Some names
            names: Vec<String> = vec!["a".into(), "b".into()],
        }
    }

    crate::choice! {
        enum Policy { Egraph = "egraph", Greedy = "greedy" }
    }

    #[test]
    fn a_choice_reads_its_words_only() {
        assert_eq!(Policy::parse("greedy"), Some(Policy::Greedy));
        assert_eq!(Policy::parse("best"), None);
        assert_eq!(Policy::expects(), "one of egraph, greedy");
        assert_eq!(Policy::Egraph.show(), "egraph");
    }

    #[test]
    fn defaults_read_back() {
        let infos = All::infos();
        let initial: Vec<_> = infos.iter().map(|o| o.initial.as_str()).collect();
        assert_eq!(initial, ["true", "3", "0.5", "a;b"]);
        assert_eq!(All::parse(&initial), Ok(All::default()));
    }

    #[test]
    fn a_bad_value_names_its_option() {
        let error = All::parse(&["true", "-1", "0.5", ""]).unwrap_err();
        assert_eq!(
            error,
            "option 'how-many' is '-1', not integer that is not negative"
        );
    }
}
