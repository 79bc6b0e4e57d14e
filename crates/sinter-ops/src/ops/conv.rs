//! Convolution.

use sinter_loops::affine::Affine;
use sinter_loops::nest::Iter;
use sinter_loops::tensor::Tensor;
use sinter_loops::types::TensorType;

use crate::attr::{named, operator_attributes};
use crate::operator::{Loops, OpError, Operator, Traits};
use crate::support::{
    Data, Point, Run, Window, affine, contraction_finish, contraction_of, count, floats, ints,
    iter, product_type, require, require_bias, types_of, weighted_window, wide,
};

/// Convolution of `x[n, ci, ..]` with `w[co, ci / groups, ..]` and an optional `bias[co]`, one to three spatial dimensions (ONNX `Conv`).
/// Products of 8-bit integers, of either sign, are added as `i32`.
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
        let element = product_type(x, w)?;
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
        require_bias(operands, w.shape[0], element)?;
        Ok(Extents {
            batch: x.shape[0],
            inputs: w.shape[1],
            outputs: w.shape[0] / groups,
            input: x.shape[2..].to_vec(),
            output: window.output(&x.shape[2..], false)?,
        })
    }
}

/// The sums that a convolution is.
struct Sums<'a> {
    extents: &'a Extents,
    runs: &'a [Run],
    /// Taps of the window.
    taps: usize,
    /// Output channels of all groups.
    channels: usize,
    groups: usize,
}

impl Sums<'_> {
    /// All of them; `add(y, x, w)` adds a product.
    fn of<T: Copy + Default>(
        &self,
        x: &[T],
        w: &[T],
        bias: Option<&[T]>,
        one: T,
        add: impl Fn(&mut T, T, T),
    ) -> Vec<T> {
        let e = self.extents;
        let (inputs, outputs) = (e.inputs as usize, e.outputs as usize);
        let (in_plane, out_plane) = (count(&e.input), count(&e.output));
        let planes = e.batch as usize * self.channels;
        let mut y = vec![T::default(); planes * out_plane];
        for (plane, y) in y.chunks_exact_mut(out_plane.max(1)).enumerate() {
            let (n, co) = (plane / self.channels, plane % self.channels);
            for ci in 0..inputs {
                let channel = n * inputs * self.groups + co / outputs * inputs + ci;
                let x = &x[channel * in_plane..(channel + 1) * in_plane];
                let w = &w[(co * inputs + ci) * self.taps..][..self.taps];
                for run in self.runs {
                    let w = w[run.tap];
                    let y = &mut y[run.output..run.output + run.len];
                    if run.step == 1 {
                        let x = &x[run.input..run.input + run.len];
                        y.iter_mut().zip(x).for_each(|(y, &x)| add(y, x, w));
                    } else {
                        let x = x[run.input..].iter().step_by(run.step);
                        y.iter_mut().zip(x).for_each(|(y, &x)| add(y, x, w));
                    }
                }
            }
            if let Some(bias) = bias {
                y.iter_mut().for_each(|y| add(y, bias[co], one));
            }
        }
        y
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
        let element = product_type(&operands[0], &operands[1])?;
        Ok(vec![TensorType::new(element, shape)])
    }
    fn eval(&self, operands: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        let types = types_of(operands);
        let ty = self.infer(&types)?.remove(0);
        let e = self.extents(&types)?;
        let kernel = &types[1].shape[2..];
        let runs = self.window(kernel).runs(&e.input, &e.output);
        let sums = Sums {
            extents: &e,
            runs: &runs,
            taps: count(kernel),
            channels: ty.shape[1] as usize,
            groups: self.groups as usize,
        };
        let data = if ty.element.is_float() {
            let add = |y: &mut f64, x: f64, w: f64| *y += x * w;
            let bias = operands.get(2).map(floats);
            let (x, w) = (floats(&operands[0]), floats(&operands[1]));
            Data::Float(sums.of(&x, &w, bias.as_deref(), 1.0, add))
        } else {
            let add = |y: &mut i64, x: i64, w: i64| *y = y.wrapping_add(x.wrapping_mul(w));
            let bias = operands.get(2).map(ints);
            let (x, w) = (ints(&operands[0]), ints(&operands[1]));
            Data::Int(sums.of(&x, &w, bias.as_deref(), 1, add))
        };
        Ok(vec![data.tensor(ty)])
    }
    fn loops(&self, operands: &[TensorType]) -> Result<Loops, OpError> {
        let e = self.extents(operands)?;
        let element = product_type(&operands[0], &operands[1])?;
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
        let mut nest = contraction_of(
            nest,
            operands[0].element,
            operands[1].element,
            wide(element),
        );
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
