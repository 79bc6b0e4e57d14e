//! Resampling.

use crate::attr::{operator_attributes, string_enum};
use sinter_loops::scalar::FloatBits;

string_enum! {
    /// Interpolation.
    ResizeMode {
        /// The nearest element.
        Nearest = "nearest",
        /// Linear along each resized dimension.
        Linear = "linear",
        /// Cubic convolution along each resized dimension.
        Cubic = "cubic",
    }
}

string_enum! {
    /// From an output coordinate to an input coordinate (ONNX `coordinate_transformation_mode`).
    Coordinates {
        /// `(i + 0.5) / scale - 0.5`.
        HalfPixel = "half_pixel",
        /// Half pixel, centred when the scale does not divide.
        HalfPixelSymmetric = "half_pixel_symmetric",
        /// Half pixel, or 0 when the output extent is 1.
        PytorchHalfPixel = "pytorch_half_pixel",
        /// First and last elements coincide.
        AlignCorners = "align_corners",
        /// `i / scale`.
        Asymmetric = "asymmetric",
        /// `(i + 0.5) / scale`.
        TfHalfPixel = "tf_half_pixel_for_nn",
    }
}

string_enum! {
    /// How nearest resampling rounds a coordinate (ONNX `nearest_mode`).
    Rounding {
        /// Half down.
        RoundPreferFloor = "round_prefer_floor",
        /// Half up.
        RoundPreferCeil = "round_prefer_ceil",
        /// Down.
        Floor = "floor",
        /// Up.
        Ceil = "ceil",
    }
}

/// Resamples to a shape (ONNX `Resize`, `Upsample`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resize {
    /// Interpolation.
    pub mode: ResizeMode,
    /// Coordinate transformation.
    pub coordinates: Coordinates,
    /// Rounding of nearest resampling.
    pub rounding: Rounding,
    /// Shape of the result.
    pub shape: Vec<i64>,
    /// Scale per dimension, as the coordinate transformation uses it; empty: output extent over
    /// input extent.
    pub scales: Vec<FloatBits>,
    /// The `a` of cubic convolution.
    pub cubic_coefficient: FloatBits,
    /// Cubic: weights of elements outside are zero, the others renormalised.
    pub exclude_outside: bool,
}

operator_attributes!(
    Resize,
    "resize",
    mode,
    coordinates,
    rounding,
    shape,
    scales,
    cubic_coefficient,
    exclude_outside
);

super::pending!(Resize);
