//! Transposed convolution.

use sinter_loops::affine::Affine;
use sinter_loops::nest::{Iter, Nest};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    MAX_WINDOW, Point, Window, affine, contraction, contraction_finish, count, empty_contraction,
    err, floats, from_floats, iter, one_dtype, require, require_bias, require_float, same_rank,
    types_of, weighted_window,
};

/// Transposed convolution of `x[n, ci, ..]` with `w[ci, co / groups, ..]` and an optional `bias[co]` (ONNX `ConvTranspose`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConvTranspose {
    /// One per spatial dimension.
    pub strides: Vec<i64>,
    /// Padding before each spatial dimension, then padding after each.
    pub pads: Vec<i64>,
    /// Extra extent after each spatial dimension.
    pub output_pads: Vec<i64>,
    /// One per spatial dimension.
    pub dilations: Vec<i64>,
    /// Number of channel groups.
    pub groups: i64,
}

operator_attributes!(
    ConvTranspose,
    "conv_transpose",
    strides,
    pads,
    output_pads,
    dilations,
    groups
);

/// Extents of one transposed convolution.
struct Extents {
    batch: i64,
    /// Input channels per group.
    inputs: i64,
    /// Output channels per group.
    outputs: i64,
    input: Vec<i64>,
    output: Vec<i64>,
}

/// One part of the output along one spatial dimension, in gather form.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// Kernel and stride are equal and nothing is cut off: output `i * stride + tap` is the product of
    /// input `i` and the tap, and every output has one.
    Tiles,
    /// Outputs `q * stride + residue`, for `q < points`: each sums the taps
    /// `first_tap + t * tap_step` for `t < taps`, on the inputs `q + base - t * input_step`.
    Residue {
        residue: i64,
        points: i64,
        first_tap: i64,
        tap_step: i64,
        taps: i64,
        base: i64,
        input_step: i64,
    },
}

impl ConvTranspose {
    fn window<'a>(&'a self, kernel: &'a [i64]) -> Window<'a> {
        let (strides, pads, dilations) = (&self.strides, &self.pads, &self.dilations);
        Window {
            kernel,
            strides,
            pads,
            dilations,
        }
    }

    fn extents(&self, operands: &[TensorType]) -> Result<Extents, OpError> {
        let groups = self.groups;
        let lists = (&self.strides[..], &self.pads[..], &self.dilations[..]);
        let window = weighted_window(operands, lists, groups)?;
        let element = one_dtype(&operands.iter().collect::<Vec<_>>())?;
        require_float(&operands[0])?;
        let (x, w) = (&operands[0], &operands[1]);
        same_rank("output_pads", &self.output_pads, window.rank())?;
        require(self.output_pads.iter().all(|&p| p >= 0), || {
            "output_pads must not be negative".into()
        })?;
        require(self.output_pads.iter().all(|&p| p <= MAX_WINDOW), || {
            format!("output_pads must not be above {MAX_WINDOW}")
        })?;
        require(x.shape[1] == w.shape[0], || {
            format!(
                "input {x} has {} channels, but weights {w} take {}",
                x.shape[1], w.shape[0]
            )
        })?;
        require(x.shape[1] % groups == 0, || {
            format!(
                "{} input channels do not divide into {groups} groups",
                x.shape[1]
            )
        })?;
        require_bias(operands, w.shape[1] * groups, element)?;
        let input = x.shape[2..].to_vec();
        let output: Vec<i64> = (0..window.rank())
            .map(|d| {
                let added = window.span(d) + self.output_pads[d] - window.low(d) - window.high(d);
                let spread = (input[d] - 1).checked_mul(self.strides[d]);
                let extent = spread.and_then(|n| n.checked_add(added));
                extent.ok_or_else(|| {
                    OpError(format!("spatial dimension {d} of the output is too large"))
                })
            })
            .collect::<Result<_, _>>()?;
        if let Some(d) = output.iter().position(|&e| e <= 0) {
            return err(format!("pads leave no output in spatial dimension {d}"));
        }
        Ok(Extents {
            batch: x.shape[0],
            inputs: x.shape[1] / groups,
            outputs: w.shape[1],
            input,
            output,
        })
    }

    /// The parts of the output along dimension `d`.
    fn phases(&self, d: usize, kernel: &[i64], output: i64) -> Vec<Phase> {
        let (taps, stride, dilation) = (kernel[d], self.strides[d], self.dilations[d]);
        let window = self.window(kernel);
        let whole = window.low(d) == 0 && window.high(d) == 0 && self.output_pads[d] == 0;
        if stride > 1 && taps == stride && dilation == 1 && whole {
            return vec![Phase::Tiles];
        }
        (0..stride.min(output))
            .map(|residue| {
                let shift = residue + window.low(d);
                let on: Vec<i64> = (0..taps)
                    .filter(|t| (shift - t * dilation) % stride == 0)
                    .collect();
                let first_tap = on.first().copied().unwrap_or(0);
                let tap_step = on.get(1).map_or(1, |second| second - first_tap);
                Phase::Residue {
                    residue,
                    points: (output - residue + stride - 1) / stride,
                    first_tap,
                    tap_step,
                    taps: on.len() as i64,
                    base: (shift - first_tap * dilation).div_euclid(stride),
                    input_step: tap_step * dilation / stride,
                }
            })
            .collect()
    }

    /// The nest of one part of the output.
    fn nest(&self, e: &Extents, phases: &[Phase], operands: &[TensorType]) -> Nest {
        let element = operands[0].element;
        let kernel = &operands[1].shape[2..];
        let mut iters = Vec::new();
        let mut add = |it: Iter| {
            iters.push(it);
            iters.len() - 1
        };
        let n = add(Iter::parallel(e.batch));
        let g = (self.groups > 1).then(|| add(Iter::parallel(self.groups)));
        let co = add(Iter::parallel(e.outputs));
        let q: Vec<usize> = phases
            .iter()
            .zip(&e.input)
            .map(|(phase, &input)| match phase {
                Phase::Tiles => add(Iter::parallel(input)),
                Phase::Residue { points, .. } => add(Iter::parallel(*points)),
            })
            .collect();
        let tiles: Vec<Option<usize>> = phases
            .iter()
            .zip(kernel)
            .map(|(p, &k)| (*p == Phase::Tiles).then(|| add(Iter::parallel(k))))
            .collect();
        let summed = |phase: &Phase| match phase {
            Phase::Tiles => None,
            Phase::Residue { taps, .. } => Some(*taps),
        };
        let empty = phases.iter().any(|p| summed(p) == Some(0));
        let mut t = vec![None; phases.len()];
        let mut ci = None;
        if !empty {
            for (t, taps) in t.iter_mut().zip(phases.iter().map(summed)) {
                *t = taps.map(|taps| add(Iter::reduction(taps)));
            }
            ci = Some(add(Iter::reduction(e.inputs)));
        }

        let channel = |group_extent: i64, within: usize| {
            let terms: Vec<_> = g
                .map(|g| (g, group_extent))
                .into_iter()
                .chain([(within, 1)])
                .collect();
            affine(&terms, 0, &iters)
        };
        let out_channel = channel(e.outputs, co);
        let mut y = vec![iter(n), out_channel.clone()];
        let mut reads = None;
        for (d, phase) in phases.iter().enumerate() {
            y.push(match (phase, tiles[d]) {
                (Phase::Residue { residue, .. }, _) => {
                    affine(&[(q[d], self.strides[d])], *residue, &iters)
                }
                (Phase::Tiles, tap) => {
                    let terms: Vec<_> = [(q[d], self.strides[d])]
                        .into_iter()
                        .chain(tap.map(|t| (t, 1)))
                        .collect();
                    affine(&terms, 0, &iters)
                }
            });
        }
        if let Some(ci) = ci {
            let in_channel = channel(e.inputs, ci);
            let mut x = vec![iter(n), in_channel.clone()];
            let mut w = vec![in_channel, iter(co)];
            for (d, phase) in phases.iter().enumerate() {
                let (from, tap) = self.taken(phase, q[d], tiles[d].or(t[d]), &iters);
                x.push(from);
                w.push(tap);
            }
            reads = Some((x, w));
        }
        let extents: Vec<i64> = iters.iter().map(|i| i.extent).collect();
        let mut nest = Point::over(iters);
        nest = match reads {
            Some((x, w)) => {
                let spatial = x[2..].iter().zip(&e.input);
                let inside =
                    |(index, &extent): (&Affine, &i64)| index.range(&extents).is_inside(extent);
                let pad = (!spatial.clone().all(inside)).then_some(0.0);
                contraction(nest.read_padded(0, x, pad).read(1, w), element)
            }
            None => empty_contraction(nest, element),
        };
        let bias = operands.len() > 2;
        if bias {
            nest = nest.finish_read(2, vec![out_channel]);
        }
        nest.finish(contraction_finish(element, bias))
            .write(operands.len(), y)
            .done()
    }

    /// The input index and the kernel index along one dimension.
    fn taken(
        &self,
        phase: &Phase,
        q: usize,
        tap: Option<usize>,
        iters: &[Iter],
    ) -> (Affine, Affine) {
        let Some(tap) = tap else {
            return (iter(q), Affine::Const(0));
        };
        match phase {
            Phase::Tiles => (iter(q), iter(tap)),
            Phase::Residue {
                first_tap,
                tap_step,
                base,
                input_step,
                ..
            } => (
                affine(&[(q, 1), (tap, -input_step)], *base, iters),
                affine(&[(tap, *tap_step)], *first_tap, iters),
            ),
        }
    }
}

impl Operator for ConvTranspose {
    named!();
    fn traits(&self) -> Traits {
        Traits {
            contraction: true,
            reduction: true,
            ..Traits::default()
        }
    }
    fn infer(&self, operands: &[TensorType]) -> Result<Vec<TensorType>, OpError> {
        let e = self.extents(operands)?;
        let mut shape = vec![e.batch, e.outputs * self.groups];
        shape.extend(&e.output);
        Ok(vec![TensorType::new(operands[0].element, shape)])
    }
    /// By scattering: every input adds its product with every tap.
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let types = types_of(operands);
        let ty = self.infer(&types)?.remove(0);
        let e = self.extents(&types)?;
        let kernel = &types[1].shape[2..];
        let runs = self.window(kernel).runs(&e.output, &e.input);
        let (x, w) = (floats(&operands[0]), floats(&operands[1]));
        let bias = operands.get(2).map(floats);
        let (taps, inputs, outputs) = (count(kernel), e.inputs as usize, e.outputs as usize);
        let (in_plane, out_plane) = (count(&e.input), count(&e.output));
        let channels = ty.shape[1] as usize;
        let mut y = vec![0.0; count(&ty.shape)];
        for (plane, y) in y.chunks_exact_mut(out_plane).enumerate() {
            let (n, co) = (plane / channels, plane % channels);
            for ci in 0..inputs {
                let channel = co / outputs * inputs + ci;
                let place = n * inputs * self.groups as usize + channel;
                let x = &x[place * in_plane..(place + 1) * in_plane];
                let w = &w[(channel * outputs + co % outputs) * taps..][..taps];
                for run in &runs {
                    let w = w[run.tap];
                    let x = &x[run.output..run.output + run.len];
                    let y = y[run.input..].iter_mut().step_by(run.step);
                    y.zip(x).for_each(|(y, x)| *y += w * x);
                }
            }
            if let Some(bias) = &bias {
                y.iter_mut().for_each(|y| *y += bias[co]);
            }
        }
        Ok(vec![from_floats(ty, &y)])
    }
    /// One nest per part of the output: where kernel and stride are equal a single one, otherwise one
    /// per residue of the output index by the stride. No index has a division.
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let e = self.extents(operands)?;
        let kernel = &operands[1].shape[2..];
        let mut parts: Vec<Vec<Phase>> = vec![Vec::new()];
        for d in 0..kernel.len() {
            let phases = self.phases(d, kernel, e.output[d]);
            let extended = |part: &Vec<Phase>, phase: &Phase| {
                part.iter().chain([phase]).cloned().collect::<Vec<_>>()
            };
            parts = parts
                .iter()
                .flat_map(|part| phases.iter().map(move |phase| extended(part, phase)))
                .collect();
        }
        let stages = parts
            .iter()
            .map(|phases| self.nest(&e, phases, operands))
            .collect();
        Ok(Loops {
            temporaries: Vec::new(),
            stages,
        })
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        if self.extents(operands).is_err() {
            return 0;
        }
        let taps = operands[1].shape[1..].iter().product::<i64>();
        2 * (operands[0].elements() * taps) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_kernel_and_stride_give_one_contraction_without_reduction_over_taps() {
        let op = ConvTranspose {
            strides: vec![2, 2],
            pads: vec![0; 4],
            output_pads: vec![0, 0],
            dilations: vec![1, 1],
            groups: 1,
        };
        let loops = op
            .loops(&[TensorType::f32([1, 6, 4, 5]), TensorType::f32([6, 3, 2, 2])])
            .expect("has loops");
        let [nest] = &loops.stages[..] else {
            panic!("one stage")
        };
        assert!(nest.contract);
        assert_eq!(nest.extents(), [1, 3, 4, 5, 2, 2, 6]);
        assert_eq!(nest.reductions().collect::<Vec<_>>(), [6]);
        assert!(nest.reads.iter().all(|r| r.pad.is_none()));
        assert_eq!(nest.writes[0].index[2].to_string(), "d2 * 2 + d4");
    }
}
