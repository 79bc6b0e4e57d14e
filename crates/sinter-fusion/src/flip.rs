//! What would flip a decision: as text, and where it can be followed mechanically, as a change of what a
//! program is fused for.

use std::collections::BTreeMap;
use std::fmt::Write;

use sinter_device::{Device, Time};
use sinter_ops::{Graph, Op, ValueId};

use crate::control::KernelControl;
use crate::options::{Limits, Options};

/// One thing that would flip a decision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Flip {
    /// Words.
    Said(String),
    /// A change of the device, the limits, or the model's extents.
    Change(Change),
}

/// A change that can be made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Change {
    /// A launch costs so many tenths of a microsecond.
    Launch(u64),
    /// An on-chip space has so many bytes.
    Space { name: String, bytes: u64 },
    /// Kernels may have so many of something.
    Limits(Vec<(KernelLimit, usize)>),
    /// Extents `from` are `to`.
    Extent {
        /// The dimensions, in words.
        what: String,
        from: i64,
        to: i64,
    },
}

/// What kernels have a limited number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum KernelLimit {
    Operators,
    Inputs,
    Outputs,
    Anchors,
}

impl KernelLimit {
    /// The key under `[kernels]` of a fusion configuration.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Operators => "operators",
            Self::Inputs => "inputs",
            Self::Outputs => "outputs",
            Self::Anchors => "anchors",
        }
    }

    /// Of how many there may be some, in words.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Self::Operators => "operators",
            Self::Inputs => "inputs",
            Self::Outputs => "outputs",
            Self::Anchors => "matrix products and convolutions",
        }
    }

    pub(crate) fn of(self, limits: &Limits) -> usize {
        match self {
            Self::Operators => limits.kernel_operators,
            Self::Inputs => limits.kernel_inputs,
            Self::Outputs => limits.kernel_outputs,
            Self::Anchors => limits.kernel_anchors,
        }
    }

    fn stated(self, kernels: &mut KernelControl) -> &mut Option<usize> {
        match self {
            Self::Operators => &mut kernels.operators,
            Self::Inputs => &mut kernels.inputs,
            Self::Outputs => &mut kernels.outputs,
            Self::Anchors => &mut kernels.anchors,
        }
    }
}

impl Flip {
    /// What follows `would fuse`.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Said(text) => text.clone(),
            Self::Change(change) => change.text(),
        }
    }
}

/// Several flips as one text; `None` without any.
pub(crate) fn joined(flips: &[Flip]) -> Option<String> {
    let texts: Vec<_> = flips.iter().map(Flip::text).collect();
    (!texts.is_empty()).then(|| texts.join(", or "))
}

impl Change {
    fn text(&self) -> String {
        match self {
            Self::Launch(tenths) => format!("if a launch cost {:.1} us", *tenths as f64 / 10.0),
            Self::Space { name, bytes } => format!("if {name} >= {}", size(*bytes)),
            Self::Limits(limits) => {
                let mut out = String::from("with");
                for (n, (limit, count)) in limits.iter().enumerate() {
                    let comma = if n > 0 { "," } else { "" };
                    let _ = write!(out, "{comma} {} = {count}", limit.key());
                }
                out + " under [kernels] of the fusion configuration"
            }
            Self::Extent { what, to, .. } => format!("if {what} <= {to}"),
        }
    }

    /// What a program is fused from once the change is made; `None` where the model cannot be changed so.
    pub(crate) fn apply(
        &self,
        graph: &Graph,
        device: &Device,
        options: &Options,
    ) -> Option<(Graph, Device, Options)> {
        let (mut device, mut options) = (device.clone(), options.clone());
        match self {
            Self::Launch(tenths) => device.launch_ns = *tenths as f64 * 100.0,
            Self::Space { name, bytes } => {
                let space = device.spaces.iter_mut().find(|s| s.name == *name)?;
                space.bytes = *bytes;
            }
            Self::Limits(limits) => {
                let kernels = options.control.kernels.get_or_insert_default();
                for (limit, count) in limits {
                    *limit.stated(kernels) = Some(*count);
                }
            }
            Self::Extent { from, to, .. } => {
                return Some((with_extents(graph, *from, *to)?, device, options));
            }
        }
        Some((graph.clone(), device, options))
    }
}

/// A graph whose inputs have the extent `to` where they had `from`; `None` where its operators do not
/// follow.
fn with_extents(graph: &Graph, from: i64, to: i64) -> Option<Graph> {
    let mut out = Graph::new(graph.name.clone());
    let mut values = BTreeMap::new();
    for (name, value) in &graph.inputs {
        let mut ty = graph.ty(*value).clone();
        replace(&mut ty.shape, from, to);
        values.insert(*value, out.input(name.clone(), ty));
    }
    for node in &graph.nodes {
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for value in &node.inputs {
            inputs.push(in_other(*value, graph, &mut out, &mut values)?);
        }
        let op = resized_op(&node.op, from, to);
        let results = out.add(op, &inputs, node.origins.clone()).ok()?;
        values.extend(node.outputs.iter().copied().zip(results));
    }
    for (name, value) in &graph.outputs {
        let value = in_other(*value, graph, &mut out, &mut values)?;
        out.output(name.clone(), value);
    }
    Some(out)
}

/// A value in another graph, to which constants are added as they are met.
fn in_other(
    value: ValueId,
    graph: &Graph,
    other: &mut Graph,
    values: &mut BTreeMap<ValueId, ValueId>,
) -> Option<ValueId> {
    if let Some(known) = values.get(&value) {
        return Some(*known);
    }
    let constant = other.constant(graph.as_constant(value)?.clone());
    values.insert(value, constant);
    Some(constant)
}

/// An operator with the extent `to` in the place of `from` where it states extents itself.
pub(crate) fn resized_op(op: &Op, from: i64, to: i64) -> Op {
    let mut op = op.clone();
    if let Op::Reshape(reshape) = &mut op {
        replace(&mut reshape.shape, from, to);
    }
    op
}

/// Replaces an extent in a shape.
pub(crate) fn replace(shape: &mut [i64], from: i64, to: i64) {
    shape
        .iter_mut()
        .filter(|e| **e == from)
        .for_each(|e| *e = to);
}

/// A size, rounded up to whole KiB where it is more than one.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..=1024 => format!("{bytes} bytes"),
        _ => format!("{} KiB", bytes.div_ceil(1024)),
    }
}

/// The fewest tenths of a microsecond that are more than a time.
pub(crate) fn tenths_above(time: Time) -> u64 {
    time.0 / 100_000 + 1
}

/// A time that is left out to flip a decision, rounded up: `0.3 us`.
pub(crate) fn us_above(time: Time) -> String {
    format!("{:.1} us", tenths_above(time) as f64 / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rounded_towards_what_flips() {
        assert_eq!(us_above(Time::ZERO), "0.1 us");
        assert_eq!(us_above(Time::from_ns(99.9)), "0.1 us");
        assert_eq!(us_above(Time::from_ns(100.0)), "0.2 us");
        let flips = [
            Flip::Said("if it took 0.1 us less".to_owned()),
            Flip::Change(Change::Launch(12)),
            Flip::Change(Change::Limits(vec![
                (KernelLimit::Outputs, 5),
                (KernelLimit::Anchors, 6),
            ])),
        ];
        assert_eq!(
            joined(&flips).unwrap(),
            "if it took 0.1 us less, or if a launch cost 1.2 us, or with outputs = 5, anchors = 6 under \
             [kernels] of the fusion configuration"
        );
        assert_eq!(joined(&[]), None);
    }
}
