//! What a table of a control has to say: one that wishes for nothing is a slip.

use serde::de::{Deserialize, Deserializer, Error};

use super::{Boundary, KernelControl, RuleControl};
use crate::options::Numerics;

/// Names, at least one.
pub(super) fn names<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let list = Vec::deserialize(from)?;
    match list.is_empty() {
        true => Err(D::Error::custom("an empty list names nothing")),
        false => Ok(list),
    }
}

/// `[[boundary]]` as it is written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Borders {
    #[serde(default, deserialize_with = "names")]
    after: Vec<String>,
    #[serde(default, deserialize_with = "names")]
    before: Vec<String>,
}

impl TryFrom<Borders> for Boundary {
    type Error = &'static str;

    fn try_from(Borders { after, before }: Borders) -> Result<Self, Self::Error> {
        match after.is_empty() && before.is_empty() {
            true => Err("[[boundary]] needs 'after' or 'before'"),
            false => Ok(Self { after, before }),
        }
    }
}

/// `[[rules]]` as it is written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleLimits {
    #[serde(deserialize_with = "names")]
    nodes: Vec<String>,
    #[serde(default, deserialize_with = "names")]
    disable: Vec<String>,
    numerics: Option<Numerics>,
}

impl TryFrom<RuleLimits> for RuleControl {
    type Error = &'static str;

    fn try_from(written: RuleLimits) -> Result<Self, Self::Error> {
        let RuleLimits {
            nodes,
            disable,
            numerics,
        } = written;
        match disable.is_empty() && numerics.is_none() {
            true => Err("[[rules]] needs 'disable' or 'numerics'"),
            false => Ok(Self {
                nodes,
                disable,
                numerics,
            }),
        }
    }
}

/// `[kernels]` as it is written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KernelLimits {
    operators: Option<usize>,
    inputs: Option<usize>,
    outputs: Option<usize>,
    anchors: Option<usize>,
}

impl TryFrom<KernelLimits> for KernelControl {
    type Error = &'static str;

    fn try_from(written: KernelLimits) -> Result<Self, Self::Error> {
        let out = Self {
            operators: written.operators,
            inputs: written.inputs,
            outputs: written.outputs,
            anchors: written.anchors,
        };
        match out == Self::default() {
            true => Err("[kernels] needs 'operators', 'inputs', 'outputs' or 'anchors'"),
            false => Ok(out),
        }
    }
}
