//! Coordinates along one resampled dimension.

use super::{Coordinates, Rounding};

/// One resampled dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) input: i64,
    pub(super) output: i64,
    pub(super) scale: f64,
    pub(super) coordinates: Coordinates,
}

impl Line {
    /// The coordinate as `(i + before) / divisor * factor + after`, so that it can be computed the same
    /// way in `f32` wherever it is needed.
    pub(super) fn steps(&self) -> Steps {
        let scale = self.scale as f32;
        let plain = Steps {
            before: 0.0,
            factor: 1.0,
            divisor: scale,
            after: 0.0,
        };
        let half = Steps {
            before: 0.5,
            after: -0.5,
            ..plain
        };
        let zero = Steps {
            before: 0.0,
            factor: 0.0,
            divisor: 1.0,
            after: 0.0,
        };
        match self.coordinates {
            Coordinates::HalfPixel => half,
            Coordinates::HalfPixelSymmetric => {
                let adjustment = self.output as f32 / (scale * self.input as f32);
                let centre = self.input as f32 / 2.0;
                Steps {
                    after: centre * (1.0 - adjustment) - 0.5,
                    ..half
                }
            }
            Coordinates::PytorchHalfPixel if self.output > 1 => half,
            Coordinates::AlignCorners if self.output > 1 => Steps {
                factor: (self.input - 1) as f32,
                divisor: (self.output - 1) as f32,
                ..plain
            },
            Coordinates::PytorchHalfPixel | Coordinates::AlignCorners => zero,
            Coordinates::Asymmetric => plain,
            Coordinates::TfHalfPixel => Steps { after: 0.0, ..half },
        }
    }

    /// The input coordinate of an output index, in `f32` as onnxruntime computes it.
    pub(super) fn coordinate(&self, i: i64) -> f32 {
        let Steps {
            before,
            factor,
            divisor,
            after,
        } = self.steps();
        (i as f32 + before) * factor / divisor + after
    }

    /// The input index that is nearest to an output index.
    pub(super) fn nearest(&self, i: i64, rounding: Rounding) -> i64 {
        let x = self.coordinate(i);
        let rounded = match rounding {
            Rounding::RoundPreferFloor => (x - 0.5).ceil(),
            Rounding::RoundPreferCeil => (x + 0.5).floor(),
            Rounding::Floor => x.floor(),
            Rounding::Ceil => x.ceil(),
        };
        (rounded as i64).clamp(0, self.input - 1)
    }
}

/// See [`Line::steps`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Steps {
    pub(super) before: f32,
    pub(super) factor: f32,
    pub(super) divisor: f32,
    pub(super) after: f32,
}
