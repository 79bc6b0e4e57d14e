//! Convolution.

use sinter_loops::affine::Affine;
use sinter_loops::nest::Iter;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Point, Window, affine, contraction, contraction_finish, count, floats, from_floats, iter,
    require, require_bias, types_of, weighted_window,
};

/// Convolution of `x[n, ci, ..]` with `w[co, ci / groups, ..]` and an optional `bias[co]`, one to three spatial dimensions (ONNX `Conv`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Conv {
    /// One per spatial dimension.
    pub strides: Vec<i64>,
    /// Padding before each spatial dimension, then padding after each.
    pub pads: Vec<i64>,
    /// One per spatial dimension.
    pub dilations: Vec<i64>,
    /// Number of channel groups.
    pub groups: i64,
}

operator_attributes!(Conv, "conv", strides, pads, dilations, groups);

/// Extents of one convolution.
struct Extents {
    batch: i64,
    /// Input channels per group.
    inputs: i64,
    /// Output channels per group.
    outputs: i64,
    input: Vec<i64>,
    output: Vec<i64>,
}

impl Conv {
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
        let (x, w) = (&operands[0], &operands[1]);
        require(x.shape[1] == w.shape[1] * groups, || {
            format!(
                "input {x} has {} channels, but weights {w} in {groups} groups take {}",
                x.shape[1],
                w.shape[1] * groups
            )
        })?;
        require(w.shape[0] % groups == 0, || {
            format!(
                "{} output channels do not divide into {groups} groups",
                w.shape[0]
            )
        })?;
        require_bias(operands, w.shape[0])?;
        Ok(Extents {
            batch: x.shape[0],
            inputs: w.shape[1],
            outputs: w.shape[0] / groups,
            input: x.shape[2..].to_vec(),
            output: window.output(&x.shape[2..], false)?,
        })
    }
}

impl Operator for Conv {
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
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let types = types_of(operands);
        let ty = self.infer(&types)?.remove(0);
        let e = self.extents(&types)?;
        let kernel = &types[1].shape[2..];
        let runs = self.window(kernel).runs(&e.input, &e.output);
        let (x, w) = (floats(&operands[0]), floats(&operands[1]));
        let bias = operands.get(2).map(floats);
        let (taps, inputs) = (count(kernel), e.inputs as usize);
        let (in_plane, out_plane) = (count(&e.input), count(&e.output));
        let (channels, outputs) = (ty.shape[1] as usize, e.outputs as usize);
        let mut y = vec![0.0; count(&ty.shape)];
        for (plane, y) in y.chunks_exact_mut(out_plane.max(1)).enumerate() {
            let (n, co) = (plane / channels, plane % channels);
            for ci in 0..inputs {
                let channel = n * inputs * self.groups as usize + co / outputs * inputs + ci;
                let x = &x[channel * in_plane..(channel + 1) * in_plane];
                let w = &w[(co * inputs + ci) * taps..][..taps];
                for run in &runs {
                    let w = w[run.tap];
                    let y = &mut y[run.output..run.output + run.len];
                    if run.step == 1 {
                        let x = &x[run.input..run.input + run.len];
                        y.iter_mut().zip(x).for_each(|(y, x)| *y += w * x);
                    } else {
                        let x = x[run.input..].iter().step_by(run.step);
                        y.iter_mut().zip(x).for_each(|(y, x)| *y += w * x);
                    }
                }
            }
            if let Some(bias) = &bias {
                y.iter_mut().for_each(|y| *y += bias[co]);
            }
        }
        Ok(vec![from_floats(ty, &y)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let e = self.extents(operands)?;
        let element = operands[0].element;
        let kernel = &operands[1].shape[2..];
        let window = self.window(kernel);
        let mut iters = Vec::new();
        let mut add = |it: Iter| {
            iters.push(it);
            iters.len() - 1
        };
        let grouped = self.groups > 1;
        let n = add(Iter::parallel(e.batch));
        let g = grouped.then(|| add(Iter::parallel(self.groups)));
        let co = (!grouped || e.outputs > 1).then(|| add(Iter::parallel(e.outputs)));
        let o: Vec<_> = e
            .output
            .iter()
            .map(|&extent| add(Iter::parallel(extent)))
            .collect();
        let k: Vec<_> = kernel
            .iter()
            .map(|&extent| add(Iter::reduction(extent)))
            .collect();
        let ci = (!grouped || e.inputs > 1).then(|| add(Iter::reduction(e.inputs)));

        let channel = |group_extent: i64, within: Option<usize>| {
            let terms: Vec<_> = g
                .map(|g| (g, group_extent))
                .into_iter()
                .chain(within.map(|i| (i, 1)))
                .collect();
            affine(&terms, 0, &iters)
        };
        let out_channel = channel(e.outputs, co);
        let mut x = vec![iter(n), channel(e.inputs, ci)];
        x.extend((0..k.len()).map(|d| window.index(d, o[d], k[d], &iters)));
        let mut w = vec![out_channel.clone(), ci.map_or(Affine::Const(0), iter)];
        w.extend(k.iter().map(|&k| iter(k)));
        let mut y = vec![iter(n), out_channel.clone()];
        y.extend(o.iter().map(|&o| iter(o)));

        let pad = window.is_padded(&e.input, &e.output).then_some(0.0);
        let bias = operands.len() > 2;
        let nest = Point::over(iters).read_padded(0, x, pad).read(1, w);
        let mut nest = contraction(nest, element);
        if bias {
            nest = nest.finish_read(2, vec![out_channel]);
        }
        let finish = contraction_finish(element, bias);
        Ok(Loops::one(
            nest.finish(finish).write(operands.len(), y).done(),
        ))
    }
    fn flops(&self, operands: &[TensorType]) -> u64 {
        let taps = operands
            .get(1)
            .map_or(0, |w| w.shape.iter().skip(1).product::<i64>());
        self.infer(operands)
            .map_or(0, |t| 2 * (t[0].elements() * taps) as u64)
    }
}
