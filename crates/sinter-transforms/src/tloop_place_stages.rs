//! `tloop-place-stages`: stages that belong together become one nest.
//!
//! Takes unscheduled kernels with one nest per operator. Leaves fewer stages: those without reduction
//! are inlined into their readers or become a reduction's `finish`, those over one domain are merged,
//! and what remains shares grid axes. Refuses kernels whose stages have no grid in common.

use melior::ir::operation::OperationRef;
use sinter_loops::place_stages::{PlaceOptions, place_stages_with};
use sinter_pass::{Failure, Pass, PassInfo};

use crate::kernels::transform;

sinter_pass::options! {
    /// Options of [`TloopPlaceStages`].
    pub struct TloopPlaceStagesOptions {
        /// Inline every stage that can be, however often its work is repeated
        repeat_work: bool = false,
    }
}

/// The pass.
pub struct TloopPlaceStages;

impl Pass for TloopPlaceStages {
    type Options = TloopPlaceStagesOptions;

    const INFO: PassInfo = PassInfo {
        name: "tloop-place-stages",
        summary: "Stages that belong together become one nest",
        description: "Inlines, finishes and merges stages; what remains shares grid axes. Refuses \
                      kernels whose stages have no grid in common.",
        anchor: Some("builtin.module"),
        dialects: &["tloop"],
    };

    fn run(&self, op: OperationRef<'_, '_>, options: &Self::Options) -> Result<(), Failure> {
        let options = PlaceOptions {
            repeat_work: options.repeat_work,
        };
        transform(op, |_, kernel| Ok(place_stages_with(kernel, options)?))
    }
}
