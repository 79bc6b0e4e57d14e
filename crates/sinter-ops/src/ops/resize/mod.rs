//! Resampling.

mod line;
mod loops;

use sinter_loops::scalar::FloatBits;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use self::line::Line;
use crate::attr::{named, operator_attributes, string_enum};
use crate::operator::{Fold, Loops, OpError, Operator, Traits};
use crate::support::{
    Data, count, err, require, require_arity, require_float, same_rank, types_of,
};

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

impl Resize {
    /// Scale of dimension `d`.
    fn scale(&self, d: usize, input: i64) -> f64 {
        match self.scales.get(d) {
            Some(scale) => scale.get(),
            None => self.shape[d] as f64 / input as f64,
        }
    }

    /// Whether dimension `d` is left as it is.
    fn keeps(&self, d: usize, input: i64) -> bool {
        input == self.shape[d] && self.scale(d, input) == 1.0
    }

    /// How often each element is repeated along each dimension, where that is all that the operator
    /// does to an operand of that shape.
    pub fn repeats(&self, input: &[i64]) -> Option<Vec<i64>> {
        let repeats = |(d, &extent): (usize, &i64)| {
            let times = self.shape.get(d)? / extent.max(1);
            let repeated = |(i, taps): (i64, Vec<(i64, f64)>)| taps == [(i / times, 1.0)];
            let all = times > 0 && times * extent == self.shape[d];
            (all && (0..).zip(self.taps(d, extent)).all(repeated)).then_some(times)
        };
        let nearest = self.mode == ResizeMode::Nearest && input.len() == self.shape.len();
        let found = input.iter().enumerate().map(repeats);
        nearest.then(|| found.collect()).flatten()
    }

    /// The operator that repeats every element of a tensor of that shape so often along each dimension.
    pub fn repeating(input: &[i64], times: &[i64]) -> Self {
        Self {
            mode: ResizeMode::Nearest,
            coordinates: Coordinates::Asymmetric,
            rounding: Rounding::Floor,
            shape: input.iter().zip(times).map(|(e, t)| e * t).collect(),
            scales: Vec::new(),
            cubic_coefficient: FloatBits::new(-0.75),
            exclude_outside: false,
        }
    }

    fn line(&self, d: usize, input: i64) -> Line {
        Line {
            input,
            output: self.shape[d],
            scale: self.scale(d, input),
            coordinates: self.coordinates,
        }
    }

    /// For every output index along dimension `d`, the input indices and weights it sums.
    fn taps(&self, d: usize, input: i64) -> Vec<Vec<(i64, f64)>> {
        let line = self.line(d, input);
        let last = input - 1;
        let taps = |i| match self.mode {
            _ if self.keeps(d, input) => vec![(i, 1.0)],
            ResizeMode::Nearest => vec![(line.nearest(i, self.rounding), 1.0)],
            ResizeMode::Linear => {
                let x = f64::from(line.coordinate(i)).clamp(0.0, last as f64);
                let low = x.floor();
                let next = (low as i64 + 1).min(last);
                vec![(low as i64, 1.0 - (x - low)), (next, x - low)]
            }
            ResizeMode::Cubic => self.cubic_taps(f64::from(line.coordinate(i)), last),
        };
        (0..self.shape[d]).map(taps).collect()
    }

    /// The four taps around a coordinate (Keys, 1981).
    fn cubic_taps(&self, x: f64, last: i64) -> Vec<(i64, f64)> {
        let a = self.cubic_coefficient.get();
        let low = x.floor();
        let weight = |distance: f64| {
            let t = distance.abs();
            if t <= 1.0 {
                ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0
            } else {
                ((a * t - 5.0 * a) * t + 8.0 * a) * t - 4.0 * a
            }
        };
        let all = (-1..=2).map(|k| low as i64 + k);
        let mut taps: Vec<_> = all.map(|k| (k, weight(x - k as f64))).collect();
        if self.exclude_outside {
            taps.retain(|(k, _)| (0..=last).contains(k));
            let total: f64 = taps.iter().map(|(_, w)| w).sum();
            taps.iter_mut().for_each(|(_, w)| *w /= total);
        }
        taps.iter().map(|&(k, w)| (k.clamp(0, last), w)).collect()
    }
}

impl Operator for Resize {
    named!();
    fn traits(&self) -> Traits {
        let index_map = self.mode == ResizeMode::Nearest;
        Traits {
            index_map,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        require_arity(operands.len(), 1..=1)?;
        let x = &operands[0];
        same_rank("shape", &self.shape, x.rank())?;
        require(
            self.scales.is_empty() || self.scales.len() == x.rank(),
            || {
                format!(
                    "scales has {} entries for {} dimensions",
                    self.scales.len(),
                    x.rank()
                )
            },
        )?;
        require(self.scales.iter().all(|s| s.get() > 0.0), || {
            "scales must be positive".into()
        })?;
        let extents = x.shape.iter().chain(&self.shape);
        require(extents.min() > Some(&0), || {
            format!(
                "resizes {x} to {:?}, but empty tensors cannot be resized",
                self.shape
            )
        })?;
        if self.mode != ResizeMode::Nearest {
            require_float(x)?;
        }
        Ok(vec![TensorType::new(x.element, self.shape.clone())])
    }
    /// One dimension after the other.
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let ty = self.infer(&types_of(operands))?.remove(0);
        let mut shape = operands[0].ty().shape.clone();
        let mut data = Data::of(&operands[0]);
        for d in 0..shape.len() {
            let taps = self.taps(d, shape[d]);
            data = match data {
                Data::Float(v) => Data::Float(resample(&v, &shape, d, &taps, |values| {
                    values
                        .map(|(v, w)| if w == 0.0 { 0.0 } else { v * w })
                        .sum()
                })),
                Data::Int(v) => Data::Int(resample(&v, &shape, d, &taps, |values| {
                    values.next().map_or(0, |(v, _)| v)
                })),
            };
            shape[d] = self.shape[d];
        }
        Ok(vec![data.tensor(ty)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        self.infer(operands)?;
        match self.mode {
            ResizeMode::Nearest => loops::nearest(self, &operands[0]),
            ResizeMode::Linear => loops::linear(self, &operands[0]),
            ResizeMode::Cubic => {
                err("cubic resampling has no loop form: export the model with mode 'linear'")
            }
        }
    }
    fn fold(&self, operands: &[TensorType]) -> Option<Fold> {
        let x = operands.first()?;
        let same = x.rank() == self.shape.len() && (0..x.rank()).all(|d| self.keeps(d, x.shape[d]));
        same.then_some(Fold::Operand(0))
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        let Some(x) = operands.first() else { return 0 };
        let resized = (0..x.rank())
            .filter(|&d| self.shape.get(d) != x.shape.get(d))
            .count() as u32;
        let taps = match self.mode {
            ResizeMode::Nearest => 0,
            ResizeMode::Linear => 2u64.pow(resized),
            ResizeMode::Cubic => 4u64.pow(resized),
        };
        2 * taps * count(&self.shape) as u64
    }
}

/// Resamples row-major values along dimension `d`.
fn resample<V: Copy>(
    values: &[V],
    shape: &[i64],
    d: usize,
    taps: &[Vec<(i64, f64)>],
    total: impl Fn(&mut dyn Iterator<Item = (V, f64)>) -> V,
) -> Vec<V> {
    let extent = shape[d] as usize;
    let inner = count(&shape[d + 1..]);
    let mut out = Vec::with_capacity(values.len() / extent * taps.len());
    for block in values.chunks_exact(extent * inner) {
        for taps in taps {
            for i in 0..inner {
                let each = taps
                    .iter()
                    .map(|&(k, w)| (block[k as usize * inner + i], w));
                out.push(total(&mut each.into_iter()));
            }
        }
    }
    out
}
