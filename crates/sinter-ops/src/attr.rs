//! Attribute values of operators, as the `graph` dialect spells them.

use sinter_loops::scalar::FloatBits;
use sinter_loops::types::ElementType;

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
    /// String attribute, for enumerated kinds.
    Str(String),
    /// Boolean attribute.
    Bool(bool),
    /// Type attribute.
    Element(ElementType),
}
