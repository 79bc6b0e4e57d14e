//! What a user asks of an operator's grouping, kept among its origins.
//!
//! Origins survive every pass, whatever becomes of the operator, so a wish that is written beside the
//! names of ONNX nodes arrives where groups are chosen. Its spelling starts with `@`; a name that
//! starts so and is no mark is a name.

use std::fmt;
use std::str::FromStr;

/// One wish.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// A kernel of its own.
    NeverFuse,
    /// Its results are stored: no kernel holds it together with a user.
    Boundary,
    /// All operators with the same name are one kernel, or there is no program.
    MustFuse(String),
    /// All operators with the same name are one kernel where the device has such a kernel.
    Unit(String),
    /// Rewrites of it keep to this numerics class.
    Numerics(String),
    /// It is not rewritten by this rule or topic of rules.
    Disable(String),
}

impl Mark {
    /// The marks among origins.
    pub fn of(origins: &[String]) -> impl Iterator<Item = Self> + '_ {
        origins.iter().filter_map(|o| o.parse().ok())
    }

    /// Whether an origin is a mark.
    pub fn is(origin: &str) -> bool {
        origin.parse::<Self>().is_ok()
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverFuse => f.write_str("@never-fuse"),
            Self::Boundary => f.write_str("@boundary"),
            Self::MustFuse(name) => write!(f, "@must-fuse:{name}"),
            Self::Unit(name) => write!(f, "@unit:{name}"),
            Self::Numerics(class) => write!(f, "@numerics:{class}"),
            Self::Disable(rule) => write!(f, "@disable:{rule}"),
        }
    }
}

/// An origin that is no mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a mark")]
pub struct NoMark;

impl FromStr for Mark {
    type Err = NoMark;

    fn from_str(text: &str) -> Result<Self, NoMark> {
        match text {
            "@never-fuse" => return Ok(Self::NeverFuse),
            "@boundary" => return Ok(Self::Boundary),
            _ => {}
        }
        let (kind, value) = text.split_once(':').ok_or(NoMark)?;
        let value = value.to_owned();
        match kind {
            "@must-fuse" => Ok(Self::MustFuse(value)),
            "@unit" => Ok(Self::Unit(value)),
            "@numerics" => Ok(Self::Numerics(value)),
            "@disable" => Ok(Self::Disable(value)),
            _ => Err(NoMark),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_as_written() {
        let name = || "my.gate#0".to_owned();
        for mark in [
            Mark::NeverFuse,
            Mark::Boundary,
            Mark::MustFuse(name()),
            Mark::Unit(name()),
            Mark::Numerics("exact".to_owned()),
            Mark::Disable("transpose".to_owned()),
        ] {
            assert_eq!(mark.to_string().parse(), Ok(mark));
        }
        let names = ["conv1", "@conv", "@other:x", "a:b", ""].map(str::to_owned);
        assert_eq!(Mark::of(&names).count(), 0);
    }
}
