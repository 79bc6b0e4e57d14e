//! Why the loops of several operators are no kernel, in words about the operators.
//!
//! What is found out about a kernel holds for all of its structure, so messages name operators by their
//! places in the kernel, between two [`MARK`]s, until [`Illegal::named`] puts names there.

use sinter_device::Device;
use sinter_loops::kernel::Kernel;
use sinter_loops::nest::Nest;
use sinter_loops::place_stages::tile_axes;
use sinter_loops::{coalesce, shared_axes};

use crate::evaluate::Illegal;
use crate::flip::size;
use crate::legality::LegalityCode;

/// Stands before and behind the place of an operator.
const MARK: char = '\u{1a}';

impl Illegal {
    /// With names of operators in place of their places.
    pub(crate) fn named(mut self, name: impl Fn(usize) -> String) -> Self {
        fn filled(text: &str, name: &dyn Fn(usize) -> String) -> String {
            let parts = text.split(MARK).enumerate();
            let part = |(number, part): (usize, &str)| match part.parse() {
                Ok(place) if number % 2 == 1 => name(place),
                _ => part.to_owned(),
            };
            parts.map(part).collect()
        }
        self.message = filled(&self.message, &name);
        self.flip = self.flip.as_deref().map(|flip| filled(flip, &name));
        self
    }
}

/// The places of the operators that make and first read each value of a kernel.
pub(crate) struct Hands(Vec<(Option<usize>, Option<usize>)>);

impl Hands {
    pub(crate) fn of(kernel: &Kernel) -> Self {
        let mut out = vec![(None, None); kernel.slots.len()];
        for stage in &kernel.stages {
            let Some(place) = place(stage) else { continue };
            for access in &stage.writes {
                out[access.operand].0 = Some(place);
            }
            for access in stage.reads.iter().chain(&stage.finish_reads) {
                let (maker, reader) = &mut out[access.operand];
                if reader.is_none() && *maker != Some(place) {
                    *reader = Some(place);
                }
            }
        }
        Self(out)
    }

    fn get(&self, slot: usize) -> (Option<usize>, Option<usize>) {
        self.0.get(slot).copied().unwrap_or_default()
    }

    /// A value, by the operator that makes it.
    fn value(&self, slot: usize) -> String {
        match self.get(slot) {
            (Some(maker), _) => format!("the result of {}", marked(maker)),
            (None, Some(reader)) => format!("an operand of {}", marked(reader)),
            (None, None) => "a result".to_owned(),
        }
    }

    /// The operator that reads a value of another one.
    fn reader(&self, slot: usize) -> Option<String> {
        self.get(slot).1.map(marked)
    }
}

/// The place of the operator that a stage is of.
fn place(stage: &Nest) -> Option<usize> {
    stage.origins.first()?.parse().ok()
}

fn marked(place: usize) -> String {
    format!("{MARK}{place}{MARK}")
}

/// What the loop transformations refused of a kernel.
pub(crate) fn of_loops(refusal: sinter_loops::Refusal, hands: &Hands) -> Illegal {
    use sinter_loops::Refusal as R;
    let refuse = |code, message: String, flip: Option<String>| Illegal {
        code,
        message,
        flip,
    };
    match refusal {
        R::PaddedReadOfComputedValue { slot, .. } => {
            let (value, reader) = (hands.value(slot), hands.reader(slot));
            let reader = reader.unwrap_or_else(|| "its reader".to_owned());
            refuse(
                LegalityCode::SharedTile,
                format!("{reader} reads {value} with padding, and shares no tile with it"),
                Some(format!("if {reader} had no padding")),
            )
        }
        R::ShapeCannotShareTile { slot, points, .. } => {
            let (value, reader) = (hands.value(slot), hands.reader(slot));
            let needs = match &reader {
                Some(reader) => format!("{reader} needs {value} in another shape than its tile"),
                None => format!("{value} is needed in another shape than its tile"),
            };
            refuse(
                LegalityCode::SharedTile,
                format!("{needs}, so that all {points} points would be one block"),
                reader.map(|reader| format!("if {reader} read {value} element by element")),
            )
        }
        R::OutputsCannotShareGrid { points } => refuse(
            LegalityCode::Shapes,
            format!(
                "the outputs have no axis in common, so that all {points} points would be one block"
            ),
            Some("if an axis of the outputs had one extent".to_owned()),
        ),
        R::LayoutMismatch { slot, .. } | R::PaddedBlockedDimension { slot, .. } => refuse(
            LegalityCode::LayoutScratch,
            format!("{} cannot be read in its layout", hands.value(slot)),
            Some("if the value were stored row-major".to_owned()),
        ),
        R::Malformed(_) | R::AlreadyScheduled => {
            refuse(LegalityCode::NoLoopForm, refusal.to_string(), None)
        }
    }
}

/// What the device model refused of a placed kernel.
pub(crate) fn of_schedule(
    refusal: sinter_device::Refusal,
    kernel: &Kernel,
    device: &Device,
) -> Illegal {
    use sinter_device::Refusal as R;
    match &refusal {
        R::Footprint(needs) => {
            let needs = needs.iter();
            let needs = needs.map(|n| format!("{} >= {}", n.space, size(n.needed)));
            let needs = needs.collect::<Vec<_>>().join(" and ");
            Illegal {
                code: LegalityCode::Footprint,
                flip: Some(format!("if {needs}")),
                message: refusal.to_string(),
            }
        }
        R::Stages(cause) => {
            let merged = coalesce(kernel.clone());
            let axes = match device.is_scratchpad() {
                true => tile_axes(&merged),
                false => shared_axes(&merged),
            };
            let hands = Hands::of(&merged);
            if let Err(refusal) = axes {
                return of_loops(refusal, &hands);
            }
            Illegal {
                code: match merged.stages.len() {
                    0 | 1 => LegalityCode::NoLoopForm,
                    _ => LegalityCode::SharedTile,
                },
                message: in_words(cause, &merged, &hands),
                flip: None,
            }
        }
        R::Empty => Illegal {
            code: LegalityCode::NoLoopForm,
            message: refusal.to_string(),
            flip: None,
        },
    }
}

/// A text that speaks of stages and slots by number as one that speaks of operators.
fn in_words(text: &str, kernel: &Kernel, hands: &Hands) -> String {
    let operator = |stage: usize| match kernel.stages.get(stage).and_then(place) {
        Some(place) => marked(place),
        None => "an operator".to_owned(),
    };
    let mut out = Vec::new();
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        let next = words.peek().copied().unwrap_or_default();
        let digits = next.trim_end_matches(|c: char| !c.is_ascii_digit());
        let named = digits.parse().ok().and_then(|number| match word {
            "stage" => Some(operator(number)),
            "slot" => Some(hands.value(number)),
            _ => None,
        });
        match named {
            Some(named) => {
                out.push(named + &next[digits.len()..]);
                words.next();
            }
            None => out.push(word.to_owned()),
        }
    }
    out.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_names() {
        let illegal = Illegal {
            code: LegalityCode::SharedTile,
            message: format!("{MARK}1{MARK} needs the result of {MARK}0{MARK} whole"),
            flip: Some(format!("if {MARK}1{MARK} had no padding")),
        };
        let named = illegal.named(|place| format!("n{place}"));
        assert_eq!(named.message, "n1 needs the result of n0 whole");
        assert_eq!(named.flip.as_deref(), Some("if n1 had no padding"));
    }
}
