//! Why operators were not fused, as data.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::evaluate::Illegal;

/// Declares the codes with their stable spelling, what they mean, and what would flip the decision.
macro_rules! codes {
    ($($variant:ident $text:literal $meaning:literal $flip:literal,)*) => {
        /// The stable code of a refusal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LegalityCode {
            $(#[doc = $meaning] $variant,)*
        }

        impl LegalityCode {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The stable spelling.
            pub fn code(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// What it means, in one sentence without a full stop.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }

            /// What would flip the decision, in general.
            pub fn flip(self) -> &'static str {
                match self { $(Self::$variant => $flip,)* }
            }
        }
    };
}

codes! {
    NotCheaper "not-cheaper"
        "The merged kernel would take longer than the separate ones"
        "other sizes, or a device with less compute for its bandwidth",
    Recompute "recompute-dearer-than-reload"
        "A value with several users would be computed again for more than its reload costs"
        "a cheaper producer, or a kernel that holds all users",
    Shapes "shapes-do-not-meet"
        "The operators have no iteration space in common"
        "equal or broadcastable shapes",
    ElementTypes "element-types-do-not-meet"
        "The operators work on element types that no one register tile holds"
        "a cast outside the group",
    Footprint "footprint-exceeds-space"
        "No tile of the kernel fits the on-chip space"
        "a bigger space, or fewer live values in the group",
    NoRoute "no-route"
        "No route leads from one engine's memory to the other's"
        "a device with such a route",
    Effects "effectful"
        "The operator is random, stateful or has side effects"
        "nothing",
    SharedTile "reduction-cannot-share-tile"
        "A reduction's result is needed in a shape that cannot share the tile"
        "users that index the result by the iterators that are not reduced",
    IndexMap "index-map-dearer-than-copy"
        "Absorbing the index map costs more than the copy it saves"
        "another layout of the stored value",
    LayoutScratch "layout-needs-scratch"
        "Converting the layout inside the kernel needs extra on-chip space"
        "a bigger space, or equal layouts",
    ExpDifference "duplicated-exp-difference"
        "A producer around exp(x - max(x)) would be duplicated, and contraction differences could make infinities"
        "one kernel that holds the maximum, the difference and the exponential",
    UnknownSize "unknown-size"
        "An extent is unknown and has no bound"
        "a range for the dimension's symbol",
    Forbidden "forbidden"
        "The user forbade it"
        "another fusion configuration",
    Cycle "cycle"
        "Another kernel would have to run between the group's operators"
        "a group that holds the operators in between",
    Limit "limit"
        "The group exceeds a limit of the search"
        "a higher limit",
    NoLoopForm "no-loop-form"
        "The operator has no loop form"
        "a loop description of the operator",
    Stages "stages-cannot-be-placed"
        "The stages of the kernel cannot be placed in one block"
        "another order or shape of the operators",
}

impl fmt::Display for LegalityCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for LegalityCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// Operators that were not fused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Refusal {
    /// Code.
    pub code: LegalityCode,
    /// ONNX nodes.
    pub nodes: Vec<String>,
    /// What happened, with figures.
    pub message: String,
    /// What would flip the decision, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flip: Option<String>,
}

/// What the loop transformations refused.
pub(crate) fn of_loops(refusal: sinter_loops::Refusal) -> Illegal {
    use sinter_loops::Refusal as R;
    let (code, flip) = match &refusal {
        R::PaddedReadOfComputedValue { .. } => (
            LegalityCode::SharedTile,
            Some("a reader without padding".to_owned()),
        ),
        R::ShapeCannotShareTile { points, .. } | R::OutputsCannotShareGrid { points } => (
            LegalityCode::SharedTile,
            Some(format!("fewer than {points} points in all")),
        ),
        R::LayoutMismatch { .. } | R::PaddedBlockedDimension { .. } => (
            LegalityCode::LayoutScratch,
            Some("a plain layout of the value".to_owned()),
        ),
        R::Malformed(_) | R::AlreadyScheduled => (LegalityCode::Stages, None),
    };
    Illegal {
        code,
        message: refusal.to_string(),
        flip,
    }
}

/// What the device model refused.
pub(crate) fn of_schedule(refusal: sinter_device::Refusal) -> Illegal {
    use sinter_device::Refusal as R;
    let (code, flip) = match &refusal {
        R::Footprint { space, needed, .. } => (
            LegalityCode::Footprint,
            Some(format!("{needed} bytes of '{space}'")),
        ),
        R::Stages(_) | R::Empty => (LegalityCode::Stages, None),
    };
    Illegal {
        code,
        message: refusal.to_string(),
        flip,
    }
}

/// The table of codes as Markdown, for the documentation.
pub fn code_table() -> String {
    let mut out = String::from("| code | meaning | flips with |\n|---|---|---|\n");
    for code in LegalityCode::ALL {
        out.push_str(&format!(
            "| `{code}` | {} | {} |\n",
            code.meaning(),
            code.flip()
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_kebab() {
        let codes: BTreeSet<_> = LegalityCode::ALL.iter().map(|c| c.code()).collect();
        assert_eq!(codes.len(), LegalityCode::ALL.len());
        assert!(
            codes
                .iter()
                .all(|c| c.chars().all(|x| x.is_ascii_lowercase() || x == '-'))
        );
        assert_eq!(code_table().lines().count(), codes.len() + 2);
    }
}
